//! Unpacks streams, with a bound on what they become.

use std::io::Read;

use flate2::read::{DeflateDecoder, ZlibDecoder};
use m1nd_base::{Cancel, Cancelled};

use super::object::Dict;

/// Bytes that are made between two looks at the flag that stops the reading: about a millisecond.
const STEP: usize = 256 << 10;

/// Unpacks `data` by one filter to at most `most` bytes; `None` if the filter is that of a picture or unknown.
///
/// # Errors
/// [`Cancelled`].
pub(super) fn unpack(
    filter: &str,
    data: &[u8],
    parameters: Option<&Dict>,
    most: u64,
    cancel: &Cancel,
) -> Result<Option<Vec<u8>>, Cancelled> {
    let most_bytes = usize::try_from(most).unwrap_or(usize::MAX);
    let mut pace = Pace { cancel, next: STEP };
    let out = match filter {
        "FlateDecode" | "Fl" => undo_predictor(inflate(data, most_bytes, cancel)?, parameters, &mut pace)?,
        "LZWDecode" | "LZW" => {
            let early = parameters.and_then(|dict| dict.get("EarlyChange")?.index()) != Some(0);
            let out = lzw(data, early, most_bytes, &mut pace)?;
            undo_predictor(out, parameters, &mut Pace { cancel, next: STEP })?
        }
        "ASCIIHexDecode" | "AHx" => hexadecimal(data),
        "ASCII85Decode" | "A85" => ascii85(data),
        "RunLengthDecode" | "RL" => run_length(data, most_bytes, &mut pace)?,
        "Crypt" => data.to_vec(),
        _ => return Ok(None),
    };
    Ok(Some(out))
}

/// Looks at the flag that stops the reading once for each [`STEP`].
struct Pace<'c> {
    cancel: &'c Cancel,
    /// Bytes made at the next look.
    next: usize,
}

impl Pace<'_> {
    fn check(&mut self, made: usize) -> Result<(), Cancelled> {
        if made < self.next {
            return Ok(());
        }
        self.next = made.saturating_add(STEP);
        self.cancel.check()
    }
}

/// What can be unpacked before the first error.
fn inflate(data: &[u8], most: usize, cancel: &Cancel) -> Result<Vec<u8>, Cancelled> {
    let out = read_steps(ZlibDecoder::new(data), most, cancel)?;
    match data.get(2..) {
        Some(data) if out.is_empty() => read_steps(DeflateDecoder::new(data), most, cancel),
        _ => Ok(out),
    }
}

/// Reads at most `most` bytes, up to the first error.
fn read_steps(mut reader: impl Read, most: usize, cancel: &Cancel) -> Result<Vec<u8>, Cancelled> {
    let mut out = Vec::new();
    while out.len() < most {
        cancel.check()?;
        let step = STEP.min(most - out.len());
        // An error leaves what was unpacked before.
        let read = (&mut reader).take(step as u64).read_to_end(&mut out);
        if !matches!(read, Ok(read) if read == step) {
            break;
        }
    }
    Ok(out)
}

/// Undoes the predictor that the parameters name.
fn undo_predictor(data: Vec<u8>, parameters: Option<&Dict>, pace: &mut Pace<'_>) -> Result<Vec<u8>, Cancelled> {
    let get = |key: &str, usual: usize| parameters.and_then(|dict| dict.get(key)?.index()).unwrap_or(usual);
    let predictor = get("Predictor", 1);
    if predictor < 2 {
        return Ok(data);
    }
    let (colors, bits, columns) = (get("Colors", 1).min(32), get("BitsPerComponent", 8).min(32), get("Columns", 1));
    let pixel = (colors * bits).div_ceil(8).max(1);
    let Some(row) = columns.checked_mul(colors * bits).map(|bits| bits.div_ceil(8)).filter(|row| *row > 0) else {
        return Ok(data);
    };
    if predictor == 2 {
        return tiff(data, row, pixel, bits, pace);
    }
    let mut out: Vec<u8> = Vec::with_capacity(data.len());
    for line in data.chunks(row.saturating_add(1)) {
        let Some((kind, line)) = line.split_first() else { break };
        let start = out.len();
        pace.check(start)?;
        for (at, byte) in line.iter().enumerate() {
            let left = if at >= pixel { out[start + at - pixel] } else { 0 };
            let above = |back: usize| match (start + at).checked_sub(row + back) {
                Some(place) if at >= back => out[place],
                _ => 0,
            };
            let (up, corner) = (above(0), above(pixel));
            let guess = match kind {
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                4 => paeth(left, up, corner),
                _ => 0,
            };
            out.push(byte.wrapping_add(guess));
        }
    }
    Ok(out)
}

fn tiff(mut data: Vec<u8>, row: usize, pixel: usize, bits: usize, pace: &mut Pace<'_>) -> Result<Vec<u8>, Cancelled> {
    if bits == 8 {
        for (number, line) in data.chunks_mut(row).enumerate() {
            pace.check(number.saturating_mul(row))?;
            for at in pixel..line.len() {
                line[at] = line[at].wrapping_add(line[at - pixel]);
            }
        }
    }
    Ok(data)
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let (a, b, c) = (i32::from(left), i32::from(up), i32::from(corner));
    let guess = a + b - c;
    let (da, db, dc) = ((guess - a).abs(), (guess - b).abs(), (guess - c).abs());
    if da <= db && da <= dc {
        left
    } else if db <= dc {
        up
    } else {
        corner
    }
}

