//! The evaluator: finds the target of an expression in a file, and its possible values.
//!
//! Demand-driven, memoised while one file is linked, bounded in depth and steps. A result truncated by a cycle or a
//! bound is not remembered beyond the expression that closes the cycle, so results do not depend on the order of
//! queries.

mod ancestors;
mod documents;
mod flow;
mod lookup;
mod members;
mod outside;
mod scopes;
mod value;

use flow::{call, given, indirect};

use scopes::include;

use members::{dispatch, shapes};

use std::rc::Rc;

use m1nd_base::{Limits, Problem, ProblemKind};
use m1nd_lang::facts::{
    BindingTarget, Collection, DefId, DefKind, Expr, ExprId, Literal, NameId, Namespace, ScopeId, ScopeKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use include::strip_tag;
pub(crate) use outside::Outside;
use outside::is_outside;
pub(crate) use value::{Args, Entity, Found, Module, Receiver, Search, Value, Values};

use crate::ids::{self, GeneratedFunctions};
use crate::names::Name;
use crate::project::Project;
use crate::reason::Reason;
use crate::rules::{BareMembers, Builtin, MethodShape, ModuleTarget, Overloads, Resolver, Rules};
use crate::tables::files::{Asked, DefRef, FileId, Files, Key, Word};
use crate::unit::Unit;

#[derive(Debug, Clone)]
enum Memo {
    /// Being evaluated, at this place of the stack.
    Open(u32),
    Done(Values),
}

/// A name that is searched in a scope.
type SearchKey = (FileId, ScopeId, Name, Namespace);

/// No cycle was cut.
const UNCUT: u32 = u32::MAX;

/// What the linking of the file looked at in others.
#[derive(Default)]
struct AskedFor {
    keys: FxHashSet<Key>,
    /// Names under which something was looked for, found or not.
    names: FxHashSet<Name>,
    /// What else was looked for in what other files have.
    words: FxHashSet<Word>,
    last: Option<FileId>,
    /// Bitset of the files that something was looked up in.
    seen: Vec<u64>,
}

/// Results that are needed again, if nothing cut them short.
#[derive(Default)]
struct Memos {
    /// Modules that files name, by the name as written and the level.
    targets: FxHashMap<(FileId, NameId, u16), ModuleTarget>,
    exprs: FxHashMap<(FileId, ExprId, Namespace), Memo>,
    ancestors: FxHashMap<DefRef, Rc<[ancestors::Ancestor]>>,
    /// Definitions elsewhere that add members to a type.
    attached: FxHashMap<DefRef, Rc<[DefRef]>>,
    siblings: FxHashMap<FileId, Rc<[FileId]>>,
    /// Interfaces satisfied by a type, with the methods they require.
    satisfied: FxHashMap<DefRef, Rc<[dispatch::Satisfied]>>,
    /// What values must have to satisfy an interface.
    required: FxHashMap<DefRef, Rc<shapes::Required>>,
    /// Searches for which much was looked at.
    costly: FxHashMap<(SearchKey, lookup::Asker), Search>,
    /// Files that a file sees through includes.
    visible: FxHashMap<FileId, Rc<[FileId]>>,
    /// The place of each of them.
    visible_places: FxHashMap<FileId, Rc<FxHashMap<FileId, u32>>>,
    /// Top-level members of included files, by name.
    included: FxHashMap<(FileId, Name, Namespace), Search>,
    /// Possible values of parameters without a declared type.
    parameters: FxHashMap<(DefRef, usize), Values>,
    /// Whether a callee may be a function or class.
    calls: FxHashMap<(FileId, ExprId, DefRef), bool>,
    /// Methods that a file may mean by a name where nothing is known of the receiver, and whether a package that it
    /// does not depend on has others.
    methods: FxHashMap<(FileId, Name), Rc<[DefRef]>>,
    methods_elsewhere: FxHashMap<(FileId, Name), bool>,
    /// The signatures of written types.
    signatures: FxHashMap<(FileId, ExprId), Rc<[given::Signature]>>,
    /// The functions that fields, variables and parameters may hold.
    held: FxHashMap<indirect::Holder, Rc<[DefRef]>>,
    /// Names of the whole program, by the file that asks and their namespaces.
    global: FxHashMap<(FileId, Name, Name, Namespace), Search>,
    /// Definitions by their whole paths.
    open_types: FxHashMap<Name, Rc<[DefRef]>>,
    /// Functions that a file knows by its imports and its package.
    extensions: FxHashMap<(FileId, Name), Rc<[DefRef]>>,
    /// Classes of a platform, by those that common code expects.
    actual: FxHashMap<DefRef, DefRef>,
    /// Receivers inside of lambdas.
    lambdas: FxHashMap<DefRef, Option<Values>>,
    /// Parts of types that are written in several.
    parts: FxHashMap<DefRef, Rc<[DefRef]>>,
    /// Values of variables.
    variables: FxHashMap<(DefRef, Namespace), Values>,
}

/// What is being evaluated, and how much was.
struct Run {
    /// Searches and calls in progress, with the place of the stack they began at.
    searches: FxHashMap<SearchKey, u32>,
    values: FxHashMap<DefRef, u32>,
    /// Arguments passed by calls of parameters in the file being linked: function, index of the parameter.
    flows: FxHashMap<(DefRef, usize), Values>,
    /// They are being computed: results that rest on them are not remembered.
    is_flowing: bool,
    /// Wildcard imports that are being followed.
    wildcards: u32,
    depth: u32,
    steps: u32,
    /// Things looked at for the file.
    work: u64,
    /// Lowest place of the stack that an evaluation in progress was cut short for.
    cut: u32,
}

impl Run {
    fn new() -> Self {
        Self {
            searches: FxHashMap::default(),
            values: FxHashMap::default(),
            flows: FxHashMap::default(),
            is_flowing: false,
            wildcards: 0,
            depth: 0,
            steps: 0,
            work: 0,
            cut: UNCUT,
        }
    }
}

/// Evaluates expressions for the linking of one file.
pub(crate) struct Eval<'a> {
    pub(crate) project: &'a Project,
    resolvers: &'a [Box<dyn Resolver>],
    files: Files<'a>,
    limits: &'a Limits,
    asked: AskedFor,
    memos: Memos,
    run: Run,
    /// Rules of the language of the file that is linked.
    home: &'static Rules,
    /// The file that is linked.
    home_file: FileId,
    /// Functions that macros define in the file that is linked.
    pub(crate) generated: GeneratedFunctions,
}

