//! Code that a document names: spans in the type of code, roles, links to files, and the imports of its examples.

use m1nd_documents::{BlockKind, Document, DocumentLimits, Form, Format, Mention as Named, MentionKind, parse_as};

use super::super::Input;
use super::examples::{self, Example};
use super::{addresses, nouns};
use crate::Language;
use crate::facts::{DefId, FactsBuilder, FileFacts, Mention, MentionForm, MentionMark, Pos, Wanted};

/// Maximum mentions of a document; further ones are left out.
const MAX_MENTIONS: usize = 20_000;
/// Maximum bytes of the examples of a document that are parsed.
const MAX_EXAMPLES: usize = 512 << 10;
/// Directives of reStructuredText whose indented text is about the members of a class.
const CLASS_DIRECTIVES: &[&str] = &["class", "exception", "struct", "enum", "trait", "interface"];

/// Adds the mentions of a document whose sections are known.
pub(super) fn add(input: &Input<'_>, format: Format, builder: &mut FactsBuilder) {
    // Most texts have no sign of a mention and need not be parsed.
    if !may_mention(input.text) {
        return;
    }
    let Ok(document) = parse_as(format, input.text.as_bytes(), &DocumentLimits::default()) else { return };
    let lines: Vec<&str> = input.text.lines().collect();
    let sections = Sections::of(builder.facts());
    let paragraphs = paragraphs(&lines);
    let paragraph = |line: u32| paragraphs.get(line.saturating_sub(1) as usize).copied().unwrap_or(line);
    let mut context = Context::default();
    let mut found = Vec::new();
    for named in &document.mentions {
        let text = lines.get(named.line.saturating_sub(1) as usize).copied().unwrap_or("");
        // What a text speaks of (a class, a module) completes the names behind it.
        context.enter(named, text, format);
        let form = form(named);
        if found.len() >= MAX_MENTIONS {
            break;
        }
        let pos = Pos { line: named.line, col: column(text, &named.name) };
        let own = context.of(named);
        let noun = (named.kind == MentionKind::Code && matches!(form, MentionForm::Symbol | MentionForm::Call))
            .then(|| nouns::beside(&lines, named.line, &named.name))
            .flatten();
        let wants = named.role.as_deref().map_or(noun.map_or(Wanted::Any, |(wants, _)| wants), parse_wanted);
        found.push(Mention {
            enclosing: sections.at(named.line),
            name: builder.name(&named.name),
            context: own.map(|text| builder.name(&text)),
            form,
            mark: mark(named.kind),
            wants,
            noun: noun.map(|(_, noun)| builder.name(noun)),
            paragraph: paragraph(named.line),
            language: None,
            pos,
        });
    }
    // Then names that only the target of a link shows, command lines, and imports of examples.
    for row in addresses::names(&document, format, &lines) {
        if found.len() >= MAX_MENTIONS {
            break;
        }
        let text = lines.get(row.line.saturating_sub(1) as usize).copied().unwrap_or("");
        let last = row.name.rsplit([':', '.', '/']).next().unwrap_or(&row.name);
        found.push(Mention {
            enclosing: sections.at(row.line),
            name: builder.name(&row.name),
            context: None,
            form: MentionForm::Symbol,
            mark: MentionMark::Link,
            wants: row.wants,
            noun: None,
            paragraph: paragraph(row.line),
            language: None,
            pos: Pos { line: row.line, col: column(text, last) },
        });
    }
    add_lines(&document, &lines, &sections, builder, &mut found);
    add_examples(input, &document, &lines, &sections, builder, &mut found);
    found.sort_by_key(|mention| mention.pos);
    builder.facts_mut().mentions = found;
}

/// Returns whether a text has any mark of code: most short ones have none, and need no second reading.
fn may_mention(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'`' | b'/' | b'(' | b':'))
}

/// Of each line the first one of its paragraph, item or row of a table: those end at blank lines and where a line
/// begins with the mark of the next.
fn paragraphs(lines: &[&str]) -> Vec<u32> {
    let mut first = 1;
    let mut was_blank = true;
    let rows = lines.iter().zip(1..).map(|(line, number)| {
        let bare = line.trim_start();
        let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
        let is_item = ["- ", "* ", "+ ", "|", "#"].iter().any(|mark| bare.starts_with(mark))
            || digits > 0 && bare[digits..].starts_with(['.', ')']);
        if was_blank || is_item {
            first = number;
        }
        was_blank = bare.is_empty();
        first
    });
    rows.collect()
}

