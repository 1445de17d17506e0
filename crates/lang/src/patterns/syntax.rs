//! Queries over syntax trees: bounded in text, nesting and matches, and never recursive over the tree.

use std::ops::{ControlFlow, Range};

use m1nd_base::{Cancel, Limits, Pos, Problem};
use tree_sitter::{
    CaptureQuantifier, Node, Query, QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator, Tree,
};

use super::needed::Needed;
use super::{Patterns, patterns};
use crate::Language;
use crate::parse;
use crate::walk::Source;

/// The reason why a text is not a usable query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// No grammar to run it with.
    #[error("`{0}` has no grammar that queries run with, only these have: {known}", known = with_grammar())]
    NoGrammar(&'static str),
    /// Longer than [`SyntaxQuery::MAX_BYTES`].
    #[error("the query has {0} bytes, at most {max} are taken", max = SyntaxQuery::MAX_BYTES)]
    TooLong(usize),
    /// Nested deeper than [`SyntaxQuery::MAX_DEPTH`].
    #[error("the query is nested deeper than {max}", max = SyntaxQuery::MAX_DEPTH)]
    TooDeep,
    /// The grammar does not know it.
    #[error("line {line}, column {column}: {message}")]
    Invalid {
        /// 1-based line in the query.
        line: usize,
        /// 1-based column in bytes.
        column: usize,
        /// Description of the error.
        message: String,
    },
    /// It, or one of its patterns, captures nothing, so nothing could be reported.
    #[error("the query, or a pattern of it, captures nothing; put `@found` after the node to report")]
    NoCapture,
    /// A pattern that is not one piece of code of the language, or nothing but a gap.
    #[error("it is not one expression or statement of {0}")]
    NoCode(&'static str),
    /// A predicate that is not applied would silently widen the result.
    #[error("the predicate `#{0}` is not known, expected `#eq?`, `#match?`, `#any-of?` or their negations")]
    Predicate(String),
}

/// Names of the languages with a grammar.
fn with_grammar() -> String {
    let known: Vec<&str> = Language::all().filter(|one| one.grammar().is_some()).map(Language::name).collect();
    known.join(", ")
}

/// A tree-sitter query for one language. Captures with a meaning: `@found` (the reported match; defaults to a
/// pattern's first capture), `@name` (its subject), `@scope` (where to continue; defaults to `@found`), `@call` (the
/// relevant call).
#[derive(Debug)]
pub struct SyntaxQuery {
    query: Query,
    /// The reported capture of each pattern.
    found: Vec<u32>,
    name: Option<u32>,
    scope: Option<u32>,
    call: Option<u32>,
    needed: Needed,
}

impl SyntaxQuery {
    /// Longest text, in bytes.
    pub const MAX_BYTES: usize = 4 << 10;
    /// Deepest nesting of brackets: the compiler of queries recurses.
    pub const MAX_DEPTH: usize = 48;

    /// Compiles a query.
    ///
    /// # Errors
    /// [`QueryError`].
    pub fn new(language: Language, text: &str) -> Result<Self, QueryError> {
        let grammar = language.grammar().ok_or(QueryError::NoGrammar(language.name()))?;
        if text.len() > Self::MAX_BYTES {
            return Err(QueryError::TooLong(text.len()));
        }
        if depth(text) > Self::MAX_DEPTH {
            return Err(QueryError::TooDeep);
        }
        parse::measure();
        let query = Query::new(&grammar, text).map_err(|error| QueryError::Invalid {
            line: error.row + 1,
            column: error.column + 1,
            message: error.message.lines().next().unwrap_or("not a query").chars().take(200).collect(),
        })?;
        let index = |name| query.capture_index_for_name(name);
        let mut found = Vec::with_capacity(query.pattern_count());
        for pattern in 0..query.pattern_count() {
            if let Some(unknown) = not_applied(&query, pattern) {
                return Err(QueryError::Predicate(unknown.chars().take(60).collect()));
            }
            let quantifiers = query.capture_quantifiers(pattern);
            let captures =
                |index: &u32| quantifiers.get(*index as usize).is_some_and(|most| *most != CaptureQuantifier::Zero);
            let first = || (0..quantifiers.len() as u32).find(captures);
            found.push(index("found").filter(captures).or_else(first).ok_or(QueryError::NoCapture)?);
        }
        if found.is_empty() {
            return Err(QueryError::NoCapture);
        }
        let (name, scope, call) = (index("name"), index("scope"), index("call"));
        let needed = Needed::of(language, &query, text);
        Ok(Self { query, found, name, scope, call, needed })
    }

    /// Returns whether a file with this text may hold a match; `false` without a doubt, and without a syntax tree.
    pub fn may_match(&self, text: &str) -> bool {
        self.needed.may_match(text)
    }
}

/// A predicate or directive of a pattern that running the query would not apply.
fn not_applied(query: &Query, pattern: usize) -> Option<String> {
    let general = query.general_predicates(pattern).first().map(|unknown| unknown.operator.to_string());
    let is = query.property_predicates(pattern).first();
    let is = is.map(|(_, positive)| if *positive { "is?" } else { "is-not?" }.to_owned());
    let set = query.property_settings(pattern).first().map(|_| "set!".to_owned());
    general.or(is).or(set)
}

/// Deepest nesting of brackets, whether or not they are in strings.
fn depth(text: &str) -> usize {
    let (mut now, mut most) = (0usize, 0usize);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' => now += 1,
            b')' | b']' => now = now.saturating_sub(1),
            _ => {}
        }
        most = most.max(now);
    }
    most
}

