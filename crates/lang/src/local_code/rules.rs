//! What a language writes where inside of a function: a row each.

mod c_family;

pub(super) use c_family::C_FAMILY;

use crate::Language;

/// How far a declared name is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// From the end of the declaration to the end of the scope.
    Rest,
    /// From the end of the name to the end of the scope; in the body only, if the declaration has one.
    After,
    /// In the whole scope.
    Scope,
    /// In the whole function.
    Function,
}

/// What happens to a name at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// It is declared; in Python, where it also gets a value.
    Declare(Reach),
    /// It gets another value.
    Write,
    /// It is read and gets another value.
    Update,
    /// Its value is read.
    Read,
    /// It is not a variable.
    Nothing,
}

/// What a name means in a field of a node; in all of its fields if the field is empty.
pub(super) type Slot = (&'static str, &'static str, Act);

/// The kinds of nodes of a language, by what they do.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalRules {
    /// Leaves that may name a variable.
    pub(super) names: &'static [&'static str],
    /// Functions of all kinds.
    pub(super) functions: &'static [&'static str],
    /// Functions that see the variables around them.
    pub(super) closures: &'static [&'static str],
    /// What functions stand in: bodies of classes, files.
    pub(super) containers: &'static [&'static str],
    /// Scopes of variables, without functions.
    pub(super) scopes: &'static [&'static str],
    /// Lists of statements.
    pub(super) blocks: &'static [&'static str],
    pub(super) loops: &'static [&'static str],
    /// Nodes whose parts may not run.
    pub(super) branches: &'static [&'static str],
    /// Nodes in a pattern, with the field that leads on to names; empty for children without a field.
    pub(super) patterns: &'static [(&'static str, &'static str)],
    pub(super) slots: &'static [Slot],
    pub(super) returns: &'static [&'static str],
    pub(super) breaks: &'static [&'static str],
    pub(super) awaits: &'static [&'static str],
    /// What cannot be taken out of its function, with the reason.
    pub(super) bound: &'static [(&'static str, &'static str)],
    pub(super) receivers: &'static [&'static str],
    /// Names of functions that look at the function they are called in.
    pub(super) frames: &'static [&'static str],
}

use Act::{Declare, Nothing, Update, Write};
use Reach::{After, Function, Rest, Scope};

impl LocalRules {
    /// The row of a language.
    pub(super) const fn of(language: Language) -> Option<&'static Self> {
        match language {
            Language::Python => Some(&PYTHON),
            Language::JavaScript | Language::TypeScript | Language::Tsx => Some(&SCRIPT),
            Language::Go => Some(&GO),
            Language::Rust => Some(&RUST),
            Language::Java => Some(&JAVA),
            Language::C | Language::Cpp => Some(&C_FAMILY),
            _ => None,
        }
    }
}

