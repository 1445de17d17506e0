//! Analyses `macro_rules!` definitions: whether the arguments of an invocation are code, and whether the first one
//! names a function.

use tree_sitter::Node;

use super::KindName;
use super::attributes::TEST_MARKERS;
use super::macros::takes_expressions;
use crate::walk::Source;

/// Variables of a rule, and words that rules begin with, up to which a macro is understood: each is looked for.
const MAX_NAMES: usize = 64;

/// Result of analysing a macro's rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Known<'a> {
    /// The first word that it is given names a function that it defines.
    pub(super) names_function: bool,
    /// The named function is a test.
    pub(super) names_test: bool,
    /// Its arguments are code of the place where it is invoked.
    pub(super) takes_code: bool,
    /// Words that rules begin with: given first, they name no function.
    pub(super) words: Vec<&'a str>,
}

/// A token. Delimiters are tokens too, so that rules are read without nesting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    /// Its first byte in the file; of separators of repetitions about there.
    pub(super) start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `$name`
    Variable,
    Word,
    Literal,
    Open,
    Close,
    /// All else, `$` before a repetition included.
    Sign,
}

/// Use of an invocation's first word in a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First<'a> {
    /// Nothing: the rule takes no invocation that begins with a word.
    None,
    /// Names a function; whether that is a test.
    Function(bool),
    /// Is given to the same macro again, first.
    Again,
    /// Is this very word.
    Word(&'a str),
    /// May be anything.
    Other,
}

/// The matcher and the transcriber of a rule.
#[derive(Debug)]
pub(super) struct Rule<'a> {
    pub(super) left: Vec<Token<'a>>,
    pub(super) right: Vec<Token<'a>>,
}

/// The rules of a macro definition.
pub(super) fn rules<'a>(source: Source<'a>, definition: Node<'_>) -> Vec<Rule<'a>> {
    let rules = super::children(definition).into_iter().filter(|child| child.kind_name() == "macro_rule");
    rules
        .filter_map(|rule| {
            let left = tokens(source, rule.child_by_field_name("left")?);
            Some(Rule { left, right: tokens(source, rule.child_by_field_name("right")?) })
        })
        .collect()
}

/// Summarizes the rules of a macro definition.
pub(super) fn summarize<'a>(rules: &[Rule<'a>], name: &str) -> Known<'a> {
    let mut known = Known { takes_code: true, ..Known::default() };
    let mut functions = 0u32;
    let mut tests = 0u32;
    let mut others = 0u32;
    // Each rule is a pattern and what it becomes. The macro counts only if all rules agree.
    for Rule { left, right } in rules {
        known.takes_code = known.takes_code && takes_code(left, right, name);
        match first(left, right, name) {
            First::Function(is_test) => {
                functions += 1;
                tests += u32::from(is_test);
            }
            First::Word(word) if known.words.len() <= MAX_NAMES && !known.words.contains(&word) => {
                known.words.push(word)
            }
            First::Other => others += 1,
            First::None | First::Again | First::Word(_) => {}
        }
    }
    // It defines a function named by its first argument if no rule does anything else with it.
    known.names_function = functions > 0 && others == 0 && known.words.len() <= MAX_NAMES;
    known.names_test = known.names_function && tests == functions;
    known.takes_code &= !rules.is_empty();
    if !known.names_function {
        known.words.clear();
    }
    known
}

/// The word that the arguments of an invocation begin with, attributes left out.
pub(super) fn first_word(arguments: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = arguments.walk();
    let mut more = cursor.goto_first_child() && cursor.goto_next_sibling();
    while more {
        let node = cursor.node();
        match node.kind_name() {
            "identifier" => return Some(node),
            "#" => {
                let attribute = cursor.goto_next_sibling() && cursor.node().kind_name() == "token_tree";
                if !attribute {
                    return None;
                }
            }
            _ if node.is_extra() => {}
            _ => return None,
        }
        more = cursor.goto_next_sibling();
    }
    None
}

