use super::vector::DIMENSIONS;

/// Products summed up in 16 bits before they are widened. Two of values within ±127 fit; more would not.
const LANES: usize = 8;
/// Bytes of a row as it is stored, two values in each.
pub(super) const HALF: usize = DIMENSIONS / 2;
/// Bytes of a row that are looked at together: their low halves stand for as many values, their high halves for the next.
const BLOCK: usize = 16;
/// What a value has more where it is stored, so that none is negative there.
const BIAS: i16 = 8;

/// The values of a query as products take them.
#[derive(Debug, Clone)]
pub(super) struct Wide {
    values: [i16; DIMENSIONS],
    /// What the bias of a stored row adds to the product.
    bias: i32,
}

impl Wide {
    pub(super) fn new(values: &[i8; DIMENSIONS]) -> Self {
        let values = values.map(i16::from);
        let sum: i32 = values.iter().map(|value| i32::from(*value)).sum();
        Self { values, bias: i32::from(BIAS) * sum }
    }
}

/// Scalar product. Written in steps that compilers turn into vector instructions on every processor: pairs of products
/// are summed in 16 bits, which is exact for values within ±127, as all of ours are.
pub(super) fn dot(row: &[i8; DIMENSIONS], query: &Wide) -> i32 {
    let mut sums = [0i32; LANES];
    let (rows, queries) = (row.as_chunks::<{ 2 * LANES }>().0, query.values.as_chunks::<{ 2 * LANES }>().0);
    for (x, y) in rows.iter().zip(queries) {
        for lane in 0..LANES {
            let first = i16::from(x[lane]).wrapping_mul(y[lane]);
            let second = i16::from(x[lane + LANES]).wrapping_mul(y[lane + LANES]);
            sums[lane] += i32::from(first.wrapping_add(second));
        }
    }
    sums.iter().sum()
}

/// [`dot`] of a row as [`packed`] stores it. Each lane sums 16 products of at most 15 * 127: they fit into 16 bits, whatever
/// the bytes are.
pub(super) fn dot_of_packed(row: &[u8; HALF], query: &Wide) -> i32 {
    let mut sums = [0i16; BLOCK];
    let (rows, queries) = (row.as_chunks::<BLOCK>().0, query.values.as_chunks::<{ 2 * BLOCK }>().0);
    for (bytes, values) in rows.iter().zip(queries) {
        for lane in 0..BLOCK {
            let low = i16::from(bytes[lane] & 15).wrapping_mul(values[lane]);
            let high = i16::from(bytes[lane] >> 4).wrapping_mul(values[lane + BLOCK]);
            sums[lane] = sums[lane].wrapping_add(low).wrapping_add(high);
        }
    }
    sums.iter().map(|sum| i32::from(*sum)).sum::<i32>() - query.bias
}

/// Values within ±7 in half a byte each.
pub(super) fn packed(values: &[i8; DIMENSIONS]) -> [u8; HALF] {
    let half = |value: i8| (i16::from(value) + BIAS).clamp(0, 15) as u8;
    std::array::from_fn(|at| {
        let first = at / BLOCK * 2 * BLOCK + at % BLOCK;
        half(values[first]) | half(values[first + BLOCK]) << 4
    })
}

/// What [`packed`] was made of.
pub(super) fn unpacked(row: &[u8; HALF]) -> [i8; DIMENSIONS] {
    std::array::from_fn(|at| {
        let byte = row[at / (2 * BLOCK) * BLOCK + at % BLOCK];
        let half = if at % (2 * BLOCK) < BLOCK { byte & 15 } else { byte >> 4 };
        half.cast_signed() - BIAS as i8
    })
}
