//! Kernels over rows: softmax, layer norm, cross-entropy. A few threads share a short row, so that a
//! workgroup treats several; a workgroup shares a long one.

use super::cubecl::{self, prelude::*};

/// Threads that share a row of up to [`SHORT`] elements.
const FEW: usize = 8;
const SHORT: usize = 128;

/// Threads that share a row of `len` elements.
pub(super) fn lanes(len: usize) -> usize {
    match len {
        _ if len <= SHORT => FEW,
        _ if len <= 512 => 64,
        _ => 256,
    }
}

/// Threads of a workgroup of which so many share a row.
pub(super) fn threads(lanes: usize) -> usize {
    lanes.max(64)
}

/// A thread's part of a row: every so many elements from its first.
#[derive(CubeType)]
struct Part {
    row: usize,
    /// Whether there is such a row.
    exists: bool,
    /// Where the row begins.
    start: usize,
    /// Of this thread, counted from there.
    first: usize,
    /// Elements; none where there is no row.
    len: usize,
}

#[cube]
fn part_of(rows: usize, len: usize, #[comptime] lanes: usize) -> Part {
    let row = CUBE_POS * comptime![threads(lanes) / lanes] + UNIT_POS as usize / lanes;
    let exists = row < rows;
    let mut part = Part { row, exists, start: row * len, first: UNIT_POS as usize % lanes, len };
    // Barriers want every thread of a workgroup, one beyond the last row too.
    if !exists {
        part.len = 0;
    }
    part
}

/// The sum over the threads that share a row, given to each of them.
#[cube]
pub(super) fn sum_of_lanes(
    value: f32,
    shared: &mut Shared<[f32]>,
    #[comptime] lanes: usize,
) -> f32 {
    let thread = UNIT_POS as usize;
    shared[thread] = value;
    sync_cube();
    let mut total = f32::new(0.0);
    if comptime![lanes <= FEW] {
        let first = thread / lanes * lanes;
        for lane in 0..lanes {
            total += shared[first + lane];
        }
    } else {
        let mut half = comptime![lanes / 2].runtime();
        while half > 0 {
            if thread < half {
                shared[thread] += shared[thread + half];
            }
            sync_cube();
            half /= 2;
        }
        total = shared[0];
    }
    sync_cube();
    total
}

/// The largest value of the threads that share a row, given to each of them.
#[cube]
fn largest_of_lanes(value: f32, shared: &mut Shared<[f32]>, #[comptime] lanes: usize) -> f32 {
    let thread = UNIT_POS as usize;
    shared[thread] = value;
    sync_cube();
    let mut largest = value;
    if comptime![lanes <= FEW] {
        let first = thread / lanes * lanes;
        for lane in 0..lanes {
            largest = max(largest, shared[first + lane]);
        }
    } else {
        let mut half = comptime![lanes / 2].runtime();
        while half > 0 {
            if thread < half {
                shared[thread] = max(shared[thread], shared[thread + half]);
            }
            sync_cube();
            half /= 2;
        }
        largest = shared[0];
    }
    sync_cube();
    largest
}

/// Where the row of the summand that hides scores begins, for the row of scores at `row`.
#[derive(CubeType, CubeLaunch)]
pub(super) struct HiddenRows {
    /// Scores have this many heads.
    pub heads: usize,
    /// And this many queries.
    pub queries: usize,
    /// Elements from one row of the batch to the next; 0 if they share one.
    pub batch_stride: usize,
    /// Elements from one head to the next, or 0.
    pub head_stride: usize,
    /// Elements from one query to the next, or 0.
    pub query_stride: usize,
    /// Elements from one key to the next, or 0.
    pub key_stride: usize,
}

#[cube]
fn start_of(hidden: &HiddenRows, row: usize) -> usize {
    let query = row % hidden.queries;
    let head = (row / hidden.queries) % hidden.heads;
    let batch = row / hidden.queries / hidden.heads;
    batch * hidden.batch_stride + head * hidden.head_stride + query * hidden.query_stride
}

