//! Cuts a file where its content says so: the same run of bytes gives the same parts wherever it stands.

use std::io::{self, Read};
use std::sync::LazyLock;

use crate::limits::{LEAST_PART, MAX_PART};

/// A cut is made where these bits of the rolling sum are 0: every 256 KiB on average.
const MASK: u64 = ((1 << 18) - 1) << 40;

/// A random number per byte. It must never change, or no part would be found again.
static GEAR: LazyLock<[u64; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        let hash = blake3::hash(&[b"m1nd share gear ", [byte as u8].as_slice()].concat());
        let (number, _) = hash.as_bytes().split_first_chunk::<8>().expect("32 bytes");
        u64::from_le_bytes(*number)
    })
});

/// The parts of a reader, in order. Holds one of them in memory.
pub(crate) struct Chunks<R> {
    from: R,
    buffer: Vec<u8>,
    is_over: bool,
}

impl<R: Read> Chunks<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { from, buffer: Vec::with_capacity(2 * MAX_PART), is_over: false }
    }

    fn fill(&mut self) -> io::Result<()> {
        if !self.is_over && self.buffer.len() < MAX_PART {
            let wanted = (2 * MAX_PART - self.buffer.len()) as u64;
            let read = self.from.by_ref().take(wanted).read_to_end(&mut self.buffer)?;
            self.is_over = (read as u64) < wanted;
        }
        Ok(())
    }
}

impl<R: Read> Iterator for Chunks<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.fill() {
            return Some(Err(error));
        }
        let length = find_cut(&self.buffer);
        let rest = self.buffer.split_off(length);
        let part = std::mem::replace(&mut self.buffer, rest);
        (!part.is_empty()).then_some(Ok(part))
    }
}

/// Length of the first part of these bytes.
fn find_cut(bytes: &[u8]) -> usize {
    let gear = &*GEAR;
    let mut sum = 0u64;
    let most = bytes.len().min(MAX_PART);
    for (at, byte) in bytes[..most].iter().enumerate().skip(LEAST_PART) {
        sum = (sum << 1).wrapping_add(gear[usize::from(*byte)]);
        if sum & MASK == 0 {
            return at + 1;
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_noise(count: usize, seed: u64) -> Vec<u8> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        (0..count).map(|_| next()).collect()
    }

    fn cut(bytes: &[u8]) -> Vec<Vec<u8>> {
        Chunks::new(bytes).collect::<io::Result<_>>().expect("reads")
    }

    #[test]
    fn parts_are_the_file_and_within_their_bounds() {
        for size in [0, 1, LEAST_PART, LEAST_PART + 1, MAX_PART, MAX_PART + 1, 5_000_000] {
            let bytes = build_noise(size, 7);
            let parts = cut(&bytes);
            assert_eq!(parts.concat(), bytes, "{size}");
            assert!(parts.iter().all(|part| part.len() <= MAX_PART), "{size}");
            assert!(parts.iter().rev().skip(1).all(|part| part.len() >= LEAST_PART), "{size}");
        }
        // Without a place to cut.
        assert_eq!(cut(&vec![0; 3 * MAX_PART]).len(), 3);
    }

    #[test]
    fn an_insertion_changes_few_parts() {
        let before = build_noise(16 << 20, 1);
        let mut after = before.clone();
        after.splice(5_000_000..5_000_000, [1, 2, 3]);
        let known = cut(&before);
        let new = cut(&after).iter().filter(|part| !known.contains(part)).count();
        assert!(known.len() > 20, "{}", known.len());
        assert!((1..=3).contains(&new), "{new} of {}", known.len());
    }
}
