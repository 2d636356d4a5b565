//! Reading a folder of golden vectors: the manifest, and the tensors of each file.
//!
//! Everything is checked against the manifest while reading, so that a set that is missing, cut
//! short or of another format is an error in words and never a test that compares nothing.

use std::collections::{BTreeMap, HashMap};

use burn::tensor::TensorData;
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;
use synthattn::attention::{Dims, Kind, KindOptions, Mixing};
use synthattn::model::CrossAttention;
use synthattn::model::layers::LAYER_NORM_EPSILON;

/// What may go wrong with a set, in words.
pub type Result<T> = std::result::Result<T, String>;

/// Kinds whose name in golden files is not their own with underscores.
const RENAMED: [(&str, &str); 3] = [
    ("lightweight-convolution", "light_conv"),
    ("dynamic-convolution", "dynamic_conv"),
    ("mlp-mixer", "mixer"),
];

/// Kinds that `generate.py` learnt after the others. A set written before has none of them, and is
/// still good for the rest.
pub const ADDED: [&str; 2] = ["fnet", "aft"];

/// What golden files call a kind.
pub fn variant_of(kind: &Kind) -> String {
    let renamed = RENAMED.iter().find(|(name, _)| *name == kind.name);
    renamed.map_or_else(|| kind.name.replace(['-', '+'], "_"), |(_, variant)| (*variant).to_owned())
}

/// Tensors by name.
pub type Tensors = HashMap<String, TensorData>;

/// A folder of golden vectors in memory.
#[derive(Clone)]
pub struct Set {
    /// Contents by file name, `manifest.json` and scripts included.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// The manifest, as `generate.py` writes it.
#[derive(Deserialize)]
struct Manifest {
    format: u32,
    layer_norm_eps: f64,
    files: Vec<Entry>,
}

/// One file.
#[derive(Deserialize)]
pub struct Entry {
    /// Its name.
    pub file: String,
    /// Names, types and shapes of its tensors.
    tensors: BTreeMap<String, (String, Vec<usize>)>,
    /// What it tests.
    #[serde(flatten)]
    pub content: Content,
}

/// What a file tests.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// A token mixer alone.
    TokenMixing(Layer),
    /// A block around a token mixer.
    Block(Layer),
    /// An encoder-decoder.
    Seq2seq(Sequence),
    /// A language model and the first steps of two optimizers.
    LmStep(Steps),
}

/// A token mixer or block, and inputs to it.
#[derive(Deserialize)]
pub struct Layer {
    /// The kind.
    pub variant: String,
    /// Its sizes.
    pub config: Config,
    /// Weights without gradient.
    pub frozen: Vec<String>,
    /// The inputs.
    pub cases: Vec<Case>,
}

/// One input.
#[derive(Deserialize)]
pub struct Case {
    /// Prefix of its tensors.
    pub name: String,
    /// Rows.
    pub batch: usize,
    /// Positions.
    pub length: usize,
    /// Whether the future is hidden.
    pub causal: bool,
    /// Real tokens of each row, if some are padding.
    pub key_lengths: Option<Vec<usize>>,
}

/// An encoder-decoder and one batch.
#[derive(Deserialize)]
pub struct Sequence {
    /// The kind of its self-attention.
    pub variant: String,
    /// Sizes of the model.
    pub config: Config,
    /// Rows.
    pub batch: usize,
    /// Positions of the sources.
    pub src_len: usize,
    /// Real tokens of each source.
    pub src_lengths: Vec<usize>,
    /// Positions of the targets.
    pub tgt_len: usize,
    /// Real tokens of each target.
    pub tgt_lengths: Vec<usize>,
}

/// A language model per variant, and what two optimizers make of it.
#[derive(Deserialize)]
pub struct Steps {
    /// Sizes of the model.
    pub config: Config,
    /// Rows of the one batch.
    pub batch: usize,
    /// Positions of the one batch.
    pub length: usize,
    /// Optimizer steps.
    pub steps: usize,
    /// Settings of plain gradient descent.
    pub sgd: Sgd,
    /// Settings of AdamW.
    pub adamw: AdamW,
    /// The kinds.
    pub variants: Vec<Variant>,
}

/// Settings of plain gradient descent.
#[derive(Deserialize)]
pub struct Sgd {
    /// Learning rate.
    pub lr: f64,
}

/// Settings of AdamW.
#[derive(Deserialize)]
pub struct AdamW {
    /// Learning rate.
    pub lr: f64,
    /// Decay of the first moment.
    pub beta1: f64,
    /// Decay of the second moment.
    pub beta2: f64,
    /// Added to the root of the second moment.
    pub eps: f64,
    /// Weight decay.
    pub weight_decay: f64,
}

/// One kind of a steps file.
#[derive(Deserialize)]
pub struct Variant {
    /// The kind.
    pub name: String,
}

/// Sizes; those that a kind or model does not have are absent.
#[derive(Deserialize)]
pub struct Config {
    d_model: usize,
    /// Absent in kinds without heads.
    n_heads: Option<usize>,
    max_len: usize,
    dense_hidden_per_head: Option<usize>,
    factor_a: Option<usize>,
    factor_b: Option<usize>,
    factor_k: Option<usize>,
    mixture_per_head: Option<bool>,
    kernel_size: Option<usize>,
    projected_len: Option<usize>,
    token_hidden: Option<usize>,
    /// Width of the feed-forward part.
    pub d_ff: Option<usize>,
    /// Token ids.
    pub vocab: Option<usize>,
    /// Blocks.
    pub layers: Option<usize>,
    /// How decoders score their source, if not by dot products.
    cross: Option<String>,
}

impl Config {
    /// How decoders score their source.
    pub fn cross(&self) -> Result<CrossAttention> {
        let named = self.cross.as_deref().map(CrossAttention::named);
        named.unwrap_or(Ok(CrossAttention::default())).map_err(|error| error.to_string())
    }