#[cube(launch_unchecked)]
pub(super) fn softmax(
    scores: &[f32],
    hidden: &[f32],
    weights: &mut [f32],
    rows: usize,
    len: usize,
    place: &HiddenRows,
    #[comptime] masked: bool,
    #[comptime] lanes: usize,
) {
    let part = part_of(rows, len, lanes);
    let mut shared = Shared::<[f32]>::new_slice(comptime![threads(lanes)]);
    let start = part.start;
    let mut of_hidden = 0;
    if masked {
        of_hidden = start_of(place, part.row);
    }

    let mut largest = f32::new(-3.0e38);
    let mut at = part.first;
    while at < part.len {
        let mut score = scores[start + at];
        if masked {
            score += hidden[of_hidden + at * place.key_stride];
        }
        largest = max(largest, score);
        at += lanes;
    }
    let largest = largest_of_lanes(largest, &mut shared, lanes);

    let mut sum = f32::new(0.0);
    let mut at = part.first;
    while at < part.len {
        let mut score = scores[start + at];
        if masked {
            score += hidden[of_hidden + at * place.key_stride];
        }
        let weight = (score - largest).exp();
        weights[start + at] = weight;
        sum += weight;
        at += lanes;
    }
    let sum = sum_of_lanes(sum, &mut shared, lanes);

    // Each lane reads what it wrote itself.
    let mut at = part.first;
    while at < part.len {
        weights[start + at] /= sum;
        at += lanes;
    }
}

/// `weights (gradient - Σ weights · gradient)`
#[cube(launch_unchecked)]
pub(super) fn softmax_gradient(
    weights: &[f32],
    gradient: &[f32],
    of_scores: &mut [f32],
    rows: usize,
    len: usize,
    #[comptime] lanes: usize,
) {
    let part = part_of(rows, len, lanes);
    let mut shared = Shared::<[f32]>::new_slice(comptime![threads(lanes)]);
    let start = part.start;
    let mut along = f32::new(0.0);
    let mut at = part.first;
    while at < part.len {
        along += weights[start + at] * gradient[start + at];
        at += lanes;
    }
    let along = sum_of_lanes(along, &mut shared, lanes);
    let mut at = part.first;
    while at < part.len {
        of_scores[start + at] = weights[start + at] * (gradient[start + at] - along);
        at += lanes;
    }
}

#[cube(launch_unchecked)]
pub(super) fn layer_norm(
    x: &[f32],
    gain: &[f32],
    shift: &[f32],
    normed: &mut [f32],
    rows: usize,
    len: usize,
    epsilon: f32,
    #[comptime] lanes: usize,
) {
    let part = part_of(rows, len, lanes);
    let mut shared = Shared::<[f32]>::new_slice(comptime![threads(lanes)]);
    let start = part.start;
    let mean = mean_of(x, &part, &mut shared, lanes);
    let deviation = deviation_of(x, mean, &part, epsilon, &mut shared, lanes);
    let mut at = part.first;
    while at < part.len {
        normed[start + at] = (x[start + at] - mean) / deviation * gain[at] + shift[at];
        at += lanes;
    }
}

#[cube]
fn mean_of(x: &[f32], part: &Part, shared: &mut Shared<[f32]>, #[comptime] lanes: usize) -> f32 {
    let mut sum = f32::new(0.0);
    let mut at = part.first;
    while at < part.len {
        sum += x[part.start + at];
        at += lanes;
    }
    sum_of_lanes(sum, shared, lanes) / f32::cast_from(part.len)
}

#[cube]
fn deviation_of(
    x: &[f32],
    mean: f32,
    part: &Part,
    epsilon: f32,
    shared: &mut Shared<[f32]>,
    #[comptime] lanes: usize,
) -> f32 {
    let mut sum = f32::new(0.0);
    let mut at = part.first;
    while at < part.len {
        let centred = x[part.start + at] - mean;
        sum += centred * centred;
        at += lanes;
    }
    (sum_of_lanes(sum, shared, lanes) / f32::cast_from(part.len) + epsilon).sqrt()
}

