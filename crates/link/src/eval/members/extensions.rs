//! Functions that are written for types elsewhere and called like their methods.

use std::rc::Rc;

use m1nd_lang::facts::{DefKind, Expr, ExprId, ImportId, ImportKind, Namespace, ParameterKind};

use crate::eval::members::overload::Fit;
use crate::eval::{Args, Entity, Eval, Found, Search, Value, Values};
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::ModuleTarget;
use crate::tables::files::{DefRef, FileId};

/// Maximum extension functions of one name that are compared with a receiver.
const MAX_EXTENSIONS: usize = 128;

impl Eval<'_> {
    /// Returns whether a definition is a function written for a type elsewhere.
    pub(in crate::eval) fn is_extension(&mut self, of: DefRef) -> bool {
        let definition = self.unit(of.file).facts.definition(of.def);
        definition.kind == DefKind::Function
            && definition.extends_type.is_some()
            && self.rules(of.file).extension_functions
    }

    /// Returns whether an extension function is written in a class that wraps the receiver, which is a value of that
    /// class where the function runs: values are converted to it without a word, so calls are at most possible.
    pub(in crate::eval) fn is_wrapped(&mut self, of: DefRef) -> bool {
        let rules = self.rules(of.file);
        rules.implicit_conversions && self.is_extension(of) && {
            let unit = self.unit(of.file);
            let mut parameters = unit.facts.parameters(of.def).iter();
            parameters.all(|parameter| parameter.kind != ParameterKind::Receiver)
        }
    }

    /// Returns whether an extension function is called on its receiver, not with the receiver as an argument.
    pub(in crate::eval) fn is_received(&mut self, of: DefRef, receiver: Option<&Value>) -> bool {
        let Some(receiver) = receiver else { return false };
        let owner = self.definition(of).owner.map(|def| self.whole_type(DefRef { file: of.file, def }));
        // Called by its bare name from inside its class.
        !matches!(receiver, Value::Instance(class, _) if Some(*class) == owner)
    }

    /// What a call of a member finds, with the extension functions that its receiver may be given to where the type
    /// itself has nothing that takes the arguments.
    pub(in crate::eval) fn with_extensions(
        &mut self,
        file: FileId,
        expr: ExprId,
        search: Search,
        want: Namespace,
    ) -> Search {
        let unit = self.unit(file);
        let Expr::Member { base, name } = unit.facts.expr(expr) else { return search };
        let name = unit.name(name);
        let call = unit.call(expr);
        let count = call.map(|call| unit.list(call.args).len() + self.argument_names(file, call).len());
        let takes = |eval: &mut Self, found: &Found| match found.entity {
            Entity::Def(of) => {
                let definition = eval.definition(of);
                definition.kind != DefKind::Function
                    || definition.flags.is_property
                    || count.is_none_or(|count| eval.takes(found, count))
            }
            _ => false,
        };
        if search.found.iter().any(|found| takes(self, found)) || !self.deeper() {
            return search;
        }
        let extended = self.find_extensions(file, base, name, &search, want);
        self.leave();
        extended.unwrap_or(search)
    }

    /// The extension functions of a name that a receiver may be given to; `None` if there are none.
    fn find_extensions(
        &mut self,
        file: FileId,
        base: ExprId,
        name: Name,
        known: &Search,
        want: Namespace,
    ) -> Option<Search> {
        let all = self.methods_named(file, name, MAX_EXTENSIONS)?;
        let mut extensions = Vec::new();
        for &of in all.iter() {
            let is_read = self.unit(of.file).facts.definition(of.def).flags.is_property;
            if self.is_extension(of) && is_read == (want == Namespace::Value) && self.sees(file, of) {
                extensions.push(of);
            }
        }
        if extensions.is_empty() || !self.look(extensions.len()) {
            return None;
        }
        let bases = self.eval(file, base, Namespace::Value);
        // A class that is named is not a receiver.
        let is_type = |value: &Value| match value {
            Value::Def(..) | Value::BuiltinType(..) | Value::Module(_) => true,
            Value::External(outside, _) => outside.is_type(),
            _ => false,
        };
        let mut bases = bases;
        for value in &mut bases.items {
            // A class stands for its companion.
            if let Value::Def(of, _) = value
                && let Some(companion) = self.find_companion(*of)
            {
                *value = Value::Instance(companion, crate::eval::no_args());
            }
        }
        let receivers: Vec<Value> =
            bases.items.iter().filter(|value| !matches!(value, Value::Null) && !is_type(value)).cloned().collect();
        if receivers.is_empty() && !bases.items.is_empty() {
            return None;
        }
        // Standard types may have a method of the name themselves.
        let is_common = self.rules(file).common_methods.contains(&self.text(name));
        let may_have = |receiver: &Value| is_common && !matches!(receiver, Value::Instance(..));
        let wrapped: Vec<bool> = extensions.iter().map(|of| self.is_wrapped(*of)).collect();
        let (mut sure, mut open) = (Vec::new(), Vec::new());
        for (&of, is_wrapped) in extensions.iter().zip(wrapped) {
            let takes_all = self.takes_everything(of);
            let only = extensions.len() == all.len() && takes_all && !is_common;
            for receiver in &receivers {
                let fit = if takes_all { Fit::Plain } else { self.fit_receiver(receiver, of) };
                let found = Found { receiver: Some(receiver.clone().into()), ..Found::plain(Entity::Def(of)) };
                match fit {
                    Fit::No => {}
                    Fit::Plain | Fit::Converted if !may_have(receiver) && !is_wrapped => sure.push(found),
                    _ => open.push(found),
                }
            }
            if receivers.is_empty() {
                if only && !is_wrapped { &mut sure } else { &mut open }.push(Found::plain(Entity::Def(of)));
            }
        }
        let is_whole = bases.unknown.is_none() || !sure.is_empty() && extensions.len() == all.len();
        match (sure.is_empty(), open.is_empty()) {
            (false, _) if is_whole => Some(Search { found: sure.into(), unknown: None }),
            (true, true) => None,
            _ => {
                let outside = known.found.iter().filter(|found| !matches!(found.entity, Entity::Def(_))).cloned();
                let found = outside.chain(sure).chain(open).collect();
                Some(Search { found, unknown: known.unknown.or(Some(Reason::OutsideReceiver)) })
            }
        }
    }

    /// The type of an extension function's receiver.
    fn extended_value(&mut self, of: DefRef) -> Option<Values> {
        let expr = self.definition(of).extends_type?;
        let types = self.eval(of.file, expr, Namespace::Type);
        Some(self.instantiate(types))
    }

    /// Returns whether an extension function is written for values of every type.
    fn takes_everything(&mut self, of: DefRef) -> bool {
        let Some(values) = self.extended_value(of) else { return false };
        match values.items.as_slice() {
            [Value::External(_, Some(name))] => self.home.top_type == Some(self.text(*name)),
            [Value::TypeVar(of, index)] => {
                let unit = self.unit(of.file);
                unit.facts.type_parameters(of.def).get(*index as usize).is_some_and(|one| one.bound.is_none())
            }
            _ => false,
        }
    }

    pub(in crate::eval) fn fit_receiver(&mut self, receiver: &Value, of: DefRef) -> Fit {
        let Some(values) = self.extended_value(of) else { return Fit::Unknown };
        match values.items.as_slice() {
            [one] if values.unknown.is_none() => {
                let one = one.clone();
                self.fit_value(receiver, &one)
            }
            _ => Fit::Unknown,
        }
    }

    /// Returns whether the namespace of an extension function is known where it is called.
    fn sees(&mut self, file: FileId, of: DefRef) -> bool {
        if file == of.file {
            return true;
        }
        if self.rules(file).implicit_receivers {
            return self.imports_extension(file, of);
        }
        if !self.rules(file).partial_types {
            return true;
        }
        let facts = &self.unit(of.file).facts;
        // Namespaces besides that of the file are not told apart.
        let Some(package) = facts.package.map(|name| facts.name(name)) else { return true };
        let unit = self.unit(file);
        let own = unit.facts.package.map(|name| unit.facts.name(name));
        let is_around = own
            .is_none_or(|own| own.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')));
        if is_around || self.resolver(file).shared_packages(&self.files, file).contains(&package) {
            return true;
        }
        let wildcards = unit.facts.imports.iter().filter(|import| import.kind == ImportKind::Wildcard);
        let wildcards: Vec<_> = wildcards.map(|import| (import.module, import.level)).collect();
        wildcards.into_iter().any(|(module, level)| match self.module_target(file, module, level) {
            ModuleTarget::Folder(folder) => folder == package,
            // `using static` of the class that holds it.
            ModuleTarget::Member(files, _) => files.contains(&of.file),
            _ => false,
        })
    }

    /// Returns whether the file that is linked knows an extension function.
    pub(in crate::eval) fn knows_extension(&mut self, of: DefRef) -> bool {
        of.file == self.home_file || self.imports_extension(self.home_file, of)
    }

    /// Returns whether a file imports an extension function, or is of its package. One of a class is known where the
    /// class is the receiver.
    fn imports_extension(&mut self, file: FileId, of: DefRef) -> bool {
        let definition = self.unit(of.file).facts.definition(of.def);
        let name = self.unit(of.file).name(definition.name);
        self.known_extensions(file, name).contains(&of) || definition.owner.is_some() && self.is_method_around(file, of)
    }

    /// The functions of a name that a file knows by its imports and its package.
    fn known_extensions(&mut self, file: FileId, name: Name) -> Rc<[DefRef]> {
        if let Some(known) = self.memos.extensions.get(&(file, name)) {
            return known.clone();
        }
        if !self.deeper() {
            return [].into();
        }
        let outer = self.begin_uncut();
        let mut search = Search::default();
        let unit = self.unit(file);
        for index in 0..unit.facts.imports.len() as u32 {
            let import = unit.facts.imports[index as usize];
            match import.kind {
                ImportKind::Symbol(symbol) if unit.name(symbol) == name => {
                    search.add(self.import(file, ImportId(index), Namespace::Callee));
                }
                ImportKind::Wildcard => {
                    search.add(self.wildcard_member(file, ImportId(index), name, Namespace::Callee))
                }
                _ => {}
            }
        }
        if let Some(target) = self.resolver(file).near(&self.files, file, self.text(name)) {
            search.add(self.target_entity(target, Namespace::Callee));
        }
        let defs = search.found.iter().filter_map(|found| match found.entity {
            Entity::Def(of) => Some(of),
            _ => None,
        });
        let known: Rc<[DefRef]> = defs.collect();
        let is_whole = self.end_uncut(outer);
        self.leave();
        if is_whole {
            self.memos.extensions.insert((file, name), known.clone());
        }
        known
    }

    /// Returns whether a file has a class that inherits from the one that holds an extension function.
    fn is_method_around(&mut self, file: FileId, of: DefRef) -> bool {
        let Some(def) = self.unit(of.file).facts.definition(of.def).owner else { return false };
        let holder = DefRef { file: of.file, def };
        let classes = self.unit(file).facts.definitions.iter().enumerate();
        let classes: Vec<DefRef> = classes
            .filter(|(_, one)| one.kind.is_class_like())
            .map(|(index, _)| DefRef { file, def: m1nd_lang::facts::DefId(index as u32) })
            .take(MAX_EXTENSIONS)
            .collect();
        classes.into_iter().any(|class| {
            let is_holder = |one: &crate::eval::ancestors::Ancestor| {
                matches!(one, crate::eval::ancestors::Ancestor::Class(known, _) if *known == holder)
            };
            self.ancestors(class).iter().any(is_holder)
        })
    }

    /// Replaces the type parameters of an extension function by what its receiver says of them.
    pub(in crate::eval) fn infer_receiver(&mut self, values: Values, of: DefRef, receiver: &Value) -> Values {
        let unit = self.unit(of.file);
        let count = unit.facts.type_parameters(of.def).len();
        if count == 0 || !values.mention(of) || !self.is_extension(of) {
            return values;
        }
        let Some(expr) = self.definition(of).extends_type else { return values };
        let types = self.eval(of.file, expr, Namespace::Type);
        let open = |index: usize| Values::one(Value::TypeVar(of, index as u32));
        let mut known = vec![Values::default(); count];
        let given = Values::one(receiver.clone());
        for ty in &types.items {
            self.unify(ty, &given, of, of.file, &mut known, 0);
        }
        let known: Args = known
            .into_iter()
            .enumerate()
            .map(|(index, values)| if values.is_nothing() { open(index) } else { values })
            .collect();
        self.substitute(values, of, &known)
    }

    /// Parameters that the arguments of a call are given to.
    pub(in crate::eval) fn is_given(&mut self, of: DefRef, receiver: Option<&Value>, kind: ParameterKind) -> bool {
        match kind {
            ParameterKind::Receiver => self.is_extension(of) && !self.is_received(of, receiver),
            ParameterKind::ClassReceiver => false,
            _ => true,
        }
    }

    /// A decorator by a name that leaves out the ending of its class.
    pub(crate) fn with_suffix(&mut self, file: FileId, expr: ExprId, suffix: &str) -> Option<Search> {
        let unit = self.unit(file);
        let (Expr::Name { name, .. } | Expr::Member { name, .. }) = unit.facts.expr(expr) else { return None };
        let whole = format!("{}{suffix}", unit.facts.name(name));
        self.ask_text(&whole);
        let whole = self.project.names.intern(&whole);
        let search = match unit.facts.expr(expr) {
            Expr::Name { scope, .. } => self.lookup(file, scope, whole, Namespace::Type),
            Expr::Member { base, .. } => self.resolve_member(file, base, whole, Namespace::Type, Namespace::Type),
            _ => return None,
        };
        let is_own = search.found.iter().any(|found| matches!(found.entity, Entity::Def(_)));
        is_own.then_some(search)
    }
}
