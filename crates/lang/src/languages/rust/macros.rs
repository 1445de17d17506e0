//! Macro invocations. The grammar only has tokens; arguments that are expressions are parsed a second time, in place,
//! so that positions stay valid. Unparsable arguments are searched for text that looks like calls.

use tree_sitter::{Node, Parser, Point, Range, Tree};

use super::KindName;
use super::environment::Space;
use super::expansions::WrittenMacro;
use super::{Exactness, Extractor};
use crate::facts::{Collection, DefId, Expr, ExprId, Literal, MacroArguments, PathRoot, Pos, Role};
use crate::parse::{self, ParseBudget};
use crate::walk::{self, Step};

/// Macros inside the arguments of macros that are parsed; deeper ones are only searched. The walk of arguments nests on
/// the call stack, so this is small.
const MAX_NESTING: u32 = 6;

/// Longest argument text that is parsed a second time, in bytes.
const MAX_ARGUMENT_BYTES: usize = 256 << 10;

/// How to parse the arguments of a macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Expressions between commas.
    Expressions,
    /// `matches!(expression, pattern if guard)`
    Pattern,
    /// Expressions between commas, semicolons or arrows.
    Separated,
    /// Items, for a macro in item position.
    Items,
    /// Expressions between commas, with the marks of fields that `tracing` has: `target: "x"`, `%value`, `?value`.
    Fields,
    /// `static ref NAME: Type = value;`
    Statics,
    /// `if #[cfg(…)] { items } else { items }`
    Branches,
}

impl Shape {
    fn has_items(self) -> bool {
        matches!(self, Self::Items | Self::Statics | Self::Branches)
    }
}

/// Result of a well-known macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Yields {
    Text,
    Bool,
    List,
    /// Its last argument.
    Last,
    /// What its only argument holds.
    Inside,
    /// What each of its arguments holds, as a tuple.
    InsideEach,
    Nothing,
}

/// Macros whose arguments are plain expressions that are evaluated: those of the standard library and, under the same
/// names everywhere, of the usual logging and error crates.
fn well_known(name: &str) -> Option<(Shape, Yields)> {
    Some(match name {
        "format" | "concat" | "stringify" | "env" | "include_str" | "file" => (Shape::Expressions, Yields::Text),
        "vec" => (Shape::Expressions, Yields::List),
        "matches" => (Shape::Pattern, Yields::Bool),
        "dbg" | "pin" => (Shape::Expressions, Yields::Last),
        "ready" => (Shape::Expressions, Yields::Inside),
        "join" => (Shape::Expressions, Yields::InsideEach),
        "thread_local" => (Shape::Items, Yields::Nothing),
        "lazy_static" => (Shape::Statics, Yields::Nothing),
        "cfg_if" => (Shape::Branches, Yields::Nothing),
        "print" | "println" | "eprint" | "eprintln" | "write" | "writeln" | "format_args" | "panic" | "assert"
        | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne" | "todo"
        | "unimplemented" | "unreachable" | "log" | "bail" | "ensure" | "anyhow" => {
            (Shape::Expressions, Yields::Nothing)
        }
        "error" | "warn" | "info" | "debug" | "trace" | "event" | "span" | "error_span" | "warn_span" | "info_span"
        | "debug_span" | "trace_span" => (Shape::Fields, Yields::Nothing),
        _ => return None,
    })
}

/// Returns whether a macro is well known to take expressions.
pub(super) fn takes_expressions(name: &str) -> bool {
    well_known(name).is_some_and(|(shape, _)| matches!(shape, Shape::Expressions | Shape::Fields))
}

/// The parser of macro arguments, with what is left for them in this file.
pub(super) struct MacroParser<'a> {
    /// The macros that the file has defined so far.
    pub(super) rules: Vec<WrittenMacro<'a>>,
    parser: Option<Parser>,
    left: ParseBudget,
    nesting: u32,
    /// The innermost macro is known to take expressions.
    is_known: bool,
    /// A block or closure among the arguments of a macro is around the innermost one.
    in_body: bool,
}

