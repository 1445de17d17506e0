//! Receivers that code does not write: of extension functions, of lambdas, and of companions (Kotlin).

use m1nd_lang::facts::{BindingTarget, DefId, DefKind, Expr, ExprId, ListId, Namespace, ScopeId, ScopeKind};

use crate::eval::members::overload::Fit;
use crate::eval::{Args, Entity, Eval, Found, Search, Value, Values, no_args};
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::{ModuleTarget, ScopeFunction};
use crate::tables::files::{DefRef, FileId};

/// Names that lead from a parameter's type to the function type that it stands for.
const MAX_ALIASES: usize = 8;

impl Eval<'_> {
    /// A bare name inside of a function with a receiver: a member of that. What only something outside may have goes
    /// to `perhaps`, because an outer scope may have the name.
    pub(in crate::eval) fn member_of_receiver(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Name,
        want: Namespace,
        perhaps: &mut Search,
    ) -> Option<Search> {
        let row = self.unit(file).facts.scopes[scope.index()];
        let def = row.owner.filter(|_| row.kind == ScopeKind::Function)?;
        let of = DefRef { file, def };
        let definition = self.unit(file).facts.definition(def);
        let receivers = match definition.extends_type {
            Some(_) => self.receiver_of(of),
            None if definition.flags.is_anonymous => self.lambda_receiver(of)?,
            None => return None,
        };
        let mut search = Search::default();
        for receiver in &receivers.items {
            search.add(self.member(receiver, name, want));
        }
        if search.found.iter().any(|found| matches!(found.entity, Entity::Def(_))) {
            search.unknown = search.unknown.filter(|reason| *reason != Reason::NoSuchMember);
            return Some(search);
        }
        if perhaps.found.is_empty() && !search.found.is_empty() {
            *perhaps = search;
        }
        None
    }

    /// The receiver inside of a lambda, if what it is given to may have one.
    pub(in crate::eval) fn lambda_receiver(&mut self, of: DefRef) -> Option<Values> {
        if let Some(known) = self.memos.lambdas.get(&of) {
            return known.clone();
        }
        if !self.deeper() {
            return None;
        }
        let outer = self.begin_uncut();
        let receiver = self.find_lambda_receiver(of);
        let is_whole = self.end_uncut(outer);
        self.leave();
        if is_whole {
            self.memos.lambdas.insert(of, receiver.clone());
        }
        receiver
    }

    fn find_lambda_receiver(&mut self, of: DefRef) -> Option<Values> {
        let unit = self.unit(of.file);
        let (callee, place) = unit.argument_of(of.def)?;
        let search = self.resolve(of.file, callee, Namespace::Callee);
        if let Some((function, base)) = self.scope_function(of.file, callee, &search) {
            let value = match function {
                ScopeFunction::Apply | ScopeFunction::Run => base?,
                ScopeFunction::With => unit.call(callee).and_then(|call| unit.list(call.args).first().copied())?,
                ScopeFunction::Also | ScopeFunction::Let => return None,
            };
            return Some(self.eval(of.file, value, Namespace::Value));
        }
        let mut values: Option<Values> = None;
        for found in &search.found {
            let part = match &found.entity {
                Entity::Def(_) => self.expected_receiver(of.file, callee, found, place as usize),
                // Only what is called knows.
                Entity::External(outside, _) => Some(Values::one(Value::External(outside.somewhere(), None))),
                _ => None,
            };
            if let Some(part) = part {
                values.get_or_insert_with(Values::default).add(part);
            }
        }
        values
    }

    /// The receiver of the function type of the parameter that an argument is given to.
    fn expected_receiver(&mut self, file: FileId, callee: ExprId, found: &Found, place: usize) -> Option<Values> {
        let Entity::Def(of) = found.entity else { return None };
        let declared = self.parameter_at(file, callee, found, place)?;
        let (within, parameters) = self.function_type(of.file, declared)?;
        let first = *self.unit(within).list(parameters).first()?;
        let Expr::Instance { of: ty } = self.unit(within).facts.expr(first) else { return None };
        let types = self.eval(within, ty, Namespace::Type);
        let values = self.instantiate(types);
        Some(self.substitute_given(values, file, callee, found, of))
    }

    /// Replaces type parameters of a called function by what its receiver and its other arguments say of them.
    fn substitute_given(&mut self, values: Values, file: FileId, callee: ExprId, found: &Found, of: DefRef) -> Values {
        let mut values = values;
        if let Some((owner, args)) = &found.owner {
            values = self.substitute(values, *owner, args);
        }
        if let Some(receiver) = &found.receiver {
            if let Value::Instance(class, args) = receiver.as_ref() {
                values = self.substitute(values, *class, args);
            }
            if self.is_extension(of) {
                values = self.infer_receiver(values, of, receiver);
            }
        }
        let args = self.unit(file).call(callee).map(|call| call.args);
        let given = self.find_type_arguments_of(file, callee);
        if !given.is_empty() {
            return self.substitute(values, of, &given);
        }
        match args {
            Some(args) if values.mention(of) => {
                let args: Vec<ExprId> = self.unit(file).list(args).to_vec();
                self.infer(values, of, &no_args(), file, &args)
            }
            _ => values,
        }
    }

    /// The written type of the parameter that an argument is given to. A function behind all other arguments is given
    /// to the last parameter.
    pub(in crate::eval) fn parameter_at(
        &mut self,
        file: FileId,
        callee: ExprId,
        found: &Found,
        place: usize,
    ) -> Option<ExprId> {
        let parameters = self.plain_parameters(found);
        let last = parameters.len().checked_sub(1)?;
        let unit = self.unit(file);
        let count = unit.call(callee).map(|call| unit.list(call.args).len());
        let is_behind = self.rules(file).implicit_receivers && count == Some(place + 1);
        if let (true, Entity::Def(of), Some(declared)) = (is_behind, &found.entity, parameters[last].declared)
            && self.function_type(of.file, declared).is_some()
        {
            return Some(declared);
        }
        parameters[place.min(last)].declared
    }

    /// The parameters of the function type that a written type is, and the file that they are written in.
    pub(in crate::eval) fn function_type(&mut self, file: FileId, declared: ExprId) -> Option<(FileId, ListId)> {
        let (mut file, mut declared) = (file, declared);
        for _ in 0..MAX_ALIASES {
            match self.unit(file).facts.expr(declared) {
                Expr::Signature { parameters, .. } => return Some((file, parameters)),
                Expr::Generic { base, .. } => declared = base,
                Expr::Name { .. } | Expr::Member { .. } => {
                    let search = self.resolve(file, declared, Namespace::Type);
                    let [Found { entity: Entity::Def(of), .. }] = search.found.as_slice() else { return None };
                    let of = *of;
                    let definition = self.definition(of);
                    if definition.kind != DefKind::TypeAlias {
                        return None;
                    }
                    (file, declared) = (of.file, definition.declared?);
                }
                _ => return None,
            }
        }
        None
    }

    /// A function of the language that runs a lambda with the value it is called on, and that value.
    pub(in crate::eval) fn scope_function(
        &mut self,
        file: FileId,
        callee: ExprId,
        search: &Search,
    ) -> Option<(ScopeFunction, Option<ExprId>)> {
        let functions = self.rules(file).scope_functions;
        if functions.is_empty() || search.found.iter().any(|found| matches!(found.entity, Entity::Def(_))) {
            return None;
        }
        let unit = self.unit(file);
        let (base, name) = match unit.facts.expr(callee) {
            Expr::Member { base, name } => (Some(base), unit.facts.name(name)),
            Expr::Name { name, .. } => (None, unit.facts.name(name)),
            _ => return None,
        };
        let (_, function) = functions.iter().find(|(known, _)| *known == name)?;
        Some((*function, base))
    }

    /// Result of a function of the language that runs a lambda with a value; `None` for other callees.
    pub(in crate::eval) fn evaluate_scope_function(
        &mut self,
        file: FileId,
        callee: ExprId,
        args: &[ExprId],
    ) -> Option<Values> {
        let functions = self.rules(file).scope_functions;
        let unit = self.unit(file);
        let last = *args.last().filter(|_| !functions.is_empty())?;
        let name = unit.written_last(callee)?;
        if !functions.iter().any(|(known, _)| *known == name) {
            return None;
        }
        let search = self.resolve(file, callee, Namespace::Callee);
        let (function, base) = self.scope_function(file, callee, &search)?;
        Some(match (function, base) {
            (ScopeFunction::Apply | ScopeFunction::Also, Some(base)) => self.eval(file, base, Namespace::Value),
            (ScopeFunction::Apply | ScopeFunction::Also, None) => return None,
            _ => {
                let functions = self.eval(file, last, Namespace::Value);
                functions.flat_map(|function| self.call(&function, file, &[]))
            }
        })
    }

    /// A member that a class has by its companion, or by that of one of its bases.
    pub(in crate::eval) fn member_of_companion(
        &mut self,
        class: DefRef,
        name: Name,
        want: Namespace,
    ) -> Option<Search> {
        if !self.rules(class.file).implicit_receivers {
            return None;
        }
        let ancestors = self.ancestors(class);
        for ancestor in ancestors.iter() {
            let crate::eval::ancestors::Ancestor::Class(of, _) = ancestor else { continue };
            let Some(companion) = self.find_companion(*of) else { continue };
            let search = self.member(&Value::Instance(companion, no_args()), name, want);
            if search.found.iter().any(|found| matches!(found.entity, Entity::Def(_))) {
                return Some(search);
            }
        }
        None
    }

    pub(in crate::eval) fn find_companion(&mut self, of: DefRef) -> Option<DefRef> {
        if !self.rules(of.file).implicit_receivers {
            return None;
        }
        self.ask_members(of);
        let facts = &self.unit(of.file).facts;
        let place = facts
            .definitions
            .iter()
            .position(|one| one.owner == Some(of.def) && one.kind == DefKind::Object && one.flags.is_static)?;
        Some(DefRef { file: of.file, def: DefId(place as u32) })
    }

    /// Of extension functions that are called by their bare name, keeps those that a receiver around may be given to.
    pub(in crate::eval) fn keep_received(&mut self, file: FileId, callee: ExprId, search: &mut Search) {
        if search.found.len() < 2 || !self.rules(file).implicit_receivers {
            return;
        }
        let Expr::Name { scope, .. } = self.unit(file).facts.expr(callee) else { return };
        let receivers = self.receivers_around(file, scope);
        let fits: Vec<Fit> = search
            .found
            .iter()
            .map(|found| match found.entity {
                Entity::Def(of) if found.receiver.is_none() && self.is_extension(of) => {
                    let all: Vec<Fit> = receivers.iter().map(|one| self.fit_receiver(one, of)).collect();
                    all.into_iter().max_by_key(|fit| *fit as u8).unwrap_or(Fit::Unknown)
                }
                _ => Fit::Plain,
            })
            .collect();
        let best = if fits.contains(&Fit::Plain) { Fit::Plain } else { Fit::Unknown };
        let keep: Vec<bool> = fits.iter().map(|fit| *fit == best).collect();
        if keep.contains(&true) {
            search.keep(&keep);
        }
    }

    /// The receivers that code at a scope has without writing them, from the inside out.
    fn receivers_around(&mut self, file: FileId, scope: ScopeId) -> Vec<Value> {
        let mut found = Vec::new();
        let facts = &self.unit(file).facts;
        let mut owner = facts.scopes[scope.index()].owner;
        while let Some(def) = owner {
            let definition = facts.definition(def);
            let of = DefRef { file, def };
            if definition.kind.is_class_like() {
                found.push(Value::Instance(of, no_args()));
            } else if definition.extends_type.is_some() {
                found.extend(self.receiver_of(of).items);
            } else if definition.flags.is_anonymous
                && let Some(values) = self.lambda_receiver(of)
            {
                found.extend(values.items);
            }
            owner = definition.owner;
        }
        found
    }

    /// Returns whether two classes are one: what common code expects, and what a platform has.
    pub(in crate::eval) fn is_twin(&mut self, one: DefRef, other: DefRef) -> bool {
        if one == other || !self.rules(one.file).implicit_receivers || !self.rules(other.file).implicit_receivers {
            return one == other;
        }
        let (first, second) = (self.definition(one), self.definition(other));
        let (here, there) = (self.unit(one.file), self.unit(other.file));
        let package = |unit: &crate::unit::Unit| unit.facts.package.map(|name| unit.facts.name(name).to_owned());
        first.flags.is_declaration != second.flags.is_declaration
            && here.name(first.name) == there.name(second.name)
            && package(here) == package(there)
    }

    /// The class that the platform of the file that is linked has for one that common code expects.
    pub(in crate::eval) fn actual_class(&mut self, of: DefRef) -> Option<DefRef> {
        if of.file == self.home_file || !self.rules(of.file).implicit_receivers {
            return None;
        }
        let unit = self.unit(of.file);
        let definition = unit.facts.definition(of.def);
        if !definition.flags.is_declaration || definition.owner.is_some() {
            return None;
        }
        if let Some(known) = self.memos.actual.get(&of) {
            return (*known != of).then_some(*known);
        }
        self.ask_definition(of);
        let package = unit.facts.package.map_or("", |name| unit.facts.name(name));
        let folder = ModuleTarget::Folder(package.to_owned());
        let name = unit.facts.name(definition.name);
        let target = self.resolver(of.file).submodule(&self.files, self.home_file, &folder, name);
        let outer = self.begin_uncut();
        let search = self.target_entity(target, Namespace::Type);
        let is_whole = self.end_uncut(outer);
        let actual = search.found.iter().find_map(|found| match found.entity {
            Entity::Def(other) if other != of && self.is_twin(of, other) => Some(other),
            _ => None,
        });
        if is_whole {
            self.memos.actual.insert(of, actual.unwrap_or(of));
        }
        actual
    }

    /// Number of parameters of a function that is taken as a value: of a reference to it, or of a parameter of a
    /// function type.
    pub(in crate::eval) fn count_taken(&mut self, file: FileId, arg: ExprId, values: &Values) -> Option<usize> {
        if !self.rules(file).implicit_receivers {
            return None;
        }
        match values.items.as_slice() {
            [Value::Def(of, _) | Value::Bound(of, _)] => {
                let definition = self.definition(*of);
                let is_taken = definition.kind == DefKind::Function || definition.kind == DefKind::Class;
                is_taken.then(|| self.unit(of.file).facts.parameters(of.def).len())
            }
            [Value::Callable(_)] => {
                let search = self.resolve(file, arg, Namespace::Value);
                let [Found { entity: Entity::Local(file, binding), .. }] = search.found.as_slice() else { return None };
                let (file, unit) = (*file, self.project.unit(*file));
                let declared = match unit.facts.bindings[*binding as usize].target {
                    BindingTarget::Parameter(def, index) => {
                        unit.facts.parameters(def).get(index as usize).and_then(|parameter| parameter.declared)?
                    }
                    BindingTarget::Typed(declared) => declared,
                    _ => return None,
                };
                let (within, parameters) = self.function_type(file, declared)?;
                Some(self.unit(within).list(parameters).len())
            }
            _ => None,
        }
    }

    /// Number of parameters of the function type that an argument at a place is given to.
    pub(in crate::eval) fn count_wanted(&mut self, found: &Found, place: usize) -> Option<usize> {
        let Entity::Def(of) = found.entity else { return None };
        let parameters = self.plain_parameters(found);
        let declared = parameters.get(place)?.declared?;
        let (within, parameters) = self.function_type(of.file, declared)?;
        Some(self.unit(within).list(parameters).len())
    }

    /// Result of an operator of the language on its own values.
    pub(in crate::eval) fn plain_result(&mut self, file: FileId, base: ExprId) -> Values {
        if !self.rules(file).implicit_receivers {
            return Values::default();
        }
        let bases = self.eval(file, base, Namespace::Value);
        bases.flat_map(|base| match base {
            Value::External(outside, _) => Values::one(Value::External(outside.somewhere(), None)),
            Value::Builtin(..) => Values::one(base),
            _ => Values::default(),
        })
    }

    /// The value that destructuring takes from a class: what its header declares at the place, or what a function of
    /// the project yields.
    pub(in crate::eval) fn component(&mut self, of: DefRef, args: &Args, index: usize) -> Option<Values> {
        let parameter = self.unit(of.file).facts.parameters(of.def).get(index).copied();
        self.ask_definition(of);
        let Some(declared) = parameter.and_then(|parameter| parameter.declared) else {
            let function = format!("component{}", index + 1);
            let value = Value::Instance(of, args.clone());
            return self.has_member(&value, &function).then(|| self.call_member(&value, &function));
        };
        let types = self.eval(of.file, declared, Namespace::Type);
        let values = self.instantiate(types);
        Some(self.substitute(values, of, args))
    }

    /// A property that is read as a method in the other language of the same machine, or the other way round:
    /// `getName()` of `name`.
    pub(in crate::eval) fn accessor(
        &mut self,
        of: DefRef,
        name: Name,
        want: Namespace,
        value: &Value,
    ) -> Option<Search> {
        let is_kotlin = self.rules(of.file).implicit_receivers;
        let from_kotlin = self.home.implicit_receivers;
        if is_kotlin == from_kotlin || !self.home.folders_are_packages {
            return None;
        }
        let text = self.text(name);
        let others: Vec<(String, Namespace)> = match (from_kotlin, want) {
            (true, Namespace::Value | Namespace::Any) => {
                let mut letters = text.chars();
                let first: String = letters.next()?.to_uppercase().collect();
                let upper = format!("{first}{}", letters.as_str());
                let plain = text.starts_with("is").then(|| (text.to_owned(), Namespace::Callee));
                let named = [format!("get{upper}"), format!("is{upper}")].map(|name| (name, Namespace::Callee));
                plain.into_iter().chain(named).collect()
            }
            (false, Namespace::Callee) => {
                let stem = ["get", "set", "is"].iter().find_map(|prefix| text.strip_prefix(prefix))?;
                let mut letters = stem.chars();
                let first = letters.next().filter(|first| first.is_uppercase())?;
                let lower: String = first.to_lowercase().collect();
                vec![
                    (format!("{lower}{}", letters.as_str()), Namespace::Value),
                    (text.replacen("set", "is", 1), Namespace::Value),
                ]
            }
            _ => return None,
        };
        for (other, want) in others {
            self.ask_text(&other);
            let other = self.project.names.intern(&other);
            if other == name && want == Namespace::Value {
                continue;
            }
            let search = self.class_member_named(of, other, want, value);
            if search.found.iter().any(|found| matches!(found.entity, Entity::Def(_))) {
                return Some(search);
            }
        }
        None
    }

    /// What the functions and classes of one name mean in a call: a class whose constructor does not take the
    /// arguments is not meant, nor is a function that does not.
    pub(in crate::eval) fn choose_constructed(&mut self, mut search: Search, count: usize) -> Search {
        let takes: Vec<bool> = search
            .found
            .iter()
            .map(|found| match found.entity {
                Entity::Def(of) => match self.definition(of).kind {
                    DefKind::Function => self.takes(found, count),
                    DefKind::Interface => false,
                    kind if kind.is_class_like() => self.is_constructed_with(of, count),
                    _ => true,
                },
                _ => true,
            })
            .collect();
        if takes.contains(&true) {
            search.keep(&takes);
        }
        search
    }

    fn is_constructed_with(&mut self, class: DefRef, count: usize) -> bool {
        let own = Found::plain(Entity::Def(class));
        if self.takes(&own, count) {
            return true;
        }
        let constructors = self.constructor(&Value::Def(class, no_args()));
        constructors.found.iter().any(|found| self.takes(found, count))
    }
}
