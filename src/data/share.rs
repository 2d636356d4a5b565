//! A batch cut by its rows into shares, for workers that each compute a part of a training step.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::batches::Padded;
use super::corpus::Batch;
use super::windows;

/// Some rows of a batch. They are padded as in the whole batch, so that whatever is drawn for each
/// of its elements can be drawn for these alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The rows, a batch of their own.
    pub batch: Batch,
    /// Which rows of the whole batch these are.
    pub rows: Range<usize>,
    /// Rows of the whole batch.
    pub of: usize,
}

impl Share {
    /// One share for each of `workers`, in the order of the rows, whose sizes differ by at most one
    /// row; `None` for a worker with nothing to learn from: no row, or no target in its rows.
    pub fn cut(batch: &Batch, workers: usize) -> Vec<Option<Share>> {
        let of = batch.rows();
        let start = |worker: usize| worker * of / workers;
        let share = |worker: usize| {
            let rows = start(worker)..start(worker + 1);
            let batch = batch.part(rows.clone());
            (batch.targets() > 0).then_some(Share { batch, rows, of })
        };
        (0..workers).map(share).collect()
    }
}

impl Batch {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Batch::Next(batch) => batch.batch,
            Batch::Masked { rows, .. } | Batch::Labelled { rows, .. } => rows.lengths.len(),
            Batch::Translated { rows, .. } => rows.len(),
        }
    }

    /// Some of the rows.
    fn part(&self, rows: Range<usize>) -> Batch {
        match self {
            Batch::Next(windows::Batch { inputs, targets, len, .. }) => {
                let tokens = rows.start * len..rows.end * len;
                Batch::Next(windows::Batch {
                    inputs: inputs[tokens.clone()].to_vec(),
                    targets: targets[tokens].to_vec(),
                    batch: rows.len(),
                    len: *len,
                })
            }
            Batch::Masked { rows: all, places, targets } => {
                let positions = (rows.start * all.len) as i32..(rows.end * all.len) as i32;
                let chosen = places.iter().zip(targets).filter(|(at, _)| positions.contains(at));
                let (places, targets) =
                    chosen.map(|(at, target)| (at - positions.start, *target)).unzip();
                Batch::Masked { rows: all.part(rows), places, targets }
            }
            Batch::Labelled { rows: all, segments, labels } => Batch::Labelled {
                segments: segments
                    .as_ref()
                    .map(|all_of| all_of[rows.start * all.len..rows.end * all.len].to_vec()),
                labels: labels[rows.clone()].to_vec(),
                rows: all.part(rows),
            },
            Batch::Translated { source, inputs, outputs, rows: numbers } => Batch::Translated {
                source: source.part(rows.clone()),
                inputs: inputs.part(rows.clone()),
                outputs: outputs.part(rows.clone()),
                rows: numbers[rows].to_vec(),
            },
        }
    }
}

impl Padded {
    /// Some of the rows, as long as in the whole.
    fn part(&self, rows: Range<usize>) -> Padded {
        Padded {
            ids: self.ids[rows.start * self.len..rows.end * self.len].to_vec(),
            lengths: self.lengths[rows].to_vec(),
            len: self.len,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Batch, Padded, Share, windows};
    use proptest::prelude::*;

    fn next(rows: usize, len: usize) -> Batch {
        let inputs: Vec<i32> = (0..(rows * len) as i32).collect();
        let targets = inputs.iter().map(|id| id + 1).collect();
        Batch::Next(windows::Batch { inputs, targets, batch: rows, len })
    }

    #[test]
    fn rows_without_a_hidden_token_are_nobodys_share() {
        let rows = Padded::new(&[[5, 6], [7, 8], [9, 9]], 1);
        let batch = Batch::Masked { rows, places: vec![1, 4], targets: vec![6, 9] };
        let shares = Share::cut(&batch, 3);
        assert_eq!(shares[1], None);
        let last = shares[2].clone().expect("the last row has a target");
        assert_eq!((last.rows, last.of), (2..3, 3));
        let rows = Padded::new(&[[9, 9]], 1);
        assert_eq!(last.batch, Batch::Masked { rows, places: vec![0], targets: vec![9] });
    }

    #[test]
    fn rows_keep_the_padding_of_the_batch() {
        let rows = Padded::new(&[vec![5], vec![6, 7, 8]], 1);
        let segments = Some(vec![0, 1, 1, 0, 0, 1]);
        let batch = Batch::Labelled { rows, segments, labels: vec![3, 4] };
        let [first, second] = &Share::cut(&batch, 2)[..] else { panic!("a share for each") };
        let part = |share: &Option<Share>| match share.clone().expect("a row for each").batch {
            Batch::Labelled { rows, segments, labels } => (rows, segments, labels),
            other => panic!("{other:?}"),
        };
        let padded = Padded { ids: vec![5, 1, 1], lengths: vec![1], len: 3 };
        assert_eq!(part(first), (padded, Some(vec![0, 1, 1]), vec![3]));
        assert_eq!(part(second), (Padded::new(&[[6, 7, 8]], 1), Some(vec![0, 0, 1]), vec![4]));
    }

    proptest! {
        #[test]
        fn shares_are_the_whole_batch_in_even_parts(
            rows in 1_usize..20, len in 1_usize..5, workers in 1_usize..10,
        ) {
            let batch = next(rows, len);
            let shares = Share::cut(&batch, workers);
            prop_assert_eq!(shares.len(), workers);
            let sizes: Vec<usize> =
                shares.iter().map(|share| share.as_ref().map_or(0, |share| share.rows.len())).collect();
            prop_assert_eq!(sizes.iter().sum::<usize>(), rows);
            prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            let mut together = (Vec::new(), Vec::new());
            for share in shares.into_iter().flatten() {
                prop_assert_eq!(share.of, rows);
                let Batch::Next(part) = share.batch else { panic!("of the same form") };
                prop_assert_eq!(part.batch, share.rows.len());
                together.0.extend(part.inputs);
                together.1.extend(part.targets);
            }
            let Batch::Next(whole) = batch else { unreachable!() };
            prop_assert_eq!(together, (whole.inputs, whole.targets));
        }
    }
}
