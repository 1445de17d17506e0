//! Characters of the codes and glyph names of fonts.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Glyph names with their characters, in hexadecimal; names of single ASCII letters are not listed.
const GLYPHS: &str = include_str!("glyph_names.txt");

/// Windows-1252 from 0x80 to 0x9f; codes without a character are bullets, as PDF has it.
const WINDOWS: &str = "€•‚ƒ„…†‡ˆ‰Š‹Œ•Ž••‘’“”•–—˜™š›œ•žŸ";
/// Mac OS Roman from 0x80.
const MAC: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{a0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{f8ff}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";
/// The standard encoding from 0xa1, `\0` where it has none.
const STANDARD: &str = "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ\0–†‡·\0¶•‚„”»…‰\0¿\0`´ˆ˜¯˘˙¨\0˚¸\0˝˛ˇ—\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0Æ\0ª\0\0\0\0ŁØŒº\0\0\0\0\0æ\0\0\0ı\0\0łøœß";
/// Letters of the font Symbol from `A` and from `a`.
const SYMBOL_UPPER: &str = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ";
const SYMBOL_LOWER: &str = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";
/// The font Symbol from 0xa1, `\0` where it has none.
const SYMBOL: &str =
    "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…\0\0↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛\0⎝⎡\0⎣\0\0\0\0\0〉∫\0\0\0⎞\0⎠⎤\0⎦";

/// A table of the characters of all codes of one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    Standard,
    Windows,
    Mac,
    Symbol,
}

impl Base {
    /// The table of a name of PDF.
    pub(super) fn of(name: &str) -> Option<Self> {
        match name {
            "StandardEncoding" => Some(Self::Standard),
            "WinAnsiEncoding" => Some(Self::Windows),
            "MacRomanEncoding" => Some(Self::Mac),
            _ => None,
        }
    }

    /// The character of a code.
    pub(super) fn character(self, code: u8) -> Option<char> {
        let from = |table: &str, first: u8| {
            let found = table.chars().nth(usize::from(code.checked_sub(first)?));
            found.filter(|c| *c != '\0')
        };
        match (self, code) {
            (Self::Symbol, b'A'..=b'Z') => from(SYMBOL_UPPER, b'A'),
            (Self::Symbol, b'a'..=b'z') => from(SYMBOL_LOWER, b'a'),
            (Self::Symbol, b'-') => Some('−'),
            (Self::Symbol, b'*') => Some('∗'),
            (Self::Symbol, 0xa1..) => from(SYMBOL, 0xa1),
            (Self::Standard, b'\'') => Some('’'),
            (Self::Standard, b'`') => Some('‘'),
            (_, 0x20..=0x7e) => Some(char::from(code)),
            (Self::Standard, 0xa1..) => from(STANDARD, 0xa1),
            (Self::Windows, 0x80..=0x9f) => from(WINDOWS, 0x80),
            (Self::Windows, 0xa0..) => Some(char::from(code)),
            (Self::Mac, 0x80..) => from(MAC, 0x80),
            _ => None,
        }
    }
}

fn glyphs() -> &'static HashMap<&'static str, String> {
    static TABLE: OnceLock<HashMap<&'static str, String>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let row = |line: &'static str| {
            let mut words = line.split(' ');
            let name = words.next()?;
            let text: Option<String> = words.map(|code| char::from_u32(u32::from_str_radix(code, 16).ok()?)).collect();
            Some((name, text?))
        };
        GLYPHS.lines().filter_map(row).collect()
    })
}

/// The text of a glyph name: `A`, `eacute`, `uni00E9`, `f_i`, `a.alt`; `None` if the name says nothing.
pub(super) fn glyph(name: &str) -> Option<String> {
    let name = match name.split_once('.') {
        Some((base, _)) if !base.is_empty() => base,
        _ => name,
    };
    if name.contains('_') {
        return name.split('_').take(8).map(one_glyph).collect();
    }
    one_glyph(name)
}

fn one_glyph(name: &str) -> Option<String> {
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return letter.is_ascii_alphabetic().then(|| letter.to_string());
    }
    if let Some(text) = glyphs().get(name) {
        return Some(text.clone());
    }
    let code = |digits: &str| {
        let is_code = (4..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
        char::from_u32(u32::from_str_radix(digits, 16).ok().filter(|_| is_code)?)
    };
    if let Some(digits) = name.strip_prefix("uni").filter(|digits| digits.len() % 4 == 0 && digits.is_ascii()) {
        let parts = (0..digits.len() / 4).map(|part| code(&digits[part * 4..part * 4 + 4]));
        return parts.collect::<Option<String>>().filter(|text| !text.is_empty());
    }
    name.strip_prefix('u').and_then(code).map(String::from).or_else(|| parse_numbered(name))
}

/// The character of a name that is a letter and a code, as some programs give: `c65`, `G41`.
fn parse_numbered(name: &str) -> Option<String> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = name.len() - digits.len();
    if !(1..=2).contains(&letters) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let code: u8 = digits.parse().ok().filter(|code| *code >= 32)?;
    Base::Windows.character(code).map(String::from)
}

/// A text of a PDF file outside of its pages, such as a title.
pub(super) fn text(bytes: &[u8]) -> String {
    let units = |pair: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|two| pair([two[0], two[1]]));
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xfe, 0xff, ..] => units(u16::from_be_bytes),
        [0xff, 0xfe, ..] => units(u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().filter_map(|byte| Base::Windows.character(*byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glyphs_have_their_characters() {
        let known = [
            ("A", "A"),
            ("eacute", "é"),
            ("uni00E9", "é"),
            ("u1F600", "😀"),
            ("f_i", "fi"),
            ("ffi", "ffi"),
            ("a.alt", "a"),
            ("alpha", "α"),
            ("quoteright", "’"),
            ("c65", "A"),
        ];
        for (name, text) in known {
            assert_eq!(glyph(name).as_deref(), Some(text), "{name}");
        }
        for name in ["", ".notdef", "g12", "uniXYZ0", "u12", "1", "glyph65"] {
            assert_eq!(glyph(name), None, "{name}");
        }
        assert!(glyphs().len() > 700);
    }

    #[test]
    fn tables_have_their_characters() {
        let rows = [
            (Base::Windows, 0x93, '“'),
            (Base::Windows, 0xe9, 'é'),
            (Base::Mac, 0x8e, 'é'),
            (Base::Mac, 0xff, 'ˇ'),
            (Base::Standard, 0xae, 'ﬁ'),
            (Base::Standard, 0xd0, '—'),
            (Base::Standard, 0xfb, 'ß'),
            (Base::Symbol, b'a', 'α'),
            (Base::Symbol, 0xb7, '•'),
            (Base::Symbol, 0xe5, '∑'),
        ];
        for (base, code, character) in rows {
            assert_eq!(base.character(code), Some(character), "{base:?} {code:x}");
        }
        assert_eq!(Base::Standard.character(0xb0), None);
        assert_eq!(text(b"\xfe\xff\0a\0\xe9"), "aé");
    }
}
