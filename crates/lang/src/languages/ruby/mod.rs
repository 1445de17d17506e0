//! Ruby: modules and classes, calls without parentheses, instance variables, what `attr_*` and `include` declare.

mod assign;
mod blocks;
mod declare;
mod finish;

use tree_sitter::Node;

use super::outline::common::{descend, leave_operator, nothing, record_implied};
use super::outline::{Bind, Define, Draft, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule, field};
use crate::facts::{
    Collection, DefFlags, DefKind, Expr, ExprId, FactsBuilder, ImportKind, Literal, ParameterKind, PathRoot, Reference,
    Role, ScopeKind, Visibility,
};
use crate::parse::Layout;
use crate::walk::Enter;

pub(super) static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

static GRAMMAR: Grammar = Grammar {
    layout: Layout::Words,
    spreads: &["splat_argument", "hash_splat_argument", "forward_argument"],
    adjust,
    methods_apart: true,
    returns_last: true,
    finish: finish::finish,
    ..Grammar::new(|| tree_sitter_ruby::LANGUAGE.into(), RULES)
};

static MODULE: Define = Define::like_class(DefKind::Trait);
static METHOD: Define = Define { no_body: NoBody::Nothing, ..Define::FUNCTION };
static PARAMETER: Bind = Bind { ty: Pick::None, ..Bind::LOCAL };
static DESTRUCTURED: Bind = Bind { names: Pick::Kind(&["identifier"]), ty: Pick::None, ..Bind::LOCAL };

static RULES: &[(&str, Rule)] = &[
    ("module", Rule::Define(&MODULE)),
    ("class", Rule::Define(&Define::CLASS)),
    ("superclass", Rule::Bases),
    ("singleton_class", Rule::Custom(enter_singleton, leave_singleton)),
    ("method", Rule::Define(&METHOD)),
    ("singleton_method", Rule::Define(&METHOD)),
    ("block", Rule::Custom(blocks::enter, nothing)),
    ("do_block", Rule::Custom(blocks::enter, nothing)),
    ("optional_parameter", Rule::Param(&PARAMETER, ParameterKind::Plain)),
    ("keyword_parameter", Rule::Param(&PARAMETER, ParameterKind::Keyword)),
    ("splat_parameter", Rule::Param(&PARAMETER, ParameterKind::Rest)),
    ("hash_splat_parameter", Rule::Param(&PARAMETER, ParameterKind::KeywordRest)),
    ("block_parameter", Rule::Param(&PARAMETER, ParameterKind::Keyword)),
    ("destructured_parameter", Rule::Param(&DESTRUCTURED, ParameterKind::Plain)),
    ("body_statement", Rule::Sequence(false)),
    ("block_body", Rule::Sequence(false)),
    ("assignment", Rule::Custom(assign::enter, assign::leave)),
    ("operator_assignment", Rule::Custom(assign::enter, assign::leave)),
    ("exception_variable", Rule::Skip),
    ("rescue", Rule::Custom(enter_rescue, leave_rescue)),
    ("exceptions", Rule::Union(&[])),
    ("for", Rule::Custom(enter_for, leave_for)),
    ("return", Rule::Return),
    ("argument_list", Rule::List),
    ("alias", Rule::Custom(declare::enter_alias, nothing)),
    ("undef", Rule::Skip),
    ("call", Rule::Custom(enter_call, leave_call)),
    ("scope_resolution", Rule::Custom(enter_scope, leave_scope)),
    ("element_reference", Rule::Custom(descend, leave_element)),
    ("binary", Rule::Custom(descend, leave_operator)),
    ("parenthesized_statements", Rule::Sequence(false)),
    ("conditional", Rule::Union(&["consequence", "alternative"])),
    ("if", Rule::Custom(descend, leave_branches)),
    ("unless", Rule::Custom(descend, leave_branches)),
    ("elsif", Rule::Custom(descend, leave_branches)),
    ("then", Rule::Sequence(false)),
    ("else", Rule::Sequence(false)),
    ("case", Rule::Custom(descend, leave_case)),
    ("when", Rule::Custom(descend, leave_when)),
    ("identifier", Rule::Custom(identifier, nothing)),
    ("constant", Rule::Name),
    ("instance_variable", Rule::Custom(instance_variable, nothing)),
    ("class_variable", Rule::Custom(instance_variable, nothing)),
    ("global_variable", Rule::Name),
    ("self", Rule::This),
    ("super", Rule::Custom(bare_super, nothing)),
    ("hash_key_symbol", Rule::Skip),
    ("simple_symbol", Rule::Literal(Literal::Str)),
    ("regex", Rule::Literal(Literal::Regex)),
    ("array", Rule::Collection(Collection::List)),
    ("hash", Rule::Collection(Collection::Map)),
    ("pair", Rule::Plain),
];

