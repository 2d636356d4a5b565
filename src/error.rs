//! The one error type of the crate, with a stable code per variant.
//! JavaScript sees the same codes as `SynthError.code`; callers match codes, never the prose.

use std::fmt;

/// What went wrong, with the value at fault and what was expected instead. More kinds of it may come.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A setting is unknown, of the wrong type or out of range.
    InvalidOption {
        /// Name of the option as the caller wrote it, e.g. `dModel`.
        option: String,
        /// The offending value, printed.
        value: String,
        /// What would have been accepted.
        expected: String,
    },
    /// The training or evaluation data cannot be used.
    InvalidData {
        /// Zero-based index of the row at fault, where there is one.
        row: Option<usize>,
        /// What is wrong with it.
        reason: String,
    },
    /// A text does not fit into the model's `maxLength` where cutting it would change its meaning.
    TextTooLong {
        /// Length of the text in tokens.
        tokens: usize,
        /// The most the model takes.
        limit: usize,
    },
    /// No attention kind has this name.
    UnknownKind {
        /// The name asked for.
        kind: String,
    },
    /// The model's task does not offer this call.
    WrongTask {
        /// The model's task.
        task: String,
        /// The call that was made.
        call: String,
    },
    /// WebGPU was asked for and cannot be had.
    WebGpuUnavailable {
        /// Why, in one sentence a person can act on.
        reason: String,
    },
    /// A device was asked for, outside of a browser, and cannot be had.
    DeviceUnavailable {
        /// The device by its name in configurations.
        device: String,
        /// Why, in one sentence a person can act on.
        reason: String,
    },
    /// The device stopped answering.
    DeviceLost {
        /// What the device said.
        reason: String,
    },
    /// A tensor is larger than what the device can hold at once.
    OutOfMemory {
        /// Bytes of the tensor.
        needed: u64,
        /// The most bytes the device takes.
        limit: u64,
    },
    /// The loss is not a finite number any more; the last good weights are back in place.
    Diverged {
        /// Model step at which the loss was read.
        step: u64,
        /// Model step of the weights now in place.
        restored: u64,
    },
    /// The bytes are not a model file, or a damaged one.
    CorruptFile {
        /// What does not hold.
        reason: String,
    },
    /// The model file was written by a newer version.
    UnsupportedVersion {
        /// Format version of the file.
        found: u64,
        /// The newest this version reads.
        newest: u64,
    },
    /// A second run was started before the first one ended.
    Busy {
        /// What is still going on.
        what: String,
    },
    /// The kind mixes tokens without weights that could be shown.
    AttentionUnavailable {
        /// The kind.
        kind: String,
    },
    /// The crate's own fault.
    Internal {
        /// What broke.
        reason: String,
    },
}

/// `std::result::Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An [`Error::InvalidOption`].
    pub fn option(
        option: impl Into<String>,
        value: impl fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        Error::InvalidOption {
            option: option.into(),
            value: value.to_string(),
            expected: expected.into(),
        }
    }

    /// An [`Error::InvalidData`] about the whole data set.
    pub fn data(reason: impl Into<String>) -> Self {
        Error::InvalidData { row: None, reason: reason.into() }
    }

    /// An [`Error::CorruptFile`].
    pub fn corrupt(reason: impl Into<String>) -> Self {
        Error::CorruptFile { reason: reason.into() }
    }

    /// The stable code, the same in Rust and JavaScript.
    pub fn code(&self) -> &'static str {
        match self {
            Error::InvalidOption { .. } => "invalid-option",
            Error::InvalidData { .. } => "invalid-data",
            Error::TextTooLong { .. } => "text-too-long",
            Error::UnknownKind { .. } => "unknown-kind",
            Error::WrongTask { .. } => "wrong-task",
            Error::WebGpuUnavailable { .. } => "webgpu-unavailable",
            Error::DeviceUnavailable { .. } => "device-unavailable",
            Error::DeviceLost { .. } => "device-lost",
            Error::OutOfMemory { .. } => "out-of-memory",
            Error::Diverged { .. } => "diverged",
            Error::CorruptFile { .. } => "corrupt-file",
            Error::UnsupportedVersion { .. } => "unsupported-version",
            Error::Busy { .. } => "busy",
            Error::AttentionUnavailable { .. } => "attention-unavailable",
            Error::Internal { .. } => "internal",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::InvalidOption { option, value, expected } => {
                write!(f, "option `{option}` is {value}, expected {expected}")
            }
            Error::InvalidData { row: Some(row), reason } => write!(f, "row {row}: {reason}"),
            Error::InvalidData { row: None, reason } => write!(f, "{reason}"),
            Error::TextTooLong { tokens, limit } => {
                write!(f, "the text has {tokens} tokens, the model takes at most {limit}")
            }
            Error::UnknownKind { kind } => write!(f, "no attention kind is called `{kind}`"),
            Error::WrongTask { task, call } => {
                write!(f, "`{call}` does not apply to a model for the task `{task}`")
            }
            Error::WebGpuUnavailable { reason } => write!(f, "WebGPU is not available: {reason}"),
            Error::DeviceUnavailable { device, reason } => {
                write!(f, "the device `{device}` is not available: {reason}")
            }
            Error::DeviceLost { reason } => write!(f, "the device was lost: {reason}"),
            Error::OutOfMemory { needed, limit } => write!(
                f,
                "the device takes {limit} bytes at once, and this needs {needed}: a smaller batch, length or model fits"
            ),
            Error::Diverged { step, restored } => write!(
                f,
                "the loss was not finite at step {step}; the weights of step {restored} are back"
            ),
            Error::CorruptFile { reason } => write!(f, "not a usable model file: {reason}"),
            Error::UnsupportedVersion { found, newest } => {
                write!(f, "the file has format version {found}, this version reads up to {newest}")
            }
            Error::Busy { what } => write!(f, "{what}"),
            Error::AttentionUnavailable { kind } => {
                write!(f, "`{kind}` mixes tokens without attention weights")
            }
            Error::Internal { reason } => write!(f, "internal error: {reason}"),
        }
    }
}

impl std::error::Error for Error {}
