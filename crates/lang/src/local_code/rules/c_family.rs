//! What C and C++ write where inside of a function.

use super::Act::{Declare, Nothing, Update, Write};
use super::LocalRules;
use super::Reach::{After, Scope};

/// C and C++: what one of them does not have is not found in it.
pub(in super::super) const C_FAMILY: LocalRules = LocalRules {
    names: &["identifier", "type_identifier"],
    functions: &["function_definition", "lambda_expression"],
    closures: &["lambda_expression"],
    containers: &[
        "translation_unit", "declaration_list", "field_declaration_list", "preproc_if", "preproc_ifdef",
        "preproc_else", "preproc_elif", "preproc_elifdef", "ERROR",
    ],
    scopes: &[
        "compound_statement", "case_statement", "for_statement", "for_range_loop", "if_statement", "while_statement",
        "switch_statement", "catch_clause",
    ],
    blocks: &["compound_statement", "case_statement"],
    loops: &["for_statement", "for_range_loop", "while_statement", "do_statement"],
    branches: &[
        "if_statement", "else_clause", "for_statement", "for_range_loop", "while_statement", "do_statement",
        "switch_statement", "case_statement", "conditional_expression", "binary_expression", "try_statement",
        "catch_clause", "lambda_expression", "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif",
        "preproc_elifdef",
    ],
    patterns: &[
        ("init_declarator", "declarator"),
        ("pointer_declarator", "declarator"),
        ("array_declarator", "declarator"),
        ("function_declarator", "declarator"),
        ("reference_declarator", ""),
        ("parenthesized_declarator", ""),
        ("attributed_declarator", ""),
        ("variadic_declarator", ""),
        ("structured_binding_declarator", ""),
        ("parenthesized_expression", ""),
    ],
    slots: &[
        ("parameter_declaration", "declarator", Declare(Scope)),
        ("optional_parameter_declaration", "declarator", Declare(Scope)),
        ("variadic_parameter_declaration", "declarator", Declare(Scope)),
        ("type_parameter_declaration", "", Declare(Scope)),
        ("optional_type_parameter_declaration", "name", Declare(Scope)),
        ("variadic_type_parameter_declaration", "", Declare(Scope)),
        ("declaration", "declarator", Declare(After)),
        ("for_range_loop", "declarator", Declare(After)),
        ("lambda_capture_initializer", "left", Declare(Scope)),
        ("type_definition", "declarator", Declare(After)),
        ("alias_declaration", "name", Declare(After)),
        ("struct_specifier", "name", Declare(After)),
        ("class_specifier", "name", Declare(After)),
        ("union_specifier", "name", Declare(After)),
        ("enum_specifier", "name", Declare(After)),
        ("enumerator", "name", Declare(After)),
        ("assignment_expression", "left", Write),
        ("update_expression", "argument", Update),
        ("pointer_expression", "argument", Update),
        ("qualified_identifier", "name", Nothing),
    ],
    returns: &["return_statement"],
    breaks: &["break_statement", "continue_statement"],
    awaits: &["co_await_expression"],
    bound: &[
        ("goto_statement", "`goto` belongs to the function around it"),
        ("labeled_statement", "a label may be used from outside of the lines"),
        ("case_statement", "a `case` label belongs to the `switch` around it"),
        ("co_return_statement", "`co_return` belongs to the coroutine around it"),
        ("co_yield_statement", "`co_yield` belongs to the coroutine around it"),
        ("co_await_expression", "`co_await` belongs to the coroutine around it"),
        ("preproc_def", "a macro is defined in the lines"),
        ("preproc_function_def", "a macro is defined in the lines"),
        ("preproc_include", "a file is included in the lines"),
    ],
    receivers: &["this"],
    frames: &[
        "alloca", "__builtin_alloca", "setjmp", "_setjmp", "sigsetjmp", "va_start", "va_end", "va_arg", "va_copy",
        "__func__", "__FUNCTION__", "__PRETTY_FUNCTION__", "__builtin_frame_address", "__builtin_return_address",
    ],
};
