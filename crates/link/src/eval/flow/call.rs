//! Results of calling, indexing, iterating and entering values.

use std::rc::Rc;

use m1nd_lang::facts::{DefKind, Expr, ExprId, Namespace, ParameterKind};

use crate::eval::{Entity, Eval, Module, Receiver, Value, Values, no_args};
use crate::reason::Reason;
use crate::rules::{Builtin, FieldShape, MethodShape};
use crate::tables::files::{DefRef, FileId};

/// Result of a method of a standard type.
pub(in crate::eval) fn shape(shape: MethodShape, receiver: &Value) -> Values {
    let Value::Builtin(builtin, args) = receiver else {
        let same = shape == MethodShape::Same;
        return if same { Values::one(receiver.clone()) } else { Values::unknown(Reason::UnknownReceiver) };
    };
    let arg = |index: usize| args.get(index).cloned().unwrap_or_else(|| Values::unknown(Reason::UnknownReceiver));
    let of = |builtin: Builtin, args: &[Values]| Values::one(Value::Builtin(builtin, args.into()));
    match shape {
        MethodShape::First => arg(0),
        MethodShape::Second => arg(1),
        MethodShape::Pair => of(Builtin::Tuple, &[arg(0), arg(1)]),
        MethodShape::Same => Values::one(Value::Builtin(*builtin, args.clone())),
        MethodShape::ListOfFirst => of(Builtin::List, &[arg(0)]),
        MethodShape::ArrayOfFirst => of(Builtin::Array, &[arg(0)]),
        MethodShape::ListOfSecond => of(Builtin::List, &[arg(1)]),
        MethodShape::ListOfPairs => of(Builtin::List, &[of(Builtin::Tuple, &[arg(0), arg(1)])]),
        MethodShape::Enumerated => {
            let index = Values::one(Value::Builtin(Builtin::Scalar, no_args()));
            of(Builtin::List, &[of(Builtin::Tuple, &[index, arg(0)])])
        }
        MethodShape::WrapperOfFirst => of(Builtin::Wrapper, &[arg(0)]),
        MethodShape::WrapperOfSecond => of(Builtin::Wrapper, &[arg(1)]),
        MethodShape::Mapped | MethodShape::FlatMapped | MethodShape::WrapperMapped | MethodShape::WrapperFlatMapped => {
            Values::unknown(Reason::UnknownReceiver)
        }
        MethodShape::Field(FieldShape::First) => arg(0),
        MethodShape::Field(FieldShape::Second) => arg(1),
        MethodShape::Field(FieldShape::Firsts) => of(Builtin::List, &[arg(0)]),
        MethodShape::Field(FieldShape::Seconds) => of(Builtin::List, &[arg(1)]),
        MethodShape::Field(FieldShape::Pair) => of(Builtin::Tuple, &[arg(0), arg(1)]),
    }
}