/// The values of branches; of a branch that has none nothing is known.
fn leave_branches(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let branches = ["consequence", "alternative"].map(|field| node.child_by_field_name(field));
    let items: Vec<ExprId> = branches.into_iter().flatten().map(|branch| cx.expr_of(branch)).collect();
    let value = cx.builder.union(&items);
    cx.set_expr(node, value);
}

/// The value of a `case` is that of one of its branches.
fn leave_case(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut cursor = node.walk();
    let branches: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let branches = branches.into_iter().filter(|branch| matches!(branch.kind(), "when" | "else"));
    let items: Vec<ExprId> = branches.map(|branch| cx.expr_of(branch)).collect();
    let value = cx.builder.union(&items);
    cx.set_expr(node, value);
}

fn leave_when(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(body) = node.child_by_field_name("body") {
        let value = cx.expr_of(body);
        cx.set_expr(node, value);
    }
}

/// `a[i]`
fn leave_element(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Index(field("object")), node, parent);
    let is_written =
        parent.is_some_and(|parent| parent.kind() == "assignment" && parent.child_by_field_name("left") == Some(node));
    let at = node.child(1).unwrap_or(node);
    record_implied(cx, node.child_by_field_name("object"), if is_written { "[]=" } else { "[]" }, at);
}

fn adjust<'t>(cx: &mut Outline<'_>, node: Node<'t>, parent: Option<Node<'t>>, draft: &mut Draft<'_, 't>) {
    if !matches!(node.kind(), "method" | "singleton_method") {
        return;
    }
    let name = draft.name_node.map_or("", |name| cx.text(name)).to_owned();
    draft.flags.is_constructor = name == "initialize";
    let in_test = cx.owner_name().is_some_and(|owner| owner.contains("Test"));
    draft.flags.is_test = in_test && name.starts_with("test_");
    let section = cx.frame().map(|frame| (frame.section, frame.static_members));
    if let Some((section, static_members)) = section {
        draft.flags.is_static |= static_members;
        draft.visibility = section.unwrap_or(Visibility::Public);
    }
    // `private def name` says it of this method alone.
    let list = parent.filter(|parent| parent.kind() == "argument_list");
    if list.is_some() && cx.parent_mark() == Mark::Part {
        draft.visibility = Visibility::Private;
    }
    draft.name = Some(name);
    if node.kind() == "singleton_method" {
        draft.flags.is_static = true;
        draft.visibility = Visibility::Public;
        let object = node.child_by_field_name("object");
        draft.extends = object.filter(|object| matches!(object.kind(), "constant" | "instance_variable"));
    }
}

fn enter_singleton(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(frame) = cx.frame() {
        frame.static_members = true;
    }
    Enter::Descend
}

fn leave_singleton(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) {
    if let Some(frame) = cx.frame() {
        frame.static_members = false;
    }
}

fn section_of(word: &str) -> Option<Visibility> {
    match word {
        "private" => Some(Visibility::Private),
        "protected" => Some(Visibility::Protected),
        "public" => Some(Visibility::Public),
        _ => None,
    }
}

/// `private` alone holds for what follows.
fn identifier(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let text = cx.text(node);
    if let Some(section) = section_of(text)
        && parent.is_some_and(|parent| parent.kind() == "body_statement")
    {
        if let Some(frame) = cx.frame() {
            frame.section = Some(section);
        }
        return Enter::Skip;
    }
    if text == "module_function" && parent.is_some_and(|parent| parent.kind() == "body_statement") {
        declare::module_function(cx);
        return Enter::Skip;
    }
    if cx.current_mark() == Mark::Params || cx.parent_mark() == Mark::Params {
        cx.name(node);
        return Enter::Skip;
    }
    if text == "new" && makes_own(cx, None) {
        let callee = construct_own(cx, node, 0);
        let expr = cx.builder.expr(Expr::Call { callee, args: FactsBuilder::EMPTY });
        cx.set_expr(node, expr);
        return Enter::Skip;
    }
    let expr = own_method(cx, text);
    // Without arguments, too, a method is called; a variable becomes its value.
    let value = cx.builder.expr(Expr::Call { callee: expr, args: FactsBuilder::EMPTY });
    cx.set_expr(node, value);
    match cx.current_mark() {
        Mark::Write => cx.refer_with(expr, Role::Write, u8::MAX, node),
        Mark::Part => {}
        _ => cx.refer_with(expr, Role::Call, 0, node),
    }
    Enter::Skip
}

