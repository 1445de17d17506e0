//! What a call expects of a function written as its argument.

use m1nd_lang::facts::{DefKind, Expr, ExprId, Namespace, ParameterKind};

use crate::eval::{Args, Entity, Eval, Found, Outside, Search, Value, Values, no_args};
use crate::reason::Reason;
use crate::rules::{Builtin, ScopeFunction};
use crate::tables::files::{DefRef, FileId};

impl Eval<'_> {
    /// Parameter of a function written as an argument, according to the function type expected there.
    pub(in crate::eval) fn given_parameter(&mut self, of: DefRef, index: usize) -> Values {
        let unknown = || Values::unknown(Reason::UnknownReceiver);
        let unit = self.unit(of.file);
        let Some((callee, place)) = unit.argument_of(of.def) else { return unknown() };
        let labelled = self.rules(of.file).argument_labels;
        // `f(a)(g)`: a function in a further list of arguments.
        let (callee, is_further) = match self.further_call(of.file, callee) {
            Some(inner) => (inner, true),
            None => (callee, false),
        };
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
        if let Some((function, base)) = self.scope_function(of.file, callee, &search) {
            self.leave();
            return match (function, base, index) {
                (ScopeFunction::Also | ScopeFunction::Let, Some(base), 0) => self.eval(of.file, base, Namespace::Value),
                _ => unknown(),
            };
        }
        let mut values = Values { unknown: search.unknown, ..Values::default() };
        let args = unit.call(callee).map(|call| unit.list(call.args)).unwrap_or_default();
        // The expected type may name type parameters of the called function, which its other arguments decide.
        for found in &search.found {
            let mut place = place as usize;
            if let (Entity::Def(function), true) = (&found.entity, labelled) {
                let Some(places) = self.place_arguments(*function, of.file, args) else { continue };
                place = places.get(place).copied().unwrap_or(place);
            }
            let given = match (&found.entity, is_further) {
                (Entity::Def(_), true) => self.given_further(found, place, index),
                (_, true) => unknown(),
                _ => self.given_by(found, (of.file, callee, place), index),
            };
            values.add(match found.entity {
                Entity::Def(function) => self.infer(given, function, &no_args(), of.file, args),
                _ => given,
            });
        }
        self.leave();
        if values.is_nothing() { unknown() } else { values }
    }

    /// The callee of a call whose result is written as a callee, if it is a function with further lists of parameters
    /// that these arguments are for.
    pub(in crate::eval) fn further_call(&mut self, file: FileId, callee: ExprId) -> Option<ExprId> {
        let unit = self.unit(file);
        let Expr::Call { callee: inner, .. } = unit.facts.expr(callee) else { return None };
        if !unit.rules.companions {
            return None;
        }
        let inner = match unit.facts.expr(inner) {
            Expr::Generic { base, .. } => base,
            _ => inner,
        };
        let search = self.resolve(file, inner, Namespace::Callee);
        let has_further = |eval: &mut Self, found: &Found| match found.entity {
            Entity::Def(of) => {
                let parameters = eval.unit(of.file).facts.parameters(of.def);
                parameters.iter().any(|parameter| parameter.kind == ParameterKind::Keyword)
            }
            _ => false,
        };
        (!search.found.is_empty() && search.found.iter().all(|found| has_further(self, found))).then_some(inner)
    }

    /// Parameter `index` of the function that `found` is given as argument `place` of a further list.
    fn given_further(&mut self, found: &Found, place: usize, index: usize) -> Values {
        let Entity::Def(of) = found.entity else { return Values::unknown(Reason::UnknownReceiver) };
        let parameters = self.unit(of.file).facts.parameters(of.def);
        let further = parameters.iter().filter(|parameter| parameter.kind == ParameterKind::Keyword).nth(place);
        let Some(declared) = further.and_then(|parameter| parameter.declared) else {
            return Values::unknown(Reason::UnknownReceiver);
        };
        let mut values = self.function_parameter(of.file, declared, index);
        if let Some((owner, args)) = &found.owner {
            values = self.substitute(values, *owner, args);
        }
        if let Some(Value::Instance(class, args)) = found.receiver.as_deref() {
            values = self.substitute(values, *class, args);
        }
        values
    }

    /// Parameter `index` of the function that `found` is given as argument `place`.
    fn given_by(&mut self, found: &Found, (file, callee, place): (FileId, ExprId, usize), index: usize) -> Values {
        let unknown = || Values::unknown(Reason::UnknownReceiver);
        match &found.entity {
            Entity::Def(of) => {
                let of = *of;
                let Some(declared) = self.parameter_at(file, callee, found, place) else { return unknown() };
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
                Value::Builtin(Builtin::List | Builtin::Array | Builtin::Wrapper, args) => {
                    args.first().cloned().unwrap_or_else(unknown)
                }
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
        match self.home.tells_arguments_apart() || self.home.extension_blocks {
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

    /// The function type that another name of it stands for, in languages that write function types in place.
    fn names_function_type(&mut self, alias: DefRef) -> Option<ExprId> {
        let definition = self.definition(alias);
        let unit = self.unit(alias.file);
        let declared = definition.declared.filter(|_| unit.facts.parameters(alias.def).is_empty())?;
        let is_signature = matches!(unit.facts.expr(declared), Expr::Signature { .. });
        (definition.kind == DefKind::TypeAlias && is_signature && !unit.rules.partial_types).then_some(declared)
    }

    /// Parameter `index` of a function type as written.
    pub(in crate::eval) fn function_parameter(&mut self, file: FileId, declared: ExprId, index: usize) -> Values {
        let unknown = Values::unknown(Reason::UnknownReceiver);
        if self.rules(file).implicit_receivers
            && let Some((within, parameters)) = self.function_type(file, declared)
        {
            let unit = self.unit(within);
            let parameters = unit.list(parameters);
            // A receiver stands before the parameters.
            let has_receiver =
                parameters.first().is_some_and(|&one| matches!(unit.facts.expr(one), Expr::Instance { .. }));
            let Some(&ty) = parameters.get(index + usize::from(has_receiver)) else { return unknown };
            let types = self.eval(within, ty, Namespace::Type);
            return self.instantiate(types);
        }
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
            Entity::Def(alias) if self.names_function_type(*alias).is_some() && args.is_empty() => {
                let alias = *alias;
                let Some(declared) = self.names_function_type(alias) else { return unknown };
                self.function_parameter(alias.file, declared, index)
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
