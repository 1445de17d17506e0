//! What a call expects of a function written as its argument.

use m1nd_lang::facts::{DefKind, Expr, ExprId, Namespace};

use crate::eval::{Args, Entity, Eval, Found, Outside, Search, Value, Values, no_args};
use crate::reason::Reason;
use crate::rules::Builtin;
use crate::tables::files::{DefRef, FileId};

impl Eval<'_> {
    /// Parameter of a function written as an argument, according to the function type expected there.
    pub(in crate::eval) fn given_parameter(&mut self, of: DefRef, index: usize) -> Values {
        let unknown = || Values::unknown(Reason::UnknownReceiver);
        let unit = self.unit(of.file);
        let Some((callee, place)) = unit.argument_of(of.def) else { return unknown() };
        let labelled = self.rules(of.file).argument_labels;
        let constructs = !labelled && unit.call(callee).is_some_and(|call| call.constructs);
        if !self.deeper() {
            return Values::unknown(Reason::Budget);
        }
        // `new C(f)` calls one of the constructors of `C`.
        let search = if constructs {
            let classes = self.resolve(of.file, callee, Namespace::Type);
            let mut all = Search::default();
            for found in classes.found {
                if let Entity::Def(class) = found.entity {
                    all.add(self.constructors(of.file, callee, class).unwrap_or_default());
                }
            }
            all
        } else if labelled {
            self.callable(of.file, callee)
        } else {
            self.resolve(of.file, callee, Namespace::Callee)
        };
        let mut values = Values { unknown: search.unknown, ..Values::default() };
        let args = unit.call(callee).map(|call| unit.list(call.args)).unwrap_or_default();
        // The expected type may name type parameters of the called function, which its other arguments decide.
        for found in &search.found {
            let mut place = place as usize;
            if let (Entity::Def(function), true) = (&found.entity, labelled) {
                let Some(places) = self.place_arguments(*function, of.file, args) else { continue };
                place = places.get(place).copied().unwrap_or(place);
            }
            let given = self.given_by(found, place, index);
            values.add(match found.entity {
                Entity::Def(function) => self.infer(given, function, &no_args(), of.file, args),
                _ => given,
            });
        }
        self.leave();
        if values.is_nothing() { unknown() } else { values }
    }

    /// Parameter `index` of the function that `found` is given as argument `place`.
    fn given_by(&mut self, found: &Found, place: usize, index: usize) -> Values {
        let unknown = || Values::unknown(Reason::UnknownReceiver);
        match &found.entity {
            Entity::Def(of) => {
                let of = *of;
                let parameters = self.plain_parameters(found);
                let Some(last) = parameters.len().checked_sub(1) else { return unknown() };
                let Some(declared) = parameters[place.min(last)].declared else { return unknown() };
                let mut values = self.function_parameter(of.file, declared, index);
                if let Some((owner, args)) = &found.owner {
                    values = self.substitute(values, *owner, args);
                }
                if let Some(receiver) = &found.receiver
                    && let Value::Instance(class, args) = receiver.as_ref()
                {
                    values = self.substitute(values, *class, args);
                }
                if let (Some(receiver), true) = (&found.receiver, self.is_extension(of)) {
                    if let Some((owner, args)) = &found.owner {
                        values = self.substitute_block(values, of, *owner, args);
                    }
                    values = self.infer_receiver(values, of, receiver);
                }
                values
            }
            Entity::BuiltinMethod(_, receiver) => match receiver.as_ref() {
                Value::Builtin(Builtin::List | Builtin::Wrapper, args) => args.first().cloned().unwrap_or_else(unknown),
                Value::Builtin(Builtin::Map, args) if self.home.map_iterates_pairs => {
                    let [key, value] = [0, 1].map(|place| args.get(place).cloned().unwrap_or_else(unknown));
                    Values::one(Value::Builtin(Builtin::Tuple, [key, value].into()))
                }
                Value::Builtin(Builtin::Map, args) => args.get(index).cloned().unwrap_or_else(unknown),
                _ => self.yielded_from(self.home.builtin_package.into()),
            },
            Entity::External(outside, _) => self.yielded_from(outside.clone()),
            _ => unknown(),
        }
    }

    /// A value that outside code passes on, which may be the project's.
    pub(in crate::eval) fn yielded_from(&self, outside: Outside) -> Values {
        match self.home.constructs_apart || self.home.extension_blocks {
            true => Values::one(Value::External(outside.yield_value(), None)),
            false => Values::unknown(Reason::UnknownReceiver),
        }
    }

    /// The argument of a standard type that behaves as its argument (`Expression<Func<…>>`).
    fn unwrap_transparent(&mut self, file: FileId, declared: ExprId) -> ExprId {
        let unit = self.unit(file);
        let Expr::Generic { base, args } = unit.facts.expr(declared) else { return declared };
        let Some(name) = unit.last_name(base) else { return declared };
        match (self.home.builtin_type(self.text(name)), unit.list(args)) {
            (Some(Builtin::Transparent), &[inner]) => inner,
            _ => declared,
        }
    }

    /// Parameter `index` of a function that the project declares, by the arguments that the type `of` has in `file`.
    fn declared_parameter(
        &mut self,
        function: DefRef,
        of: DefRef,
        (file, args): (FileId, &[ExprId]),
        index: usize,
    ) -> Values {
        let parameter = self.unit(function.file).facts.parameters(function.def).get(index).copied();
        let Some(declared) = parameter.and_then(|parameter| parameter.declared) else {
            return Values::unknown(Reason::UnknownReceiver);
        };
        let types = self.eval(function.file, declared, Namespace::Type);
        let values = self.instantiate(types);
        let given: Args = args
            .iter()
            .map(|&arg| {
                let types = self.eval(file, arg, Namespace::Type);
                self.instantiate(types)
            })
            .collect();
        self.substitute(values, of, &given)
    }

    /// Parameter `index` of a function type as written.
    pub(in crate::eval) fn function_parameter(&mut self, file: FileId, declared: ExprId, index: usize) -> Values {
        let unknown = Values::unknown(Reason::UnknownReceiver);
        let unit = self.unit(file);
        if let Expr::Signature { parameters, .. } = unit.facts.expr(declared) {
            let Some(&ty) = unit.list(parameters).get(index) else { return unknown };
            let types = self.eval(file, ty, Namespace::Type);
            return self.instantiate(types);
        }
        let (base, args): (ExprId, &[ExprId]) = match unit.facts.expr(self.unwrap_transparent(file, declared)) {
            Expr::Generic { base, args } => (base, unit.list(args)),
            _ => (declared, &[]),
        };
        let types = self.resolve(file, base, Namespace::Type);
        let outside = |found: &Found| matches!(found.entity, Entity::External(..));
        let Some(found) = types.found.first() else { return unknown };
        if types.found.len() > 1 && !types.found.iter().all(outside) {
            return unknown;
        }
        match &found.entity {
            // A standard function type: the rules say which of its arguments is this parameter.
            Entity::External(_, Some(name)) => {
                let text = self.text(*name);
                let known = self.home.function_types.iter().find(|(known, _)| *known == text);
                let place = known.and_then(|(_, parameters)| parameters.get(index));
                let Some(&arg) = place.and_then(|&place| args.get(usize::from(place))) else { return unknown };
                let types = self.eval(file, arg, Namespace::Type);
                self.instantiate(types)
            }
            // An interface of the project with a single method: the parameter of that method.
            Entity::Def(alias) if self.home.argument_labels && self.definition(*alias).kind == DefKind::TypeAlias => {
                match self.definition(*alias).declared {
                    Some(of) if alias.file != file || of != declared => self.function_parameter(alias.file, of, index),
                    _ => unknown,
                }
            }
            Entity::Def(delegate) if self.definition(*delegate).kind == DefKind::TypeAlias => {
                self.declared_parameter(*delegate, *delegate, (file, args), index)
            }
            Entity::Def(interface) => {
                let Some(method) = self.single_method(*interface) else { return unknown };
                self.declared_parameter(method, *interface, (file, args), index)
            }
            _ => unknown,
        }
    }
}
