//! Which rows are held out for validation: a seeded share that keeps the proportions of classes.

use crate::error::{Error, Result};
use crate::order::{sort, sorted};
use crate::rng::{Purpose, Rng};

/// Indices of rows, each part in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows to train on.
    pub training: Vec<usize>,
    /// Rows held out.
    pub validation: Vec<usize>,
}

impl Split {
    /// Holds out `share` (0 to 0.5) of rows with these classes, all 0 where there are none.
    ///
    /// Every class gives its share, up or down to a whole row, and keeps one row for training
    /// at least. A share above 0 holds out one row at least. Which rows, depends on the classes
    /// and the seed alone.
    ///
    /// # Errors
    ///
    /// `invalid-data` if rows should be held out and every class has one row only.
    pub fn new(classes: &[u32], share: f64, seed: u32) -> Result<Self> {
        let rows = classes.len();
        let mut of_class: Vec<Vec<usize>> = Vec::new();
        for (row, class) in classes.iter().enumerate() {
            let class = *class as usize;
            if of_class.len() <= class {
                of_class.resize(class + 1, Vec::new());
            }
            of_class[class].push(row);
        }
        let counts: Vec<usize> = of_class.iter().map(Vec::len).collect();
        let spare: usize = counts.iter().map(|count| count.saturating_sub(1)).sum();
        if share > 0.0 && spare == 0 {
            return Err(Error::data("too few rows to hold any out for validation"));
        }
        let wanted = (share * rows as f64).round() as usize;
        let total = if share > 0.0 { wanted.clamp(1, spare) } else { 0 };
        let mut validation = Vec::new();
        for ((class, rows), held) in of_class.iter_mut().enumerate().zip(apportion(&counts, total))
        {
            Rng::new(seed, Purpose::Split, class as u64).shuffle(rows);
            validation.extend_from_slice(&rows[..held]);
        }
        let validation = sorted(validation, usize::cmp);
        let training = (0..rows).filter(|row| validation.binary_search(row).is_err()).collect();
        Ok(Self { training, validation })
    }
}

/// Shares `total` out in proportion to `counts`, leaving one of each: the method of largest
/// remainders, <https://en.wikipedia.org/wiki/Largest_remainder_method>.
fn apportion(counts: &[usize], total: usize) -> Vec<usize> {
    let rows: usize = counts.iter().sum();
    let quota = |count: usize| (total as u64 * count as u64, rows.max(1) as u64);
    let mut shares: Vec<usize> = counts
        .iter()
        .map(|count| {
            let (product, rows) = quota(*count);
            ((product / rows) as usize).min(count.saturating_sub(1))
        })
        .collect();
    let mut order: Vec<u32> = (0..counts.len() as u32).collect();
    let rest = |class: u32| {
        let (product, rows) = quota(counts[class as usize]);
        product % rows
    };
    sort(&mut order, &mut |a, b| rest(b).cmp(&rest(a)));
    let mut left = total - shares.iter().sum::<usize>();
    while left > 0 {
        for class in order.iter().map(|&class| class as usize) {
            if left > 0 && shares[class] + 1 < counts[class] {
                shares[class] += 1;
                left -= 1;
            }
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::Split;
    use proptest::prelude::*;

    #[test]
    fn proportions_are_kept() {
        let classes: Vec<u32> = (0..100).map(|row| u32::from(row % 10 < 3)).collect();
        let split = Split::new(&classes, 0.1, 0).unwrap();
        let of_one = split.validation.iter().filter(|row| classes[**row] == 1).count();
        assert_eq!((split.validation.len(), of_one), (10, 3));
        assert_ne!(split, Split::new(&classes, 0.1, 1).unwrap());
    }

    #[test]
    fn small_data_sets_hold_out_what_they_can() {
        let split = |classes: &[u32], share| Split::new(classes, share, 0);
        assert!(split(&[0, 1, 0], 0.0).unwrap().validation.is_empty());
        assert_eq!(split(&[0; 3], 0.01).unwrap().validation.len(), 1);
        let few = split(&[0, 1, 1], 0.5).unwrap().validation;
        assert!(few == [1] || few == [2], "{few:?}");
        assert_eq!(split(&[0, 1, 2], 0.5).unwrap_err().code(), "invalid-data");
        assert_eq!(split(&[0], 0.5).unwrap_err().code(), "invalid-data");
        assert!(split(&[], 0.0).unwrap().training.is_empty());
    }

    proptest! {
        #[test]
        fn every_row_is_in_one_part_and_every_class_in_training(
            classes in prop::collection::vec(0_u32..6, 2..200), share in 0.001_f64..=0.5,
            seed in any::<u32>(),
        ) {
            let Ok(split) = Split::new(&classes, share, seed) else {
                let mut distinct = classes.clone();
                distinct.sort_unstable();
                distinct.dedup();
                prop_assert_eq!(distinct.len(), classes.len());
                return Ok(());
            };
            let mut all = [split.training.clone(), split.validation.clone()].concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..classes.len()).collect::<Vec<_>>());
            prop_assert!(split.training.is_sorted() && split.validation.is_sorted());
            let count = |part: &[usize], class| part.iter().filter(|row| classes[**row] == class).count();
            let wanted = (share * classes.len() as f64).round().max(1.0);
            prop_assert!(split.validation.len() as f64 <= wanted);
            for class in &classes {
                let (kept, held) = (count(&split.training, *class), count(&split.validation, *class));
                prop_assert!(kept >= 1);
                // Singletons give nothing, and what they do not give others may have to.
                let quota = wanted * (kept + held) as f64 / classes.len() as f64;
                prop_assert!(held as f64 > quota - 1.0 || kept == 1);
            }
            prop_assert_eq!(split, Split::new(&classes, share, seed).unwrap());
        }
    }
}