const PYTHON: LocalRules = LocalRules {
    names: &["identifier"],
    functions: &["function_definition", "lambda"],
    closures: &["function_definition", "lambda"],
    containers: &["module", "class_definition"],
    scopes: &["list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"],
    blocks: &["block"],
    loops: &["for_statement", "while_statement"],
    branches: &[
        "if_statement", "elif_clause", "else_clause", "for_statement", "while_statement", "try_statement",
        "except_clause", "match_statement", "case_clause", "conditional_expression", "boolean_operator",
        "comparison_operator", "assert_statement", "function_definition", "lambda", "list_comprehension",
        "set_comprehension", "dictionary_comprehension", "generator_expression",
    ],
    patterns: &[
        ("pattern_list", ""),
        ("tuple_pattern", ""),
        ("list_pattern", ""),
        ("tuple", ""),
        ("list", ""),
        ("expression_list", ""),
        ("parenthesized_expression", ""),
        ("list_splat_pattern", ""),
        ("list_splat", ""),
        ("dictionary_splat_pattern", ""),
        ("typed_parameter", ""),
        ("dotted_name", ""),
        ("splat_pattern", ""),
        ("case_pattern", ""),
        ("union_pattern", ""),
        ("dict_pattern", ""),
        ("dict_pattern", "value"),
        ("class_pattern", ""),
        ("keyword_pattern", ""),
        ("as_pattern", ""),
    ],
    slots: &[
        ("attribute", "attribute", Nothing),
        ("keyword_argument", "name", Nothing),
        ("parameters", "", Declare(Scope)),
        ("lambda_parameters", "", Declare(Scope)),
        ("default_parameter", "name", Declare(Scope)),
        ("typed_default_parameter", "name", Declare(Scope)),
        ("assignment", "left", Declare(Function)),
        ("augmented_assignment", "left", Update),
        ("named_expression", "name", Declare(Function)),
        ("for_statement", "left", Declare(Function)),
        ("for_in_clause", "left", Declare(Scope)),
        ("as_pattern_target", "", Declare(Function)),
        ("as_pattern", "alias", Declare(Function)),
        ("except_clause", "alias", Declare(Function)),
        ("aliased_import", "alias", Declare(Function)),
        ("aliased_import", "name", Nothing),
        ("import_statement", "name", Declare(Function)),
        ("import_from_statement", "name", Declare(Function)),
        ("import_from_statement", "module_name", Nothing),
        ("relative_import", "", Nothing),
        ("function_definition", "name", Declare(Function)),
        ("class_definition", "name", Declare(Function)),
        ("case_clause", "", Declare(Function)),
    ],
    returns: &["return_statement"],
    breaks: &["break_statement", "continue_statement"],
    awaits: &["await"],
    bound: &[
        ("yield", "`yield` belongs to the generator around it"),
        ("global_statement", "a `global` statement belongs to its function"),
        ("nonlocal_statement", "a `nonlocal` statement belongs to its function"),
        ("delete_statement", "`del` may remove a variable of the function"),
    ],
    receivers: &[],
    frames: &["locals", "vars", "eval", "exec", "dir", "_getframe", "currentframe", "stack"],
};

const SCRIPT: LocalRules = LocalRules {
    names: &["identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern", "type_identifier"],
    functions: &[
        "function_declaration", "generator_function_declaration", "function_expression", "generator_function",
        "arrow_function", "method_definition",
    ],
    closures: &[
        "function_declaration", "generator_function_declaration", "function_expression", "generator_function",
        "arrow_function",
    ],
    containers: &["program", "class_body"],
    scopes: &[
        "statement_block", "for_statement", "for_in_statement", "catch_clause", "switch_body", "class_static_block",
    ],
    blocks: &["statement_block"],
    loops: &["for_statement", "for_in_statement", "while_statement", "do_statement"],
    branches: &[
        "if_statement", "else_clause", "for_statement", "for_in_statement", "while_statement", "try_statement",
        "catch_clause", "switch_statement", "switch_case", "ternary_expression", "binary_expression",
        "function_declaration", "generator_function_declaration", "function_expression", "generator_function",
        "arrow_function", "method_definition",
    ],
    patterns: &[
        ("object_pattern", ""),
        ("array_pattern", ""),
        ("pair_pattern", "value"),
        ("rest_pattern", ""),
        ("assignment_pattern", "left"),
        ("object_assignment_pattern", "left"),
        ("parenthesized_expression", ""),
        ("array", ""),
        ("object", ""),
        ("pair", "value"),
        ("spread_element", ""),
    ],
    slots: &[
        ("required_parameter", "pattern", Declare(Scope)),
        ("optional_parameter", "pattern", Declare(Scope)),
        ("formal_parameters", "", Declare(Scope)),
        ("arrow_function", "parameter", Declare(Scope)),
        ("variable_declarator", "name", Declare(Scope)),
        ("for_in_statement", "left", Declare(After)),
        ("catch_clause", "parameter", Declare(Scope)),
        ("assignment_expression", "left", Write),
        ("augmented_assignment_expression", "left", Update),
        ("update_expression", "argument", Update),
        ("function_declaration", "name", Declare(Function)),
        ("generator_function_declaration", "name", Declare(Function)),
        ("class_declaration", "name", Declare(Scope)),
        ("interface_declaration", "name", Declare(Scope)),
        ("type_alias_declaration", "name", Declare(Scope)),
        ("enum_declaration", "name", Declare(Scope)),
        ("function_expression", "name", Declare(Scope)),
        ("jsx_attribute", "", Nothing),
        ("labeled_statement", "label", Nothing),
        ("type_parameter", "name", Declare(Scope)),
    ],
    returns: &["return_statement"],
    breaks: &["break_statement", "continue_statement"],
    awaits: &["await_expression"],
    bound: &[
        ("yield_expression", "`yield` belongs to the generator around it"),
        ("meta_property", "`new.target` belongs to the function around it"),
    ],
    receivers: &["this", "super"],
    frames: &["arguments", "eval"],
};