impl Eval<'_> {
    /// Result of calling a value.
    pub(in crate::eval) fn call(&mut self, callee: &Value, file: FileId, args: &[ExprId]) -> Values {
        if !self.deeper() {
            return Values::unknown(Reason::Budget);
        }
        let values = self.evaluate_call(callee, file, args);
        self.leave();
        values
    }

    fn evaluate_call(&mut self, callee: &Value, file: FileId, args: &[ExprId]) -> Values {
        match callee {
            Value::Def(of, type_args) => self.called_definition(*of, type_args, file, args),
            Value::Bound(of, receiver) => self.find_returned(*of, Some(receiver), &no_args(), file, args),
            Value::Instance(of, of_args) => match self.rules(of.file).call_method {
                Some(method) => self.call_member(callee, method),
                None if self.definition(*of).flags.is_distinct => {
                    let functions = self.underlying(*of, of_args).unwrap_or_default();
                    functions.flat_map(|function| self.call(&function, file, args))
                }
                None if self.definition(*of).kind == DefKind::Enum => Values::one(callee.clone()),
                None if self.definition(*of).kind == DefKind::Interface && self.rules(of.file).explicit_exports => {
                    self.called_by_signature(*of, of_args, file, args)
                }
                None => Values::unknown(Reason::UnknownReceiver),
            },
            Value::Module(Module::File(module)) => {
                let whole = self.whole_export(*module);
                let callees = self.values_of(whole, Namespace::Value);
                callees.flat_map(|callee| match callee {
                    Value::Module(_) => Values::unknown(Reason::UnknownReceiver),
                    callee => self.call(&callee, file, args),
                })
            }
            Value::Callable(result) | Value::Method(result) => result.as_ref().clone(),
            Value::Maps(builtin, inside) => self.evaluate_map(*builtin, *inside, file, args),
            // Where classes are constructed by calls, the callee may determine the result.
            Value::External(package, name) => {
                let rules = self.rules(file);
                let classes_are_called = rules.call_method.is_some() && !rules.includes;
                let result = if classes_are_called { package.call() } else { package.somewhere() };
                let yields = self.yields_given(package, file, args);
                if rules.argument_labels && package.is_named_as_class() {
                    let name = package.last_name().map(|name| self.project.names.intern(&name));
                    return Values::one(Value::External(package.clone().instance(), name));
                }
                Values::one(Value::External(result.yielding(yields), *name))
            }
            Value::BuiltinType(builtin, of) => self.standard_value(*builtin, of, file, args),
            Value::TypeVar(of, index) => {
                let bounds = self.follow_bound(*of, *index);
                bounds.flat_map(|bound| match bound {
                    Value::TypeVar(..) => Values::unknown(Reason::UnknownReceiver),
                    bound => self.call(&bound, file, args),
                })
            }
            Value::Builtin(..) | Value::Module(_) | Value::Super(..) | Value::Key(_) => {
                Values::unknown(Reason::UnknownReceiver)
            }
            Value::Null => Values::default(),
        }
    }

    fn called_definition(
        &mut self,
        of: DefRef,
        type_args: &crate::eval::Args,
        file: FileId,
        args: &[ExprId],
    ) -> Values {
        match self.definition(of).kind {
            DefKind::Function
                if self.rules(of.file).function_classes && (self.constructs(of) || self.is_given_members(of)) =>
            {
                Values::one(Value::Instance(of, no_args()))
            }
            DefKind::Function => self.find_returned(of, None, type_args, file, args),
            DefKind::Variant => match self.definition(of).owner {
                Some(def) => Values::one(Value::Instance(DefRef { file: of.file, def }, no_args())),
                None => Values::unknown(Reason::UnknownReceiver),
            },
            DefKind::Class | DefKind::Struct | DefKind::Enum | DefKind::Union | DefKind::Interface => {
                Values::one(Value::Instance(of, type_args.clone()))
            }
            // A conversion.
            DefKind::TypeAlias if self.definition(of).flags.is_distinct => {
                Values::one(Value::Instance(of, type_args.clone()))
            }
            _ => Values::unknown(Reason::UnknownReceiver),
        }
    }

    /// `xs.map(f)`: a container of the results of the last argument.
    fn evaluate_map(&mut self, builtin: Builtin, inside: bool, file: FileId, args: &[ExprId]) -> Values {
        let yielded = match args.last() {
            Some(&function) => {
                let functions = self.eval(file, function, Namespace::Value);
                functions.flat_map(|function| self.call(&function, file, &[]))
            }
            None => Values::unknown(Reason::UnknownReceiver),
        };
        let yielded = match (inside, builtin) {
            (true, Builtin::Wrapper) => yielded.flat_map(crate::eval::unwrap),
            (true, _) => yielded.flat_map(|value| self.element(&value, file)),
            (false, _) => yielded,
        };
        Values::one(Value::Builtin(builtin, [yielded].into()))
    }

    /// `list(xs)`, `Some(x)`, `Box::new(x)`: a standard container built from its arguments.
    fn standard_value(&mut self, builtin: Builtin, of: &crate::eval::Args, file: FileId, args: &[ExprId]) -> Values {
        if of.is_empty() && !args.is_empty() && self.rules(file).companions {
            return self.standard_object(builtin, file, args);
        }
        if !of.is_empty() || args.len() != 1 {
            return self.instantiate(Values::one(Value::BuiltinType(builtin, of.clone())));
        }
        let arg = self.eval(file, args[0], Namespace::Value);
        match builtin {
            Builtin::Transparent => arg,
            Builtin::List => {
                let elements = arg.flat_map(|value| self.element(&value, file));
                Values::one(Value::Builtin(builtin, [elements].into()))
            }
            _ => Values::one(Value::Builtin(builtin, [arg].into())),
        }
    }

    /// `List(a, b)`, `Map(k -> v)`, `Some(x)`: a standard container that holds its arguments.
    fn standard_object(&mut self, builtin: Builtin, file: FileId, args: &[ExprId]) -> Values {
        let mut all = Values::default();
        for &arg in args {
            all.add(self.eval(file, arg, Namespace::Value));
        }
        match builtin {
            Builtin::Transparent => all,
            Builtin::Map => {
                let [keys, values] = [0, 1].map(|index| all.clone().flat_map(|pair| self.item(&pair, index, file)));
                Values::one(Value::Builtin(builtin, [keys, values].into()))
            }
            Builtin::Tuple => {
                let items = args.iter().map(|&arg| self.eval(file, arg, Namespace::Value));
                Values::one(Value::Builtin(builtin, items.collect()))
            }
            _ => Values::one(Value::Builtin(builtin, [all].into())),
        }
    }

    /// Returns whether a function is called to construct: it assigns to members of its receiver, or has a prototype.
    fn constructs(&mut self, of: DefRef) -> bool {
        self.ask_definition(of);
        let facts = &self.unit(of.file).facts;
        let fields = facts
            .definitions
            .iter()
            .any(|definition| definition.owner == Some(of.def) && definition.kind == DefKind::Field);
        fields && facts.list(facts.definition(of.def).values).is_empty()
    }

    /// Return value of a function.
    pub(in crate::eval) fn find_returned(
        &mut self,
        of: DefRef,
        receiver: Option<&Receiver>,
        given: &crate::eval::Args,
        file: FileId,
        args: &[ExprId],
    ) -> Values {
        if let Some(place) = self.run.values.get(&of) {
            self.run.cut = self.run.cut.min(*place);
            return Values::default();
        }
        self.run.values.insert(of, self.run.depth);
        let result = self.returned_unguarded(of, receiver, given, file, args);
        self.run.values.remove(&of);
        result
    }

    fn returned_unguarded(
        &mut self,
        of: DefRef,
        receiver: Option<&Receiver>,
        given: &crate::eval::Args,
        file: FileId,
        args: &[ExprId],
    ) -> Values {
        let unit = self.unit(of.file);
        let definition = unit.facts.definition(of.def);
        let rules = self.rules(of.file);
        if rules.argument_labels && definition.flags.is_constructor {
            return match receiver.map(|receiver| &receiver.value) {
                Some(Value::Instance(class, args) | Value::Def(class, args)) => {
                    Values::one(Value::Instance(*class, args.clone()))
                }
                Some(value @ (Value::External(..) | Value::Builtin(..))) => Values::one(value.clone()),
                _ => self.receiver_of(of),
            };
        }
        let list = unit.list(definition.values);
        // A declared result counts more than what the body returns.
        let exprs: &[ExprId] = match &definition.declared {
            Some(declared) => std::slice::from_ref(declared),
            None => list,
        };
        // A method that returns its receiver keeps the receiver's own class.
        if let (Some(receiver), [expr]) = (receiver, exprs)
            && self.is_receiver(of, *expr)
        {
            let value = Values::one(receiver.value.clone());
            return if rules.binds_called_class { self.instantiate(value) } else { value };
        }
        let mut values = match definition.declared {
            Some(declared) => {
                let types = self.eval(of.file, declared, Namespace::Type);
                self.instantiate(types)
            }
            None if list.is_empty() => Values::one(Value::Null),
            None => self.results(of, receiver, list, file, args),
        };
        // Callers get an iterator or something to await around the value, unless the declared type says so already.
        if definition.flags.is_generator && definition.declared.is_none() {
            values = Values::one(Value::Builtin(Builtin::List, [values].into()));
        }
        if definition.flags.is_async && (rules.async_wraps_declared || definition.declared.is_none()) {
            values = Values::one(Value::Builtin(Builtin::Wrapper, [values].into()));
        }
        // The arguments of the receiver replace the type parameters of its class and of the base that declares the
        // method.
        if let Some(receiver) = receiver
            && let Value::Instance(class, class_args) = &receiver.value
        {
            if let Some((owner, args)) = &receiver.owner {
                values = self.substitute(values, *owner, args);
                values = self.substitute_block(values, of, *owner, args);
            }
            values = self.substitute(values, *class, class_args);
            values = self.substitute_block(values, of, *class, class_args);
        }
        if let Some(receiver) = receiver {
            values = self.infer_receiver(values, of, &receiver.value);
        }
        let receiver = receiver.map(|receiver| &receiver.value);
        self.infer_with(values, (of, receiver), given, file, args)
    }

    /// Values of the result expressions of a function in this call: where one is a parameter, the argument.
    fn results(
        &mut self,
        of: DefRef,
        receiver: Option<&Receiver>,
        exprs: &[ExprId],
        file: FileId,
        args: &[ExprId],
    ) -> Values {
        let mut values = Values::default();
        for &expr in exprs {
            let place = if args.is_empty() { None } else { self.own_parameter(of, receiver.is_some(), expr) };
            let arg = place.and_then(|place| args.get(place)).copied();
            let arg = arg.filter(|&arg| self.project.unit(file).facts.expr(arg) != Expr::Unknown);
            values.add(match arg {
                Some(arg) => self.eval(file, arg, Namespace::Value),
                None => self.eval(of.file, expr, Namespace::Value),
            });
        }
        values
    }

    /// Replaces the type parameters of the enclosing block (`impl<T> Wrap<T>`) with the receiver's arguments.
    pub(in crate::eval) fn substitute_block(
        &mut self,
        values: Values,
        method: DefRef,
        class: DefRef,
        class_args: &crate::eval::Args,
    ) -> Values {
        let owner = self.definition(method).owner.map(|def| DefRef { file: method.file, def });
        // The block, or a method that declares its own receiver type.
        let says = [Some(method), owner].into_iter().flatten();
        let mut says = says.filter_map(|one| Some((one, self.definition(one).extends_type?)));
        let Some((block, expr)) = says.next() else { return values };
        if class_args.is_empty() {
            return values;
        }
        let types = self.eval(block.file, expr, Namespace::Type);
        let count = self.unit(block.file).facts.type_parameters(block.def).len();
        // A function has type parameters besides those of its receiver; parts of a type have those of the type.
        let kind = self.definition(block).kind;
        if kind.is_class_like() && kind != DefKind::Impl {
            return values;
        }
        let unset = |index: usize| match kind {
            DefKind::Function if self.rules(block.file).extension_functions => {
                Values::one(Value::TypeVar(block, index as u32))
            }
            _ => Values::unknown(Reason::UnknownReceiver),
        };
        let mut known: Vec<Values> = (0..count).map(unset).collect();
        for ty in types.items {
            let Value::Def(of, pattern) = ty else { continue };
            if of != class {
                continue;
            }
            for (parameter, arg) in pattern.iter().zip(class_args.iter()) {
                if let [Value::TypeVar(owner, index)] = parameter.items.as_slice()
                    && *owner == block
                    && let Some(slot) = known.get_mut(*index as usize)
                {
                    *slot = arg.clone();
                }
            }
        }
        self.substitute(values, block, &known.into())
    }

    /// Returns whether an expression of a method is its receiver, or its receiver's type: the result is then the very
    /// value that the method was called on.
    fn is_receiver(&mut self, of: DefRef, expr: ExprId) -> bool {
        let unit = self.unit(of.file);
        match unit.facts.expr(expr) {
            Expr::This { .. } | Expr::SelfType { .. } => true,
            // `new static`, `new` in a method of the class.
            Expr::Call { callee, .. } if self.rules(of.file).binds_called_class => {
                let Expr::Generic { base, .. } = unit.facts.expr(callee) else { return false };
                matches!(unit.facts.expr(base), Expr::SelfType { .. })
            }
            Expr::Name { name, .. } => unit
                .facts
                .parameters(of.def)
                .first()
                .is_some_and(|first| first.kind == ParameterKind::Receiver && first.name == name),
            _ => false,
        }
    }

    /// Like [`Eval::infer`], for a call on a receiver.
    fn infer_with(
        &mut self,
        values: Values,
        (of, receiver): (DefRef, Option<&Value>),
        given: &crate::eval::Args,
        file: FileId,
        args: &[ExprId],
    ) -> Values {
        let is_argument = self.is_extension(of) && !self.is_received(of, receiver);
        self.infer_given(values, of, given, file, (args, is_argument))
    }

    /// Type parameters of a function in its result: those given, else from the arguments that have them in their type.
    pub(in crate::eval) fn infer(
        &mut self,
        values: Values,
        of: DefRef,
        given: &crate::eval::Args,
        file: FileId,
        args: &[ExprId],
    ) -> Values {
        self.infer_given(values, of, given, file, (args, false))
    }

    /// `is_argument`: the receiver is one of the arguments.
    fn infer_given(
        &mut self,
        values: Values,
        of: DefRef,
        given: &crate::eval::Args,
        file: FileId,
        (args, is_argument): (&[ExprId], bool),
    ) -> Values {
        let unit = self.unit(of.file);
        let count = unit.facts.type_parameters(of.def).len();
        if count == 0 || !values.mention(of) {
            return values;
        }
        let is_apart = |kind| matches!(kind, ParameterKind::Receiver | ParameterKind::ClassReceiver);
        let parameters: Vec<_> = unit
            .facts
            .parameters(of.def)
            .iter()
            .filter(|parameter| is_argument || !is_apart(parameter.kind))
            .copied()
            .collect();
        let mut known = vec![Values::unknown(Reason::UnknownReceiver); count];
        // The last parameter may take all that is left.
        let rest = parameters.last().filter(|last| last.kind == ParameterKind::Rest);
        let labelled = self.rules(of.file).argument_labels.then(|| self.place_arguments(of, file, args)).flatten();
        for (place, &arg) in args.iter().enumerate() {
            let place = labelled.as_ref().map_or(place, |places| places[place]);
            let Some(parameter) = parameters.get(place).or(rest) else { break };
            let Some(declared) = parameter.declared else { continue };
            let types = self.eval(of.file, declared, Namespace::Type);
            let value = self.eval(file, arg, Namespace::Value);
            for ty in &types.items {
                self.unify(ty, &value, of, file, &mut known, 0);
            }
        }
        for (slot, given) in known.iter_mut().zip(given.iter()) {
            *slot = given.clone();
        }
        self.substitute(values, of, &known.into())
    }

    /// Infers the type parameters of `of` in a parameter's type from the argument.
    pub(in crate::eval) fn unify(
        &mut self,
        pattern: &Value,
        given: &Values,
        of: DefRef,
        file: FileId,
        known: &mut [Values],
        depth: u32,
    ) {
        /// Nesting of type arguments that is followed.
        const NESTING: u32 = 4;
        if depth > NESTING {
            return;
        }
        if !pattern.mentions(of) {
            return;
        }
        match pattern {
            // The variable itself; its first meaning counts.
            Value::TypeVar(owner, index) if *owner == of => {
                if let Some(slot) = known.get_mut(*index as usize).filter(|slot| slot.items.is_empty()) {
                    *slot = given.clone();
                }
            }
            // `Type[T]` given a class means its instances.
            Value::BuiltinType(Builtin::ClassOf, inner) => {
                let instances = self.instantiate(given.clone());
                self.unify_arg(inner, 0, &instances, of, file, known, depth);
            }
            Value::BuiltinType(Builtin::Transparent, inner) if self.home.extension_functions => {
                self.unify_arg(inner, 0, given, of, file, known, depth);
            }
            // A function type ends with its result.
            Value::BuiltinType(Builtin::Function, inner) if self.home.extension_functions => {
                let results = given.clone().flat_map(|function| self.call(&function, file, &[]));
                self.unify_arg(inner, inner.len().saturating_sub(1), &results, of, file, known, depth);
            }
            // A list pattern fits whatever has elements.
            Value::BuiltinType(Builtin::List | Builtin::Array, inner)
            | Value::Builtin(Builtin::List | Builtin::Array, inner) => {
                let elements = given.clone().flat_map(|value| self.element(&value, file));
                self.unify_arg(inner, 0, &elements, of, file, known, depth);
            }
            // The same generic type on both sides: argument by argument.
            Value::BuiltinType(kind, inner) | Value::Builtin(kind, inner) => {
                for value in &given.items {
                    let Value::Builtin(same, args) = value else { continue };
                    if same == kind {
                        for (index, arg) in args.iter().enumerate() {
                            self.unify_arg(inner, index, arg, of, file, known, depth);
                        }
                    }
                }
            }
            Value::Def(class, inner) | Value::Instance(class, inner) if !inner.is_empty() => {
                for value in &given.items {
                    let Value::Instance(same, args) = value else { continue };
                    if same == class {
                        for (index, arg) in args.iter().enumerate() {
                            self.unify_arg(inner, index, arg, of, file, known, depth);
                        }
                    }
                }
            }
            // A function stands for what it returns.
            Value::Callable(result) => {
                let results = given.clone().flat_map(|function| self.call(&function, file, &[]));
                for pattern in &result.items {
                    self.unify(pattern, &results, of, file, known, depth + 1);
                }
            }
            _ => {}
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one step of `unify`")]
    fn unify_arg(
        &mut self,
        patterns: &crate::eval::Args,
        index: usize,
        given: &Values,
        of: DefRef,
        file: FileId,
        known: &mut [Values],
        depth: u32,
    ) {
        for pattern in patterns.get(index).map(|values| values.items.as_slice()).unwrap_or_default() {
            self.unify(pattern, given, of, file, known, depth + 1);
        }
    }

    /// Values of the types.
    pub(in crate::eval) fn instantiate(&mut self, types: Values) -> Values {
        types.flat_map(|ty| match ty {
            Value::Def(of, args) => match self.definition(of).kind {
                DefKind::Variant => match self.definition(of).owner {
                    // Fields of the variant are looked up on the variant, the rest on its enum.
                    Some(_) => Values::one(Value::Def(of, args)),
                    None => Values::unknown(Reason::UnknownReceiver),
                },
                DefKind::Function | DefKind::Module | DefKind::Macro if !self.rules(of.file).function_classes => {
                    Values::unknown(Reason::UnknownReceiver)
                }
                DefKind::Variable | DefKind::Constant | DefKind::Field => Values::unknown(Reason::UnknownReceiver),
                _ => Values::one(Value::Instance(of, args)),
            },
            Value::BuiltinType(builtin, args) => match builtin {
                Builtin::Transparent => {
                    args.first().cloned().unwrap_or_else(|| Values::unknown(Reason::UnknownReceiver))
                }
                Builtin::Union => {
                    let mut all = Values::default();
                    args.iter().for_each(|arg| all.add(arg.clone()));
                    all
                }
                Builtin::ClassOf => {
                    args.first().cloned().unwrap_or_else(|| Values::unknown(Reason::UnknownReceiver)).flat_map(
                        |value| {
                            Values::one(match value {
                                Value::Instance(of, args) => Value::Def(of, args),
                                other => other,
                            })
                        },
                    )
                }
                Builtin::Function => Values::one(Value::Callable(Rc::new(
                    args.last().cloned().unwrap_or_else(|| Values::unknown(Reason::UnknownReceiver)),
                ))),
                builtin => Values::one(Value::Builtin(builtin, args)),
            },
            Value::Module(Module::File(file)) => {
                let whole = self.whole_export(file);
                let types = self.values_of(whole, Namespace::Type);
                types.flat_map(|ty| match ty {
                    Value::Def(of, args) => Values::one(Value::Instance(of, args)),
                    _ => Values::unknown(Reason::UnknownReceiver),
                })
            }
            Value::External(outside, name) => Values::one(Value::External(outside.instance(), name)),
            other => Values::one(other),
        })
    }

    pub(in crate::eval) fn call_member(&mut self, value: &Value, method: &str) -> Values {
        let name = self.project.names.intern(method);
        let search = self.member(value, name, Namespace::Callee);
        let functions = search.found.iter().any(|found| matches!(found.entity, Entity::Def(_)));
        if !functions {
            let external = search.found.iter().find_map(|found| match &found.entity {
                Entity::External(package, _) => Some(package.clone()),
                _ => None,
            });
            return match external {
                Some(package) => Values::one(Value::External(package.yield_value(), None)),
                None => Values::unknown(Reason::UnknownReceiver),
            };
        }
        let callees = self.values_of(search, Namespace::Value);
        callees.flat_map(|callee| match callee {
            Value::Bound(of, receiver) => self.find_returned(of, Some(&receiver), &no_args(), of.file, &[]),
            _ => Values::unknown(Reason::UnknownReceiver),
        })
    }

    /// `value[…]`.
    pub(in crate::eval) fn index(&mut self, value: &Value, file: FileId) -> Values {
        match value {
            Value::Builtin(Builtin::Map, args) => arg(args, 1),
            Value::Builtin(Builtin::Tuple, args) => {
                let mut all = Values::default();
                args.iter().for_each(|arg| all.add(arg.clone()));
                all
            }
            Value::Builtin(Builtin::List | Builtin::Array, args) => arg(args, 0),
            Value::Instance(of, args) if self.definition(*of).flags.is_distinct => {
                let containers = self.underlying(*of, args).unwrap_or_default();
                containers.flat_map(|value| self.index_deeper(&value, file))
            }
            Value::Instance(of, _) => match self.rules(of.file).index_method {
                Some(method) => self.call_member(value, method),
                None => Values::unknown(Reason::UnknownReceiver),
            },
            Value::TypeVar(of, index) => {
                let bounds = self.follow_bound(*of, *index);
                bounds.flat_map(|bound| match bound {
                    Value::TypeVar(..) => Values::unknown(Reason::UnknownReceiver),
                    bound => self.index_deeper(&bound, file),
                })
            }
            // `Generic[T]` written as a value.
            Value::Def(of, _) => self.entries(*of).unwrap_or_else(|| Values::one(value.clone())),
            Value::BuiltinType(..) => Values::one(value.clone()),
            Value::External(package, _) => Values::one(Value::External(package.yield_value(), None)),
            Value::Null => Values::default(),
            _ => Values::unknown(Reason::UnknownReceiver),
        }
    }

    fn index_deeper(&mut self, value: &Value, file: FileId) -> Values {
        if !self.deeper() {
            return Values::unknown(Reason::Budget);
        }
        let values = self.index(value, file);
        self.leave();
        values
    }

    /// Item number `index` of a tuple.
    pub(in crate::eval) fn item(&mut self, value: &Value, index: usize, file: FileId) -> Values {
        match value {
            Value::Builtin(Builtin::Tuple, args) => arg(args, index),
            // The error of a result.
            Value::Builtin(Builtin::Wrapper, args) if args.len() > index => arg(args, index),
            // A part of a case class, in a pattern.
            Value::Instance(of, args) if self.rules(of.file).companions => {
                let (of, args) = (*of, args.clone());
                self.part_of_class(of, &args, index)
            }
            // A field of a tuple struct.
            Value::Instance(of, _) if self.rules(of.file).fields_apart => {
                let name = self.project.names.intern(&index.to_string());
                let search = self.member(value, name, Namespace::Value);
                self.values_of(search, Namespace::Value)
            }
            // A component of a data class.
            Value::Instance(of, args) if self.rules(of.file).implicit_receivers => {
                self.component(*of, args, index).unwrap_or_else(|| self.element(value, file))
            }
            Value::Builtin(Builtin::List, args) if args.len() > index + 1 => arg(args, index + 1),
            // One of several results.
            Value::External(package, _) => Values::one(Value::External(package.somewhere(), None)),
            other => self.element(other, file),
        }
    }

    /// Element type of an iteration.
    pub(in crate::eval) fn element(&mut self, value: &Value, file: FileId) -> Values {
        if !self.deeper() {
            return Values::unknown(Reason::Budget);
        }
        let values = self.iterate_value(value, file);
        self.leave();
        values
    }

    fn iterate_value(&mut self, value: &Value, file: FileId) -> Values {
        match value {
            Value::Builtin(Builtin::Map, args) if self.rules(file).map_iterates_pairs => {
                Values::one(Value::Builtin(Builtin::Tuple, args.clone()))
            }
            Value::Builtin(Builtin::List | Builtin::Array | Builtin::Map | Builtin::Wrapper, args) => arg(args, 0),
            Value::Builtin(Builtin::Tuple, args) => {
                let mut all = Values::default();
                args.iter().for_each(|arg| all.add(arg.clone()));
                all
            }
            Value::Instance(of, args) if self.definition(*of).flags.is_distinct => {
                let containers = self.underlying(*of, args).unwrap_or_default();
                containers.flat_map(|value| self.element(&value, file))
            }
            Value::Instance(of, _) => {
                let rules = self.rules(of.file);
                if let Some(next) = rules.next_method.filter(|next| self.has_member(value, next)) {
                    return self.call_member(value, next).flat_map(crate::eval::unwrap);
                }
                match rules.iterate_method.filter(|iterate| self.has_member(value, iterate)) {
                    Some(iterate) => {
                        let iterators = self.call_member(value, iterate);
                        iterators.flat_map(|iterator| {
                            if iterator == *value {
                                return Values::unknown(Reason::UnknownReceiver);
                            }
                            if self.step() { self.element(&iterator, file) } else { Values::unknown(Reason::Budget) }
                        })
                    }
                    None if rules.argument_labels => self.literal_element(*of),
                    None => Values::unknown(Reason::UnknownReceiver),
                }
            }
            Value::TypeVar(of, index) => {
                let bounds = self.follow_bound(*of, *index);
                bounds.flat_map(|bound| match bound {
                    Value::TypeVar(..) => Values::unknown(Reason::UnknownReceiver),
                    bound => self.element(&bound, file),
                })
            }
            // Iterating an enum class yields its members.
            Value::Def(of, _) if matches!(self.definition(*of).kind, DefKind::Class | DefKind::Enum) => {
                Values::one(Value::Instance(*of, no_args()))
            }
            Value::External(package, _) => Values::one(Value::External(package.yield_value(), None)),
            Value::Null => Values::default(),
            _ => Values::unknown(Reason::UnknownReceiver),
        }
    }

    /// Type of the first variable of a range.
    fn counted_by(&mut self, value: &Value, file: FileId) -> Values {
        match value {
            Value::Builtin(Builtin::Map | Builtin::Wrapper, args) => arg(args, 0),
            Value::Builtin(..) => Values::one(Value::Builtin(Builtin::Scalar, no_args())),
            Value::Instance(of, args) if self.definition(*of).flags.is_distinct => {
                let containers = self.underlying(*of, args).unwrap_or_default();
                containers.flat_map(|value| self.enter(&value, file))
            }
            Value::External(package, _) => Values::one(Value::External(package.yield_value(), None)),
            Value::TypeVar(of, index) => {
                let bounds = self.follow_bound(*of, *index);
                bounds.flat_map(|bound| match bound {
                    Value::TypeVar(..) => Values::unknown(Reason::UnknownReceiver),
                    bound => self.enter(&bound, file),
                })
            }
            _ => Values::unknown(Reason::UnknownReceiver),
        }
    }

    pub(in crate::eval) fn has_member(&mut self, value: &Value, method: &str) -> bool {
        let name = self.project.names.intern(method);
        let search = self.member(value, name, Namespace::Callee);
        search.found.iter().any(|found| matches!(found.entity, Entity::Def(_)))
    }

    /// Result of entering a context manager.
    pub(in crate::eval) fn enter(&mut self, value: &Value, file: FileId) -> Values {
        if self.rules(file).counted_ranges {
            if !self.deeper() {
                return Values::unknown(Reason::Budget);
            }
            let values = self.counted_by(value, file);
            self.leave();
            return values;
        }
        match value {
            Value::Instance(of, _) => match self.rules(of.file).enter_method {
                Some(method) => self.call_member(value, method),
                None => Values::one(value.clone()),
            },
            // A generator made a context manager by a decorator yields its one value.
            Value::Builtin(Builtin::List, args) => arg(args, 0),
            other => Values::one(other.clone()),
        }
    }

    /// Result of entering an awaited context manager, which may be returned by an `async` function.
    pub(in crate::eval) fn awaited_enter(&mut self, value: &Value, file: FileId) -> Values {
        crate::eval::unwrap(value.clone()).flat_map(|value| {
            let methods = match value {
                Value::Instance(of, _) => self.rules(of.file).async_methods,
                _ => None,
            };
            match methods {
                Some(methods) => self.call_member(&value, methods.enter).flat_map(crate::eval::unwrap),
                None => self.enter(&value, file),
            }
        })
    }

    /// Element type of an asynchronous iteration, whose iterable may be returned by an `async` function.
    pub(in crate::eval) fn awaited_element(&mut self, value: &Value, file: FileId) -> Values {
        if !self.deeper() {
            return Values::unknown(Reason::Budget);
        }
        let values = crate::eval::unwrap(value.clone()).flat_map(|value| {
            let methods = match value {
                Value::Instance(of, _) => self.rules(of.file).async_methods,
                _ => None,
            };
            match methods {
                Some(methods) if self.has_member(&value, methods.next) => {
                    self.call_member(&value, methods.next).flat_map(crate::eval::unwrap)
                }
                Some(methods) => {
                    let iterators = self.call_member(&value, methods.iterate);
                    iterators.flat_map(|iterator| match iterator == value {
                        true => Values::unknown(Reason::UnknownReceiver),
                        false => self.awaited_element(&iterator, file),
                    })
                }
                None => self.element(&value, file),
            }
        });
        self.leave();
        values
    }
}

fn arg(args: &crate::eval::Args, index: usize) -> Values {
    args.get(index).cloned().unwrap_or_else(|| Values::unknown(Reason::UnknownReceiver))
}
