//! Expands invocations among items of macros that the same file defines above: which functions and constants are
//! defined by names among the arguments. Only the names are read; bodies stay with the macro.

use tree_sitter::Node;

use super::attributes::Pending;
use super::macro_rules::{self, Kind, Rule, Token, group_end, text, text_before};
use super::{Extractor, KindName};
use crate::facts::{DefId, DefKind, Definition, NameId, Namespace, Parameter, ParameterKind, ScopeId, Visibility};
use crate::text as texts;

/// Maximum number of definitions that one invocation makes. Invocations with more are left alone.
const MAX_DEFINITIONS: usize = 256;

/// Maximum number of tokens among the arguments of an invocation that is expanded.
const MAX_TOKENS: usize = 20_000;

/// A macro that the file defines.
#[derive(Debug)]
pub(super) struct WrittenMacro<'a> {
    pub(super) name: NameId,
    /// The scope that it is in.
    pub(super) scope: ScopeId,
    pub(super) is_conditional: bool,
    pub(super) rules: Vec<Rule<'a>>,
}

/// A variable of a matcher and the index of the first token that it holds.
type Binding<'a> = (&'a str, usize);

/// Result of applying a matcher to arguments.
#[derive(Debug)]
enum Match<'a> {
    Fits(Vec<Binding<'a>>),
    Differs,
    /// The matcher has parts that are not understood.
    Unknown,
}

/// A name that a transcriber defines.
#[derive(Debug)]
struct Made {
    kind: DefKind,
    /// Index of the argument that is the name.
    name: usize,
    visibility: Visibility,
    is_async: bool,
    is_test: bool,
    is_conditional: bool,
    /// Its first parameter is `self`; `None` if that is not known.
    has_receiver: Option<bool>,
}

impl Extractor<'_> {
    /// The definitions that a macro of this file makes of the arguments of an invocation among items; none if it is
    /// not certain which rule applies.
    pub(super) fn define_expanded(&mut self, node: Node<'_>, list: Node<'_>, pending: &Pending) -> Vec<DefId> {
        let Some(made) = self.expand(node, list) else { return Vec::new() };
        let mut found = Vec::new();
        for (made, name) in made {
            if self.builder.full() {
                break;
            }
            found.extend(self.define_made(node, name, &made, pending));
        }
        found
    }

    /// The names that the first rule that fits defines, with their nodes.
    fn expand<'tree>(&self, node: Node<'_>, list: Node<'tree>) -> Option<Vec<(Made, Node<'tree>)>> {
        let name = node.child_by_field_name("macro").filter(|name| name.kind_name() == "identifier")?;
        let rules = self.visible_rules(self.ident(name))?;
        let given = macro_rules::tokens(self.source, list);
        if given.len() > MAX_TOKENS {
            return None;
        }
        for rule in rules {
            match match_rule(&rule.left, &given) {
                Match::Differs => {}
                Match::Unknown => return None,
                Match::Fits(bindings) => {
                    let made = list_made(&rule.right, &given, &bindings);
                    if made.len() > MAX_DEFINITIONS {
                        return None;
                    }
                    let located = made.into_iter().filter_map(|made| {
                        let start = given[made.name].start;
                        let name = list.descendant_for_byte_range(start, start + given[made.name].text.len())?;
                        (name.kind_name() == "identifier").then_some((made, name))
                    });
                    return Some(located.collect());
                }
            }
        }
        None
    }

    /// The rules of the only macro of this name that the file has defined so far, if it is in scope here.
    fn visible_rules(&self, name: &str) -> Option<&[Rule<'_>]> {
        let facts = self.builder.facts();
        let mut named = self.macros.rules.iter().filter(|written| facts.name(written.name) == name);
        let (Some(written), None) = (named.next(), named.next()) else { return None };
        let mut scope = Some(self.at.items);
        while let Some(at) = scope.filter(|&at| at != written.scope) {
            scope = facts.scopes[at.index()].parent;
        }
        (scope.is_some() && !written.is_conditional).then_some(written.rules.as_slice())
    }

    fn define_made(&mut self, node: Node<'_>, name_node: Node<'_>, made: &Made, pending: &Pending) -> Option<DefId> {
        let name = self.builder.name(self.ident(name_node));
        let pos = self.pos(name_node);
        let mut definition = self.builder.blank_definition(made.kind, name, self.at.items, pos);
        let owner = definition.owner.map(|owner| self.builder.facts().definition(owner).kind);
        let in_impl = owner == Some(DefKind::Impl);
        // Which of a trait's functions have a body is left open.
        if !matches!(owner, None | Some(DefKind::Module | DefKind::Impl)) || in_impl && made.has_receiver.is_none() {
            return None;
        }
        definition.line_start = node.start_position().row as u32 + 1;
        definition.line_end = self.source.end_line(node);
        definition.bytes = (node.start_byte() as u32, node.end_byte() as u32);
        let of_trait = in_impl && self.frames.last().is_some_and(|frame| frame.of_trait);
        definition.visibility = if of_trait { Visibility::Public } else { made.visibility };
        definition.doc = pending.doc();
        definition.signature = self.source.text.get(node.start_byte()..name_node.end_byte()).and_then(texts::signature);
        self.set_made_flags(&mut definition, made, pending, in_impl);
        let is_function = made.kind == DefKind::Function;
        definition.declared = Some(self.builder.unknown());
        let def = self.builder.definition(definition);
        if is_function {
            // Any arguments: parameters are not read.
            let name = self.builder.name("arguments");
            let rest = Parameter { name, kind: ParameterKind::Rest, declared: None, default: None };
            self.builder.parameters(def, &[rest]);
        }
        self.builder.bind_definition(def, Namespace::Value);
        Some(def)
    }

    fn set_made_flags(&self, definition: &mut Definition, made: &Made, pending: &Pending, in_impl: bool) {
        let flags = &mut definition.flags;
        flags.is_local = self.at.is_local;
        flags.is_test = self.at.is_test || pending.is_test || made.is_test;
        flags.is_entry = pending.is_entry;
        flags.is_conditional = self.at.is_conditional || pending.is_conditional || made.is_conditional;
        flags.is_exported = definition.visibility == Visibility::Public;
        flags.is_async = made.is_async;
        flags.is_static = in_impl && made.has_receiver == Some(false);
    }

    /// Drops the references from `first` on that are the names of definitions.
    pub(super) fn drop_references_to_names(&mut self, first: usize, made: &[DefId]) {
        if made.is_empty() {
            return;
        }
        let facts = self.builder.facts_mut();
        let names: Vec<_> = made.iter().map(|&def| facts.definition(def).pos).collect();
        let added = facts.references.split_off(first.min(facts.references.len()));
        facts.references.extend(added.into_iter().filter(|reference| !names.contains(&reference.pos)));
    }
}

