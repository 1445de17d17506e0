//! Parameters of functions that are written as arguments or with a declared type: inferred from the function type
//! expected there.

use std::cell::OnceCell;
use std::iter::successors;
use std::rc::Rc;

use m1nd_lang::facts::{BindingTarget, DefKind, Expr, ExprId, ListId, Namespace, Parameter, ParameterKind};

use crate::eval::{Args, Entity, Eval, Value, Values, no_args};
use crate::reason::Reason;
use crate::tables::files::{DefRef, FileId};

/// Types followed from one expected type.
const MOST_TYPES: usize = 64;
/// Name of the signature by which an interface is called.
const CALL_SIGNATURE: &str = "()";

/// Type arguments that hold where a type was found, innermost first.
type Known = Option<Rc<TypeArguments>>;

/// The type arguments of a definition where a type was found in it.
#[derive(Debug)]
struct TypeArguments {
    of: DefRef,
    /// As written; `None` if known from the start.
    written: Option<(FileId, ListId)>,
    /// Computed when a type mentions them: of many overloads, few are examined that closely.
    values: OnceCell<Args>,
    /// Type arguments known in the context.
    around: Known,
}

impl TypeArguments {
    fn of_value((of, args): (DefRef, Args)) -> Known {
        Some(Rc::new(Self { of, written: None, values: OnceCell::from(args), around: None }))
    }

    /// The same with more around it.
    fn within(known: &Known, around: &Known) -> Known {
        if around.is_none() {
            return known.clone();
        }
        let mut inner: Vec<_> = successors(known.as_ref(), |inner| inner.around.as_ref()).collect();
        let mut all = around.clone();
        while let Some(Self { of, written, values, .. }) = inner.pop().map(Rc::as_ref) {
            let values = if written.is_some() { OnceCell::new() } else { values.clone() };
            all = Some(Rc::new(Self { of: *of, written: *written, values, around: all }));
        }
        all
    }
}

/// The parameters of something that can be called.
#[derive(Debug, Clone)]
pub(in crate::eval) struct Signature {
    file: FileId,
    parameters: Rc<[Option<ExprId>]>,
    /// The last parameter takes all that is left; its type is that of a container.
    rest: bool,
    /// The function it belongs to, whose type parameters are inferred from the call's arguments.
    of: Option<DefRef>,
    known: Known,
}

impl Signature {
    fn of_parameters(of: DefRef, parameters: &[Parameter], known: Known) -> Self {
        let plain = parameters
            .iter()
            .filter(|parameter| !matches!(parameter.kind, ParameterKind::Receiver | ParameterKind::ClassReceiver));
        let rest = parameters.last().is_some_and(|last| last.kind == ParameterKind::Rest);
        let parameters = plain.map(|parameter| parameter.declared).collect();
        Self { file: of.file, parameters, rest, of: Some(of), known }
    }

    fn within(&self, around: &Known) -> Self {
        Self { known: TypeArguments::within(&self.known, around), ..self.clone() }
    }

    /// The type of a parameter, and whether it is that of the container of all that is left.
    fn parameter(&self, index: usize) -> Option<(ExprId, bool)> {
        let last = self.parameters.len().checked_sub(1)?;
        let is_rest = self.rest && index >= last;
        let declared = self.parameters.get(if is_rest { last } else { index }).copied().flatten()?;
        Some((declared, is_rest))
    }
}