/// The gradient of `x`; and mean and deviation of each row, for those of gain and shift.
#[cube(launch_unchecked)]
pub(super) fn layer_norm_gradient(
    x: &[f32],
    gain: &[f32],
    gradient: &[f32],
    of_x: &mut [f32],
    statistics: &mut [f32],
    rows: usize,
    len: usize,
    epsilon: f32,
    #[comptime] lanes: usize,
) {
    let part = part_of(rows, len, lanes);
    let mut shared = Shared::<[f32]>::new_slice(comptime![threads(lanes)]);
    let start = part.start;
    let mean = mean_of(x, &part, &mut shared, lanes);
    let deviation = deviation_of(x, mean, &part, epsilon, &mut shared, lanes);

    // What came through mean and deviation goes back through them: the parts of the gradient along
    // the constant vector and along the normed one vanish.
    let mut sum = f32::new(0.0);
    let mut along = f32::new(0.0);
    let mut at = part.first;
    while at < part.len {
        let scaled = gradient[start + at] * gain[at];
        sum += scaled;
        along += scaled * ((x[start + at] - mean) / deviation);
        at += lanes;
    }
    let width = f32::cast_from(len);
    let sum = sum_of_lanes(sum, &mut shared, lanes) / width;
    let along = sum_of_lanes(along, &mut shared, lanes) / width;
    let mut at = part.first;
    while at < part.len {
        let scaled = gradient[start + at] * gain[at];
        let normed = (x[start + at] - mean) / deviation;
        of_x[start + at] = (scaled - sum - normed * along) / deviation;
        at += lanes;
    }
    if part.exists && part.first == 0 {
        statistics[2 * part.row] = mean;
        statistics[2 * part.row + 1] = deviation;
    }
}

/// The logarithm of `Σ exp(logits)` over a row, minus its largest logit, and that logit.
#[cube]
fn spread_of(
    logits: &[f32],
    part: &Part,
    shared: &mut Shared<[f32]>,
    #[comptime] lanes: usize,
) -> (f32, f32) {
    let start = part.start;
    let mut largest = f32::new(-3.0e38);
    let mut at = part.first;
    while at < part.len {
        largest = max(largest, logits[start + at]);
        at += lanes;
    }
    let largest = largest_of_lanes(largest, shared, lanes);
    let mut sum = f32::new(0.0);
    let mut at = part.first;
    while at < part.len {
        sum += (logits[start + at] - largest).exp();
        at += lanes;
    }
    (sum_of_lanes(sum, shared, lanes).ln(), largest)
}

#[cube(launch_unchecked)]
pub(super) fn cross_entropy(
    logits: &[f32],
    targets: &[i32],
    losses: &mut [f32],
    rows: usize,
    len: usize,
    #[comptime] lanes: usize,
) {
    let part = part_of(rows, len, lanes);
    let mut shared = Shared::<[f32]>::new_slice(comptime![threads(lanes)]);
    let start = part.start;
    let (spread, largest) = spread_of(logits, &part, &mut shared, lanes);
    if part.exists && part.first == 0 {
        let target = usize::cast_from(targets[part.row]);
        losses[part.row] = spread - (logits[start + target] - largest);
    }
}

/// `(softmax(logits) - onehot(target)) gradient`
#[cube(launch_unchecked)]
pub(super) fn cross_entropy_gradient(
    logits: &[f32],
    targets: &[i32],
    gradient: &[f32],
    of_logits: &mut [f32],
    rows: usize,
    len: usize,
    #[comptime] lanes: usize,
) {
    let part = part_of(rows, len, lanes);
    let mut shared = Shared::<[f32]>::new_slice(comptime![threads(lanes)]);
    let start = part.start;
    let (spread, largest) = spread_of(logits, &part, &mut shared, lanes);
    let row = min(part.row, rows - 1);
    let target = usize::cast_from(targets[row]);
    let mut at = part.first;
    while at < part.len {
        let mut share = (logits[start + at] - largest - spread).exp();
        if at == target {
            share -= 1.0;
        }
        of_logits[start + at] = share * gradient[row];
        at += lanes;
    }
}
