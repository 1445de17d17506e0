//! What names of C and C++ do at their places, where the kinds of the nodes above do not say.

use tree_sitter::Node;

use super::rules::Act;

/// Returns whether the address of a name is taken: `&x`.
pub(super) fn is_address(at: Node<'_>, text: &str) -> bool {
    at.parent().is_some_and(|by| {
        by.kind() == "pointer_expression" && text.get(by.byte_range()).unwrap_or_default().starts_with('&')
    })
}

/// What a node of C or C++ does to a name below it, where its kind alone does not say.
pub(super) fn correct(act: Act, (by, at): (Node<'_>, Node<'_>), text: &str) -> Act {
    match (by.kind(), act) {
        ("parameter_declaration" | "optional_parameter_declaration", Act::Declare(_)) => {
            // Parameters of what the function declares are names of nothing.
            let mut node = by.parent().and_then(|list| list.parent());
            while let Some(above) = node.filter(|above| above.kind().ends_with("declarator")) {
                node = above.parent().filter(|parent| parent.kind() != "init_declarator");
            }
            let is_own = node.is_some_and(|above| {
                matches!(
                    above.kind(),
                    "function_definition" | "lambda_expression" | "catch_clause" | "template_declaration"
                )
            });
            if is_own { act } else { Act::Nothing }
        }
        ("struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier", Act::Declare(_)) => {
            if by.child_by_field_name("body").is_some() { act } else { Act::Nothing }
        }
        ("assignment_expression", Act::Write) => {
            let operator = by.child_by_field_name("operator").map_or("=", |operator| operator.kind());
            // `(p) = 1` writes `p`, `*p = 1` does not come here.
            if operator == "=" { Act::Write } else { Act::Update }
        }
        ("pointer_expression", Act::Update) => {
            let is_address = text.get(by.byte_range()).unwrap_or_default().starts_with('&');
            if is_address && at.parent() == Some(by) { Act::Update } else { Act::Read }
        }
        ("type_parameter_declaration" | "variadic_type_parameter_declaration", Act::Declare(_)) => act,
        _ => act,
    }
}