/// The imports of the examples of a document.
fn add_examples(
    input: &Input<'_>,
    document: &Document,
    lines: &[&str],
    sections: &Sections,
    builder: &mut FactsBuilder,
    found: &mut Vec<Mention>,
) {
    // Examples are parsed like code, so their size is limited for the whole document.
    let mut left = MAX_EXAMPLES;
    for block in document.blocks.iter().filter(|block| block.kind == BlockKind::Code) {
        let Some(language) = block.language.as_deref().and_then(examples::language) else { continue };
        if block.text.len() > left {
            break;
        }
        left -= block.text.len();
        // Lines of the block are found again in the document, which may indent or quote them.
        let places = line_places(&block.text, lines, block.line);
        for Example { name, is_call, line, language } in examples::names(language, &block.text, input) {
            if found.len() >= MAX_MENTIONS {
                return;
            }
            let line = places.get(line.saturating_sub(1) as usize).copied().unwrap_or(block.line);
            let text = lines.get(line.saturating_sub(1) as usize).copied().unwrap_or("");
            let last = name.rsplit("::").next().unwrap_or(&name);
            let pos = Pos { line, col: column(text, last) };
            found.push(Mention {
                enclosing: sections.at(line),
                name: builder.name(&name),
                context: None,
                form: if is_call { MentionForm::Call } else { MentionForm::Symbol },
                mark: MentionMark::Example,
                wants: Wanted::Any,
                noun: None,
                paragraph: line,
                language: Some(language),
                pos,
            });
        }
    }
}

/// The lines for a shell in the listings of a document: those of listings for a shell, and those with a prompt.
fn add_lines(
    document: &Document,
    lines: &[&str],
    sections: &Sections,
    builder: &mut FactsBuilder,
    found: &mut Vec<Mention>,
) {
    /// Longest line, in bytes.
    const MAX_LINE: usize = 400;
    for block in document.blocks.iter().filter(|block| block.kind == BlockKind::Code) {
        // Blocks of other languages hold code, not commands.
        let is_shell =
            matches!(block.language.as_deref(), Some("sh" | "bash" | "shell" | "zsh" | "fish" | "powershell"));
        let may_be = matches!(
            block.language.as_deref(),
            None | Some("" | "console" | "shell-session" | "terminal" | "text" | "none")
        );
        if !is_shell && !may_be {
            continue;
        }
        let places = line_places(&block.text, lines, block.line);
        let mut goes_on = false;
        for (row, place) in block.text.lines().zip(places) {
            let bare = row.trim();
            // In a transcript, only what follows a prompt was typed.
            let prompted = bare.strip_prefix("$ ").or_else(|| bare.strip_prefix("% "));
            let own = if is_shell { Some(prompted.unwrap_or(bare)) } else { prompted };
            // A line that ends with `\` goes on in the next, which begins no command.
            let is_rest = std::mem::replace(&mut goes_on, bare.ends_with('\\'));
            let Some(line) = own.filter(|line| !is_rest && !line.starts_with('#')) else { continue };
            if found.len() >= MAX_MENTIONS || line.len() > MAX_LINE || !line.contains(' ') {
                continue;
            }
            found.push(Mention {
                enclosing: sections.at(place),
                name: builder.name(line),
                context: None,
                form: MentionForm::Command,
                mark: MentionMark::Example,
                wants: Wanted::Any,
                noun: None,
                paragraph: place,
                language: None,
                pos: Pos {
                    line: place,
                    col: column(lines.get(place.saturating_sub(1) as usize).copied().unwrap_or(""), line),
                },
            });
        }
    }
}

/// The line of the document that each line of a listing is. Formats cut marks and blank lines off.
fn line_places(text: &str, lines: &[&str], first: u32) -> Vec<u32> {
    let mut at = first.saturating_sub(1) as usize;
    let places = text.lines().map(|line| {
        let same = |other: &&str| other.trim() == line.trim();
        // A listing has no gaps in its document, but for marks in front of its lines.
        if let Some(gap) = lines.get(at..).and_then(|rest| rest.iter().take(64).position(same)) {
            at += gap;
        }
        let place = at as u32 + 1;
        at += 1;
        place
    });
    places.collect()
}

