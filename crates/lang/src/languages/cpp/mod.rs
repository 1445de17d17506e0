//! C++: namespaces, classes with sections, templates, qualified names, members defined outside of their class.

mod implicit;
mod variables;

use m1nd_base::Problem;
use tree_sitter::Node;

use super::Input;
use super::c::declarator::find_declared;
use super::c::prepare;
use super::c::rules::{self, C_RULES};
use super::outline::common::{descend, nothing};
use super::outline::{Define, Draft, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule, field};
use crate::facts::{
    DefKind, Expr, ExprId, FileFacts, Import, ImportFlags, ImportKind, Literal, PathRoot, Reference, Role, ScopeKind,
    Visibility,
};
use crate::walk::Enter;

static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

pub(super) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    let original = input.text;
    let text = prepare::prepare(original, true);
    let input = Input { text: &text, ..*input };
    let mut facts = EXTRACTOR.extract(&input)?;
    super::c::finish(&mut facts, original, &text);
    Ok(facts)
}

/// Words of statements and types.
const RESERVED: &[&str] = &[
    "alignas", "alignof", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const", "constexpr",
    "continue", "decltype", "default", "delete", "do", "double", "else", "enum", "explicit", "extern", "float", "for",
    "friend", "goto", "if", "inline", "int", "long", "namespace", "new", "noexcept", "private", "protected", "public",
    "return", "short", "signed", "sizeof", "static", "static_assert", "struct", "switch", "template", "this", "throw",
    "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "while",
];

static GRAMMAR: Grammar = Grammar {
    reserved: RESERVED,
    base_rules: C_RULES,
    type_fields: &["type"],
    no_type: &["auto"],
    wrappers: &[("template_declaration", false)],
    inline_types: true,
    spreads: &["parameter_pack_expansion"],
    reread: variables::find_arguments,
    adjust,
    assigned: implicit::record_assigned,
    left: implicit::leave_expression,
    ..Grammar::new(|| tree_sitter_cpp::LANGUAGE.into(), RULES)
};

static CLASS: Define = Define::CLASS;
static STRUCT: Define = Define::like_class(DefKind::Struct);
static UNION: Define = Define::like_class(DefKind::Union);
static ENUM: Define = Define::like_class(DefKind::Enum);
static NAMESPACE: Define = Define::like_class(DefKind::Module);
static ALIAS: Define =
    Define { kind: DefKind::TypeAlias, body: Pick::None, result: Pick::Field("type"), ..Define::CLASS };
static CONCEPT: Define = Define { kind: DefKind::Trait, body: Pick::None, ..Define::CLASS };
static LAMBDA: Define = Define { params: Pick::None, ..Define::LAMBDA };

