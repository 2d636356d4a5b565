//! Where matrices lie in memory, and what of their products there is to work out.

use std::ops::Range;

use crate::tile::ROWS;

/// Where the values along an axis lie: `step` apart, in runs that lie `jump` apart.
#[derive(Debug, Clone, Copy)]
pub struct Axis {
    pub(crate) len: usize,
    pub(crate) step: usize,
    pub(crate) run: usize,
    jump: usize,
}

impl Axis {
    /// One run of `len` values.
    pub fn new(len: usize, step: usize) -> Self {
        Self { len, step, run: usize::MAX, jump: 0 }
    }

    /// So many runs of an axis, at any distance.
    ///
    /// # Panics
    ///
    /// If it has runs already.
    pub fn times(self, count: usize, jump: usize) -> Self {
        assert_eq!(self.run, usize::MAX, "an axis has runs once");
        let len = count.checked_mul(self.len).expect("so many values exist");
        Self { len, run: self.len, jump, ..self }
    }

    /// Of all runs.
    #[allow(clippy::len_without_is_empty, reason = "no axis is")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Where the last value in memory lies; `None` if there is none, or beyond all memory.
    pub(crate) fn end(&self) -> Option<usize> {
        let last = self.len.checked_sub(1)?;
        let (runs, within) = (last / self.run, last.min(self.run - 1));
        runs.checked_mul(self.jump)?.checked_add(within.checked_mul(self.step)?)
    }

    #[inline(always)]
    pub(crate) fn at(&self, index: usize) -> usize {
        if index < self.run {
            index * self.step
        } else {
            index / self.run * self.jump + index % self.run * self.step
        }
    }

    /// Whether some of the values are neighbours.
    #[inline(always)]
    pub(crate) fn joined(&self, some: &Range<usize>) -> bool {
        let one_run = || some.start / self.run == (some.end - 1) / self.run;
        self.step == 1 && (some.end <= self.run || one_run())
    }

    /// Some of the values, run by run.
    #[inline(always)]
    pub(crate) fn runs(&self, some: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let (run, Range { mut start, end }) = (self.run, some.clone());
        std::iter::from_fn(move || {
            let stretch = start..end.min((start / run + 1).saturating_mul(run));
            start = stretch.end;
            (!stretch.is_empty()).then_some(stretch)
        })
    }
}

/// A matrix within a longer list of values.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a> {
    /// From its first value on.
    pub values: &'a [f32],
    /// Where its rows lie, one behind the other.
    pub rows: Axis,
    /// Where its columns lie.
    pub columns: Axis,
}

impl Matrix<'_> {
    /// Rows for columns, without a copy.
    pub fn transposed(self) -> Self {
        Self { rows: self.columns, columns: self.rows, ..self }
    }
}

/// What of a product has to be worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Everything.
    All,
    /// The left side is zero above its diagonal. Most of that is not read.
    LowerLeft,
    /// The left side is zero below its diagonal. Most of that is not read.
    UpperLeft,
    /// What lies above the diagonal of the result may be anything: mostly zero.
    LowerResult,
}

impl Part {
    /// The terms of some rows.
    #[inline(always)]
    pub(crate) fn terms(self, rows: &Range<usize>, all: &Range<usize>) -> Range<usize> {
        match self {
            Self::LowerLeft => all.start..all.end.min(rows.end).max(all.start),
            Self::UpperLeft => all.start.max(rows.start).min(all.end)..all.end,
            Self::All | Self::LowerResult => all.clone(),
        }
    }

    /// Whether all rows have all terms.
    #[inline(always)]
    pub(crate) fn has_all_terms(self) -> bool {
        matches!(self, Self::All | Self::LowerResult)
    }

    /// The first of some rows, whole tiles, whose results from a column on may be anything.
    #[inline(always)]
    pub(crate) fn left_out(self, rows: &Range<usize>, column: usize) -> Range<usize> {
        let above = match self {
            Self::LowerResult => column.clamp(rows.start, rows.end) - rows.start,
            Self::All | Self::LowerLeft | Self::UpperLeft => 0,
        };
        rows.start..rows.start + above - above % ROWS
    }
}
