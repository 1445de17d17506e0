//! Literals: grammars call them alike.

use crate::facts::Literal;

/// Kinds of node that are a literal in every grammar that has them and says nothing else of them.
pub(super) const LITERALS: &[(&str, Literal)] = &[
    ("boolean_literal", Literal::Bool),
    ("character_literal", Literal::Int),
    ("false", Literal::Bool),
    ("float", Literal::Float),
    ("integer", Literal::Int),
    ("integer_literal", Literal::Int),
    ("interpolated_string_expression", Literal::Str),
    ("nil", Literal::Null),
    ("null", Literal::Null),
    ("null_literal", Literal::Null),
    ("number", Literal::Int),
    ("number_literal", Literal::Int),
    ("real_literal", Literal::Float),
    ("string", Literal::Str),
    ("string_literal", Literal::Str),
    ("true", Literal::Bool),
];
