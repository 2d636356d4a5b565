//! Scores and weighted values, head by head, and their gradients. Heads lie side by side in
//! `[batch, len, heads * width]`; products read and write them there.

use burn::backend::TensorMetadata;
use burn::tensor::Shape;
use synthattn_loops::{Axis, Matrix, Output, Part, Place, add_rows};

use super::{Floats, dense, finished, tensor, values};

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
            columns: Axis::new(self.width, 1).times(self.batch, self.len * self.d_model),
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

/// Maps, each a product.
fn maps<'a>(
    shape @ [batch, heads, len, keys]: [usize; 4],
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
    tensor(finished(out), Shape::new(shape))
}

/// Heads side by side, `[batch, len, heads * width]`, each of each text a product.
fn merged<'a>(
    [batch, len, heads, width]: [usize; 4],
    part: Part,
    factor: f64,
    sides: impl Fn(usize, usize) -> (Matrix<'a>, Matrix<'a>),
) -> Floats {
    let d_model = heads * width;
    let mut out = Output::new(batch * len * d_model);
    let (rows, columns) = (Axis::new(len, d_model), Axis::new(width, 1));
    for text in 0..batch {
        for head in 0..heads {
            let place = Place { start: text * len * d_model + head * width, rows, columns };
            let (left, right) = sides(text, head);
            out.put(place, left, right, part, factor as f32, None);
        }
    }
    tensor(finished(out), Shape::new([batch, len, d_model]))
}

/// Products of maps, or of what `turn` makes of them, and heads. `len`: rows of what it makes.
fn mixed<'a>(
    maps: &Maps<'a>,
    value: &Heads<'a>,
    len: usize,
    part: Part,
    turn: impl Fn(Matrix<'a>) -> Matrix<'a>,
) -> Floats {
    let [shared, heads, ..] = maps.shape;
    let Heads { batch, d_model, width, .. } = *value;
    if shared == batch {
        return merged([batch, len, heads, width], part, 1.0, |text, head| {
            (turn(maps.matrix(text, head)), value.matrix(text, head))
        });
    }
    // One product a head for the whole batch: the map is not copied over it.
    let mut out = Output::new(batch * len * d_model);
    let columns = Axis::new(width, 1).times(batch, len * d_model);
    for head in 0..heads {
        let place = Place { start: head * width, rows: Axis::new(len, d_model), columns };
        out.put(place, turn(maps.matrix(0, head)), value.wide(head), part, 1.0, None);
    }
    tensor(finished(out), Shape::new([batch, len, d_model]))
}

fn either(causal: bool, part: Part) -> Part {
    if causal { part } else { Part::All }
}

pub(super) fn scores(query: Floats, key: Floats, heads: usize, scale: f64, causal: bool) -> Floats {
    let (query, key) = (dense(query), dense(key));
    let (query, key) = (Heads::of(&query, heads), Heads::of(&key, heads));
    maps(
        [query.batch, heads, query.len, key.len],
        either(causal, Part::LowerResult),
        scale,
        |text, head| (query.matrix(text, head), key.matrix(text, head).transposed()),
    )
}

pub(super) fn scores_of_query(
    key: Floats,
    gradient: Floats,
    heads: usize,
    scale: f64,
    causal: bool,
) -> Floats {
    let (key, gradient) = (dense(key), dense(gradient));
    let (key, gradient) = (Heads::of(&key, heads), Maps::of(&gradient));
    let shape = [key.batch, gradient.shape[2], heads, key.width];
    merged(shape, either(causal, Part::LowerLeft), scale, |text, head| {
        (gradient.matrix(text, head), key.matrix(text, head))
    })
}

pub(super) fn scores_of_key(
    query: Floats,
    gradient: Floats,
    heads: usize,
    scale: f64,
    causal: bool,
) -> Floats {
    let (query, gradient) = (dense(query), dense(gradient));
    let (query, gradient) = (Heads::of(&query, heads), Maps::of(&gradient));
    let shape = [query.batch, gradient.shape[3], heads, query.width];
    merged(shape, either(causal, Part::UpperLeft), scale, |text, head| {
        (gradient.matrix(text, head).transposed(), query.matrix(text, head))
    })
}

pub(super) fn mix(weights: Floats, value: Floats, causal: bool) -> Floats {
    let (weights, value) = (dense(weights), dense(value));
    let weights = Maps::of(&weights);
    let value = Heads::of(&value, weights.shape[1]);
    let part = either(causal, Part::LowerLeft);
    mixed(&weights, &value, weights.shape[2], part, |map| map)
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
    mixed(&weights, &gradient, weights.shape[3], part, Matrix::transposed)
}

/// A matrix a head, `[heads, width, keys]`.
fn by_head(weight: &Floats) -> Maps<'_> {
    let [heads, width, keys] = weight.shape().dims();
    Maps { values: values(weight), shape: [1, heads, width, keys] }
}

pub(super) fn linear(x: Floats, weight: Floats, bias: Floats) -> Floats {
    let [x, weight, bias] = [x, weight, bias].map(dense);
    let weight = by_head(&weight);
    let [_one, heads, _width, keys] = weight.shape;
    let x = Heads::of(&x, heads);
    let shape = [x.batch, heads, x.len, keys];
    let mut out = Output::new(shape.iter().product());
    for text in 0..x.batch {
        for (head, bias) in values(&bias).chunks_exact(keys).enumerate() {
            let start = (text * heads + head) * x.len * keys;
            let place = Place { start, rows: Axis::new(x.len, keys), columns: Axis::new(keys, 1) };
            let (left, right) = (x.matrix(text, head), weight.matrix(0, head));
            out.put(place, left, right, Part::All, 1.0, Some(bias));
        }
    }
    tensor(finished(out), Shape::new(shape))
}

pub(super) fn linear_of_x(weight: Floats, gradient: Floats) -> Floats {
    let (weight, gradient) = (dense(weight), dense(gradient));
    let (weight, gradient) = (by_head(&weight), Maps::of(&gradient));
    let [batch, heads, len, _keys] = gradient.shape;
    merged([batch, len, heads, weight.shape[2]], Part::All, 1.0, |text, head| {
        (gradient.matrix(text, head), weight.matrix(0, head).transposed())
    })
}

pub(super) fn linear_of_weight(x: Floats, gradient: Floats) -> Floats {
    let (x, gradient) = (dense(x), dense(gradient));
    let gradient = Maps::of(&gradient);
    let [batch, heads, len, keys] = gradient.shape;
    let x = Heads::of(&x, heads);
    // Terms are the tokens of all texts.
    let of_weight = maps([1, heads, x.width, keys], Part::All, 1.0, |_one, head| {
        let left = x.matrix(0, head).transposed();
        let right = gradient.matrix(0, head);
        let tokens = left.columns.times(batch, len * x.d_model);
        let rows = right.rows.times(batch, heads * len * keys);
        (Matrix { columns: tokens, ..left }, Matrix { rows, ..right })
    });
    of_weight.reshape(Shape::new([heads, x.width, keys]))
}

pub(super) fn linear_of_bias(gradient: Floats) -> Floats {
    let gradient = dense(gradient);
    let [_batch, heads, len, keys] = gradient.shape().dims();
    let mut sums = vec![0.0; heads * keys];
    for text in values(&gradient).chunks_exact(heads * len * keys) {
        for (sums, map) in sums.chunks_exact_mut(keys).zip(text.chunks_exact(len * keys)) {
            add_rows(sums, map);
        }
    }
    tensor(sums, Shape::new([heads, keys]))
}
