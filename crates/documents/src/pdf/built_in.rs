//! Glyph names of the codes of a font that is part of the file: those that the font program itself has.

use std::collections::HashMap;

use super::file::File;
use super::object::{Dict, Lexer, Object};
use crate::Unreadable;

/// Bytes at the start of a font program in which its table is looked for.
const MAX_START: usize = 64 << 10;
/// Names of the standard strings 1 to 228 of compact fonts, in order.
const STRINGS: &str = "space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright asterisk plus comma hyphen period slash zero one two three four five six seven eight nine colon semicolon less equal greater question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum underscore quoteleft a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde exclamdown cent sterling fraction yen florin section currency quotesingle quotedblleft guillemotleft guilsinglleft guilsinglright fi fl endash dagger daggerdbl periodcentered paragraph bullet quotesinglbase quotedblbase quotedblright guillemotright ellipsis perthousand questiondown grave acute circumflex tilde macron breve dotaccent dieresis ring cedilla hungarumlaut ogonek caron emdash AE ordfeminine Lslash Oslash OE ordmasculine ae dotlessi lslash oslash oe germandbls onesuperior logicalnot mu trademark Eth onehalf plusminus Thorn onequarter divide brokenbar degree thorn threequarters twosuperior registered minus eth multiply threesuperior copyright Aacute Acircumflex Adieresis Agrave Aring Atilde Ccedilla Eacute Ecircumflex Edieresis Egrave Iacute Icircumflex Idieresis Igrave Ntilde Oacute Ocircumflex Odieresis Ograve Otilde Scaron Uacute Ucircumflex Udieresis Ugrave Yacute Ydieresis Zcaron aacute acircumflex adieresis agrave aring atilde ccedilla eacute ecircumflex edieresis egrave iacute icircumflex idieresis igrave ntilde oacute ocircumflex odieresis ograve otilde scaron uacute ucircumflex udieresis ugrave yacute ydieresis zcaron";
/// Number of standard strings of compact fonts.
const STANDARD_STRINGS: usize = 391;

/// The glyph names by code; empty if the font has no table of its own.
///
/// # Errors
/// [`Unreadable::Bomb`].
pub(super) fn names(file: &File<'_>, descriptor: &Dict) -> Result<HashMap<u8, String>, Unreadable> {
    let program = |key: &str| match descriptor.get(key) {
        Some(Object::Ref(number)) => file.stream(*number),
        _ => None,
    };
    if let Some(stream) = program("FontFile") {
        return Ok(file.unpack(&stream)?.map(|data| type_1(&data)).unwrap_or_default());
    }
    if let Some(stream) = program("FontFile3")
        && stream.dict.get("Subtype").and_then(Object::name) == Some("Type1C")
    {
        return Ok(file.unpack(&stream)?.and_then(|data| compact(&data)).unwrap_or_default());
    }
    Ok(HashMap::new())
}

/// `dup 65 /A put` in the clear part of a font program.
fn type_1(data: &[u8]) -> HashMap<u8, String> {
    let start = &data[..data.len().min(MAX_START)];
    let mut names = HashMap::new();
    let Some(at) = start.windows(9).position(|text| text == b"/Encoding") else { return names };
    let mut lexer = Lexer::new(start, at + 9);
    let mut last: [Option<Object>; 2] = [None, None];
    while let Some(object) = lexer.object() {
        if let Object::Word(word) = &object {
            match &**word {
                "put" => {
                    if let [Some(Object::Number(code)), Some(Object::Name(name))] = &last
                        && (0.0..256.0).contains(code)
                    {
                        names.insert(*code as u8, (**name).to_owned());
                    }
                }
                "StandardEncoding" | "def" | "readonly" | "eexec" => break,
                _ => {}
            }
        }
        let [_, newer] = last;
        last = [newer, Some(object)];
    }
    names
}

/// Big-endian number of `size` bytes.
fn number(data: &[u8], at: usize, size: usize) -> Option<usize> {
    Some(data.get(at..at.checked_add(size)?)?.iter().fold(0, |value, byte| value << 8 | usize::from(*byte)))
}

/// The items of a list of a compact font, as ranges, and where it ends.
fn list(data: &[u8], at: usize) -> Option<(Vec<(usize, usize)>, usize)> {
    let count = number(data, at, 2)?;
    if count == 0 {
        return Some((Vec::new(), at + 2));
    }
    let size = number(data, at + 2, 1).filter(|size| (1..=4).contains(size))?;
    let base = at + 2 + (count + 1) * size;
    let place = |item: usize| number(data, at + 3 + item * size, size)?.checked_add(base);
    let mut items = Vec::with_capacity(count);
    for item in 0..count {
        let (start, end) = (place(item)?, place(item + 1)?);
        if start > end || end > data.len() {
            return None;
        }
        items.push((start, end));
    }
    Some((items, place(count)?))
}

