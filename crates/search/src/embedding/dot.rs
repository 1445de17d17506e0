use std::hint::black_box;

use super::vector::DIMENSIONS;

/// Products summed in 16 bits before they are widened. Two products of values within ±127 fit; more would not.
const LANES: usize = 8;
/// Size of a stored row in bytes, two values in each.
pub(super) const HALF: usize = DIMENSIONS / 2;
/// Bytes of a row processed together.
const BLOCK: usize = 16;
/// Offset added to stored values, so that none is negative.
const BIAS: i16 = 8;

/// The values of a query in the layout that products need.
#[derive(Debug, Clone)]
pub(super) struct Wide {
    values: [i16; DIMENSIONS],
    /// Initial value of each lane for a product with a stored row: compensates the bias of the row.
    starts: [i16; LANES],
}

impl Wide {
    pub(super) fn new(values: &[i8; DIMENSIONS]) -> Self {
        let values = values.map(i16::from);
        let mut starts = [0i16; LANES];
        for (at, value) in values.iter().enumerate() {
            starts[at % LANES] = starts[at % LANES].wrapping_sub(BIAS.wrapping_mul(*value));
        }
        Self { values, starts }
    }
}

/// Scalar product, written so that compilers vectorise it on every processor: pairs of products are summed in 16
/// bits, which is exact for values within ±127, as all of ours are.
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

/// [`dot`] of a row stored by [`pack_values`]. Each lane sums 32 products of at most 8 * 127, which fit into 16 bits
/// whatever the bytes are; intermediate sums may wrap.
pub(super) fn dot_of_packed(row: &[u8; HALF], query: &Wide) -> i32 {
    // One accumulator per block, so that none waits for the previous one.
    let mut of_blocks = [[0i16; LANES]; HALF / BLOCK];
    let (rows, queries) = (row.as_chunks::<BLOCK>().0, query.values.as_chunks::<{ 2 * BLOCK }>().0);
    for ((bytes, values), out) in rows.iter().zip(queries).zip(&mut of_blocks) {
        let mut sums = [0i16; LANES];
        let words: [u16; LANES] =
            std::array::from_fn(|lane| u16::from_le_bytes([bytes[2 * lane], bytes[2 * lane + 1]]));
        for (part, values) in values.as_chunks::<LANES>().0.iter().enumerate() {
            let halves = words.map(|word| (word >> (4 * part) & 15).cast_signed());
            sums = std::array::from_fn(|lane| sums[lane].wrapping_add(halves[lane].wrapping_mul(values[lane])));
        }
        // Without it compilers gather lanes across blocks, which takes five times as long.
        *out = sums;
        black_box(&mut *out);
    }
    let add =
        |sums: [i16; LANES], block: &[i16; LANES]| std::array::from_fn(|lane| sums[lane].wrapping_add(block[lane]));
    let sums = of_blocks.iter().fold(query.starts, add);
    sums.iter().map(|sum| i32::from(*sum)).sum()
}

/// Byte and shift of a value in a stored row: a block of 16 bytes holds 32 values in eight words of four each;
/// consecutive values are in consecutive words.
fn place(at: usize) -> (usize, usize) {
    let (block, part, lane) = (at / (2 * BLOCK), at % (2 * BLOCK) / LANES, at % LANES);
    (block * BLOCK + 2 * lane + part / 2, part % 2 * 4)
}

/// Packs values within ±7 into half a byte each.
pub(super) fn pack_values(values: &[i8; DIMENSIONS]) -> [u8; HALF] {
    let mut row = [0; HALF];
    for (at, value) in values.iter().enumerate() {
        let (byte, shift) = place(at);
        row[byte] |= ((i16::from(*value) + BIAS).clamp(0, 15) as u8) << shift;
    }
    row
}

/// The inverse of [`pack_values`].
pub(super) fn unpack_values(row: &[u8; HALF]) -> [i8; DIMENSIONS] {
    std::array::from_fn(|at| {
        let (byte, shift) = place(at);
        (row[byte] >> shift & 15).cast_signed() - BIAS as i8
    })
}
