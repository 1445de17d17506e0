//! C: declarators, tags, typedefs, prototypes, macros. C++ builds on these rules.

pub(super) mod declarator;
pub(super) mod rules;

use std::sync::OnceLock;

use m1nd_base::Problem;

use self::rules::{C_RULES, adjust};
use super::Input;
use super::outline::{self, Compiled, Grammar};
use crate::facts::FileFacts;

pub(super) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    outline::extract(input, &GRAMMAR, COMPILED.get_or_init(|| Compiled::new(&GRAMMAR)))
}

static GRAMMAR: Grammar = Grammar {
    type_fields: &["type"],
    separate_types: true,
    inline_types: true,
    adjust,
    ..Grammar::new(|| tree_sitter_c::LANGUAGE.into(), C_RULES)
};
