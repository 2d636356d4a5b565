//! Kernels that a workgroup runs over one row: softmax, layer norm, cross-entropy.

use super::cubecl::{self, prelude::*};

/// The sum over the lanes of a workgroup, given to each of them.
#[cube]
pub(super) fn sum_of_lanes(
    value: f32,
    shared: &mut Shared<[f32]>,
    #[comptime] lanes: usize,
) -> f32 {
    let lane = UNIT_POS as usize;
    shared[lane] = value;
    sync_cube();
    let mut half = comptime![lanes / 2].runtime();
    while half > 0 {
        if lane < half {
            shared[lane] += shared[lane + half];
        }
        sync_cube();
        half /= 2;
    }
    let total = shared[0];
    sync_cube();
    total
}

/// The largest value of the lanes of a workgroup, given to each of them.
#[cube]
fn largest_of_lanes(value: f32, shared: &mut Shared<[f32]>, #[comptime] lanes: usize) -> f32 {
    let lane = UNIT_POS as usize;
    shared[lane] = value;
    sync_cube();
    let mut half = comptime![lanes / 2].runtime();
    while half > 0 {
        if lane < half {
            shared[lane] = max(shared[lane], shared[lane + half]);
        }
        sync_cube();
        half /= 2;
    }
    let largest = shared[0];
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
    let row = CUBE_POS;
    if row >= rows {
        terminate!();
    }
    let mut shared = Shared::<[f32]>::new_slice(lanes);
    let lane = UNIT_POS as usize;
    let start = row * len;
    let mut of_hidden = 0;
    if masked {
        of_hidden = start_of(place, row);
    }

    let mut largest = f32::new(-3.0e38);
    let mut at = lane;
    while at < len {
        let mut score = scores[start + at];
        if masked {
            score += hidden[of_hidden + at * place.key_stride];
        }
        largest = max(largest, score);
        at += lanes;
    }
    let largest = largest_of_lanes(largest, &mut shared, lanes);

    let mut sum = f32::new(0.0);
    let mut at = lane;
    while at < len {
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
    let mut at = lane;
    while at < len {
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
    let row = CUBE_POS;
    if row >= rows {
        terminate!();
    }
    let mut shared = Shared::<[f32]>::new_slice(lanes);
    let lane = UNIT_POS as usize;
    let start = row * len;
    let mut along = f32::new(0.0);
    let mut at = lane;
    while at < len {
        along += weights[start + at] * gradient[start + at];
        at += lanes;
    }
    let along = sum_of_lanes(along, &mut shared, lanes);
    let mut at = lane;
    while at < len {
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
    let row = CUBE_POS;
    if row >= rows {
        terminate!();
    }
    let mut shared = Shared::<[f32]>::new_slice(lanes);
    let lane = UNIT_POS as usize;
    let start = row * len;
    let mean = mean_of(x, start, len, &mut shared, lanes);
    let deviation = deviation_of(x, mean, start, len, epsilon, &mut shared, lanes);
    let mut at = lane;
    while at < len {
        normed[start + at] = (x[start + at] - mean) / deviation * gain[at] + shift[at];
        at += lanes;
    }
}

#[cube]
fn mean_of(
    x: &[f32],
    start: usize,
    len: usize,
    shared: &mut Shared<[f32]>,
    #[comptime] lanes: usize,
) -> f32 {
    let mut sum = f32::new(0.0);
    let mut at = UNIT_POS as usize;
    while at < len {
        sum += x[start + at];
        at += lanes;
    }
    sum_of_lanes(sum, shared, lanes) / f32::cast_from(len)
}

#[cube]
fn deviation_of(
    x: &[f32],
    mean: f32,
    start: usize,
    len: usize,
    epsilon: f32,
    shared: &mut Shared<[f32]>,
    #[comptime] lanes: usize,
) -> f32 {
    let mut sum = f32::new(0.0);
    let mut at = UNIT_POS as usize;
    while at < len {
        let centred = x[start + at] - mean;
        sum += centred * centred;
        at += lanes;
    }
    (sum_of_lanes(sum, shared, lanes) / f32::cast_from(len) + epsilon).sqrt()
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
    let row = CUBE_POS;
    if row >= rows {
        terminate!();
    }
    let mut shared = Shared::<[f32]>::new_slice(lanes);
    let lane = UNIT_POS as usize;
    let start = row * len;
    let mean = mean_of(x, start, len, &mut shared, lanes);
    let deviation = deviation_of(x, mean, start, len, epsilon, &mut shared, lanes);

    // What came through mean and deviation goes back through them: the parts of the gradient along
    // the constant vector and along the normed one vanish.
    let mut sum = f32::new(0.0);
    let mut along = f32::new(0.0);
    let mut at = lane;
    while at < len {
        let scaled = gradient[start + at] * gain[at];
        sum += scaled;
        along += scaled * ((x[start + at] - mean) / deviation);
        at += lanes;
    }
    let width = f32::cast_from(len);
    let sum = sum_of_lanes(sum, &mut shared, lanes) / width;
    let along = sum_of_lanes(along, &mut shared, lanes) / width;
    let mut at = lane;
    while at < len {
        let scaled = gradient[start + at] * gain[at];
        let normed = (x[start + at] - mean) / deviation;
        of_x[start + at] = (scaled - sum - normed * along) / deviation;
        at += lanes;
    }
    if lane == 0 {
        statistics[2 * row] = mean;
        statistics[2 * row + 1] = deviation;
    }
}

/// The logarithm of `Σ exp(logits)` over a row, minus its largest logit, and that logit.
#[cube]
fn spread_of(
    logits: &[f32],
    start: usize,
    len: usize,
    shared: &mut Shared<[f32]>,
    #[comptime] lanes: usize,
) -> (f32, f32) {
    let lane = UNIT_POS as usize;
    let mut largest = f32::new(-3.0e38);
    let mut at = lane;
    while at < len {
        largest = max(largest, logits[start + at]);
        at += lanes;
    }
    let largest = largest_of_lanes(largest, shared, lanes);
    let mut sum = f32::new(0.0);
    let mut at = lane;
    while at < len {
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
    let row = CUBE_POS;
    if row >= rows {
        terminate!();
    }
    let mut shared = Shared::<[f32]>::new_slice(lanes);
    let start = row * len;
    let (spread, largest) = spread_of(logits, start, len, &mut shared, lanes);
    if UNIT_POS == 0 {
        let target = usize::cast_from(targets[row]);
        losses[row] = spread - (logits[start + target] - largest);
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
    let row = CUBE_POS;
    if row >= rows {
        terminate!();
    }
    let mut shared = Shared::<[f32]>::new_slice(lanes);
    let start = row * len;
    let (spread, largest) = spread_of(logits, start, len, &mut shared, lanes);
    let target = usize::cast_from(targets[row]);
    let mut at = UNIT_POS as usize;
    while at < len {
        let mut share = (logits[start + at] - largest - spread).exp();
        if at == target {
            share -= 1.0;
        }
        of_logits[start + at] = share * gradient[row];
        at += lanes;
    }
}
