//! The innermost loop of products of matrices.

/// Rows of a tile.
pub(crate) const ROWS: usize = 4;

/// Columns of a tile. In browsers two vectors of four: eight sums, two of the right side, one of the
/// left and one for their product stay in the fifteen registers that a loop may have there. One
/// vector more, and sums go to memory and back at every term, at half the speed.
pub(crate) const COLUMNS: usize = if cfg!(target_arch = "wasm32") { 8 } else { 16 };

/// A term of the right side. Vectors are read where they are aligned.
#[derive(Debug, Clone, Copy)]
#[repr(align(16))]
pub(crate) struct Columns(
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "it is read as two vectors"))]
    pub(crate) [f32; COLUMNS],
);

impl From<[f32; COLUMNS]> for Columns {
    fn from(values: [f32; COLUMNS]) -> Self {
        Self(values)
    }
}

/// So many tiles, one below the other: `out = start + left · right`, in rows `start_step` and
/// `out_step` apart. Left: `[tiles, terms, ROWS]`. Right: `[terms, COLUMNS]`.
///
/// # Safety
///
/// `start` can be read and `out` written at all `tiles * ROWS` rows of `COLUMNS` values.
#[inline(always)]
pub(crate) unsafe fn add(
    tiles: usize,
    left: &[[f32; ROWS]],
    right: &[Columns],
    start: *const f32,
    start_step: usize,
    out: *mut f32,
    out_step: usize,
) {
    assert_eq!(left.len(), tiles * right.len());
    // SAFETY: as asked for, and the left side is as long as it has to be.
    unsafe {
        #[cfg(target_arch = "wasm32")]
        if let Some(add) = fused::given() {
            let (left, right_at) = (left.as_ptr(), right.as_ptr());
            let steps = [start_step, out_step].map(|step| step * size_of::<f32>());
            return add(tiles, right.len(), left, right_at, start, steps[0], out, steps[1]);
        }
        for tile in 0..tiles {
            let left = left.get_unchecked(tile * right.len()..(tile + 1) * right.len());
            let (start, out) =
                (start.add(tile * ROWS * start_step), out.add(tile * ROWS * out_step));
            own::add(left, right, start, start_step, out, out_step);
        }
    }
}

/// The same with fused multiply-add, for browsers that have it: see `src/web/fused`.
#[cfg(target_arch = "wasm32")]
pub mod fused {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::{Columns, ROWS};

    /// Arguments of [`super::add`], with the number of terms, and steps in bytes.
    pub(super) type Add = unsafe extern "C" fn(
        usize,
        usize,
        *const [f32; ROWS],
        *const Columns,
        *const f32,
        usize,
        *mut f32,
        usize,
    );

    /// Its place in the table of functions; 0, which is no function's, if there is none.
    static PLACE: AtomicUsize = AtomicUsize::new(0);

    /// Holds a place in the table, which cannot grow.
    unsafe extern "C" fn none_yet(
        _tiles: usize,
        _terms: usize,
        _left: *const [f32; ROWS],
        _right: *const Columns,
        _start: *const f32,
        _start_step: usize,
        _out: *mut f32,
        _out_step: usize,
    ) {
        unreachable!("another function was put in place of this one");
    }

    /// Where in the table the function has to be.
    pub fn place() -> usize {
        none_yet as Add as usize
    }

    /// # Safety
    ///
    /// At [`place`] is a function that takes what [`Add`] takes and does what [`super::add`] does.
    pub unsafe fn use_it() {
        PLACE.store(place(), Relaxed);
    }

    #[inline(always)]
    pub(super) fn given() -> Option<Add> {
        match PLACE.load(Relaxed) {
            0 => None,
            // SAFETY: `use_it` was told so.
            place => Some(unsafe { std::mem::transmute::<usize, Add>(place) }),
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod own {
    use core::arch::wasm32::{f32x4_add, f32x4_mul, f32x4_splat, v128, v128_load, v128_store};

    use super::{Columns, ROWS};

    /// See [`super::add`].
    pub(super) unsafe fn add(
        left: &[[f32; ROWS]],
        right: &[Columns],
        start: *const f32,
        start_step: usize,
        out: *mut f32,
        out_step: usize,
    ) {
        // SAFETY: rows of `start` and `out` are the caller's; others are read within slices.
        unsafe {
            let mut sums: [[v128; 2]; ROWS] = std::array::from_fn(|row| {
                let start = start.add(row * start_step);
                [v128_load(start.cast()), v128_load(start.add(4).cast())]
            });
            // Addresses are counted on as numbers. What lies some way behind such a pointer is read by an
            // instruction that the distance is part of; behind a pointer that moves, it is added first.
            let (mut left_at, mut right_at) = (left.as_ptr() as usize, right.as_ptr() as usize);
            for _term in right {
                let (left, right) = (left_at as *const f32, right_at as *const f32);
                // Volatile keeps the order of loads: the compiler's own has more of them at once
                // than there are registers.
                let first = right.cast::<v128>().read_volatile();
                let second = right.add(4).cast::<v128>().read_volatile();
                for (row, sums) in sums.iter_mut().enumerate() {
                    let left = f32x4_splat(left.add(row).read_volatile());
                    sums[0] = f32x4_add(sums[0], f32x4_mul(left, first));
                    sums[1] = f32x4_add(sums[1], f32x4_mul(left, second));
                }
                left_at = left_at.unchecked_add(size_of::<[f32; ROWS]>());
                right_at = right_at.unchecked_add(size_of::<Columns>());
            }
            for (row, sums) in sums.iter().enumerate() {
                let out = out.add(row * out_step);
                v128_store(out.cast(), sums[0]);
                v128_store(out.add(4).cast(), sums[1]);
            }
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod own {
    use super::{COLUMNS, Columns, ROWS};

    /// See [`super::add`].
    pub(super) unsafe fn add(
        left: &[[f32; ROWS]],
        right: &[Columns],
        start: *const f32,
        start_step: usize,
        out: *mut f32,
        out_step: usize,
    ) {
        // SAFETY: the caller's, and the processor has what is asked of it.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return with_avx2(left, right, start, start_step, out, out_step);
            }
            let term = |sum, left, right| left * right + sum;
            general(left, right, start, start_step, out, out_step, term);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn with_avx2(
        left: &[[f32; ROWS]],
        right: &[Columns],
        start: *const f32,
        start_step: usize,
        out: *mut f32,
        out_step: usize,
    ) {
        let term = |sum, left: f32, right| left.mul_add(right, sum);
        // SAFETY: the caller's.
        unsafe { general(left, right, start, start_step, out, out_step, term) }
    }

    #[inline(always)]
    unsafe fn general(
        left: &[[f32; ROWS]],
        right: &[Columns],
        start: *const f32,
        start_step: usize,
        out: *mut f32,
        out_step: usize,
        term: impl Fn(f32, f32, f32) -> f32,
    ) {
        // SAFETY: rows of `start` and `out` are the caller's.
        unsafe {
            let mut sums: [[f32; COLUMNS]; ROWS] = std::array::from_fn(|row| {
                start.add(row * start_step).cast::<[f32; COLUMNS]>().read()
            });
            for (left, Columns(right)) in left.iter().zip(right) {
                for (sums, left) in sums.iter_mut().zip(left) {
                    for (sum, right) in sums.iter_mut().zip(right) {
                        *sum = term(*sum, *left, *right);
                    }
                }
            }
            for (row, sums) in sums.iter().enumerate() {
                out.add(row * out_step).cast::<[f32; COLUMNS]>().write(*sums);
            }
        }
    }
}