impl Eval<'_> {
    /// The value for parameter number `parameter` of a function, as described at [`Expr::Given`].
    pub(in crate::eval) fn given_here(&mut self, file: FileId, by: ExprId, parameter: u32) -> Values {
        if !self.deeper() {
            return Values::unknown(Reason::Budget);
        }
        let parameter = (parameter != Expr::WHOLE).then_some(parameter as usize);
        if self.rules(file).argument_labels {
            let values = match parameter {
                Some(place) => self.expected_argument(file, by, place),
                None => {
                    let values = self.eval(file, by, Namespace::Value);
                    self.types_of(values)
                }
            };
            self.leave();
            return values;
        }
        let values = match (self.unit(file).facts.expr(by), parameter) {
            (Expr::Call { callee, args }, parameter) => {
                let args = self.unit(file).list(args);
                self.given_by_call(file, callee, args, parameter)
            }
            (Expr::Instance { of }, Some(parameter)) => {
                let signatures = self.signatures(file, of);
                self.parameter_of_any(&signatures, parameter)
            }
            (_, Some(parameter)) => {
                let signatures = self.called_signatures(file, by);
                self.parameter_of_any(&signatures, parameter)
            }
            (_, None) => Values::default(),
        };
        self.leave();
        if values.is_nothing() { Values::unknown(Reason::UnknownReceiver) } else { values }
    }

    fn parameter_of_any(&mut self, signatures: &[Signature], parameter: usize) -> Values {
        let mut values = Values::default();
        for signature in signatures {
            values.add(self.parameter_of(signature, parameter));
        }
        values
    }

    /// The arguments with which a callee calls the function that is its next argument, or the value of that
    /// argument's type.
    fn given_by_call(&mut self, file: FileId, callee: ExprId, args: &[ExprId], parameter: Option<usize>) -> Values {
        let mut values = Values::default();
        for outer in self.called_signatures(file, callee) {
            let Some(parameter) = parameter else {
                let given = self.parameter_of(&outer, args.len());
                self.add_given(given, &outer, file, args, &mut values);
                continue;
            };
            let Some((expected, is_rest)) = outer.parameter(args.len()) else { continue };
            let types = if is_rest { self.item_types(outer.file, expected) } else { vec![expected] };
            for ty in types {
                for inner in self.signatures(outer.file, ty).iter() {
                    let Some((given, is_rest)) = self.parameter_as_written(inner, parameter) else { continue };
                    if !is_rest
                        && given.items.iter().all(|value| values.items.iter().any(|known| is_same_class(known, value)))
                    {
                        values.unknown = values.unknown.or(given.unknown);
                        continue;
                    }
                    let given = self.parameter_where_known(given, is_rest, &inner.within(&outer.known));
                    self.add_given(given, &outer, file, args, &mut values);
                }
            }
        }
        values
    }

    fn add_given(&mut self, given: Values, by: &Signature, file: FileId, args: &[ExprId], values: &mut Values) {
        let mut given = match by.of {
            Some(of) => {
                // Members that are written in a block mention the type parameters of the block.
                let given = match &by.known {
                    Some(known) => {
                        let class_args = self.type_arguments(known);
                        self.substitute_block(given, of, known.of, &class_args)
                    }
                    None => given,
                };
                self.infer(given, of, &no_args(), file, args)
            }
            None => given,
        };
        // Overloads mostly differ in type arguments only, which say little about members.
        given.items.retain(|value| !values.items.iter().any(|known| is_same_class(known, value)));
        values.add(given);
    }

    /// A value of the type of a parameter.
    fn parameter_of(&mut self, signature: &Signature, parameter: usize) -> Values {
        match self.parameter_as_written(signature, parameter) {
            Some((values, is_rest)) => self.parameter_where_known(values, is_rest, signature),
            None => Values::default(),
        }
    }

    /// The same where no type arguments are known; whether it is the container of all that is left.
    fn parameter_as_written(&mut self, signature: &Signature, parameter: usize) -> Option<(Values, bool)> {
        let (declared, is_rest) = signature.parameter(parameter)?;
        let types = self.eval(signature.file, declared, Namespace::Type);
        Some((self.instantiate(types), is_rest))
    }

    fn parameter_where_known(&mut self, values: Values, is_rest: bool, signature: &Signature) -> Values {
        let values = self.substitute_known(values, &signature.known);
        if is_rest { values.flat_map(|value| self.element(&value, signature.file)) } else { values }
    }

    /// Replaces the type parameters whose arguments are known.
    fn substitute_known(&mut self, mut values: Values, known: &Known) -> Values {
        for arguments in successors(known.as_ref(), |inner| inner.around.as_ref()) {
            if values.mention(arguments.of) {
                let args = self.type_arguments(arguments);
                values = self.substitute(values, arguments.of, &args);
            }
        }
        values
    }

    fn type_arguments(&mut self, arguments: &TypeArguments) -> Args {
        // From the outermost on, so that none has to wait for those around it.
        let mut unknown: Vec<_> = successors(Some(arguments), |inner| inner.around.as_deref())
            .take_while(|arguments| arguments.values.get().is_none())
            .collect();
        while let Some(arguments) = unknown.pop() {
            let Some((file, written)) = arguments.written else { continue };
            let written = self.unit(file).list(written);
            let values = written.iter().map(|&arg| {
                let types = self.eval(file, arg, Namespace::Type);
                let values = self.instantiate(types);
                self.substitute_known(values, &arguments.around)
            });
            let values = values.collect();
            arguments.values.get_or_init(|| values);
        }
        arguments.values.get().cloned().unwrap_or_else(no_args)
    }

    /// The types of the items of a list or tuple that is written as a type.
    fn item_types(&mut self, file: FileId, ty: ExprId) -> Vec<ExprId> {
        let unit = self.unit(file);
        match unit.facts.expr(ty) {
            Expr::Generic { args, .. } => unit.list(args).to_vec(),
            Expr::Collection { items, .. } => unit.list(items).to_vec(),
            _ => Vec::new(),
        }
    }

    /// The signatures of a callee.
    fn called_signatures(&mut self, file: FileId, callee: ExprId) -> Vec<Signature> {
        let mut all = Vec::new();
        let search = self.resolve(file, callee, Namespace::Callee);
        // The callee is not a name: its value may have a signature.
        if search.found.is_empty() {
            let values = self.eval(file, callee, Namespace::Callee);
            self.value_signatures(values, &mut all);
        }
        for found in search.found {
            let before = all.len();
            let known = found.owner.clone().and_then(TypeArguments::of_value);
            match found.entity {
                Entity::Def(of) => self.definition_signatures(of, &known, &mut all),
                // A variable or parameter has the signature of the type it is declared with.
                Entity::Local(file, binding) => {
                    let declared = match self.unit(file).facts.bindings[binding as usize].target {
                        BindingTarget::Typed(declared) => Some((file, declared)),
                        BindingTarget::Parameter(def, index) => {
                            let parameters = self.unit(file).facts.parameters(def);
                            parameters.get(index as usize).and_then(|row| Some((file, row.declared?)))
                        }
                        _ => None,
                    };
                    if let Some((file, declared)) = declared {
                        let signatures = self.signatures(file, declared);
                        all.extend(signatures.iter().map(|signature| signature.within(&known)));
                    }
                }
                _ => {}
            }
            // Without a declaration, the value decides.
            if all.len() == before {
                let values = self.value_of(&found, Namespace::Callee);
                self.value_signatures(values, &mut all);
            }
        }
        all
    }

    /// The signatures of the functions, classes and interfaces that a value is one of.
    fn value_signatures(&mut self, values: Values, all: &mut Vec<Signature>) {
        for value in values.items {
            match value {
                Value::Def(of, _) => self.definition_signatures(of, &None, all),
                Value::Bound(of, receiver) => {
                    let known = receiver.owner.clone().and_then(TypeArguments::of_value);
                    self.definition_signatures(of, &known, all);
                }
                Value::Instance(of, args) => {
                    let known = TypeArguments::of_value((of, args));
                    all.extend(self.own_signatures(of, &known));
                }
                _ => {}
            }
        }
    }

    fn definition_signatures(&mut self, of: DefRef, known: &Known, all: &mut Vec<Signature>) {
        let unit = self.unit(of.file);
        let definition = unit.facts.definition(of.def);
        match definition.kind {
            DefKind::Function => {
                all.push(Signature::of_parameters(of, unit.facts.parameters(of.def), known.clone()));
            }
            DefKind::Class => {
                let constructors = self.constructor(&Value::Def(of, no_args()));
                for found in constructors.found {
                    if let Entity::Def(function) = found.entity {
                        let parameters = self.unit(function.file).facts.parameters(function.def);
                        all.push(Signature::of_parameters(function, parameters, known.clone()));
                    }
                }
            }
            DefKind::Variable | DefKind::Constant | DefKind::Field => {
                if let Some(declared) = definition.declared {
                    let signatures = self.signatures(of.file, declared);
                    all.extend(signatures.iter().map(|signature| signature.within(known)));
                }
            }
            _ => {}
        }
    }

    /// The signatures by which values of an interface or class are called.
    fn own_signatures(&mut self, of: DefRef, known: &Known) -> Vec<Signature> {
        let facts = &self.unit(of.file).facts;
        self.call_signatures(of)
            .into_iter()
            .map(|signature| Signature::of_parameters(signature, facts.parameters(signature.def), known.clone()))
            .collect()
    }

    /// The definitions of the signatures by which values of an interface are called.
    fn call_signatures(&mut self, of: DefRef) -> Vec<DefRef> {
        self.ask_members(of);
        let facts = &self.unit(of.file).facts;
        let own = facts.definitions.iter().enumerate().filter(|(_, definition)| {
            definition.owner == Some(of.def)
                && definition.flags.is_anonymous
                && definition.kind == DefKind::Function
                && facts.name(definition.name) == CALL_SIGNATURE
        });
        let own = own.map(|(number, _)| DefRef { file: of.file, def: m1nd_lang::facts::DefId(number as u32) });
        own.take(MOST_TYPES).collect()
    }

    /// Result of calling a value of an interface, by any of its signatures.
    pub(in crate::eval) fn called_by_signature(
        &mut self,
        of: DefRef,
        of_args: &Args,
        file: FileId,
        args: &[ExprId],
    ) -> Values {
        let mut values = Values::default();
        for signature in self.call_signatures(of) {
            if self.definition(signature).declared.is_none() {
                return Values::unknown(Reason::UnknownReceiver);
            }
            let callee = Value::Def(signature, no_args());
            let yielded = self.call(&callee, file, args);
            values.add(self.substitute(yielded, of, of_args));
        }
        if values.is_nothing() { Values::unknown(Reason::UnknownReceiver) } else { values }
    }

    /// The signatures of a written type, without known type arguments in the context.
    fn signatures(&mut self, file: FileId, ty: ExprId) -> Rc<[Signature]> {
        if let Some(known) = self.memos.signatures.get(&(file, ty)) {
            return known.clone();
        }
        let outer = self.begin_uncut();
        let all: Rc<[Signature]> = self.signatures_unmemoised(file, ty).into();
        if self.end_uncut(outer) {
            self.memos.signatures.insert((file, ty), all.clone());
        }
        all
    }

    fn signatures_unmemoised(&mut self, file: FileId, ty: ExprId) -> Vec<Signature> {
        let mut all = Vec::new();
        let mut work = vec![(file, ty, Known::None)];
        let mut seen = 0;
        // Unions, aliases and bounds lead on to other types; their number is limited, because aliases may form circles.
        while let Some((file, ty, known)) = work.pop() {
            seen += 1;
            if seen > MOST_TYPES || !self.step() {
                break;
            }
            let unit = self.unit(file);
            match unit.facts.expr(ty) {
                Expr::Signature { parameters, .. } => {
                    let parameters = unit.list(parameters).iter();
                    let parameters =
                        parameters.map(|&ty| Some(ty).filter(|&ty| unit.facts.expr(ty) != Expr::Unknown)).collect();
                    all.push(Signature { file, parameters, rest: false, of: None, known });
                }
                Expr::Union(items) => {
                    work.extend(unit.list(items).iter().map(|&item| (file, item, known.clone())));
                }
                Expr::Generic { base, args } => {
                    self.named_types(file, base, Some(args), &known, &mut work, &mut all);
                }
                Expr::Name { .. } | Expr::Member { .. } => {
                    self.named_types(file, ty, None, &known, &mut work, &mut all);
                }
                Expr::Definition(def) => self.type_signatures(DefRef { file, def }, &known, &mut work, &mut all),
                _ => {}
            }
        }
        all
    }

    /// Continues with the types that a type name refers to.
    fn named_types(
        &mut self,
        file: FileId,
        name: ExprId,
        args: Option<ListId>,
        known: &Known,
        work: &mut Vec<(FileId, ExprId, Known)>,
        all: &mut Vec<Signature>,
    ) {
        for found in self.resolve(file, name, Namespace::Type).found {
            match found.entity {
                Entity::Def(of) => {
                    // The arguments are evaluated only when a signature needs them.
                    let inner = match args {
                        Some(args) => {
                            let (written, values) = (Some((file, args)), OnceCell::new());
                            Some(Rc::new(TypeArguments { of, written, values, around: known.clone() }))
                        }
                        None => known.clone(),
                    };
                    match self.definition(of).declared {
                        Some(declared) if self.is_alias(of) => work.push((of.file, declared, inner)),
                        _ => self.type_signatures(of, &inner, work, all),
                    }
                }
                // A type parameter stands for its bound.
                Entity::Local(file, binding) => {
                    let target = self.unit(file).facts.bindings[binding as usize].target;
                    if let BindingTarget::TypeParameter(def, index) = target {
                        let parameters = self.unit(file).facts.type_parameters(def);
                        let bound = parameters.get(index as usize).and_then(|parameter| parameter.bound);
                        work.extend(bound.map(|bound| (file, bound, known.clone())));
                    }
                }
                _ => {}
            }
        }
    }

    /// The signatures of an interface, its bases' included.
    fn type_signatures(
        &mut self,
        of: DefRef,
        known: &Known,
        work: &mut Vec<(FileId, ExprId, Known)>,
        all: &mut Vec<Signature>,
    ) {
        let unit = self.unit(of.file);
        let definition = unit.facts.definition(of.def);
        if definition.kind != DefKind::Interface {
            return;
        }
        let bases = unit.list(definition.bases);
        work.extend(bases.iter().map(|&base| (of.file, base, known.clone())));
        all.extend(self.own_signatures(of, known));
    }
}

fn is_same_class(one: &Value, other: &Value) -> bool {
    matches!((one, other), (Value::Instance(one, _), Value::Instance(other, _)) if one == other)
}