    /// Sizes that every kind needs.
    pub fn dims(&self) -> Dims {
        let heads = self.n_heads.unwrap_or(1);
        Dims { d_model: self.d_model, heads, max_len: self.max_len }
    }

    /// Settings of the kind.
    pub fn options(&self) -> Result<KindOptions> {
        let mut options = KindOptions::defaults(&self.dims());
        for (size, option) in [
            (self.dense_hidden_per_head, &mut options.hidden),
            (self.factor_k, &mut options.rank),
            (self.kernel_size, &mut options.kernel),
            (self.projected_len, &mut options.projected),
            (self.token_hidden, &mut options.tokens_hidden),
        ] {
            *option = size.unwrap_or(*option);
        }
        if let Some(a) = self.factor_a {
            let b = self.factor_b.ok_or("factor_a without factor_b")?;
            if a * b != self.max_len {
                return Err(format!("factors {a} and {b} do not make {}", self.max_len));
            }
            options.a = a;
        }
        if let Some(per_head) = self.mixture_per_head {
            options.mixing = if per_head { Mixing::Head } else { Mixing::Layer };
        }
        Ok(options)
    }
}

impl Set {
    /// The set that `SYNTHATTN_GOLDEN` names, or else the one beside the tests.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open() -> Result<Self> {
        match std::env::var_os("SYNTHATTN_GOLDEN") {
            Some(folder) => Self::read(std::path::Path::new(&folder)),
            None => Self::beside_the_tests(),
        }
    }

    /// The set in `tests/golden`.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn beside_the_tests() -> Result<Self> {
        Self::read(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden")))
    }

    /// The set in a folder.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn read(folder: &std::path::Path) -> Result<Self> {
        let told = |error: std::io::Error| format!("{}: {error}", folder.display());
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(folder).map_err(told)? {
            let path = entry.map_err(told)?.path();
            if path.is_file() {
                let name = path.file_name().expect("a file has a name").to_string_lossy();
                files.insert(name.into_owned(), std::fs::read(&path).map_err(told)?);
            }
        }
        Ok(Self { files })
    }

    /// The set that `SYNTHATTN_GOLDEN` named when the test was compiled: a browser has no folders.
    /// `.cargo/config.toml` gives the variable its default.
    #[cfg(target_arch = "wasm32")]
    pub fn open() -> Result<Self> {
        // Tells cargo to compile anew when the variable changes, which the macro below does not.
        const _: &str = env!("SYNTHATTN_GOLDEN");
        static EMBEDDED: include_dir::Dir = include_dir::include_dir!("$SYNTHATTN_GOLDEN");
        let file = |file: &include_dir::File| {
            (file.path().display().to_string(), file.contents().to_vec())
        };
        Ok(Self { files: EMBEDDED.files().map(file).collect() })
    }

    fn file(&self, name: &str) -> Result<&[u8]> {
        let found = self.files.get(name).map(Vec::as_slice);
        found.ok_or_else(|| format!("{name} is missing"))
    }

    /// What the manifest lists.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        let manifest: Manifest = serde_json::from_slice(self.file("manifest.json")?)
            .map_err(|error| format!("manifest.json: {error}"))?;
        if manifest.format != 1 {
            return Err(format!("manifest.json has format {}, expected 1", manifest.format));
        }
        if manifest.layer_norm_eps != LAYER_NORM_EPSILON {
            return Err(format!("layer norms with epsilon {}", manifest.layer_norm_eps));
        }
        Ok(manifest.files)
    }

    /// The tensors of a file, which must be those the manifest lists.
    pub fn tensors(&self, entry: &Entry) -> Result<Tensors> {
        let told = |what: String| format!("{}: {what}", entry.file);
        let bytes = self.file(&entry.file)?;
        let file = SafeTensors::deserialize(bytes).map_err(|error| told(error.to_string()))?;
        if file.len() != entry.tensors.len() {
            let counts = (file.len(), entry.tensors.len());
            return Err(told(format!("{} tensors, {} in the manifest", counts.0, counts.1)));
        }
        let mut tensors = Tensors::new();
        for (name, (dtype, shape)) in &entry.tensors {
            let view = file.tensor(name).map_err(|error| told(error.to_string()))?;
            if view.shape() != shape {
                let shapes = (view.shape(), shape);
                return Err(told(format!(
                    "{name} is {:?}, {:?} in the manifest",
                    shapes.0, shapes.1
                )));
            }
            let words =
                view.data().chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
            let data = match (view.dtype(), dtype.as_str()) {
                (Dtype::F32, "float32") => {
                    TensorData::new(words.map(f32::from_le_bytes).collect(), shape.clone())
                }
                (Dtype::I32, "int32") => {
                    TensorData::new(words.map(i32::from_le_bytes).collect(), shape.clone())
                }
                (Dtype::U8, "uint8") => TensorData::new(view.data().to_vec(), shape.clone()),
                (found, listed) => {
                    return Err(told(format!("{name} is {found:?}, {listed} in the manifest")));
                }
            };
            tensors.insert(name.clone(), data);
        }
        Ok(tensors)
    }
}

/// Takes all tensors whose names begin with `prefix`, and the prefix off their names.
pub fn take(tensors: &mut Tensors, prefix: &str) -> Tensors {
    let taken = tensors.extract_if(|name, _| name.starts_with(prefix));
    taken.map(|(name, data)| (name[prefix.len()..].to_owned(), data)).collect()
}

/// Takes one tensor.
pub fn take_one(tensors: &mut Tensors, name: &str) -> Result<TensorData> {
    tensors.remove(name).ok_or_else(|| format!("{name} is missing"))
}
