//! Explicit randomness: a stream of numbers for every (seed, purpose, index), and no global state.
//!
//! The generator is ChaCha8 (Bernstein, "ChaCha, a variant of Salsa20"), keyed by the seed, the
//! purpose and the index. Two streams never influence each other, so a model's numbers do not
//! change because another model was trained in between, and step *s* can be drawn without
//! drawing the steps before it. Real numbers go through IEEE arithmetic and `libm` alone: every
//! value is the same on every platform, natively and in wasm.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng};

/// Part of every key. Changing it, or how a key is laid out, changes every number in every run.
const DOMAIN: [u8; 16] = *b"synthattn rng v1";

/// What a stream is for. Streams of different purposes are independent under one seed.
///
/// The numbers are part of the key: they may be added to, never changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Purpose {
    /// Fresh weights; the index is a hash of the tensor's name, see [`Rng::named`].
    Weights = 1,
    /// Places of training windows in a text; the index is the step.
    Windows = 2,
    /// Dropout masks; the index is the step.
    Dropout = 3,
    /// Choosing the next token; the index is the position.
    Sampling = 4,
    /// Which rows are held out for validation.
    Split = 5,
    /// Which tokens a model must guess or do without; the index is the step.
    Masking = 6,
    /// The order of rows and their batches; the index is the epoch.
    Batches = 7,
    /// Generated data sets; the index is the row.
    Tasks = 8,
    /// Inputs of self-checks and benchmarks.
    Checks = 9,
}

/// A stream of random numbers that depends on its key alone.
///
/// ```
/// use synthattn::rng::{Purpose, Rng};
///
/// let mut step_7 = Rng::new(0, Purpose::Windows, 7);
/// let start = step_7.below(1000);
/// assert_eq!(start, Rng::new(0, Purpose::Windows, 7).below(1000));
/// ```
#[derive(Debug)]
pub struct Rng {
    stream: ChaCha8Rng,
    /// The polar method makes normals in pairs; the second of a pair waits here.
    spare: Option<f64>,
}

impl Rng {
    /// The stream of `purpose` number `index` (a step, a position, a row) under `seed`.
    pub fn new(seed: u32, purpose: Purpose, index: u64) -> Self {
        let mut key = [0; 32];
        key[..4].copy_from_slice(&seed.to_le_bytes());
        key[4..8].copy_from_slice(&(purpose as u32).to_le_bytes());
        key[8..16].copy_from_slice(&index.to_le_bytes());
        key[16..].copy_from_slice(&DOMAIN);
        Self { stream: ChaCha8Rng::from_seed(key), spare: None }
    }

    /// The stream of the weight tensor called `name`, whatever else is made before or after it.
    ///
    /// ```
    /// # use synthattn::rng::Rng;
    /// let mut weight = vec![0.0; 64 * 64];
    /// Rng::named(0, "blocks.0.attention.query.weight").fill_normal(&mut weight, 0.0, 0.02);
    /// ```
    pub fn named(seed: u32, name: &str) -> Self {
        Self::new(seed, Purpose::Weights, fnv1a_64(name.as_bytes()))
    }

    /// 32 uniform bits.
    pub fn next_u32(&mut self) -> u32 {
        self.stream.next_u32()
    }

    /// 64 uniform bits.
    pub fn next_u64(&mut self) -> u64 {
        self.stream.next_u64()
    }

    /// Goes on as if [`Rng::next_u32`] had been called this often.
    pub fn skip(&mut self, words: u64) {
        self.stream.set_word_pos(self.stream.get_word_pos() + u128::from(words));
    }

    /// A whole number from 0 to `n - 1`, each equally likely (Lemire, "Fast random integer
    /// generation in an interval", <https://arxiv.org/abs/1805.10941>).
    ///
    /// # Panics
    ///
    /// If `n` is 0 or above `u32::MAX`.
    pub fn below(&mut self, n: usize) -> usize {
        let n = u32::try_from(n).expect("the interval fits 32 bits");
        assert!(n > 0, "there is no number below 0");
        let mut product = u64::from(self.next_u32()) * u64::from(n);
        if (product as u32) < n {
            // The low half says whether this draw belongs to the part that would favour some
            // numbers; it is 2^32 mod n wide.
            let biased = n.wrapping_neg() % n;
            while (product as u32) < biased {
                product = u64::from(self.next_u32()) * u64::from(n);
            }
        }
        (product >> 32) as usize
    }

    /// A number in `[0, 1)`, a multiple of 2^-24.
    pub fn uniform(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 * (1.0 / (1 << 24) as f32)
    }

