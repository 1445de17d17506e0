//! Go: packages, receivers, embedding, composite literals.

use std::sync::OnceLock;

use m1nd_base::Problem;
use tree_sitter::Node;

use super::Input;
use super::outline::{self, Bind, Compiled, Define, Draft, Grammar, Mark, NoBody, Outline, Pick, Rule};
use crate::facts::{
    Collection, DefKind, Expr, FileFacts, Import, ImportFlags, ImportKind, Literal, ParameterKind, Role, ScopeKind,
    Visibility,
};
use crate::text;
use crate::walk::Enter;

pub(super) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    outline::extract(input, &GRAMMAR, COMPILED.get_or_init(|| Compiled::new(&GRAMMAR)))
}

const fn field(name: &'static str) -> Pick {
    Pick::Field(name)
}

static GRAMMAR: Grammar = Grammar {
    name_kinds: &["identifier", "field_identifier"],
    type_parameters: &["type_parameter_list"],
    wrappers: &[("type_declaration", true), ("const_declaration", true), ("var_declaration", true)],
    visibility,
    spreads: &["variadic_argument"],
    adjust,
    ..Grammar::new(|| tree_sitter_go::LANGUAGE.into(), RULES)
};

static FUNCTION: Define = Define { result: field("result"), no_body: NoBody::Declaration, ..Define::FUNCTION };
static METHOD_ELEM: Define = Define { result: field("result"), body: Pick::None, ..Define::FUNCTION };
static LAMBDA: Define = Define { result: field("result"), ..Define::LAMBDA };
static TYPE: Define = Define { result: field("type"), body: Pick::None, ..Define::like_class(DefKind::TypeAlias) };
static ANONYMOUS: Define = Define { name: Pick::None, anonymous: true, ..Define::like_class(DefKind::Struct) };
static CONSTANT: Bind = Bind { kind: DefKind::Constant, ..Bind::VARIABLE };
static FIELD: Bind = Bind { value: Pick::None, kind: DefKind::Field, ..Bind::VARIABLE };
static SHORT: Bind = Bind { names: field("left"), ty: Pick::None, value: field("right"), ..Bind::LOCAL };

