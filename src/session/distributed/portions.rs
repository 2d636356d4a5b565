//! The batches of some steps as Burn's learner loads them: portion by portion, for device after device.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use burn::data::dataloader::{DataLoader, DataLoaderIterator, Progress};
use burn::data::dataset::DatasetError;
use burn::tensor::Device;

use crate::data::corpus::Feed;
use crate::data::share::Share;
use crate::data::tokenizer::Tokenizer;

/// A device's part of a step.
#[derive(Debug, Clone)]
pub(super) struct Portion {
    /// Steps the model made before this one.
    pub(super) step: u64,
    /// Targets of the whole step.
    pub(super) targets: u64,
    pub(super) share: Share,
    /// False for a device with nothing to learn from, which computes another's share for nothing:
    /// every device takes part in every step.
    pub(super) counts: bool,
}

/// Makes batches and cuts them. A batch is made once, however many devices ask for their portion.
#[derive(Debug)]
pub(super) struct Source {
    feed: Feed,
    tokenizer: Tokenizer,
    devices: usize,
    last: Option<(u64, Vec<Portion>)>,
}

impl Source {
    pub(super) fn new(feed: Feed, tokenizer: Tokenizer, devices: usize) -> Self {
        Self { feed, tokenizer, devices, last: None }
    }

    fn portion(&mut self, step: u64, device: usize) -> Portion {
        if self.last.as_ref().is_none_or(|(last, _)| *last != step) {
            self.last = Some((step, self.cut(step)));
        }
        self.last.as_ref().expect("just made").1[device].clone()
    }

    fn cut(&mut self, step: u64) -> Vec<Portion> {
        let batch = self.feed.batch(step, &self.tokenizer);
        let targets = batch.targets();
        let shares = Share::cut(&batch, self.devices);
        let any = shares.iter().flatten().next().expect("a batch has targets").clone();
        let portion = |share: Option<Share>| {
            let counts = share.is_some();
            Portion { step, targets, share: share.unwrap_or_else(|| any.clone()), counts }
        };
        shares.into_iter().map(portion).collect()
    }
}

/// All portions of some steps, first those of the first device: a learner gives each device an equal
/// stretch.
#[derive(Debug, Clone)]
pub(super) struct Portions {
    source: Arc<Mutex<Source>>,
    start: u64,
    steps: u64,
    range: Range<usize>,
}

impl Portions {
    pub(super) fn new(source: Arc<Mutex<Source>>, start: u64, steps: u64, devices: usize) -> Self {
        Self { source, start, steps, range: 0..steps as usize * devices }
    }
}

impl DataLoader<Portion> for Portions {
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<Portion> + 'a> {
        Box::new(Loading { portions: self.clone(), next: self.range.start })
    }

    fn num_items(&self) -> usize {
        self.range.len()
    }

    /// Portions hold no tensors.
    fn to_device(&self, _device: &Device) -> Arc<dyn DataLoader<Portion>> {
        Arc::new(self.clone())
    }

    fn slice(&self, start: usize, end: usize) -> Arc<dyn DataLoader<Portion>> {
        let range = self.range.start + start..self.range.start + end;
        Arc::new(Self { range, ..self.clone() })
    }
}

struct Loading {
    portions: Portions,
    next: usize,
}

impl Iterator for Loading {
    type Item = Result<Portion, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Portions { source, start, steps, range } = &self.portions;
        let at = self.next as u64;
        self.next += 1;
        range.contains(&(at as usize)).then(|| {
            let mut source = source.lock().expect("nobody panicked");
            Ok(source.portion(start + at % steps, (at / steps) as usize))
        })
    }
}

impl DataLoaderIterator<Portion> for Loading {
    fn progress(&self) -> Progress {
        let range = &self.portions.range;
        Progress::new(self.next.min(range.end) - range.start, range.len(), None)
    }
}

/// No data at all.
pub(super) struct Nothing;

impl DataLoader<Infallible> for Nothing {
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<Infallible> + 'a> {
        Box::new(Nothing)
    }

    fn num_items(&self) -> usize {
        0
    }

    fn to_device(&self, _device: &Device) -> Arc<dyn DataLoader<Infallible>> {
        Arc::new(Nothing)
    }

    fn slice(&self, _start: usize, _end: usize) -> Arc<dyn DataLoader<Infallible>> {
        Arc::new(Nothing)
    }
}

impl Iterator for Nothing {
    type Item = Result<Infallible, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        None
    }
}

impl DataLoaderIterator<Infallible> for Nothing {
    fn progress(&self) -> Progress {
        Progress::new(0, 0, None)
    }
}