static RULES: &[(&str, Rule)] = &[
    ("declaration", Rule::Custom(implicit::enter_declaration, implicit::leave_declaration)),
    ("field_declaration", Rule::Custom(rules::enter_declaration, implicit::leave_member)),
    ("subscript_expression", Rule::Custom(rules::enter_subscript, implicit::leave_subscript)),
    ("class_specifier", Rule::Custom(enter_tag, leave_tag)),
    ("struct_specifier", Rule::Custom(enter_tag, leave_tag)),
    ("union_specifier", Rule::Custom(enter_tag, leave_tag)),
    ("enum_specifier", Rule::Custom(enter_tag, leave_tag)),
    ("base_class_clause", Rule::Bases),
    ("access_specifier", Rule::Custom(section, nothing)),
    ("namespace_definition", Rule::Define(&NAMESPACE)),
    ("using_declaration", Rule::Custom(using, nothing)),
    ("namespace_alias_definition", Rule::Custom(namespace_alias, nothing)),
    ("alias_declaration", Rule::Define(&ALIAS)),
    ("concept_definition", Rule::Define(&CONCEPT)),
    ("template_declaration", Rule::Custom(descend, leave_template)),
    ("type_parameter_declaration", Rule::TypeParam(Pick::Last, Pick::None)),
    ("variadic_type_parameter_declaration", Rule::TypeParam(Pick::Last, Pick::None)),
    ("optional_type_parameter_declaration", Rule::TypeParam(Pick::Field("name"), Pick::None)),
    ("parameter_declaration", Rule::Custom(rules::enter_parameter, leave_parameter)),
    ("optional_parameter_declaration", Rule::Custom(rules::enter_parameter, leave_parameter)),
    ("variadic_parameter_declaration", Rule::Custom(rules::enter_parameter, leave_parameter)),
    ("qualified_identifier", Rule::Custom(enter_qualified, leave_qualified)),
    ("template_type", Rule::Generic(field("name"), field("arguments"))),
    ("template_function", Rule::Generic(field("name"), field("arguments"))),
    ("template_method", Rule::Generic(field("name"), field("arguments"))),
    ("template_argument_list", Rule::Plain),
    ("dependent_name", Rule::Forward),
    ("dependent_type", Rule::Type),
    ("decltype", Rule::Plain),
    ("placeholder_type_specifier", Rule::Skip),
    ("namespace_identifier", Rule::Name),
    ("lambda_expression", Rule::Define(&LAMBDA)),
    ("lambda_capture_initializer", Rule::Plain),
    ("new_expression", Rule::Call(field("type"), field("arguments"))),
    ("call_expression", Rule::Custom(enter_call, leave_call)),
    ("field_initializer", Rule::Custom(implicit::enter_initializer, implicit::leave_initializer)),
    ("for_range_loop", Rule::Custom(enter_range, leave_range)),
    ("if_statement", Rule::Block),
    ("while_statement", Rule::Block),
    ("switch_statement", Rule::Block),
    ("catch_clause", Rule::Custom(enter_catch, nothing)),
    ("co_await_expression", Rule::Unwrap),
    ("this", Rule::This),
    ("destructor_name", Rule::Skip),
    ("operator_name", Rule::Skip),
    ("raw_string_literal", Rule::Literal(Literal::Str)),
    ("user_defined_literal", Rule::Skip),
];

/// Test framework macros that look like functions: their arguments name the definition.
const TEST_MACROS: &[&str] = &["TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "TEST_CASE", "BENCHMARK_F"];

fn adjust<'a, 't>(cx: &mut Outline<'a>, node: Node<'t>, parent: Option<Node<'t>>, draft: &mut Draft<'a, 't>) {
    if node.kind() == "lambda_expression" {
        draft.params = node.child_by_field_name("declarator").and_then(|it| it.child_by_field_name("parameters"));
        return;
    }
    rules::adjust(cx, node, parent, draft);
    let section = cx.frame().filter(|frame| !frame.is_function).and_then(|frame| frame.section);
    if let Some(section) = section {
        draft.visibility = section;
        draft.flags.is_static = draft.words.contains(&"static");
    }
    let is_function = draft.kind == DefKind::Function && draft.name_node.is_some();
    if is_function && matches!(node.kind(), "function_definition" | "declaration" | "field_declaration") {
        function(cx, node, draft);
        if draft.body.is_none() && parent.is_some_and(|parent| parent.kind() == "friend_declaration") {
            befriend(cx, draft);
        }
    }
}

/// `friend int f(int);` declares a function of the code around the class, or a member of another one.
fn befriend<'t>(cx: &mut Outline<'_>, draft: &mut Draft<'_, 't>) {
    draft.is_outside = true;
    draft.visibility = Visibility::Public;
    // `friend int f<T>(T);` declares one of those that a template makes.
    if let Some(name) = draft.name_node.filter(|name| name.kind() == "template_function") {
        let name = plain(name);
        draft.name = Some(cx.text(name).to_owned());
        draft.name_node = Some(name);
    }
}

