//! Data of any task: any value is read or refused by name, and what was read makes batches that hold
//! every row, and no token that the model has not.

use synthattn::data::batches::Padded;
use synthattn::data::corpus::{Batch, Corpus, Feed, FeedConfig};
use synthattn::data::given::Given;
use synthattn::data::tokenizer::Tokenizer;
use synthattn::task::Task;
use synthattn::{Error, Result};

use super::input::Input;

/// A task and sizes, then data.
pub fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let task = input.pick(Task::ALL);
    let max_length = task.least_length() + input.below(24);
    let spec = input.tokenizer();
    let size = 1 + input.below(8);
    let share = input.pick(&[0.0, 0.001, 0.1, 0.34, 0.5]);
    let (seed, step) = (input.byte().into(), input.number() >> 11);
    let Some(given) = refused(Given::parse(input.data(task), task, None)) else { return };

    if let Some(labels) = given.labels() {
        assert!(labels.names().len() > 1 && labels.names().is_sorted_by(|a, b| a < b));
        let find = |name: &String| labels.index(name).expect("it is one of them") as usize;
        assert!(labels.names().iter().map(find).eq(0..labels.names().len()));
    }
    let tokenizer = Tokenizer::fit(&spec, task.special_tokens(), &given.texts());
    let Some(tokenizer) = refused(tokenizer) else { return };
    let Some(corpus) = refused(Corpus::new(&given, &tokenizer, task, max_length)) else { return };
    let Some((training, held_out)) = refused(corpus.split(share, seed)) else { return };
    let held = held_out.as_ref().map_or(0, count);
    assert_eq!(count(&training) + held, count(&corpus));
    assert_eq!(held > 0, share > 0.0);

    for part in [Some(&training), held_out.as_ref()].into_iter().flatten() {
        let Some(batches) = refused(part.batches(task, size, max_length, &tokenizer)) else {
            continue;
        };
        batches.iter().for_each(|batch| sound(batch, size, max_length, &tokenizer));
        let tokens_and_rows: usize = batches.iter().map(held_in).sum();
        assert_eq!(tokens_and_rows, count(part) - usize::from(task == Task::LanguageModel));
    }
    let config = FeedConfig { task, max_length, size, dropout: 0.3, seed };
    let Some(mut feed) = refused(Feed::new(training, config)) else { return };
    for step in [0, 1, step, 1 << 53] {
        sound(&feed.batch(step, &tokenizer), size, max_length, &tokenizer);
    }
}

fn refused<T>(result: Result<T>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Error::InvalidData { .. }) => None,
        Err(error) => panic!("{error:?}"),
    }
}

/// Tokens of a text, or rows.
fn count(corpus: &Corpus) -> usize {
    match corpus {
        Corpus::Text(text) => {
            assert_eq!(text.ids.len(), text.code_points.len());
            text.ids.len()
        }
        Corpus::Labelled(rows) => rows.len(),
        Corpus::Translated(rows) => rows.len(),
    }
}

/// Targets of a text to write, tokens of a text to read, or rows.
fn held_in(batch: &Batch) -> usize {
    match batch {
        Batch::Next(batch) => batch.targets.len(),
        Batch::Masked { rows, .. } => rows.lengths.iter().sum(),
        Batch::Labelled { labels, .. } => labels.len(),
        Batch::Translated { rows, .. } => rows.len(),
    }
}

/// Lengths within the model's, ids within the vocabulary, and something to learn from.
fn sound(batch: &Batch, size: usize, max_length: usize, tokenizer: &Tokenizer) {
    assert!(batch.targets() > 0);
    let known = |ids: &[i32]| {
        assert!(ids.iter().all(|id| (0..tokenizer.len() as i32).contains(id)));
    };
    let padded = |rows: &Padded| {
        known(&rows.ids);
        assert!((1..=size).contains(&rows.lengths.len()) && (1..=max_length).contains(&rows.len));
        assert_eq!(rows.ids.len(), rows.lengths.len() * rows.len);
        assert!(rows.lengths.iter().all(|length| *length <= rows.len));
    };
    match batch {
        Batch::Next(batch) => {
            known(&batch.inputs);
            known(&batch.targets);
            assert!((1..=max_length).contains(&batch.len) && (1..=size).contains(&batch.batch));
        }
        Batch::Masked { rows, places, targets } => {
            padded(rows);
            known(targets);
            assert_eq!(places.len(), targets.len());
            assert!(places.iter().all(|place| (*place as usize) < rows.ids.len()));
        }
        Batch::Labelled { rows, segments, labels } => {
            padded(rows);
            assert!(segments.as_ref().is_none_or(|segments| segments.len() == rows.ids.len()));
            assert_eq!(labels.len(), rows.lengths.len());
        }
        Batch::Translated { source, inputs, outputs, rows } => {
            [source, inputs, outputs].into_iter().for_each(padded);
            assert_eq!(inputs.lengths, outputs.lengths);
            assert_eq!(rows.len(), source.lengths.len());
        }
    }
}