fn lzw(data: &[u8], early: bool, most: usize, pace: &mut Pace<'_>) -> Result<Vec<u8>, Cancelled> {
    const CLEAR: usize = 256;
    const END: usize = 257;
    let mut out: Vec<u8> = Vec::new();
    // Where each code's text lies in the output.
    let mut table: Vec<(usize, usize)> = Vec::new();
    let mut last: Option<(usize, usize)> = None;
    let (mut bits, mut held, mut width) = (0u32, 0u64, 9u32);
    for byte in data {
        held = held << 8 | u64::from(*byte);
        bits += 8;
        while bits >= width {
            let code = (held >> (bits - width)) as usize & ((1 << width) - 1);
            bits -= width;
            held &= (1 << bits) - 1;
            if code == END || out.len() > most {
                out.truncate(most);
                return Ok(out);
            }
            if code == CLEAR {
                table.clear();
                (last, width) = (None, 9);
                continue;
            }
            let start = out.len();
            pace.check(start)?;
            match (code, last) {
                (0..=255, _) => out.push(code as u8),
                (_, Some((from, length))) if code - 258 == table.len() => {
                    out.extend_from_within(from..from + length);
                    out.push(out[start]);
                }
                _ => match table.get(code - 258) {
                    Some(&(from, length)) => out.extend_from_within(from..from + length),
                    None => return Ok(out),
                },
            }
            if let Some((from, length)) = last
                && table.len() < 4_096 - 258
            {
                // The text before and the first byte of this one, which follow each other in the output.
                table.push((from, length + 1));
            }
            last = Some((start, out.len() - start));
            let next = table.len() + 258 + usize::from(early) + 1;
            width = match next {
                0..=512 => 9,
                513..=1_024 => 10,
                1_025..=2_048 => 11,
                _ => 12,
            };
        }
    }
    out.truncate(most);
    Ok(out)
}

fn hexadecimal(data: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = data
        .iter()
        .take_while(|byte| **byte != b'>')
        .filter_map(|byte| (*byte as char).to_digit(16))
        .map(|digit| digit as u8)
        .collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
}

fn ascii85(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut group: Vec<u32> = Vec::with_capacity(5);
    let mut push = |group: &[u32]| {
        let value =
            (0..5).fold(0u32, |value, at| value.wrapping_mul(85).wrapping_add(group.get(at).copied().unwrap_or(84)));
        out.extend(&value.to_be_bytes()[..group.len().saturating_sub(1)]);
    };
    let data = data.strip_prefix(b"<~").unwrap_or(data);
    for byte in data {
        match byte {
            b'~' => break,
            b'z' if group.is_empty() => push(&[0; 5]),
            b'!'..=b'u' => {
                group.push(u32::from(byte - b'!'));
                if group.len() == 5 {
                    push(&group);
                    group.clear();
                }
            }
            _ => {}
        }
    }
    if group.len() > 1 {
        push(&group);
    }
    out
}

fn run_length(data: &[u8], most: usize, pace: &mut Pace<'_>) -> Result<Vec<u8>, Cancelled> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&length) = data.get(at).filter(|length| **length != 128 && out.len() < most) {
        pace.check(out.len())?;
        let length = usize::from(length);
        if length < 128 {
            let end = (at + length + 2).min(data.len());
            out.extend_from_slice(&data[at + 1..end]);
            at = end;
        } else {
            let Some(byte) = data.get(at + 1) else { break };
            out.extend(std::iter::repeat_n(*byte, 257 - length));
            at += 2;
        }
    }
    out.truncate(most);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpack_all(filter: &str, data: &[u8]) -> Option<Vec<u8>> {
        unpack(filter, data, None, 1_000, &Cancel::new()).expect("nobody cancels")
    }

    #[test]
    fn filters_unpack() {
        let unpacked = |filter: &str, data: &[u8]| unpack_all(filter, data).expect("a known filter");
        assert_eq!(unpacked("ASCIIHexDecode", b"48 65 6C6C 6F>"), b"Hello");
        assert_eq!(unpacked("ASCII85Decode", b"<~87cURD]i,\"Ebo80~>"), b"Hello World!");
        assert_eq!(unpacked("RunLengthDecode", &[1, b'a', b'b', 254, b'c', 128]), b"abccc");
        // The example of the specification: 45 45 45 45 45 65 45 45 45 66.
        let packed = [0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01];
        assert_eq!(unpacked("LZWDecode", &packed), [45, 45, 45, 45, 45, 65, 45, 45, 45, 66]);
        assert_eq!(unpack_all("DCTDecode", b""), None);
    }

    #[test]
    fn what_unpacks_to_too_much_is_cut() {
        use std::io::Write as _;
        let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&vec![0; 1 << 20]).expect("written");
        let packed = packer.finish().expect("packed");
        assert_eq!(unpack_all("FlateDecode", &packed).map(|out| out.len()), Some(1_000));
        assert_eq!(unpack_all("RunLengthDecode", &[129, 0].repeat(1_000)).map(|out| out.len()), Some(1_000));
    }
}
