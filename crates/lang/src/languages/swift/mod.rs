//! Swift: classes, structs, enums and extensions in one kind of node, argument labels, optional binding.

mod calls;
mod declare;
mod expected;
mod finish;
mod patterns;

use tree_sitter::{Node, Tree};

use super::outline::common::{descend, leave_operator, nothing};
use super::outline::{Define, Draft, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule, field};
use crate::facts::{Collection, DefKind, Expr, Literal, Visibility};
use crate::walk::Enter;

pub(super) static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

static GRAMMAR: Grammar = Grammar {
    name_kinds: &["simple_identifier"],
    self_type: &["Self"],
    type_parameters: &["type_parameters"],
    decorators: &["attribute"],
    modifiers: &["modifiers"],
    access: &[
        ("public", Visibility::Public),
        ("open", Visibility::Public),
        ("internal", Visibility::Package),
        ("fileprivate", Visibility::Private),
        ("private", Visibility::Private),
    ],
    visibility: |_, _| Visibility::Package,
    test_decorators: &["Test"],
    parameters_are_values: true,
    reread,
    adjust,
    finish: finish::finish,
    ..Grammar::new(|| tree_sitter_swift::LANGUAGE.into(), RULES)
};

const TYPES: &[&str] = &[
    "user_type", "optional_type", "array_type", "dictionary_type", "function_type", "tuple_type",
    "protocol_composition_type", "existential_type", "opaque_type", "metatype",
];
const TYPE: Pick = Pick::Kind(TYPES);

static CLASS: Define = Define::CLASS;
static PROTOCOL: Define = Define::like_class(DefKind::Trait);
static FUNCTION: Define = Define { params: Pick::None, result: TYPE, ..Define::FUNCTION };
static NAMELESS: Define = Define { name: Pick::None, no_body: NoBody::Nothing, ..FUNCTION };
static INIT: Define = Define { result: Pick::None, ..NAMELESS };
static COMPUTED: Define =
    Define { name: Pick::None, params: Pick::None, body: Pick::Field("computed_value"), ..Define::FUNCTION };
static LAMBDA: Define = Define { params: Pick::None, body: Pick::None, ..Define::LAMBDA };
static ALIAS: Define = Define { kind: DefKind::TypeAlias, body: Pick::None, result: Pick::Last, ..Define::CLASS };
static ASSOCIATED: Define = Define { kind: DefKind::TypeAlias, body: Pick::None, ..Define::CLASS };

