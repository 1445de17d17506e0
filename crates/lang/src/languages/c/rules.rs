//! The rules of C and the functions behind its irregular ones.

use tree_sitter::Node;

use super::declarator::{Declared, declarators, find_declared};
use super::{attributes, given, macros};

use crate::facts::{
    BindingTarget, Collection, DefFlags, DefKind, Expr, ExprId, Import, ImportFlags, ImportKind, Literal, Namespace,
    ParameterKind, Role, ScopeKind, Visibility,
};
use crate::languages::outline::common::{self, nothing};
use crate::languages::outline::{Define, Draft, Mark, NoBody, Outline, Pick, Rule, field};
use crate::walk::Enter;

static FUNCTION: Define = Define {
    name: Pick::None,
    params: Pick::None,
    result: field("type"),
    no_body: NoBody::Nothing,
    ..Define::FUNCTION
};
static STRUCT: Define = Define::like_class(DefKind::Struct);
static UNION: Define = Define::like_class(DefKind::Union);
static ENUM: Define = Define::like_class(DefKind::Enum);
static MACRO: Define = Define { kind: DefKind::Macro, body: Pick::None, no_body: NoBody::Nothing, ..Define::FUNCTION };

pub(in crate::languages) static C_RULES: &[(&str, Rule)] = &[
    ("preproc_include", Rule::Custom(include, nothing)),
    ("preproc_def", Rule::Define(&MACRO)),
    ("preproc_function_def", Rule::Define(&MACRO)),
    ("preproc_ifdef", Rule::Without(field("name"))),
    ("preproc_if", Rule::Without(field("condition"))),
    ("preproc_elif", Rule::Without(field("condition"))),
    ("preproc_call", Rule::Skip),
    ("preproc_arg", Rule::Custom(macros::enter_text, nothing)),
    ("struct_specifier", Rule::Custom(enter_tag, leave_tag)),
    ("union_specifier", Rule::Custom(enter_tag, leave_tag)),
    ("enum_specifier", Rule::Custom(enter_tag, leave_tag)),
    ("enumerator", Rule::Custom(enumerator, nothing)),
    ("type_definition", Rule::Custom(enter_typedef, leave_typedef)),
    ("declaration", Rule::Custom(enter_declaration, leave_declaration)),
    ("field_declaration", Rule::Custom(enter_declaration, leave_declaration)),
    ("function_definition", Rule::Custom(enter_function, nothing)),
    ("parameter_declaration", Rule::Custom(enter_parameter, leave_parameter)),
    ("variadic_parameter", Rule::Custom(skip, nothing)),
    ("compound_statement", Rule::Block),
    ("for_statement", Rule::Block),
    ("return_statement", Rule::Return),
    ("goto_statement", Rule::Skip),
    ("labeled_statement", Rule::Without(field("label"))),
    ("call_expression", Rule::Call(field("function"), field("arguments"))),
    ("field_expression", Rule::Member(field("argument"), field("field"))),
    ("subscript_expression", Rule::Custom(enter_subscript, leave_subscript)),
    ("pointer_expression", Rule::Forward),
    ("parenthesized_expression", Rule::Forward),
    ("cast_expression", Rule::Instance(field("type"))),
    ("compound_literal_expression", Rule::Custom(enter_compound, leave_compound)),
    ("conditional_expression", Rule::Union(&["consequence", "alternative"])),
    ("assignment_expression", Rule::Assign(field("left"))),
    ("update_expression", Rule::Custom(common::enter_update, common::leave_update)),
    ("field_designator", Rule::Skip),
    ("type_descriptor", Rule::Type),
    ("abstract_function_declarator", Rule::Plain),
    ("primitive_type", Rule::Primitive),
    ("sized_type_specifier", Rule::Primitive),
    ("identifier", Rule::Name),
    ("type_identifier", Rule::TypeName),
    ("field_identifier", Rule::Skip),
    ("statement_identifier", Rule::Skip),
    ("attribute_specifier", Rule::Skip),
    ("attribute_declaration", Rule::Skip),
    ("ms_declspec_modifier", Rule::Skip),
    ("gnu_asm_expression", Rule::Skip),
    ("initializer_list", Rule::Collection(Collection::List)),
    ("concatenated_string", Rule::Literal(Literal::Str)),
    ("char_literal", Rule::Literal(Literal::Int)),
];