/// The tokens of a matcher or transcriber in order, its own delimiters included.
pub(super) fn tokens<'a>(source: Source<'a>, tree: Node<'_>) -> Vec<Token<'a>> {
    let mut cursor = tree.walk();
    let mut found = Vec::new();
    let mut end = tree.start_byte();
    let mut depth = 0u32;
    loop {
        let node = cursor.node();
        let whole = node.kind_name().ends_with("_literal") || node.is_extra();
        if !whole && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        // The grammar has no node for separators of repetitions.
        let between = source.text.get(end..node.start_byte()).unwrap_or("").trim();
        found.extend((!between.is_empty()).then(|| token(between, end)));
        if !node.is_extra() {
            found.push(token(source.text(node), node.start_byte()));
        }
        end = node.end_byte();
        while !cursor.goto_next_sibling() {
            if depth <= 1 || !cursor.goto_parent() {
                return found;
            }
            depth -= 1;
        }
    }
}

fn token(text: &str, start: usize) -> Token<'_> {
    let mut chars = text.chars();
    let kind = match (chars.next(), chars.next()) {
        (Some('$'), Some(_)) => Kind::Variable,
        (Some('(' | '[' | '{'), None) => Kind::Open,
        (Some(')' | ']' | '}'), None) => Kind::Close,
        (Some('_'), None) => Kind::Sign,
        (Some('b' | 'c' | 'r'), Some('"' | '\'')) => Kind::Literal,
        (Some(first), _) if first == '_' || first.is_alphabetic() => Kind::Word,
        (Some(first), _) if first == '"' || first == '\'' || first.is_numeric() => Kind::Literal,
        _ => Kind::Sign,
    };
    Token { kind, text, start }
}

/// Text of a token, empty past the end.
pub(super) fn text<'a>(tokens: &[Token<'a>], at: usize) -> &'a str {
    tokens.get(at).map_or("", |token| token.text)
}

pub(super) fn text_before<'a>(tokens: &[Token<'a>], at: usize) -> &'a str {
    at.checked_sub(1).map_or("", |at| text(tokens, at))
}

/// The place behind the group that opens at `open`.
pub(super) fn group_end(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// Use of the first word in a rule.
fn first<'a>(left: &[Token<'a>], right: &[Token<'a>], name: &str) -> First<'a> {
    let mut at = 1;
    loop {
        match (text(left, at), text(left, at + 1), text(left, at + 2)) {
            // Attributes: `$(#[$meta:meta])*`
            ("$", "(", "#") => at = group_end(left, at + 1) + 1,
            (variable, ":", "vis") if variable.starts_with('$') => at += 3,
            _ => break,
        }
    }
    let Some(token) = left.get(at) else { return First::None };
    match token.kind {
        Kind::Word => First::Word(token.text),
        Kind::Variable if text(left, at + 1) == ":" && text(left, at + 2) == "ident" => {
            classify_use(right, token.text, name)
        }
        Kind::Variable => match text(left, at + 2) {
            "block" | "lifetime" | "literal" => First::None,
            _ => First::Other,
        },
        Kind::Sign if token.text == "$" => First::Other,
        Kind::Sign | Kind::Literal | Kind::Open | Kind::Close => First::None,
    }
}

/// Use of the variable for the first word in a transcriber.
fn classify_use<'a>(right: &[Token<'a>], variable: &str, name: &str) -> First<'a> {
    let mut again = false;
    let mut groups: Vec<bool> = Vec::new();
    let mut inside = 0usize;
    for (at, token) in right.iter().enumerate() {
        match token.kind {
            Kind::Open => {
                // Repetitions are no place of their own.
                let is_place = at > 0 && text_before(right, at) != "$";
                inside += usize::from(is_place);
                groups.push(is_place);
            }
            Kind::Close => inside -= usize::from(groups.pop().unwrap_or(false)),
            _ => {}
        }
        if token.text == "fn" && text(right, at + 1) == variable && inside == 0 {
            return First::Function(is_test(&right[..at]));
        }
        again |= token.text == name
            && text(right, at + 1) == "!"
            && right.get(at + 2).is_some_and(|open| open.kind == Kind::Open)
            && text(right, at + 3) == variable;
    }
    if again { First::Again } else { First::Other }
}

/// Returns whether the attributes that end a run of tokens, before `fn`, make a test.
pub(super) fn is_test(before: &[Token<'_>]) -> bool {
    for at in (1..before.len()).rev() {
        let token = before[at];
        if matches!(token.text, ";" | "}" | "{") {
            return false;
        }
        let ends = matches!(text(before, at + 1), "]" | "(");
        if ends && TEST_MARKERS.contains(&token.text) && matches!(text_before(before, at), "[" | "::") {
            return true;
        }
    }
    false
}

/// Returns whether all arguments of a rule are parsed as code, and keep their meaning from the invocation site.
fn takes_code(left: &[Token<'_>], right: &[Token<'_>], name: &str) -> bool {
    // Names in a module, or beside imports, are resolved there; `Self` is another type in an impl.
    let moves = |token: &Token<'_>| {
        matches!(token.text, "mod" | "use" | "impl" | "trait" | "macro_rules") && token.kind == Kind::Word
    };
    let Some(variables) = code_variables(left) else { return false };
    !right.iter().any(moves) && variables.iter().all(|variable| uses_are_code(right, *variable, name))
}

