//! Resolves a member of a value: own members, bases in the language's order, members added from outside.

use std::rc::Rc;

use m1nd_lang::facts::{DefKind, Expr, ExprId, Namespace};

use crate::eval::ancestors::Ancestor;
use crate::eval::lookup::Asker;
use crate::eval::{Args, Entity, Eval, Found, Module, Outside, Search, Value, Values, no_args};
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::{Builtin, MemberOrder, MethodShape, Overloads};
use crate::tables::files::{DefRef, FileId, Key};

/// A question for a member of a class.
pub(in crate::eval) struct Asked<'a> {
    /// The class.
    pub(in crate::eval) of: DefRef,
    /// Its type arguments.
    pub(in crate::eval) args: &'a Args,
    pub(in crate::eval) name: Name,
    pub(in crate::eval) want: Namespace,
    /// The value that the member is taken of.
    pub(in crate::eval) value: &'a Value,
}

/// Unknown or external bases met during the search.
#[derive(Default)]
struct OpenBases {
    /// External packages of bases.
    external: Vec<Outside>,
    /// The first base that is a standard type.
    standard: Option<(Builtin, Args)>,
    /// A base that could not be resolved.
    unknown: bool,
}

impl OpenBases {
    /// The reason why something else may have the member, too.
    fn why(&self) -> Option<Reason> {
        (self.unknown || !self.external.is_empty()).then_some(Reason::UnknownBase)
    }
}

impl<'a> Eval<'a> {
    /// The member of a value under a name.
    pub(crate) fn member(&mut self, value: &Value, name: Name, want: Namespace) -> Search {
        if !self.deeper() {
            return Search::unknown(Reason::Budget);
        }
        self.ask(name);
        let search = self.member_inside(value, name, want);
        self.leave();
        search
    }

    fn member_inside(&mut self, value: &Value, name: Name, want: Namespace) -> Search {
        match value {
            Value::Module(module) => self.module_value_member(module, name, want),
            Value::Def(of, args) => self.static_member(*of, args, name, want),
            Value::Instance(of, args) => {
                if let Some(actual) = self.actual_class(*of) {
                    return self.member(&Value::Instance(actual, args.clone()), name, want);
                }
                let search = self.instance_member(*of, args, name, want, value);
                let own = search.found.iter().any(|found| matches!(found.entity, Entity::Def(_)));
                if own {
                    return search;
                }
                let other = self.adapter(*of, name, value);
                let other = other.or_else(|| self.behind_arrow(*of, name, want, value));
                other.or_else(|| self.behind_deref(*of, name, want, value)).unwrap_or(search)
            }
            Value::Super(class, behind) => {
                let receiver = Value::Instance(*class, no_args());
                let asked = Asked { of: *class, args: &no_args(), name, want, value: &receiver };
                self.class_member(&asked, Some(*behind))
            }
            Value::TypeVar(of, index) => {
                let bounds = self.follow_bound(*of, *index);
                let mut search = Search { unknown: bounds.unknown, ..Search::default() };
                // All bounds hold at once: the one that has the member is the one that is meant.
                for bound in &bounds.items {
                    search.add(self.member(bound, name, want));
                }
                if search.found.iter().any(|found| matches!(found.entity, Entity::Def(_))) {
                    search.found.retain(|found| matches!(found.entity, Entity::Def(_)));
                    search.unknown = None;
                }
                // Whatever it refers to has the universal members.
                if search.found.is_empty() { self.universal(of.file, name).unwrap_or(search) } else { search }
            }
            Value::External(..) | Value::Builtin(..) | Value::BuiltinType(..) if self.home.extension_blocks => {
                let mut search = self.members_of_blocks(value, name, want);
                search.add(self.outside_member(value, name, want));
                search
            }
            _ => self.outside_member(value, name, want),
        }
    }