static RULES: &[(&str, Rule)] = &[
    ("package_clause", Rule::Custom(package, nothing)),
    ("import_spec", Rule::Custom(import, nothing)),
    ("const_spec", Rule::Bind(&CONSTANT)),
    ("var_spec", Rule::Bind(&Bind::VARIABLE)),
    ("type_spec", Rule::Define(&TYPE)),
    ("type_alias", Rule::Define(&TYPE)),
    ("type_parameter_declaration", Rule::TypeParam(field("name"), field("type"))),
    ("type_constraint", Rule::Type),
    ("struct_type", Rule::Custom(struct_type, nothing)),
    ("field_declaration", Rule::Custom(enter_field, leave_field)),
    ("interface_type", Rule::Custom(interface_type, nothing)),
    ("type_elem", Rule::Type),
    ("method_elem", Rule::Define(&METHOD_ELEM)),
    ("function_declaration", Rule::Define(&FUNCTION)),
    ("method_declaration", Rule::Define(&FUNCTION)),
    ("func_literal", Rule::Define(&LAMBDA)),
    ("parameter_list", Rule::Custom(descend, leave_parameter_list)),
    ("parameter_declaration", Rule::Param(&Bind::VARIABLE, ParameterKind::Plain)),
    ("variadic_parameter_declaration", Rule::Param(&Bind::VARIABLE, ParameterKind::Rest)),
    ("block", Rule::Block),
    ("if_statement", Rule::Block),
    ("for_statement", Rule::Block),
    ("expression_switch_statement", Rule::Block),
    ("expression_case", Rule::Block),
    ("default_case", Rule::Block),
    ("communication_case", Rule::Block),
    ("type_switch_statement", Rule::Custom(type_switch, nothing)),
    ("type_case", Rule::Custom(type_case, leave_type_case)),
    ("short_var_declaration", Rule::Bind(&SHORT)),
    ("receive_statement", Rule::Bind(&SHORT)),
    ("range_clause", Rule::Custom(range, leave_range)),
    ("assignment_statement", Rule::Assign(field("left"))),
    ("return_statement", Rule::Return),
    ("expression_list", Rule::List),
    ("call_expression", Rule::Custom(call, leave_call)),
    ("selector_expression", Rule::Member(field("operand"), field("field"))),
    ("qualified_type", Rule::Member(field("package"), field("name"))),
    ("index_expression", Rule::Index(field("operand"))),
    ("slice_expression", Rule::Forward),
    ("type_assertion_expression", Rule::Instance(field("type"))),
    ("type_conversion_expression", Rule::Instance(field("type"))),
    ("composite_literal", Rule::Custom(composite, leave_composite)),
    ("literal_value", Rule::Custom(literal_value, nothing)),
    ("literal_element", Rule::Forward),
    ("unary_expression", Rule::Forward),
    ("parenthesized_expression", Rule::Forward),
    ("parenthesized_type", Rule::Type),
    ("pointer_type", Rule::Type),
    ("slice_type", Rule::TypeOf(Collection::List)),
    ("array_type", Rule::TypeOf(Collection::List)),
    ("implicit_length_array_type", Rule::TypeOf(Collection::List)),
    ("channel_type", Rule::TypeOf(Collection::Iterator)),
    ("map_type", Rule::TypeOf(Collection::Map)),
    ("function_type", Rule::Function(field("result"))),
    ("generic_type", Rule::Generic(field("type"), field("type_arguments"))),
    ("type_arguments", Rule::Type),
    ("type_instantiation_expression", Rule::Generic(field("type"), Pick::None)),
    ("identifier", Rule::Name),
    ("package_identifier", Rule::Name),
    ("type_identifier", Rule::TypeName),
    ("field_identifier", Rule::Skip),
    ("blank_identifier", Rule::Skip),
    ("label_name", Rule::Skip),
    ("dot", Rule::Skip),
    ("int_literal", Rule::Literal(Literal::Int)),
    ("float_literal", Rule::Literal(Literal::Float)),
    ("interpreted_string_literal", Rule::Literal(Literal::Str)),
    ("raw_string_literal", Rule::Literal(Literal::Str)),
    ("rune_literal", Rule::Literal(Literal::Int)),
    ("true", Rule::Literal(Literal::Bool)),
    ("false", Rule::Literal(Literal::Bool)),
    ("nil", Rule::Literal(Literal::Null)),
    ("iota", Rule::Literal(Literal::Int)),
];

fn visibility(_: Option<DefKind>, name: &str) -> Visibility {
    if name.chars().next().is_some_and(char::is_uppercase) { Visibility::Public } else { Visibility::Package }
}

fn nothing(_: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) {}

fn descend(_: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    Enter::Descend
}

fn adjust<'t>(cx: &mut Outline<'_>, node: Node<'t>, _: Option<Node<'t>>, draft: &mut Draft<'_, 't>) {
    match node.kind() {
        "type_spec" => {
            let Some(ty) = node.child_by_field_name("type") else { return };
            draft.kind = match ty.kind() {
                "struct_type" => DefKind::Struct,
                "interface_type" => DefKind::Interface,
                _ => return,
            };
            draft.body = Some(ty);
            draft.result = None;
        }
        "function_declaration" | "method_declaration" => {
            if let Some(receiver) = node.child_by_field_name("receiver") {
                cx.mark(receiver, Mark::Receiver);
                let parameter = receiver.named_child(0);
                draft.extends = parameter.and_then(|parameter| parameter.child_by_field_name("type"));
                draft.bound = false;
            }
            draft.flags.is_test = node.kind() == "function_declaration" && is_test(cx, draft);
        }
        _ => {}
    }
    if let Some(result) = draft.result
        && result.kind() == "parameter_list"
    {
        cx.mark(result, Mark::Results);
    }
}

fn is_test(cx: &Outline<'_>, draft: &Draft<'_, '_>) -> bool {
    let name = draft.name.as_deref().unwrap_or("");
    let params = draft.params.map_or("", |params| cx.text(params));
    let named =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| !rest.starts_with(|c: char| c.is_lowercase()));
    (named("Test") && params.contains("testing.T"))
        || (named("Benchmark") && params.contains("testing.B"))
        || (named("Fuzz") && params.contains("testing.F"))
}

