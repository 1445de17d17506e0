//! Overloads of Java (JLS 15.12): applicable functions are searched in phases, and of those of the first phase that has
//! any the most specific is meant. What depends on types that are not known stays open.

use m1nd_lang::facts::{BindingTarget, DefId, DefKind, Expr, ExprId, Literal, Namespace, ParameterKind, Visibility};
use smallvec::SmallVec;

use super::overload::Fit;
use super::standard_types::{ARRAY, GENERIC, is_java};
use crate::eval::ancestors::Ancestor;
use crate::eval::{Args, Entity, Eval, Found, Search, Value, Values};
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::Builtin;
use crate::tables::files::{DefRef, FileId};

/// Calls and variables followed to the name of a standard type.
const MOST_STEPS: u32 = 8;
/// Nesting of arrays and bounds that is compared.
const NESTING: u32 = 6;

/// A type, as far as overloads need it.
#[derive(Debug, Clone)]
struct Typed {
    value: Value,
    /// The name that a standard container or function type is written with.
    name: Option<Name>,
}

/// What an argument is.
enum Given {
    Unknown,
    Null,
    /// A function written in place.
    Lambda(DefId),
    /// A method or constructor taken as a function.
    Reference(ExprId),
    /// Its possible types: all of them have to fit.
    Typed(SmallVec<[Typed; 1]>),
}

/// A function with the types of its parameters; `None` for those that are not known.
struct Candidate {
    /// Its place in the search.
    place: usize,
    owner: Option<DefRef>,
    /// Types for the arguments, where the last parameter is an array.
    fixed: Option<Vec<Option<Typed>>>,
    /// Types for the arguments, where the last parameter takes several.
    spread: Option<Vec<Option<Typed>>>,
}

/// A candidate that is applicable in a phase, or may be.
struct Applicable<'a> {
    candidate: &'a Candidate,
    types: &'a [Option<Typed>],
    fits: SmallVec<[Fit; 4]>,
    /// The arguments that have the type itself that is expected of them.
    exact: SmallVec<[bool; 4]>,
}

impl Applicable<'_> {
    fn is_sure(&self) -> bool {
        !self.fits.contains(&Fit::Unknown)
    }
}

/// The phases.
const PHASES: &[(bool, bool)] = &[(false, false), (true, false), (true, true)];

/// The only type of several, which may be of several packages under one name: that of the library, if there is one.
fn find_one(values: &[Value]) -> Option<&Value> {
    let first = values.first()?;
    let name = |value: &Value| match value {
        Value::External(_, name) => *name,
        _ => None,
    };
    if values.len() > 1 && !values.iter().all(|value| name(value).is_some() && name(value) == name(first)) {
        return None;
    }
    let is_of_library = |value: &&Value| matches!(value, Value::External(package, _) if is_java(package));
    values.iter().find(is_of_library).or(Some(first))
}

/// The type of the elements of an array.
fn element_of(args: &Args, name: Option<Name>) -> Option<Typed> {
    let values = args.first().filter(|values| values.unknown.is_none())?;
    let [value] = values.items.as_slice() else { return None };
    Some(Typed { value: value.clone(), name })
}

/// Returns whether a type is one of the Java library.
fn is_of_java(ty: &Typed) -> bool {
    match &ty.value {
        Value::External(package, _) => is_java(package),
        _ => true,
    }
}

