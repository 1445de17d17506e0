//! What calls in the body of a class declare: mixed-in modules, further names of methods, methods made of a name.

use tree_sitter::Node;

use super::super::outline::{Outline, Pick};
use super::in_class;
use crate::facts::{
    BindingTarget, DefFlags, DefKind, Definition, Expr, ExprId, Namespace, Reference, Role, Visibility,
};
use crate::walk::Enter;

/// The text of a symbol or string.
pub(super) fn word_of<'a>(cx: &Outline<'a>, node: Node<'_>) -> &'a str {
    let text = cx.text(node);
    text.trim_start_matches(':').trim_matches(['"', '\''])
}

pub(super) fn children<'t>(arguments: Option<Node<'t>>) -> Vec<Node<'t>> {
    /// Arguments that are read.
    const MAX_ARGUMENTS: usize = 64;
    let Some(arguments) = arguments else { return Vec::new() };
    let mut cursor = arguments.walk();
    arguments.named_children(&mut cursor).filter(|child| !child.is_extra()).take(MAX_ARGUMENTS).collect()
}

/// `include A`, `prepend A`: before the base class.
pub(super) fn mix_in(cx: &mut Outline<'_>, node: Node<'_>, word: &str, arguments: Option<Node<'_>>) {
    let receiver = node.child_by_field_name("receiver");
    if receiver.is_some_and(|receiver| receiver.kind() == "identifier") {
        extend_includer(cx, word, arguments);
    }
    if !in_class(cx) || receiver.is_some() {
        return;
    }
    match word {
        "include" | "prepend" => {
            let modules: Vec<ExprId> =
                children(arguments).into_iter().rev().filter_map(|module| cx.find_known(Some(module))).collect();
            if let Some(frame) = cx.frame() {
                frame.bases.splice(0..0, modules);
            }
        }
        "alias_method" => {
            if let [new, old, ..] = children(arguments).as_slice() {
                alias(cx, *new, *old);
            }
        }
        _ => {}
    }
}

/// `base.extend A` or `base.send :extend, A` in the hook `included` of a module.
fn extend_includer(cx: &mut Outline<'_>, word: &str, arguments: Option<Node<'_>>) {
    let facts = cx.builder.facts();
    let Some(hook) = cx.enclosing().map(|id| facts.definition(id)) else { return };
    if facts.name(hook.name) != "included" || !hook.flags.is_static {
        return;
    }
    let scope = hook.scope;
    let mut modules = children(arguments);
    if matches!(word, "send" | "public_send" | "__send__") {
        if modules.first().is_none_or(|first| word_of(cx, *first) != "extend") {
            return;
        }
        modules.remove(0);
    } else if word != "extend" {
        return;
    }
    let name = cx.builder.name(Definition::EXTENDED_BY_HOOK);
    for module in modules {
        if let Some(value) = cx.find_known(Some(module)) {
            cx.builder.bind(scope, name, Namespace::Type, BindingTarget::Value(value));
        }
    }
}

/// `module_function` alone: the methods that follow are those of the module, too.
pub(super) fn module_function(cx: &mut Outline<'_>) {
    let scope = cx.scope();
    let own = cx.builder.expr(Expr::SelfType { scope });
    if let Some(frame) = cx.frame() {
        frame.implements.push(own);
    }
}

/// `alias new old`.
pub(super) fn enter_alias(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let (Some(new), Some(old)) = (node.child_by_field_name("name"), node.child_by_field_name("alias")) {
        alias(cx, new, old);
    }
    Enter::Skip
}

/// A further name of a method.
fn alias(cx: &mut Outline<'_>, new: Node<'_>, old: Node<'_>) {
    if !in_class(cx) {
        return;
    }
    let scope = cx.scope();
    let of = cx.builder.expr(Expr::SelfType { scope });
    let is_static = cx.frame().is_some_and(|frame| frame.static_members);
    let value = if is_static { of } else { cx.builder.expr(Expr::Instance { of }) };
    let (new, old_word) = (word_of(cx, new), word_of(cx, old));
    let name = cx.builder.name(old_word);
    let given = cx.builder.expr(Expr::Implicit { base: value, name });
    let new = cx.builder.name(new);
    cx.builder.bind(scope, new, Namespace::Callee, BindingTarget::Value(given));
    let (pos, enclosing) = (cx.source.pos(old), cx.enclosing());
    let role = Role::Read;
    let reference = Reference { expr: given, role, inexact: false, arity: u8::MAX, pos, enclosing };
    cx.builder.reference_at(reference, old.start_byte());
}

/// `define_method(:name) { … }` defines a method; `delegate :a, to: :b` and `def_delegators :@b, :a` give the class
/// methods of another object.
pub(super) fn made_methods(cx: &mut Outline<'_>, node: Node<'_>, word: &str, arguments: Option<Node<'_>>) {
    if !in_class(cx) {
        return;
    }
    let arguments = children(arguments);
    let words = |cx: &Outline<'_>, nodes: &[Node<'_>]| -> Vec<String> {
        let symbols = nodes.iter().filter(|node| matches!(node.kind(), "simple_symbol" | "string"));
        symbols.map(|node| word_of(cx, *node).to_owned()).collect()
    };
    match (word, arguments.as_slice()) {
        ("define_method", [name, ..]) if matches!(name.kind(), "simple_symbol" | "string") => {
            let text = word_of(cx, *name).to_owned();
            cx.variable(DefKind::Function, &text, *name, node, DefFlags::default(), Visibility::Public);
        }
        ("def_delegators" | "def_instance_delegators", [of, rest @ ..]) => {
            let of = word_of(cx, *of).to_owned();
            let names = words(cx, rest);
            delegate(cx, &of, &names);
        }
        ("def_delegator" | "def_instance_delegator", [of, method, rest @ ..]) => {
            let of = word_of(cx, *of).to_owned();
            let names = words(cx, if rest.is_empty() { std::slice::from_ref(method) } else { rest });
            delegate(cx, &of, &names);
        }
        ("delegate", all) => {
            let is_target = |pair: &&Node<'_>| {
                pair.kind() == "pair" && Pick::Nth(0).get(**pair, None).is_some_and(|key| cx.text(key) == "to")
            };
            let of = all.iter().find(is_target).and_then(|pair| Pick::Last.get(*pair, None));
            let of = of.map_or(String::new(), |of| word_of(cx, of).to_owned());
            let names = words(cx, all);
            delegate(cx, &of, &names);
        }
        _ => {}
    }
}

fn delegate(cx: &mut Outline<'_>, of: &str, names: &[String]) {
    let scope = cx.scope();
    for text in names {
        let target = match of.starts_with('@') {
            true => {
                let base = cx.builder.name_expr(of, scope);
                let name = cx.builder.name(text);
                BindingTarget::Value(cx.builder.expr(Expr::Implicit { base, name }))
            }
            false => BindingTarget::Opaque,
        };
        let name = cx.builder.name(text);
        cx.builder.bind(scope, name, Namespace::Callee, target);
    }
}