static RULES: &[(&str, Rule)] = &[
    ("import_declaration", Rule::Custom(declare::import, nothing)),
    ("class_declaration", Rule::Define(&CLASS)),
    ("protocol_declaration", Rule::Define(&PROTOCOL)),
    ("inheritance_specifier", Rule::Bases),
    ("typealias_declaration", Rule::Define(&ALIAS)),
    ("associatedtype_declaration", Rule::Define(&ASSOCIATED)),
    ("enum_entry", Rule::Custom(declare::enum_entry, declare::leave_enum_entry)),
    ("property_declaration", Rule::Custom(declare::enter_property, declare::leave_property)),
    ("protocol_property_declaration", Rule::Custom(declare::enter_property, declare::leave_property)),
    ("function_declaration", Rule::Define(&FUNCTION)),
    ("protocol_function_declaration", Rule::Define(&FUNCTION)),
    ("init_declaration", Rule::Define(&INIT)),
    ("deinit_declaration", Rule::Define(&NAMELESS)),
    ("subscript_declaration", Rule::Define(&NAMELESS)),
    ("parameter", Rule::Custom(declare::enter_parameter, declare::leave_parameter)),
    ("lambda_literal", Rule::Define(&LAMBDA)),
    ("lambda_parameter", Rule::Custom(declare::enter_parameter, declare::leave_lambda_parameter)),
    ("function_body", Rule::Forward),
    ("statements", Rule::Custom(descend, leave_statements)),
    ("if_statement", Rule::Custom(patterns::enter_if, leave_if)),
    ("while_statement", Rule::Custom(patterns::enter_if, patterns::leave_condition)),
    ("guard_statement", Rule::Custom(patterns::enter_guard, patterns::leave_guard)),
    ("for_statement", Rule::Custom(patterns::enter_for, patterns::leave_for)),
    ("switch_statement", Rule::Custom(descend, leave_switch)),
    ("switch_entry", Rule::Custom(patterns::enter_entry, patterns::leave_entry)),
    ("catch_block", Rule::Custom(patterns::enter_catch, patterns::leave_catch)),
    ("do_statement", Rule::Block),
    ("control_transfer_statement", Rule::Custom(descend, leave_transfer)),
    ("attribute", Rule::Custom(attribute, calls::leave_attribute)),
    ("call_expression", Rule::Custom(calls::enter_call, calls::leave_call)),
    ("constructor_expression", Rule::Custom(calls::enter_call, calls::leave_call)),
    ("call_suffix", Rule::Custom(calls::enter_suffix, nothing)),
    ("constructor_suffix", Rule::Custom(calls::enter_suffix, nothing)),
    ("value_arguments", Rule::Values),
    ("value_argument", Rule::Custom(descend, leave_argument)),
    ("value_argument_label", Rule::Skip),
    ("navigation_expression", Rule::Custom(calls::enter_navigation, calls::leave_navigation)),
    ("additive_expression", Rule::Custom(descend, leave_sum)),
    ("multiplicative_expression", Rule::Custom(descend, leave_sum)),
    ("comparison_expression", Rule::Custom(descend, leave_comparison)),
    ("equality_expression", Rule::Custom(descend, leave_comparison)),
    ("conjunction_expression", Rule::Custom(descend, leave_truth)),
    ("disjunction_expression", Rule::Custom(descend, leave_truth)),
    ("infix_expression", Rule::Custom(descend, leave_sum)),
    ("prefix_expression", Rule::Custom(calls::enter_prefix, calls::leave_prefix)),
    ("postfix_expression", Rule::Forward),
    ("try_expression", Rule::Custom(expected::enter_frame, leave_frame)),
    ("await_expression", Rule::Custom(expected::enter_frame, leave_frame)),
    ("as_expression", Rule::Instance(TYPE)),
    ("check_expression", Rule::Custom(descend, leave_truth)),
    ("tuple_expression", Rule::Custom(calls::enter_tuple, calls::leave_tuple)),
    ("ternary_expression", Rule::Custom(enter_frame_plain, leave_ternary)),
    ("nil_coalescing_expression", Rule::Custom(enter_frame_plain, calls::leave_coalescing)),
    ("assignment", Rule::Assign(field("target"))),
    ("directly_assignable_expression", Rule::Forward),
    ("array_literal", Rule::Custom(enter_frame_plain, leave_array)),
    ("dictionary_literal", Rule::Custom(enter_frame_plain, leave_dictionary)),
    ("user_type", Rule::Custom(user_type, leave_user_type)),
    ("optional_type", Rule::Type),
    ("array_type", Rule::TypeOf(Collection::List)),
    ("dictionary_type", Rule::TypeOf(Collection::Map)),
    ("tuple_type", Rule::Custom(enter_type, declare::leave_tuple_type)),
    ("tuple_type_item", Rule::Custom(declare::enter_tuple_item, declare::leave_tuple_item)),
    ("function_type", Rule::Custom(enter_type, declare::leave_function_type)),
    ("type_annotation", Rule::Type),
    ("type_arguments", Rule::Type),
    ("existential_type", Rule::Type),
    ("opaque_type", Rule::Type),
    ("protocol_composition_type", Rule::Custom(enter_type, leave_composition)),
    ("type_parameter", Rule::TypeParam(Pick::Kind(&["type_identifier"]), TYPE)),
    ("inheritance_constraint", Rule::Custom(enter_constraint, declare::leave_constraint)),
    ("equality_constraint", Rule::Custom(enter_constraint, declare::leave_constraint)),
    ("simple_identifier", Rule::Custom(calls::enter_identifier, nothing)),
    ("type_identifier", Rule::TypeName),
    ("self_expression", Rule::This),
    ("super_expression", Rule::Super),
    ("macro_invocation", Rule::Custom(calls::enter_macro, nothing)),
    ("key_path_expression", Rule::Custom(descend, calls::leave_key_path)),
    ("capture_list_item", Rule::Custom(declare::enter_capture, declare::leave_capture)),
    ("computed_setter", Rule::Custom(declare::enter_setter, nothing)),
    ("willset_clause", Rule::Custom(declare::enter_setter, nothing)),
    ("didset_clause", Rule::Custom(declare::enter_setter, nothing)),
    ("directive", Rule::Skip),
    ("operator_declaration", Rule::Skip),
    ("precedence_group_declaration", Rule::Skip),
    ("macro_declaration", Rule::Skip),
    ("availability_condition", Rule::Skip),
    ("statement_label", Rule::Skip),
    ("where_keyword", Rule::Skip),
    ("line_string_literal", Rule::Literal(Literal::Str)),
    ("multi_line_string_literal", Rule::Literal(Literal::Str)),
    ("nil_literal", Rule::Literal(Literal::Null)),
];

