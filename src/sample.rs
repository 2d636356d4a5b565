//! A row of logits to the next token: the likeliest, or a seeded draw among the likely ones.
//! Top-p is "nucleus sampling", Holtzman et al., section 3, <https://arxiv.org/abs/1904.09751>.

use std::cmp::Ordering;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::order::sorted;
use crate::rng::{Purpose, Rng};

/// How the next token is chosen.
///
/// Temperature comes first, then top-k, then top-p among those k. Numbers are worked out in
/// float64 with `libm`: equal logits give equal tokens on every platform.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    /// Logits are divided by this, 0 to 100; 0 takes the likeliest token. Default 0.8.
    pub temperature: f32,
    /// Draws among this many of the likeliest tokens, at least 1. Default: all.
    pub top_k: Option<usize>,
    /// Draws among the likeliest tokens that have this probability together, above 0, up to 1.
    /// Default: all.
    pub top_p: Option<f32>,
    /// Seed of the draws. Default 0.
    pub seed: u32,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { temperature: 0.8, top_k: None, top_p: None, seed: 0 }
    }
}

/// A token that may be chosen.
#[derive(Clone, Copy)]
struct Candidate {
    logit: f32,
    id: u32,
}

/// Likelier first; of equally likely ones the lower id.
fn likelier_first(a: &Candidate, b: &Candidate) -> Ordering {
    b.logit.partial_cmp(&a.logit).expect("logits are finite").then(a.id.cmp(&b.id))
}

impl Sampling {
    /// Checks all settings against their limits.
    ///
    /// # Errors
    ///
    /// `invalid-option`, with the names JavaScript uses.
    pub fn validate(&self) -> Result<()> {
        if !(0.0..=100.0).contains(&self.temperature) {
            return Err(Error::option("temperature", self.temperature, "a number from 0 to 100"));
        }
        if self.top_k == Some(0) {
            return Err(Error::option("topK", 0, "a whole number of at least 1"));
        }
        match self.top_p {
            Some(p) if !(p > 0.0 && p <= 1.0) => {
                Err(Error::option("topP", p, "a number above 0, up to 1"))
            }
            _ => Ok(()),
        }
    }

    /// The id of the next token, given the logits of all ids.
    ///
    /// Ids in `never` are not chosen, see
    /// [`Tokenizer::never_generated`](crate::data::tokenizer::Tokenizer::never_generated).
    /// The draw depends on the logits, the seed and `position` alone: the number of tokens
    /// generated so far.
    ///
    /// # Errors
    ///
    /// `internal` if a logit is NaN or infinite: the weights are not what training leaves.
    pub fn next(&self, logits: &[f32], never: &Range<u32>, position: u64) -> Result<u32> {
        if let Some(logit) = logits.iter().find(|logit| !logit.is_finite()) {
            return Err(Error::Internal { reason: format!("the model's output has a {logit}") });
        }
        let all = logits.iter().zip(0..).map(|(logit, id)| Candidate { logit: *logit, id });
        let mut candidates: Vec<Candidate> = all.filter(|one| !never.contains(&one.id)).collect();
        let Some(likeliest) = candidates.iter().copied().min_by(likelier_first) else {
            return Err(Error::Internal { reason: "there is no token to choose from".into() });
        };
        if self.temperature == 0.0 {
            return Ok(likeliest.id);
        }
        if let Some(k) = self.top_k.filter(|k| *k < candidates.len()) {
            candidates.select_nth_unstable_by(k - 1, likelier_first);
            candidates.truncate(k);
        }
        if self.top_k.is_some() || self.top_p.is_some() {
            candidates = sorted(candidates, likelier_first);
        }
        let weight = |candidate: &Candidate| {
            let below = f64::from(candidate.logit) - f64::from(likeliest.logit);
            libm::exp(below / f64::from(self.temperature))
        };
        let mut weights: Vec<f64> = candidates.iter().map(weight).collect();
        if let Some(p) = self.top_p {
            let enough = f64::from(p) * weights.iter().sum::<f64>();
            let mut together = 0.0;
            let reaches = |weight: &f64| {
                together += weight;
                together >= enough
            };
            // Rounding may keep even the whole sum from being enough.
            let kept = weights.iter().position(reaches).map_or(weights.len(), |last| last + 1);
            weights.truncate(kept);
        }
        let bits = Rng::new(self.seed, Purpose::Sampling, position).next_u64() >> 11;
        let mut left = weights.iter().sum::<f64>() * (bits as f64 / (1_u64 << 53) as f64);
        for (candidate, weight) in candidates.iter().zip(&weights) {
            left -= weight;
            if left < 0.0 {
                return Ok(candidate.id);
            }
        }
        // Reached by rounding alone, with next to nothing left of the sum.
        Ok(likeliest.id)
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, Sampling};
    use proptest::prelude::*;

    const NONE: std::ops::Range<u32> = 0..0;

    fn draws(sampling: &Sampling, logits: &[f32], count: u64) -> Vec<u32> {
        (0..count).map(|position| sampling.next(logits, &NONE, position).unwrap()).collect()
    }

