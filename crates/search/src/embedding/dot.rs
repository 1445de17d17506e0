use super::vector::DIMENSIONS;

/// Products summed up in 16 bits before they are widened. Two of values within ±127 fit; more would not.
const LANES: usize = 8;

/// Scalar product. Written in steps that compilers turn into vector instructions on every processor: pairs of products
/// are summed in 16 bits, which is exact for values within ±127, as all of ours are.
pub(super) fn dot(row: &[i8; DIMENSIONS], query: &[i16; DIMENSIONS]) -> i32 {
    product(row, query, i16::from)
}

/// [`dot`] of a row as it is stored. A copy of the row in the type of its values costs more than the product where the
/// compiler does not see through it.
pub(super) fn dot_of_bytes(row: &[u8; DIMENSIONS], query: &[i16; DIMENSIONS]) -> i32 {
    product(row, query, |byte| i16::from(byte.cast_signed()))
}

#[inline]
fn product<T: Copy>(row: &[T; DIMENSIONS], query: &[i16; DIMENSIONS], value: impl Fn(T) -> i16) -> i32 {
    let mut sums = [0i32; LANES];
    let (rows, queries) = (row.as_chunks::<{ 2 * LANES }>().0, query.as_chunks::<{ 2 * LANES }>().0);
    for (x, y) in rows.iter().zip(queries) {
        for lane in 0..LANES {
            let first = value(x[lane]).wrapping_mul(y[lane]);
            let second = value(x[lane + LANES]).wrapping_mul(y[lane + LANES]);
            sums[lane] += i32::from(first.wrapping_add(second));
        }
    }
    sums.iter().sum()
}
