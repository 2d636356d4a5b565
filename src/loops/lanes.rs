//! Sums and maxima of rows, in lanes.

pub(crate) const LANES: usize = 8;

/// The sum of `of` the values that stand at the same place of each row. All rows are as long.
#[inline(always)]
pub(crate) fn sum<const ROWS: usize>(rows: [&[f32]; ROWS], of: impl Fn([f32; ROWS]) -> f32) -> f32 {
    let len = rows[0].len();
    let rows = rows.map(|row| row[..len].as_chunks::<LANES>());
    let mut lanes = [0.0; LANES];
    // By chunks: places counted one by one are checked one by one, and do not become SIMD.
    for index in 0..len / LANES {
        let chunks = rows.map(|(chunks, _)| chunks[index]);
        for (lane, total) in lanes.iter_mut().enumerate() {
            *total += of(chunks.map(|chunk| chunk[lane]));
        }
    }
    let rest: f32 = (0..len % LANES).map(|index| of(rows.map(|(_, rest)| rest[index]))).sum();
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

/// Whether there is nothing but zeros, of either sign.
#[inline(always)]
pub(crate) fn all_zero(values: &[f32]) -> bool {
    // Mostly the first says it.
    values.first().is_none_or(|&first| first == 0.0) && sum([values], |[value]| value.abs()) == 0.0
}