impl Eval<'_> {
    /// Of functions that take as many arguments, those that a call may mean.
    pub(in crate::eval) fn choose_by_phases(&mut self, file: FileId, mut search: Search, args: &[ExprId]) -> Search {
        self.drop_inaccessible(file, &mut search);
        let given: Vec<Given> = args.iter().map(|&arg| self.given_as(file, arg)).collect();
        let candidates: Vec<Candidate> =
            (0..search.found.len()).map(|place| self.candidate_of(&search, place, args.len())).collect();
        let mut open: Vec<Applicable<'_>> = Vec::new();
        for &(converts, spreads) in PHASES {
            for candidate in &candidates {
                let types = if spreads { &candidate.spread } else { &candidate.fixed };
                let Some(types) = types else { continue };
                if !spreads && converts && open.iter().any(|known| known.candidate.place == candidate.place) {
                    continue;
                }
                let fits: SmallVec<[Fit; 4]> =
                    given.iter().zip(types).map(|(arg, ty)| self.fit_given(file, arg, ty.as_ref())).collect();
                let refused = |fit: &Fit| *fit == Fit::No || !converts && *fit == Fit::Converted;
                if !fits.iter().any(refused) {
                    let exact =
                        given.iter().zip(types).map(|(arg, ty)| self.is_exact(file, arg, ty.as_ref())).collect();
                    open.push(Applicable { candidate, types, fits, exact });
                }
            }
            if open.iter().any(Applicable::is_sure) {
                break;
            }
        }
        let places = self.most_specific(&open);
        if places.is_empty() {
            return search;
        }
        if places.len() > self.limits.link_candidates {
            return Search::unknown(Reason::TooManyCandidates);
        }
        let found = places.into_iter().map(|place| search.found[place].clone()).collect();
        Search { found, unknown: search.unknown }
    }

    /// Methods that code in a file cannot name are not meant, unless there are no others.
    fn drop_inaccessible(&mut self, file: FileId, search: &mut Search) {
        let package = self.unit(file).facts.package.map(|name| self.unit(file).name(name));
        let is_accessible = |eval: &mut Self, found: &Found| {
            let Entity::Def(of) = found.entity else { return true };
            match eval.definition(of).visibility {
                Visibility::Private => of.file == file,
                Visibility::Package => {
                    let unit = eval.unit(of.file);
                    unit.facts.package.map(|name| unit.name(name)) == package
                }
                _ => true,
            }
        };
        let kept: Vec<bool> = search.found.iter().map(|found| is_accessible(self, found)).collect();
        if kept.contains(&true) {
            search.keep(&kept);
        }
    }

    fn candidate_of(&mut self, search: &Search, place: usize, count: usize) -> Candidate {
        let found = &search.found[place];
        let parameters = self.plain_parameters(found);
        let Entity::Def(of) = found.entity else {
            return Candidate { place, owner: None, fixed: None, spread: None };
        };
        let owner = self.definition(of).owner.map(|def| DefRef { file: of.file, def });
        let mut types: Vec<Option<Typed>> = Vec::new();
        for parameter in &parameters {
            let values = self.parameter_types(of, found, parameter);
            let value = values.and_then(|values| find_one(&values.items).filter(|_| values.unknown.is_none()).cloned());
            let name = parameter.declared.and_then(|declared| self.written_name(of.file, declared));
            types.push(value.map(|value| Typed { value, name }));
        }
        let takes_rest = parameters.last().is_some_and(|last| last.kind == ParameterKind::Rest);
        if !takes_rest {
            return Candidate { place, owner, fixed: Some(types), spread: None };
        }
        let last = types.pop().flatten();
        let fixed = (count == parameters.len()).then(|| {
            let mut types = types.clone();
            types.push(last.clone().map(|of| Typed {
                value: Value::Builtin(Builtin::Array, [Values::one(of.value)].into()),
                name: of.name,
            }));
            types
        });
        types.resize(count, last);
        Candidate { place, owner, fixed, spread: Some(types) }
    }

    fn given_as(&mut self, file: FileId, arg: ExprId) -> Given {
        let unit = self.unit(file);
        match unit.facts.expr(arg) {
            Expr::Literal(Literal::Null) => return Given::Null,
            Expr::Definition(def) if unit.facts.definition(def).kind == DefKind::Function => return Given::Lambda(def),
            Expr::Path { .. } | Expr::Function { .. } => return Given::Reference(arg),
            _ => {}
        }
        let values = self.eval(file, arg, Namespace::Value);
        let name = self.standard_name(file, arg, 0);
        let is_open = |value: &Value| {
            matches!(value, Value::External(_, None) | Value::Def(..) | Value::Module(_) | Value::Bound(..))
        };
        if values.unknown.is_some() || values.items.iter().any(is_open) {
            let known = name.filter(|name| (self.home.standard_type)(self.text(*name)).is_some());
            return match known {
                Some(name) => {
                    Given::Typed(SmallVec::from_buf([Typed { value: self.value_of_standard(name), name: Some(name) }]))
                }
                None => Given::Unknown,
            };
        }
        let values: Vec<Value> = values.items.into_iter().filter(|value| *value != Value::Null).collect();
        let types: SmallVec<[Typed; 1]> = match find_one(&values) {
            Some(value) => SmallVec::from_buf([Typed { value: value.clone(), name }]),
            None => values.into_iter().map(|value| Typed { value, name }).collect(),
        };
        if types.is_empty() { Given::Null } else { Given::Typed(types) }
    }

    /// The last name that a type is written with; of an array that of its elements.
    fn written_name(&mut self, file: FileId, mut ty: ExprId) -> Option<Name> {
        let unit = self.unit(file);
        while let Expr::Collection { items, .. } = unit.facts.expr(ty) {
            ty = *unit.list(items).first()?;
        }
        unit.last_name(ty)
    }

    /// The name of the standard type that an expression is declared with; of an array that of its elements.
    fn standard_name(&mut self, file: FileId, expr: ExprId, depth: u32) -> Option<Name> {
        if depth > MOST_STEPS {
            return None;
        }
        let unit = self.unit(file);
        match unit.facts.expr(expr) {
            Expr::Instance { of } => self.written_name(file, of),
            Expr::Collection { .. } => self.written_name(file, expr),
            Expr::Index { base } => self.standard_name(file, base, depth + 1),
            Expr::Call { callee, .. } => match self.callees(file, callee).items.as_slice() {
                [Value::Def(of, _) | Value::Bound(of, _)] if self.definition(*of).kind == DefKind::Function => {
                    let declared = self.definition(*of).declared?;
                    self.written_name(of.file, declared)
                }
                [Value::Def(..) | Value::Bound(..)] => None,
                [Value::BuiltinType(..)] => unit.last_name(callee),
                _ => self.name_of_result(file, callee, depth),
            },
            Expr::Name { .. } | Expr::Member { .. } => {
                let search = self.resolve(file, expr, Namespace::Value);
                match search.found.as_slice() {
                    [Found { entity: Entity::External(..), .. }] => self.name_of_result(file, expr, depth),
                    [found] => self.declared_name(&found.clone(), depth),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The name of the type that a member of a standard type has or returns.
    fn name_of_result(&mut self, file: FileId, member: ExprId, depth: u32) -> Option<Name> {
        let unit = self.unit(file);
        let Expr::Member { base, name } = unit.facts.expr(member) else { return None };
        let values = self.eval(file, base, Namespace::Value);
        let ty = match values.items.as_slice() {
            [Value::External(package, Some(name))] => Some(*name).filter(|_| is_java(package)),
            [Value::BuiltinType(..)] => unit.last_name(base),
            [Value::Builtin(Builtin::Array, _)] => None,
            _ => self.standard_name(file, base, depth + 1),
        };
        let ty = ty.map(|ty| self.text(ty)).or(self.home.top_type)?;
        let result = self.find_result(ty, unit.facts.name(name))?;
        let result = result.trim_end_matches(GENERIC);
        (!result.ends_with(ARRAY)).then(|| self.project.names.intern(result))
    }

    fn declared_name(&mut self, found: &Found, depth: u32) -> Option<Name> {
        match found.entity {
            Entity::Def(of) => {
                let definition = self.definition(of);
                if let Some(declared) = definition.declared {
                    return self.written_name(of.file, declared);
                }
                let &[value] = self.unit(of.file).list(definition.values) else { return None };
                self.standard_name(of.file, value, depth + 1)
            }
            Entity::Local(file, binding) => {
                let unit = self.unit(file);
                match unit.facts.bindings[binding as usize].target {
                    BindingTarget::Typed(declared) => self.written_name(file, declared),
                    BindingTarget::Value(value) => self.standard_name(file, value, depth + 1),
                    BindingTarget::Parameter(def, index) => {
                        let parameter = unit.facts.parameters(def).get(index as usize)?;
                        self.written_name(file, parameter.declared?)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn fit_given(&mut self, file: FileId, given: &Given, ty: Option<&Typed>) -> Fit {
        let Some(ty) = ty else { return Fit::Unknown };
        match given {
            Given::Unknown => Fit::Unknown,
            Given::Null => match self.standard_name_of(ty) {
                Some(name) if self.is_primitive(name) => Fit::No,
                _ => Fit::Plain,
            },
            Given::Lambda(def) => self.fit_lambda(DefRef { file, def: *def }, ty),
            Given::Reference(expr) => self.fit_reference(file, *expr, ty),
            Given::Typed(types) => {
                let mut worst = Fit::Plain;
                for from in types {
                    let fit = self.fit_type(Some(file), from, ty, 0);
                    worst = match (worst, fit) {
                        (Fit::No, _) | (_, Fit::No) => Fit::No,
                        (Fit::Unknown, _) | (_, Fit::Unknown) => Fit::Unknown,
                        (Fit::Converted, _) | (_, Fit::Converted) => Fit::Converted,
                        _ => Fit::Plain,
                    };
                }
                worst
            }
        }
    }

    /// Returns whether an argument has the very type that is expected.
    fn is_exact(&mut self, file: FileId, given: &Given, ty: Option<&Typed>) -> bool {
        let (Given::Typed(types), Some(ty)) = (given, ty) else { return false };
        let [from] = types.as_slice() else { return false };
        self.fit_type(Some(file), from, ty, 0) == Fit::Plain && self.fit_type(Some(file), ty, from, 0) == Fit::Plain
    }

    /// The name of a standard type that is not an array.
    fn standard_name_of(&self, ty: &Typed) -> Option<Name> {
        match &ty.value {
            Value::External(_, name) => *name,
            Value::Builtin(Builtin::Array, _) => None,
            Value::Builtin(..) | Value::Callable(_) => ty.name,
            _ => None,
        }
    }

    fn is_top(&self, ty: &Typed) -> bool {
        self.standard_name_of(ty).is_some_and(|name| self.home.top_type == Some(self.text(name)))
    }

    /// A value of one type where another is expected. A type parameter of another file than `file` stands for a type
    /// that is not known.
    fn fit_type(&mut self, file: Option<FileId>, from: &Typed, to: &Typed, depth: u32) -> Fit {
        if depth > NESTING || !self.deeper() {
            return Fit::Unknown;
        }
        let fit = self.compare_types(file, from, to, depth);
        self.leave();
        fit
    }

    fn is_number(&self, ty: &Typed) -> bool {
        self.standard_name_of(ty).is_some_and(|name| self.is_primitive(name))
    }

    /// A value of a type where a type parameter is expected: all bounds have to take it.
    fn fit_bounds(&mut self, file: Option<FileId>, from: &Typed, (of, index): (DefRef, u32), depth: u32) -> Fit {
        let mut fit = if self.is_number(from) { Fit::Converted } else { Fit::Plain };
        for value in self.follow_bound(of, index).items {
            let name = self.name_of_bound(of, index);
            match self.fit_type(file, from, &Typed { value, name }, depth + 1) {
                Fit::No => return Fit::No,
                Fit::Unknown => fit = Fit::Unknown,
                Fit::Plain | Fit::Converted => {}
            }
        }
        fit
    }

    /// A value of a type parameter where a type is expected: one bound has to be taken.
    fn fit_any_bound(&mut self, file: Option<FileId>, (of, index): (DefRef, u32), to: &Typed, depth: u32) -> Fit {
        let mut fit = Fit::No;
        for value in self.follow_bound(of, index).items {
            let name = self.name_of_bound(of, index);
            match self.fit_type(file, &Typed { value, name }, to, depth + 1) {
                Fit::Plain => return Fit::Plain,
                Fit::No => {}
                _ => fit = Fit::Unknown,
            }
        }
        fit
    }

    fn compare_types(&mut self, file: Option<FileId>, from: &Typed, to: &Typed, depth: u32) -> Fit {
        let boxed = |eval: &Self| if eval.is_number(from) { Fit::Converted } else { Fit::Plain };
        match (&from.value, &to.value) {
            (Value::TypeVar(a, one), Value::TypeVar(b, other)) if a == b && one == other => Fit::Plain,
            (_, Value::TypeVar(of, index)) => self.fit_bounds(file, from, (*of, *index), depth),
            _ if self.is_top(to) => boxed(self),
            // A type parameter of other code was not replaced, so its type is not known.
            (Value::TypeVar(of, _), _) if file.is_some_and(|file| of.file != file) => Fit::Unknown,
            (Value::TypeVar(of, index), _) => self.fit_any_bound(file, (*of, *index), to, depth),
            (Value::Builtin(Builtin::Array, one), Value::Builtin(Builtin::Array, other)) => {
                let (Some(one), Some(other)) = (element_of(one, from.name), element_of(other, to.name)) else {
                    return Fit::Unknown;
                };
                match (self.is_number(&one), self.is_number(&other)) {
                    (false, false) => self.fit_type(file, &one, &other, depth + 1),
                    (true, true) if self.standard_name_of(&one) == self.standard_name_of(&other) => Fit::Plain,
                    _ => Fit::No,
                }
            }
            (Value::Builtin(Builtin::Array, _), _) => match self.standard_name_of(to).map(|name| self.text(name)) {
                Some("Cloneable" | "Serializable") => Fit::Plain,
                None if !matches!(to.value, Value::Instance(..)) => Fit::Unknown,
                _ => Fit::No,
            },
            (_, Value::Builtin(Builtin::Array, _)) => match (&from.value, self.standard_name_of(from)) {
                (Value::Instance(..) | Value::Builtin(..) | Value::Callable(_), _) | (_, Some(_)) => Fit::No,
                _ => Fit::Unknown,
            },
            (Value::Instance(of, _), Value::Instance(..)) => self.fit_instance(*of, &to.value),
            (Value::Instance(of, _), _) => match self.standard_name_of(to) {
                Some(name) => self.fit_own(*of, name),
                None => Fit::Unknown,
            },
            (Value::External(_, Some(_)) | Value::Builtin(..) | Value::Callable(_), Value::Instance(..)) => Fit::No,
            _ => match (self.standard_name_of(from), self.standard_name_of(to)) {
                (Some(one), Some(other)) => match (is_of_java(from), is_of_java(to)) {
                    (true, true) => self.fit_names(self.text(one), self.text(other)),
                    // A final type has no others, and the library is derived from itself only.
                    (false, true) if self.is_closed(self.text(other)) => Fit::No,
                    (true, false) if self.is_known(self.text(one)) => Fit::No,
                    (false, false) if one == other => Fit::Plain,
                    _ => Fit::Unknown,
                },
                (None, Some(to)) if self.is_primitive(to) => match from.value {
                    // Containers and functions are not numbers.
                    Value::Builtin(..) | Value::Callable(_) => Fit::No,
                    _ => Fit::Unknown,
                },
                _ => Fit::Unknown,
            },
        }
    }

    /// The last name that the bound of a type parameter is written with.
    fn name_of_bound(&mut self, of: DefRef, index: u32) -> Option<Name> {
        let unit = self.unit(of.file);
        let bound = unit.facts.type_parameters(of.def).get(index as usize)?.bound?;
        unit.last_name(bound)
    }

    /// A value of one standard type where another is expected.
    fn fit_names(&self, from: &str, to: &str) -> Fit {
        if from == to {
            return Fit::Plain;
        }
        if let Some((_, plain, converted)) = self.home.conversions.iter().find(|(known, ..)| *known == from) {
            return match (plain.contains(&to), converted.contains(&to)) {
                (true, _) => Fit::Plain,
                (_, true) => Fit::Converted,
                _ => Fit::No,
            };
        }
        let find = self.home.standard_type;
        if let Some(known) = find(from) {
            return if known.bases.contains(&to) { Fit::Plain } else { Fit::No };
        }
        if self.is_closed(to) { Fit::No } else { Fit::Unknown }
    }

    /// Returns whether all bases of a standard type are known.
    fn is_known(&self, name: &str) -> bool {
        (self.home.standard_type)(name).is_some() || self.home.conversions.iter().any(|(known, ..)| *known == name)
    }

    /// Returns whether nothing is derived from a standard type.
    fn is_closed(&self, name: &str) -> bool {
        (self.home.standard_type)(name).is_some_and(|known| known.is_final)
            || self.home.conversions.iter().any(|(known, ..)| *known == name)
    }

    /// A value of a class of the project where a standard type is expected.
    fn fit_own(&mut self, of: DefRef, to: Name) -> Fit {
        let to = self.text(to);
        let mut fit = Fit::No;
        for ancestor in self.ancestors(of).iter() {
            let Ancestor::Class(class, _) = ancestor else {
                if matches!(ancestor, Ancestor::Unknown) {
                    fit = Fit::Unknown;
                }
                continue;
            };
            let definition = self.definition(*class);
            let implied: &[&str] = match definition.kind {
                DefKind::Enum => &["Enum"],
                DefKind::Struct => &["Record"],
                _ => &[],
            };
            let unit = self.unit(class.file);
            let written = unit.list(definition.bases).iter().chain(unit.list(definition.implements));
            let written: Vec<ExprId> = written.copied().collect();
            let mut names: Vec<&str> = implied.to_vec();
            for base in written {
                let types = self.eval(class.file, base, Namespace::Type);
                match (types.items.as_slice(), unit.last_name(base)) {
                    ([Value::Def(..)], _) => {}
                    (_, Some(name)) => names.push(self.text(name)),
                    _ => fit = Fit::Unknown,
                }
            }
            for name in names {
                match self.fit_names(name, to) {
                    Fit::Plain => return Fit::Plain,
                    Fit::Unknown => fit = Fit::Unknown,
                    _ => {}
                }
            }
        }
        fit
    }

    /// The number of parameters of the method of a function type, and whether that returns a value.
    fn function_of(&mut self, ty: &Typed) -> Result<(usize, Option<bool>), Fit> {
        match &ty.value {
            Value::Instance(of, _) if self.definition(*of).kind == DefKind::Interface => {
                let method = self.single_method(*of).ok_or(Fit::Unknown)?;
                let count = self.unit(method.file).facts.parameters(method.def).len();
                Ok((count, self.returns_value(method)))
            }
            Value::Instance(..) | Value::Builtin(Builtin::Array, _) => Err(Fit::No),
            // A type parameter takes any function.
            Value::TypeVar(..) => Err(Fit::Plain),
            _ => {
                let name = self.standard_name_of(ty).ok_or(Fit::Unknown)?;
                let text = self.text(name);
                let is_closed = self.home.conversions.iter().any(|(known, ..)| *known == text);
                match (self.home.standard_type)(text) {
                    Some(known) => {
                        known.function.map(|(count, returns)| (usize::from(count), Some(returns))).ok_or(Fit::No)
                    }
                    None if is_closed || self.home.top_type == Some(text) => Err(Fit::No),
                    None => Err(Fit::Unknown),
                }
            }
        }
    }

    /// Returns whether a function is declared to return a value.
    fn returns_value(&mut self, of: DefRef) -> Option<bool> {
        let definition = self.definition(of);
        if definition.flags.is_constructor {
            return Some(true);
        }
        let declared = definition.declared?;
        let unit = self.unit(of.file);
        Some(unit.written_last(declared) != Some("void"))
    }

    /// A function written in place where a type is expected.
    fn fit_lambda(&mut self, lambda: DefRef, ty: &Typed) -> Fit {
        let (count, returns) = match self.function_of(ty) {
            Ok(function) => function,
            Err(fit) => return fit,
        };
        let unit = self.unit(lambda.file);
        if unit.facts.parameters(lambda.def).len() != count {
            return Fit::No;
        }
        let definition = unit.facts.definition(lambda.def);
        let flags = definition.flags;
        let yields = match unit.list(definition.values) {
            _ if flags.returns_nothing => Some(false),
            _ if flags.returns_value => Some(true),
            // A call of a function without a result.
            &[value] => match unit.facts.expr(value) {
                Expr::Call { callee, .. } => self.returned_by(lambda.file, callee).filter(|returns| !returns),
                _ => None,
            },
            _ => None,
        };
        if returns.is_some() && yields.is_some() && returns != yields { Fit::No } else { Fit::Plain }
    }

    /// Returns whether all functions that a callee may be return a value.
    fn returned_by(&mut self, file: FileId, callee: ExprId) -> Option<bool> {
        let callees = self.callees(file, callee);
        let mut all = None;
        for callee in callees.items {
            let (Value::Def(of, _) | Value::Bound(of, _)) = callee else { return None };
            if self.definition(of).kind != DefKind::Function {
                return Some(true);
            }
            let returns = self.returns_value(of)?;
            if all.is_some_and(|all| all != returns) {
                return None;
            }
            all = Some(returns);
        }
        all
    }

    /// `Type::method`, `value::method`, `Type::new` where a type is expected.
    fn fit_reference(&mut self, file: FileId, expr: ExprId, ty: &Typed) -> Fit {
        let (count, returns) = match self.function_of(ty) {
            Ok(function) => function,
            Err(fit) => return fit,
        };
        let base = match self.unit(file).facts.expr(expr) {
            Expr::Path { base, .. } => base,
            Expr::Function { result } => return self.fit_constructor(file, result, count),
            _ => return Fit::Unknown,
        };
        let search = self.resolve(file, expr, Namespace::Callee);
        let bases = self.eval(file, base, Namespace::Value);
        let of_type = matches!(bases.items.as_slice(), [Value::Def(..)]);
        let mut fits = false;
        let mut result = None;
        for found in &search.found {
            let Entity::Def(of) = found.entity else { return Fit::Plain };
            let is_static = self.definition(of).flags.is_static;
            let given = match of_type && !is_static {
                true => count.checked_sub(1),
                false => Some(count),
            };
            fits |= given.is_some_and(|given| self.takes(found, given));
            result = self.returns_value(of);
        }
        let is_exact = search.found.len() == 1 && search.unknown.is_none();
        match () {
            () if search.found.is_empty() || search.unknown.is_some() => Fit::Plain,
            () if !fits => Fit::No,
            () if is_exact && returns == Some(true) && result == Some(false) => Fit::No,
            () => Fit::Plain,
        }
    }

    /// `Type::new`, `Type[]::new` where a function with that many parameters is expected.
    fn fit_constructor(&mut self, file: FileId, class: ExprId, count: usize) -> Fit {
        if matches!(self.unit(file).facts.expr(class), Expr::Collection { .. }) {
            return if count == 1 { Fit::Plain } else { Fit::No };
        }
        let types = self.eval(file, class, Namespace::Type);
        let [value @ Value::Def(..)] = types.items.as_slice() else { return Fit::Plain };
        let search = self.constructor(value);
        let written = |found: &&Found| matches!(found.entity, Entity::Def(_));
        let all: Vec<Found> = search.found.iter().filter(written).cloned().collect();
        let is_class = matches!(value, Value::Def(of, _) if self.definition(*of).kind == DefKind::Class);
        let fits = match all.is_empty() {
            true => count == 0 || !is_class,
            false => all.iter().any(|found| self.takes(found, count)),
        };
        if fits { Fit::Plain } else { Fit::No }
    }

    /// Places of the applicable functions to which no other is preferred.
    fn most_specific(&mut self, open: &[Applicable<'_>]) -> Vec<usize> {
        let mut places = Vec::new();
        for (index, one) in open.iter().enumerate() {
            let beaten = open.iter().enumerate().any(|(at, other)| at != index && self.is_preferred(other, one));
            if !beaten && !places.contains(&one.candidate.place) {
                places.push(one.candidate.place);
            }
        }
        places
    }

    /// Returns whether one function is meant wherever the other is applicable, because it is more specific, or because
    /// it overrides the other.
    fn is_preferred(&mut self, one: &Applicable<'_>, other: &Applicable<'_>) -> bool {
        // An array for all the rest belongs to an earlier phase.
        if one.types.len() != other.types.len() {
            return false;
        }
        let mut narrower = false;
        for (place, fit) in one.fits.iter().enumerate() {
            let (Some(from), Some(to)) = (&one.types[place], &other.types[place]) else { return false };
            let there = self.fit_type(None, from, to, 0);
            let back = self.fit_type(None, to, from, 0);
            let same = there == Fit::Plain && back == Fit::Plain;
            if same {
                continue;
            }
            // Where the argument has the type itself, others that take it can only be wider.
            let is_more = there == Fit::Plain && *fit != Fit::Unknown || one.exact[place] && !other.exact[place];
            if !is_more {
                return false;
            }
            narrower = true;
        }
        let (own, above) = (one.candidate, other.candidate);
        narrower || own.owner != above.owner && own.place < above.place
    }
}
