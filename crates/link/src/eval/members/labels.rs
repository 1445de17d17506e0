//! Argument labels that belong to the names of functions, and what a call expects as an argument (Swift).

use m1nd_lang::facts::{BindingTarget, DefKind, Expr, ExprId, Namespace, Parameter, ParameterKind};
use smallvec::SmallVec;

use crate::eval::members::overload::Fit;
use crate::eval::{Entity, Eval, Found, Search, Value, Values, no_args};
use crate::names::Name;
use crate::reason::Reason;
use crate::tables::files::{DefRef, FileId};

/// Label of a parameter that is called without one.
const NONE: &str = "_";

/// A label as it is written at a call.
enum Label<'a> {
    /// None is written.
    Plain,
    /// A closure behind the other arguments, whose label may be left out.
    Trailing,
    Named(&'a str),
}

/// Returns whether a type has another one in it.
fn mentions(ty: &Value, variable: &Value, depth: u32) -> bool {
    /// Nesting of type arguments that is followed.
    const NESTING: u32 = 6;
    if ty == variable || depth > NESTING {
        return true;
    }
    let inside = |values: &Values| values.items.iter().any(|one| mentions(one, variable, depth + 1));
    match ty {
        Value::Def(_, args) | Value::Instance(_, args) | Value::Builtin(_, args) | Value::BuiltinType(_, args) => {
            args.iter().any(inside)
        }
        // Its parameters are not known.
        Value::Callable(_) | Value::External(..) => true,
        _ => false,
    }
}

/// The parameter that each argument of a call is given to.
pub(in crate::eval) type Places = SmallVec<[usize; 4]>;