    #[test]
    fn temperature_zero_takes_the_likeliest_and_of_equals_the_first() {
        let greedy = Sampling { temperature: 0.0, ..Sampling::default() };
        assert_eq!(greedy.next(&[0.0, 2.0, 2.0, 1.0], &NONE, 0).unwrap(), 1);
        assert_eq!(greedy.next(&[9.0, 2.0, 2.0, 1.0], &(0..2), 0).unwrap(), 2);
        assert_eq!(greedy.next(&[-0.0, 0.0], &NONE, 5).unwrap(), 0);
    }

    #[test]
    fn draws_follow_the_softmax_at_the_temperature() {
        let sampling = Sampling { temperature: 0.5, ..Sampling::default() };
        let probabilities = [0.1, 0.2, 0.7_f32];
        // At temperature 1/2, probabilities come out squared and normalised.
        let logits = probabilities.map(|p| p.ln() + 3.0);
        let squares: f32 = probabilities.iter().map(|p| p * p).sum();
        let drawn = draws(&sampling, &logits, 20_000);
        for (id, p) in probabilities.iter().enumerate() {
            let share = drawn.iter().filter(|d| **d == id as u32).count() as f32 / 20_000.0;
            // Five standard deviations of a share are at most 0.018.
            assert!((share - p * p / squares).abs() < 0.018, "{id}: {share}");
        }
    }

    #[test]
    fn top_k_and_top_p_leave_the_rest_out() {
        let logits = [0.5, 0.1, 0.3, 0.1].map(f32::ln);
        let among = |sampling: Sampling| {
            let mut drawn = draws(&Sampling { temperature: 1.0, ..sampling }, &logits, 500);
            drawn.sort_unstable();
            drawn.dedup();
            drawn
        };
        let default = Sampling::default;
        assert_eq!(among(default()), [0, 1, 2, 3]);
        assert_eq!(among(Sampling { top_k: Some(1), ..default() }), [0]);
        assert_eq!(among(Sampling { top_k: Some(3), ..default() }), [0, 1, 2], "1 ties with 3");
        assert_eq!(among(Sampling { top_k: Some(99), ..default() }), [0, 1, 2, 3]);
        assert_eq!(among(Sampling { top_p: Some(0.1), ..default() }), [0]);
        assert_eq!(among(Sampling { top_p: Some(0.6), ..default() }), [0, 2]);
        assert_eq!(among(Sampling { top_p: Some(1.0), ..default() }), [0, 1, 2, 3]);
        // Among the first three, 0.5 is 0.56 of the whole.
        assert_eq!(among(Sampling { top_k: Some(3), top_p: Some(0.55), ..default() }), [0]);
    }

    #[test]
    fn draws_depend_on_seed_and_position_alone() {
        let logits = [0.0; 50];
        let (a, b) = (Sampling::default(), Sampling { seed: 1, ..Sampling::default() });
        assert_eq!(draws(&a, &logits, 20), draws(&a, &logits, 20));
        assert_ne!(draws(&a, &logits, 20), draws(&b, &logits, 20));
        assert_eq!(a.next(&logits, &NONE, 7).unwrap(), draws(&a, &logits, 20)[7]);
    }

    #[test]
    fn broken_logits_are_an_error() {
        for broken in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for temperature in [0.0, 1.0] {
                let sampling = Sampling { temperature, ..Sampling::default() };
                let error = sampling.next(&[0.0, broken, 1.0], &NONE, 0).unwrap_err();
                assert_eq!(error.code(), "internal");
            }
        }
        let nothing_left = Sampling::default().next(&[1.0, 2.0], &(0..2), 0).unwrap_err();
        assert_eq!(nothing_left.code(), "internal");
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let default = Sampling::default;
        assert_eq!(default().validate(), Ok(()));
        for (wrong, name) in [
            (Sampling { temperature: -0.1, ..default() }, "temperature"),
            (Sampling { temperature: f32::NAN, ..default() }, "temperature"),
            (Sampling { temperature: f32::INFINITY, ..default() }, "temperature"),
            (Sampling { top_k: Some(0), ..default() }, "topK"),
            (Sampling { top_p: Some(0.0), ..default() }, "topP"),
            (Sampling { top_p: Some(1.5), ..default() }, "topP"),
            (Sampling { top_p: Some(f32::NAN), ..default() }, "topP"),
        ] {
            match wrong.validate() {
                Err(Error::InvalidOption { option, .. }) => assert_eq!(option, name),
                other => panic!("{wrong:?}: {other:?}"),
            }
        }
    }

    proptest! {
        #[test]
        fn the_choice_is_allowed_whatever_the_logits(
            logits in prop::collection::vec(-1e30_f32..1e30, 1..60),
            temperature in prop_oneof![Just(0.0_f32), Just(1e-40), Just(100.0), 0.01_f32..2.0],
            top_k in prop::option::of(1_usize..70),
            top_p in prop::option::of(1e-6_f32..=1.0),
            never in 0_u32..60, seed in any::<u32>(), position in any::<u64>(),
        ) {
            prop_assume!((never as usize) < logits.len());
            let sampling = Sampling { temperature, top_k, top_p, seed };
            let id = sampling.next(&logits, &(0..never), position).unwrap();
            prop_assert!((never..logits.len() as u32).contains(&id));
            if let Some(k) = top_k {
                let allowed = &logits[never as usize..];
                let better = allowed.iter().filter(|l| **l > logits[id as usize]).count();
                prop_assert!(better < k);
            }
        }
    }
}