/// Places of the charset and the encoding in the dictionary of a compact font.
fn places(dict: &[u8]) -> (usize, usize) {
    let (mut charset, mut encoding) = (0, 0);
    let mut at = 0;
    let mut last = 0usize;
    while let Some(&byte) = dict.get(at) {
        at += 1;
        match byte {
            12 => at += 1,
            15 => charset = last,
            16 => encoding = last,
            28 => {
                last = number(dict, at, 2).unwrap_or(0);
                at += 2;
            }
            29 => {
                last = number(dict, at, 4).unwrap_or(0);
                at += 4;
            }
            30 => {
                while dict.get(at).is_some_and(|byte| byte & 0xf != 0xf) {
                    at += 1;
                }
                at += 1;
            }
            32..=246 => last = usize::from(byte).saturating_sub(139),
            247..=250 => {
                last = (usize::from(byte) - 247) * 256 + number(dict, at, 1).unwrap_or(0) + 108;
                at += 1;
            }
            251..=254 => {
                last = 0;
                at += 1;
            }
            _ => {}
        }
    }
    (charset, encoding)
}

/// The table of a compact font; `None` if it has none of its own or is damaged.
fn compact(data: &[u8]) -> Option<HashMap<u8, String>> {
    // Four lists follow each other; each starts where the one before ends.
    let header = number(data, 2, 1)?;
    let (_, at) = list(data, header)?;
    let (dicts, at) = list(data, at)?;
    let (strings, _) = list(data, at)?;
    let (start, end) = *dicts.first()?;
    let (charset, encoding) = places(&data[start..end]);
    // Below 2 the encoding is one that the format defines, so the font holds no table.
    if encoding < 2 {
        return None;
    }
    let standard: Vec<&str> = STRINGS.split(' ').collect();
    // Names below the limit are standard, others are in the font.
    let name = |string: usize| match string.checked_sub(STANDARD_STRINGS) {
        Some(own) => strings.get(own).map(|&(from, to)| String::from_utf8_lossy(&data[from..to]).into_owned()),
        None => standard.get(string.checked_sub(1)?).map(|name| (*name).to_owned()),
    };
    let glyphs = charset_of(data, charset);
    let mut names = HashMap::new();
    let mut set = |code: usize, glyph: usize| {
        let string = glyphs.get(glyph.wrapping_sub(1)).copied();
        if let (Ok(code), Some(name)) = (u8::try_from(code), string.and_then(name)) {
            names.insert(code, name);
        }
    };
    // The encoding: a code for each glyph, or ranges of codes.
    let format = number(data, encoding, 1)?;
    let many = number(data, encoding + 1, 1)?;
    let mut glyph = 1;
    for row in 0..many {
        if format & 0x7f == 0 {
            set(number(data, encoding + 2 + row, 1)?, glyph);
            glyph += 1;
        } else {
            let first = number(data, encoding + 2 + row * 2, 1)?;
            let left = number(data, encoding + 3 + row * 2, 1)?;
            for code in first..=first + left {
                set(code, glyph);
                glyph += 1;
            }
        }
    }
    Some(names)
}

/// Numbers of the names of glyphs 1, 2, …, as far as codes of one byte can need them.
fn charset_of(data: &[u8], at: usize) -> Vec<usize> {
    const MOST: usize = 1_024;
    if at < 3 {
        return (1..229).collect();
    }
    let mut out = Vec::new();
    let Some(format) = number(data, at, 1) else { return out };
    let mut at = at + 1;
    while out.len() < MOST {
        let Some(first) = number(data, at, 2) else { break };
        let left_size = match format {
            0 => 0,
            1 => 1,
            2 => 2,
            _ => break,
        };
        let left = number(data, at + 2, left_size).unwrap_or(0).min(MOST);
        out.extend(first..=first + left);
        at += 2 + left_size;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_font_program_are_read() {
        let program = b"%!PS\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 11 /ff put\ndup 65 /A put\nreadonly def";
        let names = type_1(program);
        assert_eq!(names.get(&11).map(String::as_str), Some("ff"));
        assert_eq!(names.get(&65).map(String::as_str), Some("A"));
        assert_eq!(type_1(b"/Encoding StandardEncoding def dup 65 /B put").len(), 0);
        assert_eq!(STRINGS.split(' ').count(), 228);
    }

    #[test]
    fn damaged_compact_fonts_have_no_names() {
        for length in 0..40 {
            _ = compact(&vec![1; length]);
            _ = compact(&vec![0xff; length]);
        }
    }
}
