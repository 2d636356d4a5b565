//! Linear maps and their gradients.

use burn::backend::TensorMetadata;
use burn::tensor::Shape;
use synthattn_loops::{Axis, Matrix, Output, Part, Place, add_rows};

use super::{Floats, dense, finished, tensor, values};

/// All rows of a tensor.
fn rows(x: &Floats) -> Matrix<'_> {
    let shape = x.shape();
    let width = shape[shape.num_dims() - 1];
    Matrix {
        values: values(x),
        rows: Axis::new(shape.num_elements() / width, width),
        columns: Axis::new(width, 1),
    }
}

/// A matrix as it lies in memory, if not backwards.
fn matrix(x: &Floats) -> Option<Matrix<'_>> {
    let layout = x.layout();
    let [rows, columns] = x.shape().dims();
    let step = |axis: usize| usize::try_from(layout.strides()[axis]).ok();
    Some(Matrix {
        values: &x.storage()[layout.start_offset()..],
        rows: Axis::new(rows, step(0)?),
        columns: Axis::new(columns, step(1)?),
    })
}

fn multiply(left: Matrix, right: Matrix, bias: Option<&[f32]>, shape: Shape) -> Floats {
    let width = right.columns.len();
    let mut out = Output::new(shape.num_elements());
    let place =
        Place { start: 0, rows: Axis::new(left.rows.len(), width), columns: Axis::new(width, 1) };
    out.put(place, left, right, Part::All, 1.0, bias);
    tensor(finished(out), shape)
}

fn with_width(mut shape: Shape, width: usize) -> Shape {
    let last = shape.num_dims() - 1;
    shape[last] = width;
    shape
}

pub(super) fn linear(x: Floats, weight: Floats, bias: Option<Floats>) -> Floats {
    let (x, bias) = (dense(x), bias.map(dense));
    let shape = with_width(x.shape(), weight.shape()[1]);
    let copy;
    let weight = match matrix(&weight) {
        Some(weight) => weight,
        None => {
            copy = weight.to_contiguous();
            rows(&copy)
        }
    };
    multiply(rows(&x), weight, bias.as_ref().map(values), shape)
}

pub(super) fn of_x(weight: Floats, gradient: Floats) -> Floats {
    linear(gradient, weight.transpose(0, 1), None)
}

pub(super) fn of_weight(x: Floats, gradient: Floats) -> Floats {
    let (x, gradient) = (dense(x), dense(gradient));
    let (x, gradient) = (rows(&x), rows(&gradient));
    let shape = Shape::new([x.columns.len(), gradient.columns.len()]);
    multiply(x.transposed(), gradient, None, shape)
}

pub(super) fn of_bias(gradient: Floats) -> Floats {
    let gradient = dense(gradient);
    let shape = gradient.shape();
    let width = shape[shape.num_dims() - 1];
    let mut sums = vec![0.0; width];
    add_rows(&mut sums, values(&gradient));
    tensor(sums, Shape::new([width]))
}