    /// A member of a value that is not of the project.
    fn outside_member(&mut self, value: &Value, name: Name, want: Namespace) -> Search {
        // A property, unless a method of that name is called.
        let is_called = |eval: &Self, builtin: Builtin| {
            want == Namespace::Callee
                && eval.home.extension_blocks
                && eval.home.builtin_method(builtin, eval.text(name)).is_some()
        };
        match value {
            Value::Builtin(builtin, args) | Value::BuiltinType(builtin, args)
                if self.home.builtin_field(*builtin, self.text(name)).is_some() && !is_called(self, *builtin) =>
            {
                let shape = self.home.builtin_field(*builtin, self.text(name)).map(MethodShape::Field);
                Search::one(Entity::BuiltinMethod(shape, Rc::new(Value::Builtin(*builtin, args.clone()))))
            }
            Value::Builtin(..) if !self.home.plain_values_have_members => Search::default(),
            // A field of a standard type about which nothing is known: what is not called is not a method.
            Value::Method(_) if self.home.includes => Search::unknown(Reason::UnknownReceiver),
            Value::Builtin(Builtin::Array, _) if want == Namespace::Value && self.home.overload_phases => {
                self.length_of_array()
            }
            Value::Builtin(builtin, _) => {
                let text = self.text(name);
                let shape = self.home.builtin_method(*builtin, text);
                Search::one(Entity::BuiltinMethod(shape, Rc::new(value.clone())))
            }
            Value::External(package, of) => {
                let text = self.text(name);
                let result = self.standard_result(package, *of, text);
                Search::one(Entity::External(package.member(text).resulting(result), Some(name)))
            }
            Value::BuiltinType(..) | Value::Method(_) | Value::Maps(..) => {
                Search::one(Entity::BuiltinMethod(None, Rc::new(value.clone())))
            }
            Value::Bound(of, _) => self.static_member(*of, &no_args(), name, want),
            // The one method of a function type calls it.
            Value::Callable(_) if self.home.methods_apart => {
                Search::one(Entity::BuiltinMethod(None, Rc::new(value.clone())))
            }
            Value::Callable(_) => Search::unknown(Reason::UnknownReceiver),
            _ => Search::default(),
        }
    }

    /// A method that the standard library gives every iterator, for a class that is one by its `next`.
    fn adapter(&mut self, of: DefRef, name: Name, value: &Value) -> Option<Search> {
        let text = self.text(name);
        let next = self.rules(of.file).next_method.filter(|next| *next != text)?;
        let shape = self.home.builtin_method(Builtin::List, text)?;
        if !self.rules(of.file).fields_apart || !self.has_member(value, next) {
            return None;
        }
        let elements = self.element(value, of.file);
        let list = Value::Builtin(Builtin::List, [elements].into());
        Some(Search::one(Entity::BuiltinMethod(Some(shape), Rc::new(list))))
    }

    /// The member of what the class's operator `->` returns.
    fn behind_arrow(&mut self, of: DefRef, name: Name, want: Namespace, value: &Value) -> Option<Search> {
        if !self.rules(of.file).includes || self.text(name).starts_with("operator") {
            return None;
        }
        let arrow = self.project.names.intern("operator->");
        if self.namesakes(arrow)?.is_empty() || !self.has_member(value, "operator->") {
            return None;
        }
        let inner = self.call_member(value, "operator->");
        let mut search = Search { unknown: inner.unknown, ..Search::default() };
        for inner in inner.items.iter().filter(|inner| *inner != value) {
            search.add(self.member(inner, name, want));
        }
        Some(search)
    }

    /// The member of what the class's `deref` returns.
    fn behind_deref(&mut self, of: DefRef, name: Name, want: Namespace, value: &Value) -> Option<Search> {
        let deref = self.rules(of.file).deref_method.filter(|deref| *deref != self.text(name))?;
        let deref_name = self.project.names.intern(deref);
        if self.own_members(of, deref_name, Namespace::Callee).found.is_empty() {
            return None;
        }
        let inner = self.call_member(value, deref);
        let mut search = Search { unknown: inner.unknown, ..Search::default() };
        for inner in inner.items.iter().filter(|inner| *inner != value) {
            search.add(self.member(inner, name, want));
        }
        search.found.iter().any(|found| matches!(found.entity, Entity::Def(_))).then_some(search)
    }

    fn module_value_member(&mut self, module: &Module, name: Name, want: Namespace) -> Search {
        let search = self.module_member(module, name, want, Asker::Named);
        match module {
            Module::File(file) if search.found.is_empty() && self.rules(*file).explicit_exports => {
                // The default export's own members, where a CommonJS module is its default export.
                let written = self.module_writes(*file, name);
                if written.found.is_empty() { search } else { written }
            }
            _ => search,
        }
    }

    /// Members assigned to a module from inside it: `exports.x` in ways the extractor did not see as an export.
    fn module_writes(&mut self, file: FileId, name: Name) -> Search {
        let unit = self.unit(file);
        let mut search = Search::default();
        for write in &unit.facts.member_writes {
            if unit.name(write.name) == name {
                let whole = self.whole_export(file);
                let bases = self.resolve(file, write.base, Namespace::Value);
                if bases.found.iter().any(|base| whole.found.iter().any(|found| found.entity == base.entity)) {
                    search.push(Found::plain(Entity::Expr(file, write.value)));
                }
            }
        }
        search
    }