    /// A draw from the standard normal distribution (Marsaglia's polar method).
    pub fn normal(&mut self) -> f32 {
        if let Some(spare) = self.spare.take() {
            return spare as f32;
        }
        loop {
            let (x, y) = (self.symmetric(), self.symmetric());
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let scale = libm::sqrt(-2.0 * libm::log(square) / square);
                self.spare = Some(y * scale);
                return (x * scale) as f32;
            }
        }
    }

    /// Fills with draws from the normal distribution of this mean and standard deviation.
    pub fn fill_normal(&mut self, out: &mut [f32], mean: f32, deviation: f32) {
        out.iter_mut().for_each(|x| *x = mean + deviation * self.normal());
    }

    /// Fills with uniform draws between `low` and `high`.
    pub fn fill_uniform(&mut self, out: &mut [f32], low: f32, high: f32) {
        out.iter_mut().for_each(|x| *x = low + (high - low) * self.uniform());
    }

    /// Fills with `value` with this probability (0 to 1), else with 0.
    ///
    /// A dropout mask that keeps nine in ten and leaves the mean as it was:
    ///
    /// ```
    /// # use synthattn::rng::{Purpose, Rng};
    /// let (step, keep) = (12, 0.9);
    /// let mut mask = vec![0.0; 4096];
    /// Rng::new(0, Purpose::Dropout, step).fill_bernoulli(&mut mask, keep, 1.0 / keep);
    /// ```
    pub fn fill_bernoulli(&mut self, out: &mut [f32], probability: f32, value: f32) {
        // In 64 bits, so that a probability of 1 is above every draw.
        let threshold = (f64::from(probability.clamp(0.0, 1.0)) * 4_294_967_296.0) as u64;
        for x in out {
            *x = if u64::from(self.next_u32()) < threshold { value } else { 0.0 };
        }
    }

    /// Puts the items into a random order, each order equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// A number in `[-1, 1)`, a multiple of 2^-31.
    fn symmetric(&mut self) -> f64 {
        f64::from(self.next_u32() as i32) * (1.0 / 2_147_483_648.0)
    }
}

