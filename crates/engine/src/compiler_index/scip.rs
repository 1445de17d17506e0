//! Reads SCIP: the documents of an index, one after the other, with the data that linking needs.

use m1nd_base::{Cancel, Cancelled};
use protobuf::CodedInputStream;
use protobuf::rt::skip_field_for_tag;
use rustc_hash::FxHashMap;
use scip::types::{Document as Message, Metadata, Occurrence as Row, PositionEncoding, SymbolRole, occurrence};

/// Most documents of an index.
const MAX_DOCUMENTS: usize = 1_000_000;
/// Most occurrences of an index.
const MAX_OCCURRENCES: usize = 50_000_000;
/// Most symbols that others implement or replace, of an index.
const MAX_RELATIONS: usize = 10_000_000;
/// Longest symbol that is read, in bytes; uses of a longer one are left out.
const MAX_SYMBOL_BYTES: usize = 8 << 10;
/// Occurrences between two checks of the cancel flag.
const CANCEL_PERIOD: usize = 100_000;
/// Field `metadata` of an index, a message.
const METADATA: u32 = 1 << 3 | 2;
/// Field `documents` of an index, a message.
const DOCUMENT: u32 = 2 << 3 | 2;
/// Indexers that count columns in UTF-16 units without saying so: those of languages whose compilers do.
const UTF16_TOOLS: &[&str] = &["scip-typescript", "scip-python", "scip-java", "scip-dotnet", "lsif-typescript"];

/// The reason why a file is not a usable index.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ScipError {
    /// Its bytes are not those of an index.
    #[error("byte {at}: {why}")]
    Malformed { at: u64, why: String },
    /// It has more rows than are read.
    #[error("it has more than {limit} {what}")]
    TooLarge { what: &'static str, limit: usize },
    /// It has no rows.
    #[error("it has no documents")]
    Empty,
    /// The caller cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Units that columns are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Columns {
    Bytes,
    Utf16,
    Chars,
}

/// An index.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Program that made it.
    pub(crate) tool: String,
    /// Folder that paths start at, as a URI; may be empty.
    pub(crate) project_root: String,
    pub(crate) documents: Vec<Document>,
    /// Texts of symbols. Symbols of one document only have none.
    pub(crate) symbols: Vec<Box<str>>,
}

/// Content of the index for one file.
#[derive(Debug)]
pub(crate) struct Document {
    /// As written, unchecked.
    pub(crate) path: String,
    /// The file's content when it was indexed, if that was kept.
    pub(crate) text: String,
    pub(crate) columns: Columns,
    pub(crate) occurrences: Vec<Occurrence>,
    /// Implementations and overrides, as pairs of indexes into [`Index::symbols`].
    pub(crate) relations: Vec<(u32, u32)>,
}

/// An occurrence of a symbol. Lines and columns are 0-based.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Occurrence {
    pub(crate) start: (u32, u32),
    /// `None` if the name goes over several lines.
    pub(crate) end_col: Option<u32>,
    /// Number in [`Index::symbols`].
    pub(crate) symbol: u32,
    pub(crate) definition: bool,
    pub(crate) import: bool,
}

/// Reads an index.
///
/// # Errors
/// See [`ScipError`].
pub(crate) fn read(bytes: &[u8], cancel: &Cancel) -> Result<Index, ScipError> {
    let mut index = Index::default();
    let mut symbols = Symbols::default();
    let mut tool_is_utf16 = false;
    let (mut count, mut relations) = (0, 0);
    let mut input = CodedInputStream::from_bytes(bytes);
    // Documents are read one by one: the parsed form of a whole index is several times its size.
    loop {
        let tag = input.read_raw_tag_or_eof().map_err(|error| report_malformed(&input, error))?;
        match tag {
            None => break,
            Some(METADATA) => {
                let metadata: Metadata = read_whole(bytes, &mut input)?;
                index.tool = metadata.tool_info.name.clone();
                index.project_root = metadata.project_root;
                tool_is_utf16 = UTF16_TOOLS.contains(&index.tool.as_str());
            }
            Some(DOCUMENT) => {
                let message: Message = read_whole(bytes, &mut input)?;
                let number = index.documents.len();
                if number >= MAX_DOCUMENTS {
                    return Err(ScipError::TooLarge { what: "documents", limit: MAX_DOCUMENTS });
                }
                let before = count / CANCEL_PERIOD;
                count += message.occurrences.len();
                if count > MAX_OCCURRENCES {
                    return Err(ScipError::TooLarge { what: "occurrences", limit: MAX_OCCURRENCES });
                }
                // Checked now and then, since documents may have a single occurrence.
                if count / CANCEL_PERIOD != before {
                    cancel.check()?;
                }
                relations += message.symbols.iter().map(|symbol| symbol.relationships.len()).sum::<usize>();
                if relations > MAX_RELATIONS {
                    return Err(ScipError::TooLarge { what: "relationships", limit: MAX_RELATIONS });
                }
                index.documents.push(document(message, number, tool_is_utf16, &mut symbols));
            }
            Some(tag) => skip_field_for_tag(tag, &mut input).map_err(|error| report_malformed(&input, error))?,
        }
    }
    if index.documents.is_empty() {
        return Err(ScipError::Empty);
    }
    index.symbols = symbols.texts;
    Ok(index)
}