    /// A member of a definition itself.
    pub(in crate::eval) fn static_member(&mut self, of: DefRef, args: &Args, name: Name, want: Namespace) -> Search {
        let definition = self.definition(of);
        match definition.kind {
            DefKind::Module => {
                let Some(body) = definition.body else { return Search::unknown(Reason::NoSuchMember) };
                let mut search = self.scope_member(of.file, body, name, want, Asker::Named);
                if self.rules(of.file).includes {
                    search = self.with_namespace(of.file, Some(of.def), name, want, search);
                }
                if search.is_nothing() { Search::unknown(Reason::NoSuchMember) } else { search }
            }
            DefKind::Variant => match definition.owner {
                Some(owner) => {
                    let own = self.own_members(of, name, want);
                    if own.found.is_empty() {
                        self.instance_member_of(DefRef { file: of.file, def: owner }, name, want)
                    } else {
                        own
                    }
                }
                None => Search::unknown(Reason::NoSuchMember),
            },
            DefKind::Variable | DefKind::Constant | DefKind::Field => self.own_members(of, name, want),
            DefKind::Function => {
                let own = self.own_members(of, name, want);
                if !own.found.is_empty() || own.unknown == Some(Reason::UnknownReceiver) {
                    return own;
                }
                if self.rules(of.file).function_classes && self.text(name) == "prototype" {
                    return Search::one(Entity::Def(of));
                }
                if self.rules(of.file).function_classes && self.text(name) == "bind" {
                    return Search::one(Entity::BuiltinMethod(
                        Some(MethodShape::Same),
                        Rc::new(Value::Def(of, no_args())),
                    ));
                }
                // `call`, `apply`, `bind`, `__name__`: members of the standard function type.
                let package = match self.universal(of.file, name) {
                    Some(_) => None,
                    None => self.decorating_package(of),
                };
                let package = package.unwrap_or_else(|| self.rules(of.file).builtin_package.into());
                Search::one(Entity::External(package, Some(name)))
            }
            _ => {
                // `A::b` is never a field where fields are members of values only.
                let apart = self.rules(of.file).fields_apart && want == Namespace::Value;
                let want = if apart { Namespace::Callee } else { want };
                let value = Value::Def(of, args.clone());
                let search = self.class_member(&Asked { of, args, name, want, value: &value }, None);
                match search.found.iter().any(|found| matches!(found.entity, Entity::Def(_))) {
                    true => search,
                    false => self.member_of_companion(of, name, want).unwrap_or(search),
                }
            }
        }
    }

    /// The external package whose decorator determines the final value of a function (`@task`, then `f.delay()`).
    fn decorating_package(&mut self, of: DefRef) -> Option<Outside> {
        let unit = self.unit(of.file);
        let &outermost = unit.list(unit.facts.definition(of.def).decorators).first()?;
        let path = match unit.facts.expr(outermost) {
            Expr::Call { callee, .. } => callee,
            _ => outermost,
        };
        match self.resolve(of.file, path, Namespace::Value).found.as_slice() {
            [Found { entity: Entity::External(package, _), .. }] => {
                let is_standard = (self.rules(of.file).is_standard_library)(package);
                // It may be a value of a class of the project that the decorator was given.
                Some(package.somewhere().yielding(!is_standard))
            }
            _ => None,
        }
    }

    fn instance_member_of(&mut self, of: DefRef, name: Name, want: Namespace) -> Search {
        let value = Value::Instance(of, no_args());
        self.instance_member(of, &no_args(), name, want, &value)
    }

    fn instance_member(&mut self, of: DefRef, args: &Args, name: Name, want: Namespace, value: &Value) -> Search {
        let mut search = self.class_member(&Asked { of, args, name, want, value }, None);
        let receiver = Rc::new(value.clone());
        for found in &mut search.found {
            found.receiver = Some(receiver.clone());
        }
        search
    }

