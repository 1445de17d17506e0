//! Calls of what local variables and tables hold (JavaScript).

use m1nd_lang::facts::{BindingTarget, DefKind, Expr, Namespace, Reference, Role};

use crate::eval::{Entity, Eval, Found, Value, Values};
use crate::reason::Reason;
use crate::tables::files::{DefRef, FileId};

/// Maximum assignments followed from a variable to what it stands for.
const MAX_ASSIGNMENTS: usize = 8;
/// Maximum members of an object literal that may be meant by a key that is not known.
const MAX_ENTRIES: usize = 64;

impl Eval<'_> {
    /// A call of a local variable that is only another name of something, as a call of that; any other reference as it
    /// is.
    pub(crate) fn follow_alias(&mut self, file: FileId, reference: Reference) -> Reference {
        if reference.role != Role::Call || !self.rules(file).explicit_exports {
            return reference;
        }
        let mut followed = reference;
        for _ in 0..MAX_ASSIGNMENTS {
            let unit = self.unit(file);
            let Expr::Name { name, scope } = unit.facts.expr(followed.expr) else { break };
            let search = self.lookup(file, scope, unit.name(name), Namespace::Value);
            let [Found { entity: Entity::Local(of, binding), .. }] = search.found.as_slice() else { break };
            let BindingTarget::Value(value) = self.unit(*of).facts.bindings[*binding as usize].target else { break };
            let stands_for = matches!(unit.facts.expr(value), Expr::Name { .. } | Expr::Member { .. });
            if *of != file || !stands_for || value == followed.expr {
                break;
            }
            followed.expr = value;
        }
        followed
    }

    /// Values of the members of an object literal, any of which a key that is not known may mean.
    pub(in crate::eval) fn entries(&mut self, of: DefRef) -> Option<Values> {
        let definition = self.definition(of);
        if definition.kind != DefKind::Object || !self.rules(of.file).explicit_exports {
            return None;
        }
        let scope = definition.body?;
        self.ask_members(of);
        let facts = &self.unit(of.file).facts;
        let names = facts.bindings.iter().filter(|binding| binding.scope == scope).map(|binding| binding.name);
        let mut names: Vec<_> = names.take(MAX_ENTRIES + 1).collect();
        names.dedup();
        if !self.look(facts.bindings.len() / MAX_ENTRIES + names.len()) || names.len() > MAX_ENTRIES {
            return Some(Values::unknown(Reason::TooManyCandidates));
        }
        let mut values = Values::default();
        for name in names {
            let name = self.unit(of.file).name(name);
            let search = self.member(&Value::Def(of, crate::eval::no_args()), name, Namespace::Value);
            values.add(self.values_of(search, Namespace::Value));
        }
        Some(values)
    }
}
