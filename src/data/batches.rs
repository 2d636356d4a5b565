//! Rows of different lengths in batches: short ones with short ones, so that little is padding.

use serde::{Deserialize, Serialize};

use crate::order::sort;
use crate::rng::{Purpose, Rng};

/// Rows are sorted by length among this many batches at a time: enough to find rows of like
/// length, few enough to meet other rows in every epoch.
const SORTED_TOGETHER: usize = 32;

/// The order in which rows are trained on.
///
/// Every epoch goes through all rows once, in another order. The batch of a step depends on the
/// rows' lengths, the seed, the size and the step alone.
#[derive(Debug, Clone)]
pub struct Batches {
    /// Tokens of each row.
    lengths: Vec<u32>,
    size: usize,
    seed: u32,
    /// The epoch last asked for, which the next steps most likely ask for again.
    epoch: Option<(u64, Vec<Vec<u32>>)>,
}

impl Batches {
    /// Batches of up to `size` rows of these lengths in tokens. Where the rows cannot be shared out
    /// evenly, sizes differ by one and no batch is a small rest.
    ///
    /// # Panics
    ///
    /// If there are no rows, or `size` is 0.
    pub fn new(lengths: Vec<u32>, size: usize, seed: u32) -> Self {
        assert!(!lengths.is_empty() && size > 0, "there is something to put into batches");
        Self { lengths, size, seed, epoch: None }
    }

    /// Steps in which every row comes up once.
    pub fn steps_per_epoch(&self) -> u64 {
        self.lengths.len().div_ceil(self.size) as u64
    }

    /// The indices of the rows of a step, counted from 0 over all epochs.
    pub fn rows(&mut self, step: u64) -> &[u32] {
        let epoch = step / self.steps_per_epoch();
        if self.epoch.as_ref().is_none_or(|(known, _)| *known != epoch) {
            self.epoch = Some((epoch, self.plan(epoch)));
        }
        let (_, batches) = self.epoch.as_ref().expect("it has just been made");
        &batches[(step % self.steps_per_epoch()) as usize]
    }

    fn plan(&self, epoch: u64) -> Vec<Vec<u32>> {
        let mut rng = Rng::new(self.seed, Purpose::Batches, epoch);
        let mut rows: Vec<u32> = (0..self.lengths.len() as u32).collect();
        rng.shuffle(&mut rows);
        let count = self.lengths.len().div_ceil(self.size);
        let start = |batch: usize| (batch as u64 * rows.len() as u64 / count as u64) as usize;
        let starts: Vec<usize> = (0..=count).map(start).collect();
        for first in (0..count).step_by(SORTED_TOGETHER) {
            let last = (first + SORTED_TOGETHER).min(count);
            sort_by_length(&mut rows[starts[first]..starts[last]], &self.lengths);
        }
        let mut batches: Vec<Vec<u32>> =
            starts.windows(2).map(|ends| rows[ends[0]..ends[1]].to_vec()).collect();
        rng.shuffle(&mut batches);
        batches
    }
}

fn sort_by_length(rows: &mut [u32], lengths: &[u32]) {
    sort(rows, &mut |a, b| lengths[a as usize].cmp(&lengths[b as usize]));
}

/// All rows once, in batches of up to `size` rows of like length: for evaluation.
pub fn by_length(lengths: &[u32], size: usize) -> Vec<Vec<u32>> {
    let mut rows: Vec<u32> = (0..lengths.len() as u32).collect();
    sort_by_length(&mut rows, lengths);
    rows.chunks(size.max(1)).map(<[u32]>::to_vec).collect()
}

/// Rows of token ids, made equally long by padding at their ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Padded {
    /// `[batch, len]`, row-major
    pub ids: Vec<i32>,
    /// `[batch]`: tokens before the padding.
    pub lengths: Vec<usize>,
    /// Tokens in the longest row.
    pub len: usize,
}