/// A variable whose uses tell whether it is code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Variable<'a> {
    name: &'a str,
    /// A word, which may become a local variable that other arguments then name; else any tokens.
    is_word: bool,
}

/// The variables of a matcher that are words or any tokens; `None` if the arguments are not a list of expressions
/// with separators.
fn code_variables<'a>(left: &[Token<'a>]) -> Option<Vec<Variable<'a>>> {
    let mut variables = Vec::new();
    // For each open group: whether it is a repetition, and whether an argument directly precedes it.
    let mut groups: Vec<(bool, bool)> = Vec::new();
    let mut inside = 0usize;
    let mut after = false;
    let mut at = 1;
    let last = left.len().checked_sub(1)?;
    while at < last {
        let token = left[at];
        match (token.kind, token.text) {
            (Kind::Sign, "," | ";" | "=>") => after = false,
            (Kind::Sign, "=") if inside == 0 => after = false,
            (Kind::Sign, "#") if text(left, at + 1) == "[" => {
                at = group_end(left, at + 1);
                continue;
            }
            (Kind::Sign, "$") if text(left, at + 1) == "(" => {
                groups.push((true, after));
                at += 1;
            }
            (Kind::Close, _) => {
                let (repeats, before) = groups.pop()?;
                if repeats {
                    let separator = text(left, at + 1);
                    let has_none = matches!(separator, "*" | "+" | "?");
                    let fits =
                        if has_none { separator == "?" || !after } else { matches!(separator, "," | ";" | "=>") };
                    if !fits {
                        return None;
                    }
                    at += if has_none { 1 } else { 2 };
                    after |= before;
                } else {
                    inside -= 1;
                    after = true;
                }
            }
            _ if after => return None,
            (Kind::Open, _) => {
                inside += 1;
                groups.push((false, false));
            }
            (Kind::Variable, variable) if text(left, at + 1) == ":" => {
                let fragment = text(left, at + 2);
                match fragment {
                    "block" | "expr" | "expr_2021" | "lifetime" | "literal" | "path" | "stmt" | "ty" => {}
                    "ident" | "tt" => variables.push(Variable { name: variable, is_word: fragment == "ident" }),
                    "vis" => {}
                    _ => return None,
                }
                after = !matches!(fragment, "tt" | "vis");
                at += 2;
            }
            (Kind::Word | Kind::Literal, _) => after = true,
            _ => return None,
        }
        at += 1;
    }
    (variables.len() <= MAX_NAMES).then_some(variables)
}

/// Returns whether a transcriber only uses a variable where the tokens it holds are code: given on to macros that
/// take expressions or to the same macro; or, of a word, where it names an item or a member. Tokens that are dropped
/// are none.
fn uses_are_code(right: &[Token<'_>], variable: Variable<'_>, name: &str) -> bool {
    // For each open group: whether its tokens are arguments of a macro that takes code.
    let mut groups: Vec<bool> = Vec::new();
    let mut is_used = variable.is_word;
    for (at, token) in right.iter().enumerate() {
        match token.kind {
            Kind::Open => {
                let around = groups.last().copied().unwrap_or(false);
                let macro_name = at.checked_sub(2).map_or("", |at| text(right, at));
                groups.push(match text_before(right, at) {
                    "$" => around,
                    "!" => macro_name == name || takes_expressions(macro_name),
                    _ => false,
                });
            }
            Kind::Close => drop(groups.pop()),
            Kind::Variable if token.text == variable.name => {
                let given = groups.last().copied().unwrap_or(false);
                let (before, behind) = (text_before(right, at), text(right, at + 1));
                let is_item = matches!(before, "fn" | "struct" | "enum" | "type" | "const" | "static");
                let is_path = matches!(before, "." | "::") || matches!(behind, "::" | "!");
                if !given && !(variable.is_word && (is_item || is_path)) {
                    return false;
                }
                is_used = true;
            }
            _ => {}
        }
    }
    is_used
}