/// The 64-bit FNV-1a hash, <http://www.isthe.com/chongo/tech/comp/fnv/>: short, and fixed for good.
pub const fn fnv1a_64(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::{ChaCha8Rng, Purpose, Rng, SeedableRng, fnv1a_64};
    use proptest::prelude::*;

    fn first(mut rng: Rng) -> [u32; 4] {
        std::array::from_fn(|_| rng.next_u32())
    }

    #[test]
    fn the_generator_is_chacha8() {
        // The published keystream of ChaCha8 for a 256-bit key, nonce and counter of zeros.
        let mut zero = Rng { stream: ChaCha8Rng::from_seed([0; 32]), spare: None };
        let bytes: Vec<u8> = (0..4).flat_map(|_| zero.next_u32().to_le_bytes()).collect();
        assert_eq!(bytes, 0x3e00_ef2f_895f_40d6_7f5b_b8e8_1f09_a5a1_u128.to_be_bytes());
    }

    #[test]
    fn fnv_agrees_with_its_published_vectors() {
        assert_eq!(fnv1a_64(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a_64(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a_64(b"foobar"), 0x8594_4171_f739_67e8);
    }

    /// These numbers may never change: saved seeds would stop giving what they gave. The words
    /// agree with an independent ChaCha8 fed with the same keys.
    #[test]
    fn the_numbers_are_fixed() {
        assert_eq!(
            first(Rng::new(0, Purpose::Windows, 0)),
            [23_659_521, 4_214_776_526, 2_946_035_062, 2_694_077_300]
        );
        assert_eq!(
            first(Rng::new(7, Purpose::Sampling, 1 << 40)),
            [2_843_604_374, 2_605_102_011, 220_491_053, 233_896_358]
        );
        assert_eq!(
            first(Rng::named(1, "blocks.0.attn.query.weight")),
            [3_471_515_142, 4_186_243_513, 2_931_301_102, 2_242_990_140]
        );
        let mut rng = Rng::new(3, Purpose::Checks, 0);
        let uniform: [u32; 4] = std::array::from_fn(|_| rng.uniform().to_bits());
        assert_eq!(uniform, [1_051_389_990, 1_054_191_184, 1_055_637_188, 1_035_193_424]);
        let normal: [u32; 4] = std::array::from_fn(|_| rng.normal().to_bits());
        assert_eq!(normal, [3_206_896_275, 1_057_022_038, 3_215_707_638, 3_220_198_763]);
        let below: [usize; 6] = std::array::from_fn(|_| rng.below(1000));
        assert_eq!(below, [410, 458, 211, 950, 60, 210]);
        let mut cards = [0, 1, 2, 3, 4, 5, 6, 7];
        rng.shuffle(&mut cards);
        assert_eq!(cards, [4, 7, 3, 2, 1, 0, 6, 5]);
    }

    #[test]
    fn every_part_of_the_key_makes_another_stream() {
        let streams = [
            first(Rng::new(0, Purpose::Windows, 0)),
            first(Rng::new(1, Purpose::Windows, 0)),
            first(Rng::new(u32::MAX, Purpose::Windows, 0)),
            first(Rng::new(0, Purpose::Dropout, 0)),
            first(Rng::new(0, Purpose::Windows, 1)),
            first(Rng::new(0, Purpose::Windows, u64::MAX)),
            first(Rng::named(0, "a")),
            first(Rng::named(0, "b")),
            first(Rng::named(1, "a")),
        ];
        let distinct: std::collections::HashSet<_> = streams.iter().collect();
        assert_eq!(distinct.len(), streams.len());
    }

    #[test]
    fn streams_of_neighbouring_steps_are_uncorrelated() {
        const DRAWS: usize = 20_000;
        let mut draws = [vec![0.0; DRAWS], vec![0.0; DRAWS]];
        for (index, draws) in draws.iter_mut().enumerate() {
            Rng::new(0, Purpose::Dropout, index as u64).fill_normal(draws, 0.0, 1.0);
        }
        let product: f32 = draws[0].iter().zip(&draws[1]).map(|(a, b)| a * b).sum();
        // Standard error of a correlation of independent draws: 1 / sqrt(20000) = 0.007.
        assert!((product / DRAWS as f32).abs() < 0.03, "{product}");
    }

    #[test]
    fn normals_have_the_moments_of_the_normal_distribution() {
        const DRAWS: usize = 100_000;
        let mut draws = vec![0.0; DRAWS];
        Rng::named(0, "w").fill_normal(&mut draws, 3.0, 2.0);
        let moment = |power: i32| {
            let sum: f64 = draws.iter().map(|x| ((f64::from(*x) - 3.0) / 2.0).powi(power)).sum();
            sum / DRAWS as f64
        };
        // Five standard errors of each moment.
        assert!(moment(1).abs() < 0.016);
        assert!((moment(2) - 1.0).abs() < 0.023);
        assert!(moment(3).abs() < 0.062);
        assert!((moment(4) - 3.0).abs() < 0.16);
    }

    #[test]
    fn a_bernoulli_mask_keeps_its_share_and_only_its_value() {
        let mut mask = vec![9.0; 100_000];
        Rng::new(5, Purpose::Dropout, 0).fill_bernoulli(&mut mask, 0.9, 2.5);
        let kept = mask.iter().filter(|x| **x == 2.5).count();
        assert!((89_500..90_500).contains(&kept), "{kept}");
        assert_eq!(mask.iter().filter(|x| **x == 0.0).count(), mask.len() - kept);
        for (probability, expected) in [(0.0, 0.0), (1.0, 2.5), (-1.0, 0.0), (2.0, 2.5)] {
            Rng::new(5, Purpose::Dropout, 0).fill_bernoulli(&mut mask, probability, 2.5);
            assert!(mask.iter().all(|x| *x == expected));
        }
    }

    #[test]
    #[should_panic(expected = "no number below 0")]
    fn below_zero_is_a_broken_invariant() {
        Rng::new(0, Purpose::Checks, 0).below(0);
    }

    #[test]
    fn every_number_below_six_is_as_likely() {
        let mut rng = Rng::new(0, Purpose::Checks, 1);
        let mut counts = [0_i32; 6];
        (0..60_000).for_each(|_| counts[rng.below(6)] += 1);
        // 10,000 each, five standard deviations of 91.
        assert!(counts.iter().all(|count| (count - 10_000).abs() < 460), "{counts:?}");
    }

    proptest! {
        #[test]
        fn draws_stay_in_their_ranges(
            seed in any::<u32>(), index in any::<u64>(), n in 1_usize..=u32::MAX as usize,
            low in -1e3_f32..1e3, width in 0.0_f32..1e3,
        ) {
            let mut rng = Rng::new(seed, Purpose::Checks, index);
            for _ in 0..20 {
                prop_assert!(rng.below(n) < n);
                prop_assert!((0.0..1.0).contains(&rng.uniform()));
                prop_assert!(rng.normal().is_finite());
            }
            let mut filled = [0.0; 20];
            rng.fill_uniform(&mut filled, low, low + width);
            prop_assert!(filled.iter().all(|x| (low..=low + width).contains(x)));
        }

        #[test]
        fn skipped_numbers_are_those_that_would_have_come(
            before in 0_u64..100, skipped in 0_u64..700,
        ) {
            let (mut skips, mut draws) = (
                Rng::new(4, Purpose::Checks, 2), Rng::new(4, Purpose::Checks, 2),
            );
            for _ in 0..before {
                skips.next_u32();
            }
            skips.skip(skipped);
            for _ in 0..before + skipped {
                draws.next_u32();
            }
            for _ in 0..70 {
                prop_assert_eq!(skips.next_u32(), draws.next_u32());
            }
        }

        #[test]
        fn a_shuffle_keeps_every_item(seed in any::<u32>(), len in 0_usize..200) {
            let mut items: Vec<usize> = (0..len).collect();
            Rng::new(seed, Purpose::Windows, 0).shuffle(&mut items);
            items.sort_unstable();
            prop_assert_eq!(items, (0..len).collect::<Vec<_>>());
        }
    }
}
