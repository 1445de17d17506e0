//! Fonts: which text a code stands for, and how wide its glyph is.

use std::borrow::Cow;
use std::collections::HashMap;

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS};

use super::cmap::{Cmap, number};
use super::encoding::{Base, glyph};
use super::file::File;
use super::object::{Dict, Object};
use super::{built_in, cmap};
use crate::Unreadable;

/// Widths kept of one font.
const MAX_WIDTHS: usize = 100_000;
/// Codes of one byte.
const MAX_CODES: usize = 256;
/// Widths of the printable ASCII characters of a common sans-serif font, in thousandths of its size: for fonts that
/// give none.
const USUAL_WIDTHS: &[u16] = &[
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];

/// A code of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Code {
    /// What it stands for; empty if that is not known.
    pub(super) text: String,
    /// Width of its glyph, in sizes of the font.
    pub(super) width: f64,
    /// A blank of one byte, which word spacing widens.
    pub(super) is_space: bool,
    pub(super) is_known: bool,
}

/// How codes are told apart.
#[derive(Debug)]
enum Coding {
    /// One byte each.
    Simple { base: Base, names: HashMap<u8, String> },
    /// By a table, or two bytes each.
    Composite { codes: Option<Cmap>, is_utf16: bool },
    /// By a character set that was usual before Unicode.
    Legacy(&'static Encoding),
}

/// A font.
#[derive(Debug)]
pub(super) struct Font {
    coding: Coding,
    to_unicode: Option<Cmap>,
    widths: HashMap<u32, f64>,
    usual_width: Option<f64>,
    pub(super) is_bold: bool,
    /// Width of one unit of its glyphs: a thousandth, but for fonts made of drawings.
    unit: f64,
}

impl Font {
    /// Reads a font. What is missing is guessed.
    ///
    /// # Errors
    /// [`Unreadable::Bomb`].
    pub(super) fn load(file: &File<'_>, dict: &Dict) -> Result<Self, Unreadable> {
        let kind = file.member(dict, "Subtype");
        let to_unicode = match dict.get("ToUnicode") {
            Some(Object::Ref(number)) => table(file, *number)?,
            _ => None,
        };
        let to_unicode = to_unicode.filter(|map| !map.is_empty());
        let name = file.member(dict, "BaseFont").name().unwrap_or_default().to_owned();
        let is_bold = name.to_ascii_lowercase().contains("bold");
        if kind.name() == Some("Type0") {
            return Self::composite(file, dict, to_unicode, is_bold);
        }
        let descriptor = file.dict(dict, "FontDescriptor");
        let (base, names) = simple_coding(file, dict, descriptor.as_ref(), &name)?;
        let mut font = Self {
            coding: Coding::Simple { base, names },
            to_unicode,
            widths: HashMap::new(),
            usual_width: None,
            is_bold,
            unit: 0.001,
        };
        font.simple_widths(file, dict, descriptor.as_ref(), &name);
        if kind.name() == Some("Type3")
            && let Object::Array(matrix) = file.member(dict, "FontMatrix")
        {
            font.unit = matrix.first().and_then(Object::number).map_or(0.001, f64::abs);
        }
        Ok(font)
    }

    fn simple_widths(&mut self, file: &File<'_>, dict: &Dict, descriptor: Option<&Dict>, name: &str) {
        let first = file.member(dict, "FirstChar").index().unwrap_or(0).min(MAX_CODES) as u32;
        if let Object::Array(widths) = file.member(dict, "Widths") {
            for (code, width) in (first..).zip(widths.iter().take(MAX_CODES)) {
                self.widths.extend(file.resolve(width).number().map(|width| (code, width)));
            }
        }
        let missing = descriptor.and_then(|descriptor| file.member(descriptor, "MissingWidth").number());
        self.usual_width = missing.filter(|width| *width > 0.0);
        if self.widths.is_empty() {
            if name.to_ascii_lowercase().contains("courier") {
                self.usual_width = Some(600.0);
            } else {
                let usual = (32u32..).zip(USUAL_WIDTHS);
                self.widths = usual.map(|(code, width)| (code, f64::from(*width))).collect();
            }
        }
    }

