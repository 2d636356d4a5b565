//! Sums and maxima of rows, in lanes.

const LANES: usize = 8;

/// The sum of `of(0..len)`.
#[inline(always)]
pub(crate) fn sum(len: usize, of: impl Fn(usize) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let whole = len - len % LANES;
    for start in (0..whole).step_by(LANES) {
        for (lane, total) in lanes.iter_mut().enumerate() {
            *total += of(start + lane);
        }
    }
    let rest: f32 = (whole..len).map(of).sum();
    lanes.iter().sum::<f32>() + rest
}

/// The largest value; NaN is passed over and shows in the sums after it.
#[inline(always)]
pub(crate) fn largest(row: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for (most, &value) in lanes.iter_mut().zip(chunk) {
            *most = if value > *most { value } else { *most };
        }
    }
    lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a })
}
