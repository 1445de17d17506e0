//! Members that calls copy from one value to another (JavaScript): `Object.assign(app, methods)`, `mixin(app, proto)`,
//! `util.inherits(Child, Base)`.

use m1nd_lang::facts::{DefKind, Expr, ExprId, Namespace};

use crate::eval::{Eval, Search, Value, no_args};
use crate::names::Name;
use crate::reason::Reason;
use crate::surface::COPIES;
use crate::tables::files::{DefRef, FileId};

/// Maximum copying calls of a file that are examined.
const MAX_COPIES: usize = 256;

impl Eval<'_> {
    /// Members of this name that calls in the definition's own file copy to it from other values. What such a call does
    /// is not known, so there may be others.
    pub(in crate::eval) fn copied_members(&mut self, of: DefRef, name: Name, want: Namespace) -> Search {
        let mut search = Search::default();
        if !self.rules(of.file).explicit_exports {
            return search;
        }
        self.ask_text(COPIES);
        let unit = self.unit(of.file);
        if unit.copies.is_empty() || !self.deeper() {
            return search;
        }
        for &(target, args) in unit.copies.iter().take(MAX_COPIES) {
            if !self.is_copied_to(of, target) {
                continue;
            }
            search.unknown = Some(Reason::UnknownReceiver);
            for source in self.copied_from(of.file, unit.list(args)) {
                let found = self.members_of_source(&source, name, want).found;
                found.into_iter().for_each(|found| search.push(found));
            }
        }
        self.leave();
        search
    }

    /// Returns whether a call in a function's own file copies members to it, or to its prototype.
    pub(in crate::eval) fn is_given_members(&mut self, of: DefRef) -> bool {
        self.ask_text(COPIES);
        let unit = self.unit(of.file);
        if unit.copies.is_empty() || !self.deeper() {
            return false;
        }
        let found = unit.copies.iter().take(MAX_COPIES).any(|&(target, _)| self.is_copied_to(of, target));
        self.leave();
        found
    }

    /// Returns whether the first argument of a copying call is the definition, its prototype, or a value of it.
    fn is_copied_to(&mut self, of: DefRef, target: ExprId) -> bool {
        let target = self.without_prototype(of.file, target);
        let values = self.eval(of.file, target, Namespace::Value);
        let is_own = |value: &Value| matches!(value, Value::Def(to, _) | Value::Instance(to, _) if *to == of);
        values.items.iter().any(is_own)
    }

    /// The values whose members are copied: all further arguments, and those in lists among them.
    fn copied_from(&mut self, file: FileId, args: &[ExprId]) -> Vec<Value> {
        let unit = self.unit(file);
        let mut sources: Vec<ExprId> = Vec::new();
        for &arg in args.iter().skip(1) {
            match unit.facts.expr(arg) {
                Expr::Collection { items, .. } => sources.extend(unit.list(items)),
                _ => sources.push(arg),
            }
        }
        let mut values = Vec::new();
        for source in sources {
            let source = self.without_prototype(file, source);
            values.extend(self.eval(file, source, Namespace::Value).items);
        }
        values
    }

    /// Members of a value that is copied; those of the values of a class, if it is one.
    fn members_of_source(&mut self, source: &Value, name: Name, want: Namespace) -> Search {
        if let Value::Def(of, _) = source
            && matches!(self.definition(*of).kind, DefKind::Class)
        {
            return self.member(&Value::Instance(*of, no_args()), name, want);
        }
        let search = self.member(source, name, want);
        let is_own = |found: &crate::eval::Found| {
            !matches!(found.entity, crate::eval::Entity::External(..) | crate::eval::Entity::BuiltinMethod(..))
        };
        if search.found.iter().any(is_own) { search } else { Search::default() }
    }

    /// `Base` of `Base.prototype`.
    fn without_prototype(&mut self, file: FileId, expr: ExprId) -> ExprId {
        let unit = self.unit(file);
        match unit.facts.expr(expr) {
            Expr::Member { base, name } if unit.facts.name(name) == "prototype" => base,
            _ => expr,
        }
    }
}