fn report_malformed(input: &CodedInputStream<'_>, why: impl std::fmt::Display) -> ScipError {
    ScipError::Malformed { at: input.pos(), why: why.to_string() }
}

/// Reads a message with its length before it. The library takes the end of the bytes for the end of the message.
fn read_whole<M: protobuf::Message>(bytes: &[u8], input: &mut CodedInputStream<'_>) -> Result<M, ScipError> {
    let len = input.read_raw_varint32().map_err(|error| report_malformed(input, error))?;
    let start = usize::try_from(input.pos()).unwrap_or(usize::MAX);
    let end = start.saturating_add(len as usize);
    let part = bytes.get(start..end).ok_or_else(|| report_malformed(input, "the file is cut off"))?;
    let message = M::parse_from_bytes(part).map_err(|error| report_malformed(input, error))?;
    input.skip_raw_bytes(len).map_err(|error| report_malformed(input, error))?;
    Ok(message)
}

/// The symbols read so far.
#[derive(Default)]
struct Symbols {
    texts: Vec<Box<str>>,
    /// By text, and the document for those that mean something in it only.
    numbers: FxHashMap<(Box<str>, usize), u32>,
}

impl Symbols {
    fn number(&mut self, text: &str, document: usize) -> u32 {
        let scope = if is_local(text) { document } else { usize::MAX };
        let next = self.texts.len() as u32;
        *self.numbers.entry((text.into(), scope)).or_insert_with(|| {
            self.texts.push(if scope == usize::MAX { text.into() } else { "".into() });
            next
        })
    }
}

fn is_local(symbol: &str) -> bool {
    symbol.starts_with("local ")
}

fn document(message: Message, number: usize, tool_is_utf16: bool, symbols: &mut Symbols) -> Document {
    let columns = match message.position_encoding.enum_value() {
        Ok(PositionEncoding::UTF16CodeUnitOffsetFromLineStart) => Columns::Utf16,
        Ok(PositionEncoding::UTF32CodeUnitOffsetFromLineStart) => Columns::Chars,
        Ok(PositionEncoding::UTF8CodeUnitOffsetFromLineStart) => Columns::Bytes,
        _ if tool_is_utf16 => Columns::Utf16,
        _ => Columns::Bytes,
    };
    let rows = message.occurrences.iter();
    let rows = rows.filter(|row| !row.symbol.is_empty() && row.symbol.len() <= MAX_SYMBOL_BYTES);
    let occurrences = rows.filter_map(|row| {
        let (start, end_col) = range(row)?;
        let has = |role: SymbolRole| row.symbol_roles & role as i32 != 0;
        // A forward declaration is no use of the definition.
        (!has(SymbolRole::ForwardDefinition)).then(|| Occurrence {
            start,
            end_col,
            symbol: symbols.number(&row.symbol, number),
            definition: has(SymbolRole::Definition),
            import: has(SymbolRole::Import),
        })
    });
    let occurrences = occurrences.collect();
    let relations = relations(&message, number, symbols);
    Document { path: message.relative_path, text: message.text, columns, occurrences, relations }
}

/// Implementations and overrides by the symbols of a document.
fn relations(message: &Message, number: usize, symbols: &mut Symbols) -> Vec<(u32, u32)> {
    let is_read = |symbol: &str| !symbol.is_empty() && symbol.len() <= MAX_SYMBOL_BYTES;
    let mut found = Vec::new();
    for row in message.symbols.iter().filter(|row| is_read(&row.symbol)) {
        let related = row.relationships.iter().filter(|to| to.is_implementation && is_read(&to.symbol));
        for to in related.filter(|to| to.symbol != row.symbol) {
            found.push((symbols.number(&row.symbol, number), symbols.number(&to.symbol, number)));
        }
    }
    found
}

/// Start of an occurrence and the column of its end, if that is on the same line. `None` if the numbers make no sense.
fn range(row: &Row) -> Option<((u32, u32), Option<u32>)> {
    let numbers: [i32; 4] = match (row.range.as_slice(), &row.typed_range) {
        (&[line, col, end], _) => [line, col, line, end],
        (&[line, col, end_line, end], _) => [line, col, end_line, end],
        ([], Some(occurrence::Typed_range::SingleLineRange(range))) => {
            [range.line, range.start_character, range.line, range.end_character]
        }
        ([], Some(occurrence::Typed_range::MultiLineRange(range))) => {
            [range.start_line, range.start_character, range.end_line, range.end_character]
        }
        _ => return None,
    };
    let [line, col, end_line, end] = numbers.map(u32::try_from);
    let (line, col, end_line, end) = (line.ok()?, col.ok()?, end_line.ok()?, end.ok()?);
    ((line, col) <= (end_line, end)).then_some(((line, col), (line == end_line).then_some(end)))
}