/// A bare name: a method of the receiver, unless the file turns out to assign it.
fn own_method(cx: &mut Outline<'_>, text: &str) -> ExprId {
    let scope = cx.scope();
    let base = cx.builder.expr(Expr::This { scope });
    let expr = cx.builder.member(base, text);
    cx.labels.push((expr, scope));
    expr
}

fn instance_variable(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let scope = cx.scope();
    let base = cx.builder.expr(Expr::This { scope });
    let text = cx.text(node);
    let expr = cx.builder.member(base, text);
    cx.finish_expr(node, node, expr);
    Enter::Skip
}

/// `super` without arguments passes on those of the method.
fn bare_super(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let expr = super_method(cx);
    cx.set_expr(node, expr);
    if parent.is_none_or(|parent| parent.kind() != "call") {
        cx.refer_with(expr, Role::Call, u8::MAX, node);
    }
    Enter::Skip
}

/// The method of the enclosing name in the classes and modules above.
fn super_method(cx: &mut Outline<'_>) -> ExprId {
    let base = cx.keyword_expr(true);
    let facts = cx.builder.facts();
    match cx.enclosing().map(|id| facts.definition(id)).filter(|of| of.kind == DefKind::Function) {
        Some(method) => {
            let name = method.name;
            cx.builder.expr(Expr::Member { base, name })
        }
        None => base,
    }
}