impl MacroParser<'_> {
    pub(super) fn new(budget: ParseBudget) -> Self {
        Self { rules: Vec::new(), parser: None, left: budget, nesting: 0, is_known: false, in_body: false }
    }

    /// Returns whether the walk is inside the arguments of a macro.
    pub(super) fn in_arguments(&self) -> bool {
        self.nesting > 0
    }
}

/// Text that replaces the bytes of a macro's arguments.
struct Overlay {
    start: usize,
    start_point: Point,
    text: Vec<u8>,
}

impl Extractor<'_> {
    /// Refers to the macro and reads its arguments.
    pub(super) fn macro_invocation(&mut self, node: Node<'_>, path: &[Step<'_>]) {
        let pending = self.take_pending();
        let Some(name) = node.child_by_field_name("macro") else { return };
        let arguments = super::children(node).into_iter().rfind(|child| child.kind_name() == "token_tree");
        let among_items = is_among_items(path);
        let at = self.at;
        let list = arguments.filter(|_| among_items);
        let expanded = list.map(|list| self.define_expanded(node, list, &pending)).unwrap_or_default();
        let generated =
            list.filter(|_| expanded.is_empty()).and_then(|list| self.define_generated(node, list, &pending));
        // What is given for one definition is code of it.
        if let Some(def) = generated.or(expanded.first().copied().filter(|_| expanded.len() == 1)) {
            self.at.enclosing = Some(def);
        }
        let first_reference = self.builder.facts().references.len();
        let of = self.path(name, None, Some(Role::Macro));
        if let Some(def) = generated {
            self.builder.definition_mut(def).declared = Some(of);
        }
        if let Some(arguments) = arguments {
            self.keep_text(of, super::children(arguments).first().copied());
            // In item position, a well-known macro has items: of others, the name is another macro's.
            let known = well_known(self.last_name(name)).filter(|(shape, _)| !among_items || shape.has_items());
            let is_type_list = path.last().is_some_and(|parent| parent.node.kind_name() == "type_arguments");
            let read = (self.macros.is_known, self.macros.in_body, self.exactness);
            self.macros.is_known = known.is_some();
            self.macros.in_body |= self.macros.in_arguments() && is_in_body(path);
            if let Some(value) = self.macro_arguments(arguments, of, known, (among_items, is_type_list)) {
                self.exprs.set(node, value);
            }
            (self.macros.is_known, self.macros.in_body, self.exactness) = read;
        }
        self.drop_references_to_names(first_reference, &expanded);
        self.at = at;
    }

    /// Reads the arguments; returns the value of the macro if its name determines it.
    fn macro_arguments(
        &mut self,
        arguments: Node<'_>,
        of: ExprId,
        known: Option<(Shape, Yields)>,
        (among_items, is_type_list): (bool, bool),
    ) -> Option<ExprId> {
        if is_type_list {
            self.token_arguments(arguments);
            return None;
        }
        if let Some((Shape::Branches, _)) = known {
            self.branches(arguments);
            return None;
        }
        if let Some((shape, yields)) = known {
            let Some(items) = self.parsed_arguments(arguments, shape) else {
                self.token_arguments(arguments);
                return None;
            };
            return self.macro_value(yields, &items);
        }
        let braces = self.source.text(arguments).starts_with('{');
        if among_items && braces && self.items(arguments) {
            return None;
        }
        self.exactness = Exactness::Inexact;
        // Items in a block that is an argument belong to the block.
        self.at.is_local = true;
        let row = self.mark_arguments(of, arguments);
        if self.parsed_arguments(arguments, Shape::Separated).is_none() {
            let unknown = self.builder.unknown();
            self.builder.facts_mut().macro_arguments[row].path = unknown;
            self.search_tokens(arguments);
        }
        None
    }

    /// Items that a macro may leave out of some builds; returns whether they are.
    fn items(&mut self, arguments: Node<'_>) -> bool {
        let around = std::mem::replace(&mut self.at.is_conditional, true);
        let fits = self.parsed_arguments(arguments, Shape::Items).is_some();
        self.at.is_conditional = around;
        fits
    }

    /// The blocks of `cfg_if!`, one of which is taken: items, or statements where the macro stands among statements.
    fn branches(&mut self, arguments: Node<'_>) {
        for block in super::children(arguments) {
            if block.kind_name() == "token_tree" && self.source.text(block).starts_with('{') && !self.items(block) {
                self.token_arguments(block);
            }
        }
    }

    /// Arguments that are not understood.
    fn token_arguments(&mut self, arguments: Node<'_>) {
        self.exactness = Exactness::Inexact;
        let unknown = self.builder.unknown();
        self.mark_arguments(unknown, arguments);
        self.search_tokens(arguments);
    }

    /// Records which macro decides whether inexact references at `node` are code; returns the index of the record.
    fn mark_arguments(&mut self, path: ExprId, node: Node<'_>) -> usize {
        let start = self.pos(node);
        let end = node.end_position();
        // In bytes, which are at least as many as the characters.
        let end = Pos { line: end.row as u32 + 1, col: u16::try_from(end.column.max(1)).unwrap_or(u16::MAX) };
        let rows = &mut self.builder.facts_mut().macro_arguments;
        rows.push(MacroArguments { path, start, end: end.max(start) });
        rows.len() - 1
    }

    /// Returns whether a bare identifier among macro arguments refers to something. As a separate argument it may be
    /// any word: a lower-case one most likely refers to something, unless a definition of the macro shows otherwise.
    pub(super) fn is_name_among_tokens(&mut self, node: Node<'_>, path: &[Step<'_>]) -> bool {
        let is_upper = self.source.text(node).starts_with(char::is_uppercase);
        let is_argument = !self.macros.is_known && path.iter().all(|step| is_list(step.node.kind_name()));
        if is_argument && is_upper {
            let unknown = self.builder.unknown();
            self.mark_arguments(unknown, node);
        }
        is_upper || !is_argument && (self.macros.in_body || is_in_body(path))
    }

    fn macro_value(&mut self, yields: Yields, items: &[ExprId]) -> Option<ExprId> {
        match yields {
            Yields::Text => Some(self.literal_expr(Literal::Str)),
            Yields::Bool => Some(self.literal_expr(Literal::Bool)),
            Yields::Last => items.last().copied(),
            Yields::Inside => items.first().map(|&base| self.inside(base)),
            Yields::InsideEach => {
                let items: Vec<ExprId> = items.iter().map(|&item| self.inside(item)).collect();
                let items = self.builder.list(&items);
                Some(self.builder.expr(Expr::Collection { kind: Collection::Tuple, items }))
            }
            Yields::Nothing => None,
            Yields::List => {
                let known: Vec<ExprId> =
                    items.iter().copied().find(|&item| item != self.builder.unknown()).into_iter().collect();
                let items = self.builder.list(&known);
                Some(self.builder.expr(Expr::Collection { kind: Collection::List, items }))
            }
        }
    }

    fn inside(&mut self, base: ExprId) -> ExprId {
        if base == self.builder.unknown() { base } else { self.builder.expr(Expr::Unwrap { base }) }
    }

    /// Parses and walks the arguments; returns their expressions, or `None` if they do not match `shape`.
    fn parsed_arguments(&mut self, arguments: Node<'_>, shape: Shape) -> Option<Vec<ExprId>> {
        if self.macros.nesting >= MAX_NESTING {
            return None;
        }
        if arguments.child_count() <= 2 {
            return Some(Vec::new());
        }
        let overlay = self.overlay(arguments, shape)?;
        let tree = self.parse_overlay(&overlay)?;
        let root = tree.root_node();
        let fits = if shape.has_items() { is_items(root) } else { is_one_list(root) };
        if root.has_error() || !fits {
            return None;
        }
        self.macros.nesting += 1;
        let outer = std::mem::take(&mut self.exprs);
        let in_block = std::mem::replace(&mut self.at.in_block, false);
        // Deeper than the limit only if the file's own tree was too, which is reported there.
        let _ = walk::walk(&tree, self.limits, self);
        self.at.in_block = in_block;
        let list = super::children(root).first().and_then(|statement| statement.named_child(0));
        let items = list.map(super::children).unwrap_or_default();
        let items = items.into_iter().map(|item| self.expr_of(Some(item))).collect();
        self.exprs = outer;
        self.macros.nesting -= 1;
        Some(items)
    }

    /// The text to parse instead of the tokens, at the same place.
    fn overlay(&self, arguments: Node<'_>, shape: Shape) -> Option<Overlay> {
        let range = arguments.byte_range();
        let written = self.source.text.as_bytes().get(range.clone())?;
        if written.len() > MAX_ARGUMENT_BYTES {
            return None;
        }
        let start_point = arguments.start_position();
        let mut text = written.to_vec();
        let end = text.len().checked_sub(1)?;
        // Arguments are parsed as the code they look like. Every byte stays at its place, so that positions are right.
        match shape {
            Shape::Expressions | Shape::Separated | Shape::Fields => {
                match shape {
                    Shape::Separated => commas(arguments, &mut text),
                    Shape::Fields => blank_marks(arguments, &mut text),
                    _ => {}
                }
                let brackets = if text[0] == b'[' { (b'[', b']') } else { (b'(', b')') };
                (text[0], text[end]) = brackets;
                text.push(b';');
                Some(Overlay { start: range.start, start_point, text })
            }
            Shape::Items | Shape::Statics | Shape::Branches => {
                (text[0], text[end]) = (b' ', b' ');
                if shape == Shape::Statics {
                    blank_refs(arguments, &mut text);
                }
                // The last item of a list may do without its end.
                if shape != Shape::Branches && !text.trim_ascii_end().ends_with(b"}") {
                    text[end] = b';';
                }
                Some(Overlay { start: range.start, start_point, text })
            }
            Shape::Pattern => {
                // `matches!(value, pattern)` becomes `match value { pattern => {}}`: the name of the macro leaves room
                // for the keyword.
                const KEYWORD: &[u8] = b"match";
                let comma = first_comma(arguments)? - range.start;
                let start = range.start.checked_sub(KEYWORD.len())?;
                let column = start_point.column.checked_sub(KEYWORD.len())?;
                text[0] = b' ';
                text[comma] = b'{';
                text.truncate(end);
                let pattern_end = text.trim_ascii_end().len();
                if text[..pattern_end].ends_with(b",") {
                    text[pattern_end - 1] = b' ';
                }
                text.extend_from_slice(b" =>{}}");
                text.splice(0..0, KEYWORD.iter().copied());
                Some(Overlay { start, start_point: Point { row: start_point.row, column }, text })
            }
        }
    }

    fn parse_overlay(&mut self, overlay: &Overlay) -> Option<Tree> {
        if self.macros.left.is_spent() {
            return None;
        }
        if self.macros.parser.is_none() {
            let mut parser = parse::parser();
            parser.set_language(&tree_sitter_rust::LANGUAGE.into()).ok()?;
            self.macros.parser = Some(parser);
        }
        let end = overlay.start + overlay.text.len();
        let range = Range {
            start_byte: overlay.start,
            end_byte: end,
            start_point: overlay.start_point,
            end_point: end_point(overlay),
        };
        let cancel = self.cancel;
        let parser = self.macros.parser.as_mut()?;
        parser.reset();
        parser.set_included_ranges(&[range]).ok()?;
        // Arguments share one budget of time.
        let read = |offset: usize| overlay.text.get(offset.saturating_sub(overlay.start)..).unwrap_or_default();
        self.macros.left.parse(parser, read, None, cancel).ok()
    }

    /// The transcribers of a macro definition: code only where the macro is invoked, but what they name is used there.
    pub(super) fn transcribers(&mut self, definition: Node<'_>, def: DefId) {
        let outer = (self.exactness, self.at.enclosing.replace(def));
        let rules = super::children(definition).into_iter().filter(|child| child.kind_name() == "macro_rule");
        for tokens in rules.filter_map(|rule| rule.child_by_field_name("right")) {
            self.token_arguments(tokens);
        }
        (self.exactness, self.at.enclosing) = outer;
    }

    /// Finds `name(`, `path::name`, `.name`, `Name` and `name!` in tokens.
    fn search_tokens(&mut self, tokens: Node<'_>) {
        let mut cursor = tokens.walk();
        let mut depth = 0u32;
        let mut run = Run::default();
        loop {
            let node = cursor.node();
            if matches!(node.kind_name(), "token_tree" | "token_repetition") {
                let is_call = depth > 0 && self.source.text(node).starts_with('(');
                self.end_run(&mut run, if is_call { Some(Role::Call) } else { None });
                if cursor.goto_first_child() {
                    depth += 1;
                    continue;
                }
            } else {
                self.token(node, &mut run);
            }
            if self.builder.full() {
                return;
            }
            while !cursor.goto_next_sibling() {
                self.end_run(&mut run, None);
                if depth <= 1 || !cursor.goto_parent() {
                    return;
                }
                depth -= 1;
            }
        }
    }

    /// Takes one token into the run of tokens that may become an access path.
    fn token(&mut self, node: Node<'_>, run: &mut Run) {
        match node.kind_name() {
            "identifier" | "self" | "crate" | "super" => {
                let text = self.ident(node);
                let is_keyword = node.kind_name() != "identifier";
                if run.join == Join::None {
                    self.end_run(run, None);
                }
                run.name = None;
                run.expr = Some(match (run.join, run.expr) {
                    (Join::Path, base) if !is_keyword => {
                        // Before `::` stand type arguments, a variable of a macro or, in old code, nothing.
                        let base = base.unwrap_or_else(|| self.builder.unknown());
                        self.builder.path(base, text)
                    }
                    (Join::Member, base) => {
                        let base = base.unwrap_or_else(|| self.builder.unknown());
                        self.builder.member(base, text)
                    }
                    _ if node.kind_name() == "self" => self.builder.expr(Expr::This { scope: self.at.scope }),
                    _ => self.segment(None, node, None),
                });
                let name = self.builder.name(text);
                let bare = run.join == Join::None;
                let is_local = bare && self.environment.is_local(Space::Value, name);
                if !is_keyword && !is_local {
                    run.name = Some(self.pos(node));
                }
                run.word = Some(Word::of(text, bare));
                run.join = Join::None;
            }
            "metavariable" => {
                self.end_run(run, None);
                run.expr = (self.source.text(node) == "$crate").then(|| self.root(PathRoot::Crate));
            }
            "::" => {
                if let (Some(expr), Some(pos), Some(Word::Type)) = (run.expr, run.name, run.word) {
                    self.refer_from(expr, Role::Type, u8::MAX, pos, self.at.enclosing);
                }
                run.join = Join::Path;
            }
            "." => run.join = Join::Member,
            "!" => self.end_run(run, Some(Role::Macro)),
            _ => self.end_run(run, None),
        }
    }

    /// Refers to the name that a run of tokens ends with, by the role that the next token gives it or, without one, as
    /// it is written.
    fn end_run(&mut self, run: &mut Run, role: Option<Role>) {
        let done = std::mem::take(run);
        let role = role.or(match done.word {
            Some(Word::Type) => Some(Role::Type),
            Some(Word::Part) => Some(Role::Read),
            Some(Word::Any) | None => None,
        });
        if let (Some(role), Some(expr), Some(pos), Join::None) = (role, done.expr, done.name, done.join) {
            self.refer_from(expr, role, u8::MAX, pos, self.at.enclosing);
        }
    }
}

