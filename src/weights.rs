//! Weights by name: what files, golden vectors and optimizer state call them.
//!
//! A name is the path of fields (`blocks.0.attn.query.weight`). Containers that only choose or
//! hold parts of an attention kind leave no trace but the part's own [scope](Scores::SCOPE).

use std::collections::HashMap;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Gradients, Tensor, TensorData, Transaction};

use crate::attention::Part;
#[cfg(doc)]
use crate::attention::Scores;
use crate::error::{Error, Result};

/// One weight tensor of a module, without its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Unique within the module.
    pub name: String,
    /// Row-major.
    pub shape: Vec<usize>,
    /// False for frozen tables.
    pub trainable: bool,
}

impl Entry {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The path from the root of a module to where a visitor stands.
#[derive(Debug, Default)]
struct Path {
    /// The field or index as Burn names it, and what it adds to the name.
    steps: Vec<(String, Option<String>)>,
}

impl Path {
    fn enter(&mut self, name: &str, container: &str) {
        let within_parts = self.steps.last().is_some_and(|(raw, _)| raw == "parts");
        let shown = match container {
            "Enum:AnyMixer" | "Enum:Net" => None,
            "Enum:AnyScores" => {
                let scope = Part::scope(name).expect("every variant of AnyScores is a part");
                Some(scope.to_owned()).filter(|scope| !scope.is_empty())
            }
            "Vec" if within_parts => None,
            _ if name == "parts" => None,
            _ => Some(name.to_owned()),
        };
        self.steps.push((name.to_owned(), shown));
    }

    fn exit(&mut self) {
        self.steps.pop();
    }

    fn name(&self) -> String {
        let shown: Vec<&str> =
            self.steps.iter().filter_map(|(_, shown)| shown.as_deref()).collect();
        shown.join(".")
    }
}

/// Calls a function for each weight. `Visit` cannot be a closure: it is generic over the rank.
trait Visit {
    fn weight<const D: usize>(&mut self, name: String, param: &Param<Tensor<D>>);
}

struct Visitor<'a, V> {
    path: Path,
    visit: &'a mut V,
}

impl<V: Visit> ModuleVisitor for Visitor<'_, V> {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.exit();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.visit.weight(self.path.name(), param);
    }
}

fn visit(module: &impl Module, visit: &mut impl Visit) {
    module.visit(&mut Visitor { path: Path::default(), visit });
}

impl Visit for Vec<Entry> {
    fn weight<const D: usize>(&mut self, name: String, param: &Param<Tensor<D>>) {
        let shape = param.lazy_shape().to_vec();
        self.push(Entry { name, shape, trainable: param.is_require_grad() });
    }
}

/// All weights in the module's own order.
///
/// Frozen tables can only be told apart on a device with autodiff; elsewhere nothing is trainable.
pub fn list(module: &impl Module) -> Vec<Entry> {
    let mut entries = Vec::new();
    visit(module, &mut entries);
    entries
}

/// What Burn knows weights by, whatever becomes of their values, by name.
#[cfg(feature = "distributed")]
pub(crate) fn numbers(module: &impl Module) -> HashMap<String, u64> {
    #[derive(Default)]
    struct Numbers(HashMap<String, u64>);
    impl Visit for Numbers {
        fn weight<const D: usize>(&mut self, name: String, param: &Param<Tensor<D>>) {
            self.0.insert(name, param.id.val());
        }
    }
    let mut numbers = Numbers::default();
    visit(module, &mut numbers);
    numbers.0
}

/// Values of all weights, read from the device in one go, in the module's own order.
pub async fn read(module: &impl Module) -> Result<Vec<(String, TensorData)>> {
    read_those(module, |_trainable| true).await
}

/// The same of frozen tables alone; of a module on a device with autodiff.
pub(crate) async fn read_frozen(module: &impl Module) -> Result<Vec<(String, TensorData)>> {
    read_those(module, |trainable| !trainable).await
}

async fn read_those(
    module: &impl Module,
    wanted: fn(bool) -> bool,
) -> Result<Vec<(String, TensorData)>> {
    struct Read {
        wanted: fn(bool) -> bool,
        names: Vec<String>,
        transaction: Transaction,
    }
    impl Visit for Read {
        fn weight<const D: usize>(&mut self, name: String, param: &Param<Tensor<D>>) {
            if (self.wanted)(param.is_require_grad()) {
                self.names.push(name);
                let transaction = std::mem::take(&mut self.transaction);
                self.transaction = transaction.register(param.val().inner());
            }
        }
    }
    let mut read = Read { wanted, names: Vec::new(), transaction: Transaction::default() };
    visit(module, &mut read);
    let values = read.transaction.execute_async().await.map_err(lost)?;
    Ok(read.names.into_iter().zip(values).collect())
}