const fn form(named: &Named) -> MentionForm {
    match named.form {
        Form::Symbol | Form::Variable => MentionForm::Symbol,
        Form::Call => MentionForm::Call,
        Form::Path => MentionForm::Path,
        Form::Flag => MentionForm::Flag,
        Form::Command => MentionForm::Command,
    }
}

const fn mark(kind: MentionKind) -> MentionMark {
    match kind {
        MentionKind::Code => MentionMark::Code,
        MentionKind::Role => MentionMark::Role,
        MentionKind::Link => MentionMark::Link,
        MentionKind::Bare => MentionMark::Bare,
    }
}

/// The kind that a role or directive asks for.
fn parse_wanted(role: &str) -> Wanted {
    match role {
        "func" | "function" | "fn" | "macro" => Wanted::Function,
        "meth" | "method" | "staticmethod" | "classmethod" => Wanted::Method,
        "class" | "exc" | "exception" | "type" | "struct" | "trait" | "enum" => Wanted::Type,
        "attr" | "attribute" | "data" | "const" | "member" => Wanted::Value,
        "mod" | "module" | "currentmodule" => Wanted::Module,
        _ => Wanted::Any,
    }
}

/// 1-based place of a name in its line, in characters; 1 if it is not there as such.
fn column(line: &str, name: &str) -> u16 {
    let at = line.find(name).unwrap_or(0);
    u16::try_from(line[..at].chars().count() + 1).unwrap_or(u16::MAX)
}

/// The sections of a document by their lines.
struct Sections {
    /// First and last line, in order of the first; those inside others come after them.
    rows: Vec<(u32, u32)>,
}

impl Sections {
    fn of(facts: &FileFacts) -> Self {
        Self { rows: facts.definitions.iter().map(|section| (section.line_start, section.line_end)).collect() }
    }

    /// The innermost section with a line: headings are in order, so it is the last one that has begun.
    fn at(&self, line: u32) -> Option<DefId> {
        let count = self.rows.partition_point(|(start, _)| *start <= line);
        let last = count.checked_sub(1)?;
        (line <= self.rows[last].1).then_some(DefId(last as u32))
    }
}

/// The module and class that names without owners belong to, by directives (`.. currentmodule::`, `.. class::`).
#[derive(Default)]
struct Context {
    module: Option<String>,
    /// Indentation of the directive and name of the class.
    classes: Vec<(usize, String)>,
}

impl Context {
    fn enter(&mut self, named: &Named, line: &str, format: Format) {
        if format != Format::Restructured {
            return;
        }
        let depth = line.len() - line.trim_start().len();
        self.classes.retain(|(other, _)| *other < depth);
        if named.kind != MentionKind::Role || !line.trim_start().starts_with(".. ") {
            return;
        }
        match named.role.as_deref() {
            Some("currentmodule" | "module") => self.module = Some(named.name.clone()),
            Some(role) if CLASS_DIRECTIVES.contains(&role) => self.classes.push((depth, named.name.clone())),
            _ => {}
        }
    }

    /// What stands in front of a name that a role marks.
    fn of(&self, named: &Named) -> Option<String> {
        if named.kind != MentionKind::Role || matches!(named.role.as_deref(), Some("mod" | "module" | "currentmodule"))
        {
            return None;
        }
        let class = self.classes.last().filter(|(_, name)| *name != named.name).map(|(_, name)| name.as_str());
        let is_member = matches!(
            named.role.as_deref(),
            Some("meth" | "method" | "attr" | "attribute" | "staticmethod" | "classmethod" | "member")
        );
        let parts = self.module.as_deref().into_iter().chain(class.filter(|_| is_member));
        let context = parts.collect::<Vec<&str>>().join(".");
        (!context.is_empty()).then_some(context)
    }
}

/// Whether a language has examples that are read.
pub(super) fn is_read(language: Language) -> bool {
    use Language::{Go, Java, JavaScript, Python, Rust, Tsx, TypeScript};
    matches!(language, Python | JavaScript | TypeScript | Tsx | Rust | Go | Java)
}