fn package(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.named_child(0) {
        let name = cx.builder.name(cx.text(name));
        let doc = cx.doc_before(node.start_byte());
        let facts = cx.builder.facts_mut();
        facts.package = Some(name);
        facts.doc = doc;
    }
    Enter::Skip
}

fn import(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(path) = node.child_by_field_name("path") else { return Enter::Skip };
    let module_text = cx.text(path).trim_matches(['"', '`']);
    let alias = node.child_by_field_name("name");
    let (kind, bound) = match alias.map(|alias| (alias.kind(), cx.text(alias))) {
        Some(("dot", _)) => (ImportKind::Wildcard, None),
        Some(("blank_identifier", _)) => (ImportKind::SideEffect, None),
        Some((_, name)) => (ImportKind::Module, Some(name)),
        // The name is the one that the package declares; by custom the last part of its path.
        None => (ImportKind::Module, Some(package_name(module_text))),
    };
    let module = cx.builder.name(module_text);
    let bound = bound.filter(|name| !name.is_empty()).map(|name| cx.builder.name(name));
    let import = Import {
        kind,
        module,
        level: 0,
        path: None,
        scope: cx.scope(),
        pos: cx.source.pos(path),
        flags: ImportFlags::default(),
    };
    cx.builder.import(import, bound);
    Enter::Skip
}

/// The name by which a package is known if the import gives none: the last part of its path, without a major version.
fn package_name(module: &str) -> &str {
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut parts = module.rsplit('/');
    let last = parts.next().unwrap_or(module);
    let last = if is_version(last) { parts.next().unwrap_or(last) } else { last };
    let last = last.split_once(".v").map_or(last, |(name, _)| name);
    let last = last.strip_prefix("go-").unwrap_or(last);
    last.rsplit('-').next().unwrap_or(last)
}

fn struct_type(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if parent.is_none_or(|parent| parent.kind() != "type_spec") {
        cx.open_define(&Define { body: Pick::Nth(0), ..ANONYMOUS }, node, parent);
    }
    Enter::Descend
}

fn interface_type(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let named = parent.is_some_and(|parent| parent.kind() == "type_spec");
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).take(1_000) {
        if named && child.kind() == "type_elem" && child.named_child_count() == 1 {
            cx.mark(child, Mark::Inherit(true));
        }
    }
    if !named {
        cx.open_define(&Define { kind: DefKind::Interface, body: Pick::None, ..ANONYMOUS }, node, parent);
    }
    Enter::Descend
}

fn enter_field(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if node.child_by_field_name("name").is_none() {
        if let Some(ty) = node.child_by_field_name("type") {
            cx.mark(ty, Mark::Inherit(true));
        }
    } else {
        cx.enter_bind(&FIELD, node, parent);
    }
    Enter::Descend
}

fn leave_field(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    if node.child_by_field_name("name").is_some() {
        cx.leave_bind(&FIELD, node, parent);
    }
}

/// Results are one type or a tuple of them; the type parameters of a receiver are declared by naming them.
fn leave_parameter_list(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mark = cx.current_mark();
    if !matches!(mark, Mark::Results | Mark::Receiver) {
        return;
    }
    let mut cursor = node.walk();
    let declarations: Vec<Node<'_>> = node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
    let mut items = Vec::new();
    for declaration in declarations {
        let Some(ty) = declaration.child_by_field_name("type") else { continue };
        if mark == Mark::Receiver {
            receiver_type_parameters(cx, ty);
            continue;
        }
        let names = Pick::Field("name").all(declaration, None).len().max(1);
        let ty = cx.expr_of(ty);
        items.extend(std::iter::repeat_n(ty, names));
    }
    let expr = match items.as_slice() {
        [] => return,
        [one] => *one,
        many => {
            let items = cx.builder.list(many);
            cx.builder.expr(Expr::Collection { kind: Collection::Tuple, items })
        }
    };
    cx.set_expr(node, expr);
}

fn receiver_type_parameters(cx: &mut Outline<'_>, ty: Node<'_>) {
    let ty = if ty.kind() == "pointer_type" { ty.named_child(0).unwrap_or(ty) } else { ty };
    let Some(arguments) = ty.child_by_field_name("type_arguments") else { return };
    let mut cursor = arguments.walk();
    let names: Vec<Node<'_>> = arguments.named_children(&mut cursor).filter_map(|child| child.named_child(0)).collect();
    for name in names {
        cx.add_type_param(name, None);
    }
}