fn function<'a, 't>(cx: &mut Outline<'a>, node: Node<'t>, draft: &mut Draft<'a, 't>) {
    let Some(name) = draft.name_node else { return };
    if node.kind() == "field_declaration" && node.child_by_field_name("default_value").is_some() {
        draft.no_body = NoBody::Abstract;
    }
    if name.kind() == "qualified_identifier" {
        let parts = parts(name);
        let Some(&last) = parts.last() else { return };
        cx.mark(name, Mark::Declared);
        draft.extends = Some(name);
        draft.name_node = Some(last);
        draft.visit_name = true;
        draft.bound = false;
        draft.name = Some(name_of(cx, last));
        let class = parts.len().checked_sub(2).map(|index| cx.text(plain(parts[index])));
        draft.flags.is_constructor = class == Some(cx.text(last));
    } else {
        let text = name_of(cx, name);
        draft.flags.is_constructor = cx.owner_name() == Some(&*text) && node.child_by_field_name("type").is_none();
        draft.name = Some(text);
    }
    if node.child_by_field_name("type").is_none() && TEST_MACROS.contains(&cx.text(name)) {
        test_macro(cx, draft);
    }
}

/// The name of a function; of an operator without the spaces that may be in it.
fn name_of(cx: &Outline<'_>, name: Node<'_>) -> String {
    let text = cx.text(name);
    let text = if name.kind() == "operator_cast" { text.split('(').next().unwrap_or(text).trim() } else { text };
    implicit::operator_name(text).unwrap_or_else(|| text.to_owned())
}

fn test_macro(cx: &mut Outline<'_>, draft: &mut Draft<'_, '_>) {
    let Some(params) = draft.params.take() else { return };
    cx.mark(params, Mark::Skip);
    let arguments = cx.text(params).trim_matches(['(', ')']);
    let name: Vec<&str> = arguments.split(',').map(|part| part.trim().trim_matches('"')).collect();
    draft.name = Some(name.join("."));
    draft.flags.is_test = true;
}

fn enter_tag(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let define = match node.kind() {
        "class_specifier" => &CLASS,
        "union_specifier" => &UNION,
        "enum_specifier" => &ENUM,
        _ => &STRUCT,
    };
    let before = cx.depth();
    rules::open_tag(cx, define, node, parent);
    if cx.depth() > before {
        let scoped = cx.text(node).strip_prefix("enum").is_some_and(|rest| {
            let word = rest.trim_start();
            word.starts_with("class") || word.starts_with("struct")
        });
        let is_class = node.kind() == "class_specifier";
        if let Some(frame) = cx.frame() {
            frame.section = Some(if is_class { Visibility::Private } else { Visibility::Public });
            frame.scoped_members = scoped;
        }
    }
    Enter::Descend
}

fn leave_tag(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(name) = cx.find_known(node.child_by_field_name("name")) {
        cx.set_expr(node, name);
    }
}

/// `public:` and its like hold until the next one.
fn section(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if parent.is_some_and(|parent| parent.kind() == "field_declaration_list") {
        let visibility = match cx.text(node) {
            "public" => Visibility::Public,
            "protected" => Visibility::Protected,
            _ => Visibility::Private,
        };
        if let Some(frame) = cx.frame() {
            frame.section = Some(visibility);
        }
    }
    Enter::Skip
}

/// `using namespace a;` takes all names of a namespace, `using a::b;` one.
fn using(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(path) = Pick::Last.get(node, None) else { return Enter::Skip };
    let text = cx.text(path);
    let all = cx.text(node).trim_start_matches("using").trim_start().starts_with("namespace");
    let (kind, module, bound) = match text.rsplit_once("::") {
        Some((module, name)) if !all => {
            let name = cx.builder.name(name);
            (ImportKind::Symbol(name), module, Some(name))
        }
        _ if !all => return Enter::Skip,
        _ => (ImportKind::Wildcard, text, None),
    };
    let path_expr = path_of(cx, module);
    let module = cx.builder.name(module);
    // It stands where its name does, so that the name can be changed.
    let at = if bound.is_some() { parts(path).pop().unwrap_or(path) } else { path };
    let (scope, pos) = (cx.scope(), cx.source.pos(at));
    let import = Import { kind, module, level: 0, path: Some(path_expr), scope, pos, flags: ImportFlags::default() };
    cx.builder.import(import, bound);
    Enter::Skip
}