impl<'a> Eval<'a> {
    pub(crate) fn new(project: &'a Project, resolvers: &'a [Box<dyn Resolver>], limits: &'a Limits) -> Self {
        Self {
            project,
            resolvers,
            files: Files::new(&project.tree),
            limits,
            asked: AskedFor { seen: vec![0; project.capacity() / 64 + 1], ..AskedFor::default() },
            memos: Memos::default(),
            run: Run::new(),
            home: &Rules::OUTLINED,
            home_file: FileId(0),
            generated: GeneratedFunctions::default(),
        }
    }

    /// Everything read since the evaluator was created.
    pub(crate) fn into_asked(self) -> Asked {
        let mut keys = self.asked.keys;
        keys.extend(self.files.take_asked());
        let own = self.project.tree.hash(self.home_file);
        let own = [Key::surface(own), Key::for_named(own), Key::imports(own)];
        let mut keys: Box<[Key]> = keys.into_iter().filter(|key| !own.contains(key)).collect();
        keys.sort_unstable();
        let names = &self.project.names;
        let mut words = self.asked.words;
        words.extend(self.asked.names.into_iter().map(|name| Word::of(names.text(name))));
        let mut words: Box<[Word]> = words.into_iter().collect();
        words.sort_unstable();
        Asked { keys, words }
    }

    /// Starts linking a file: values of standard types follow the rules of its language.
    pub(crate) fn begin_file(&mut self, file: FileId) {
        self.home = self.rules(file);
        self.home_file = file;
    }

    /// Starts the step budget of the next reference.
    pub(crate) fn begin_reference(&mut self) {
        self.run.steps = 0;
        self.run.depth = 0;
        self.run.cut = UNCUT;
    }

