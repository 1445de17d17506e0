//! Associated types of traits (`type Item;`): each implementation names its own.
//!
//! Inside of a trait, and for a type parameter, one stands for its bounds, as [`Value::TypeVar`] of the trait's own
//! definition. Where the type that implements the trait is known, what that names replaces it.

use m1nd_lang::facts::{DefKind, Namespace};

use crate::eval::{Args, Entity, Eval, Value, Values};
use crate::reason::Reason;
use crate::tables::files::DefRef;

/// Associated types of one value that are replaced.
const MOST_TYPES: usize = 8;

impl Eval<'_> {
    /// Returns whether a definition is an associated type as its trait declares it.
    pub(in crate::eval) fn is_associated(&mut self, of: DefRef) -> bool {
        let definition = self.definition(of);
        definition.kind == DefKind::TypeAlias
            && self.rules(of.file).fields_apart
            && definition.owner.is_some_and(|def| self.definition(DefRef { file: of.file, def }).kind == DefKind::Trait)
    }

    /// Replaces the associated types of traits by those that one of these types names, which is the only one of them
    /// that does. Where none of several does, nothing is known; types that are not known change nothing.
    pub(in crate::eval) fn settle_associated(&mut self, mut values: Values, types: &[&Values]) -> Values {
        let associated = self.list_associated(&values);
        if associated.is_empty() {
            return values;
        }
        let given = types.iter().flat_map(|values| &values.items);
        let known: Vec<(DefRef, Args)> = given
            .filter_map(|value| match value {
                Value::Instance(of, args) | Value::Def(of, args) => Some((*of, args.clone())),
                _ => None,
            })
            .collect();
        let known: Vec<_> = known
            .into_iter()
            .filter(|(of, _)| matches!(self.definition(*of).kind, DefKind::Struct | DefKind::Enum | DefKind::Union))
            .collect();
        if known.is_empty() {
            return values;
        }
        for of in associated {
            let mut named: Vec<Values> = Vec::new();
            for (class, args) in &known {
                named.extend(self.find_associated(of, *class, args).filter(|one| !named.contains(one)));
            }
            let settled = match <[Values; 1]>::try_from(named) {
                Ok([one]) => one,
                Err(_) => Values::unknown(Reason::UnknownReceiver),
            };
            values = self.substitute(values, of, &[settled].into());
        }
        values
    }

    /// Returns whether values are of associated types.
    pub(in crate::eval) fn has_associated(&mut self, values: &Values) -> bool {
        !self.list_associated(values).is_empty()
    }

    fn list_associated(&mut self, values: &Values) -> Vec<DefRef> {
        if !self.home.fields_apart {
            return Vec::new();
        }
        let mut found = list_parametrised(values);
        found.truncate(MOST_TYPES);
        found.retain(|of| self.is_associated(*of));
        found
    }

    /// What the implementation of a trait for a type names as the trait's associated type.
    fn find_associated(&mut self, of: DefRef, class: DefRef, args: &Args) -> Option<Values> {
        let of_trait = DefRef { file: of.file, def: self.definition(of).owner? };
        let name = self.unit(of.file).name(self.definition(of).name);
        let search = self.member(&Value::Def(class, args.clone()), name, Namespace::Type);
        let mut found = Vec::new();
        for row in &search.found {
            let Entity::Def(alias) = row.entity else { continue };
            let Some(def) = self.definition(alias).owner else { continue };
            let block = DefRef { file: alias.file, def };
            let implements = self.definition(block).implements;
            let implements = self.unit(block.file).list(implements);
            if implements.iter().any(|&expr| self.named_type(block.file, expr) == Some(of_trait)) {
                found.push(alias);
            }
        }
        let [alias] = found[..] else { return None };
        let types = self.alias(alias);
        let types = self.substitute_block(types, alias, class, args);
        Some(self.instantiate(types))
    }
}

/// The definitions whose type parameters values have.
fn list_parametrised(values: &Values) -> Vec<DefRef> {
    let mut found = Vec::new();
    let mut open = vec![values];
    while let Some(values) = open.pop() {
        for value in &values.items {
            match value {
                Value::TypeVar(of, 0) if !found.contains(of) => found.push(*of),
                Value::Def(_, args)
                | Value::Instance(_, args)
                | Value::Builtin(_, args)
                | Value::BuiltinType(_, args) => {
                    open.extend(args.iter());
                }
                Value::Callable(result) => open.push(result),
                _ => {}
            }
        }
    }
    found
}
