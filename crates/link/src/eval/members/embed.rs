//! Members by embedding: the shallowest one wins, and an ambiguity at one depth yields none.

use std::rc::Rc;

use m1nd_lang::facts::{DefKind, Expr, ExprId, Namespace};

use super::member::Asked;
use crate::eval::ancestors::Ancestor;
use crate::eval::{Args, Entity, Eval, Found, Outside, Search, Value, Values};
use crate::reason::Reason;
use crate::rules::Builtin;
use crate::tables::files::{DefRef, FileId};

/// Maximum types searched for one member.
const EMBEDDED: usize = 256;

/// A type on some depth of embedding.
struct Level {
    class: DefRef,
    args: Args,
    /// Only its fields: methods stay with the type they were written for (`type T U`).
    only_fields: bool,
}

impl Eval<'_> {
    /// The member of a type or of its embedded types.
    pub(in crate::eval) fn embedded_member(&mut self, asked: &Asked<'_>) -> Search {
        let &Asked { of, name, .. } = asked;
        let mut seen = vec![of];
        let mut external: Vec<Outside> = Vec::new();
        let mut unknown = false;
        // Whether something nobody can look into is embedded at less depth than the level, or at its own: at the same
        // depth it cannot have the member too, or the selector would be ambiguous.
        let (mut shallower, mut beside) = (false, false);
        let mut level = vec![Level { class: of, args: asked.args.clone(), only_fields: false }];
        while !level.is_empty() {
            if let Some(mut search) = self.member_at_depth(&level, asked) {
                search.unknown = shallower.then_some(Reason::UnknownBase);
                return search;
            }
            let mut next = Vec::new();
            shallower |= beside;
            let (mut packages, mut unseen) = (Vec::new(), false);
            for row in &level {
                self.add_embedded(row, &mut next, &mut packages, &mut unseen);
            }
            beside = unseen || !packages.is_empty();
            unknown |= unseen;
            external.extend(packages);
            next.retain(|row| {
                let fresh = !seen.contains(&row.class);
                if fresh {
                    seen.push(row.class);
                }
                fresh
            });
            if seen.len() > EMBEDDED {
                return Search::unknown(Reason::Budget);
            }
            level = next;
        }
        self.member_of_nobody(of, name, &external, unknown)
    }

    /// The member of the one type at a depth that has it.
    fn member_at_depth(&mut self, level: &[Level], asked: &Asked<'_>) -> Option<Search> {
        let mut holders: Vec<(usize, Search)> = Vec::new();
        for (place, row) in level.iter().enumerate() {
            let mut own = self.own_members(row.class, asked.name, asked.want);
            if row.only_fields {
                own.found.retain(|found| self.is_field(found));
            }
            if !own.found.is_empty() {
                holders.push((place, own));
            }
        }
        let (place, own) = self.only_holder(holders)?;
        let mut search = Search::default();
        for mut found in own.found {
            found.owner = Some((level[place].class, level[place].args.clone()));
            if matches!(asked.value, Value::Instance(..) | Value::Super(..)) {
                found.receiver = Some(Rc::new(asked.value.clone()));
            }
            search.push(found);
        }
        Some(search)
    }

    fn is_field(&mut self, found: &Found) -> bool {
        match found.entity {
            Entity::Def(of) => self.definition(of).kind != DefKind::Function,
            _ => true,
        }
    }

    /// The one that has the member at a depth. Interfaces may ask for the same method twice.
    fn only_holder(&mut self, holders: Vec<(usize, Search)>) -> Option<(usize, Search)> {
        let several = holders.len() > 1;
        let asked = |eval: &mut Self, search: &Search| {
            search.found.iter().all(|found| match found.entity {
                Entity::Def(of) => eval.definition(of).flags.is_abstract,
                _ => false,
            })
        };
        if several && !holders.iter().all(|(_, search)| asked(self, search)) {
            return None;
        }
        holders.into_iter().next()
    }

    /// The embedded types of a type, and the type it was declared as.
    fn add_embedded(&mut self, row: &Level, next: &mut Vec<Level>, external: &mut Vec<Outside>, unknown: &mut bool) {
        let unit = self.unit(row.class.file);
        let definition = unit.facts.definition(row.class.def);
        let mut bases = Vec::new();
        for &expr in unit.list(definition.bases) {
            self.base(row.class, expr, &mut bases);
        }
        // Embedded types bring all of their members.
        for base in bases {
            match base {
                Ancestor::Class(class, args) => {
                    let args = self.base_args(row.class, &row.args, &args);
                    next.push(Level { class, args, only_fields: false });
                }
                Ancestor::External(package, _) => external.push(package.somewhere()),
                Ancestor::Standard(..) => {
                    let package = self.rules(row.class.file).builtin_package;
                    external.push(package.into());
                }
                Ancestor::Module(_) | Ancestor::Unknown => *unknown = true,
            }
        }
        // The type it was declared as brings its fields; its methods only if it is an interface.
        let Some(values) = self.underlying(row.class, &row.args) else { return };
        *unknown |= values.unknown.is_some();
        for value in values.items {
            match value {
                Value::Instance(class, args) => {
                    let only_fields = self.definition(class).kind != DefKind::Interface;
                    next.push(Level { class, args, only_fields });
                }
                Value::External(package, _) => external.push(package.somewhere()),
                _ => {}
            }
        }
    }

    /// The target of a literal's key if the literal turns out to be a container: a value in scope.
    pub(crate) fn literal_key(&mut self, file: FileId, key: ExprId) -> Option<Search> {
        let unit = self.unit(file);
        let Expr::Member { base, name } = unit.facts.expr(key) else { return None };
        let values = self.eval(file, base, Namespace::Value);
        let [Value::Instance(of, args)] = values.items.as_slice() else { return None };
        let underlying = self.underlying(*of, args)?;
        if !matches!(underlying.items.as_slice(), [Value::Builtin(Builtin::List | Builtin::Map, _)]) {
            return None;
        }
        // Sub-expressions precede their users, so this ends.
        let mut at = base;
        let scope = loop {
            at = match unit.facts.expr(at) {
                Expr::Name { scope, .. } => break scope,
                Expr::Instance { of: inner }
                | Expr::Index { base: inner }
                | Expr::Enter { base: inner }
                | Expr::Member { base: inner, .. }
                | Expr::Generic { base: inner, .. } => inner,
                _ => return None,
            };
        };
        Some(self.lookup(file, scope, unit.name(name), Namespace::Value))
    }

    /// Values of the type that a type of its own was declared by: `U` of `type T U`.
    pub(in crate::eval) fn underlying(&mut self, of: DefRef, args: &Args) -> Option<Values> {
        let definition = self.definition(of);
        if !definition.flags.is_distinct {
            return None;
        }
        let declared = definition.declared?;
        if !self.deeper() {
            return Some(Values::unknown(Reason::Budget));
        }
        let types = self.eval(of.file, declared, Namespace::Type);
        let values = self.instantiate(types);
        let values = self.substitute(values, of, args);
        self.leave();
        Some(values)
    }
}