    /// A member by the class's linearised bases; of those behind the class `behind` only, if there is one.
    pub(in crate::eval) fn class_member(&mut self, asked: &Asked<'_>, behind: Option<DefRef>) -> Search {
        let &Asked { of, name, want, .. } = asked;
        if self.rules(of.file).member_order == MemberOrder::Embedding {
            return self.embedded_member(asked);
        }
        let mut met = OpenBases::default();
        let mut replaceable: Option<Search> = None;
        let gathers = want == Namespace::Callee && self.rules(of.file).overloads == Overloads::Chosen;
        let mut gathered = Search::default();
        let ancestors = self.ancestors(of);
        let is_behind = |one: &Ancestor| matches!(one, Ancestor::Class(class, _) if Some(*class) == behind);
        let skipped = ancestors.iter().position(is_behind).map_or(0, |place| place + 1);
        for (place, ancestor) in ancestors.iter().enumerate().skip(skipped) {
            match ancestor {
                Ancestor::Class(class, given) => {
                    let search = self.member_of_base(asked, *class, (place > 0).then_some(given));
                    if search.found.is_empty() {
                        met.unknown |= search.unknown == Some(Reason::UnknownReceiver);
                        continue;
                    }
                    if gathers {
                        // Bases may have overloads besides; which one is meant is chosen later, among all.
                        if gathered.found.is_empty() {
                            gathered.unknown = met.why();
                        }
                        search.found.into_iter().for_each(|found| gathered.push(found));
                        continue;
                    }
                    let search = self.with_missing_method(asked, search);
                    let goes_on = self.is_replaceable(&search);
                    let search = beside(replaceable.take(), search, met.why());
                    if !goes_on {
                        return search;
                    }
                    replaceable = Some(search);
                }
                Ancestor::Module(module) => {
                    let search = self.module_member(module, name, want, Asker::Named);
                    if !search.found.is_empty() {
                        return beside(replaceable, Search { unknown: None, ..search }, met.why());
                    }
                    met.unknown |= search.unknown.is_some_and(|why| why != Reason::NoSuchMember);
                }
                Ancestor::External(package, name) => {
                    if self.rules(of.file).extension_blocks && name.is_some() && gathered.found.is_empty() {
                        let base = Value::External(package.clone(), *name);
                        let part = self.members_of_blocks(&base, asked.name, want);
                        part.found.into_iter().for_each(|found| gathered.push(found));
                        if !gathered.found.is_empty() && !gathers {
                            return gathered;
                        }
                    }
                    met.external.push(package.clone());
                }
                Ancestor::Standard(builtin, args) => {
                    met.external.push(self.rules(of.file).builtin_package.into());
                    met.standard.get_or_insert_with(|| (*builtin, args.clone()));
                }
                Ancestor::Unknown => met.unknown = true,
            }
        }
        if !gathered.found.is_empty() {
            if self.rules(of.file).extension_blocks {
                self.drop_requirements(asked.value, &mut gathered);
            }
            return gathered;
        }
        if let Some(search) = replaceable {
            return beside(None, search, met.why());
        }
        if matches!(asked.value, Value::Instance(..) | Value::Super(..)) {
            met.external.iter_mut().for_each(|base| *base = base.clone().instance());
        }
        self.member_unwritten(asked, &met)
            .unwrap_or_else(|| self.member_of_nobody(of, name, &met.external, met.unknown))
    }

    /// A member that a project class declares itself: the requested class, or one of its bases, with the type
    /// arguments `given` to the base.
    fn member_of_base(&mut self, asked: &Asked<'_>, class: DefRef, given: Option<&Args>) -> Search {
        let mut own = self.own_members(class, asked.name, asked.want);
        if self.rules(class.file).open_types {
            self.keep_side(asked.value, &mut own);
        }
        if matches!(asked.value, Value::Instance(..)) {
            self.keep_apart(class, asked.want, &mut own);
        }
        if own.found.is_empty() {
            return own;
        }
        let args = match given {
            Some(given) => self.base_args(asked.of, asked.args, given),
            None => asked.args.clone(),
        };
        let is_object = matches!(asked.value, Value::Def(of, _) if self.definition(*of).kind == DefKind::Object);
        let is_class = matches!(asked.value, Value::Def(..)) && self.rules(asked.of.file).binds_called_class;
        let is_received = is_object || is_class || matches!(asked.value, Value::Instance(..) | Value::Super(..));
        let mut search = Search::default();
        for mut found in own.found {
            found.owner = Some((class, args.clone()));
            if is_received {
                found.receiver = Some(Rc::new(asked.value.clone()));
            }
            search.push(found);
        }
        if self.rules(class.file).extension_blocks {
            self.drop_requirements(asked.value, &mut search);
        }
        search
    }