fn adjust<'t>(cx: &mut Outline<'_>, node: Node<'t>, _: Option<Node<'t>>, draft: &mut Draft<'_, 't>) {
    if draft.kind == DefKind::Function && draft.words.contains(&"class") {
        draft.flags.is_static = true;
    }
    // The grammar has one node for classes, structs, enums and extensions.
    match node.kind() {
        "class_declaration" => {
            let kind = node.child_by_field_name("declaration_kind").map_or("class", |kind| cx.text(kind));
            draft.kind = match kind {
                "struct" => DefKind::Struct,
                "enum" => DefKind::Enum,
                "extension" => DefKind::Impl,
                _ => DefKind::Class,
            };
            if draft.kind == DefKind::Impl {
                draft.extends = draft.name_node;
                draft.visit_name = true;
                draft.bound = false;
            }
        }
        "init_declaration" => {
            draft.name = Some("init".to_owned());
            draft.flags.is_constructor = true;
            draft.result = None;
            draft.no_body = match cx.frame_kind() {
                Some(DefKind::Trait) => NoBody::Abstract,
                _ => NoBody::Nothing,
            };
        }
        "deinit_declaration" => draft.name = Some("deinit".to_owned()),
        "subscript_declaration" => {
            draft.name = Some("subscript".to_owned());
            draft.body = Pick::Kind(&["computed_property"]).get(node, None);
        }
        "function_declaration" => {
            let name = draft.name.as_deref().unwrap_or("");
            draft.flags.is_test = name.starts_with("test") && cx.base_ends_with("TestCase");
            draft.flags.is_async = draft.body.is_some_and(|body| has_word(cx, node, body, "async"));
        }
        "lambda_literal" => {
            let ty = node.child_by_field_name("type");
            let list = ty.and_then(|ty| Pick::Kind(&["lambda_function_type_parameters"]).get(ty, None));
            draft.params = list;
        }
        _ => {}
    }
}

fn has_word(cx: &Outline<'_>, node: Node<'_>, body: Node<'_>, word: &str) -> bool {
    cx.words_before(node.start_byte(), body.start_byte()).contains(&word)
}

/// Words of ownership, which the grammar does not know in all places, and attributes whose arguments it does not know.
const UNKNOWN_WORDS: &[&str] = &["__owned", "__shared", "__consuming", "__guaranteed"];
const UNKNOWN_ATTRIBUTE: &str = "@_lifetime(";
/// Maximum number of places that are read differently than written.
const MAX_REREAD: usize = 10_000;

/// Blanks what the grammar does not know, and reads an empty tuple as a number, where a file has errors.
fn reread(tree: &Tree, text: &str) -> Vec<(usize, u8)> {
    let mut changes = Vec::new();
    if !tree.root_node().has_error() {
        return changes;
    }
    for word in UNKNOWN_WORDS {
        for (place, _) in text.match_indices(word) {
            changes.extend((place..place + word.len()).map(|place| (place, b' ')));
        }
    }
    for (place, _) in text.match_indices(UNKNOWN_ATTRIBUTE) {
        let end = text[place..].find(['\n', ')']).map_or(0, |end| end + 1);
        changes.extend((place..place + end).map(|place| (place, b' ')));
    }
    for (place, _) in text.match_indices("()") {
        let (before, after) = (text[..place].trim_end(), text[place + 2..].trim_start());
        let is_value = before.ends_with(['(', ',', ':']) || before.ends_with("return") || before.ends_with(" =");
        if is_value && after.starts_with([')', ',', '}', ']']) || before.ends_with("return") {
            changes.extend([(place, b'0'), (place + 1, b'0')]);
        }
    }
    changes.truncate(MAX_REREAD);
    changes.sort_unstable();
    changes.dedup();
    changes
}

fn enter_type(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.set_in_type();
    Enter::Descend
}

/// `A & B` is both.
fn leave_composition(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    cx.leave_expr(Rule::Union(&[]), node, None);
}

fn enter_constraint(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("constrained_type") {
        cx.mark(name, Mark::Skip);
    }
    cx.set_in_type();
    Enter::Descend
}

fn enter_frame_plain(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    expected::expect_by_parent(cx, node, parent);
    Enter::Descend
}

fn leave_ternary(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Union(&["if_true", "if_false"]), node, parent);
}

fn leave_array(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Collection(Collection::List), node, parent);
}

fn leave_dictionary(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut cursor = node.walk();
    let values: Vec<Node<'_>> = node.children_by_field_name("value", &mut cursor).filter(Node::is_named).collect();
    let items: Vec<_> = values.into_iter().map(|value| cx.expr_of(value)).collect();
    let items = cx.builder.list(&items);
    let expr = cx.builder.expr(Expr::Collection { kind: Collection::Map, items });
    cx.set_expr(node, expr);
}

