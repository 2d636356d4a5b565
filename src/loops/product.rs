//! Products of matrices: of parts of tensors as they lie in memory, so that heads are neither split
//! nor merged by copies, into memory that was not filled before, and without the half of a triangle
//! that is zero.
//!
//! Blocks of both sides are copied into the order in which they are read, as in Goto and van de
//! Geijn, "Anatomy of High-Performance Matrix Multiplication", section 4,
//! <https://doi.org/10.1145/1356052.1356053>.

use std::cell::RefCell;
use std::ops::Range;

use crate::lanes::sum;
use crate::matrix::{Axis, Matrix, Part};
use crate::tile::{self, COLUMNS, Columns, ROWS};

/// Terms and columns of a block of the right side, which stays in a core's second cache.
const DEPTH: usize = 512;
const WIDTH: usize = 512;
/// Rows of a block of the left side.
const HEIGHT: usize = 256;

/// Fewer rows do not pay for copying the right side.
const FEW: usize = 4;

/// A list of values in the making, of one or more products.
pub struct Output {
    values: Vec<f32>,
    len: usize,
    written: usize,
}

/// Where in an output a product goes.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Of its first value.
    pub start: usize,
    /// Where its rows go.
    pub rows: Axis,
    /// Where its columns go.
    pub columns: Axis,
}

impl Output {
    /// Of so many values.
    pub fn new(len: usize) -> Self {
        Self { values: Vec::with_capacity(len), len, written: 0 }
    }

    /// Puts `factor · left · right + bias` in its place.
    ///
    /// # Panics
    ///
    /// If shapes do not fit or are empty, the bias has not one value a column, a side has fewer values
    /// than its axes say, or the place is not within the output.
    #[inline(never)]
    pub fn put(
        &mut self,
        place: Place,
        left: Matrix,
        right: Matrix,
        part: Part,
        factor: f32,
        bias: Option<&[f32]>,
    ) {
        let Place { start, rows, columns } = place;
        let end = |axis: Axis, from: usize| axis.end().and_then(|end| end.checked_add(from));
        let last = end(rows, start).and_then(|last| end(columns, last));
        assert!(last.is_some_and(|last| last < self.len), "a product has its place in the output");
        assert_eq!((rows.len, columns.len), (left.rows.len, right.columns.len));
        assert_eq!(left.columns.len, right.rows.len);
        assert!(left.columns.len > 0);
        assert!(bias.is_none_or(|bias| bias.len() == columns.len));
        // SAFETY: the output has more values than `start`. It is written before anything is read of it.
        let out = unsafe { self.values.as_mut_ptr().add(start) };
        let product = Product { left, right, out, rows, columns, part, factor, bias };
        if rows.len < FEW && part == Part::All {
            product.of_few_rows();
        } else {
            PACKED.with_borrow_mut(|packed| product.in_blocks(packed));
        }
        self.written += rows.len * columns.len;
    }

    /// The values.
    ///
    /// # Safety
    ///
    /// Nothing was put twice in the same place: as many values as were put are then all that there are.
    ///
    /// # Panics
    ///
    /// If fewer were put.
    pub unsafe fn done(mut self) -> Vec<f32> {
        assert_eq!(self.written, self.len, "products fill their output");
        // SAFETY: so many were allocated, and each was written, as the caller says.
        unsafe { self.values.set_len(self.len) };
        self.values
    }
}

/// Blocks of both sides, as they are read. Kept from product to product.
#[derive(Default)]
struct Packed {
    left: Vec<[f32; ROWS]>,
    right: Vec<Columns>,
}

thread_local! {
    static PACKED: RefCell<Packed> = RefCell::default();
}

struct Product<'a> {
    left: Matrix<'a>,
    right: Matrix<'a>,
    out: *mut f32,
    rows: Axis,
    columns: Axis,
    part: Part,
    factor: f32,
    bias: Option<&'a [f32]>,
}

/// Stretches of an axis.
fn stretches(len: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(size).map(move |start| start..(start + size).min(len))
}

fn within(range: &Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    let Range { start, end } = *range;
    (start..end).step_by(size).map(move |start| start..(start + size).min(end))
}