    /// A member that the language gives a class of the project without its being written.
    fn member_unwritten(&mut self, asked: &Asked<'_>, met: &OpenBases) -> Option<Search> {
        let &Asked { of, args, name, value, .. } = asked;
        if let (Some((builtin, base_args)), Value::Instance(..)) = (&met.standard, value)
            && let Some(shape) = self.home.builtin_method(*builtin, self.text(name))
        {
            let args = self.base_args(of, args, base_args);
            return Some(Search::one(Entity::BuiltinMethod(Some(shape), Rc::new(Value::Builtin(*builtin, args)))));
        }
        if let Some(found) = self.enum_member(of, name) {
            return Some(found);
        }
        if let Some(found) = self.accessor(of, name, asked.want, value) {
            return Some(found);
        }
        if self.rules(of.file).open_types
            && let Some(found) = self.extended_member(asked)
        {
            return Some(found);
        }
        if let Some(found) = self.missing_method(asked) {
            return Some(found);
        }
        let identity = self.rules(of.file).identity_methods.contains(&self.text(name));
        if identity && matches!(value, Value::Instance(..)) {
            return Some(Search::one(Entity::BuiltinMethod(Some(MethodShape::Same), Rc::new(value.clone()))));
        }
        if self.rules(of.file).derived_methods.contains(&self.text(name)) {
            let package = self.rules(of.file).builtin_package;
            let made = matches!(value, Value::Def(..)) && self.text(name) == "default";
            let class =
                Value::BuiltinType(Builtin::Transparent, [Values::one(Value::Instance(of, args.clone()))].into());
            return Some(Search::one(match made {
                true => Entity::BuiltinMethod(None, Rc::new(class)),
                false => Entity::External(package.into(), Some(name)),
            }));
        }
        None
    }

    /// A member of a class under another name.
    pub(in crate::eval) fn class_member_named(
        &mut self,
        of: DefRef,
        name: Name,
        want: Namespace,
        value: &Value,
    ) -> Search {
        if !self.deeper() {
            return Search::unknown(Reason::Budget);
        }
        let search = self.class_member(&Asked { of, args: &no_args(), name, want, value }, None);
        self.leave();
        search
    }

    /// Returns whether a later spread in an object literal may replace the member found.
    fn is_replaceable(&mut self, search: &Search) -> bool {
        search.found.iter().any(|found| match found.entity {
            Entity::Def(of) => self.definition(of).flags.is_replaceable,
            _ => false,
        })
    }

    /// In languages that separate fields from methods, drops the other kind.
    fn keep_apart(&mut self, of: DefRef, want: Namespace, search: &mut Search) {
        if !self.rules(of.file).fields_apart {
            return;
        }
        let fits = |eval: &mut Self, found: &Found| match found.entity {
            Entity::Def(def) => {
                let kind = eval.definition(def).kind;
                !matches!((want, kind), (Namespace::Callee, DefKind::Field) | (Namespace::Value, DefKind::Function))
            }
            _ => true,
        };
        let keep: Vec<bool> = search.found.iter().map(|found| fits(self, found)).collect();
        search.keep(&keep);
    }

    pub(in crate::eval) fn member_of_nobody(
        &mut self,
        of: DefRef,
        name: Name,
        external: &[Outside],
        unknown: bool,
    ) -> Search {
        let is_mixed_in = self.rules(of.file).has_mixins && self.definition(of).kind == DefKind::Trait;
        if unknown || is_mixed_in {
            return Search::unknown(Reason::UnknownBase);
        }
        match external {
            [] => {}
            [package] => return Search::one(Entity::External(package.member(self.text(name)), Some(name))),
            // Any of several may have it.
            several => {
                let mut search = Search::default();
                for package in several {
                    search.push(Found::plain(Entity::External(package.somewhere(), Some(name))));
                }
                return search;
            }
        }
        if let Some(found) = self.universal(of.file, name) {
            return found;
        }
        let rules = self.rules(of.file);
        Search::unknown(match () {
            () if !rules.linked => Reason::NotLinked,
            () if self.home.implicit_conversions => Reason::UnknownReceiver,
            () => Reason::NoSuchMember,
        })
    }

    /// A member that the language gives every enum.
    fn enum_member(&mut self, of: DefRef, name: Name) -> Option<Search> {
        let members = self.rules(of.file).enum_members;
        if members.is_empty() || self.definition(of).kind != DefKind::Enum {
            return None;
        }
        let text = self.text(name);
        let (_, shape) = members.iter().find(|(known, _)| *known == text)?;
        let values = Values::one(Value::Instance(of, no_args()));
        let receiver = Value::Builtin(Builtin::Transparent, [values].into());
        Some(Search::one(Entity::BuiltinMethod(Some(*shape), Rc::new(receiver))))
    }

    /// A member that everything has from the language itself.
    pub(in crate::eval) fn universal(&mut self, file: FileId, name: Name) -> Option<Search> {
        let rules = self.rules(file);
        let known = rules.universal_members.contains(&self.text(name));
        known.then(|| Search::one(Entity::External(rules.builtin_package.into(), Some(name))))
    }

    pub(in crate::eval) fn base_args(&mut self, of: DefRef, args: &Args, base_args: &Args) -> Args {
        base_args.iter().map(|arg| self.substitute(arg.clone(), of, args)).collect()
    }