/// A piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// Its bytes.
    pub bytes: Range<usize>,
    /// Start position.
    pub start: Pos,
    /// Just past its end.
    pub end: Pos,
}

impl Extent {
    /// Returns whether it contains a position.
    pub fn holds(&self, pos: Pos) -> bool {
        self.start <= pos && pos < self.end
    }
}

/// One match of a query.
#[derive(Debug, Clone)]
pub struct SyntaxMatch {
    /// The reported match.
    pub found: Extent,
    /// Its subject, as written.
    pub name: Option<String>,
    /// Position of the name, else the start of the match.
    pub name_at: Pos,
    /// Region to continue in.
    pub scope: Extent,
    /// The call that matters.
    pub call: Option<Extent>,
}

/// Matches in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct SyntaxMatches {
    /// The matches.
    pub rows: Vec<SyntaxMatch>,
    /// A limit or the caller ended it: there may be more.
    pub is_cut: bool,
}

/// A file with its syntax tree.
#[derive(Debug)]
pub struct SyntaxFile<'t> {
    language: Language,
    source: Source<'t>,
    tree: Tree,
}

impl<'t> SyntaxFile<'t> {
    /// Most matches of one query in one file.
    pub const MAX_MATCHES: usize = 2_000;
    /// Longest name of a match that is kept, in bytes.
    const MAX_NAME_BYTES: usize = 200;
    /// Partial matches that a query may keep at once in one file.
    const MAX_OPEN_MATCHES: u32 = 4_096;

    /// Parses a file.
    ///
    /// # Errors
    /// A problem if the file is too large, or the time budget or the caller ended it.
    pub fn parse(language: Language, text: &'t str, limits: &Limits, cancel: &Cancel) -> Result<Self, Problem> {
        let none = || {
            let detail = QueryError::NoGrammar(language.name()).to_string();
            Problem::new(m1nd_base::ProblemKind::ExtractorFailed, detail)
        };
        if text.len() > limits.parse_bytes {
            let detail = format!("{} bytes, limit {}", text.len(), limits.parse_bytes);
            return Err(Problem::new(m1nd_base::ProblemKind::TooLarge, detail));
        }
        let tree = parse::parse(&language.grammar().ok_or_else(none)?, text.as_bytes(), limits, cancel)?;
        Ok(Self { language, source: Source { text }, tree })
    }

