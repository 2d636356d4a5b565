//! Model files: any bytes are read or refused by name, and take no more memory than their length
//! warrants. What was read can be used, and written again.

use std::sync::{Mutex, PoisonError};

use futures_lite::future::block_on;
use serde_json::Value as Json;
use synthattn::Error;
use synthattn::config::ModelSpec;
use synthattn::model::Positions;
use synthattn::session::{GenerateConfig, Session};
use synthattn::task::Task;
use synthattn::value::Value;

use super::memory::{held, most_held};

/// Memory that a file may take however short it is: for the most layers there can be, with next to
/// nothing in them.
const BASE: usize = 4 << 20;
/// Bytes held for each byte of a file. Weights are held several times over while they are put in
/// place; a name or a merge of a tokenizer takes a few bytes in a file and a table's entry in memory.
const PER_BYTE: usize = 48;
/// Bytes that may be held when a model is gone: tables grow with use.
const LEFT: isize = 4096;
/// Models up to this size are also run.
const SMALL: usize = 20_000;

/// What is noted of weights is noted for all threads: no other may look at the memory of this one.
static ALONE: Mutex<()> = Mutex::new(());

/// Reads, checks and uses a file.
pub fn check(bytes: &[u8]) {
    // A law that was broken before says nothing about this file.
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let cpu = synthattn::device::cpu();
    let (loaded, most) = most_held(|| Session::load(bytes, None, &cpu));
    let allowed = BASE + PER_BYTE * bytes.len() + tables(bytes);
    assert!(most <= allowed, "{most} bytes of memory for a file of {}", bytes.len());
    let mut session = match loaded {
        Ok(session) => session,
        Err(Error::CorruptFile { .. } | Error::UnsupportedVersion { .. }) => return,
        Err(error) => panic!("{error:?}"),
    };
    let written = block_on(session.save()).expect("a loaded model can be saved");
    let again = Session::load(&written, None, &cpu).expect("what was saved can be loaded");
    let said = |session: &Session| {
        let labels = session.labels().map(<[String]>::to_vec);
        (session.spec().to_json(), session.tokenizer().clone(), labels, session.step_count())
    };
    assert_eq!(said(&session), said(&again));
    let weights = |file: &[u8]| {
        let header = u64::from_le_bytes(file[..8].try_into().expect("eight bytes")) as usize;
        file[8 + header..].to_vec()
    };
    assert!(weights(&written) == weights(&block_on(again.save()).expect("as above")));
    if session.parameter_count() <= SMALL {
        run(&mut session);
    }
    drop((session, again));
    let load = || drop(Session::load(bytes, None, &cpu));
    load();
    let before = held();
    load();
    assert!(held() - before <= LEFT, "{} bytes are left of a model", held() - before);
}

/// Memory for tables that are computed and stand in no file, with a copy while they are made: those of
/// FNet, and of sinusoidal positions. The limits of specs bound them.
fn tables(bytes: &[u8]) -> usize {
    let Some(ModelSpec { kind, positions, d_model, max_length, .. }) = claimed(bytes) else {
        return 0;
    };
    let square = |n: usize| 2 * n * n;
    let fourier = if kind.name == "fnet" { square(d_model) + square(max_length) } else { 0 };
    let waves = if positions == Positions::Sinusoidal { d_model * max_length } else { 0 };
    2 * 4 * (fourier + waves)
}

/// The spec that a file says it has.
fn claimed(bytes: &[u8]) -> Option<ModelSpec> {
    let size = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?) as usize;
    let header: Json = serde_json::from_slice(bytes.get(8..size.checked_add(8)?)?).ok()?;
    let spec: Json = serde_json::from_str(header["__metadata__"]["spec"].as_str()?).ok()?;
    ModelSpec::parse(&Value::from(&spec)).ok()
}

/// Any file that is read makes a model that answers.
fn run(session: &mut Session) {
    match session.spec().task {
        Task::LanguageModel => {
            let options = Value::from(&serde_json::json!({ "maxTokens": 3, "temperature": 0 }));
            let config = GenerateConfig::parse(&options, 0).expect("valid options");
            let id = session.begin_generation("ab", config).expect("it writes");
            // Weights may be so large that what comes out is not finite: an error, and no panic.
            while block_on(session.generate_next(id)).is_ok_and(|written| written.done.is_none()) {}
        }
        Task::MaskedLanguageModel => drop(block_on(session.fill("[MASK]", 3))),
        Task::Classification => {
            drop(block_on(session.classify_all(&[Value::Text("a b".to_owned())])));
        }
        Task::PairClassification => {
            let pair = ["a b", "c"].map(|text| Value::Text(text.to_owned()));
            drop(block_on(session.classify_all(&[Value::List(pair.to_vec())])));
        }
        Task::SequenceToSequence => {
            let options = Value::from(&serde_json::json!({ "maxTokens": 3, "beams": 2 }));
            let Ok(id) = session.begin_translation("a", &options) else { return };
            while block_on(session.translate_next(id)).is_ok_and(|target| target.is_none()) {}
        }
    }
    let error = session.begin_training(&Value::from(&serde_json::json!({ "steps": 3 })));
    assert_eq!(error.expect_err("there is no data").code(), "invalid-data");
}
