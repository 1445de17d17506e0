//! Matrix products, fast enough on one core without a library. Every sum has the same order on every processor, so
//! results do not depend on the machine.

/// Rows and columns of a block held in registers.
const BLOCK_ROWS: usize = 4;
const BLOCK_COLUMNS: usize = 16;

/// A view of a matrix in memory, possibly transposed.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    data: &'a [f32],
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Strides of rows and columns.
    step: (usize, usize),
}

impl<'a> View<'a> {
    /// A view of a row-major matrix.
    pub(super) fn new(data: &'a [f32], rows: usize, columns: usize) -> Self {
        assert_eq!(data.len(), rows * columns, "the matrix has all its numbers");
        Self { data, rows, columns, step: (columns, 1) }
    }

    /// The transposed view.
    pub(super) fn transpose(self) -> Self {
        Self { data: self.data, rows: self.columns, columns: self.rows, step: (self.step.1, self.step.0) }
    }

    fn at(&self, row: usize, column: usize) -> f32 {
        if row < self.rows && column < self.columns { self.data[row * self.step.0 + column * self.step.1] } else { 0.0 }
    }
}

/// `out = a · b`, row-major.
pub(super) fn multiply(a: View<'_>, b: View<'_>, out: &mut [f32]) {
    assert_eq!((a.columns, out.len()), (b.rows, a.rows * b.columns), "the sizes fit");
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the same code with wider registers; they were just found to be there")]
        // SAFETY: the processor supports AVX2.
        unsafe {
            return multiply_avx2(a, b, out);
        }
    }
    multiply_blocks(a, b, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn multiply_avx2(a: View<'_>, b: View<'_>, out: &mut [f32]) {
    multiply_blocks(a, b, out);
}

#[inline(always)]
fn multiply_blocks(a: View<'_>, b: View<'_>, out: &mut [f32]) {
    let depth = a.columns;
    let left: Vec<[f32; BLOCK_ROWS]> = (0..a.rows.div_ceil(BLOCK_ROWS))
        .flat_map(|block| (0..depth).map(move |k| (block, k)))
        .map(|(block, k)| std::array::from_fn(|row| a.at(block * BLOCK_ROWS + row, k)))
        .collect();
    let mut right: Vec<[f32; BLOCK_COLUMNS]> = vec![[0.0; BLOCK_COLUMNS]; depth];
    for column in (0..b.columns).step_by(BLOCK_COLUMNS) {
        for (k, panel) in right.iter_mut().enumerate() {
            *panel = std::array::from_fn(|at| b.at(k, column + at));
        }
        let width = BLOCK_COLUMNS.min(b.columns - column);
        for (block, left) in left.chunks_exact(depth).enumerate() {
            let sums = block_product(left, &right);
            for (row, sums) in sums.iter().enumerate().take(a.rows - block * BLOCK_ROWS) {
                let start = (block * BLOCK_ROWS + row) * b.columns + column;
                out[start..start + width].copy_from_slice(&sums[..width]);
            }
        }
    }
}

#[inline(always)]
fn block_product(left: &[[f32; BLOCK_ROWS]], right: &[[f32; BLOCK_COLUMNS]]) -> [[f32; BLOCK_COLUMNS]; BLOCK_ROWS] {
    let mut sums = [[0.0f32; BLOCK_COLUMNS]; BLOCK_ROWS];
    for (left, right) in left.iter().zip(right) {
        for row in 0..BLOCK_ROWS {
            for column in 0..BLOCK_COLUMNS {
                sums[row][column] += left[row] * right[column];
            }
        }
    }
    sums
}
