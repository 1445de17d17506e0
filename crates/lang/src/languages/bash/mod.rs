//! Bash and POSIX shell: functions, sourced files, commands as calls, variables.

use tree_sitter::Node;

use super::outline::common::{descend, nothing};
use super::outline::{Define, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule};
use crate::facts::{DefKind, Expr, FactsBuilder, ImportKind, Literal, Role, ScopeKind};
use crate::parse::Layout;
use crate::walk::Enter;

pub(super) static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

static GRAMMAR: Grammar = Grammar {
    layout: Layout::Words,
    name_kinds: &["variable_name"],
    ..Grammar::new(|| tree_sitter_bash::LANGUAGE.into(), RULES)
};

static FUNCTION: Define = Define { params: Pick::None, no_body: NoBody::Nothing, ..Define::FUNCTION };

static RULES: &[(&str, Rule)] = &[
    ("function_definition", Rule::Define(&FUNCTION)),
    ("command", Rule::Custom(enter_command, leave_command)),
    ("declaration_command", Rule::Custom(enter_declaration, leave_declaration)),
    ("variable_assignment", Rule::Custom(enter_assignment, leave_assignment)),
    ("for_statement", Rule::Custom(enter_for, nothing)),
    ("unset_command", Rule::Skip),
    ("variable_name", Rule::Custom(variable, nothing)),
    ("special_variable_name", Rule::Skip),
    ("word", Rule::Literal(Literal::Str)),
    ("raw_string", Rule::Literal(Literal::Str)),
];

fn variable(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let text = cx.text(node);
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        cx.name(node);
    }
    Enter::Skip
}