/// `...` at the end of a parameter list.
fn skip(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if cx.parent_mark() == Mark::Params {
        cx.add_parameter("", ParameterKind::Rest, None, None);
    }
    Enter::Skip
}

fn include(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(path) = node.child_by_field_name("path") else { return Enter::Skip };
    let system = path.kind() == "system_lib_string";
    if system || path.kind() == "string_literal" {
        let module = cx.builder.name(cx.text(path).trim_matches(['<', '>', '"']));
        let flags = ImportFlags { system, ..ImportFlags::default() };
        let (scope, pos) = (cx.scope(), cx.source.pos(path));
        let import = Import { kind: ImportKind::Include, module, level: 0, path: None, scope, pos, flags };
        cx.builder.import(import, None);
    }
    Enter::Skip
}

/// Completes functions: their name and parameters are inside the declarator.
pub(in crate::languages) fn adjust<'a, 't>(
    cx: &mut Outline<'a>,
    node: Node<'t>,
    _: Option<Node<'t>>,
    draft: &mut Draft<'a, 't>,
) {
    // Tags of C have names of their own kind: `struct x` and a typedef `x` live side by side.
    if draft.kind.is_type() && cx.grammar.separate_types && node.kind().ends_with("_specifier") {
        draft.bound &= node.child_by_field_name("name").is_none();
    }
    if draft.words.contains(&"static") && draft.kind != DefKind::Field {
        draft.visibility = Visibility::Private;
    }
    draft.flags.is_static = false;
    if !matches!(node.kind(), "function_definition" | "declaration" | "field_declaration")
        || draft.kind != DefKind::Function
    {
        return;
    }
    let Some(declarator) = node.child_by_field_name("declarator") else { return };
    let Some(found) = find_declared(declarator) else { return };
    draft.name_node = Some(found.name);
    draft.name = Some(cx.text(found.name).to_owned());
    draft.params = found.parameters;
    if found.returns_function {
        draft.result = None;
    }
    draft.words = cx.words_before(node.start_byte(), found.name.start_byte());
    if draft.words.contains(&"static") {
        draft.visibility = Visibility::Private;
    }
    let end = draft.body.map_or(draft.extent.end_byte(), |body| body.start_byte());
    let header = cx.source.whole().get(draft.extent.start_byte()..end).unwrap_or_default();
    draft.flags.is_entry = attributes::is_entry(header);
}

/// Functions do not nest: one at the start of a line inside of another means that the parser lost a bracket.
fn enter_function(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let inside = matches!(cx.scope_kind(), ScopeKind::Function | ScopeKind::Block);
    if inside && node.start_position().column == 0 && cx.grammar.separate_types {
        cx.leave_scopes();
    } else if inside && let Some(name) = find_heading_macro(node) {
        let expr = cx.bare_name(cx.text(name));
        cx.refer_with(expr, Role::Call, u8::MAX, name);
        cx.mark(name, Mark::Skip);
        return Enter::Descend;
    }
    cx.open_define(&FUNCTION, node, parent);
    Enter::Descend
}