/// `a::b` as an expression; the global namespace if nothing is written.
fn path_of(cx: &mut Outline<'_>, text: &str) -> ExprId {
    let scope = cx.scope();
    let rooted = text.is_empty() || text.starts_with("::");
    let mut expr = rooted.then(|| cx.builder.expr(Expr::Root { root: PathRoot::Global, scope }));
    for part in text.split("::").map(str::trim).filter(|part| !part.is_empty()).take(MAX_PARTS) {
        let part = part.split('<').next().unwrap_or(part);
        expr = Some(match expr {
            Some(base) => cx.builder.path(base, part),
            None => cx.builder.name_expr(part, scope),
        });
    }
    expr.unwrap_or(cx.builder.unknown())
}

fn namespace_alias(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let (Some(name), Some(path)) = (node.child_by_field_name("name"), Pick::Last.get(node, None)) else {
        return Enter::Skip;
    };
    let path_expr = path_of(cx, cx.text(path));
    let module = cx.builder.name(cx.text(path));
    let bound = cx.builder.name(cx.text(name));
    let (scope, pos) = (cx.scope(), cx.source.pos(path));
    let flags = ImportFlags::default();
    let import = Import { kind: ImportKind::Module, module, level: 0, path: Some(path_expr), scope, pos, flags };
    cx.builder.import(import, Some(bound));
    Enter::Skip
}

fn leave_template(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) {
    cx.drop_loose_type_parameters();
}

fn leave_parameter(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    if parent.is_some_and(|parent| parent.kind() == "template_parameter_list") {
        if let Some(found) = node.child_by_field_name("declarator").and_then(find_declared) {
            let ty = cx.find_known(node.child_by_field_name("type"));
            cx.add_type_param(found.name, ty);
        }
        return;
    }
    rules::leave_parameter(cx, node, parent);
}

/// Longest qualified name, in parts.
const MAX_PARTS: usize = 64;

/// The parts of `a::b::c`, left to right.
fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut parts = Vec::new();
    let mut node = node;
    while node.kind() == "qualified_identifier" && parts.len() < MAX_PARTS {
        parts.extend(node.child_by_field_name("scope"));
        match node.child_by_field_name("name") {
            Some(name) => node = name,
            None => return parts,
        }
    }
    parts.push(node);
    parts
}

