//! Receivers: `self`, `this`, `Self`.

use m1nd_lang::facts::{DefKind, Expr, ExprId, Namespace, ScopeId};

use crate::eval::ancestors::Ancestor;
use crate::eval::{Eval, Value, Values, no_args};
use crate::reason::Reason;
use crate::tables::files::{DefRef, FileId};

impl Eval<'_> {
    /// The receiver inside a method.
    pub(in crate::eval) fn receiver_of(&mut self, of: DefRef) -> Values {
        // A block of members declares its type, including type arguments; that may be any type at all.
        let definition = self.definition(of);
        let owner = definition.owner.map(|def| DefRef { file: of.file, def });
        let extends = match definition.extends_type {
            Some(expr) => Some(expr),
            None => owner.and_then(|owner| self.definition(owner).extends_type),
        };
        match (extends, self.class_of(of)) {
            (Some(expr), _) => {
                // A table with functions is a value, and itself their receiver (Lua).
                if self.rules(of.file).tables_inherit {
                    return self.eval(of.file, expr, Namespace::Value);
                }
                let types = self.eval(of.file, expr, Namespace::Type);
                self.instantiate(types)
            }
            (None, Some(class)) => Values::one(Value::Instance(class, no_args())),
            (None, None) => Values::unknown(Reason::UnknownReceiver),
        }
    }

    /// `this` at a scope.
    pub(in crate::eval) fn receiver(&mut self, file: FileId, scope: ScopeId) -> Values {
        let rules = self.rules(file);
        let facts = &self.unit(file).facts;
        let mut owner = facts.scopes[scope.index()].owner;
        // The method between the scope and a block around it: whether it is one of the class itself.
        let mut within = None;
        while let Some(def) = owner {
            let definition = self.definition(DefRef { file, def });
            let of = DefRef { file, def };
            if definition.kind.is_class_like() {
                let whole = self.whole_type(of);
                // Code in the body of a class is run with the class as its receiver.
                let is_class = rules.open_types;
                return Values::one(if is_class {
                    Value::Def(whole, no_args())
                } else {
                    Value::Instance(whole, no_args())
                });
            }
            if rules.implicit_receivers
                && definition.flags.is_anonymous
                && let Some(values) = self.lambda_receiver(of)
                && !values.items.iter().all(|value| matches!(value, Value::External(..)))
            {
                return values;
            }
            if definition.kind == DefKind::Function {
                // A block is run by whoever was given it.
                if rules.open_types && definition.flags.is_anonymous && definition.extends_type.is_none() {
                    match self.block_receiver(of) {
                        Some(values) => return self.receiver_of_method(values, within),
                        None => {
                            owner = definition.owner;
                            continue;
                        }
                    }
                }
                let above = definition.owner.map(|owner| facts.definition(owner));
                let in_class = above.is_some_and(|above| above.kind.is_class_like() || above.extends_type.is_some());
                if in_class || definition.extends_type.is_some() && !self.is_wrapped(of) {
                    return match self.class_of(of) {
                        Some(class) if definition.flags.is_static => Values::one(Value::Def(class, no_args())),
                        _ => self.receiver_of(of),
                    };
                }
                if !definition.flags.is_anonymous {
                    within = Some(definition.flags.is_static);
                }
                if rules.function_classes
                    && let Some(values) = self.function_receiver(of)
                {
                    return values;
                }
            }
            owner = definition.owner;
        }
        Values::unknown(Reason::UnknownReceiver)
    }

    /// The receiver of a method that a block with these receivers defines.
    fn receiver_of_method(&mut self, values: Values, within: Option<bool>) -> Values {
        match within {
            None | Some(true) => values,
            // Only a class gets methods that its values have.
            Some(false) => values.flat_map(|value| match value {
                Value::Def(..) => self.instantiate(Values::one(value)),
                _ => Values::unknown(Reason::UnknownReceiver),
            }),
        }
    }

    /// `this` in a function outside a class: the object to which the function is assigned as a member, or the one it
    /// constructs.
    fn function_receiver(&mut self, of: DefRef) -> Option<Values> {
        self.ask_definition(of);
        let unit = self.unit(of.file);
        let write =
            unit.facts.member_writes.iter().find(|write| unit.facts.expr(write.value) == Expr::Definition(of.def));
        if let Some(write) = write {
            if let Expr::Member { base, name } = unit.facts.expr(write.base)
                && self.text(unit.name(name)) == "prototype"
            {
                let classes = self.eval(of.file, base, Namespace::Value);
                return Some(self.instantiate(classes));
            }
            return Some(self.eval(of.file, write.base, Namespace::Value));
        }
        let constructs = unit
            .facts
            .definitions
            .iter()
            .any(|definition| definition.owner == Some(of.def) && definition.kind == DefKind::Field);
        constructs.then(|| Values::one(Value::Instance(of, no_args())))
    }

    /// The receiver at a scope, searched behind a class that is named.
    pub(in crate::eval) fn behind(&mut self, file: FileId, class: ExprId, scope: ScopeId) -> Values {
        let around = self.class_around(file, scope);
        let classes = self.eval(file, class, Namespace::Type);
        classes.flat_map(|class| match class {
            // A method may be moved to another class: its receiver is then of any class below the one named.
            Value::Def(of, _) => {
                let derives = |one: &Ancestor| matches!(one, Ancestor::Class(known, _) if *known == of);
                let receiver = around.filter(|&around| self.ancestors(around).iter().any(derives));
                Values::one(Value::Super(receiver.unwrap_or(of), of))
            }
            Value::External(outside, name) => Values::one(Value::External(outside.instance(), name)),
            _ => Values::unknown(Reason::UnknownReceiver),
        })
    }

    /// `Self` at a scope.
    pub(in crate::eval) fn self_type(&mut self, file: FileId, scope: ScopeId) -> Values {
        let facts = &self.unit(file).facts;
        let mut owner = facts.scopes[scope.index()].owner;
        while let Some(def) = owner {
            let definition = self.definition(DefRef { file, def });
            if let Some(expr) = definition.extends_type {
                return self.eval(file, expr, Namespace::Type);
            }
            if definition.kind.is_class_like() {
                let whole = self.open_type(DefRef { file, def });
                return Values::one(Value::Def(whole, no_args()));
            }
            owner = definition.owner;
        }
        Values::unknown(Reason::UnknownReceiver)
    }
}