/// A repetition of a matcher while its rounds are matched.
#[derive(Debug, Clone, Copy)]
struct Repetition<'a> {
    /// Index of the first token inside.
    start: usize,
    /// Index of its closing parenthesis.
    end: usize,
    separator: Option<&'a str>,
    /// Index of the token behind it.
    next: usize,
    /// Index of the argument that the round began with.
    round: usize,
}

/// Matches arguments, delimiters included, token by token.
fn match_rule<'a>(left: &[Token<'a>], given: &[Token<'_>]) -> Match<'a> {
    let (Some(left_end), Some(given_end)) = (left.len().checked_sub(1), given.len().checked_sub(1)) else {
        return Match::Unknown;
    };
    let mut bindings = Vec::new();
    let (mut at, mut next) = (1, 1);
    let mut around: Option<Repetition<'a>> = None;
    loop {
        if let Some(repetition) = around.as_mut().filter(|repetition| at == repetition.end) {
            let is_last = next >= given_end;
            let again = match repetition.separator {
                Some(separator) => !is_last && text(given, next) == separator && next + 1 < given_end,
                // Without a separator, the rounds end where the arguments end.
                None if repetition.next != left_end => return Match::Unknown,
                None => !is_last,
            };
            if next == repetition.round {
                return Match::Unknown;
            }
            if again {
                next += usize::from(repetition.separator.is_some());
                repetition.round = next;
                at = repetition.start;
            } else {
                at = repetition.next;
                around = None;
            }
            continue;
        }
        // A round that does not fit may have been none.
        let differs = if around.is_some() { Match::Unknown } else { Match::Differs };
        if at >= left_end {
            return if next >= given_end { Match::Fits(bindings) } else { differs };
        }
        if text(left, at) == "$" && text(left, at + 1) == "(" {
            match skip_option(left, at, given, next) {
                Some(moved) => (at, next) = moved,
                None if around.is_some() => return Match::Unknown,
                None => {
                    let Some(repetition) = repetition(left, at, next) else { return Match::Unknown };
                    if next < given_end {
                        at = repetition.start;
                        around = Some(repetition);
                    } else if text_before(left, repetition.next) == "*" {
                        at = repetition.next;
                    } else {
                        return differs;
                    }
                }
            }
            continue;
        }
        if left[at].kind == Kind::Variable && text(left, at + 1) == ":" {
            match fragment_end(left, at, given, next) {
                Some(Some(end)) => {
                    bindings.push((left[at].text, next));
                    (at, next) = (at + 3, end);
                }
                Some(None) => return differs,
                None => return Match::Unknown,
            }
            continue;
        }
        if next >= given_end || text(given, next) != left[at].text {
            return differs;
        }
        (at, next) = (at + 1, next + 1);
    }
}

/// Attributes, `$(#[$meta:meta])*`, and an optional separator, `$(,)?`: the places behind them.
fn skip_option(left: &[Token<'_>], at: usize, given: &[Token<'_>], mut next: usize) -> Option<(usize, usize)> {
    let end = group_end(left, at + 1);
    let operator = text(left, end);
    if text(left, at + 2) == "#" && text(left, at + 3) == "[" && group_end(left, at + 3) + 1 == end && operator == "*" {
        while text(given, next) == "#" && text(given, next + 1) == "[" {
            next = group_end(given, next + 1);
        }
        return Some((end + 1, next));
    }
    let is_separator = end == at + 4 && matches!(text(left, at + 2), "," | ";");
    if !is_separator || !matches!(operator, "?" | "*") {
        return None;
    }
    let is_given = text(given, next) == text(left, at + 2);
    Some((end + 1, next + usize::from(is_given)))
}

/// The repetition that begins at `at`, unless it is an option or has repetitions inside.
fn repetition<'a>(left: &[Token<'a>], at: usize, round: usize) -> Option<Repetition<'a>> {
    let behind = group_end(left, at + 1);
    let (separator, next) = match (text(left, behind), text(left, behind + 1)) {
        ("*" | "+", _) => (None, behind + 1),
        (separator @ ("," | ";" | "=>"), "*" | "+") => (Some(separator), behind + 2),
        _ => return None,
    };
    Some(Repetition { start: at + 2, end: behind - 1, separator, next, round })
}

