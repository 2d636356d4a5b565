//! Model files again, with a header that is made for what is said in it: lines with the spec, the
//! tokenizer, the labels (`-` for none), what is known of training, and a list of tensors
//! (`[["name", [2, 3]], ..]`). Damaging such lines gets further than damaging a file.

use serde_json::{Map, Value as Json, json};

/// The most bytes of weights that are made.
const MOST: usize = 1 << 20;

/// Makes the file and checks it.
pub fn check(bytes: &[u8]) {
    if let Some(file) = file(bytes) {
        super::checkpoint::check(&file);
    }
}

/// The file of some lines; nothing if they name no tensors.
fn file(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines = text.split('\n');
    let mut metadata = Map::new();
    metadata.insert("format".to_owned(), json!("synthattn"));
    metadata.insert("version".to_owned(), json!("1"));
    for name in ["spec", "tokenizer", "labels", "training"] {
        match lines.next()? {
            "-" => {}
            line => drop(metadata.insert(name.to_owned(), json!(line))),
        }
    }
    let tensors: Vec<(String, Vec<usize>)> = serde_json::from_str(lines.next()?).ok()?;
    let mut header = Map::new();
    header.insert("__metadata__".to_owned(), Json::Object(metadata));
    let mut end = 0;
    for (name, shape) in tensors {
        let start = end;
        let count = shape.iter().try_fold(4, |count: usize, n| count.checked_mul(*n))?;
        end = start + Some(count).filter(|count| start + count <= MOST)?;
        header
            .insert(name, json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, end] }));
    }
    let header = Json::Object(header).to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    let value = |at: usize| ((at % 17) as f32 - 8.0) / 64.0;
    file.extend((0..end / 4).flat_map(|at| value(at).to_le_bytes()));
    Some(file)
}