    /// Members written in a definition's own body, in blocks attached to it, or assigned to it from outside.
    pub(crate) fn own_members(&mut self, of: DefRef, name: Name, want: Namespace) -> Search {
        self.ask(name);
        if self.rules(of.file).open_types {
            return self.member_of_open_type(of, name, want);
        }
        let definition = self.definition(of);
        let mut search = Search::default();
        // What the body defines hides everything else.
        if let Some(found) = self.member_of_parts(of, name, want) {
            search = found;
        } else if let Some(body) = definition.body
            && (definition.kind.is_class_like() || definition.kind == DefKind::Variant)
        {
            search = self.scope_member(of.file, body, name, want, Asker::Named);
            if want == Namespace::Callee {
                self.keep_apart(of, want, &mut search);
            }
        }
        // Functions written elsewhere are overloads besides.
        let rules = self.rules(of.file);
        let gathers = want == Namespace::Callee && (rules.extension_functions || rules.extension_blocks);
        if !search.found.is_empty() && !gathers {
            return search;
        }
        // Blocks of the type itself hide those that implement a trait.
        for of_trait in [false, true] {
            for &attached in self.find_attached(of).iter() {
                let row = self.attached_row(attached);
                if row.kind == DefKind::Function {
                    if of_trait || self.unit(attached.file).name(row.name) != name {
                        continue;
                    }
                    let is_known = !self.rules(attached.file).implicit_receivers || self.knows_extension(attached);
                    if is_known && !self.is_wrapped(attached) {
                        search.push(Found::plain(Entity::Def(attached)));
                    }
                    continue;
                }
                let is_part = row.kind != DefKind::Impl && self.rules(attached.file).partial_types;
                if is_part || of_trait == self.unit(attached.file).list(row.implements).is_empty() {
                    continue;
                }
                if let Some(body) = row.body {
                    let part = self.scope_member(attached.file, body, name, want, Asker::Named);
                    part.found.into_iter().for_each(|found| search.push(found));
                }
            }
            if !search.found.is_empty() && !rules.extension_blocks {
                return search;
            }
        }
        if !search.found.is_empty() {
            return search;
        }
        // Last, members that other code assigns to it or copies from another object.
        let written = self.written_members(of, name);
        if written.found.is_empty() { self.copied_members(of, name, want) } else { written }
    }

    /// Members assigned in the definition's own file: `Foo.prototype.bar = …`, `app.get = …`.
    fn written_members(&mut self, of: DefRef, name: Name) -> Search {
        let unit = self.unit(of.file);
        let mut search = Search::default();
        for write in &unit.facts.member_writes {
            if unit.name(write.name) == name && self.writes_to(of, write.base) {
                let entity = match unit.facts.expr(write.value) {
                    Expr::Definition(def) => Entity::Def(DefRef { file: of.file, def }),
                    _ => Entity::Expr(of.file, write.value),
                };
                search.push(Found::plain(entity));
            }
        }
        search
    }

    /// Returns whether anything is assigned to members of the definition in its own file.
    pub(in crate::eval) fn has_member_writes(&mut self, of: DefRef) -> bool {
        let unit = self.unit(of.file);
        unit.facts.member_writes.iter().any(|write| self.writes_to(of, write.base))
    }

    /// Returns whether an expression is the definition, by name, or its `prototype`.
    fn writes_to(&mut self, of: DefRef, mut base: ExprId) -> bool {
        let unit = self.unit(of.file);
        if let Expr::Member { base: inner, name } = unit.facts.expr(base)
            && self.text(unit.name(name)) == "prototype"
        {
            base = inner;
        }
        let Expr::Name { name, scope } = unit.facts.expr(base) else { return false };
        let definition = unit.facts.definition(of.def);
        if unit.name(name) != unit.name(definition.name) {
            return false;
        }
        let search = self.lookup(of.file, scope, unit.name(name), Namespace::Any);
        search.found.iter().any(|found| found.entity == Entity::Def(of))
    }