/// The plain word that a command is called by; `None` if it is computed.
fn command_word(node: Node<'_>) -> Option<Node<'_>> {
    let name = node.child_by_field_name("name")?;
    let word = name.named_child(0)?;
    (name.named_child_count() == 1 && word.kind() == "word").then_some(word)
}

fn arguments(node: Node<'_>) -> Vec<Node<'_>> {
    Pick::Field("argument").all(node, None)
}

/// Shells, which run a script that is their first argument.
const SHELLS: &[&str] = &["bash", "dash", "ksh", "sh", "zsh"];
/// Commands that run what their first argument names.
const RUNNERS: &[&str] = &["builtin", "command", "exec", "nohup", "run", "sudo", "time", "trap"];

/// `source file` and `. file`; scripts that are run by their path.
fn enter_command(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if let Some(script) = find_script(cx, node) {
        add_file(cx, ImportKind::SideEffect, script);
    }
    let Some(word) = command_word(node) else { return Enter::Descend };
    let arguments = arguments(node);
    // `load` is that of tests of bats.
    let is_sourced = matches!(cx.text(word), "source" | ".") || cx.text(word) == "load" && arguments.len() == 1;
    if let (Some(&file), true) = (arguments.first(), is_sourced) {
        add_file(cx, ImportKind::Include, file);
    }
    descend(cx, node, parent)
}

/// A file as written, without the quotes around it.
fn add_file(cx: &mut Outline<'_>, kind: ImportKind, file: Node<'_>) {
    let module = cx.text(file).trim_matches(['"', '\'']);
    cx.add_import(kind, module, None, file);
}

/// The script that a command runs: `./build.sh`, `"$dir/build.sh"`, `bash build.sh`.
fn find_script<'t>(cx: &Outline<'_>, node: Node<'t>) -> Option<Node<'t>> {
    let name = node.child_by_field_name("name")?;
    let is_path = |text: &str| text.contains('/') && !text.contains(['\n', ' ', '`']) || text.ends_with(".sh\"");
    let text = cx.text(name);
    if is_path(text) && !text.starts_with('/') {
        return Some(name);
    }
    let first = arguments(node).into_iter().next()?;
    let is_script = cx.text(first).trim_end_matches(['"', '\'']).ends_with("sh") && !cx.text(first).starts_with('-');
    (SHELLS.contains(&text) && is_script).then_some(first)
}

fn leave_command(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(word) = command_word(node) else { return };
    let text = cx.text(word);
    // A script is a file, and no name of a command.
    if matches!(text, "source" | "." | "") || text.contains('/') {
        return;
    }
    let arguments = arguments(node);
    let callee = cx.bare_name(text);
    let arity = arguments.len().min(usize::from(u8::MAX - 1)) as u8;
    let expands = arguments.iter().any(|argument| cx.text(*argument).contains(['$', '*']));
    cx.refer_with(callee, Role::Call, if expands { u8::MAX } else { arity }, word);
    let expr = cx.builder.expr(Expr::Call { callee, args: FactsBuilder::EMPTY });
    cx.set_expr(node, expr);
    if RUNNERS.contains(&text)
        && let Some(&command) = arguments.first()
    {
        run_named(cx, command);
    }
}

/// `trap cleanup EXIT`, `command build`: calls what a plain word names.
fn run_named(cx: &mut Outline<'_>, command: Node<'_>) {
    let text = cx.text(command).trim_matches(['"', '\'']);
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'.');
    if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.bytes().all(is_name) {
        let callee = cx.bare_name(text);
        cx.refer_with(callee, Role::Call, u8::MAX, command);
    }
}

fn in_function(cx: &Outline<'_>) -> bool {
    let scope = cx.builder.facts().scopes[cx.variable_scope().index()];
    scope.kind == ScopeKind::Function
}

fn is_local(cx: &Outline<'_>, node: Node<'_>) -> bool {
    let word = cx.text(node).split_whitespace().next().unwrap_or("");
    matches!(word, "local" | "declare" | "typeset") && in_function(cx)
}

fn is_constant(cx: &Outline<'_>, node: Node<'_>) -> bool {
    let text = cx.text(node);
    text.starts_with("readonly") || text.split_whitespace().any(|word| word.starts_with('-') && word.contains('r'))
}

/// `local x`, `readonly y=1`, `declare -r z=2`, `export w`.
fn enter_declaration(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let (local, constant) = (is_local(cx, node), is_constant(cx, node));
    for name in Pick::Kind(&["variable_name"]).all(node, None) {
        if local {
            cx.mark(name, Mark::Skip);
        }
    }
    for assignment in Pick::Kind(&["variable_assignment"]).all(node, None) {
        let Some(name) = assignment.child_by_field_name("name").filter(|name| cx.is_name(*name)) else { continue };
        if local || (constant && !in_function(cx)) {
            cx.mark(name, Mark::Skip);
            cx.mark(assignment, Mark::Part);
        }
        if constant && !in_function(cx) {
            cx.assign_global(DefKind::Constant, name, assignment, None);
        }
    }
    Enter::Descend
}

fn leave_declaration(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if !is_local(cx, node) {
        if is_constant(cx, node) && !in_function(cx) {
            for assignment in Pick::Kind(&["variable_assignment"]).all(node, None) {
                let value = cx.find_known(assignment.child_by_field_name("value"));
                if let Some(name) = assignment.child_by_field_name("name").filter(|name| cx.is_name(*name)) {
                    cx.assign_global(DefKind::Constant, name, assignment, value);
                }
            }
        }
        return;
    }
    for name in Pick::Kind(&["variable_name"]).all(node, None) {
        cx.assign_local(name, None);
    }
    for assignment in Pick::Kind(&["variable_assignment"]).all(node, None) {
        let value = cx.find_known(assignment.child_by_field_name("value"));
        if let Some(name) = assignment.child_by_field_name("name").filter(|name| cx.is_name(*name)) {
            cx.assign_local(name, value);
        }
    }
}

/// A variable without declaration is one of the file, wherever it is assigned.
fn enter_assignment(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if cx.current_mark() == Mark::Part {
        return Enter::Descend;
    }
    let Some(name) = node.child_by_field_name("name").filter(|name| cx.is_name(*name)) else { return Enter::Descend };
    // `NAME=value command` is only for that command.
    let temporary = parent.is_some_and(|parent| parent.kind() == "command");
    if in_function(cx) || temporary {
        cx.mark(name, Mark::Write);
    } else {
        cx.mark(name, Mark::Skip);
        cx.assign_global(DefKind::Variable, name, node, None);
    }
    Enter::Descend
}

fn leave_assignment(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let temporary = parent.is_some_and(|parent| parent.kind() == "command");
    if cx.current_mark() == Mark::Part || temporary || in_function(cx) {
        return;
    }
    let value = cx.find_known(node.child_by_field_name("value"));
    if let Some(name) = node.child_by_field_name("name").filter(|name| cx.is_name(*name)) {
        cx.assign_global(DefKind::Variable, name, node, value);
    }
}

fn enter_for(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("variable") {
        cx.mark(name, Mark::Skip);
        cx.assign_local(name, None);
    }
    Enter::Descend
}
