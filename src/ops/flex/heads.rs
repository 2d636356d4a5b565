//! Scores and weighted values, head by head, and their gradients. Heads lie side by side in
//! `[batch, len, heads * width]`; products read and write them there.

use burn::backend::TensorMetadata;
use burn::tensor::Shape;

use super::product::{Axis, Matrix, Output, Part, Place};
use super::{Floats, dense, tensor, values};

/// `[batch, len, heads * width]`
struct Heads<'a> {
    values: &'a [f32],
    batch: usize,
    len: usize,
    d_model: usize,
    width: usize,
}

impl<'a> Heads<'a> {
    fn of(x: &'a Floats, heads: usize) -> Self {
        let [batch, len, d_model] = x.shape().dims();
        Self { values: values(x), batch, len, d_model, width: d_model / heads }
    }

    /// Of one text, `[len, width]`.
    fn matrix(&self, text: usize, head: usize) -> Matrix<'a> {
        let start = text * self.len * self.d_model + head * self.width;
        Matrix {
            values: &self.values[start..],
            rows: Axis::new(self.len, self.d_model),
            columns: Axis::new(self.width, 1),
        }
    }

    /// Of all texts side by side, `[len, batch * width]`.
    fn wide(&self, head: usize) -> Matrix<'a> {
        Matrix {
            values: &self.values[head * self.width..],
            rows: Axis::new(self.len, self.d_model),
            columns: Axis::of_runs(self.batch, self.width, self.len * self.d_model),
        }
    }
}

/// `[batch or 1, heads, len, keys]`
struct Maps<'a> {
    values: &'a [f32],
    shape: [usize; 4],
}

impl<'a> Maps<'a> {
    fn of(x: &'a Floats) -> Self {
        Self { values: values(x), shape: x.shape().dims() }
    }

    fn matrix(&self, text: usize, head: usize) -> Matrix<'a> {
        let [_batch, heads, len, keys] = self.shape;
        Matrix {
            values: &self.values[(text * heads + head) * len * keys..],
            rows: Axis::new(len, keys),
            columns: Axis::new(keys, 1),
        }
    }
}

/// Maps of `batch` texts, each a product.
fn maps<'a>(
    [batch, heads, len, keys]: [usize; 4],
    part: Part,
    factor: f64,
    sides: impl Fn(usize, usize) -> (Matrix<'a>, Matrix<'a>),
) -> Floats {
    let mut out = Output::new(batch * heads * len * keys);
    for text in 0..batch {
        for head in 0..heads {
            let start = (text * heads + head) * len * keys;
            let place = Place { start, rows: Axis::new(len, keys), columns: Axis::new(keys, 1) };
            let (left, right) = sides(text, head);
            out.put(place, left, right, part, factor as f32, None);
        }
    }
    tensor(out.done(), Shape::new([batch, heads, len, keys]))
}

/// `[batch, len, heads * width]`, each head of each text a product with what is like `other`.
fn mixed<'a>(
    maps: &Maps<'a>,
    other: &Heads<'a>,
    len: usize,
    part: Part,
    factor: f64,
    turn: impl Fn(Matrix<'a>) -> Matrix<'a>,
) -> Floats {
    let [shared, heads, ..] = maps.shape;
    let Heads { batch, d_model, width, .. } = *other;
    let mut out = Output::new(batch * len * d_model);
    let rows = Axis::new(len, d_model);
    for head in 0..heads {
        if shared < batch {
            // One product for the whole batch: the map is not copied over it.
            let columns = Axis::of_runs(batch, width, len * d_model);
            let place = Place { start: head * width, rows, columns };
            let (left, right) = (turn(maps.matrix(0, head)), other.wide(head));
            out.put(place, left, right, part, factor as f32, None);
            continue;
        }
        for text in 0..batch {
            let start = text * len * d_model + head * width;
            let place = Place { start, rows, columns: Axis::new(width, 1) };
            let (left, right) = (turn(maps.matrix(text, head)), other.matrix(text, head));
            out.put(place, left, right, part, factor as f32, None);
        }
    }
    tensor(out.done(), Shape::new([batch, len, d_model]))
}

fn either(causal: bool, part: Part) -> Part {
    if causal { part } else { Part::All }
}

pub(super) fn scores(query: Floats, key: Floats, heads: usize, scale: f64) -> Floats {
    let (query, key) = (dense(query), dense(key));
    let (query, key) = (Heads::of(&query, heads), Heads::of(&key, heads));
    maps([query.batch, heads, query.len, key.len], Part::All, scale, |text, head| {
        (query.matrix(text, head), key.matrix(text, head).transposed())
    })
}

pub(super) fn scores_of_query(key: Floats, gradient: Floats, heads: usize, scale: f64) -> Floats {
    let (key, gradient) = (dense(key), dense(gradient));
    let (key, gradient) = (Heads::of(&key, heads), Maps::of(&gradient));
    mixed(&gradient, &key, gradient.shape[2], Part::All, scale, |map| map)
}

pub(super) fn scores_of_key(query: Floats, gradient: Floats, heads: usize, scale: f64) -> Floats {
    let (query, gradient) = (dense(query), dense(gradient));
    let (query, gradient) = (Heads::of(&query, heads), Maps::of(&gradient));
    mixed(&gradient, &query, gradient.shape[3], Part::All, scale, Matrix::transposed)
}

pub(super) fn mix(weights: Floats, value: Floats, causal: bool) -> Floats {
    let (weights, value) = (dense(weights), dense(value));
    let weights = Maps::of(&weights);
    let value = Heads::of(&value, weights.shape[1]);
    let part = either(causal, Part::LowerLeft);
    mixed(&weights, &value, weights.shape[2], part, 1.0, |map| map)
}

pub(super) fn mix_of_weights(
    value: Floats,
    gradient: Floats,
    heads: usize,
    shared: bool,
    causal: bool,
) -> Floats {
    let (value, gradient) = (dense(value), dense(gradient));
    let (value, gradient) = (Heads::of(&value, heads), Heads::of(&gradient, heads));
    let part = either(causal, Part::LowerResult);
    let batch = if shared { 1 } else { value.batch };
    maps([batch, heads, gradient.len, value.len], part, 1.0, |text, head| {
        if shared {
            (gradient.wide(head), value.wide(head).transposed())
        } else {
            (gradient.matrix(text, head), value.matrix(text, head).transposed())
        }
    })
}

pub(super) fn mix_of_value(weights: Floats, gradient: Floats, causal: bool) -> Floats {
    let (weights, gradient) = (dense(weights), dense(gradient));
    let weights = Maps::of(&weights);
    let gradient = Heads::of(&gradient, weights.shape[1]);
    let part = either(causal, Part::UpperLeft);
    mixed(&weights, &gradient, weights.shape[3], part, 1.0, Matrix::transposed)
}