/// A name among tokens, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    /// In lower case and alone: it may be anything.
    Any,
    /// As types, traits and type parameters are written: in mixed case, or one upper-case letter.
    Type,
    /// A constant, or the end of a path.
    Part,
}

impl Word {
    fn of(text: &str, is_alone: bool) -> Self {
        let is_upper = text.starts_with(char::is_uppercase);
        match is_upper {
            true if text.len() == 1 || text.contains(char::is_lowercase) => Self::Type,
            false if is_alone => Self::Any,
            _ => Self::Part,
        }
    }
}

/// How the next name continues an access path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Join {
    #[default]
    None,
    Path,
    Member,
}

/// An access path while its tokens are read.
#[derive(Debug, Default)]
struct Run {
    expr: Option<ExprId>,
    /// Position of its last name, if that is worth a reference.
    name: Option<Pos>,
    /// What its last name is as it is written.
    word: Option<Word>,
    join: Join,
}

/// Returns whether a macro is in item position.
fn is_among_items(path: &[Step<'_>]) -> bool {
    let around = match path {
        [.., around, statement] if statement.node.kind_name() == "expression_statement" => around,
        [.., around] => around,
        [] => return true,
    };
    matches!(around.node.kind_name(), "source_file" | "declaration_list")
}

/// Returns whether there is a body of code between the arguments of a macro and a place in them.
fn is_in_body(path: &[Step<'_>]) -> bool {
    path.iter().any(|step| matches!(step.node.kind_name(), "block" | "closure_expression"))
}

/// Node kinds between the arguments of a macro and each argument.
fn is_list(kind: &str) -> bool {
    matches!(
        kind,
        "source_file" | "expression_statement" | "tuple_expression" | "parenthesized_expression" | "array_expression"
    )
}

/// Returns whether parsed text consists of items and not of expressions, according to the grammar.
fn is_items(root: Node<'_>) -> bool {
    super::children(root).iter().all(|item| match item.kind_name() {
        "expression_statement" => item.named_child(0).is_some_and(|inner| inner.kind_name() == "macro_invocation"),
        "let_declaration" => false,
        kind => !kind.ends_with("_expression") && !kind.ends_with("identifier") && !kind.ends_with("_literal"),
    })
}

/// Puts commas for the semicolons and arrows between arguments.
fn commas(arguments: Node<'_>, text: &mut [u8]) {
    let mut cursor = arguments.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let token = cursor.node();
        let start = token.start_byte() - arguments.start_byte();
        match token.kind_name() {
            ";" => text[start] = b',',
            "=>" => text[start..start + 2].copy_from_slice(b", "),
            _ => {}
        }
        more = cursor.goto_next_sibling();
    }
}

/// Blanks the marks of the fields of an event: `%` and `?` before values, and makes `name: value` an assignment.
fn blank_marks(arguments: Node<'_>, text: &mut [u8]) {
    let mut cursor = arguments.walk();
    let mut more = cursor.goto_first_child();
    let mut before = "";
    while more {
        let token = cursor.node();
        let start = token.start_byte() - arguments.start_byte();
        match token.kind_name() {
            "%" | "?" if matches!(before, "(" | "[" | "{" | "," | "=") => text[start] = b' ',
            ":" if before == "identifier" => text[start] = b'=',
            _ => {}
        }
        before = token.kind_name();
        more = cursor.goto_next_sibling();
    }
}

/// Blanks `ref` in `static ref NAME`.
fn blank_refs(arguments: Node<'_>, text: &mut [u8]) {
    let mut cursor = arguments.walk();
    let mut more = cursor.goto_first_child();
    let mut before = "";
    while more {
        let token = cursor.node();
        let start = token.start_byte() - arguments.start_byte();
        if token.kind_name() == "ref" && before == "static" {
            text[start..start + 3].fill(b' ');
        }
        before = token.kind_name();
        more = cursor.goto_next_sibling();
    }
}

/// Returns whether the parsed arguments are one tuple, array, parenthesised expression, match or unit.
fn is_one_list(root: Node<'_>) -> bool {
    let statements = super::children(root);
    let [statement] = statements.as_slice() else { return false };
    let list = statement.named_child(0).map_or("", |list| list.kind_name());
    statement.kind_name() == "expression_statement"
        && matches!(
            list,
            "tuple_expression"
                | "parenthesized_expression"
                | "array_expression"
                | "unit_expression"
                | "match_expression"
        )
}

/// Byte of the first comma between the arguments.
fn first_comma(arguments: Node<'_>) -> Option<usize> {
    let mut cursor = arguments.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let token = cursor.node();
        if token.kind_name() == "," {
            return Some(token.start_byte());
        }
        more = cursor.goto_next_sibling();
    }
    None
}

fn end_point(overlay: &Overlay) -> Point {
    let rows = overlay.text.iter().filter(|&&byte| byte == b'\n').count();
    let last_line = overlay.text.iter().rev().take_while(|&&byte| byte != b'\n').count();
    match rows {
        0 => Point { row: overlay.start_point.row, column: overlay.start_point.column + last_line },
        rows => Point { row: overlay.start_point.row + rows, column: last_line },
    }
}