/// Values of a flat tensor, read from the device.
pub(crate) async fn values(flat: &Tensor<1>) -> Result<Vec<f32>> {
    let data = flat.clone().into_data_async().await.map_err(lost)?;
    data.try_into_vec::<f32>().map_err(lost)
}

/// A failed read-back: the device is gone or unusable.
pub(crate) fn lost(error: impl std::fmt::Debug) -> Error {
    Error::DeviceLost { reason: format!("{error:?}") }
}

/// Gradients of all weights that have one, by name. The gradients are taken out of `gradients`.
pub fn gradients(module: &impl Module, gradients: &mut Gradients) -> HashMap<String, Tensor<1>> {
    struct Take<'a> {
        gradients: &'a mut Gradients,
        found: HashMap<String, Tensor<1>>,
    }
    impl Visit for Take<'_> {
        fn weight<const D: usize>(&mut self, name: String, param: &Param<Tensor<D>>) {
            if let Some(gradient) = param.val().grad_remove(self.gradients) {
                let len = gradient.shape().num_elements();
                self.found.insert(name, gradient.reshape([len]));
            }
        }
    }
    let mut take = Take { gradients, found: HashMap::new() };
    visit(module, &mut take);
    take.found
}

impl Visit for HashMap<String, Tensor<1>> {
    fn weight<const D: usize>(&mut self, name: String, param: &Param<Tensor<D>>) {
        let tensor = param.val().inner();
        let len = tensor.shape().num_elements();
        self.insert(name, tensor.reshape([len]));
    }
}

/// All weights by name, flattened and without autodiff.
pub fn flatten(module: &impl Module) -> HashMap<String, Tensor<1>> {
    let mut flat = HashMap::new();
    visit(module, &mut flat);
    flat
}

/// Replaces weights by what `values` gives for a name, flattened; `None` keeps the weight.
///
/// Values come without autodiff; each weight keeps its own training state.
pub fn replace<M: Module>(module: M, values: &mut dyn FnMut(&str) -> Option<Tensor<1>>) -> M {
    struct Replace<'a> {
        path: Path,
        values: &'a mut dyn FnMut(&str) -> Option<Tensor<1>>,
    }
    impl ModuleMapper for Replace<'_> {
        fn enter_module(&mut self, name: &str, container: &str) {
            self.path.enter(name, container);
        }

        fn exit_module(&mut self, _name: &str, _container: &str) {
            self.path.exit();
        }

        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            let Some(value) = (self.values)(&self.path.name()) else { return param };
            let (id, old, mapper) = param.consume();
            let mut tensor = value.reshape(old.dims());
            if old.is_autodiff() {
                tensor = tensor.autodiff().set_require_grad(old.is_require_grad());
            }
            Param::from_mapped_value(id, tensor, mapper)
        }
    }
    module.map(&mut Replace { path: Path::default(), values })
}

/// Sets every weight from `values` by name; their number and shapes must be the module's.
///
/// # Errors
///
/// [`Error::CorruptFile`] names the first weight that is missing, superfluous or of another shape;
/// the module is then left as it was.
pub fn load<M: Module>(module: M, values: &HashMap<String, TensorData>) -> Result<M> {
    let entries = list(&module);
    for Entry { name, shape, .. } in &entries {
        let found =
            values.get(name).ok_or_else(|| Error::corrupt(format!("`{name}` is missing")))?;
        if found.shape().to_vec() != *shape {
            let reason =
                format!("`{name}` has shape {:?}, expected {shape:?}", found.shape().to_vec());
            return Err(Error::corrupt(reason));
        }
    }
    if values.len() != entries.len() {
        let known = |name: &&String| !entries.iter().any(|entry| entry.name == **name);
        let extra = values.keys().filter(known).min().expect("more values than weights");
        return Err(Error::corrupt(format!("`{extra}` is no weight of this model")));
    }
    // A module without weights has no device either.
    let Some(device) = module.devices().first().map(|device| device.clone().inner()) else {
        return Ok(module);
    };
    Ok(replace(module, &mut |name| {
        let data = &values[name];
        let len = data.shape().num_elements();
        Some(Tensor::<1>::from_data(
            TensorData::new(data.try_to_vec::<f32>().ok()?, [len]),
            &device,
        ))
    }))
}
