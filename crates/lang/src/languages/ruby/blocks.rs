//! Blocks: which are bodies of classes without a name, and which are run with a value of the class around them.
//!
//! `describe`, `Class.new` and `Struct.new` make a class of their block: what it defines are the members of that
//! class. `it`, `before` and `let` run theirs with a value of it.

use tree_sitter::Node;

use super::super::outline::{Define, Outline};
use super::declare::{children, word_of};
use crate::facts::{DefFlags, DefKind, Definition, Expr, ExprId, FactsBuilder, PathRoot, ScopeKind, Visibility};
use crate::text;
use crate::walk::Enter;

/// Name of the argument that is a block.
const BLOCK: &str = "&";

/// Make a group of tests.
const GROUPS: &[&str] =
    &["context", "describe", "example_group", "fcontext", "fdescribe", "feature", "xcontext", "xdescribe"];
/// Make a group of tests that others take in.
const SHARED_GROUPS: &[&str] = &["shared_context", "shared_examples", "shared_examples_for"];
/// Run their block with a value of the group or class around them.
const EXAMPLES: &[&str] = &[
    "after", "append_after", "append_before", "around", "background", "before", "example", "fit", "focus", "given",
    "given!", "it", "let", "let!", "pending", "prepend_after", "prepend_before", "scenario", "setup", "should", "skip",
    "specify", "subject", "subject!", "teardown", "test", "xit", "xspecify",
];
/// Those of them that define a method with the result of their block.
const HELPERS: &[&str] = &["given", "given!", "let", "let!", "subject", "subject!"];

static CLASS: Define = Define { kind: DefKind::Class, ..Define::LAMBDA };
static MODULE: Define = Define { kind: DefKind::Trait, ..Define::LAMBDA };

/// What a block is.
enum Block<'t> {
    /// The body of a class with these bases, of a group of tests, or of a group that other groups take in.
    Class { bases: Vec<Node<'t>>, is_group: bool, is_shared: bool },
    /// The body of a module.
    Module,
    /// It is run with a value of the class around it.
    Example,
    /// Anything else.
    Plain,
}

pub(super) fn enter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let call = parent.filter(|parent| parent.kind() == "call");
    match call.map_or(Block::Plain, |call| kind_of(cx, call)) {
        Block::Class { bases, is_group, is_shared } => {
            let around = cx.scope();
            let is_nested = is_inside_class(cx);
            cx.open_define(&CLASS, node, parent);
            let mut bases: Vec<ExprId> = bases.into_iter().filter_map(|base| cx.find_known(Some(base))).collect();
            if is_group && is_nested {
                bases.push(cx.builder.expr(Expr::SelfType { scope: around }));
            } else if is_group {
                bases.extend([["Minitest", "Spec"], ["RSpec", "ExampleGroup"]].map(|path| outside_class(cx, path)));
            }
            if is_shared {
                bases.push(cx.builder.unknown());
            }
            let header = call.and_then(|call| cx.source.whole().get(call.start_byte()..node.start_byte()));
            let header = header.map(|header| text::signature(text::clip(header, Definition::MAX_SIGNATURE)));
            let id = cx.frame().map(|frame| {
                frame.bases = bases;
                frame.id
            });
            // Tells it from others without a name.
            if let (Some(id), Some(header)) = (id, header) {
                cx.builder.definition_mut(id).signature = header;
            }
            if let Some(call) = call {
                add_parts(cx, call);
            }
        }
        Block::Module => cx.open_define(&MODULE, node, parent),
        Block::Example => {
            let scope = cx.scope();
            cx.open_define(&Define::LAMBDA, node, parent);
            let own = cx.builder.expr(Expr::SelfType { scope });
            if let Some(id) = cx.frame().map(|frame| frame.id) {
                cx.builder.definition_mut(id).extends_type = Some(own);
            }
        }
        Block::Plain => cx.open_define(&Define::LAMBDA, node, parent),
    }
    Enter::Descend
}

/// The class at a path of two names from the top.
fn outside_class(cx: &mut Outline<'_>, [first, second]: [&str; 2]) -> ExprId {
    let scope = cx.scope();
    let root = cx.builder.expr(Expr::Root { root: PathRoot::Global, scope });
    let base = cx.builder.path(root, first);
    cx.builder.path(base, second)
}