/// The place behind the tokens that the variable at `at` takes: `Some(None)` if it takes none of them, `None` if that
/// is not known.
fn fragment_end(left: &[Token<'_>], at: usize, given: &[Token<'_>], next: usize) -> Option<Option<usize>> {
    let end = given.len().saturating_sub(1);
    let first = given.get(next).filter(|_| next < end);
    match (text(left, at + 2), first) {
        ("vis", _) if text(given, next) != "pub" => Some(Some(next)),
        ("vis", _) if text(given, next + 1) == "(" => Some(Some(group_end(given, next + 1))),
        ("vis", _) => Some(Some(next + 1)),
        (_, None) => Some(None),
        ("ident", Some(token)) => Some((token.kind == Kind::Word).then_some(next + 1)),
        ("literal", Some(token)) if token.kind == Kind::Literal => Some(Some(next + 1)),
        ("literal", Some(token)) => {
            (token.kind == Kind::Word && !matches!(token.text, "true" | "false")).then_some(None)
        }
        ("tt", Some(token)) if token.kind == Kind::Open => Some(Some(group_end(given, next))),
        ("block", Some(token)) if token.text == "{" => Some(Some(group_end(given, next))),
        ("tt", Some(token)) => matches!(token.kind, Kind::Word | Kind::Literal).then_some(Some(next + 1)),
        ("expr" | "expr_2021", Some(_)) if ends_at_separator(left, at + 3) => expression_end(given, next, end),
        ("ty" | "path", Some(_)) if text(left, at + 3) == "=" || ends_at_separator(left, at + 3) => {
            type_end(given, next, end)
        }
        _ => None,
    }
}