    /// A file, of which three things may be used: what has no name ([`Surface::heading`](crate::surface::Surface)),
    /// what a name leads to that was noted by [`Eval::ask`], and what an expression or definition that was got that way
    /// leads to. Who goes through all members or definitions says so by [`Eval::ask_members`] or [`Eval::ask_all`].
    pub(crate) fn unit(&mut self, file: FileId) -> &'a Unit {
        if self.asked.last != Some(file) {
            self.asked.last = Some(file);
            let (word, bit) = (&mut self.asked.seen[file.0 as usize / 64], 1 << (file.0 % 64));
            if *word & bit == 0 {
                *word |= bit;
                self.asked.keys.insert(Key::for_named(self.project.tree.hash(file)));
            }
        }
        self.project.unit(file)
    }

    /// Notes that the result depends on what files have under a name.
    pub(crate) fn ask(&mut self, name: Name) {
        self.asked.names.insert(name);
    }

    /// Like [`Eval::ask`], for a name that no file may have.
    fn ask_text(&mut self, name: &str) {
        self.asked.words.insert(Word::of(name));
    }

    /// Notes that the result depends on everything in a file.
    pub(crate) fn ask_all(&mut self, file: FileId) {
        self.asked.keys.insert(Key::surface(self.project.tree.hash(file)));
    }

    /// Notes that the result depends on all members that the body of a class has.
    fn ask_members(&mut self, of: DefRef) {
        let facts = &self.unit(of.file).facts;
        self.asked.words.insert(Word::members(facts.name(facts.definition(of.def).name)));
    }

    /// Notes that the result depends on a definition that was not found by its name.
    pub(crate) fn ask_definition(&mut self, of: DefRef) {
        let unit = self.unit(of.file);
        let name = unit.key_name(of.def);
        self.ask(name);
    }

    /// The file at a path; the question is remembered.
    pub(crate) fn file_at(&self, path: &str) -> Option<FileId> {
        self.files.find(path)
    }

    /// The files that may contribute to contracts under a word, in order of their paths; the question is remembered.
    pub(crate) fn contract(&mut self, word: &str) -> Vec<FileId> {
        self.asked.keys.insert(Key::contract(word));
        self.project.contracts(word)
    }

    pub(crate) fn rules(&self, file: FileId) -> &'static Rules {
        self.project.rules(file)
    }

    fn resolver(&self, file: FileId) -> &'a dyn Resolver {
        self.resolvers[self.project.family(file)].as_ref()
    }

    /// Returns whether the project declares a file for tests only.
    pub(crate) fn is_declared_test(&self, file: FileId) -> bool {
        self.resolver(file).test_files().binary_search(&file).is_ok()
    }

    pub(crate) fn text(&self, name: Name) -> &'a str {
        self.project.names.text(name)
    }

    fn definition(&mut self, of: DefRef) -> &'a m1nd_lang::facts::Definition {
        self.ask_definition(of);
        self.unit(of.file).facts.definition(of.def)
    }

    /// Counts things looked at; `false` if the budget of the file is used up.
    fn look(&mut self, things: usize) -> bool {
        self.run.work = self.run.work.saturating_add(things as u64);
        if self.run.work > self.limits.link_work {
            self.run.cut = 0;
            return false;
        }
        true
    }

    /// Number of things looked at.
    pub(crate) fn work(&self) -> u64 {
        self.run.work
    }

    /// What linking a file left out.
    pub(crate) fn problems(&self, file: FileId) -> Vec<Problem> {
        let most = self.limits.link_work;
        let cut = || format!("more than {most} scopes, bindings, imports and values were looked at");
        let cut = (self.run.work > most).then(|| Problem::new(ProblemKind::LinkLimit, cut()));
        let unnamed = self.project.unit(file).unnamed.map(|line| {
            let mut problem = Problem::new(ProblemKind::NamesLimit, ids::LIMITS);
            problem.line = line;
            problem
        });
        cut.into_iter().chain(unnamed).collect()
    }

    /// Spends a step; `false` if the budget is used up.
    fn step(&mut self) -> bool {
        self.run.steps += 1;
        if self.run.steps > self.limits.link_steps || self.run.depth > self.limits.link_depth || !self.look(1) {
            self.run.cut = 0;
            return false;
        }
        true
    }

    /// Goes one level deeper, for everything that can lead back to itself; `false` if a budget is used up. Whoever got
    /// `true` calls [`Eval::leave`].
    fn deeper(&mut self) -> bool {
        let goes_on = self.step();
        self.run.depth += u32::from(goes_on);
        goes_on
    }

    fn leave(&mut self) {
        self.run.depth -= 1;
    }

    /// Possible values of the expression.
    pub(crate) fn eval(&mut self, file: FileId, expr: ExprId, want: Namespace) -> Values {
        let key = (file, expr, want);
        match self.memos.exprs.get(&key) {
            Some(Memo::Done(values)) => return values.clone(),
            Some(Memo::Open(place)) => {
                self.run.cut = self.run.cut.min(*place);
                return Values::default();
            }
            None => {}
        }
        if !self.step() {
            return Values::unknown(Reason::Budget);
        }
        let outer = self.begin_uncut();
        self.run.depth += 1;
        self.memos.exprs.insert(key, Memo::Open(self.run.depth));
        let values = self.eval_expr(file, expr, want);
        self.run.depth -= 1;
        match self.end_uncut(outer) {
            true => self.memos.exprs.insert(key, Memo::Done(values.clone())),
            false => self.memos.exprs.remove(&key),
        };
        values
    }

    fn eval_expr(&mut self, file: FileId, expr: ExprId, want: Namespace) -> Values {
        let unit = self.unit(file);
        match unit.facts.expr(expr) {
            Expr::Path { .. } if want == Namespace::Value && self.rules(file).takes_methods_by_path() => {
                let search = self.resolve(file, expr, Namespace::Callee);
                self.values_of(search, Namespace::Callee)
            }
            Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. } | Expr::Root { .. } => {
                let search = self.resolve(file, expr, want);
                // The names of scalars are types that no file declares.
                if let (Expr::Name { name, .. }, true) = (unit.facts.expr(expr), search.found.is_empty())
                    && self.rules(file).scalars.contains(&unit.facts.name(name))
                {
                    return Values::one(Value::BuiltinType(Builtin::Scalar, no_args()));
                }
                self.values_of(search, want)
            }
            Expr::Call { callee, args } => {
                let args = unit.list(args);
                // Standard functions that create containers are known by the rules of the language.
                if let Some(made) = self.evaluate_factory(file, callee, args) {
                    return made;
                }
                if let Some(result) = self.evaluate_scope_function(file, callee, args) {
                    return result;
                }
                if self.further_call(file, callee).is_some() {
                    return self.eval(file, callee, want);
                }
                if let Some(values) = self.run_with_types(file, callee, args) {
                    return values;
                }
                let callees = self.callees(file, callee);
                let given = self.find_type_arguments(file, callee);
                let values = callees.flat_map(|callee| self.call_with(&callee, &given, file, args));
                match unit.facts.expr(callee) {
                    Expr::Implicit { base, .. } if values.is_nothing() => self.plain_result(file, base),
                    _ => values,
                }
            }
            Expr::Key { base, name } => self.find_keyed(file, base, unit.name(name)),
            Expr::Entry { value, .. } => self.eval(file, value, want),
            Expr::Implicit { base, name } => self.implicit(file, expr, base, unit.name(name)),
            Expr::Index { base } => self.evaluate_with(file, base, |eval, base| eval.index(base, file)),
            Expr::Item { base, index } => {
                self.evaluate_with(file, base, |eval, base| eval.item(base, index as usize, file))
            }
            Expr::Element { base } => self.evaluate_with(file, base, |eval, base| eval.element(base, file)),
            Expr::Unwrap { base } => self.eval(file, base, Namespace::Value).flat_map(unwrap),
            Expr::Enter { base } => self.evaluate_with(file, base, |eval, base| eval.enter(base, file)),
            Expr::AwaitedElement { base } => {
                self.evaluate_with(file, base, |eval, base| eval.awaited_element(base, file))
            }
            Expr::AwaitedEnter { base } => self.evaluate_with(file, base, |eval, base| eval.awaited_enter(base, file)),
            Expr::Instance { of } => {
                let types = self.eval(file, of, Namespace::Type);
                self.instantiate(types)
            }
            Expr::Definition(def) => Values::one(Value::Def(DefRef { file, def }, no_args())),
            Expr::Import(import) => {
                let search = self.import(file, import, want);
                self.values_of(search, want)
            }
            Expr::This { scope } => self.receiver(file, scope),
            Expr::SelfType { scope } => self.self_type(file, scope),
            Expr::Super { scope } => match self.class_around(file, scope) {
                Some(class) => Values::one(Value::Super(class, class)),
                None => Values::unknown(Reason::UnknownReceiver),
            },
            Expr::SuperOf { class, scope } => self.behind(file, class, scope),
            Expr::Literal(Literal::Null) => Values::one(Value::Null),
            Expr::Literal(literal) => self.literal(file, literal),
            Expr::Collection { kind, items } => self.collection(file, kind, unit.list(items), want),
            Expr::Union(items) => {
                let items = unit.list(items);
                let values = self.all(file, items, want);
                if self.rules(file).overload_phases { self.settle_operands(file, items, values) } else { values }
            }
            Expr::Generic { base, args } => self.generic(file, base, unit.list(args), want),
            Expr::Narrowed { base, by, test, holds } => self.narrow(file, base, unit.list(by), test, holds),
            Expr::Given { by, parameter } => self.given_here(file, by, parameter),
            Expr::Function { result } | Expr::Signature { result, .. } => {
                let result = self.eval(file, result, Namespace::Type);
                let result = self.instantiate(result);
                Values::one(Value::Callable(Rc::new(result)))
            }
            Expr::Unknown => Values::unknown(Reason::UnknownReceiver),
        }
    }

    /// Applies an operation to the values of an expression.
    fn evaluate_with(
        &mut self,
        file: FileId,
        base: ExprId,
        mut take: impl FnMut(&mut Self, &Value) -> Values,
    ) -> Values {
        let bases = self.eval(file, base, Namespace::Value);
        bases.flat_map(|base| take(self, &base))
    }

    fn literal(&mut self, file: FileId, literal: Literal) -> Values {
        let rules = self.rules(file);
        let name = rules.literal_types.iter().find(|(known, _)| *known == literal).map(|(_, name)| *name);
        match name.map(|name| self.project.names.intern(name)) {
            Some(name) => Values::one(Value::External(rules.builtin_package.into(), Some(name))),
            None => Values::one(Value::Builtin(Builtin::Scalar, no_args())),
        }
    }

    /// Number of the family whose file is being linked.
    fn home_family(&self) -> usize {
        self.project.family(self.home_file)
    }

    fn all(&mut self, file: FileId, exprs: &[ExprId], want: Namespace) -> Values {
        let mut values = Values::default();
        for &expr in exprs {
            if !self.look(1) {
                values.unknown = Some(Reason::Budget);
                break;
            }
            values.add(self.eval(file, expr, want));
        }
        values
    }

    /// A container: of the values of its items, or, as a type, of values of the types that its items are.
    fn collection(&mut self, file: FileId, kind: Collection, items: &[ExprId], want: Namespace) -> Values {
        let is_type = want == Namespace::Type;
        let item = |eval: &mut Self, item: ExprId| {
            if is_type {
                let types = eval.eval(file, item, Namespace::Type);
                eval.instantiate(types)
            } else {
                eval.eval(file, item, Namespace::Value)
            }
        };
        let any = |eval: &mut Self| {
            let mut values = Values::default();
            items.iter().for_each(|&one| values.add(item(eval, one)));
            values
        };
        let (builtin, args): (_, Args) = match kind {
            // A range without a counter.
            Collection::Iterator if self.rules(file).counted_ranges => (Builtin::Wrapper, [any(self)].into()),
            Collection::Tuple => (Builtin::Tuple, items.iter().map(|&one| item(self, one)).collect()),
            Collection::Map | Collection::List if !is_type && self.is_keyed(file, kind, items) => {
                return self.keyed_collection(file, kind, items);
            }
            Collection::Map => (Builtin::Map, [Values::unknown(Reason::UnknownReceiver), any(self)].into()),
            Collection::List if self.rules(file).overload_phases => (Builtin::Array, [any(self)].into()),
            Collection::List | Collection::Set | Collection::Iterator => (Builtin::List, [any(self)].into()),
        };
        Values::one(if is_type { Value::BuiltinType(builtin, args) } else { Value::Builtin(builtin, args) })
    }

    /// A generic with its arguments.
    fn generic(&mut self, file: FileId, base: ExprId, args: &[ExprId], want: Namespace) -> Values {
        let bases = self.resolve_or_eval(file, base, want);
        if args.is_empty() && self.rules(file).constructs_apart {
            return bases;
        }
        let facts = &self.unit(file).facts;
        // `pointer.cast::<T>()` points to a `T`.
        let is_cast = want == Namespace::Callee
            && self.rules(file).fields_apart
            && matches!(facts.expr(base), Expr::Member { name, .. } if facts.name(name) == "cast");
        let args: Args = args
            .iter()
            .map(|&arg| {
                let types = self.eval(file, arg, Namespace::Type);
                self.instantiate(types)
            })
            .collect();
        bases.flat_map(|base| match base {
            Value::Def(of, _) if self.is_alias(of) => {
                let aliased = self.alias(of);
                self.substitute(aliased, of, &args)
            }
            Value::Def(of, _) => Values::one(Value::Def(of, args.clone())),
            Value::BuiltinType(builtin, _) => Values::one(Value::BuiltinType(builtin, args.clone())),
            // Where type arguments are written in brackets, they may instead be the index of a container.
            Value::Builtin(..) | Value::Instance(..) if want != Namespace::Type => self.index(&base, file),
            Value::External(..) if is_cast && args.len() == 1 => Values::one(Value::Callable(Rc::new(args[0].clone()))),
            // What is inside of it may come out of it.
            Value::External(outside, name) => {
                let yields = !args.iter().all(is_outside);
                Values::one(Value::External(outside.yielding(yields), name))
            }
            other => Values::one(other),
        })
    }

    /// Like `eval`, but keeps a type alias as its definition, so that arguments can be applied to it.
    fn resolve_or_eval(&mut self, file: FileId, expr: ExprId, want: Namespace) -> Values {
        let is_path =
            matches!(self.unit(file).facts.expr(expr), Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. });
        if !is_path {
            return self.eval(file, expr, want);
        }
        let search = self.resolve(file, expr, want);
        let mut values = Values { unknown: search.unknown, ..Values::default() };
        for found in search.found {
            match found.entity {
                Entity::Def(of) if self.definition(of).kind == DefKind::TypeAlias => {
                    values.push(Value::Def(of, no_args()));
                }
                _ => values.add(self.value_of(&found, want)),
            }
        }
        values
    }

    /// Returns whether a definition is another name of a type.
    fn is_alias(&mut self, of: DefRef) -> bool {
        let definition = self.definition(of);
        definition.kind == DefKind::TypeAlias && !definition.flags.is_distinct
    }

    fn alias(&mut self, of: DefRef) -> Values {
        match self.definition(of).declared {
            Some(declared) => self.eval(of.file, declared, Namespace::Type),
            None => Values::unknown(Reason::UnknownReceiver),
        }
    }

    pub(crate) fn values_of(&mut self, search: Search, want: Namespace) -> Values {
        let mut values = Values { unknown: search.unknown, ..Values::default() };
        for found in &search.found {
            values.add(self.value_of(found, want));
        }
        values
    }

    /// Possible values of a search result.
    pub(crate) fn value_of(&mut self, found: &Found, want: Namespace) -> Values {
        let values = match &found.entity {
            Entity::Def(of) => self.value_of_definition(*of, found, want),
            Entity::Module(module) => Values::one(Value::Module(module.clone())),
            Entity::Local(file, binding) => self.value_of_binding(*file, *binding),
            Entity::Expr(file, expr) => self.eval(*file, *expr, want),
            Entity::External(package, name) => self.external(package, *name, want),
            Entity::BuiltinMethod(Some(shape @ MethodShape::Field(_)), receiver) => call::shape(*shape, receiver),
            Entity::BuiltinMethod(None, receiver) if matches!(**receiver, Value::BuiltinType(..)) => {
                // `Vec::new`, `Box::new`: the arguments determine the content.
                Values::one(receiver.as_ref().clone())
            }
            Entity::BuiltinMethod(Some(shape), _) if shape.maps().is_some() => {
                let (builtin, inside) = shape.maps().unwrap_or((Builtin::List, false));
                Values::one(Value::Maps(builtin, inside))
            }
            Entity::BuiltinMethod(shape, receiver) => {
                let result = match shape {
                    Some(shape) => call::shape(*shape, receiver),
                    None if matches!(**receiver, Value::Callable(_)) => {
                        let Value::Callable(result) = receiver.as_ref() else { return Values::default() };
                        result.as_ref().clone()
                    }
                    None => self.yielded_from(self.home.builtin_package.into()),
                };
                Values::one(Value::Method(Rc::new(result)))
            }
        };
        match &found.owner {
            Some((owner, args)) if !args.is_empty() => self.substitute(values, *owner, args),
            _ => values,
        }
    }

    fn external(&mut self, package: &Outside, name: Option<Name>, want: Namespace) -> Values {
        let text = name.map(|name| self.text(name));
        let is_standard = (self.home.is_standard_package)(package);
        let builtin = text.filter(|_| is_standard).and_then(|text| self.home.builtin_type(text));
        if let Some(builtin) = builtin {
            return Values::one(Value::BuiltinType(builtin, no_args()));
        }
        let known = package.result().map(|result| self.value_of_standard(result));
        if let (Some(value), Namespace::Value) = (&known, want) {
            return Values::one(value.clone());
        }
        let result = text.filter(|_| want == Namespace::Callee);
        let result = result.and_then(|text| known.or_else(|| self.result_type(package, text)));
        if let Some(result) = result {
            return Values::one(Value::Method(Rc::new(Values::one(result))));
        }
        // Only a name in type position is known to be a type.
        let is_type = want == Namespace::Type && self.home.overloads == Overloads::Chosen
            || want == Namespace::Value && self.is_standard_type(package, text);
        let is_holding = |text: &str| package.is_value() && self.home.holding_fields.contains(&text);
        let yields = want == Namespace::Value && text.is_some_and(|text| is_holding(text) || self.holds_given(package));
        let package = package.clone().yielding(yields);
        Values::one(Value::External(package, name.filter(|_| is_type)))
    }

    /// Result of a standard method, if all methods of the name return the same type.
    fn result_type(&mut self, package: &str, method: &str) -> Option<Value> {
        let rules = self.home;
        let (.., ty) = rules.result_types.iter().find(|(of, name, _)| *name == method && package.starts_with(of))?;
        Some(Value::External(rules.builtin_package.into(), Some(self.project.names.intern(ty))))
    }

    fn value_of_definition(&mut self, of: DefRef, found: &Found, want: Namespace) -> Values {
        let definition = self.definition(of);
        match definition.kind {
            DefKind::Function if want == Namespace::Value && self.runs_by_name(of) => {
                let callee = self.bind(of, found);
                self.call(&callee, of.file, &[])
            }
            DefKind::Function
                if definition.flags.is_property
                    && (found.receiver.is_some()
                        || definition.flags.is_static
                        || self.rules(of.file).bare_members == BareMembers::Everywhere) =>
            {
                let callee = self.bind(of, found);
                self.call(&callee, of.file, &[])
            }
            DefKind::Function => Values::one(self.bind(of, found)),
            DefKind::TypeAlias if !definition.flags.is_distinct => self.alias(of),
            // Read by a method of its own name.
            DefKind::Field if want == Namespace::Callee && self.rules(of.file).methods_apart => {
                let held = self.value_of_variable(of, Namespace::Value);
                Values::one(Value::Callable(Rc::new(held)))
            }
            DefKind::Variable | DefKind::Constant | DefKind::Field => self.value_of_variable(of, want),
            DefKind::Variant => match definition.owner {
                Some(owner) if definition.body.is_none() || self.rules(of.file).methods_apart => {
                    Values::one(Value::Instance(DefRef { file: of.file, def: owner }, no_args()))
                }
                _ => Values::one(Value::Def(of, no_args())),
            },
            // An object is its one value.
            DefKind::Object if want != Namespace::Type && self.rules(of.file).implicit_receivers => {
                Values::one(Value::Instance(of, no_args()))
            }
            // A unit struct named as a value is a value of it.
            DefKind::Struct if want == Namespace::Value && self.rules(of.file).fields_apart => {
                Values::one(Value::Instance(of, no_args()))
            }
            _ => Values::one(Value::Def(of, no_args())),
        }
    }

    fn bind(&mut self, of: DefRef, found: &Found) -> Value {
        match &found.receiver {
            Some(value) => {
                let receiver = Receiver { value: value.as_ref().clone(), owner: found.owner.clone() };
                Value::Bound(of, Rc::new(receiver))
            }
            None => Value::Def(of, no_args()),
        }
    }

    fn value_of_variable(&mut self, of: DefRef, want: Namespace) -> Values {
        if let Some(known) = self.memos.variables.get(&(of, want)) {
            return known.clone();
        }
        let outer = self.begin_uncut();
        let values = self.values_assigned(of, want);
        if self.end_uncut(outer) {
            self.memos.variables.insert((of, want), values.clone());
        }
        values
    }

    fn values_assigned(&mut self, of: DefRef, want: Namespace) -> Values {
        let definition = self.definition(of);
        let mut values = if let Some(declared) = definition.declared {
            let types = self.eval(of.file, declared, Namespace::Type);
            self.instantiate(types)
        } else {
            let unit = self.unit(of.file);
            let list = unit.list(definition.values);
            if list.is_empty() { Values::unknown(Reason::UnknownReceiver) } else { self.all(of.file, list, want) }
        };
        if definition.kind != DefKind::Field && !self.rules(of.file).includes && self.has_member_writes(of) {
            values.items.insert(0, Value::Def(of, no_args()));
        }
        values
    }

    fn value_of_binding(&mut self, file: FileId, binding: u32) -> Values {
        let unit = self.unit(file);
        match unit.facts.bindings[binding as usize].target {
            BindingTarget::Value(expr) => self.eval(file, expr, Namespace::Value),
            BindingTarget::Typed(expr) => {
                let types = self.eval(file, expr, Namespace::Type);
                self.instantiate(types)
            }
            BindingTarget::Parameter(def, index) => self.parameter(DefRef { file, def }, index as usize),
            BindingTarget::TypeParameter(def, index) => {
                let of = self.whole_type(DefRef { file, def });
                Values::one(Value::TypeVar(of, index))
            }
            BindingTarget::Definition(def) => Values::one(Value::Def(DefRef { file, def }, no_args())),
            BindingTarget::Import(_) | BindingTarget::Opaque | BindingTarget::Outer(_) => {
                Values::unknown(Reason::UnknownReceiver)
            }
        }
    }

    /// Starts something whose result is only kept if nothing cuts it short; ended by [`Eval::end_uncut`].
    fn begin_uncut(&mut self) -> u32 {
        std::mem::replace(&mut self.run.cut, UNCUT)
    }

    /// Returns whether nothing outside of the current computation truncated it. `outer` was returned at its start.
    fn end_uncut(&mut self, outer: u32) -> bool {
        let is_whole = self.run.cut > self.run.depth;
        self.run.cut = if is_whole { outer } else { self.run.cut.min(outer) };
        is_whole
    }

    /// The innermost class-like definition around a scope; for an impl block the impl itself.
    fn class_around(&mut self, file: FileId, scope: ScopeId) -> Option<DefRef> {
        let facts = &self.unit(file).facts;
        let mut owner = facts.scopes[scope.index()].owner;
        while let Some(def) = owner {
            let definition = self.definition(DefRef { file, def });
            if definition.kind.is_class_like()
                || definition.extends_type.is_some() && !self.is_wrapped(DefRef { file, def })
            {
                let whole = self.open_type(DefRef { file, def });
                return self.extended_type(DefRef { file, def }).or(Some(whole));
            }
            owner = definition.owner;
        }
        None
    }

    /// The type that a definition adds members to, if it does.
    fn extended_type(&mut self, of: DefRef) -> Option<DefRef> {
        let expr = self.definition(of).extends_type?;
        self.named_type(of.file, expr)
    }

    fn named_type(&mut self, file: FileId, expr: ExprId) -> Option<DefRef> {
        let types = self.eval(file, expr, Namespace::Type);
        types.items.iter().find_map(|value| match value {
            Value::Def(class, _) => Some(*class),
            _ => None,
        })
    }

    /// The class whose member a function is.
    fn class_of(&mut self, of: DefRef) -> Option<DefRef> {
        let definition = self.definition(of);
        if definition.extends_type.is_some() && !self.is_wrapped(of) {
            return self.extended_type(of);
        }
        let owner = DefRef { file: of.file, def: definition.owner? };
        let above = self.definition(owner);
        if above.extends_type.is_some() {
            return self.extended_type(owner);
        }
        above.kind.is_class_like().then(|| self.open_type(owner))
    }

    /// Replaces type parameters of `owner` by `args`.
    fn substitute(&mut self, values: Values, owner: DefRef, args: &Args) -> Values {
        if args.is_empty() || !values.mention(owner) {
            return values;
        }
        self.substitute_at(values, owner, args, 0)
    }

    fn substitute_at(&mut self, values: Values, owner: DefRef, args: &Args, depth: u32) -> Values {
        /// Nesting of type arguments that is followed.
        const NESTING: u32 = 6;
        if depth > NESTING {
            return values;
        }
        values.flat_map(|value| {
            let mut inner = |of: Args| -> Args {
                if !of.iter().any(|arg| arg.mention(owner)) {
                    return of;
                }
                of.iter().map(|arg| self.substitute_at(arg.clone(), owner, args, depth + 1)).collect()
            };
            Values::one(match value {
                Value::TypeVar(of, index) if of == owner => {
                    return args.get(index as usize).cloned().unwrap_or_else(|| Values::one(value));
                }
                Value::Def(of, a) => Value::Def(of, inner(a)),
                Value::Instance(of, a) => Value::Instance(of, inner(a)),
                Value::Builtin(builtin, a) => Value::Builtin(builtin, inner(a)),
                Value::BuiltinType(builtin, a) => Value::BuiltinType(builtin, inner(a)),
                Value::Callable(result) if result.mention(owner) => {
                    let result = self.substitute_at(result.as_ref().clone(), owner, args, depth + 1);
                    Value::Callable(Rc::new(result))
                }
                other => other,
            })
        })
    }

    /// Follows a type parameter to its bound.
    fn follow_bound(&mut self, of: DefRef, index: u32) -> Values {
        let unit = self.unit(of.file);
        match unit.facts.type_parameters(of.def).get(index as usize).and_then(|parameter| parameter.bound) {
            Some(bound) => {
                let types = self.eval(of.file, bound, Namespace::Type);
                self.instantiate(types)
            }
            // A method names the type parameters of its type; their bounds are written there.
            None => match self.extended_type(of).filter(|class| *class != of) {
                Some(class) => self.follow_bound(class, index),
                None => Values::unknown(Reason::UnknownReceiver),
            },
        }
    }

    fn module_value(&self, target: ModuleTarget) -> Option<Module> {
        match target {
            ModuleTarget::File(file) => Some(Module::File(file)),
            ModuleTarget::Folder(path) => Some(Module::Folder(path.into())),
            ModuleTarget::Files(files) => Some(Module::Files(files.into())),
            ModuleTarget::Member(..)
            | ModuleTarget::Version(..)
            | ModuleTarget::External(_)
            | ModuleTarget::NotFound => None,
        }
    }

    /// The definition around a scope that is an inline module.
    fn module_around(&mut self, file: FileId, scope: ScopeId) -> Option<DefId> {
        let facts = &self.unit(file).facts;
        let mut scope = Some(scope);
        while let Some(id) = scope {
            let row = facts.scopes[id.index()];
            if row.kind == ScopeKind::Module {
                return row.owner;
            }
            scope = row.parent;
        }
        None
    }
}

pub(crate) fn no_args() -> Args {
    thread_local!(static EMPTY: Args = Rc::from([]));
    EMPTY.with(Rc::clone)
}

/// Result of unwrapping or awaiting.
fn unwrap(value: Value) -> Values {
    match value {
        Value::Builtin(Builtin::Wrapper, args) => {
            args.first().cloned().unwrap_or_else(|| Values::unknown(Reason::UnknownReceiver))
        }
        other => Values::one(other),
    }
}