    /// Definitions elsewhere that add members to a type.
    pub(in crate::eval) fn find_attached(&mut self, of: DefRef) -> Rc<[DefRef]> {
        let definition = self.definition(of);
        if !(definition.kind.is_class_like() || definition.kind == DefKind::TypeAlias) {
            return Rc::from([]);
        }
        if let Some(known) = self.memos.attached.get(&of) {
            return known.clone();
        }
        let outer = self.begin_uncut();
        let beside = self.rules(of.file).members_beside_type;
        let name = self.bound_name(of);
        let mut attached = Vec::new();
        let mut names = vec![name];
        let mut place = 0;
        while let Some(&name) = names.get(place) {
            place += 1;
            self.asked.keys.insert(Key::for_attached(self.text(name)));
            for row in self.project.find_attached(self.text(name)) {
                if beside && !self.same_folder(row.file, of.file) {
                    continue;
                }
                let written = self.attached_row(row);
                if beside && written.kind == DefKind::TypeAlias && !written.flags.is_distinct {
                    let alias = written.name;
                    let alias = self.unit(row.file).name(alias);
                    if !names.contains(&alias) {
                        names.push(alias);
                    }
                    continue;
                }
                // Only names of its own file attach here; a type of the same name elsewhere is another type.
                if self.attaches_to(row).is_some_and(|to| self.is_twin(to, of)) {
                    attached.push(row);
                }
            }
        }
        self.project.by_path_order(&mut attached);
        let attached: Rc<[DefRef]> = attached.into();
        // Inside a cycle of evaluations some may be missing: ask again later.
        if self.end_uncut(outer) {
            self.memos.attached.insert(of, attached.clone());
        }
        attached
    }

