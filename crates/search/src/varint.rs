//! LEB128 numbers. Reading is total: it returns `None` at the end of the bytes or past 64 bits.

pub(crate) fn write(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Number of bytes that [`write`] produces for `value`.
pub(crate) const fn len(value: u64) -> usize {
    let bits = 64 - (value | 1).leading_zeros() as usize;
    bits.div_ceil(7)
}

#[inline]
pub(crate) fn read(bytes: &[u8], at: &mut usize) -> Option<u64> {
    // Most numbers are small.
    let first = *bytes.get(*at)?;
    if first < 0x80 {
        *at += 1;
        return Some(u64::from(first));
    }
    read_long(bytes, at)
}

fn read_long(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// A number that must fit into 32 bits.
pub(crate) fn read_u32(bytes: &[u8], at: &mut usize) -> Option<u32> {
    u32::try_from(read(bytes, at)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_total() {
        for value in [0, 1, 127, 128, 300, 1 << 20, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            write(&mut bytes, value);
            assert_eq!(bytes.len(), len(value), "{value}");
            let mut at = 0;
            assert_eq!((read(&bytes, &mut at), at), (Some(value), bytes.len()));
            let mut at = 0;
            assert_eq!(read(&bytes[..bytes.len() - 1], &mut at), None, "cut {value}");
        }
        assert_eq!(read(&[0xff; 20], &mut 0), None);
    }
}