/// A test of a value.
fn leave_truth(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let expr = cx.builder.expr(Expr::Literal(Literal::Bool));
    cx.set_expr(node, expr);
}

fn leave_comparison(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    leave_operator(cx, node, parent);
    leave_truth(cx, node, parent);
}

/// Most operators keep the type of an operand.
fn leave_sum(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    leave_operator(cx, node, parent);
    let both = ["lhs", "rhs"].map(|field| cx.find_known(node.child_by_field_name(field)));
    let is_open = |expr: &crate::facts::ExprId| !matches!(cx.builder.facts().expr(*expr), Expr::Literal(_));
    let expr = both.iter().flatten().find(|expr| is_open(expr)).or(both.iter().flatten().next());
    if let Some(&expr) = expr {
        cx.set_expr(node, expr);
    }
}

/// Values of the branches of an `if` or `switch`.
const MAX_BRANCHES: usize = 64;

fn leave_if(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    patterns::leave_condition(cx, node, parent);
    let branches = Pick::Kind(&["statements", "if_statement"]).all(node, None);
    let values: Vec<_> = branches.into_iter().filter_map(|branch| cx.find_known(Some(branch))).collect();
    if !values.is_empty() {
        let expr = cx.builder.union(&values);
        cx.set_expr(node, expr);
    }
}

fn leave_switch(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let entries = Pick::Kind(&["switch_entry"]).all(node, None);
    let bodies = entries.into_iter().take(MAX_BRANCHES).map(|entry| Pick::Kind(&["statements"]).get(entry, None));
    let values: Vec<_> = bodies.filter_map(|body| cx.find_known(body)).collect();
    if !values.is_empty() {
        let expr = cx.builder.union(&values);
        cx.set_expr(node, expr);
    }
}

fn leave_transfer(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if cx.text(node).starts_with("return")
        && let Some(value) = cx.find_known(node.child_by_field_name("result"))
    {
        cx.record_returned(value);
    }
}

/// A single expression is the value of what holds it.
fn leave_statements(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    if node.named_child_count() == 1
        && let Some(value) = cx.find_known(node.named_child(0))
    {
        cx.set_expr(node, value);
        // The body of a closure, and of a property without `get`, has no node of its own.
        if parent
            .is_some_and(|parent| matches!(parent.kind(), "lambda_literal" | "computed_property" | "computed_getter"))
        {
            cx.record_returned(value);
        }
    }
}

/// `try x`, `await x`
fn leave_frame(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(value) = cx.find_known(node.child_by_field_name("expr")) {
        cx.set_expr(node, value);
    }
}

fn attribute(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(ty) = Pick::Kind(&["user_type"]).get(node, None) {
        cx.mark(ty, Mark::Decorate(true));
    }
    // Labels are not names of the program, nor is anything that an attribute of the language is given.
    let is_language =
        Pick::Kind(&["user_type"]).get(node, None).is_some_and(|ty| !cx.text(ty).starts_with(char::is_uppercase));
    for name in Pick::Kind(&["simple_identifier"]).all(node, None) {
        if is_language || name.next_sibling().is_some_and(|next| next.kind() == ":") {
            cx.mark(name, Mark::Skip);
        }
    }
    Enter::Descend
}

fn leave_argument(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(value) = cx.find_known(node.child_by_field_name("value")) {
        cx.set_expr(node, value);
    }
}

/// `a.b.C<T>`: the first name is looked up, the others are members of it.
fn user_type(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    // A type that is constructed is a value.
    if !matches!(cx.current_mark(), Mark::Call(_)) {
        cx.set_in_type();
    }
    for name in Pick::Kind(&["type_identifier"]).all(node, None) {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_user_type(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let mut names = Pick::Kind(&["type_identifier"]).all(node, None);
    // `T.Type` is the type itself.
    let is_meta = names.len() > 1 && names.last().is_some_and(|last| matches!(cx.text(*last), "Type" | "Protocol"));
    if is_meta {
        names.pop();
    }
    let arguments = Pick::Kind(&["type_arguments"]).get(node, None);
    cx.dotted_type(node, &names, arguments);
    if is_meta && let Some(of) = cx.find_known(Some(node)) {
        let base = cx.bare_name("_Metatype");
        let args = cx.builder.list(&[of]);
        let whole = cx.builder.expr(Expr::Generic { base, args });
        cx.set_expr(node, whole);
    }
}