fn type_switch(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.open_scope(ScopeKind::Block);
    if let Some(alias) = node.child_by_field_name("alias") {
        cx.mark(alias, Mark::Skip);
    }
    Enter::Descend
}

fn type_case(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.open_scope(ScopeKind::Block);
    Enter::Descend
}

fn leave_type_case(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let Some(alias) = parent.and_then(|parent| parent.child_by_field_name("alias")) else { return };
    let types = Pick::Field("type").all(node, None);
    let declared = if let [one] = types.as_slice() { cx.known(Some(*one)) } else { None };
    for name in cx.pattern_names(&[alias]) {
        cx.bind_local(name, declared, None);
    }
}

fn range(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    cx.skip_names(&SHORT, node, parent);
    Enter::Descend
}

fn leave_range(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let Some(left) = node.child_by_field_name("left") else { return };
    let value = cx.known(node.child_by_field_name("right"));
    let element = value.map(|base| cx.builder.expr(Expr::Element { base }));
    let mut cursor = left.walk();
    let targets: Vec<Node<'_>> = left.named_children(&mut cursor).collect();
    let _ = parent;
    for (index, target) in targets.into_iter().enumerate() {
        if target.kind() == "identifier" {
            cx.bind_local(target, None, element.filter(|_| index == 1));
        }
    }
}

fn call(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(function) = node.child_by_field_name("function") {
        let arity = cx.arity(node.child_by_field_name("arguments"));
        cx.mark(function, Mark::Call(arity));
    }
    Enter::Descend
}

fn leave_call(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let function = node.child_by_field_name("function").map_or("", |function| cx.text(function));
    let arguments = node.child_by_field_name("arguments");
    let first = arguments.and_then(|arguments| arguments.named_child(0));
    if matches!(function, "new" | "make")
        && let Some(of) = cx.known(first)
    {
        let expr = cx.builder.expr(Expr::Instance { of });
        cx.set_expr(node, expr);
        return;
    }
    cx.leave_expr(Rule::Call(field("function"), field("arguments")), node, parent);
}

fn composite(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(ty) = node.child_by_field_name("type")
        && is_struct_like(ty)
    {
        cx.mark(ty, Mark::Call(u8::MAX));
    }
    Enter::Descend
}

fn is_struct_like(ty: Node<'_>) -> bool {
    matches!(ty.kind(), "type_identifier" | "qualified_type" | "generic_type")
}

/// Keys of struct literals are fields, not names to look up.
fn literal_value(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let ty = parent.and_then(|parent| parent.child_by_field_name("type"));
    // Without a type of its own it is an element of the literal around it, whose keys may be anything: names of fields
    // are likelier, and what is not looked up cannot be wrong.
    if ty.is_none_or(is_struct_like) {
        for (key, _) in keys(node) {
            cx.mark(key, Mark::Skip);
        }
    }
    Enter::Descend
}

/// Most keys of one literal that are treated as fields.
const MAX_KEYS: usize = 4_096;

fn keys(value: Node<'_>) -> Vec<(Node<'_>, Node<'_>)> {
    let mut cursor = value.walk();
    let elements = value.named_children(&mut cursor).filter(|child| child.kind() == "keyed_element").take(MAX_KEYS);
    elements
        .filter_map(|element| {
            let key = element.child_by_field_name("key")?;
            let name = key.named_child(0).filter(|name| name.kind() == "identifier")?;
            Some((key, name))
        })
        .collect()
}

fn leave_composite(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(ty) = node.child_by_field_name("type") else { return };
    let Some(of) = cx.known(Some(ty)) else { return };
    if !is_struct_like(ty) {
        let expr = cx.builder.expr(Expr::Instance { of });
        cx.set_expr(node, expr);
        return;
    }
    let args = crate::facts::FactsBuilder::EMPTY;
    let expr = cx.builder.expr(Expr::Call { callee: of, args });
    cx.set_expr(node, expr);
    let Some(body) = node.child_by_field_name("body") else { return };
    for (_, name) in keys(body) {
        let member = cx.builder.member(expr, text::clip(cx.text(name), 200));
        cx.refer_with(member, Role::Write, u8::MAX, name);
    }
}
