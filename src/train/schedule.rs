//! The learning rate as a pure function of the step.
//! Linear warm-up (Vaswani et al. 2017, section 5.3), then constant, cosine
//! (Loshchilov and Hutter, "SGDR", <https://arxiv.org/abs/1608.03983>) or linear decay to zero.

/// How the rate goes on after warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScheduleKind {
    /// Stays at the peak.
    #[default]
    Constant,
    /// Half a cosine wave down to zero at the end of the span.
    Cosine,
    /// A straight line down to zero at the end of the span.
    Linear,
}

impl ScheduleKind {
    /// All, in the order of menus.
    pub const ALL: [ScheduleKind; 3] =
        [ScheduleKind::Constant, ScheduleKind::Cosine, ScheduleKind::Linear];

    /// The name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            ScheduleKind::Constant => "constant",
            ScheduleKind::Cosine => "cosine",
            ScheduleKind::Linear => "linear",
        }
    }
}

/// The rate of each step of a span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// Shape after warm-up.
    pub kind: ScheduleKind,
    /// The highest rate.
    pub peak: f64,
    /// Steps of linear rise at the start of the span.
    pub warmup: u64,
    /// Model step before the first step of the span.
    pub start: u64,
    /// Model step after the last one.
    pub end: u64,
}

impl Schedule {
    /// The rate of the step that takes the model from `step` to `step + 1`.
    ///
    /// Never zero within the span, so that no step is wasted; before and after it the ends hold.
    pub fn rate(&self, step: u64) -> f64 {
        let steps = self.end.saturating_sub(self.start).max(1);
        let done = step.saturating_sub(self.start).min(steps - 1);
        if done < self.warmup {
            return self.peak * (done + 1) as f64 / self.warmup as f64;
        }
        // From 0 at the first step after warm-up to just below 1 at the last.
        let progress = (done - self.warmup) as f64 / (steps - self.warmup) as f64;
        self.peak
            * match self.kind {
                ScheduleKind::Constant => 1.0,
                ScheduleKind::Cosine => 0.5 * (1.0 + libm::cos(std::f64::consts::PI * progress)),
                ScheduleKind::Linear => 1.0 - progress,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(kind: ScheduleKind) -> Schedule {
        Schedule { kind, peak: 0.1, warmup: 10, start: 5, end: 115 }
    }

    #[test]
    fn warm_up_rises_to_the_peak() {
        for kind in ScheduleKind::ALL {
            let schedule = schedule(kind);
            assert!((schedule.rate(5) - 0.01).abs() < 1e-12, "{kind:?}");
            assert!((schedule.rate(14) - 0.1).abs() < 1e-12, "{kind:?}");
            assert!((schedule.rate(15) - 0.1).abs() < 1e-12, "{kind:?}");
        }
    }

    #[test]
    fn decay_is_half_way_down_in_the_middle_and_never_zero() {
        for kind in [ScheduleKind::Cosine, ScheduleKind::Linear] {
            let schedule = schedule(kind);
            assert!((schedule.rate(65) - 0.05).abs() < 1e-12, "{kind:?}");
            assert!(schedule.rate(114) > 0.0, "{kind:?}");
            assert!(schedule.rate(114) < 0.002, "{kind:?}");
        }
    }

    #[test]
    fn a_span_shorter_than_its_warm_up_only_rises() {
        let short = Schedule { warmup: 100, end: 10, start: 0, ..schedule(ScheduleKind::Cosine) };
        assert!((short.rate(9) - 0.01).abs() < 1e-12);
    }

    #[test]
    fn constant_without_warm_up_is_the_peak_everywhere() {
        let flat = Schedule { warmup: 0, ..schedule(ScheduleKind::Constant) };
        assert!((0..300).all(|step| flat.rate(step) == 0.1));
    }
}