    fn composite(file: &File<'_>, dict: &Dict, to_unicode: Option<Cmap>, is_bold: bool) -> Result<Self, Unreadable> {
        let legacy = file.member(dict, "Encoding").name().and_then(legacy);
        let (codes, is_utf16) = match dict.get("Encoding") {
            Some(Object::Ref(number)) => match file.get(*number) {
                Object::Name(name) => (None, is_utf16(&name)),
                _ => (table(file, *number)?, false),
            },
            Some(Object::Name(name)) => (None, is_utf16(name)),
            _ => (None, false),
        };
        let inner = match file.member(dict, "DescendantFonts") {
            Object::Array(fonts) => match fonts.first().map(|font| file.resolve(font)) {
                Some(Object::Dict(inner)) => inner,
                _ => Dict::default(),
            },
            _ => Dict::default(),
        };
        let mut font = Self {
            coding: legacy.map_or(Coding::Composite { codes, is_utf16 }, Coding::Legacy),
            to_unicode,
            widths: HashMap::new(),
            usual_width: Some(file.member(&inner, "DW").number().unwrap_or(1_000.0)),
            is_bold,
            unit: 0.001,
        };
        if let Object::Array(rows) = file.member(&inner, "W") {
            font.composite_widths(file, &rows);
        }
        Ok(font)
    }

    /// `first [w w w]` or `first last w`.
    fn composite_widths(&mut self, file: &File<'_>, rows: &[Object]) {
        let mut at = 0;
        while let Some(first) = rows.get(at).and_then(Object::index) {
            let first = first.min(u32::MAX as usize - MAX_WIDTHS) as u32;
            match rows.get(at + 1).map(|value| file.resolve(value)) {
                Some(Object::Array(widths)) => {
                    for (code, width) in (first..).zip(widths.iter().take(MAX_WIDTHS)) {
                        if self.widths.len() < MAX_WIDTHS {
                            self.widths.extend(file.resolve(width).number().map(|width| (code, width)));
                        }
                    }
                    at += 2;
                }
                Some(last) => {
                    let width = rows.get(at + 2).map(|value| file.resolve(value)).and_then(|value| value.number());
                    let (Some(last), Some(width)) = (last.index(), width) else { return };
                    let many = last.saturating_sub(first as usize).min(MAX_WIDTHS - self.widths.len().min(MAX_WIDTHS));
                    self.widths.extend((first..=first + many as u32).map(|code| (code, width)));
                    at += 3;
                }
                None => return,
            }
        }
    }

    /// The codes of a text.
    pub(super) fn codes(&self, bytes: &[u8]) -> Vec<Code> {
        match &self.coding {
            Coding::Simple { base, names } => bytes.iter().map(|byte| self.simple(*byte, *base, names)).collect(),
            Coding::Composite { codes, is_utf16 } => self.compose_codes(bytes, codes.as_ref(), *is_utf16),
            Coding::Legacy(encoding) => self.decode_codes(bytes, encoding),
        }
    }

    fn simple(&self, byte: u8, base: Base, names: &HashMap<u8, String>) -> Code {
        let mapped = self.to_unicode.as_ref().and_then(|map| map.text(u32::from(byte)));
        let named = || match names.get(&byte) {
            Some(name) => glyph(name),
            None => base.character(byte).map(String::from),
        };
        let text = mapped.or_else(named);
        let width = self.widths.get(&u32::from(byte)).copied().or(self.usual_width).unwrap_or(500.0);
        Code {
            is_known: text.is_some(),
            text: text.unwrap_or_default(),
            width: width * self.unit,
            is_space: byte == b' ',
        }
    }