fn enter_scope(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("name") {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_scope(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let base = match node.child_by_field_name("scope") {
        Some(scope) => cx.expr_of(scope),
        None => {
            let scope = cx.scope();
            cx.builder.expr(Expr::Root { root: PathRoot::Global, scope })
        }
    };
    let text = cx.text(name);
    let expr = cx.builder.path(base, text);
    cx.finish_expr(node, name, expr);
}

/// Calls that declare something, by name.
fn enter_call(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let method = node.child_by_field_name("method");
    let arguments = node.child_by_field_name("arguments");
    let word = method.map_or("", |method| cx.text(method));
    if let Some(method) = method.filter(|method| method.kind() != "super") {
        cx.mark(method, Mark::Skip);
    }
    let receiver = node.child_by_field_name("receiver");
    if let Some(receiver) = receiver {
        let constructs = word == "new" && matches!(receiver.kind(), "constant" | "scope_resolution");
        let mark = if constructs { Mark::Call(cx.arity(arguments)) } else { Mark::None };
        cx.mark(receiver, mark);
        return Enter::Descend;
    }
    match (word, arguments) {
        ("require" | "require_relative" | "load", Some(arguments)) => import(cx, word, arguments),
        ("include" | "extend" | "prepend", Some(arguments)) if in_class(cx) => {
            let mut cursor = arguments.walk();
            for argument in arguments.named_children(&mut cursor).collect::<Vec<_>>() {
                cx.mark(argument, if word == "extend" { Mark::Implement(true) } else { Mark::Inherit(false) });
            }
        }
        ("attr_reader" | "attr_writer" | "attr_accessor", Some(arguments)) if in_class(cx) => {
            attributes(cx, node, arguments);
        }
        (word, Some(arguments)) if section_of(word) == Some(Visibility::Private) => cx.mark(arguments, Mark::Part),
        _ => {}
    }
    Enter::Descend
}

fn in_class(cx: &Outline<'_>) -> bool {
    matches!(cx.scope_kind(), ScopeKind::Class | ScopeKind::Module)
}

fn import(cx: &mut Outline<'_>, word: &str, arguments: Node<'_>) {
    let Some(text) = Pick::Kind(&["string"]).get(arguments, None) else { return };
    let Some(content) = text.named_child(0).filter(|_| text.named_child_count() == 1) else { return };
    let mut module = cx.text(content).to_owned();
    if word == "require_relative" && !module.starts_with('.') {
        // Relative to this file, unlike `require`.
        module.insert_str(0, "./");
    }
    cx.add_import(ImportKind::Include, &module, None, text);
}

fn attributes(cx: &mut Outline<'_>, node: Node<'_>, arguments: Node<'_>) {
    let visibility = cx.frame().and_then(|frame| frame.section).unwrap_or(Visibility::Public);
    for symbol in Pick::Kind(&["simple_symbol"]).all(arguments, None) {
        let text = cx.text(symbol).trim_start_matches(':');
        if text.is_empty() {
            continue;
        }
        let flags = DefFlags { is_static: cx.frame().is_some_and(|frame| frame.static_members), ..DefFlags::default() };
        let id = cx.variable(DefKind::Field, text, symbol, node, flags, visibility);
        // Its value is that of the variable behind it.
        let scope = cx.scope();
        let value = cx.builder.name_expr(&format!("@{text}"), scope);
        cx.add_value(id, Some(value));
    }
}

fn leave_call(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let arguments = node.child_by_field_name("arguments");
    let arity = cx.arity(arguments);
    let method = node.child_by_field_name("method");
    let word = method.map_or("", |method| cx.text(method));
    declare::mix_in(cx, node, word, arguments);
    let receiver = node.child_by_field_name("receiver");
    let constructs =
        receiver.is_some_and(|receiver| word == "new" && matches!(receiver.kind(), "constant" | "scope_resolution"));
    let callee = match (receiver, method) {
        (Some(receiver), _) if constructs => {
            let base = cx.expr_of(receiver);
            cx.builder.expr(Expr::Generic { base, args: FactsBuilder::EMPTY })
        }
        (None, Some(method)) | (Some(_), Some(method)) if word == "new" && makes_own(cx, receiver) => {
            construct_own(cx, method, arity)
        }
        (Some(receiver), Some(method)) => {
            let base = cx.expr_of(receiver);
            let callee = cx.builder.member(base, word);
            cx.refer_with(callee, Role::Call, arity, method);
            callee
        }
        (None, Some(method)) if method.kind() == "super" => {
            let callee = super_method(cx);
            cx.refer_with(callee, Role::Call, arity, method);
            callee
        }
        (None, Some(_)) if declares(word) => return,
        (None, Some(method)) => {
            let callee = match word.starts_with(char::is_uppercase) {
                true => cx.bare_name(word),
                false => {
                    let scope = cx.scope();
                    let base = cx.builder.expr(Expr::This { scope });
                    cx.builder.member(base, word)
                }
            };
            cx.refer_with(callee, Role::Call, arity, method);
            declare::made_methods(cx, node, word, arguments);
            blocks::define_helper(cx, node, word);
            callee
        }
        // `callable.(…)`
        (Some(receiver), None) => cx.expr_of(receiver),
        (None, None) => return,
    };
    let args = cx.arguments(arguments);
    let expr = cx.builder.expr(Expr::Call { callee, args });
    let made = blocks::record_block(cx, node, block_taker(cx, callee));
    cx.set_expr(node, made.unwrap_or(expr));
}

/// The access path of a callee, of which arguments are recorded.
fn block_taker(cx: &Outline<'_>, callee: ExprId) -> ExprId {
    match cx.builder.facts().expr(callee) {
        Expr::Generic { base, .. } => base,
        _ => callee,
    }
}

/// The callee of a call that constructs the class around, and the reference to that.
fn construct_own(cx: &mut Outline<'_>, at: Node<'_>, arity: u8) -> ExprId {
    let scope = cx.scope();
    let base = cx.builder.expr(Expr::SelfType { scope });
    let (pos, enclosing) = (cx.source.pos(at), cx.enclosing());
    let reference = Reference { expr: base, role: Role::Call, inexact: false, arity, pos, enclosing };
    cx.builder.reference_at(reference, at.start_byte());
    cx.builder.expr(Expr::Generic { base, args: FactsBuilder::EMPTY })
}

/// Returns whether `new` constructs the class around: in a method of the class itself, without another receiver.
fn makes_own(cx: &Outline<'_>, receiver: Option<Node<'_>>) -> bool {
    let facts = cx.builder.facts();
    let is_static = cx.enclosing().is_some_and(|id| facts.definition(id).flags.is_static);
    is_static && receiver.is_none_or(|receiver| receiver.kind() == "self")
}

fn declares(word: &str) -> bool {
    matches!(
        word,
        "require"
            | "require_relative"
            | "load"
            | "include"
            | "extend"
            | "prepend"
            | "attr_reader"
            | "attr_writer"
            | "attr_accessor"
            | "private"
            | "public"
            | "protected"
            | "module_function"
            | "alias_method"
            | "private_constant"
            | "private_class_method"
    )
}

fn find_rescued(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("variable")?.named_child(0)
}

fn enter_rescue(_: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    Enter::Descend
}

fn leave_rescue(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let of = cx.find_known(node.child_by_field_name("exceptions"));
    let value = of.map(|of| cx.builder.expr(Expr::Instance { of }));
    if let Some(name) = find_rescued(node).filter(|name| name.kind() == "identifier") {
        cx.assign_local(name, value);
    }
}

fn enter_for(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    for name in cx.pattern_names(&field("pattern").all(node, None)) {
        cx.mark(name, Mark::Skip);
        cx.assign_local(name, None);
    }
    Enter::Descend
}

fn leave_for(_: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) {}
