//! Protocol buffers: messages, enums, services and their procedures.

use m1nd_base::Problem;

use super::lexer::{Lexed, Lexer, Style, Token};
use super::{MAX_OPEN, Sheet};
use crate::facts::{DefId, DefKind, FileFacts, SharedKind};
use crate::languages::Input;

const STYLE: Style = Style { line: &["//"], blocks: true, texts: b"\"'", names: &[], word: b".", doubles: false };
/// Tokens of a statement that are looked at.
const MAX_STATEMENT: usize = 64;
/// Types that are no messages.
const SCALARS: &[&str] = &[
    "bool", "bytes", "double", "fixed32", "fixed64", "float", "int32", "int64", "sfixed32", "sfixed64", "sint32",
    "sint64", "string", "uint32", "uint64",
];

/// What an open brace belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Message(DefId),
    /// Fields of it belong to the message around.
    OneOf(DefId),
    Enum(DefId),
    Service(DefId),
    Procedure(DefId),
    Skipped,
}

pub(crate) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    let mut sheet = Sheet::new(input);
    let mut frames: Vec<Frame> = Vec::new();
    // Braces beyond the limit.
    let mut deeper = 0u32;
    let mut statement: Vec<Lexed<'_>> = Vec::new();
    for lexed in Lexer::new(STYLE, input.text) {
        match lexed.token {
            Token::Sign(b';') => {
                if frames.last() != Some(&Frame::Skipped) {
                    plain(&mut sheet, frames.last().copied(), &statement);
                }
                statement.clear();
            }
            Token::Sign(b'{') => {
                if frames.len() >= MAX_OPEN {
                    deeper += 1;
                } else {
                    let frame = open(&mut sheet, frames.last().copied(), &statement);
                    frames.push(frame);
                }
                statement.clear();
            }
            Token::Sign(b'}') => {
                statement.clear();
                if deeper > 0 {
                    deeper -= 1;
                } else if let Some(
                    Frame::Message(def) | Frame::Enum(def) | Frame::Service(def) | Frame::Procedure(def),
                ) = frames.pop()
                {
                    sheet.end(def, lexed.end);
                }
            }
            _ if statement.len() < MAX_STATEMENT => statement.push(lexed),
            _ => {}
        }
    }
    Ok(sheet.finish())
}

/// A statement that ends with `;`.
fn plain(sheet: &mut Sheet<'_>, frame: Option<Frame>, statement: &[Lexed<'_>]) {
    let Some(first) = statement.first() else { return };
    // What a statement means depends on the block around it.
    match frame {
        None if first.is("package") => {
            if let Some(name) = statement.get(1).and_then(Lexed::name) {
                sheet.set_package(name);
            }
        }
        None if first.is("import") => {
            let path = statement.iter().find_map(|lexed| match lexed.token {
                Token::Text(path) => Some((path, lexed.start)),
                _ => None,
            });
            if let Some((path, start)) = path {
                sheet.share(SharedKind::Schema, false, path, "", None, start);
            }
        }
        Some(Frame::Service(service)) => drop(procedure(sheet, service, statement)),
        Some(Frame::Message(message) | Frame::OneOf(message)) => field(sheet, message, statement),
        Some(Frame::Enum(of)) => {
            if let [name, equals, ..] = statement
                && equals.is_sign(b'=')
                && !first.is("option")
                && let Some(text) = name.name()
            {
                sheet.define(DefKind::Variant, text, Some(of), name, name.end);
            }
        }
        _ => {}
    }
}

/// A statement that a brace follows.
fn open(sheet: &mut Sheet<'_>, frame: Option<Frame>, statement: &[Lexed<'_>]) -> Frame {
    let (Some(first), Some(second)) = (statement.first(), statement.get(1)) else { return Frame::Skipped };
    let Some(name) = second.name().filter(|_| !second.is_sign(b'=')) else { return Frame::Skipped };
    let owner = match frame {
        None => None,
        Some(Frame::Message(message)) => Some(message),
        Some(Frame::Service(service)) => {
            return procedure(sheet, service, statement).map_or(Frame::Skipped, Frame::Procedure);
        }
        Some(_) => return Frame::Skipped,
    };
    let mut define = |kind| sheet.define_with(kind, name, owner, (first, second), second.end);
    match first.token {
        Token::Word("message") => Frame::Message(define(DefKind::Struct)),
        Token::Word("enum") => Frame::Enum(define(DefKind::Enum)),
        Token::Word("service") if frame.is_none() => Frame::Service(define(DefKind::Interface)),
        Token::Word("oneof") => owner.map_or(Frame::Skipped, Frame::OneOf),
        _ => Frame::Skipped,
    }
}

/// `rpc Name (stream Request) returns (Response)`.
fn procedure(sheet: &mut Sheet<'_>, service: DefId, statement: &[Lexed<'_>]) -> Option<DefId> {
    let [first, second, ..] = statement else { return None };
    let name = second.name().filter(|_| first.is("rpc"))?;
    let last = statement.last()?.end;
    let def = sheet.define_with(DefKind::Function, name, Some(service), (first, second), last);
    sheet.sign(def, first.start, last);
    let full = format!("{}/{name}", sheet.name_of(service));
    let package = sheet.package();
    sheet.share(SharedKind::Procedure, true, &full, &package, Some(def), second.start);
    let mut inside = false;
    for lexed in &statement[2..] {
        match lexed.token {
            Token::Sign(b'(') => inside = true,
            Token::Sign(b')') => inside = false,
            Token::Word(word) if inside && word != "stream" => {
                sheet.share(SharedKind::Type, false, word, "", Some(def), lexed.start);
            }
            _ => {}
        }
    }
    Some(def)
}

/// `repeated Type name = 1 [option = x]`.
fn field(sheet: &mut Sheet<'_>, message: DefId, statement: &[Lexed<'_>]) {
    let Some(first) = statement.first() else { return };
    if ["option", "reserved", "extensions"].iter().any(|word| first.is(word)) {
        return;
    }
    let Some(equals) = statement.iter().position(|lexed| lexed.is_sign(b'=')).filter(|at| *at >= 2) else { return };
    let at = &statement[equals - 1];
    let Some(name) = at.name() else { return };
    let def = sheet.define(DefKind::Field, name, Some(message), at, at.end);
    for lexed in &statement[..equals - 1] {
        if let Token::Word(word) = lexed.token
            && !SCALARS.contains(&word)
            && !matches!(word, "repeated" | "optional" | "required" | "map")
        {
            sheet.share(SharedKind::Type, false, word, "", Some(def), lexed.start);
        }
    }
}
