//! Steps that several workers share: what they come to is what one worker makes of them.

use futures_lite::future::block_on;
use serde_json::{Value as Json, json};

use super::super::{Helper, Session};
use super::tasks::{create, kinds_for};
use crate::device;
use crate::task::Task;
use crate::value::Value;

/// Sums in another order differ by the rounding of their summands; fifty steps add to that.
const ROUNDING: f64 = 1e-5;

/// Losses and gradient norms of single steps by `workers`.
fn train(session: &mut Session, workers: usize, options: Json) -> Vec<(f64, f64)> {
    let file = block_on(session.save()).expect("a file");
    let load = |_| Helper::load(&file, &device::cpu()).expect("a helper");
    let mut helpers: Vec<Helper> = (1..workers).map(load).collect();
    let info = session.begin_training(&Value::from(&options)).expect("valid options");
    let mut reports = Vec::new();
    while session.step_count() < info.end {
        let others = session.begin_step(workers).expect("a step");
        session.compute_own_share().expect("a step was begun");
        for (helper, assignment) in helpers.iter_mut().zip(others) {
            let Some(assignment) = assignment else { continue };
            let weights = block_on(session.flat_weights()).expect("weights");
            let (loss, gradient) =
                block_on(helper.compute(&assignment, weights)).expect("a contribution");
            session.add_share(loss, gradient).expect("a step was begun");
        }
        session.finish_step().expect("a step was begun");
        let report = block_on(session.report()).expect("a finite loss");
        reports.push((report.loss, report.gradient_norm));
    }
    session.end_training();
    reports
}

/// The same by one worker that knows nothing of shares.
fn train_alone(session: &mut Session, options: Json) -> Vec<(f64, f64)> {
    let info = session.begin_training(&Value::from(&options)).expect("valid options");
    let mut reports = Vec::new();
    while session.step_count() < info.end {
        session.train_step().expect("a step");
        let report = block_on(session.report()).expect("a finite loss");
        reports.push((report.loss, report.gradient_norm));
    }
    session.end_training();
    reports
}

fn largest_difference(found: &[(f64, f64)], expected: &[(f64, f64)]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let relative = |(a, b): (&(f64, f64), &(f64, f64))| ((a.0 - b.0) / b.0).abs();
    found.iter().zip(expected).map(relative).fold(0.0, f64::max)
}

#[test]
fn losses_do_not_depend_on_the_number_of_workers() {
    for &task in Task::ALL {
        for batch in [5, 2] {
            let options = json!({ "steps": 50, "batch": batch, "learningRate": 1e-3 });
            let dropout = json!({ "dropout": 0.3 });
            let alone = train_alone(&mut create(task, dropout.clone()), options.clone());
            for workers in 1..=3 {
                let found = train(&mut create(task, dropout.clone()), workers, options.clone());
                let difference = largest_difference(&found, &alone);
                let name = task.name();
                assert!(
                    difference < ROUNDING,
                    "{name}, batch {batch}, {workers} workers: {difference}"
                );
            }
        }
    }
}

#[test]
fn one_worker_makes_the_very_steps_it_makes_alone() {
    let options = json!({ "steps": 5, "batch": 3 });
    let dropout = json!({ "dropout": 0.3 });
    for &task in Task::ALL {
        let alone = train_alone(&mut create(task, dropout.clone()), options.clone());
        assert_eq!(train(&mut create(task, dropout.clone()), 1, options.clone()), alone);
    }
}

#[test]
fn the_same_workers_make_the_same_bits() {
    let options = json!({ "steps": 5, "batch": 5 });
    let file = || {
        let mut session = create(Task::Classification, json!({ "dropout": 0.2 }));
        train(&mut session, 3, options.clone());
        super::contents(&block_on(session.save()).expect("a file"))
    };
    assert_eq!(file(), file());
}

#[test]
fn every_kind_can_be_shared() {
    for task in [Task::Classification, Task::SequenceToSequence] {
        for kind in kinds_for(task) {
            let spec = json!({ "attention": kind.name, "dropout": 0.1 });
            let options = json!({ "steps": 2, "batch": 5 });
            let alone = train_alone(&mut create(task, spec.clone()), options.clone());
            let found = train(&mut create(task, spec), 2, options);
            let difference = largest_difference(&found, &alone);
            assert!(difference < ROUNDING, "{}, {}: {difference}", task.name(), kind.name);
            let norms = (found[0].1 - alone[0].1).abs() / alone[0].1;
            assert!(norms < ROUNDING, "{}, {}: norms by {norms}", task.name(), kind.name);
        }
    }
}

#[test]
fn clipping_is_by_the_norm_of_all_shares_together() {
    let options = json!({ "steps": 10, "batch": 4, "clipNorm": 0.05, "optimizer": "sgd",
        "learningRate": 0.5 });
    let alone = train_alone(&mut create(Task::LanguageModel, json!({})), options.clone());
    assert!(alone.iter().all(|(_, norm)| *norm > 0.05), "every step is clipped: {alone:?}");
    let found = train(&mut create(Task::LanguageModel, json!({})), 3, options);
    let difference = largest_difference(&found, &alone);
    assert!(difference < ROUNDING, "{difference}");
}

#[test]
fn what_no_step_gave_is_refused() {
    let mut session = create(Task::LanguageModel, json!({}));
    assert!(session.compute_own_share().is_err());
    assert!(session.add_share(1.0, vec![0.0; session.flat_len()]).is_err());
    assert!(session.finish_step().is_err());
    assert!(session.begin_step(2).is_err(), "no run is open");
    session.begin_training(&Value::from(&json!({ "steps": 1 }))).expect("valid options");
    let others = session.begin_step(2).expect("a step");
    assert!(session.finish_step().is_err(), "nothing was computed");
    let file = block_on(session.save()).expect("a file");
    let mut helper = Helper::load(&file, &device::cpu()).expect("a helper");
    let assignment = others[0].clone().expect("a row for each");
    assert!(block_on(helper.compute("{}", vec![0.0; session.flat_len()])).is_err());
    assert!(block_on(helper.compute(&assignment, vec![0.0; 3])).is_err());
    let zeros = vec![0.0; session.flat_len()];
    let (loss, _) = block_on(helper.compute(&assignment, zeros)).expect("weights of its length");
    assert!(loss.is_finite());
}
