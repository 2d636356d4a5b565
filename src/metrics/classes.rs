//! Scores of a classifier, from the counts of what was taken for what.

use super::share;

/// How often rows of each class were taken for each class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confusion {
    classes: usize,
    /// `[classes, classes]`, row-major: truth, then prediction.
    counts: Vec<u64>,
}

impl Confusion {
    /// No rows yet.
    pub fn new(classes: usize) -> Self {
        Self { classes, counts: vec![0; classes * classes] }
    }

    /// Counts one row, by the indices of its true and its predicted class.
    pub fn add(&mut self, truth: usize, predicted: usize) {
        assert!(truth < self.classes && predicted < self.classes, "the classes are known");
        self.counts[truth * self.classes + predicted] += 1;
    }

    /// `[classes, classes]`, row-major: truth, then prediction.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Counts of the predictions of each true class.
    pub fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.counts.chunks(self.classes)
    }

    /// Share of the rows that were predicted right, 0 to 1.
    pub fn accuracy(&self) -> f64 {
        let right = (0..self.classes).map(|class| self.count(class, class)).sum();
        share(right, self.counts.iter().sum())
    }

    /// Macro-averaged F1, 0 to 1: the mean of each class's own F1, however rare the class.
    ///
    /// As scikit-learn's `f1_score(average="macro")`: over the classes that occur among truths or
    /// predictions, and 0 for a class that is never predicted right.
    pub fn macro_f1(&self) -> f64 {
        let f1 = (0..self.classes).filter_map(|class| {
            let among = self.of_truth(class) + self.of_prediction(class);
            (among > 0).then(|| share(2 * self.count(class, class), among))
        });
        let f1: Vec<f64> = f1.collect();
        if f1.is_empty() { 0.0 } else { f1.iter().sum::<f64>() / f1.len() as f64 }
    }

    /// Accuracy of always saying the commonest of these rows' classes, 0 to 1.
    pub fn majority(&self) -> f64 {
        let largest = (0..self.classes).map(|class| self.of_truth(class)).max().unwrap_or(0);
        share(largest, self.counts.iter().sum())
    }

    /// Macro-averaged F1 of always saying the commonest of these rows' classes, 0 to 1.
    pub fn majority_f1(&self) -> f64 {
        let mut guesses = Self::new(self.classes);
        let commonest = (0..self.classes).rev().max_by_key(|&class| self.of_truth(class));
        for class in 0..self.classes {
            let commonest = commonest.expect("there are classes");
            guesses.counts[class * self.classes + commonest] = self.of_truth(class);
        }
        guesses.macro_f1()
    }

    fn count(&self, truth: usize, predicted: usize) -> u64 {
        self.counts[truth * self.classes + predicted]
    }

    fn of_truth(&self, class: usize) -> u64 {
        (0..self.classes).map(|predicted| self.count(class, predicted)).sum()
    }

    fn of_prediction(&self, class: usize) -> u64 {
        (0..self.classes).map(|truth| self.count(truth, class)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confusion(truth: &[usize], predicted: &[usize]) -> Confusion {
        let mut confusion = Confusion::new(4);
        truth
            .iter()
            .zip(predicted)
            .for_each(|(truth, predicted)| confusion.add(*truth, *predicted));
        confusion
    }

    #[test]
    fn scores_agree_with_scikit_learn() {
        let cases: [(&[usize], &[usize], f64, f64); 5] = [
            (&[0, 0, 1, 2, 2, 2], &[0, 1, 1, 2, 2, 0], 0.655_555_555_555_555_6, 2.0 / 3.0),
            (&[0; 4], &[0; 4], 1.0, 1.0),
            (&[0, 1, 0, 1], &[1; 4], 1.0 / 3.0, 0.5),
            (&[0, 0], &[3, 3], 0.0, 0.0),
            (&[0, 1, 2, 3, 3, 3, 3, 3, 3, 3], &[3; 10], 0.205_882_352_941_176_46, 0.7),
        ];
        for (truth, predicted, f1, accuracy) in cases {
            let confusion = confusion(truth, predicted);
            assert!((confusion.macro_f1() - f1).abs() < 1e-12, "{truth:?} {predicted:?}");
            assert!((confusion.accuracy() - accuracy).abs() < 1e-12, "{truth:?} {predicted:?}");
        }
    }

    #[test]
    fn the_majority_baseline_is_the_share_of_the_commonest_class() {
        let confusion = confusion(&[0, 2, 2, 2, 1], &[1, 1, 1, 1, 1]);
        assert_eq!(confusion.majority(), 0.6);
        // Class 2 has precision 0.6 and recall 1, the two others that occur have nothing.
        assert!((confusion.majority_f1() - 0.75 / 3.0).abs() < 1e-12);
        assert_eq!(confusion.counts()[4..12], [0, 1, 0, 0, 0, 3, 0, 0]);
    }

    #[test]
    fn no_rows_score_nothing() {
        let none = Confusion::new(3);
        assert_eq!((none.accuracy(), none.macro_f1(), none.majority()), (0.0, 0.0, 0.0));
    }
}
