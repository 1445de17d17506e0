//! Overload resolution: by the number of arguments, then by their known types. If it stays ambiguous, all fitting
//! functions are kept.

use m1nd_lang::facts::{DefKind, Definition, Expr, ExprId, Literal, Namespace, Parameter, ParameterKind};
use smallvec::SmallVec;

use crate::eval::ancestors::Ancestor;
use crate::eval::{Entity, Eval, Found, Search, Value, Values, no_args};
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::Builtin;
use crate::tables::files::{DefRef, FileId};
use crate::unit::CallSite;

/// Whether a value can be passed where a type is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::eval) enum Fit {
    /// It cannot.
    No,
    /// Undecidable.
    Unknown,
    /// Only after a conversion that the language tries last.
    Converted,
    /// Without conversion.
    Plain,
}

/// Known properties of an argument.
#[derive(Debug, Clone)]
enum Argument {
    Unknown,
    Null,
    /// A function written in place, by its number of parameters if that is written.
    Function(Option<usize>),
    /// A member of the type that is expected.
    Member(Name),
    Value(Value),
}

/// A function that takes the number of arguments of a call.
struct Candidate {
    /// Its place in the search.
    place: usize,
    /// The class it was found in.
    owner: Option<DefRef>,
    /// Types of its parameters; a last one that takes several values counts as often as arguments are left for it.
    types: Vec<Option<Value>>,
    /// The last names that the types are written with.
    names: Vec<Option<Name>>,
    /// The last parameter takes several values, and is given them one by one.
    spread: bool,
    /// The parameters that arguments are given to by labels.
    places: SmallVec<[usize; 4]>,
}

/// Returns whether a parameter has the type of its argument itself.
fn is_type_of(arg: &Argument, ty: Option<&Option<Value>>) -> bool {
    match (arg, ty) {
        (Argument::Value(Value::External(a, Some(value))), Some(Some(Value::External(b, Some(ty))))) => {
            value == ty && a.same_package(b)
        }
        (Argument::Value(Value::Instance(value, _)), Some(Some(Value::Instance(ty, _)))) => value == ty,
        _ => false,
    }
}

/// Returns whether the name of a function is that of a conversion (`operator Shape`), not of a sign (`operator+`).
fn is_conversion(name: &str) -> bool {
    let of = name.strip_prefix("operator").map(str::trim_start);
    of.is_some_and(|of| {
        let word = of.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        name.len() > "operator".len() + of.len() && !word.is_empty() && !OPERATOR_WORDS.contains(&word)
    })
}

/// Operators that are written as words.
const OPERATOR_WORDS: &[&str] = &["new", "delete", "co_await"];

/// The only possible value. For a type that may be of several packages, its name decides what can be passed where.
fn the_one(values: &Values) -> Option<&Value> {
    let first = values.items.first().filter(|_| values.unknown.is_none())?;
    let same = |other: &Value| match (first, other) {
        (Value::External(_, Some(name)), Value::External(_, Some(other))) => name == other,
        _ => false,
    };
    values.items[1..].iter().all(same).then_some(first)
}

/// Functions of one name that take as many arguments and are compared with each other.
const MOST: usize = 64;