/// The name of a part without its template arguments.
fn plain(part: Node<'_>) -> Node<'_> {
    match part.kind() {
        "template_type" | "template_function" | "template_method" => part.child_by_field_name("name").unwrap_or(part),
        "dependent_name" => part.named_child(0).map_or(part, plain_once),
        _ => part,
    }
}

fn plain_once(part: Node<'_>) -> Node<'_> {
    part.child_by_field_name("name").unwrap_or(part)
}

/// Only the first component is looked up by itself; the others are members of the one before.
fn enter_qualified(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if cx.current_mark() == Mark::Part {
        return Enter::Descend;
    }
    let rooted = node.child_by_field_name("scope").is_none();
    let first = usize::from(!rooted);
    // What stands before `::` is a namespace or type, and no value.
    if let Some(scope) = node.child_by_field_name("scope") {
        cx.mark(scope, Mark::Type);
    }
    for (index, part) in parts(node).into_iter().enumerate() {
        if index >= first {
            let name = plain(part);
            cx.mark(name, Mark::Skip);
        }
    }
    let mut inner = node;
    for _ in 0..MAX_PARTS {
        match inner.child_by_field_name("name") {
            Some(name) if name.kind() == "qualified_identifier" => {
                cx.mark(name, Mark::Part);
                inner = name;
            }
            _ => break,
        }
    }
    Enter::Descend
}

fn leave_qualified(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mark = cx.current_mark();
    if mark == Mark::Part {
        return;
    }
    let rooted = node.child_by_field_name("scope").is_none();
    let parts = parts(node);
    let mut parts = parts.as_slice();
    let mut base: ExprId = if rooted {
        let scope = cx.scope();
        cx.builder.expr(Expr::Root { root: PathRoot::Global, scope })
    } else {
        let Some((&first, rest)) = parts.split_first() else { return };
        parts = rest;
        cx.expr_of(first)
    };
    while let Some((&part, rest)) = parts.split_first() {
        parts = rest;
        let last = parts.is_empty();
        if last && mark == Mark::Declared {
            break;
        }
        let name = plain(part);
        let text = cx.name_text(name);
        let mut expr = cx.builder.path(base, text);
        if last && part.id() == name.id() {
            cx.finish_expr(node, name, expr);
            return;
        }
        if last {
            cx.refer(expr, name);
        } else {
            // What stands before `::` is a namespace or type, and no value.
            cx.refer_with(expr, Role::Type, u8::MAX, name);
        }
        if let Some(args) = part.child_by_field_name("arguments") {
            let args = cx.arguments(Some(args));
            expr = cx.builder.expr(Expr::Generic { base: expr, args });
        }
        base = expr;
    }
    cx.set_expr(node, base);
    cx.list_in_frame(base, node);
}

const CASTS: &[&str] = &["static_cast", "dynamic_cast", "const_cast", "reinterpret_cast"];

fn is_cast(cx: &Outline<'_>, function: Node<'_>) -> bool {
    function.kind() == "template_function" && CASTS.contains(&cx.text(plain(function)))
}

fn enter_call(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(function) = node.child_by_field_name("function") {
        if is_cast(cx, function) {
            cx.mark(plain(function), Mark::Skip);
        } else {
            let arity = cx.arity(node.child_by_field_name("arguments"));
            cx.mark(function, Mark::Call(arity));
        }
    }
    Enter::Descend
}

fn leave_call(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    implicit::makes(cx, node);
    let function = node.child_by_field_name("function").filter(|&function| is_cast(cx, function));
    let ty = function.and_then(|function| function.child_by_field_name("arguments")?.named_child(0));
    if let Some(of) = cx.find_known(ty) {
        let expr = cx.builder.expr(Expr::Instance { of });
        cx.set_expr(node, expr);
        return;
    }
    call_result(cx, node);
    cx.leave_expr(Rule::Call(field("function"), field("arguments")), node, parent);
}

/// `hooks.at(name)()` calls what a call gives.
fn call_result(cx: &mut Outline<'_>, node: Node<'_>) {
    let function = node.child_by_field_name("function").filter(|function| function.kind() == "call_expression");
    let args = node.child_by_field_name("arguments");
    if let (Some(callee), Some(at)) = (cx.find_known(function), args) {
        let (arity, pos, enclosing) = (cx.arity(args), cx.source.pos(at), cx.enclosing());
        let reference = Reference { expr: callee, role: Role::Call, inexact: false, arity, pos, enclosing };
        cx.builder.reference_at(reference, at.start_byte());
    }
}

fn enter_range(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.open_scope(ScopeKind::Block);
    if let Some(found) = node.child_by_field_name("declarator").and_then(find_declared) {
        cx.mark(found.name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_range(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    implicit::iterates(cx, node.child_by_field_name("right"));
    let declared_type = cx.find_known(node.child_by_field_name("type"));
    let element = cx.find_known(node.child_by_field_name("right")).map(|base| cx.builder.expr(Expr::Element { base }));
    let Some(found) = node.child_by_field_name("declarator").and_then(find_declared) else { return };
    if found.name.kind() != "structured_binding_declarator" {
        cx.bind_local(found.name, declared_type, element);
        return;
    }
    for (index, name) in cx.pattern_names(&[found.name]).into_iter().enumerate() {
        let item = element.map(|base| cx.builder.expr(Expr::Item { base, index: index as u32 }));
        cx.bind_local(name, None, item);
    }
}

fn enter_catch(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.open_scope(ScopeKind::Block);
    if let Some(parameters) = node.child_by_field_name("parameters") {
        cx.mark(parameters, Mark::Results);
    }
    Enter::Descend
}
