//! Steps that need the whole file: the name spaces of functions and methods, values beside written types.

use super::super::outline::rules::Label;
use crate::facts::{BindingTarget, DefKind, FactsBuilder, FileFacts, Namespace};

pub(super) fn finish(facts: &mut FileFacts, _: &[Label]) {
    let definitions = &facts.definitions;
    for binding in &mut facts.bindings {
        if let BindingTarget::Definition(id) = binding.target
            && definitions[id.index()].kind == DefKind::Function
        {
            binding.namespace = Namespace::Callee;
        }
    }
    for definition in &mut facts.definitions {
        // A written type is sufficient: values would only make other files depend on bodies.
        let typed = matches!(definition.kind, DefKind::Function | DefKind::Field | DefKind::Constant);
        if typed && definition.declared.is_some() {
            definition.values = FactsBuilder::EMPTY;
        }
    }
}