impl Eval<'_> {
    /// The functions named by a call that its arguments allow.
    pub(in crate::eval) fn choose(&mut self, file: FileId, search: Search, call: Option<CallSite>) -> Search {
        let search = self.without_unparameterised(file, search, call);
        let is_function = |eval: &mut Self, found: &Found| match found.entity {
            Entity::Def(of) => {
                let definition = eval.definition(of);
                definition.kind == DefKind::Function && !definition.flags.is_property
            }
            _ => false,
        };
        let mut search = match call {
            Some(call) if self.rules(file).argument_labels => self.prefer_functions(file, search, call),
            _ => search,
        };
        let functions = search.found.iter().all(|found| is_function(self, found));
        if let (false, Some(call), true) = (functions, call, self.rules(file).packages_have_functions)
            && search.found.len() > 1
        {
            let count = self.unit(file).list(call.args).len() + self.argument_names(file, call).len();
            return self.choose_constructed(search, count);
        }
        if search.found.is_empty() || !functions {
            return search;
        }
        let Some(call) = call else { return self.without_overridden(search) };
        let args: SmallVec<[ExprId; 4]> = self.unit(file).list(call.args).into();
        let names = self.argument_names(file, call);
        let count = args.len() + names.len();
        let labelled = self.rules(file).argument_labels;
        let fits = |eval: &mut Self, found: &Found| match labelled {
            true => eval.takes_labels(found, file, &args),
            false => eval.takes(found, count) && eval.has_names(found, &names, call),
        };
        let fitting: Vec<bool> = search.found.iter().map(|found| fits(self, found)).collect();
        let fitting = match fitting.contains(&true) {
            true => fitting,
            false => search.found.iter().map(|found| self.inherits_defaults(found, count)).collect(),
        };
        if !fitting.contains(&true) {
            // Only something that is not known can be meant.
            if search.found.len() > self.limits.link_candidates {
                return Search::unknown(Reason::TooManyCandidates);
            }
            return Search { unknown: search.unknown.or(Some(Reason::NoSuchMember)), ..search };
        }
        let unknown = search.unknown;
        search.keep(&fitting);
        self.keep_received(file, call.callee, &mut search);
        let by_types = self.rules(file).implicit_receivers;
        if !by_types {
            self.prefer_own_methods(file, &mut search);
        }
        if labelled {
            self.drop_private(file, &mut search);
        }
        if self.rules(file).companions {
            self.prefer_whole(&mut search, count);
        }
        if search.found.len() > MOST {
            return Search::unknown(Reason::TooManyCandidates);
        }
        if search.found.len() < 2 || !self.deeper() {
            return search;
        }
        if self.rules(file).overload_phases {
            let search = self.choose_by_phases(file, search, &args);
            self.leave();
            return search;
        }
        let known: Vec<Argument> = args.iter().map(|&arg| self.argument(file, arg)).collect();
        let places = self.most_fitting(&search, &known, labelled.then_some((file, &args[..])));
        self.leave();
        if places.len() > self.limits.link_candidates {
            return Search::unknown(Reason::TooManyCandidates);
        }
        let found = places.into_iter().map(|place| search.found[place].clone()).collect();
        let mut search = Search { found, unknown };
        // A member that takes the arguments goes before an extension; of unknown ones the extension may be meant.
        let is_open = |arg: &Argument| matches!(arg, Argument::Unknown | Argument::Value(Value::External(_, None)));
        if by_types && !known.iter().any(is_open) {
            self.prefer_own_methods(file, &mut search);
        }
        search
    }

    /// A function that takes the arguments of a call goes before a property of its name.
    fn prefer_functions(&mut self, file: FileId, mut search: Search, call: CallSite) -> Search {
        let args: SmallVec<[ExprId; 4]> = self.unit(file).list(call.args).into();
        let fits = |eval: &mut Self, found: &Found| match found.entity {
            Entity::Def(of) => eval.is_plain_function(of) && eval.takes_labels(found, file, &args),
            _ => false,
        };
        let fits: Vec<bool> = search.found.iter().map(|found| fits(self, found)).collect();
        if fits.contains(&true) {
            search.keep(&fits);
        }
        search
    }

    /// The names that arguments of a call are given by, where functions are told apart by them.
    pub(in crate::eval) fn argument_names(&self, file: FileId, call: CallSite) -> SmallVec<[Name; 4]> {
        let unit = self.project.unit(file);
        if !unit.rules.tells_arguments_apart() {
            return SmallVec::new();
        }
        unit.facts.arguments_of(call.callee).iter().filter_map(|row| row.name).map(|name| unit.name(name)).collect()
    }

    /// Returns whether a function has parameters of these names, and as many type parameters as are written.
    fn has_names(&mut self, found: &Found, names: &[Name], call: CallSite) -> bool {
        let Entity::Def(of) = found.entity else { return true };
        let unit = self.unit(of.file);
        if call.type_args > 0 && unit.facts.type_parameters(of.def).len() != usize::from(call.type_args) {
            return false;
        }
        let parameters = unit.facts.parameters(of.def);
        names.iter().all(|name| parameters.iter().any(|parameter| unit.name(parameter.name) == *name))
    }

    /// A call with arguments means a function that takes them, if there is one, not what a function without parameters
    /// returns.
    fn without_unparameterised(&mut self, file: FileId, mut search: Search, call: Option<CallSite>) -> Search {
        let Some(call) = call.filter(|_| search.found.len() > 1 && self.rules(file).runs_by_name) else {
            return search;
        };
        let count = self.unit(file).list(call.args).len() + self.argument_names(file, call).len();
        let takes = |eval: &mut Self, found: &Found| match found.entity {
            Entity::Def(of) => {
                let definition = eval.definition(of);
                definition.kind == DefKind::Function && !definition.flags.is_property && eval.takes(found, count)
            }
            _ => false,
        };
        let kept: Vec<bool> = search.found.iter().map(|found| takes(self, found)).collect();
        if count > 0 && kept.contains(&true) {
            search.keep(&kept);
        }
        search
    }

    /// Functions that are given an argument for each parameter go before those of which a default is used.
    fn prefer_whole(&mut self, search: &mut Search, count: usize) {
        let is_whole = |parameters: &[Parameter]| {
            parameters.len() == count && parameters.iter().all(|parameter| parameter.kind == ParameterKind::Plain)
        };
        let whole: Vec<bool> = search.found.iter().map(|found| is_whole(&self.plain_parameters(found))).collect();
        if whole.contains(&true) {
            search.keep(&whole);
        }
    }

    /// A type's own methods go before functions that are written for it elsewhere.
    fn prefer_own_methods(&mut self, file: FileId, search: &mut Search) {
        if search.found.len() < 2 || !self.rules(file).extension_functions {
            return;
        }
        let own: Vec<bool> = search
            .found
            .iter()
            .map(|found| !matches!(found.entity, Entity::Def(of) if self.is_extension(of)))
            .collect();
        if own.contains(&true) {
            search.keep(&own);
        }
    }

    /// Among functions with this many parameters, keeps those to which no other is nearer: the other has the class of
    /// an argument where they have an unrelated class. Pointers and references are not distinguished from values
    /// here, so types that could be converted into each other decide nothing.
    pub(crate) fn of_own_classes(&mut self, file: FileId, mut search: Search, callee: ExprId) -> Search {
        let of_classes = search.found.len() > 1 && search.found.len() <= MOST && search.unknown.is_none();
        let Some(call) = self.unit(file).call(callee).filter(|_| of_classes) else { return search };
        if !self.deeper() {
            return search;
        }
        let args: SmallVec<[ExprId; 4]> = self.unit(file).list(call.args).into();
        let args: Vec<Argument> = args.iter().map(|&arg| self.argument(file, arg)).collect();
        let all: Vec<Candidate> =
            (0..search.found.len()).map(|place| self.candidate(&search, place, Some(args.len()))).collect();
        let nearer = |eval: &mut Self, one: &Candidate, other: &Candidate| {
            let mut is_nearer = false;
            for (place, arg) in args.iter().enumerate() {
                match (is_type_of(arg, one.types.get(place)), other.types.get(place)) {
                    (true, Some(Some(Value::Instance(wanted, _))))
                        if !eval.is_a(arg, *wanted) && !eval.converts(arg, *wanted) =>
                    {
                        is_nearer = true;
                    }
                    _ if eval.same_type(&search, (one, other), place) => {}
                    _ => return false,
                }
            }
            is_nearer
        };
        let kept: Vec<bool> = all.iter().map(|other| !all.iter().any(|one| nearer(self, one, other))).collect();
        self.leave();
        search.keep(&kept);
        search
    }

    /// Returns whether an argument may be an instance of a class: it is of that class, of a derived one, or of one
    /// whose bases are not all known.
    fn is_a(&mut self, arg: &Argument, class: DefRef) -> bool {
        let Argument::Value(Value::Instance(of, _)) = arg else { return true };
        let ancestors = self.ancestors(*of);
        *of == class
            || ancestors.iter().any(|ancestor| match ancestor {
                Ancestor::Class(known, _) => *known == class,
                _ => true,
            })
    }

    /// Returns whether an argument may be converted to a class: the class has a single-argument constructor for it,
    /// or the argument's class has a conversion operator. The types of the constructor or operator count if known.
    fn converts(&mut self, arg: &Argument, class: DefRef) -> bool {
        let Argument::Value(Value::Instance(of, _)) = arg else { return true };
        let search = self.constructor(&Value::Def(class, no_args()));
        let made = (0..search.found.len()).any(|place| {
            let is_one = matches!(search.found[place].entity, Entity::Def(_)) && self.takes(&search.found[place], 1);
            is_one
                && match self.candidate(&search, place, Some(1)).types.first() {
                    Some(Some(Value::Instance(taken, _))) => self.is_a(arg, *taken),
                    Some(Some(Value::External(..))) => self.inherits_from_outside(*of),
                    _ => true,
                }
        });
        made || search.unknown.is_some() || self.has_conversion(*of)
    }

    fn inherits_from_outside(&mut self, of: DefRef) -> bool {
        self.ancestors(of).iter().any(|ancestor| !matches!(ancestor, Ancestor::Class(..)))
    }

    /// Returns whether a class, or one that it inherits from, has an operator that makes another value of it.
    fn has_conversion(&mut self, of: DefRef) -> bool {
        let converts = |eval: &mut Self, class: DefRef| {
            eval.ask_members(class);
            let unit = eval.unit(class.file);
            let of_class = |own: &&Definition| own.owner == Some(class.def);
            let mut functions = unit.facts.definitions.iter().filter(of_class);
            functions.any(|own| is_conversion(unit.facts.name(own.name)))
        };
        self.ancestors(of).iter().any(|ancestor| match ancestor {
            Ancestor::Class(class, _) => converts(self, *class),
            _ => true,
        })
    }

    /// Without known arguments: overridden functions are dropped in favour of their overrides.
    fn without_overridden(&mut self, search: Search) -> Search {
        if search.found.len() > MOST {
            return Search::unknown(Reason::TooManyCandidates);
        }
        if search.found.len() < 2 || !self.deeper() {
            return search;
        }
        let candidates: Vec<Candidate> =
            (0..search.found.len()).map(|place| self.candidate(&search, place, None)).collect();
        let mut kept: Vec<usize> = Vec::new();
        for one in &candidates {
            let overridden = kept.iter().any(|&other| {
                let other = &candidates[other];
                other.owner != one.owner
                    && other.types.len() == one.types.len()
                    && (0..one.types.len()).all(|place| self.same_type(&search, (other, one), place))
            });
            if !overridden {
                kept.push(one.place);
            }
        }
        self.leave();
        let found = kept.into_iter().map(|place| search.found[place].clone()).collect();
        Search { found, unknown: search.unknown }
    }

    /// Functions of the same name with the parameters of `by`. A parameter whose type is open (a type parameter, or
    /// unknown) may match.
    pub(in crate::eval) fn with_parameters_of(&mut self, by: DefRef, found: Vec<Found>) -> Vec<Found> {
        let mut search = Search::one(Entity::Def(by));
        search.found.extend(found);
        let one = self.candidate(&search, 0, None);
        let mut rows = Vec::new();
        for place in 1..search.found.len() {
            let other = self.candidate(&search, place, None);
            if other.types.len() != one.types.len() {
                continue;
            }
            let open = |ty: &Option<Value>| matches!(ty, None | Some(Value::TypeVar(..)));
            let mut open_places = 0;
            let fits = (0..one.types.len()).all(|place| {
                let same = self.same_type(&search, (&one, &other), place);
                let may_be = open(&one.types[place]) || open(&other.types[place]);
                open_places += usize::from(!same);
                same || may_be
            });
            if fits {
                rows.push((open_places, place));
            }
        }
        let fewest = rows.iter().map(|(open, _)| *open).min();
        rows.retain(|(open, _)| Some(*open) == fewest);
        rows.into_iter().map(|(_, place)| search.found[place].clone()).collect()
    }

    /// Returns whether a function takes that many arguments.
    pub(in crate::eval) fn takes(&mut self, found: &Found, count: usize) -> bool {
        let parameters = self.plain_parameters(found);
        let rest = parameters.last().is_some_and(|last| last.kind == ParameterKind::Rest);
        let is_needed = |parameter: &&Parameter| parameter.kind != ParameterKind::Rest && parameter.default.is_none();
        let needed = parameters.iter().filter(is_needed).count();
        count >= needed && (rest || count <= parameters.len())
    }

    /// Returns whether a function may leave arguments to defaults that are written elsewhere: where it is expected, or
    /// in what it overrides.
    fn inherits_defaults(&mut self, found: &Found, count: usize) -> bool {
        let Entity::Def(of) = found.entity else { return false };
        if !self.rules(of.file).implicit_receivers {
            return false;
        }
        let header = self.definition(of).signature.as_deref().unwrap_or_default();
        let mut words = header.split_whitespace().take_while(|word| *word != "fun");
        words.any(|word| matches!(word, "actual" | "override")) && count <= self.plain_parameters(found).len()
    }

    /// Returns whether a function takes that many arguments.
    pub(crate) fn takes_arguments(&mut self, of: DefRef, count: usize) -> bool {
        let found = Found::plain(Entity::Def(of));
        self.takes(&found, count) || self.is_extension(of) && self.takes(&found, count + 1)
    }

    /// Returns whether an access path names a class to construct.
    pub(crate) fn names_class(&mut self, file: FileId, callee: ExprId) -> bool {
        self.unit(file).call(callee).is_some_and(|call| call.constructs)
    }

    pub(in crate::eval) fn plain_parameters(&mut self, found: &Found) -> SmallVec<[Parameter; 4]> {
        let Entity::Def(of) = found.entity else { return SmallVec::new() };
        let unit = self.unit(of.file);
        // The receiver of an extension function that is called with it as an argument.
        let receiver = found.receiver.as_deref();
        let plain = |parameter: &&Parameter| match parameter.kind {
            ParameterKind::Plain | ParameterKind::Rest => true,
            ParameterKind::Receiver => self.is_given(of, receiver, parameter.kind),
            _ => false,
        };
        unit.facts.parameters(of.def).iter().filter(plain).copied().collect()
    }

    /// A function with the types of its parameters, for `count` arguments.
    fn candidate(&mut self, search: &Search, place: usize, count: Option<usize>) -> Candidate {
        let found = &search.found[place];
        let parameters = self.plain_parameters(found);
        let Entity::Def(of) = found.entity else {
            return Candidate {
                place,
                owner: None,
                types: Vec::new(),
                names: Vec::new(),
                spread: false,
                places: SmallVec::new(),
            };
        };
        let owner = self.definition(of).owner.map(|def| DefRef { file: of.file, def });
        let types = parameters.iter().map(|parameter| self.parameter_type(of, found, parameter)).collect();
        let unit = self.unit(of.file);
        let written = |parameter: &Parameter| parameter.declared.and_then(|declared| unit.last_name(declared));
        let names = parameters.iter().map(written).collect();
        let mut one = Candidate { place, owner, types, names, spread: false, places: SmallVec::new() };
        let rest = parameters.last().is_some_and(|last| last.kind == ParameterKind::Rest);
        if let (true, Some(count)) = (rest, count) {
            one.spread = true;
            let last = one.types.pop().flatten();
            one.types.resize(count, last);
            let last = one.names.pop().flatten();
            one.names.resize(count, last);
        }
        one
    }

    /// A function with the types of the parameters that the arguments of a call are given to, in their order.
    fn labelled_candidate(&mut self, search: &Search, place: usize, file: FileId, args: &[ExprId]) -> Candidate {
        let mut one = self.candidate(search, place, None);
        let Entity::Def(of) = search.found[place].entity else { return one };
        let places = self.place_arguments(of, file, args).unwrap_or_default();
        one.types = places.iter().map(|&place| one.types.get(place).cloned().flatten()).collect();
        one.names = places.iter().map(|&place| one.names.get(place).copied().flatten()).collect();
        let parameters = self.unit(of.file).facts.parameters(of.def);
        one.spread = places.iter().any(|&place| parameters[place].kind == ParameterKind::Rest);
        one.places = places;
        one
    }

    /// Of functions whose parameters for the arguments of a call are the same, that with the fewest others.
    fn take_shortest(&mut self, search: &Search, all: &[Candidate], left: Vec<usize>) -> Vec<usize> {
        let rows: Vec<&Candidate> = all.iter().filter(|one| left.contains(&one.place)).collect();
        let Some(first) = rows.first() else { return left };
        let count = first.types.len();
        let same = rows
            .iter()
            .all(|one| one.types.len() == count && (0..count).all(|place| self.same_type(search, (first, one), place)));
        if !same {
            return left;
        }
        let length = |eval: &mut Self, one: &Candidate| eval.plain_parameters(&search.found[one.place]).len();
        let lengths: Vec<usize> = rows.iter().map(|one| length(self, one)).collect();
        let fewest = lengths.iter().min().copied();
        rows.iter().zip(lengths).filter(|(_, length)| Some(*length) == fewest).map(|(one, _)| one.place).collect()
    }

    /// The one type of a parameter, as the receiver fixes its class's type parameters.
    fn parameter_type(&mut self, of: DefRef, found: &Found, parameter: &Parameter) -> Option<Value> {
        self.parameter_types(of, found, parameter).and_then(|types| the_one(&types).cloned())
    }

    /// The types of a parameter, as the receiver fixes its class's type parameters.
    pub(in crate::eval) fn parameter_types(
        &mut self,
        of: DefRef,
        found: &Found,
        parameter: &Parameter,
    ) -> Option<Values> {
        let types = self.eval(of.file, parameter.declared?, Namespace::Type);
        let mut values = self.instantiate(types);
        if let Some((owner, args)) = &found.owner {
            values = self.substitute(values, *owner, args);
        }
        Some(values)
    }

    fn argument(&mut self, file: FileId, arg: ExprId) -> Argument {
        let unit = self.unit(file);
        let arg = if self.rules(file).argument_labels { unit.facts.without_label(arg) } else { arg };
        if self.rules(file).argument_labels
            && let Some(member) = self.find_expected_member(file, arg)
        {
            return Argument::Member(member);
        }
        match unit.facts.expr(arg) {
            Expr::Literal(Literal::Null) => return Argument::Null,
            Expr::Definition(def) if unit.facts.definition(def).kind == DefKind::Function => {
                // A lambda without parameters may have one that is not written.
                let is_open = unit.rules.implicit_receivers;
                return Argument::Function((!is_open).then(|| unit.facts.parameters(def).len()));
            }
            Expr::Path { .. } if self.rules(file).methods_apart => return Argument::Function(None),
            _ => {}
        }
        let values = self.eval(file, arg, Namespace::Value);
        if let Some(count) = self.count_taken(file, arg, &values) {
            return Argument::Function(Some(count));
        }
        match the_one(&values) {
            Some(Value::Null) => Argument::Null,
            Some(one) => Argument::Value(one.clone()),
            None if matches!(values.items.as_slice(), [Value::Null]) => Argument::Null,
            None => Argument::Unknown,
        }
    }

    /// Places of the functions that are left when all that does not fit, or fits less well, is left out.
    /// `labelled`: the file of the call and its arguments, where these are given to parameters by labels.
    fn most_fitting(
        &mut self,
        search: &Search,
        args: &[Argument],
        labelled: Option<(FileId, &[ExprId])>,
    ) -> Vec<usize> {
        let mut all: Vec<Candidate> =
            (0..search.found.len()).map(|place| self.candidate(search, place, Some(args.len()))).collect();
        if let Some((file, exprs)) = labelled {
            all = (0..search.found.len()).map(|place| self.labelled_candidate(search, place, file, exprs)).collect();
        }
        let mut fitting: Vec<(Candidate, bool)> = Vec::new();
        // Where values are converted by what the project writes, one that may not fit does not go before others.
        let mut doubtful: Vec<usize> = Vec::new();
        for one in all {
            let mut fits: Vec<Fit> = (0..args.len()).map(|place| self.fit(&args[place], &one, place)).collect();
            // Where functions have types of their own, the number of their parameters tells them apart.
            for (place, arg) in args.iter().enumerate() {
                if let Argument::Function(Some(taken)) = arg
                    && let Some(wanted) = self.count_wanted(&search.found[one.place], place)
                {
                    fits[place] = if wanted == *taken { Fit::Plain } else { Fit::No };
                }
            }
            if self.home.implicit_conversions && fits.contains(&Fit::Unknown) {
                doubtful.push(one.place);
            }
            if !fits.contains(&Fit::No) {
                fitting.push((one, fits.contains(&Fit::Converted)));
            }
        }
        if fitting.is_empty() {
            return (0..search.found.len()).collect();
        }
        if labelled.is_some() {
            let known: Vec<bool> =
                fitting.iter().map(|(one, _)| self.can_infer(&search.found[one.place], &one.places)).collect();
            if known.contains(&true) {
                let mut known = known.into_iter();
                fitting.retain(|_| known.next().unwrap_or(true));
            }
        }
        // One that takes a single value for each parameter goes before one that takes several for the last.
        if fitting.iter().any(|(one, _)| !one.spread) {
            fitting.retain(|(one, _)| !one.spread);
        }
        if args.iter().all(|arg| !matches!(arg, Argument::Unknown)) && fitting.iter().any(|(_, converted)| !converted) {
            fitting.retain(|(_, converted)| !converted);
        }
        let candidates: Vec<Candidate> = fitting.into_iter().map(|(one, _)| one).collect();
        let beaten = |eval: &mut Self, one: &Candidate| {
            candidates.iter().any(|other| {
                other.place != one.place && !doubtful.contains(&other.place) && eval.beats(search, other, one, args)
            })
        };
        let mut left: Vec<usize> = candidates.iter().filter(|one| !beaten(self, one)).map(|one| one.place).collect();
        if labelled.is_some() {
            left = self.take_shortest(search, &candidates, left);
        }
        if left.is_empty() { candidates.iter().map(|one| one.place).collect() } else { left }
    }

    /// Returns whether one function is more special than another: each of its parameters is, or the same. Where
    /// nothing is known of an argument, only the same will do. Of functions with the same parameters that of the heir
    /// is meant.
    fn beats(&mut self, search: &Search, one: &Candidate, other: &Candidate, args: &[Argument]) -> bool {
        let mut narrower = false;
        for (place, arg) in args.iter().enumerate() {
            if self.same_type(search, (one, other), place) {
                continue;
            }
            if matches!(arg, Argument::Unknown | Argument::Member(_)) {
                return false;
            }
            // Further types accepted by the other do not matter: they can only be above the argument's own.
            if is_type_of(arg, one.types.get(place)) {
                narrower = true;
                continue;
            }
            let (Some(Some(from)), Some(Some(to))) = (one.types.get(place), other.types.get(place)) else {
                return false;
            };
            let (from, to) = (from.clone(), to.clone());
            let there = self.fit_value(&from, &to);
            let back = self.fit_value(&to, &from);
            match (there, back) {
                (Fit::Plain, Fit::No | Fit::Converted | Fit::Unknown) => narrower = true,
                // A lambda fits several function types that have nothing to do with each other.
                _ => return false,
            }
        }
        narrower || one.owner != other.owner && one.place < other.place
    }

    fn same_type(&mut self, search: &Search, pair: (&Candidate, &Candidate), place: usize) -> bool {
        let (one, other) = pair;
        let names = (one.names.get(place).copied().flatten(), other.names.get(place).copied().flatten());
        match (one.types.get(place).cloned().flatten(), other.types.get(place).cloned().flatten()) {
            (Some(Value::External(a, Some(one))), Some(Value::External(b, Some(other)))) => {
                one == other && a.same_place(&b)
            }
            (Some(Value::Instance(one, _)), Some(Value::Instance(other, _))) => one == other,
            (Some(Value::TypeVar(_, one)), Some(Value::TypeVar(_, other))) => one == other,
            (Some(Value::External(..) | Value::Instance(..)), Some(Value::External(..) | Value::Instance(..))) => false,
            // A type parameter is instantiated in the derived class by the type itself, and arrays have no name.
            (Some(a), Some(b)) if a == b => {
                let open = |eval: &mut Self, of: &Candidate| eval.is_type_parameter(&search.found[of.place], place);
                names.0 == names.1 || open(self, one) || open(self, other)
            }
            // Types that evaluation cannot tell apart are the same if they are written the same.
            _ => names.0.is_some() && names.0 == names.1,
        }
    }

    /// Returns whether a parameter has a type parameter as its type.
    fn is_type_parameter(&mut self, found: &Found, place: usize) -> bool {
        let parameters = self.plain_parameters(found);
        let Entity::Def(of) = found.entity else { return false };
        let Some(last) = parameters.len().checked_sub(1) else { return false };
        let Some(declared) = parameters[place.min(last)].declared else { return false };
        let types = self.eval(of.file, declared, Namespace::Type);
        matches!(types.items.as_slice(), [Value::TypeVar(..)])
    }

    fn fit(&mut self, arg: &Argument, of: &Candidate, place: usize) -> Fit {
        let Some(Some(ty)) = of.types.get(place) else { return Fit::Unknown };
        match arg {
            Argument::Unknown => Fit::Unknown,
            Argument::Member(name) => self.fit_member(*name, ty),
            Argument::Null => match ty {
                Value::External(_, Some(name)) if self.is_primitive(*name) => Fit::No,
                _ => Fit::Plain,
            },
            Argument::Function(count) => {
                let name = of.names.get(place).copied().flatten();
                self.fit_function(*count, ty, name)
            }
            Argument::Value(value) => self.fit_value(value, ty),
        }
    }

    /// A standard type whose values are no objects: nothing but conversion makes them one.
    pub(in crate::eval) fn is_primitive(&self, name: Name) -> bool {
        let text = self.text(name);
        let is_object = matches!(text, "object" | "string");
        !is_object
            && text.starts_with(char::is_lowercase)
            && self.home.conversions.iter().any(|(from, ..)| *from == text)
    }

    /// A function passed where a type is expected: an interface with one method that takes as many arguments.
    fn fit_function(&mut self, count: Option<usize>, ty: &Value, written: Option<Name>) -> Fit {
        match ty {
            Value::Instance(of, _) => match self.definition(*of).kind {
                DefKind::Interface => match (self.single_method(*of), count) {
                    (Some(method), Some(count)) => {
                        let taken = self.unit(method.file).facts.parameters(method.def).len();
                        if taken == count { Fit::Plain } else { Fit::No }
                    }
                    _ => Fit::Unknown,
                },
                _ => Fit::No,
            },
            Value::External(_, Some(name)) => self.fit_function_type(count, *name),
            Value::Callable(_) => written.map_or(Fit::Unknown, |name| self.fit_function_type(count, name)),
            Value::Builtin(Builtin::List | Builtin::Map | Builtin::Tuple | Builtin::Wrapper | Builtin::Scalar, _) => {
                Fit::No
            }
            _ => Fit::Unknown,
        }
    }

    /// A function passed as a type of the standard library.
    fn fit_function_type(&self, count: Option<usize>, name: Name) -> Fit {
        let text = self.text(name);
        let rules = self.home;
        let known = rules.function_types.iter().find(|(known, _)| *known == text);
        match (known, count) {
            (Some((_, parameters)), Some(count)) if parameters.len() != count => Fit::No,
            (Some(_), _) => Fit::Plain,
            (None, _) if rules.conversions.iter().any(|(known, ..)| *known == text) => Fit::No,
            (None, _) if rules.top_type == Some(text) => Fit::No,
            (None, _) => Fit::Unknown,
        }
    }

    /// The one method that an interface of the project leaves to its implementations.
    pub(in crate::eval) fn single_method(&mut self, of: DefRef) -> Option<DefRef> {
        let mut single = None;
        for ancestor in self.ancestors(of).iter() {
            let Ancestor::Class(class, _) = ancestor else { continue };
            self.ask_members(*class);
            let unit = self.unit(class.file);
            for (index, definition) in unit.facts.definitions.iter().enumerate() {
                let open = definition.owner == Some(class.def)
                    && definition.kind == DefKind::Function
                    && definition.flags.is_abstract
                    && !definition.flags.is_static;
                if open {
                    if single.is_some() {
                        return None;
                    }
                    single = Some(DefRef { file: class.file, def: m1nd_lang::facts::DefId(index as u32) });
                }
            }
        }
        single
    }

    /// A value passed where a type, given as a value of it, is expected.
    pub(in crate::eval) fn fit_value(&mut self, value: &Value, ty: &Value) -> Fit {
        let top = self.home.top_type;
        let is_top = |eval: &Self, name: &Name| top == Some(eval.text(*name));
        match (value, ty) {
            // A type parameter accepts what its bound accepts.
            (_, Value::TypeVar(of, index)) => {
                if value == ty {
                    return Fit::Plain;
                }
                let bounds = self.follow_bound(*of, *index);
                match bounds.items.as_slice() {
                    _ if !self.deeper() => Fit::Unknown,
                    bounds => {
                        let fit = bounds.first().map_or(Fit::Plain, |bound| self.fit_value(value, bound));
                        self.leave();
                        let primitive = matches!(value, Value::External(_, Some(name)) if self.is_primitive(*name));
                        if primitive && fit == Fit::Plain { Fit::Converted } else { fit }
                    }
                }
            }
            // The top type accepts everything; a primitive has to be converted to an object first.
            (Value::External(_, Some(name)), Value::External(_, Some(to))) if is_top(self, to) => {
                if self.is_primitive(*name) { Fit::Converted } else { Fit::Plain }
            }
            (
                Value::Instance(..) | Value::Builtin(..) | Value::TypeVar(..) | Value::Callable(_),
                Value::External(_, Some(to)),
            ) if is_top(self, to) => Fit::Plain,
            (Value::External(_, Some(from)), Value::External(_, Some(to))) => self.fit_standard(*from, *to),
            // Standard types do not extend types of the project. Other pairs of a standard and another type are
            // excluded only if all conversions of the standard type are known.
            (Value::External(..) | Value::Builtin(..), Value::Instance(protocol, _)) if self.home.extension_blocks => {
                self.fit_outside(value, *protocol)
            }
            (Value::External(_, Some(_)), Value::Instance(..)) => Fit::No,
            (Value::External(_, Some(from)), Value::Builtin(..)) => self.fit_closed(*from),
            (Value::Builtin(..), Value::External(_, Some(to))) => self.fit_closed(*to),
            (Value::Builtin(one, _), Value::Builtin(other, _)) => {
                if one == other {
                    Fit::Plain
                } else {
                    Fit::No
                }
            }
            (Value::Builtin(..), Value::Instance(..) | Value::Callable(_)) => Fit::No,
            (Value::External(_, Some(from)), Value::Callable(_)) => self.fit_closed(*from),
            (Value::Callable(_), Value::Builtin(..)) => Fit::No,
            (Value::Callable(_), Value::External(_, Some(to))) => self.fit_closed(*to),
            (Value::Instance(of, _), _) => self.fit_instance(*of, ty),
            _ => Fit::Unknown,
        }
    }

    /// A type all of whose conversions are known accepts only what is listed.
    fn fit_closed(&self, name: Name) -> Fit {
        let text = self.text(name);
        if self.home.conversions.iter().any(|(known, ..)| *known == text) { Fit::No } else { Fit::Unknown }
    }

    fn fit_standard(&self, from: Name, to: Name) -> Fit {
        if from == to {
            return Fit::Plain;
        }
        let (from, to) = (self.text(from), self.text(to));
        let derives = |(known, bases): &(&str, &[&str])| *known == from && bases.contains(&to);
        if self.home.outside_bases.iter().any(derives) {
            return Fit::Plain;
        }
        let row = |name: &str| self.home.conversions.iter().find(|(known, ..)| *known == name);
        match (row(from), row(to)) {
            (Some((_, plain, converted)), _) => match (plain.contains(&to), converted.contains(&to)) {
                (true, _) => Fit::Plain,
                (_, true) => Fit::Converted,
                _ => Fit::No,
            },
            // A type that nothing is derived from takes its own values only.
            (None, Some(_)) => Fit::No,
            (None, None) => Fit::Unknown,
        }
    }

    pub(in crate::eval) fn fit_instance(&mut self, of: DefRef, ty: &Value) -> Fit {
        let ancestors = self.ancestors(of);
        let mut open = false;
        for ancestor in ancestors.iter() {
            match (ancestor, ty) {
                (Ancestor::Class(class, _), Value::Instance(wanted, _)) if self.is_twin(*class, *wanted) => {
                    return Fit::Plain;
                }
                (Ancestor::External(_, name), Value::External(_, wanted)) if name.is_some() && name == wanted => {
                    return Fit::Plain;
                }
                (Ancestor::Standard(known, _), Value::Builtin(wanted, _)) if known == wanted => return Fit::Plain,
                (Ancestor::Unknown, _) => open = true,
                (Ancestor::External(..) | Ancestor::Standard(..), Value::External(..) | Value::Builtin(..)) => {
                    open = true
                }
                _ => {}
            }
        }
        match ty {
            Value::External(_, None) => Fit::Unknown,
            // Where types of functions are not interfaces, no class is one of them.
            Value::Callable(_) if self.home.constructs_apart => Fit::No,
            // A closed type, or a function type, is no base of a project class.
            Value::External(_, Some(name)) if self.fit_closed(*name) == Fit::No => Fit::No,
            Value::Instance(..) | Value::External(..) | Value::Builtin(..) => {
                if open {
                    Fit::Unknown
                } else {
                    Fit::No
                }
            }
            _ => Fit::Unknown,
        }
    }

    /// Targets of calling a class at a position: its constructors that the arguments allow. `None` if it declares
    /// none.
    pub(crate) fn constructors(&mut self, file: FileId, callee: ExprId, class: DefRef) -> Option<Search> {
        let mut search = self.constructor(&Value::Def(class, no_args()));
        search.found.retain(|found| matches!(found.entity, Entity::Def(_)));
        if search.found.is_empty() {
            return None;
        }
        let call = self.unit(file).call(callee);
        if self.rules(file).argument_labels {
            let args = call.map(|call| self.project.unit(file).list(call.args))?;
            // A class without a fitting constructor has one that is not written.
            let fits = search.found.iter().any(|found| self.takes_labels(found, file, args));
            self.drop_requirements(&Value::Def(class, no_args()), &mut search);
            return fits.then(|| self.choose(file, search, call));
        }
        let given = call.map(|call| self.unit(file).list(call.args).len() + self.argument_names(file, call).len());
        let has_components = !self.unit(class.file).facts.parameters(class.def).is_empty();
        let rules = self.rules(class.file);
        let calls_construct = rules.packages_have_functions || rules.companions;
        let is_record = self.definition(class).kind == DefKind::Struct || has_components || calls_construct;
        if let (true, Some(given)) = (is_record, given)
            && !search.found.iter().any(|found| self.takes(found, given))
        {
            // A record has the constructor of its components without writing it.
            return None;
        }
        let own = Found::plain(Entity::Def(class));
        if let (true, true, Some(given)) = (calls_construct, has_components, given)
            && self.takes(&own, given)
        {
            // Either the constructor in the header of the class or one of these.
            let unknown = search.unknown.or(Some(Reason::TooManyCandidates));
            return Some(Search { unknown, ..self.choose(file, search, call) });
        }
        Some(self.choose(file, search, call))
    }
}