fn kind_of<'t>(cx: &Outline<'_>, call: Node<'t>) -> Block<'t> {
    let word = call.child_by_field_name("method").map_or("", |method| cx.text(method));
    let receiver = call.child_by_field_name("receiver").map(|receiver| cx.text(receiver));
    let arguments = children(call.child_by_field_name("arguments"));
    match (receiver, word) {
        (Some("Class" | "::Class"), "new") => {
            Block::Class { bases: arguments.into_iter().take(1).collect(), is_group: false, is_shared: false }
        }
        (Some("Struct" | "::Struct"), "new") | (Some("Data" | "::Data"), "define") => Block::Class {
            bases: call.child_by_field_name("receiver").into_iter().collect(),
            is_group: false,
            is_shared: false,
        },
        (Some("Module" | "::Module"), "new") => Block::Module,
        _ if is_in_method(cx) => Block::Plain,
        (None | Some("RSpec"), word) if GROUPS.contains(&word) && !arguments.is_empty() => {
            Block::Class { bases: Vec::new(), is_group: true, is_shared: false }
        }
        (None | Some("RSpec"), word) if SHARED_GROUPS.contains(&word) && !arguments.is_empty() => {
            Block::Class { bases: Vec::new(), is_group: true, is_shared: true }
        }
        (None, word) if EXAMPLES.contains(&word) && is_inside_class(cx) => Block::Example,
        _ => Block::Plain,
    }
}

/// The definitions around, from the inside.
fn around(cx: &Outline<'_>) -> impl Iterator<Item = (DefKind, bool, bool)> {
    let facts = cx.builder.facts();
    let mut next = facts.scopes[cx.scope().index()].owner;
    std::iter::from_fn(move || {
        let row = facts.definition(next?);
        next = row.owner;
        Some((row.kind, row.flags.is_anonymous, row.extends_type.is_some()))
    })
}

/// Returns whether the code around is run with a value of the class around it.
fn is_in_method(cx: &Outline<'_>) -> bool {
    let mut functions = around(cx).take_while(|(kind, ..)| !kind.is_class_like());
    functions.any(|(_, is_anonymous, is_example)| !is_anonymous || is_example)
}

fn is_inside_class(cx: &Outline<'_>) -> bool {
    around(cx).find(|(kind, ..)| kind.is_class_like()).is_some_and(|(kind, ..)| kind == DefKind::Class)
}

/// The readers that `Struct.new(:a)` and `Data.define(:a)` make.
fn add_parts(cx: &mut Outline<'_>, call: Node<'_>) {
    let receiver = call.child_by_field_name("receiver").map_or("", |receiver| cx.text(receiver));
    if matches!(receiver, "Struct" | "::Struct" | "Data" | "::Data") {
        cx.enter_body();
        for symbol in children(call.child_by_field_name("arguments")) {
            if symbol.kind() == "simple_symbol" {
                let text = cx.text(symbol).trim_start_matches(':').to_owned();
                cx.variable(DefKind::Field, &text, symbol, call, DefFlags::default(), Visibility::Public);
            }
        }
    }
}

/// Records the block that a call is given, and returns the class that the call makes of it.
pub(super) fn record_block(cx: &mut Outline<'_>, call: Node<'_>, callee: ExprId) -> Option<ExprId> {
    let arguments = children(call.child_by_field_name("arguments"));
    if let Some(block) = cx.find_known(call.child_by_field_name("block")) {
        cx.builder.argument(callee, Some(BLOCK), None, block);
        let Expr::Definition(def) = cx.builder.facts().expr(block) else { return None };
        let is_class = cx.builder.facts().definition(def).kind != DefKind::Function;
        let receiver = call.child_by_field_name("receiver").map_or("", |receiver| cx.text(receiver));
        return (is_class && receiver != "RSpec" && !receiver.is_empty()).then_some(block);
    }
    if let Some(last) = arguments.last().filter(|last| last.kind() == "block_argument")
        && let Some(passed) = last.named_child(0)
    {
        let value = cx.expr_of(passed);
        cx.builder.argument(callee, Some(BLOCK), None, value);
    }
    // `Class.new(Base)` is like its base.
    let receiver = call.child_by_field_name("receiver").map_or("", |receiver| cx.text(receiver));
    let word = call.child_by_field_name("method").map_or("", |method| cx.text(method));
    match (receiver, word, arguments.as_slice()) {
        ("Class" | "::Class", "new", [base]) => cx.find_known(Some(*base)),
        _ => None,
    }
}

/// `let(:name) { … }` defines a method that returns what the block does.
pub(super) fn define_helper(cx: &mut Outline<'_>, call: Node<'_>, word: &str) {
    if !HELPERS.contains(&word) || cx.scope_kind() != ScopeKind::Class {
        return;
    }
    let Some(block) = cx.find_known(call.child_by_field_name("block")) else { return };
    let value = cx.builder.expr(Expr::Call { callee: block, args: FactsBuilder::EMPTY });
    let mut names: Vec<(String, Node<'_>)> = Vec::new();
    for symbol in children(call.child_by_field_name("arguments")) {
        if matches!(symbol.kind(), "simple_symbol" | "string") {
            names.push((word_of(cx, symbol).to_owned(), symbol));
        }
    }
    if let (true, Some(method)) = (word.starts_with("subject"), call.child_by_field_name("method")) {
        names.push(("subject".to_owned(), method));
    }
    for (name, at) in names {
        let id = cx.variable(DefKind::Function, &name, at, call, DefFlags::default(), Visibility::Public);
        cx.add_value(id, Some(value));
    }
}
