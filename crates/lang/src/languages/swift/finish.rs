//! Steps that need the whole file: blocks of members, initial values.

use super::super::outline::common::settle_values;
use super::super::outline::rules::Label;
use crate::facts::{DefKind, FactsBuilder, FileFacts};

pub(super) fn finish(facts: &mut FileFacts, _: &[Label]) {
    for definition in &mut facts.definitions {
        // What an extension conforms to are the bases of the type that it extends.
        if definition.kind == DefKind::Impl {
            definition.implements = std::mem::replace(&mut definition.bases, FactsBuilder::EMPTY);
        }
    }
    settle_values(facts);
}
