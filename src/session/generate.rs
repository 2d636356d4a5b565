//! Writing on from a prompt, a token at a time.

use burn::tensor::{Int, Tensor, TensorData};

use super::Session;
use crate::data::tokenizer::Tokenizer;
use crate::data::writer::{Writer, Written};
use crate::error::{Error, Result};
use crate::model::language_model::Cache;
use crate::model::{LanguageModel, Net};
use crate::sample::Sampling;
use crate::train::Trainer;
use crate::value::{Fields, Value};
use crate::weights::lost;

/// Settings of a generation.
#[derive(Debug, Clone, PartialEq)]
pub struct GenerateConfig {
    /// Most tokens to write, default 200.
    pub max_tokens: usize,
    /// How each is chosen; the seed is the model's by default.
    pub sampling: Sampling,
    /// Texts that end the generation and are never shown, nor parts of them.
    pub stop: Vec<String>,
}

impl GenerateConfig {
    /// Reads and checks the options of `generate`; `seed` is the default.
    pub fn parse(options: &Value, seed: u32) -> Result<Self> {
        const MOST: usize = 1_000_000;
        let mut fields = Fields::new(options, "options")?;
        let defaults = Sampling::default();
        let temperature = |t| (0.0..=100.0).contains(&t);
        let share = |p| p > 0.0 && p <= 1.0;
        let config = Self {
            max_tokens: fields.size("maxTokens", 1, MOST)?.unwrap_or(200),
            sampling: Sampling {
                temperature: fields
                    .number("temperature", temperature, "a number from 0 to 100")?
                    .map_or(defaults.temperature, |t| t as f32),
                top_k: fields.size("topK", 1, MOST)?,
                // A share that is none in single precision still takes the likeliest.
                top_p: fields
                    .number("topP", share, "a number above 0, up to 1")?
                    .map(|p| (p as f32).max(f32::MIN_POSITIVE)),
                seed: fields.seed("seed")?.unwrap_or(seed),
            },
            stop: fields.texts("stop")?.unwrap_or_default(),
        };
        fields.finish("maxTokens, temperature, topK, topP, seed, stop, signal")?;
        config.sampling.validate()?;
        Ok(config)
    }
}

/// What one more token brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// Text that is complete now, which may be none.
    pub piece: String,
    /// Tokens written so far.
    pub tokens: usize,
    /// With the last token, why it is the last.
    pub done: Option<&'static str>,
}

/// A generation under way.
#[derive(Debug)]
pub(super) struct Generation {
    sampling: Sampling,
    writer: Writer,
    /// Tokens the model goes on from, at most `max_length`.
    window: Vec<u32>,
    written: u64,
    model: LanguageModel,
    /// The trainer's version of the model's weights.
    version: u64,
    /// What the model keeps of the first tokens of the window.
    cache: Cache,
}

impl Generation {
    /// The window's last token is known; the next goes behind it. A full window keeps its last
    /// half, whose positions then begin at 0 again.
    fn push(&mut self, id: u32, max_len: usize) {
        self.window.push(id);
        if self.window.len() > max_len {
            let kept = max_len / 2;
            self.window.drain(..self.window.len() - kept);
            self.cache = Cache::default();
        }
    }
}

/// The last tokens of a prompt that the model has room for.
fn last_tokens(mut ids: Vec<u32>, max_len: usize) -> Vec<u32> {
    ids.drain(..ids.len().saturating_sub(max_len));
    ids
}

fn writing_model(trainer: &Trainer<Net>) -> Option<LanguageModel> {
    match trainer.inference_model() {
        Net::LanguageModel(model) => Some(model),
        _ => None,
    }
}

impl Session {
    /// Begins to write on from `prompt`, which may be empty.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOption`] for an empty stop text, [`Error::WrongTask`].
    pub fn begin_generation(&mut self, prompt: &str, config: GenerateConfig) -> Result<u32> {
        let model = writing_model(&self.trainer).ok_or_else(|| self.wrong_task("generate"))?;
        let (ids, decoder) = self.tokenizer.prompt(prompt);
        let generation = Generation {
            sampling: config.sampling,
            writer: Writer::new(decoder, config.stop, config.max_tokens)?,
            window: last_tokens(ids, self.spec.max_length),
            written: 0,
            model,
            version: self.trainer.version(),
            cache: Cache::default(),
        };
        let id = self.id();
        self.generations.insert(id, generation);
        Ok(id)
    }

    /// Writes one more token, with the weights as they are now.
    pub async fn generate_next(&mut self, id: u32) -> Result<Generated> {
        let generation = self.generations.get_mut(&id);
        let generation =
            generation.ok_or_else(|| Error::Internal { reason: "no such generation".into() })?;
        if generation.version != self.trainer.version() {
            // Trained meanwhile: what was kept belongs to other weights.
            generation.model = writing_model(&self.trainer)
                .expect("generations are begun by language models alone");
            generation.version = self.trainer.version();
            generation.cache = Cache::default();
        }
        let news = &generation.window[generation.cache.past()..];
        let ids: Vec<i32> = news.iter().map(|&id| id as i32).collect();
        let shape = [1, ids.len()];
        let ids = Tensor::<2, Int>::from_data(TensorData::new(ids, shape), &self.device);
        let logits = generation.model.forward_cached(ids, &mut generation.cache);
        let data = logits.into_data_async().await.map_err(lost)?;
        let logits = data.try_to_vec::<f32>().map_err(lost)?;
        let tokenizer: &Tokenizer = &self.tokenizer;
        let never = tokenizer.never_generated();
        let next = generation.sampling.next(&logits, &never, generation.written)?;
        generation.written += 1;
        generation.push(next, self.spec.max_length);
        let Written { piece, tokens, done } = generation.writer.push(tokenizer, next);
        if done.is_some() {
            self.generations.remove(&id);
        }
        Ok(Generated { piece, tokens, done: done.map(|reason| reason.name()) })
    }

    /// Forgets a generation; does nothing if it is over.
    pub fn end_generation(&mut self, id: u32) {
        self.generations.remove(&id);
    }
}