    /// A definition that attaches to a type. Changes of what is used here, its kind, its type and what it implements,
    /// touch the key of the type's name.
    fn attached_row(&mut self, row: DefRef) -> &'a m1nd_lang::facts::Definition {
        self.unit(row.file).facts.definition(row.def)
    }

    /// The type that a definition attaches to.
    fn attaches_to(&mut self, row: DefRef) -> Option<DefRef> {
        let expr = self.attached_row(row).extends_type?;
        self.named_type(row.file, expr)
    }

    fn same_folder(&self, one: FileId, other: FileId) -> bool {
        let folder = |file: FileId| {
            let path = self.project.path(file).as_str();
            path.rsplit_once('/').map_or("", |(folder, _)| folder)
        };
        folder(one) == folder(other)
    }

    /// A member that a block of the project adds to a type outside: `impl Report for io::Error`, asked for by path.
    pub(in crate::eval) fn extension(
        &mut self,
        file: FileId,
        base: ExprId,
        name: Name,
        want: Namespace,
    ) -> Option<Search> {
        let (package, class) = self.outside_type(file, base)?;
        self.asked.keys.insert(Key::for_attached(self.text(class)));
        let mut rows: Vec<DefRef> = self.project.find_attached(self.text(class)).collect();
        self.project.by_path_order(&mut rows);
        let mut search = Search::default();
        for row in rows {
            let definition = self.attached_row(row);
            let (Some(expr), Some(body)) = (definition.extends_type, definition.body) else { continue };
            let of_row = self.outside_type(row.file, expr);
            if of_row.is_some_and(|(of, name)| name == class && of.same_package(&package)) {
                let part = self.scope_member(row.file, body, name, want, Asker::Named);
                part.found.into_iter().for_each(|found| search.push(found));
            }
        }
        (!search.found.is_empty()).then_some(search)
    }

    /// Package and name of a type outside the project.
    fn outside_type(&mut self, file: FileId, expr: ExprId) -> Option<(Outside, Name)> {
        let search = self.resolve(file, expr, Namespace::Type);
        match search.found.as_slice() {
            [Found { entity: Entity::External(package, Some(name)), .. }] => Some((package.clone(), *name)),
            _ => None,
        }
    }

    /// The function that constructing a value of the class calls; for `super` that of its bases.
    pub(crate) fn constructor(&mut self, value: &Value) -> Search {
        let (class, behind) = match value {
            Value::Def(of, _) => (*of, None),
            Value::Super(of, behind) => (*of, Some(*behind)),
            _ => return Search::default(),
        };
        let above = behind.is_some();
        let rules = self.rules(class.file);
        if !rules.constructors_inherited {
            return self.own_constructor(class, above);
        }
        // Constructors have the name of their class, unless they have a name of their own.
        let own = self.unit(class.file).name(self.definition(class).name);
        let own = rules.includes.then_some(own);
        let named = rules.constructors.iter().map(|text| self.project.names.intern(text));
        for name in named.chain(own).collect::<Vec<_>>() {
            let receiver = Value::Instance(class, no_args());
            let want = if rules.methods_apart { Namespace::Callee } else { Namespace::Value };
            let args = no_args();
            let search = self.class_member(&Asked { of: class, args: &args, name, want, value: &receiver }, behind);
            if search.found.iter().any(|found| matches!(found.entity, Entity::Def(_))) {
                return search;
            }
        }
        if above { self.base_class(class) } else { Search::default() }
    }

    /// The constructors that a class writes itself; for `super` those of its base, or the base where it writes none.
    fn own_constructor(&mut self, class: DefRef, above: bool) -> Search {
        let class = if above {
            let writes_base = !self.unit(class.file).list(self.definition(class).bases).is_empty();
            match self.ancestors(class).get(1) {
                Some(Ancestor::Class(base, _)) if writes_base => *base,
                _ if !writes_base => {
                    let package = self.rules(class.file).builtin_package;
                    return Search::one(Entity::External(package.into(), None));
                }
                _ => return self.base_class(class),
            }
        } else {
            class
        };
        let rules = self.rules(class.file);
        let want = if rules.methods_apart { Namespace::Callee } else { Namespace::Value };
        for text in rules.constructors {
            let name = self.project.names.intern(text);
            let search = self.own_members(class, name, want);
            if !search.found.is_empty() {
                return search;
            }
        }
        if above { Search::one(Entity::Def(class)) } else { Search::default() }
    }

    /// The base that `super()` goes to where no class of the project writes a constructor.
    fn base_class(&mut self, class: DefRef) -> Search {
        match self.ancestors(class).get(1) {
            Some(Ancestor::Class(base, _)) => Search::one(Entity::Def(*base)),
            Some(Ancestor::External(package, _)) => Search::one(Entity::External(package.clone(), None)),
            Some(Ancestor::Standard(..)) => {
                Search::one(Entity::External(self.rules(class.file).builtin_package.into(), None))
            }
            Some(Ancestor::Module(_) | Ancestor::Unknown) | None => Search::unknown(Reason::UnknownBase),
        }
    }

    /// Methods of that name anywhere, for a receiver nobody knows; `None` if there are too many to list.
    pub(crate) fn methods_named(&mut self, file: FileId, name: Name, most: usize) -> Option<Rc<[DefRef]>> {
        if let Some(known) = self.memos.methods.get(&(file, name)) {
            return (known.len() <= most).then(|| known.clone());
        }
        let outer = self.begin_uncut();
        let mut methods = Vec::new();
        let mut is_cut = false;
        for of in self.all_methods_named(file, name) {
            if self.may_use(file, of) {
                methods.push(of);
            }
            is_cut = methods.len() > most;
            if is_cut {
                break;
            }
        }
        let is_whole = self.end_uncut(outer) && !is_cut;
        if is_cut {
            return None;
        }
        self.project.by_path_order(&mut methods);
        let methods: Rc<[DefRef]> = methods.into();
        if is_whole {
            self.memos.methods.insert((file, name), methods.clone());
        }
        Some(methods)
    }

    /// Methods of that name in languages of the file's family, in no order.
    pub(in crate::eval) fn all_methods_named(&mut self, file: FileId, name: Name) -> Vec<DefRef> {
        self.asked.keys.insert(Key::methods(self.text(name)));
        let family = self.project.family(file);
        let rows = self.project.methods(self.text(name)).filter(|row| !row.is_field).map(|row| row.of);
        rows.filter(|of| self.project.family(of.file) == family).collect()
    }

    /// Returns whether a package that the file's package does not depend on has a method of that name. Values of its
    /// types may be handed to the file where types are not declared.
    pub(crate) fn is_method_elsewhere(&mut self, file: FileId, name: Name) -> bool {
        if let Some(known) = self.memos.methods_elsewhere.get(&(file, name)) {
            return *known;
        }
        let outer = self.begin_uncut();
        let is_elsewhere = self.all_methods_named(file, name).into_iter().any(|of| !self.may_use(file, of));
        if self.end_uncut(outer) {
            self.memos.methods_elsewhere.insert((file, name), is_elsewhere);
        }
        is_elsewhere
    }

    /// Returns whether a call in a file may mean a method, by the dependencies of their packages. A method that
    /// implements one of a trait is meant wherever the trait is known.
    fn may_use(&mut self, file: FileId, of: DefRef) -> bool {
        if file == of.file || self.resolver(file).may_use(&self.files, file, of.file) {
            return true;
        }
        let unit = self.unit(of.file);
        let Some(owner) = unit.facts.definition(of.def).owner else { return false };
        let traits: Vec<ExprId> = unit.list(unit.facts.definition(owner).implements).to_vec();
        traits.into_iter().any(|expr| {
            let search = self.resolve(of.file, expr, Namespace::Type);
            let is_ours = |found: &Found| match found.entity {
                Entity::Def(of) => self.resolver(file).may_use(&self.files, file, of.file),
                _ => true,
            };
            search.found.is_empty() || search.found.iter().any(is_ours)
        })
    }
}

/// A member of an object literal, and before it `known`, which something spread later may have taken the place of; it
/// is not known of which is spread before and which after. `open`: why something else may have it, too.
fn beside(known: Option<Search>, mut search: Search, open: Option<Reason>) -> Search {
    search.unknown = search.unknown.or(open);
    let Some(mut both) = known else { return search };
    both.add(search);
    both
}
