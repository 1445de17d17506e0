//! Callees, with the type arguments that are written for them.

use m1nd_lang::facts::{Expr, ExprId, Namespace};

use crate::eval::{Args, Eval, Value, Values, no_args};
use crate::reason::Reason;
use crate::tables::files::FileId;

impl Eval<'_> {
    /// Values of a callee: where methods are separate, a generic is a class being constructed.
    pub(in crate::eval) fn callees(&mut self, file: FileId, callee: ExprId) -> Values {
        let facts = &self.unit(file).facts;
        let is_apart = self.rules(file).tells_arguments_apart();
        let constructs = match facts.expr(callee) {
            Expr::Generic { args, .. } => !is_apart || facts.list(args).is_empty(),
            _ => false,
        };
        let want = if constructs && self.rules(file).separates_calls() { Namespace::Type } else { Namespace::Callee };
        self.eval(file, callee, want)
    }

    /// The type arguments written for a method that is called.
    pub(in crate::eval) fn find_type_arguments(&mut self, file: FileId, callee: ExprId) -> Args {
        let unit = self.unit(file);
        match unit.facts.expr(callee) {
            Expr::Generic { args, .. } => {
                let types = unit.list(args).iter().map(|&arg| {
                    let types = self.eval(file, arg, Namespace::Type);
                    self.instantiate(types)
                });
                types.collect()
            }
            _ => no_args(),
        }
    }

    /// The type arguments that the call of an access path is written with.
    pub(in crate::eval) fn find_type_arguments_of(&mut self, file: FileId, path: ExprId) -> Args {
        let unit = self.unit(file);
        let has_any = unit.call(path).is_some_and(|call| call.type_args > 0);
        let generics = unit.facts.exprs.iter().filter(|_| has_any);
        let mut generics = generics.filter_map(|expr| match *expr {
            Expr::Generic { base, args } if base == path => Some(args),
            _ => None,
        });
        let Some(args) = generics.next() else { return no_args() };
        let types = unit.list(args).iter().map(|&arg| {
            let types = self.eval(file, arg, Namespace::Type);
            self.instantiate(types)
        });
        types.collect()
    }

    /// Result of calling a value with type arguments.
    pub(in crate::eval) fn call_with(&mut self, callee: &Value, given: &Args, file: FileId, args: &[ExprId]) -> Values {
        match callee {
            Value::Bound(of, receiver) if !given.is_empty() => {
                if !self.deeper() {
                    return Values::unknown(Reason::Budget);
                }
                let values = self.find_returned(*of, Some(receiver), given, file, args);
                self.leave();
                values
            }
            _ => self.call(callee, file, args),
        }
    }
}