impl<'a> Eval<'a> {
    fn label(&self, file: FileId, argument: ExprId) -> Label<'a> {
        let facts = &self.project.unit(file).facts;
        match facts.expr(argument) {
            Expr::Entry { name, .. } => match facts.name(name) {
                "" => Label::Trailing,
                name => Label::Named(name),
            },
            _ => Label::Plain,
        }
    }

    /// The parameters that arguments are given to by their labels and order; `None` if a function does not take them.
    pub(in crate::eval) fn place_arguments(&mut self, of: DefRef, file: FileId, args: &[ExprId]) -> Option<Places> {
        let unit = self.unit(of.file);
        let parameters = unit.facts.parameters(of.def);
        let label_of = |place: usize| unit.facts.name(parameters[place].name);
        let may_be_left_out =
            |parameter: &Parameter| parameter.default.is_some() || parameter.kind == ParameterKind::Rest;
        let mut places = Places::new();
        let mut next = 0;
        // In order: a parameter is only passed over if it has a default or takes any number of arguments.
        for (index, &argument) in args.iter().enumerate() {
            let label = self.label(file, argument);
            if let (Label::Plain, Some(&last)) = (&label, places.last())
                && parameters[last].kind == ParameterKind::Rest
                && next == last + 1
            {
                places.push(last);
                continue;
            }
            let is_last_one = index + 1 == args.len();
            let found = (next..parameters.len()).find_map(|place| {
                let fits = match label {
                    Label::Plain => label_of(place) == NONE,
                    Label::Named(label) => label_of(place) == label,
                    // It goes to the first that needs one, or to the last of all.
                    Label::Trailing => {
                        let takes = self.takes_function(of, &parameters[place]);
                        let others = &parameters[place + 1..];
                        let is_needed = |other: &Parameter| !may_be_left_out(other);
                        takes && !(is_last_one && may_be_left_out(&parameters[place]) && others.iter().any(is_needed))
                    }
                };
                match fits {
                    true => Some(Some(place)),
                    false if may_be_left_out(&parameters[place]) => None,
                    false => Some(None),
                }
            });
            let place = found.flatten()?;
            places.push(place);
            next = place + 1;
        }
        parameters[next.min(parameters.len())..].iter().all(may_be_left_out).then_some(places)
    }

    /// Returns whether a closure may be given to a parameter.
    fn takes_function(&mut self, of: DefRef, parameter: &Parameter) -> bool {
        let facts = &self.unit(of.file).facts;
        let Some(declared) = parameter.declared else { return true };
        match facts.expr(declared) {
            Expr::Signature { .. } | Expr::Function { .. } => true,
            Expr::Collection { .. } | Expr::Generic { .. } => false,
            Expr::Name { name, .. } => {
                let is_plain = self.home.literal_types.iter().any(|(_, known)| *known == facts.name(name));
                !is_plain
            }
            _ => true,
        }
    }

    /// Returns whether a function takes the arguments of a call.
    pub(in crate::eval) fn takes_labels(&mut self, found: &Found, file: FileId, args: &[ExprId]) -> bool {
        match found.entity {
            Entity::Def(of) => self.place_arguments(of, file, args).is_some(),
            _ => false,
        }
    }

    /// What is expected as an argument of a call: values of the type of its parameter.
    pub(in crate::eval) fn expected_argument(&mut self, file: FileId, callee: ExprId, place: usize) -> Values {
        let unknown = || Values::unknown(Reason::UnknownReceiver);
        let search = self.callable(file, callee);
        let unit = self.unit(file);
        if let Some(values) = self.expected_by_value(file, callee, place) {
            return values;
        }
        let args: SmallVec<[ExprId; 4]> = unit.call(callee).map(|call| unit.list(call.args).into()).unwrap_or_default();
        let mut values = Values { unknown: search.unknown, ..Values::default() };
        for found in &search.found {
            let Entity::Def(of) = found.entity else {
                values.add(unknown());
                continue;
            };
            let is_case = self.definition(of).kind == DefKind::Variant;
            let index = match self.place_arguments(of, file, &args) {
                Some(places) => places.get(place).copied(),
                None => is_case.then_some(place),
            };
            let parameters = self.unit(of.file).facts.parameters(of.def);
            let declared = index.and_then(|index| parameters.get(index)?.declared);
            let Some(declared) = declared else {
                values.add(unknown());
                continue;
            };
            let types = self.eval(of.file, declared, Namespace::Type);
            let mut one = self.instantiate(types);
            if let Some((owner, args)) = &found.owner {
                one = self.substitute(one, *owner, args);
            }
            if let Some(Value::Instance(class, args)) = found.receiver.as_deref() {
                one = self.substitute(one, *class, args);
            }
            values.add(one);
        }
        if values.is_nothing() { unknown() } else { values }
    }

    /// What is expected by a callee that is not a function of its own: a value of a function type, or a type whose
    /// constructor of its fields is not written.
    fn expected_by_value(&mut self, file: FileId, callee: ExprId, place: usize) -> Option<Values> {
        let path = match self.unit(file).facts.expr(callee) {
            Expr::Generic { base, .. } => base,
            _ => callee,
        };
        let search = self.resolve(file, path, Namespace::Callee);
        let [found] = search.found.as_slice() else { return None };
        match found.entity {
            Entity::Local(of, binding) => {
                let facts = &self.unit(of).facts;
                let declared = match facts.bindings[binding as usize].target {
                    BindingTarget::Parameter(def, index) => facts.parameters(def).get(index as usize)?.declared?,
                    BindingTarget::Typed(declared) => declared,
                    _ => return None,
                };
                Some(self.function_parameter(of, declared, place))
            }
            Entity::Def(of) => {
                let row = self.definition(of);
                match row.kind {
                    DefKind::Field | DefKind::Variable => Some(self.function_parameter(of.file, row.declared?, place)),
                    DefKind::Struct => self.expected_field(file, path, of, place),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The type of the field that an argument of an unwritten constructor sets.
    fn expected_field(&mut self, file: FileId, callee: ExprId, class: DefRef, place: usize) -> Option<Values> {
        if self.constructors(file, callee, class).is_some() {
            return None;
        }
        let unit = self.unit(file);
        let argument = *unit.list(unit.call(callee)?.args).get(place)?;
        let Expr::Entry { name, .. } = unit.facts.expr(argument) else { return None };
        let fields = self.own_members(class, unit.name(name), Namespace::Value);
        Some(self.values_of(fields, Namespace::Value))
    }

    /// What the elements of an array are that is written for a value of a type (`init(arrayLiteral:)`).
    pub(in crate::eval) fn literal_element(&mut self, class: DefRef) -> Values {
        let all = self.constructor(&Value::Def(class, no_args()));
        for found in all.found {
            let Entity::Def(of) = found.entity else { continue };
            let unit = self.unit(of.file);
            let [parameter] = unit.facts.parameters(of.def) else { continue };
            if let Some(declared) = parameter.declared
                && unit.facts.name(parameter.name) == "arrayLiteral"
            {
                let types = self.eval(of.file, declared, Namespace::Type);
                return self.instantiate(types);
            }
        }
        Values::unknown(Reason::UnknownReceiver)
    }

    /// The functions that a callee names; constructors for a class.
    pub(in crate::eval) fn callable(&mut self, file: FileId, callee: ExprId) -> Search {
        let callee = match self.unit(file).facts.expr(callee) {
            Expr::Generic { base, .. } => base,
            _ => callee,
        };
        let search = self.resolve(file, callee, Namespace::Callee);
        let mut all = Search { unknown: search.unknown, ..Search::default() };
        for found in search.found {
            match found.entity {
                Entity::Def(class) if self.definition(class).kind.is_class_like() => {
                    all.add(self.constructors(file, callee, class).unwrap_or_default());
                }
                _ => all.push(found),
            }
        }
        all
    }

    /// The types of values: what a member that is written without its type belongs to.
    pub(in crate::eval) fn types_of(&mut self, values: Values) -> Values {
        values.flat_map(|value| {
            Values::one(match value {
                Value::Instance(of, args) => Value::Def(of, args),
                other => other,
            })
        })
    }

    /// The first name of an argument that is a member of the type that is expected (`.name`), which is not looked up
    /// while a function is still to be chosen.
    pub(in crate::eval) fn find_expected_member(&mut self, file: FileId, argument: ExprId) -> Option<Name> {
        /// Members and calls of which one is written behind the other.
        const MAX_CHAIN: usize = 32;
        let unit = self.unit(file);
        let mut expr = argument;
        let mut last = None;
        for _ in 0..MAX_CHAIN {
            expr = match unit.facts.expr(expr) {
                Expr::Member { base, name } => {
                    last = Some(unit.name(name));
                    base
                }
                Expr::Call { callee, .. } => callee,
                Expr::Entry { value, .. } => value,
                Expr::Given { .. } => return last,
                _ => return None,
            };
        }
        None
    }

    /// Returns whether a type has a member that is written without its type.
    pub(in crate::eval) fn fit_member(&mut self, name: Name, ty: &Value) -> Fit {
        let Value::Instance(of, args) = ty else { return Fit::Unknown };
        if self.home.constructors.contains(&self.text(name)) {
            return Fit::Unknown;
        }
        let search = self.member(&Value::Def(*of, args.clone()), name, Namespace::Value);
        match search.found.iter().any(|found| matches!(found.entity, Entity::Def(_))) {
            true => Fit::Plain,
            false if search.found.is_empty() && search.unknown == Some(Reason::NoSuchMember) => Fit::No,
            false => Fit::Unknown,
        }
    }

    /// Returns whether an outside value fits a type of the project: blocks may make its type conform to a protocol.
    pub(in crate::eval) fn fit_outside(&mut self, value: &Value, protocol: DefRef) -> Fit {
        if self.definition(protocol).kind != DefKind::Trait {
            return Fit::No;
        }
        match self.conforms(value, protocol) {
            Some(true) => Fit::Plain,
            Some(false) => Fit::No,
            None => Fit::Unknown,
        }
    }

    /// Returns whether the type parameters of a function follow from the arguments of a call, or from its result.
    pub(in crate::eval) fn can_infer(&mut self, found: &Found, given: &[usize]) -> bool {
        let Entity::Def(of) = found.entity else { return true };
        let unit = self.unit(of.file);
        let count = unit.facts.type_parameters(of.def).len();
        if count == 0 {
            return true;
        }
        let parameters = unit.facts.parameters(of.def);
        let declared = given.iter().filter_map(|&place| parameters.get(place)?.declared);
        let written: Vec<ExprId> = declared.chain(self.definition(of).declared).collect();
        (0..count).all(|index| {
            written.iter().any(|&ty| {
                let types = self.eval(of.file, ty, Namespace::Type);
                let variable = Value::TypeVar(of, index as u32);
                types.unknown.is_some() || types.items.iter().any(|ty| mentions(ty, &variable, 0))
            })
        })
    }

    /// The class whose constructor a path takes like a member (`T.init`), where the class writes none that is found.
    pub(in crate::eval) fn class_of_init(&mut self, file: FileId, expr: ExprId, search: Search) -> Search {
        let unit = self.unit(file);
        let Expr::Member { base, name } = unit.facts.expr(expr) else { return search };
        if !self.rules(file).constructors.contains(&unit.facts.name(name)) {
            return search;
        }
        let is_own = |found: &Found| matches!(found.entity, Entity::Def(_));
        let call = unit.call(expr).map(|call| unit.list(call.args));
        let fits = match call {
            Some(args) => search.found.iter().any(|found| self.takes_labels(found, file, args)),
            None => search.found.iter().any(is_own),
        };
        if fits {
            return search;
        }
        let mut classes = Search::default();
        for value in self.eval(file, base, Namespace::Value).items {
            match value {
                Value::Def(of, _) | Value::Instance(of, _) => classes.push(Found::plain(Entity::Def(of))),
                _ => {}
            }
        }
        if classes.found.is_empty() { search } else { classes }
    }
}
