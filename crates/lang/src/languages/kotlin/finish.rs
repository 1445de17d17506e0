//! Steps that need the whole file: names of constructors, written types before values.

use super::super::outline::common::settle_values;
use super::super::outline::rules::Label;
use super::INIT;
use crate::facts::{BindingTarget, FactsBuilder, FileFacts};

pub(super) fn finish(facts: &mut FileFacts, _: &[Label]) {
    place_constructors(facts);
    settle_values(facts);
}

/// Constructors share one name, because the constructed class may have any.
fn place_constructors(facts: &mut FileFacts) {
    let mut constructor = None;
    for index in 0..facts.bindings.len() {
        let BindingTarget::Definition(id) = facts.bindings[index].target else { continue };
        if facts.definition(id).flags.is_constructor {
            let name = *constructor.get_or_insert_with(|| facts.names.intern(INIT));
            facts.bindings[index].name = name;
            // The last statement of its body is not a result.
            facts.definitions[id.index()].values = FactsBuilder::EMPTY;
        }
    }
}