const GO: LocalRules = LocalRules {
    names: &["identifier", "type_identifier"],
    functions: &["function_declaration", "method_declaration", "func_literal"],
    closures: &["func_literal"],
    containers: &["source_file"],
    scopes: &[
        "block", "if_statement", "for_statement", "expression_switch_statement", "type_switch_statement",
        "select_statement", "expression_case", "type_case", "communication_case", "default_case",
    ],
    blocks: &["statement_list"],
    loops: &["for_statement"],
    branches: &[
        "if_statement", "for_statement", "expression_switch_statement", "type_switch_statement", "select_statement",
        "binary_expression", "func_literal",
    ],
    patterns: &[("expression_list", ""), ("parenthesized_expression", "")],
    slots: &[
        ("parameter_declaration", "name", Declare(Scope)),
        ("variadic_parameter_declaration", "name", Declare(Scope)),
        ("short_var_declaration", "left", Declare(Rest)),
        ("var_spec", "name", Declare(Rest)),
        ("const_spec", "name", Declare(Rest)),
        ("type_spec", "name", Declare(After)),
        ("range_clause", "left", Declare(Rest)),
        ("receive_statement", "left", Declare(Rest)),
        ("type_switch_statement", "alias", Declare(After)),
        ("assignment_statement", "left", Write),
        ("inc_statement", "", Update),
        ("dec_statement", "", Update),
        ("type_parameter_declaration", "name", Declare(Scope)),
    ],
    returns: &["return_statement"],
    breaks: &["break_statement", "continue_statement"],
    awaits: &[],
    bound: &[
        ("goto_statement", "`goto` belongs to the function around it"),
        ("fallthrough_statement", "`fallthrough` belongs to the `switch` around it"),
        ("labeled_statement", "a label may be used from outside of the lines"),
        ("defer_statement", "`defer` runs at the end of the function around it"),
    ],
    receivers: &[],
    frames: &["recover"],
};

