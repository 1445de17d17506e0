//! Tables from codes of a font to characters or glyph numbers.

use super::object::{Lexer, Object};

/// Rows of one table.
const MAX_ROWS: usize = 200_000;
/// Values read of one table.
const MAX_VALUES: usize = 2_000_000;

/// Where a range of codes leads.
#[derive(Debug, Clone, PartialEq, Eq)]
enum To {
    /// UTF-16 of the first code; its last unit grows with the code.
    Text(Vec<u16>),
    /// Glyph number of the first code.
    Number(u32),
}

/// A table.
#[derive(Debug, Clone, Default)]
pub(super) struct Cmap {
    /// Lengths of codes in bytes, with their first and last code.
    spaces: Vec<(usize, u32, u32)>,
    /// Ranges of codes, sorted once read.
    rows: Vec<(u32, u32, To)>,
}

impl Cmap {
    /// Reads a table.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut map = Self::default();
        let mut lexer = Lexer::new(bytes, 0);
        let mut held: Vec<Object> = Vec::new();
        while let Some(object) = lexer.object() {
            if lexer.values > MAX_VALUES || map.rows.len() > MAX_ROWS {
                break;
            }
            let Object::Word(word) = &object else {
                held.push(object);
                continue;
            };
            match &**word {
                "endcodespacerange" => {
                    for pair in held.chunks_exact(2) {
                        if let (Object::Text(first), Some(a), Some(b)) = (&pair[0], code(&pair[0]), code(&pair[1])) {
                            map.spaces.push((first.len().clamp(1, 4), a, b));
                        }
                    }
                }
                "endbfchar" | "endcidchar" => {
                    for pair in held.chunks_exact(2) {
                        if let (Some(code), Some(to)) = (code(&pair[0]), target(&pair[1])) {
                            map.rows.push((code, code, to));
                        }
                    }
                }
                "endbfrange" | "endcidrange" => held.chunks_exact(3).for_each(|row| map.range(row)),
                _ => {}
            }
            held.clear();
        }
        map.rows.sort_by_key(|(first, last, _)| (*first, *last));
        map
    }

    fn range(&mut self, row: &[Object]) {
        let (Some(first), Some(last)) = (code(&row[0]), code(&row[1])) else { return };
        if let Object::Array(items) = &row[2] {
            for (code, item) in (first..=last).zip(items) {
                self.rows.extend(target(item).map(|to| (code, code, to)));
            }
        } else if let Some(to) = target(&row[2])
            && first <= last
        {
            self.rows.push((first, last, to));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn find(&self, code: u32) -> Option<(u32, &To)> {
        let end = self.rows.partition_point(|(first, _, _)| *first <= code);
        // Ranges that overlap are rare: the nearest few are enough.
        let near = self.rows[..end].iter().rev().take(8);
        near.into_iter().find(|(_, last, _)| code <= *last).map(|(first, _, to)| (code - first, to))
    }

    /// The text of a code.
    pub(super) fn text(&self, code: u32) -> Option<String> {
        let (past, To::Text(units)) = self.find(code)? else { return None };
        let mut units = units.clone();
        let last = units.last_mut()?;
        *last = last.wrapping_add(past as u16);
        Some(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
    }

    /// The glyph number of a code.
    pub(super) fn number(&self, code: u32) -> Option<u32> {
        match self.find(code)? {
            (past, To::Number(first)) => Some(first.wrapping_add(past)),
            _ => None,
        }
    }

    /// Length in bytes of the code that starts here; `None` if the table does not say.
    pub(super) fn length(&self, bytes: &[u8]) -> Option<usize> {
        let fits = |&(length, first, last): &(usize, u32, u32)| {
            let code = bytes.get(..length).map(number)?;
            let of = |value: u32, at: usize| value >> (8 * (length - 1 - at)) & 0xff;
            let inside = (0..length).all(|at| (of(first, at)..=of(last, at)).contains(&of(code, at)));
            inside.then_some(length)
        };
        self.spaces.iter().filter_map(fits).min()
    }
}

/// The number of the bytes of a code.
pub(super) fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

fn code(object: &Object) -> Option<u32> {
    match object {
        Object::Text(bytes) if (1..=4).contains(&bytes.len()) => Some(number(bytes)),
        _ => None,
    }
}

fn target(object: &Object) -> Option<To> {
    match object {
        Object::Text(bytes) if bytes.len() == 1 => Some(To::Text(vec![u16::from(bytes[0])])),
        Object::Text(bytes) if (2..=64).contains(&bytes.len()) => {
            Some(To::Text(bytes.chunks_exact(2).map(|two| u16::from_be_bytes([two[0], two[1]])).collect()))
        }
        Object::Name(name) => Some(To::Text(super::encoding::glyph(name)?.encode_utf16().collect())),
        Object::Number(number) => Some(To::Number(*number as u32)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_lead_to_texts_and_numbers() {
        let map = Cmap::parse(
            b"1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar <0003> <00660069> endbfchar
              2 beginbfrange <0010> <0012> <0041> <0020> <0021> [<0061> <D83DDE00>] endbfrange
              1 begincidrange <0100> <01ff> 7 endcidrange",
        );
        assert_eq!(map.text(3).as_deref(), Some("fi"));
        assert_eq!(map.text(0x12).as_deref(), Some("C"));
        assert_eq!(map.text(0x21).as_deref(), Some("😀"));
        assert_eq!(map.text(0x13), None);
        assert_eq!(map.number(0x101), Some(8));
        assert_eq!(map.length(&[0, 3, 0]), Some(2));
        assert!(Cmap::parse(b"beginbfrange <0000> <ffffffff> [] endbfrange <1> endbfchar").is_empty());
    }
}