impl Padded {
    /// Fills up `rows` with the id `padding`.
    pub fn new<T: AsRef<[u32]>>(rows: &[T], padding: u32) -> Self {
        let lengths: Vec<usize> = rows.iter().map(|row| row.as_ref().len()).collect();
        let len = lengths.iter().copied().max().unwrap_or(0);
        let mut ids = Vec::with_capacity(rows.len() * len);
        for (row, index) in rows.iter().zip(1..) {
            ids.extend(row.as_ref().iter().map(|id| *id as i32));
            ids.resize(index * len, padding as i32);
        }
        Self { ids, lengths, len }
    }
}

#[cfg(test)]
mod tests {
    use super::{Batches, Padded, by_length};
    use proptest::prelude::*;

    fn epoch(batches: &mut Batches, epoch: u64) -> Vec<Vec<u32>> {
        let steps = batches.steps_per_epoch();
        (epoch * steps..(epoch + 1) * steps).map(|step| batches.rows(step).to_vec()).collect()
    }

    #[test]
    fn rows_are_padded_at_their_ends() {
        let padded = Padded::new(&[vec![5, 6], vec![], vec![7, 8, 9]], 1);
        assert_eq!(padded.ids, [5, 6, 1, 1, 1, 1, 7, 8, 9]);
        assert_eq!((padded.lengths, padded.len), (vec![2, 0, 3], 3));
    }

    #[test]
    fn epochs_differ_and_so_do_seeds() {
        let lengths = vec![1; 40];
        let mut batches = Batches::new(lengths.clone(), 16, 0);
        assert_eq!(epoch(&mut batches, 0).iter().map(Vec::len).max(), Some(14), "13, 13 and 14");
        assert_ne!(epoch(&mut batches, 0), epoch(&mut batches, 1));
        assert_ne!(epoch(&mut batches, 0), epoch(&mut Batches::new(lengths, 16, 1), 0));
    }

    #[test]
    fn rows_of_like_length_are_together() {
        let lengths: Vec<u32> = (0..2000).map(|row| (row * 7919) % 64 + 1).collect();
        let padded = |batches: &[Vec<u32>]| -> usize {
            let length = |row: &u32| lengths[*row as usize];
            let longest = |rows: &Vec<u32>| rows.iter().map(length).max().unwrap() as usize;
            batches.iter().map(|rows| rows.len() * longest(rows)).sum()
        };
        let tokens: u32 = lengths.iter().sum();
        let trained = padded(&epoch(&mut Batches::new(lengths.clone(), 16, 0), 0));
        assert!((trained as f64) < 1.1 * f64::from(tokens), "{trained} places for {tokens} tokens");
        assert!(padded(&by_length(&lengths, 16)) <= trained);
    }

    proptest! {
        #[test]
        fn every_row_comes_up_once_an_epoch(
            lengths in prop::collection::vec(1_u32..50, 1..300), size in 1_usize..40,
            seed in any::<u32>(), number in 0_u64..1000,
        ) {
            let mut batches = Batches::new(lengths.clone(), size, seed);
            let all: Vec<u32> = (0..lengths.len() as u32).collect();
            for batches in [epoch(&mut batches, number), by_length(&lengths, size)] {
                prop_assert!(batches.iter().all(|rows| !rows.is_empty() && rows.len() <= size));
                let mut rows = batches.concat();
                rows.sort_unstable();
                prop_assert_eq!(&rows, &all);
            }
        }

        #[test]
        fn a_step_does_not_depend_on_the_steps_before(
            lengths in prop::collection::vec(1_u32..50, 1..100), size in 1_usize..20,
            before in prop::collection::vec(0_u64..200, 0..5), step in 0_u64..200,
        ) {
            let mut fresh = Batches::new(lengths.clone(), size, 3);
            let mut used = Batches::new(lengths, size, 3);
            before.iter().for_each(|step| drop(used.rows(*step).to_vec()));
            prop_assert_eq!(used.rows(step), fresh.rows(step));
        }
    }
}