const RUST: LocalRules = LocalRules {
    names: &["identifier", "shorthand_field_identifier", "type_identifier"],
    functions: &["function_item", "closure_expression", "async_block", "const_block", "gen_block"],
    closures: &["closure_expression", "async_block", "const_block", "gen_block"],
    containers: &["source_file", "declaration_list"],
    scopes: &["block", "for_expression", "match_arm", "if_expression", "while_expression"],
    blocks: &["block"],
    loops: &["for_expression", "while_expression", "loop_expression"],
    branches: &[
        "if_expression", "for_expression", "while_expression", "loop_expression", "match_expression", "match_arm",
        "binary_expression", "closure_expression", "async_block",
    ],
    patterns: &[
        ("tuple_pattern", ""),
        ("tuple_struct_pattern", ""),
        ("struct_pattern", ""),
        ("field_pattern", "pattern"),
        ("field_pattern", "name"),
        ("ref_pattern", ""),
        ("mut_pattern", ""),
        ("reference_pattern", ""),
        ("slice_pattern", ""),
        ("captured_pattern", ""),
        ("or_pattern", ""),
        ("match_pattern", ""),
        ("scoped_identifier", "name"),
        ("tuple_expression", ""),
        ("parenthesized_expression", ""),
    ],
    slots: &[
        ("parameter", "pattern", Declare(Scope)),
        ("closure_parameters", "", Declare(Scope)),
        ("let_declaration", "pattern", Declare(Rest)),
        ("let_condition", "pattern", Declare(Rest)),
        ("for_expression", "pattern", Declare(After)),
        ("match_arm", "pattern", Declare(After)),
        ("assignment_expression", "left", Write),
        ("compound_assignment_expr", "left", Update),
        ("function_item", "name", Declare(Function)),
        ("const_item", "name", Declare(Scope)),
        ("static_item", "name", Declare(Scope)),
        ("struct_item", "name", Declare(Scope)),
        ("enum_item", "name", Declare(Scope)),
        ("use_declaration", "argument", Declare(Scope)),
        ("use_list", "", Declare(Scope)),
        ("use_as_clause", "alias", Declare(Scope)),
        ("use_as_clause", "path", Nothing),
        ("type_parameter", "name", Declare(Scope)),
        ("type_binding", "name", Nothing),
        ("attribute", "", Nothing),
    ],
    returns: &["return_expression"],
    breaks: &["break_expression", "continue_expression"],
    awaits: &["await_expression"],
    bound: &[("yield_expression", "`yield` belongs to the generator around it")],
    receivers: &["self"],
    frames: &[],
};

const JAVA: LocalRules = LocalRules {
    names: &["identifier", "type_identifier"],
    functions: &[
        "method_declaration", "constructor_declaration", "compact_constructor_declaration", "lambda_expression",
    ],
    closures: &["lambda_expression"],
    containers: &[
        "program", "class_body", "interface_body", "enum_body", "enum_body_declarations", "annotation_type_body",
    ],
    scopes: &[
        "block", "constructor_body", "for_statement", "enhanced_for_statement", "catch_clause",
        "try_with_resources_statement", "switch_block", "switch_rule",
    ],
    blocks: &["block", "constructor_body"],
    loops: &["for_statement", "enhanced_for_statement", "while_statement", "do_statement"],
    branches: &[
        "if_statement", "for_statement", "enhanced_for_statement", "while_statement", "try_statement",
        "try_with_resources_statement", "catch_clause", "switch_expression", "ternary_expression", "binary_expression",
        "lambda_expression", "class_body",
    ],
    patterns: &[("inferred_parameters", ""), ("parenthesized_expression", "")],
    slots: &[
        ("field_access", "field", Nothing),
        ("method_invocation", "name", Nothing),
        ("method_reference", "", Act::Read),
        ("formal_parameter", "name", Declare(Scope)),
        ("variable_declarator", "name", Declare(After)),
        ("lambda_expression", "parameters", Declare(Scope)),
        ("enhanced_for_statement", "name", Declare(After)),
        ("catch_formal_parameter", "name", Declare(Scope)),
        ("resource", "name", Declare(After)),
        ("instanceof_expression", "name", Declare(After)),
        ("type_pattern", "", Declare(After)),
        ("record_pattern_component", "", Declare(After)),
        ("assignment_expression", "left", Write),
        ("update_expression", "", Update),
        ("class_declaration", "name", Declare(Scope)),
        ("record_declaration", "name", Declare(Scope)),
        ("interface_declaration", "name", Declare(Scope)),
        ("enum_declaration", "name", Declare(Scope)),
        ("method_declaration", "name", Nothing),
        ("labeled_statement", "", Nothing),
        ("annotation", "name", Nothing),
        ("marker_annotation", "name", Nothing),
        ("element_value_pair", "key", Nothing),
        ("type_parameter", "", Declare(Scope)),
    ],
    returns: &["return_statement"],
    breaks: &["break_statement", "continue_statement"],
    awaits: &[],
    bound: &[
        ("yield_statement", "`yield` belongs to the `switch` around it"),
        ("explicit_constructor_invocation", "a constructor must call the other one itself"),
        ("labeled_statement", "a label may be used from outside of the lines"),
    ],
    receivers: &["this", "super"],
    frames: &[],
};
