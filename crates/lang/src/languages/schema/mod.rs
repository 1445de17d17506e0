//! Languages of schemas, which programs of other languages share: read token by token, without a tree.

use m1nd_base::{Limits, Problem, ProblemKind};

use super::Input;
use crate::facts::{DefId, DefKind, Definition, FactsBuilder, FileFacts, Pos, Shared, SharedKind};
use crate::lines::Lines;

pub(crate) mod graphql;
pub(crate) mod lexer;
pub(crate) mod proto;
pub(crate) mod sql;

use lexer::Lexed;

/// Brackets that may be open; deeper ones are skipped.
const MAX_OPEN: usize = 256;
/// Definitions and shared names of one file; further ones are left out.
const MAX_ROWS: usize = 20_000;

/// The facts of a file without scopes and expressions, while they are gathered.
pub(crate) struct Sheet<'t> {
    builder: FactsBuilder,
    text: &'t str,
    lines: Lines<'t>,
    limit: usize,
    rows: usize,
    /// Takes the place of definitions beyond the limit.
    spare: Option<DefId>,
}

impl<'t> Sheet<'t> {
    pub(crate) fn new(input: &Input<'t>) -> Self {
        Self::of(input.language, input.text, input.lines(), input.limits)
    }

    fn of(language: crate::Language, text: &'t str, lines: u32, limits: &Limits) -> Self {
        let builder = FactsBuilder::new(language, lines, limits);
        let limit = limits.facts_per_file.min(MAX_ROWS);
        Self { builder, text, lines: Lines::new(text), limit, rows: 0, spare: None }
    }

    /// Ends the gathering.
    pub(crate) fn finish(mut self) -> FileFacts {
        if self.rows >= self.limit {
            let detail = format!("more than {} definitions and shared names", self.limit);
            self.builder.problem(Problem::new(ProblemKind::FactsLimit, detail));
        }
        self.builder.finish()
    }

    fn has_room(&mut self) -> bool {
        self.rows += usize::from(self.rows < self.limit);
        self.rows < self.limit
    }

    pub(crate) fn pos(&mut self, byte: usize) -> Pos {
        self.lines.pos(byte)
    }

    pub(crate) fn set_package(&mut self, name: &str) {
        let name = self.builder.name(name);
        self.builder.facts_mut().package = Some(name);
    }

    pub(crate) fn package(&self) -> String {
        let facts = self.builder.facts();
        facts.package.map_or(String::new(), |name| facts.name(name).to_owned())
    }

    pub(crate) fn name_of(&self, def: DefId) -> &str {
        let facts = self.builder.facts();
        facts.name(facts.definition(def).name)
    }

    /// Adds a definition whose name is a token, which it begins with.
    pub(crate) fn define(
        &mut self,
        kind: DefKind,
        name: &str,
        owner: Option<DefId>,
        at: &Lexed<'_>,
        end: usize,
    ) -> DefId {
        self.define_with(kind, name, owner, (at, at), end)
    }

    /// Adds a definition that begins with one token and has its name from another one.
    pub(crate) fn define_with(
        &mut self,
        kind: DefKind,
        name: &str,
        owner: Option<DefId>,
        (first, named): (&Lexed<'_>, &Lexed<'_>),
        end: usize,
    ) -> DefId {
        let def = self.define_at(kind, name, owner, (first.start, named.start), end);
        let doc = first.comment.and_then(|start| comment(&self.text[start..first.start]));
        if let Some(doc) = doc {
            self.builder.definition_mut(def).doc = Some(doc.into());
        }
        def
    }

    /// Adds a definition by the places of its first byte, its name and its end.
    pub(crate) fn define_at(
        &mut self,
        kind: DefKind,
        name: &str,
        owner: Option<DefId>,
        (start, named): (usize, usize),
        end: usize,
    ) -> DefId {
        if !self.has_room()
            && let Some(spare) = self.spare
        {
            return spare;
        }
        let (pos, first) = (self.pos(named), self.pos(start));
        let last = self.pos(end.saturating_sub(1).max(start));
        let name = self.builder.name(if name.is_empty() { "_" } else { name });
        let mut definition = self.builder.blank_definition(kind, name, FactsBuilder::FILE, pos);
        definition.owner = owner;
        (definition.line_start, definition.line_end) = (first.line, last.line.max(first.line));
        definition.bytes = (start as u32, end.max(start) as u32);
        definition.flags.is_exported = true;
        let def = self.builder.definition(definition);
        if self.rows >= self.limit {
            self.spare = Some(def);
        }
        def
    }

    /// Says where a definition ends.
    pub(crate) fn end(&mut self, def: DefId, end: usize) {
        let last = self.pos(end.saturating_sub(1));
        let definition = self.builder.definition_mut(def);
        if end as u32 >= definition.bytes.0 {
            definition.bytes.1 = end as u32;
            definition.line_end = last.line.max(definition.line_start);
        }
    }

    /// Makes a part of the text the signature of a definition.
    pub(crate) fn sign(&mut self, def: DefId, start: usize, end: usize) {
        let words: Vec<&str> = self.text[start..end].split_whitespace().collect();
        self.sign_as(def, &words.join(" "));
    }

    /// Gives a definition its signature.
    pub(crate) fn sign_as(&mut self, def: DefId, signature: &str) {
        let end = signature.floor_char_boundary(Definition::MAX_SIGNATURE);
        self.builder.definition_mut(def).signature = Some(signature[..end].into());
    }

    /// Adds a shared name. One that is too long or empty is left out, but for an image without a name.
    pub(crate) fn share(
        &mut self,
        kind: SharedKind,
        declares: bool,
        name: &str,
        of: &str,
        owner: Option<DefId>,
        byte: usize,
    ) {
        let says = !name.is_empty() || kind == SharedKind::Image && !of.is_empty();
        let fits = name.len() <= Shared::MAX_NAME && of.len() <= Shared::MAX_NAME;
        if !says || !fits || !self.has_room() {
            return;
        }
        let pos = self.pos(byte);
        let row = Shared { kind, declares, name: name.into(), of: of.into(), owner, pos };
        self.builder.facts_mut().shared.push(row);
    }
}

/// The text of a comment, without its marks.
fn comment(text: &str) -> Option<String> {
    let mut words = String::new();
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['/', '*', '#', '-']).trim_end_matches("*/").trim();
        if !line.is_empty() {
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(line);
        }
        if words.len() >= Definition::MAX_DOC {
            break;
        }
    }
    words.truncate(words.floor_char_boundary(Definition::MAX_DOC));
    (!words.is_empty()).then_some(words)
}