/// Returns whether a separator, or nothing, is behind a variable.
fn ends_at_separator(left: &[Token<'_>], behind: usize) -> bool {
    match text(left, behind) {
        "," | ";" | "=>" => true,
        "$" if text(left, behind + 1) == "(" => matches!(text(left, behind + 2), "," | ";"),
        ")" if behind + 1 < left.len() => {
            let separator = text(left, behind + 1);
            matches!(separator, "," | ";" | "=>") || matches!(separator, "*" | "+")
        }
        _ => behind + 1 == left.len(),
    }
}

fn expression_end(given: &[Token<'_>], start: usize, end: usize) -> Option<Option<usize>> {
    let mut at = start;
    while at < end && !matches!(text(given, at), "," | ";" | "=>") {
        let starts = at == start || at == start + 1 && text(given, start) == "move";
        match text(given, at) {
            // Parameters of a closure have commas of their own.
            "|" if starts => {
                at += 1;
                while at < end && text(given, at) != "|" {
                    at = if given[at].kind == Kind::Open { group_end(given, at) } else { at + 1 };
                }
                at += 1;
            }
            // So may have type arguments.
            "|" | "as" | "match" => return None,
            "::" if text(given, at + 1) == "<" => return None,
            "<" if at == start => return None,
            _ if given[at].kind == Kind::Open => at = group_end(given, at),
            _ => at += 1,
        }
    }
    Some((at > start && at <= end).then_some(at))
}

fn type_end(given: &[Token<'_>], start: usize, end: usize) -> Option<Option<usize>> {
    let mut at = start;
    let mut depth = 0usize;
    while at < end {
        let token = given[at];
        match token.text {
            "," | ";" | "=>" | "=" if depth == 0 => break,
            "<" => depth += 1,
            ">" => depth = depth.checked_sub(1)?,
            ">>" => depth = depth.checked_sub(2)?,
            "->" | "::" | "&" | "*" | "'" | "+" | "," | "=" | "!" | "?" | ":" => {}
            _ if token.kind == Kind::Sign && !token.text.starts_with('\'') && token.text != "_" => return None,
            _ => {}
        }
        at = if token.kind == Kind::Open { group_end(given, at) } else { at + 1 };
    }
    (depth == 0).then_some((at > start).then_some(at))
}

/// The functions and constants among the items of a transcriber that a variable names.
fn list_made(right: &[Token<'_>], given: &[Token<'_>], bindings: &[Binding<'_>]) -> Vec<Made> {
    let mut made = Vec::new();
    let mut at = 1;
    let mut item = 1;
    while at < right.len() {
        let token = right[at];
        let before = text_before(right, at);
        match token.kind {
            // A repetition is not a place of its own.
            Kind::Open if before != "$" => {
                at = group_end(right, at);
                if token.text == "{" {
                    item = at;
                }
                continue;
            }
            Kind::Sign if token.text == ";" => item = at + 1,
            Kind::Word if matches!(before, "<" | ",") => {}
            Kind::Word => {
                let kind = match token.text {
                    "fn" => Some(DefKind::Function),
                    "const" | "static" => Some(DefKind::Constant),
                    _ => None,
                };
                let variable = at + 1 + usize::from(text(right, at + 1) == "mut");
                let behind = text(right, variable + 1);
                let fits = match kind {
                    Some(DefKind::Function) => matches!(behind, "(" | "<"),
                    _ => behind == ":",
                };
                if let Some(kind) = kind.filter(|_| fits && is_named_once(right, text(right, variable))) {
                    let names = bindings.iter().filter(|(name, _)| *name == text(right, variable));
                    made.extend(
                        names.map(|&(_, name)| {
                            describe_made(right, (item, at, variable), given, bindings, (kind, name))
                        }),
                    );
                }
            }
            _ => {}
        }
        if made.len() > MAX_DEFINITIONS {
            break;
        }
        at += 1;
    }
    made
}

/// Returns whether a transcriber only defines what a variable names: other uses there would not be seen.
fn is_named_once(right: &[Token<'_>], variable: &str) -> bool {
    let is_text = |at: usize| at > 2 && text(right, at - 2) == "!" && text(right, at - 3) == "stringify";
    let uses = right.iter().enumerate().filter(|(at, token)| token.text == variable && !is_text(*at));
    uses.count() == 1
}

/// Reads what is written around a name in a transcriber: the places of the item, of its keyword and of the name.
fn describe_made(
    right: &[Token<'_>],
    (item, keyword, variable): (usize, usize, usize),
    given: &[Token<'_>],
    bindings: &[Binding<'_>],
    (kind, name): (DefKind, usize),
) -> Made {
    let head = &right[item.min(keyword)..keyword];
    let mut visibility = Visibility::Private;
    for (at, token) in head.iter().enumerate() {
        let written = (token.text == "pub").then(|| text(head, at + 1));
        let given_for = bindings.iter().find(|&&(of, at)| of == token.text && text(given, at) == "pub");
        visibility = match written.or(given_for.map(|&(_, at)| text(given, at + 1))) {
            Some("(") => Visibility::Package,
            Some(_) => Visibility::Public,
            None => visibility,
        };
    }
    // Attributes among the arguments count for all that they make.
    let is_conditional = |tokens: &[Token<'_>]| tokens.iter().any(|token| matches!(token.text, "cfg" | "cfg_attr"));
    Made {
        kind,
        name,
        visibility,
        is_async: head.iter().any(|token| token.text == "async"),
        is_test: macro_rules::is_test(&right[..keyword]) || macro_rules::is_test(&given[..name]),
        is_conditional: is_conditional(head) || is_conditional(given),
        has_receiver: if kind == DefKind::Function { has_receiver(right, variable + 1) } else { Some(false) },
    }
}

/// Returns whether the first of the parameters behind a name is `self`.
fn has_receiver(right: &[Token<'_>], mut at: usize) -> Option<bool> {
    // Type parameters may have parameters of functions.
    if text(right, at) != "(" {
        return None;
    }
    at += 1;
    loop {
        match text(right, at) {
            "self" => return Some(true),
            ")" | ":" | "," | "" => return Some(false),
            of if of.starts_with('$') => return None,
            _ => at += 1,
        }
    }
}
