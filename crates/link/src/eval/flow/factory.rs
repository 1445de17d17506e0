//! Standard functions that create containers from their arguments.

use m1nd_lang::facts::{Expr, ExprId, Namespace};

use crate::eval::{Entity, Eval, Value, Values};
use crate::reason::Reason;
use crate::rules::{Builtin, Factory};
use crate::tables::files::FileId;

impl Eval<'_> {
    /// Result of a standard function; `None` for other callees.
    pub(in crate::eval) fn evaluate_factory(
        &mut self,
        file: FileId,
        callee: ExprId,
        args: &[ExprId],
    ) -> Option<Values> {
        let factories = self.rules(file).factories;
        let unit = self.unit(file);
        // `listOf<T>()`
        let (callee, types) = match unit.facts.expr(callee) {
            Expr::Generic { base, args } if self.rules(file).implicit_receivers => (base, unit.list(args)),
            _ => (callee, &[][..]),
        };
        let (base, name) = match unit.facts.expr(callee) {
            _ if factories.is_empty() => return None,
            Expr::Member { base, name } => (Some(base), unit.facts.name(name)),
            Expr::Name { name, .. } => (None, unit.facts.name(name)),
            _ => return None,
        };
        let class = match base {
            Some(base) => Some(self.text(unit.last_name(base)?)),
            None => None,
        };
        let fits = |of: &str| class.is_none_or(|class| class == of);
        let (.., factory) = factories.iter().find(|(of, function, _)| *function == name && fits(of))?;
        let standard = match base {
            Some(base) => {
                let classes = self.eval(file, base, Namespace::Value);
                let outside = |value: &Value| matches!(value, Value::External(..));
                matches!(classes.items.as_slice(), [Value::BuiltinType(..)])
                    || !classes.items.is_empty() && classes.items.iter().all(outside)
            }
            None => {
                let found = self.resolve(file, callee, Namespace::Callee).found;
                !found.is_empty() && found.iter().all(|found| matches!(found.entity, Entity::External(..)))
            }
        };
        if let (true, Factory::ListOfAll, &[ty]) = (standard, factory, types) {
            let types = self.eval(file, ty, Namespace::Type);
            let elements = self.instantiate(types);
            return Some(Values::one(Value::Builtin(Builtin::List, [elements].into())));
        }
        if let (true, Factory::Pair, &[key, value]) = (standard, factory, types) {
            let [key, value] = [key, value].map(|ty| {
                let types = self.eval(file, ty, Namespace::Type);
                self.instantiate(types)
            });
            return Some(Values::one(Value::Builtin(Builtin::Map, [key, value].into())));
        }
        // Pairs are taken apart elsewhere.
        if *factory == Factory::Pair && self.rules(file).implicit_receivers {
            return None;
        }
        standard.then(|| self.make(*factory, file, args))
    }

    fn make(&mut self, factory: Factory, file: FileId, args: &[ExprId]) -> Values {
        let mut given = args.iter().map(|&arg| self.eval(file, arg, Namespace::Value));
        let unknown = || Values::unknown(Reason::UnknownReceiver);
        let (builtin, args) = match factory {
            Factory::Same => return given.next().unwrap_or_else(unknown),
            Factory::Elements => {
                let all = given.next().unwrap_or_else(unknown);
                let elements = all.flat_map(|value| self.element(&value, file));
                (Builtin::List, vec![elements])
            }
            Factory::ListOfAll => {
                let mut all = Values::default();
                given.for_each(|one| all.add(one));
                // A single array has the elements.
                if let ([_], [Value::Builtin(Builtin::Array, elements)]) = (args, all.items.as_slice()) {
                    let elements: Values = elements.first().cloned().unwrap_or_else(unknown);
                    return Values::one(Value::Builtin(Builtin::List, [elements].into()));
                }
                (Builtin::List, vec![if all.is_nothing() { unknown() } else { all }])
            }
            Factory::Wrapper => (Builtin::Wrapper, vec![given.next().unwrap_or_else(unknown)]),
            Factory::Pair => {
                let key = given.next().unwrap_or_else(unknown);
                (Builtin::Map, vec![key, given.next().unwrap_or_else(unknown)])
            }
        };
        Values::one(Value::Builtin(builtin, args.into()))
    }
}