    fn compose_codes(&self, bytes: &[u8], codes: Option<&Cmap>, is_utf16: bool) -> Vec<Code> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            // Predefined tables of two bytes are the usual ones.
            let length = codes.and_then(|codes| codes.length(rest)).unwrap_or(2).min(rest.len());
            let code = number(&rest[..length]);
            let glyph = codes.and_then(|codes| codes.number(code)).unwrap_or(code);
            let mapped = self.to_unicode.as_ref().and_then(|map| map.text(code));
            let direct = || char::from_u32(code).filter(|_| is_utf16).map(String::from);
            let text = mapped.or_else(direct);
            let width = self.widths.get(&glyph).copied().or(self.usual_width).unwrap_or(1_000.0);
            out.push(Code {
                is_known: text.is_some(),
                text: text.unwrap_or_default(),
                width: width * self.unit,
                is_space: length == 1 && code == 32,
            });
            at += length;
        }
        out
    }

    /// The codes of a text in a character set of one or two bytes a code.
    fn decode_codes(&self, bytes: &[u8], encoding: &'static Encoding) -> Vec<Code> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let is_single = bytes[at] < 0x80 || encoding == SHIFT_JIS && matches!(bytes[at], 0xa0..=0xdf);
            let length = if is_single { 1 } else { 2.min(bytes.len() - at) };
            let part = &bytes[at..at + length];
            let mapped = self.to_unicode.as_ref().and_then(|map| map.text(number(part)));
            let decoded = || encoding.decode_without_bom_handling_and_without_replacement(part).map(Cow::into_owned);
            let text = mapped.or_else(decoded);
            out.push(Code {
                is_known: text.is_some(),
                text: text.unwrap_or_default(),
                // Widths are given by numbers that only a table of the character set tells.
                width: if length == 1 { 0.5 } else { 1.0 },
                is_space: length == 1 && bytes[at] == b' ',
            });
            at += length;
        }
        out
    }
}

/// The character set that a predefined table has in its name, `GBK-EUC-H` (ISO 32000-1, table 118).
fn legacy(name: &str) -> Option<&'static Encoding> {
    let (set, rest) = name.split_once('-')?;
    match set {
        "GB" | "GBpc" | "GBK" | "GBKp" => Some(GBK),
        "GBK2K" => Some(GB18030),
        "B5pc" | "HKscs" | "ETen" | "ETenms" => Some(BIG5),
        "83pv" | "90ms" | "90msp" | "90pv" | "Add" | "Ext" if rest.starts_with("RKSJ") => Some(SHIFT_JIS),
        "EUC" => Some(EUC_JP),
        "KSC" | "KSCms" | "KSCpc" => Some(EUC_KR),
        _ => None,
    }
}

fn is_utf16(name: &str) -> bool {
    name.starts_with("Uni") && (name.contains("UCS2") || name.contains("UTF16"))
}

fn table(file: &File<'_>, number: u32) -> Result<Option<Cmap>, Unreadable> {
    let Some(stream) = file.stream(number) else { return Ok(None) };
    Ok(file.unpack(&stream)?.map(|bytes| cmap::Cmap::parse(&bytes)))
}

/// The table of a font of one byte a code, and the glyph names that differ from it.
fn simple_coding(
    file: &File<'_>,
    dict: &Dict,
    descriptor: Option<&Dict>,
    name: &str,
) -> Result<(Base, HashMap<u8, String>), Unreadable> {
    let encoding = file.member(dict, "Encoding");
    let named = match &encoding {
        Object::Name(name) => Base::of(name),
        Object::Dict(dict) => file.member(dict, "BaseEncoding").name().and_then(Base::of),
        _ => None,
    };
    let mut names: HashMap<u8, String> = HashMap::new();
    let is_symbolic =
        descriptor.and_then(|descriptor| file.member(descriptor, "Flags").index()).is_some_and(|flags| flags & 4 != 0);
    if named.is_none()
        && let Some(descriptor) = descriptor
    {
        names = built_in::names(file, descriptor)?;
    }
    let base = match named {
        Some(base) => base,
        None if name.ends_with("Symbol") => Base::Symbol,
        // Fonts without a table of their own are mostly made on Windows.
        None if names.is_empty() && is_symbolic => Base::Windows,
        None => Base::Standard,
    };
    if let Object::Dict(encoding) = &encoding
        && let Object::Array(differences) = file.member(encoding, "Differences")
    {
        let mut code = 0usize;
        for item in &differences {
            match file.resolve(item) {
                Object::Number(first) => code = first.max(0.0) as usize,
                Object::Name(name) => {
                    if let Ok(byte) = u8::try_from(code) {
                        names.insert(byte, (*name).to_owned());
                    }
                    code += 1;
                }
                _ => {}
            }
        }
    }
    Ok((base, names))
}
