//! Possible values of a parameter, seen from inside its function.

use m1nd_lang::facts::{Namespace, ParameterKind};

use crate::eval::{Eval, Value, Values, no_args};
use crate::reason::Reason;
use crate::rules::{Builtin, Overloads};
use crate::tables::files::DefRef;

impl Eval<'_> {
    /// Possible values of a parameter, seen from inside its function.
    pub(in crate::eval) fn parameter(&mut self, of: DefRef, index: usize) -> Values {
        let unit = self.unit(of.file);
        let Some(parameter) = unit.facts.parameters(of.def).get(index).copied() else {
            return Values::unknown(Reason::UnknownReceiver);
        };
        let declared = parameter.declared.map(|declared| {
            let types = self.eval(of.file, declared, Namespace::Type);
            self.instantiate(types)
        });
        // A declared type counts most. Receivers have the class around them, rest parameters are containers.
        match (parameter.kind, declared) {
            (ParameterKind::Receiver | ParameterKind::ClassReceiver, Some(declared)) if !declared.is_nothing() => {
                declared
            }
            (ParameterKind::Receiver, _) => self.receiver_of(of),
            (ParameterKind::ClassReceiver, _) => match self.class_of(of) {
                Some(class) => Values::one(Value::Def(class, no_args())),
                None => Values::unknown(Reason::UnknownReceiver),
            },
            (ParameterKind::Rest, declared) => Values::one(Value::Builtin(
                if self.rules(of.file).overload_phases { Builtin::Array } else { Builtin::List },
                [declared.unwrap_or_else(|| Values::unknown(Reason::UnknownReceiver))].into(),
            )),
            (ParameterKind::KeywordRest, declared) => Values::one(Value::Builtin(
                Builtin::Map,
                [
                    Values::one(Value::Builtin(Builtin::Scalar, no_args())),
                    declared.unwrap_or_else(|| Values::unknown(Reason::UnknownReceiver)),
                ]
                .into(),
            )),
            (ParameterKind::Plain | ParameterKind::Keyword, Some(declared)) => declared,
            // A function written as an argument has the parameters that are expected there.
            (ParameterKind::Plain, None) if self.rules(of.file).overloads == Overloads::Chosen => {
                self.given_parameter(of, index)
            }
            (ParameterKind::Plain | ParameterKind::Keyword, None) => self.undeclared_parameter(of, index),
        }
    }

    /// Possible values of a parameter without a declared type: requested wherever the function uses it.
    fn undeclared_parameter(&mut self, of: DefRef, index: usize) -> Values {
        if let Some(known) = self.memos.parameters.get(&(of, index)) {
            return known.clone();
        }
        let outer = self.begin_uncut();
        let values = self.find_injected(of, index).unwrap_or_else(|| {
            let default =
                self.unit(of.file).facts.parameters(of.def).get(index).and_then(|parameter| parameter.default);
            let mut values = match default {
                Some(default) => self.eval(of.file, default, Namespace::Value),
                None => Values::default(),
            };
            values.add(self.find_passed(of, index));
            values.unknown = Some(Reason::UnknownReceiver);
            values
        });
        if self.end_uncut(outer) {
            self.memos.parameters.insert((of, index), values.clone());
        }
        values
    }
}
