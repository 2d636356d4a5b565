//! Comparing what a device computed with what a reference says.

use std::collections::BTreeMap;

use burn::tensor::{Tensor, TensorData, Transaction, kind};

/// The tolerance of golden/README.md: `max|got - want| <= 1e-4 * max|want| + 5e-6` for each
/// tensor. A plain float32 evaluation stays below a tenth of it. It is not read from a manifest,
/// so that no set can loosen it.
const RELATIVE: f64 = 1e-4;
/// See [`RELATIVE`]. Gradients that are zero in exact arithmetic have this term alone.
const ABSOLUTE: f64 = 5e-6;

/// Tensors to be read from a device in one go, by name.
#[derive(Default)]
pub struct Readout {
    names: Vec<String>,
    transaction: Transaction,
}

impl Readout {
    /// Adds a tensor without autodiff.
    pub fn add<const D: usize, K: kind::Transaction>(
        &mut self,
        name: impl Into<String>,
        tensor: Tensor<D, K>,
    ) {
        self.names.push(name.into());
        self.transaction = std::mem::take(&mut self.transaction).register(tensor);
    }

    /// The values.
    pub async fn read(self) -> BTreeMap<String, TensorData> {
        let values = self.transaction.execute_async().await.expect("the device answers");
        self.names.into_iter().zip(values).collect()
    }
}

/// Collects disagreements, so that one run shows them all.
#[derive(Default)]
pub struct Comparison {
    tensors: usize,
    /// The largest error as a fraction of what is allowed, and where.
    worst: (f64, String),
    failures: Vec<String>,
    left_out: Vec<String>,
}

impl Comparison {
    /// Something else than a value is wrong.
    pub fn fail(&mut self, failure: impl Into<String>) {
        self.failures.push(failure.into());
    }

    /// Something could not be compared yet, and why.
    pub fn leave_out(&mut self, what: impl Into<String>) {
        self.left_out.push(what.into());
    }

    /// Compares one tensor. `place` says where it stands.
    pub fn check(&mut self, place: &str, got: &TensorData, want: &TensorData) {
        self.tensors += 1;
        if got.shape() != want.shape() {
            let shapes = (got.shape(), want.shape());
            return self.fail(format!("{place}: shape {:?}, expected {:?}", shapes.0, shapes.1));
        }
        let (got, want) = (floats(got), floats(want));
        let largest = |values: &mut dyn Iterator<Item = f64>| {
            // Unlike `f64::max`, lets NaN win.
            values.fold(0.0, |most: f64, x| if x.is_nan() || x > most { x } else { most })
        };
        let error = largest(&mut got.iter().zip(&want).map(|(got, want)| (got - want).abs()));
        let allowed = RELATIVE * largest(&mut want.iter().map(|x| x.abs())) + ABSOLUTE;
        let fraction = error / allowed;
        if fraction > self.worst.0 {
            self.worst = (fraction, place.to_owned());
        }
        // So written, a NaN on either side fails.
        let agrees = fraction <= 1.0;
        if !agrees {
            self.fail(format!("{place}: off by {error:.3e}, allowed {allowed:.3e}"));
        }
    }

    /// Compares tensors by name: both sides must have the same names.
    pub fn check_all<'a>(
        &mut self,
        place: &str,
        got: impl IntoIterator<Item = (&'a String, &'a TensorData)>,
        want: impl IntoIterator<Item = (&'a String, &'a TensorData)>,
    ) {
        let mut want: BTreeMap<_, _> = want.into_iter().collect();
        for (name, got) in got {
            match want.remove(name) {
                Some(want) => self.check(&format!("{place} {name}"), got, want),
                None => self.fail(format!("{place} {name}: not in the reference")),
            }
        }
        self.failures.extend(want.keys().map(|name| format!("{place} {name}: not computed")));
    }

    /// Where the reference has an exact zero, so must we.
    pub fn check_zeros(&mut self, place: &str, got: &TensorData, want: &TensorData) {
        let leaks = floats(got)
            .iter()
            .zip(floats(want))
            .filter(|(got, want)| *want == 0.0 && **got != 0.0)
            .count();
        if leaks > 0 {
            self.fail(format!("{place}: {leaks} hidden entries are not exactly zero"));
        }
    }

    /// What was compared and what was not, in lines; panics with all disagreements if there are any.
    pub fn conclude(self, what: &str) -> String {
        assert!(
            self.failures.is_empty(),
            "{} disagreements in {what}:\n{}",
            self.failures.len(),
            self.failures.join("\n")
        );
        assert!(self.tensors > 0, "nothing was compared in {what}");
        let (fraction, place) = self.worst;
        let tensors = self.tensors;
        let summary = format!(
            "{what}: {tensors} tensors agree; worst error {fraction:.3} of allowed ({place})"
        );
        let left_out = self.left_out.iter().map(|what| format!("\nnot covered: {what}"));
        summary + &left_out.collect::<String>()
    }
}

fn floats(data: &TensorData) -> Vec<f64> {
    data.iter::<f64>().collect()
}