    pub(super) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// The line that contains a byte.
    pub fn line_at(&self, byte: usize) -> &'t str {
        let text = self.source.text;
        let byte = text.floor_char_boundary(byte);
        let start = text[..byte].rfind('\n').map_or(0, |at| at + 1);
        text[start..].lines().next().unwrap_or("")
    }

    /// The file as a whole.
    pub fn whole(&self) -> Range<usize> {
        0..self.source.text.len()
    }

    /// The innermost piece of one of these kinds around some bytes, else the whole file.
    pub fn around(&self, bytes: &Range<usize>, kinds: &[&str]) -> Range<usize> {
        self.innermost(bytes, kinds).unwrap_or_else(|| self.whole())
    }

    /// Kinds of nodes of the language's table; none where the language has no rules.
    fn kinds(&self, of: fn(&Patterns) -> &'static [&'static str]) -> &'static [&'static str] {
        patterns(self.language).map_or(&[], of)
    }

    fn innermost(&self, bytes: &Range<usize>, kinds: &[&str]) -> Option<Range<usize>> {
        let target = self.tree.root_node().descendant_for_byte_range(bytes.start, bytes.end)?;
        let mut innermost = None;
        let mut at = Some(self.tree.root_node());
        while let Some(node) = at {
            if kinds.contains(&node.kind()) {
                innermost = Some(node.byte_range());
            }
            at = (node.id() != target.id()).then(|| node.child_with_descendant(target)).flatten();
        }
        innermost
    }

    /// The innermost function around some bytes, else the whole file.
    pub fn function_around(&self, bytes: &Range<usize>) -> Range<usize> {
        self.around(bytes, self.kinds(|known| known.functions))
    }

    /// The innermost function around some bytes, if any; `closures` count as functions if they shall.
    pub fn function_itself(&self, bytes: &Range<usize>, closures: bool) -> Option<Range<usize>> {
        let kinds = self.kinds(|known| known.functions);
        match closures {
            true => self.innermost(bytes, &[kinds, self.kinds(|known| known.closures)].concat()),
            false => self.innermost(bytes, kinds),
        }
    }

    /// The innermost type with members around some bytes, else the whole file.
    pub fn type_around(&self, bytes: &Range<usize>) -> Range<usize> {
        self.around(bytes, self.kinds(|known| known.types))
    }

    /// Matches of a query within a byte range.
    pub fn matches(&self, query: &SyntaxQuery, within: &Range<usize>, cancel: &Cancel) -> SyntaxMatches {
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(Self::MAX_OPEN_MATCHES);
        cursor.set_byte_range(within.clone());
        let mut stopped = false;
        let mut stop = |_: &QueryCursorState| match cancel.is_cancelled() {
            true => {
                stopped = true;
                ControlFlow::Break(())
            }
            false => ControlFlow::Continue(()),
        };
        let mut found = SyntaxMatches::default();
        let options = QueryCursorOptions::new().progress_callback(&mut stop);
        let text = self.source.text.as_bytes();
        let mut matches = cursor.matches_with_options(&query.query, self.tree.root_node(), text, options);
        while let Some(one) = matches.next() {
            let node = |index: u32| one.captures().iter().find(|capture| capture.index == index).map(|at| at.node);
            let found_by = query.found.get(one.pattern_index).copied();
            let Some(reported) = found_by.and_then(node).filter(|node| inside(&node.byte_range(), within)) else {
                continue;
            };
            if found.rows.len() >= Self::MAX_MATCHES {
                found.is_cut = true;
                break;
            }
            let name = query.name.and_then(node);
            found.rows.push(SyntaxMatch {
                found: self.extent(reported),
                name: name.map(|name| crate::text::clip(self.source.text(name), Self::MAX_NAME_BYTES).to_owned()),
                name_at: self.source.pos(name.unwrap_or(reported)),
                scope: self.extent(query.scope.and_then(node).unwrap_or(reported)),
                call: query.call.and_then(node).map(|call| self.extent(call)),
            });
        }
        drop(matches);
        found.is_cut |= stopped || cursor.did_exceed_match_limit();
        found
    }

    fn extent(&self, node: Node<'_>) -> Extent {
        Extent { start: self.source.pos(node), end: self.source.end_pos(node), bytes: node.byte_range() }
    }
}

fn inside(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