/// Kind of a symbol according to its last descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suffix {
    /// A package, module, namespace or file, or an extension of one.
    Module,
    Parameter,
    Other,
}

/// A global symbol taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) scheme: String,
    /// Name of its package; empty if unknown.
    pub(crate) package: String,
    /// Names of the modules it is in, outermost first.
    pub(crate) modules: Vec<String>,
    /// Name of its last descriptor.
    pub(crate) name: String,
    pub(crate) suffix: Suffix,
    /// Descriptors that are no modules.
    pub(crate) depth: usize,
}

/// Parses a global symbol: `scheme manager package version descriptors`, where a doubled space is an escaped one.
/// `None` if the text is malformed.
pub(crate) fn parse_symbol(text: &str) -> Option<Symbol> {
    let mut rest = text;
    let mut fields = [const { String::new() }; 4];
    // The four fields in front, then one descriptor after the other up to the end.
    for field in &mut fields {
        rest = take_escaped(rest, ' ', field)?;
    }
    let [scheme, _manager, package, _version] = fields;
    let package = if package == "." { String::new() } else { package };
    let mut symbol =
        Symbol { scheme, package, modules: Vec::new(), name: String::new(), suffix: Suffix::Other, depth: 0 };
    let mut inside_modules = true;
    while let Some(first) = rest.chars().next() {
        let mut name = String::new();
        symbol.suffix = match first {
            '(' | '[' => {
                rest = take_name(&rest[1..], &mut name)?;
                rest = rest.strip_prefix(if first == '(' { ')' } else { ']' })?;
                Suffix::Parameter
            }
            _ => {
                rest = take_name(rest, &mut name)?;
                let kind = rest.chars().next()?;
                rest = &rest[kind.len_utf8()..];
                match kind {
                    '/' => {
                        // Only modules at the beginning are a path; a module inside of a type is a member.
                        if inside_modules {
                            symbol.modules.push(name.clone());
                        }
                        Suffix::Module
                    }
                    ':' => Suffix::Module,
                    '(' => {
                        rest = rest.split_once(").")?.1;
                        Suffix::Other
                    }
                    '.' | '#' | '!' => Suffix::Other,
                    _ => return None,
                }
            }
        };
        inside_modules &= symbol.suffix == Suffix::Module;
        symbol.name = name;
        symbol.depth += usize::from(symbol.suffix != Suffix::Module);
    }
    (!symbol.name.is_empty()).then_some(symbol)
}

/// Reads up to an end mark; a doubled mark is an escaped one. Returns the rest.
fn take_escaped<'t>(text: &'t str, mark: char, out: &mut String) -> Option<&'t str> {
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once(mark)?;
        out.push_str(part);
        match after.strip_prefix(mark) {
            Some(after) => {
                out.push(mark);
                rest = after;
            }
            None => return Some(after),
        }
    }
}

fn take_name<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    if let Some(escaped) = text.strip_prefix('`') {
        return take_escaped(escaped, '`', out);
    }
    let is_plain = |letter: char| letter.is_alphanumeric() || "_+-$".contains(letter);
    let end = text.find(|letter| !is_plain(letter)).unwrap_or(text.len());
    out.push_str(&text[..end]);
    (end > 0).then(|| &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_taken_apart() {
        let symbol =
            parse_symbol("scip-typescript npm @types/node 20.1 `fs.d.ts`/`\"fs\"`/readFile().").expect("valid");
        assert_eq!((symbol.package.as_str(), symbol.name.as_str()), ("@types/node", "readFile"));
        assert_eq!(symbol.modules, ["fs.d.ts", "\"fs\""]);
        let symbol = parse_symbol("s m a  b . pkg/C#m(+1).(p)").expect("valid");
        assert_eq!((symbol.package.as_str(), symbol.suffix, symbol.name.as_str()), ("a b", Suffix::Parameter, "p"));
        let symbol = parse_symbol("scip-python python requests 1 `src.requests.hooks`/__init__:").expect("valid");
        assert_eq!((symbol.suffix, symbol.modules.len()), (Suffix::Module, 1));
        let symbol = parse_symbol("rust-analyzer cargo . . x/`a``b`#").expect("valid");
        assert_eq!((symbol.package.as_str(), symbol.name.as_str()), ("", "a`b"));
        for text in
            ["", "local 1", "a b c", "a b c d ", "a b c d `x", "a b c d x", "a b c d x(", "a b c d (x", "a b c d /"]
        {
            assert_eq!(parse_symbol(text), None, "{text}");
        }
    }
}
