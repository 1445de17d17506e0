//! Which uses of a name in a function are those of its parameter: not those of a variable inside that hides it.

use tree_sitter::Node;

use super::{ByteRange, ParameterUse, Signatures};

/// Maximum number of nodes between a name and the scope that it is bound in.
const MAX_DEPTH: usize = 200;

/// Nodes that bind names: kind, field of the names (any, if empty).
const BINDERS: &[(&str, &str)] = &[
    ("arrow_function", "parameter"),
    ("assignment", "left"),
    ("catch_clause", "parameter"),
    ("closure_parameters", ""),
    ("declaration", "declarator"),
    ("for_expression", "pattern"),
    ("for_in_clause", "left"),
    ("for_in_statement", "left"),
    ("for_range_loop", "declarator"),
    ("for_statement", "left"),
    ("formal_parameter", "name"),
    ("formal_parameters", ""),
    ("inferred_parameters", ""),
    ("init_declarator", "declarator"),
    ("lambda_expression", "parameters"),
    ("lambda_parameters", ""),
    ("let_condition", "pattern"),
    ("let_declaration", "pattern"),
    ("match_arm", "pattern"),
    ("optional_parameter_declaration", "declarator"),
    ("parameter", "pattern"),
    ("parameter_declaration", "declarator"),
    ("parameter_declaration", "name"),
    ("parameters", ""),
    ("range_clause", "left"),
    ("short_var_declaration", "left"),
    ("var_spec", "name"),
    ("variable_declarator", "name"),
];

/// Fields of patterns that hold values and types, not names.
const NOT_NAMES: &[&str] = &["value", "right", "type", "default_value", "size"];

/// Nodes that names are bound in.
const SCOPES: &[&str] = &[
    "arrow_function", "block", "catch_clause", "closure_expression", "compound_statement", "dictionary_comprehension",
    "for_expression", "for_in_statement", "for_range_loop", "for_statement", "func_literal", "function_declaration",
    "function_definition", "function_expression", "function_item", "generator_expression", "generator_function",
    "if_expression", "if_statement", "lambda", "lambda_expression", "list_comprehension", "match_arm",
    "method_declaration", "method_definition", "set_comprehension", "statement_block", "while_expression",
];

/// Scopes of Python: its other statements bind names of the function around them.
const FUNCTIONS: &[&str] = &["function_definition", "lambda"];

/// The field of its parent that a node fills.
fn field_of(parent: Node<'_>, child: Node<'_>) -> Option<String> {
    let mut cursor = parent.walk();
    let mut has_child = cursor.goto_first_child();
    while has_child {
        if cursor.node() == child {
            return cursor.field_name().map(str::to_owned);
        }
        has_child = cursor.goto_next_sibling();
    }
    None
}

impl Signatures<'_> {
    /// The uses of a parameter in its function; its own name is at `own`.
    pub fn uses_of_parameter(&self, function: ByteRange, name: &str, own: Option<usize>) -> Vec<ParameterUse> {
        let mut uses = self.uses_of(function, name);
        uses.retain(|found| Some(found.start) != own);
        let mut hidden: Vec<ByteRange> = Vec::new();
        let mut others: Vec<usize> = Vec::new();
        for found in &uses {
            if let Some(range) = self.leaf(found.start).and_then(|leaf| self.find_hidden(leaf, function)) {
                hidden.push(range);
                others.push(found.start);
            }
        }
        uses.retain(|found| {
            let is_hidden = hidden.iter().any(|(start, end)| *start <= found.start && found.start < *end);
            !is_hidden && !others.contains(&found.start)
        });
        uses
    }

    /// The bytes in which a name hides the parameter of a function, if it is bound at a leaf.
    fn find_hidden(&self, leaf: Node<'_>, function: ByteRange) -> Option<ByteRange> {
        let mut node = leaf;
        let mut binder = None;
        for _ in 0..MAX_DEPTH {
            let parent = node.parent()?;
            let own_field = field_of(parent, node);
            let fills = |field: &str| own_field.as_deref() == Some(field);
            let is_row = |row: &&(&str, &str)| row.0 == parent.kind() && (row.1.is_empty() || fills(row.1));
            if BINDERS.iter().any(|row| is_row(&row)) {
                binder = Some(parent);
                break;
            }
            let is_name = ["pattern", "parameter", "declarator", "splat", "expression_list"];
            let is_pattern = is_name.iter().any(|word| parent.kind().contains(word));
            if !is_pattern || NOT_NAMES.iter().any(|field| fills(field)) {
                return None;
            }
            node = parent;
        }
        let binder = binder?;
        // Names of a statement of Python are those of the function around it.
        let of_function = matches!(binder.kind(), "assignment" | "parameters" | "lambda_parameters")
            || binder.kind() == "for_statement" && binder.child_by_field_name("left").is_some();
        let scopes = if of_function { FUNCTIONS } else { SCOPES };
        let mut scope = binder;
        for _ in 0..MAX_DEPTH {
            if scopes.contains(&scope.kind()) && (scope != binder || !of_function) {
                break;
            }
            scope = scope.parent()?;
        }
        let is_rust = binder.kind() == "let_declaration";
        let starts_behind = is_rust || matches!(binder.kind(), "short_var_declaration" | "init_declarator");
        let is_own = scope.start_byte() <= function.0 && function.1 <= scope.end_byte();
        let is_body = scope.parent().is_some_and(|parent| parent.start_byte() <= function.0);
        if (is_own || is_body) && !is_rust {
            return None;
        }
        let start = if starts_behind { binder.end_byte() } else { scope.start_byte() };
        // What `if let` binds is not known behind `else`.
        let other = scope.child_by_field_name("alternative").filter(|_| scope.kind() == "if_expression");
        Some((start, other.map_or(scope.end_byte(), |other| other.start_byte())))
    }
}