impl Product<'_> {
    fn in_blocks(&self, packed: &mut Packed) {
        for columns in stretches(self.right.columns.len, WIDTH) {
            for terms in stretches(self.right.rows.len, DEPTH) {
                pack_right(&mut packed.right, self.right, &terms, &columns);
                for rows in stretches(self.left.rows.len, HEIGHT) {
                    self.pack_left(&mut packed.left, &rows, &terms);
                    self.block(packed, &rows, &terms, &columns);
                }
            }
        }
    }

    /// A block of the left side, `[rows / ROWS, terms, ROWS]`, with zeros to the end. Of terms that are
    /// left out, anything.
    fn pack_left(&self, packed: &mut Vec<[f32; ROWS]>, rows: &Range<usize>, terms: &Range<usize>) {
        packed.resize(rows.len().div_ceil(ROWS) * terms.len(), [0.0; ROWS]);
        let strips = packed.chunks_exact_mut(terms.len());
        for (strip, rows) in strips.zip(within(rows, ROWS)) {
            let some = self.part.terms(&rows, terms);
            if !some.is_empty() {
                let strip = &mut strip[some.start - terms.start..some.end - terms.start];
                pack(strip, self.left, &rows, &some, self.factor);
            }
        }
    }

    fn block(
        &self,
        packed: &Packed,
        rows: &Range<usize>,
        terms: &Range<usize>,
        columns: &Range<usize>,
    ) {
        let top = rows.start;
        let first = terms.start == 0;
        let panels = packed.right.chunks_exact(terms.len());
        for (panel, columns) in panels.zip(within(columns, COLUMNS)) {
            let above = self.part.left_out(rows, columns.start);
            if first {
                self.tiles(&[], &[], &above, &columns, first);
            }
            let mut rows = above.end..rows.end;
            if self.part.has_all_terms() && columns.len() == COLUMNS {
                // Rows that all have the same terms, one call for all of them.
                let whole = rows.start..rows.end - rows.len() % ROWS;
                let start = (whole.start - top) / ROWS * terms.len();
                let strips = &packed.left[start..][..whole.len() / ROWS * terms.len()];
                self.tiles(strips, panel, &whole, &columns, first);
                rows.start = whole.end;
            }
            for rows in within(&rows, ROWS) {
                let some = self.part.terms(&rows, terms);
                let some = some.start - terms.start..some.end - terms.start;
                let start = (rows.start - top) / ROWS * terms.len();
                let strip = &packed.left[start..start + terms.len()];
                self.tiles(&strip[some.clone()], &panel[some], &rows, &columns, first);
            }
        }
    }

    /// Some rows and columns of the result: begun, or added to. Whole tiles, or a part of one.
    #[inline(always)]
    fn tiles(
        &self,
        strips: &[[f32; ROWS]],
        panel: &[Columns],
        rows: &Range<usize>,
        columns: &Range<usize>,
        first: bool,
    ) {
        const NOTHING: [f32; COLUMNS] = [0.0; COLUMNS];
        if rows.is_empty() {
            return;
        }
        let whole = rows.len().is_multiple_of(ROWS) && columns.len() == COLUMNS;
        let regular = rows.end <= self.rows.run && self.columns.joined(columns);
        if whole && regular {
            // SAFETY: `put` saw that rows and columns of the result lie within the output, and a
            // bias has as many values as there are columns.
            unsafe {
                let out = self.out.add(self.rows.at(rows.start) + self.columns.at(columns.start));
                let (start, step) = match self.bias {
                    _ if !first => (out.cast_const(), self.rows.step),
                    Some(bias) => (bias[columns.clone()].as_ptr(), 0),
                    None => (NOTHING.as_ptr(), 0),
                };
                tile::add(rows.len() / ROWS, strips, panel, start, step, out, self.rows.step);
            }
            return;
        }
        for (strip, rows) in within(rows, ROWS).enumerate() {
            let strip = &strips[strip * panel.len()..][..panel.len()];
            self.scattered(strip, panel, &rows, columns, first);
        }
    }

    /// A tile that is cut, or whose values do not lie in rows.
    fn scattered(
        &self,
        strip: &[[f32; ROWS]],
        panel: &[Columns],
        rows: &Range<usize>,
        columns: &Range<usize>,
        first: bool,
    ) {
        let mut sums = [[0.0_f32; COLUMNS]; ROWS];
        // SAFETY: both are `sums`.
        unsafe {
            let sums = sums.as_mut_ptr().cast::<f32>();
            tile::add(1, strip, panel, sums.cast_const(), COLUMNS, sums, COLUMNS);
        }
        for (row, sums) in rows.clone().zip(&sums) {
            for (column, sum) in columns.clone().zip(sums) {
                let start = self.bias.map_or(0.0, |bias| bias[column]);
                // SAFETY: as above; what is read was written with the first terms.
                unsafe {
                    let out = self.out.add(self.rows.at(row) + self.columns.at(column));
                    out.write(sum + if first { start } else { out.read() });
                }
            }
        }
    }

    /// Without copying the right side, which is read once a row.
    fn of_few_rows(&self) {
        let width = self.columns.len;
        let mut sums = vec![0.0; width];
        for row in 0..self.rows.len {
            match self.bias {
                Some(bias) => sums.copy_from_slice(bias),
                None => sums.fill(0.0),
            }
            let start = self.left.rows.at(row);
            let left = |term| self.factor * self.left.values[start + self.left.columns.at(term)];
            if self.right.columns.joined(&(0..width)) {
                self.add_rows(left, &mut sums);
            } else {
                self.add_dots(left, &mut sums);
            }
            for (column, sum) in sums.iter().enumerate() {
                // SAFETY: `put` saw that it lies within the output.
                unsafe { self.out.add(self.rows.at(row) + self.columns.at(column)).write(*sum) };
            }
        }
    }

    /// Four rows of the right side at a time.
    fn add_rows(&self, left: impl Fn(usize) -> f32, sums: &mut [f32]) {
        const TOGETHER: usize = 4;
        let (depth, width) = (self.right.rows.len, sums.len());
        let row = |term: usize| &self.right.values[self.right.rows.at(term)..][..width];
        let whole = depth - depth % TOGETHER;
        for term in (0..whole).step_by(TOGETHER) {
            let [a, b, c, d] = [0, 1, 2, 3].map(|next| row(term + next));
            let [of_a, of_b, of_c, of_d] = [0, 1, 2, 3].map(|next| left(term + next));
            let rows = a.iter().zip(b).zip(c.iter().zip(d));
            for (sum, ((a, b), (c, d))) in sums.iter_mut().zip(rows) {
                *sum += of_a * a + of_b * b + (of_c * c + of_d * d);
            }
        }
        for term in whole..depth {
            let factor = left(term);
            sums.iter_mut().zip(row(term)).for_each(|(sum, value)| *sum += factor * value);
        }
    }

    fn add_dots(&self, left: impl Fn(usize) -> f32, sums: &mut [f32]) {
        let terms = self.right.rows;
        let left: Vec<f32> = (0..terms.len).map(left).collect();
        let joined = terms.joined(&(0..terms.len));
        let mut copy = Vec::new();
        for (column, total) in sums.iter_mut().enumerate() {
            let column = &self.right.values[self.right.columns.at(column)..];
            let column = if joined {
                &column[..terms.len]
            } else {
                copy.clear();
                copy.extend((0..terms.len).map(|term| column[terms.at(term)]));
                &copy[..]
            };
            *total += sum([&left, column], |[left, right]| left * right);
        }
    }
}