/// `vmcase(OP_ADD){ … }` inside of a function: a macro that heads a block.
fn find_heading_macro(node: Node<'_>) -> Option<Node<'_>> {
    let is_bracketed = node.child_by_field_name("declarator")?.kind() == "parenthesized_declarator";
    node.child_by_field_name("type").filter(|ty| is_bracketed && ty.kind() == "type_identifier")
}

fn tag_define(node: Node<'_>) -> &'static Define {
    match node.kind() {
        "union_specifier" => &UNION,
        "enum_specifier" => &ENUM,
        _ => &STRUCT,
    }
}

/// `struct x { … }` defines, `struct x` names a type.
fn enter_tag(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    open_tag(cx, tag_define(node), node, parent);
    if node.child_by_field_name("body").is_none()
        && let (Some(name), Some(tag)) = (node.child_by_field_name("name"), tag_text(cx, node))
    {
        cx.mark(name, Mark::Skip);
        let expr = cx.bare_name(&tag);
        cx.set_expr(name, expr);
        cx.refer_with(expr, Role::Type, u8::MAX, name);
    }
    Enter::Descend
}

/// Opens the definition of a struct, union or enum that has a body.
pub(in crate::languages) fn open_tag(cx: &mut Outline<'_>, define: &Define, node: Node<'_>, parent: Option<Node<'_>>) {
    if node.child_by_field_name("body").is_none() {
        return;
    }
    if node.child_by_field_name("name").is_some() {
        cx.open_define(define, node, parent);
        bind_tag(cx, node);
        return;
    }
    // `typedef struct { … } name;` is the definition of `name`.
    let typedef = parent.filter(|parent| parent.kind() == "type_definition").and_then(typedef_name);
    if let Some(name) = typedef {
        let text = cx.text(name).to_owned();
        cx.open_named(define, node, parent, name, text);
        return;
    }
    // Members of an unnamed struct without a name of its own are members of the struct around it.
    let variable = parent.is_some_and(|parent| !declarators(parent).is_empty());
    if variable {
        cx.open_define(&Define { name: Pick::None, anonymous: true, ..*define }, node, parent);
    }
}

/// Longest run of structs around a struct.
const MAX_NESTING: usize = 64;

/// Binds the tag of the type that has just been opened, with its word, where C knows it: around all structs.
fn bind_tag(cx: &mut Outline<'_>, node: Node<'_>) {
    if !cx.grammar.separate_types {
        return;
    }
    let Some(tag) = tag_text(cx, node) else { return };
    let Some((id, mut scope)) = cx.frame().map(|frame| (frame.id, frame.header)) else { return };
    for _ in 0..MAX_NESTING {
        let here = cx.builder.facts().scopes[scope.index()];
        match (here.kind, here.parent) {
            (ScopeKind::Class, Some(parent)) => scope = parent,
            _ => break,
        }
    }
    let name = cx.builder.name(&tag);
    cx.builder.bind(scope, name, Namespace::Type, BindingTarget::Definition(id));
}

/// `struct x` as tags are bound.
fn tag_text(cx: &Outline<'_>, node: Node<'_>) -> Option<String> {
    let name = cx.text(node.child_by_field_name("name")?);
    let word = match node.kind() {
        "union_specifier" => "union",
        "enum_specifier" => "enum",
        _ => "struct",
    };
    Some(format!("{word} {name}"))
}

/// The plain name that a typedef gives to an unnamed tag.
fn typedef_name(node: Node<'_>) -> Option<Node<'_>> {
    let first = declarators(node).into_iter().next()?;
    (first.kind() == "type_identifier").then_some(first)
}

fn is_unnamed_tag(ty: Node<'_>) -> bool {
    matches!(ty.kind(), "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier")
        && ty.child_by_field_name("name").is_none()
        && ty.child_by_field_name("body").is_some()
}

fn leave_tag(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(name) = cx.find_known(node.child_by_field_name("name")) {
        cx.set_expr(node, name);
    }
}

/// A constant of an enum is known in the enum and around it.
pub(in crate::languages) fn enumerator(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(name) = node.child_by_field_name("name") else { return Enter::Descend };
    cx.mark(name, Mark::Skip);
    let text = cx.text(name);
    if text.is_empty() {
        return Enter::Descend;
    }
    let flags = DefFlags { is_static: true, ..DefFlags::default() };
    let id = cx.variable(DefKind::Variant, text, name, node, flags, Visibility::Public);
    let outer = cx.frame().filter(|frame| !frame.scoped_members).map(|frame| frame.header);
    if let Some(outer) = outer
        && outer != cx.scope()
    {
        let name = cx.builder.name(text);
        cx.builder.bind(outer, name, Namespace::Value, BindingTarget::Definition(id));
    }
    Enter::Descend
}

fn enter_typedef(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let unnamed = node.child_by_field_name("type").is_some_and(is_unnamed_tag);
    let mut ids = Vec::new();
    for (index, declarator) in declarators(node).into_iter().enumerate() {
        let Some(found) = find_declared(declarator) else { continue };
        cx.mark(found.name, Mark::Skip);
        if index == 0 && unnamed && declarator.kind() == "type_identifier" {
            continue;
        }
        ids.extend(cx.define_variable(DefKind::TypeAlias, node, found.name, node, parent));
    }
    cx.remember(node, ids);
    Enter::Descend
}

fn leave_typedef(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let ids = cx.take_remembered(node);
    let ty = cx.find_known(node.child_by_field_name("type"));
    let found: Vec<Declared<'_>> = declarators(node).into_iter().filter_map(find_declared).collect();
    let skipped = found.len().saturating_sub(ids.len());
    for (id, found) in ids.into_iter().zip(found.into_iter().skip(skipped)) {
        let declared = shape_type(cx, ty, &found);
        cx.builder.definition_mut(id).declared = declared;
    }
}

/// The type of a name: its base type, seen through its declarator. Pointers are transparent.
fn shape_type(cx: &mut Outline<'_>, ty: Option<ExprId>, found: &Declared<'_>) -> Option<ExprId> {
    let mut ty = ty;
    if found.function_pointer || found.parameters.is_some() {
        let result = ty.unwrap_or(cx.builder.unknown());
        ty = Some(cx.builder.expr(Expr::Function { result }));
    }
    if found.array {
        let item = ty?;
        let items = cx.builder.list(&[item]);
        ty = Some(cx.builder.expr(Expr::Collection { kind: Collection::List, items }));
    }
    ty
}

/// Prototypes define functions without a body; other declarations define variables and fields, or bind locals.
pub(in crate::languages) fn enter_declaration(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let all = declarators(node);
    let found: Vec<Declared<'_>> = all.iter().filter_map(|&declarator| find_declared(declarator)).collect();
    let inside = matches!(cx.scope_kind(), ScopeKind::Function | ScopeKind::Block);
    // Inside of functions, `T x(a)` is a variable with arguments far more often than a prototype.
    if let Some(first) = found.first()
        && first.parameters.is_some()
        && !inside
    {
        let define = Define { body: Pick::None, no_body: NoBody::Declaration, ..FUNCTION };
        cx.open_define(&define, node, parent);
        return Enter::Descend;
    }
    let mut ids = Vec::new();
    for found in found {
        let structured = found.name.kind() == "structured_binding_declarator";
        // A declared name is not a use of that name.
        cx.mark(found.name, Mark::Skip);
        if let Some(parameters) = found.parameters.filter(|_| inside) {
            read_arguments(cx, parameters);
        }
        if inside || structured || found.name.kind() == "qualified_identifier" {
            continue;
        }
        let words = cx.words_before(node.start_byte(), found.name.start_byte());
        let constant = words.contains(&"constexpr") || (words.contains(&"const") && !found.pointer);
        let kind = if constant { DefKind::Constant } else { DefKind::Variable };
        if let Some(id) = cx.define_variable(kind, node, found.name, node, parent) {
            cx.builder.definition_mut(id).flags.is_declaration =
                words.contains(&"extern") && found.parameters.is_none();
            ids.push(id);
        }
    }
    if !inside {
        cx.remember(node, ids);
    }
    Enter::Descend
}

pub(in crate::languages) fn leave_declaration(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let of_parameters = parent.is_some_and(|parent| parent.kind() == "function_definition");
    let ty = cx.find_known(node.child_by_field_name("type"));
    given::declared_values(cx, node, ty);
    let mut ids = cx.take_remembered(node).into_iter();
    let inside = matches!(cx.scope_kind(), ScopeKind::Function | ScopeKind::Block);
    let shared = node.child_by_field_name("default_value");
    for declarator in declarators(node) {
        let Some(found) = find_declared(declarator) else { continue };
        let value = declarator.child_by_field_name("value").or(shared);
        let value = cx.find_known(value.and_then(|value| initial_value(value, &found, ty.is_some())));
        if found.name.kind() == "structured_binding_declarator" {
            bind_structured(cx, found.name, value);
            continue;
        }
        let called = found.parameters.is_some();
        if of_parameters {
            let declared = shape_type(cx, ty, &found);
            cx.declare_parameter(found.name, declared);
            continue;
        }
        if inside {
            // `Type name(argument);` looks like a prototype; in a function it is a variable. In C the name is that of
            // a function and stays free.
            if !called || cx.grammar.wrappers.iter().any(|(kind, _)| *kind == "template_declaration") {
                let declared = if called { ty } else { shape_type(cx, ty, &found) };
                cx.bind_local(found.name, declared, value);
            }
            continue;
        }
        if found.name.kind() == "qualified_identifier" {
            continue;
        }
        let Some(id) = ids.next() else { continue };
        let declared = shape_type(cx, ty, &found);
        let values = match value {
            Some(value) => cx.builder.list(&[value]),
            None => crate::facts::FactsBuilder::EMPTY,
        };
        let definition = cx.builder.definition_mut(id);
        definition.declared = declared;
        definition.values = values;
    }
}

/// The expression that is the value of a variable. A list is that of an array; else it has the arguments of a
/// constructor, or the one value of `auto name{a}` and of a pointer to a function.
fn initial_value<'t>(value: Node<'t>, found: &Declared<'_>, has_type: bool) -> Option<Node<'t>> {
    if found.array || !matches!(value.kind(), "argument_list" | "initializer_list") {
        return Some(value);
    }
    let is_value = (!has_type || found.function_pointer) && value.named_child_count() == 1;
    value.named_child(0).filter(|_| is_value)
}

/// `Type name(a, b);` in a function is a variable made of `a` and `b`, though it parses as a prototype.
fn read_arguments(cx: &mut Outline<'_>, parameters: Node<'_>) {
    let mut cursor = parameters.walk();
    let all: Vec<Node<'_>> = parameters.named_children(&mut cursor).take(64).collect();
    for parameter in all {
        let bare = parameter.child_by_field_name("declarator").is_none();
        if let Some(ty) = parameter.child_by_field_name("type").filter(|ty| bare && ty.kind() == "type_identifier") {
            cx.mark(ty, Mark::Skip);
            let text = cx.name_text(ty);
            let expr = cx.bare_name(text);
            cx.refer_with(expr, Role::Read, u8::MAX, ty);
        }
    }
}

fn bind_structured(cx: &mut Outline<'_>, node: Node<'_>, value: Option<ExprId>) {
    for (index, name) in cx.pattern_names(&[node]).into_iter().enumerate() {
        let item = value.map(|base| cx.builder.expr(Expr::Item { base, index: index as u32 }));
        cx.bind_local(name, None, item);
    }
}

/// A parameter of the function around it, a variable of a `catch`, or a part of a function type.
pub(in crate::languages) fn enter_parameter(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let found = node.child_by_field_name("declarator").and_then(find_declared);
    if let Some(found) = found {
        cx.mark(found.name, Mark::Skip);
    }
    Enter::Descend
}

pub(in crate::languages) fn leave_parameter(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let found = node.child_by_field_name("declarator").and_then(find_declared);
    let ty = cx.find_known(node.child_by_field_name("type"));
    let declared = match &found {
        Some(found) => shape_type(cx, ty, found),
        None => ty,
    };
    match cx.parent_mark() {
        Mark::Params => {
            let is_void = found.is_none() && cx.text(node) == "void";
            let default = cx.find_known(node.child_by_field_name("default_value"));
            let text = found.map_or("", |found| cx.text(found.name));
            if !is_void {
                let rest = node.kind() == "variadic_parameter_declaration";
                let kind = if rest { ParameterKind::Rest } else { ParameterKind::Plain };
                cx.add_parameter(text, kind, declared, default);
            }
        }
        Mark::Results => {
            if let Some(found) = found {
                cx.bind_local(found.name, declared, None);
            }
        }
        _ => {}
    }
}

/// `table[i](x)` calls an element of the table.
pub(in crate::languages) fn enter_subscript(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let (mark @ (Mark::Call(_) | Mark::Write), Some(table)) =
        (cx.current_mark(), node.child_by_field_name("argument"))
    {
        cx.mark(table, mark);
    }
    Enter::Descend
}

pub(in crate::languages) fn leave_subscript(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Index(field("argument")), node, parent);
}

fn enter_compound(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(ty) = node.child_by_field_name("type") {
        cx.mark(ty, Mark::Call(u8::MAX));
    }
    Enter::Descend
}

fn leave_compound(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Call(field("type"), Pick::None), node, parent);
    if let (Some(base), Some(list)) = (cx.find_known(Some(node)), node.child_by_field_name("value")) {
        given::initialiser(cx, list, base, false);
    }
}
