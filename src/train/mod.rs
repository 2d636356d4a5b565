//! Training: schedule, optimizer, and the trainer that joins them with a model.

mod contribution;
mod optimizer;
mod packed;
mod schedule;
mod trainer;

pub use contribution::Contribution;
pub use optimizer::{Moments, Optimizer, OptimizerConfig, OptimizerKind};
pub use packed::Packed;
pub use schedule::{Schedule, ScheduleKind};
pub use trainer::{Readings, Trainer};