/// A block of the right side, `[columns / COLUMNS, terms, COLUMNS]`, with zeros to the end.
fn pack_right(
    packed: &mut Vec<Columns>,
    right: Matrix,
    terms: &Range<usize>,
    columns: &Range<usize>,
) {
    packed.resize(columns.len().div_ceil(COLUMNS) * terms.len(), Columns([0.0; COLUMNS]));
    let panels = packed.chunks_exact_mut(terms.len());
    for (panel, columns) in panels.zip(within(columns, COLUMNS)) {
        pack(panel, right.transposed(), &columns, terms, 1.0);
    }
}

/// Up to `SIDE` rows of a matrix, term by term.
#[inline(always)]
fn pack<const SIDE: usize, T: From<[f32; SIDE]>>(
    out: &mut [T],
    from: Matrix,
    rows: &Range<usize>,
    terms: &Range<usize>,
    factor: f32,
) {
    if rows.len() == SIDE && from.rows.joined(rows) {
        let start = from.rows.at(rows.start);
        for (out, term) in out.iter_mut().zip(terms.clone()) {
            let values = &from.values[start + from.columns.at(term)..][..SIDE];
            *out = T::from(std::array::from_fn(|side| factor * values[side]));
        }
    } else if rows.len() == SIDE && from.columns.step == 1 {
        for run in from.columns.runs(terms) {
            let first = from.columns.at(run.start);
            let lines: [&[f32]; SIDE] = std::array::from_fn(|side| {
                &from.values[from.rows.at(rows.start + side) + first..][..run.len()]
            });
            let out = &mut out[run.start - terms.start..][..run.len()];
            for (index, out) in out.iter_mut().enumerate() {
                *out = T::from(std::array::from_fn(|side| factor * lines[side][index]));
            }
        }
    } else {
        for (out, term) in out.iter_mut().zip(terms.clone()) {
            let start = from.columns.at(term);
            *out = T::from(std::array::from_fn(|side| match rows.start + side {
                row if row < rows.end => factor * from.values[start + from.rows.at(row)],
                _ => 0.0,
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that sums of a few hundred are exact of.
    fn values(len: usize, seed: usize) -> Vec<f32> {
        (0..len).map(|i| ((i * 7 + seed) % 13) as f32 - 6.0).collect()
    }

    fn dense(values: &[f32], rows: usize, columns: usize) -> Matrix<'_> {
        Matrix { values, rows: Axis::new(rows, columns), columns: Axis::new(columns, 1) }
    }

    /// `[row][column]` of a matrix.
    fn at(matrix: &Matrix, row: usize, column: usize) -> f32 {
        matrix.values[matrix.rows.at(row) + matrix.columns.at(column)]
    }

    fn counts(part: Part, row: usize, term: usize) -> bool {
        match part {
            Part::LowerLeft => term <= row,
            Part::UpperLeft => term >= row,
            Part::All | Part::LowerResult => true,
        }
    }

    /// More and less than a tile and a block, by one and by a few, and the smallest.
    const SIZES: [[usize; 3]; 8] = [
        [1, 1, 1],
        [3, 5, 7],
        [4, 16, 16],
        [5, 17, 33],
        [33, 9, 34],
        [257, 3, 9],
        [9, 514, 515],
        [261, 2, 280],
    ];

    #[test]
    fn products_are_sums_of_products() {
        for [rows, terms, columns] in SIZES {
            for part in [Part::All, Part::LowerLeft, Part::UpperLeft, Part::LowerResult] {
                let (left, right) = (values(rows * terms, 1), values(terms * columns, 2));
                let bias = values(columns, 3);
                // A triangle's other half is zero, as it has to be.
                let left: Vec<f32> = (0..rows * terms)
                    .map(|i| if counts(part, i / terms, i % terms) { left[i] } else { 0.0 })
                    .collect();
                for turned in [false, true] {
                    // The same right side, as it lies or read along its columns.
                    let turn: Vec<f32> = (0..terms * columns)
                        .map(|i| right[i % terms * columns + i / terms])
                        .collect();
                    let right = if turned {
                        dense(&turn, columns, terms).transposed()
                    } else {
                        dense(&right, terms, columns)
                    };
                    let left = dense(&left, rows, terms);
                    let mut out = Output::new(rows * columns);
                    let place = Place {
                        start: 0,
                        rows: Axis::new(rows, columns),
                        columns: Axis::new(columns, 1),
                    };
                    out.put(place, left, right, part, 2.0, Some(&bias));
                    // SAFETY: there is one product.
                    let out = unsafe { out.done() };
                    for row in 0..rows {
                        for column in 0..columns {
                            if part == Part::LowerResult && column > row {
                                continue;
                            }
                            let terms = 0..terms;
                            let sum: f32 = terms
                                .map(|term| at(&left, row, term) * at(&right, term, column))
                                .sum();
                            let expected = 2.0 * sum + bias[column];
                            let got = out[row * columns + column];
                            assert_eq!(got, expected, "{part:?} {row} {column} {turned}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn runs_of_an_axis_lie_anywhere() {
        // Two texts of [len, heads * width], one head of both side by side.
        let (texts, len, d_model, width) = (2, 3, 20, 10);
        let left = values(len * len, 1);
        let right = values(texts * len * d_model, 2);
        let columns = Axis::new(width, 1).times(texts, len * d_model);
        let mut out = Output::new(texts * len * d_model);
        for head in 0..2 {
            let rows = Axis::new(len, d_model);
            let right = Matrix { values: &right[head * width..], rows, columns };
            let place = Place { start: head * width, rows, columns };
            out.put(place, dense(&left, len, len), right, Part::All, 1.0, None);
        }
        // SAFETY: heads lie side by side.
        let out = unsafe { out.done() };
        for text in 0..texts {
            for row in 0..len {
                for column in 0..d_model {
                    let term = |term| right[(text * len + term) * d_model + column];
                    let sum: f32 = (0..len).map(|i| left[row * len + i] * term(i)).sum();
                    assert_eq!(out[(text * len + row) * d_model + column], sum);
                }
            }
        }
    }

    #[test]
    fn runs_of_terms_lie_anywhere() {
        // One head of two texts of [len, heads * width], against itself: terms are those of both texts.
        let (texts, len, d_model, width) = (2, 9, 20, 10);
        let values = values(texts * len * d_model, 1);
        let columns = Axis::new(width, 1).times(texts, len * d_model);
        let head = Matrix { values: &values[width..], rows: Axis::new(len, d_model), columns };
        let mut out = Output::new(len * len);
        let place = Place { start: 0, rows: Axis::new(len, len), columns: Axis::new(len, 1) };
        out.put(place, head, head.transposed(), Part::All, 1.0, None);
        // SAFETY: there is one product.
        let out = unsafe { out.done() };
        for row in 0..len {
            for column in 0..len {
                let terms = 0..texts * width;
                let sum: f32 =
                    terms.map(|term| at(&head, row, term) * at(&head, column, term)).sum();
                assert_eq!(out[row * len + column], sum);
            }
        }
    }

    #[test]
    fn a_few_rows_meet_values_that_lie_apart() {
        let (rows, terms, columns) = (2, 19, 5);
        let (left, right) = (values(rows * terms, 1), values(terms * columns * 6, 2));
        let left = dense(&left, rows, terms);
        let (down, along) = (Axis::new(terms, columns * 6), Axis::new(columns, 3));
        let right = Matrix { values: &right, rows: down, columns: along };
        let mut out = Output::new(rows * columns);
        let place =
            Place { start: 0, rows: Axis::new(rows, columns), columns: Axis::new(columns, 1) };
        out.put(place, left, right, Part::All, 1.0, None);
        // SAFETY: there is one product.
        let out = unsafe { out.done() };
        for row in 0..rows {
            for column in 0..columns {
                let sum: f32 =
                    (0..terms).map(|term| at(&left, row, term) * at(&right, term, column)).sum();
                assert_eq!(out[row * columns + column], sum);
            }
        }
    }

    fn refused(len: usize, rows: Axis, columns: Axis) -> bool {
        let one = [1.0; 4];
        let place = Place { start: 0, rows, columns };
        let put = || {
            Output::new(len).put(place, dense(&one, 2, 2), dense(&one, 2, 2), Part::All, 1.0, None)
        };
        std::panic::catch_unwind(put).is_err()
    }

    #[test]
    fn a_place_beyond_the_output_is_refused() {
        let columns = Axis::new(2, 1);
        assert!(!refused(4, Axis::new(2, 2), columns));
        assert!(refused(3, Axis::new(2, 2), columns));
        assert!(refused(4, Axis::new(2, 3), columns));
        assert!(refused(4, Axis::new(2, usize::MAX), columns));
        assert!(refused(4, Axis::new(0, 2), columns));
        assert!(refused(4, Axis::new(1, 1).times(2, 4), columns));
        assert!(refused(8, Axis::new(1, 1).times(2, usize::MAX / 2 + 1), columns));
    }

    #[test]
    #[should_panic(expected = "an axis has runs once")]
    fn an_axis_has_runs_once() {
        let _ = Axis::new(2, 1).times(2, 4).times(2, 8);
    }

    #[test]
    #[should_panic(expected = "products fill their output")]
    fn what_was_not_put_is_not_given() {
        let one = [1.0; 4];
        let mut out = Output::new(8);
        let place = Place { start: 0, rows: Axis::new(2, 2), columns: Axis::new(2, 1) };
        out.put(place, dense(&one, 2, 2), dense(&one, 2, 2), Part::All, 1.0, None);
        // SAFETY: there is one product.
        unsafe { out.done() };
    }
}
