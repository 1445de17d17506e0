//! Elements under constant keys, and methods that the language calls implicitly.

use std::rc::Rc;

use m1nd_lang::facts::{Collection, DefKind, Expr, ExprId, Namespace};

use crate::eval::lookup::FILE;
use crate::eval::{Entity, Eval, Found, Search, Value, Values};
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::Builtin;
use crate::tables::files::{DefRef, FileId, Key};

/// Maximum list items tracked individually.
const MAX_PLACES: usize = 32;
/// Arguments of a map before its elements with constant keys: keys, elements, elements without a constant key.
const BEFORE_ENTRIES: usize = 3;

impl Eval<'_> {
    /// Returns whether the items of a collection are tracked individually: a map with constant keys, a list of
    /// functions or classes.
    pub(in crate::eval) fn is_keyed(&mut self, file: FileId, kind: Collection, items: &[ExprId]) -> bool {
        let facts = &self.unit(file).facts;
        match kind {
            Collection::Map => items.iter().any(|&item| matches!(facts.expr(item), Expr::Entry { .. })),
            Collection::List if items.len() > 1 && items.len() <= MAX_PLACES && self.rules(file).duck_typing => {
                let is_callable = |value: &Value| matches!(value, Value::Def(..) | Value::Bound(..));
                let of = |eval: &mut Self, item| eval.eval(file, item, Namespace::Value);
                items.iter().any(|&item| {
                    matches!(
                        self.project.unit(file).facts.expr(item),
                        Expr::Name { .. } | Expr::Member { .. } | Expr::Definition(_) | Expr::Call { .. }
                    ) && of(self, item).items.iter().any(is_callable)
                })
            }
            _ => false,
        }
    }

    /// A container whose elements are known by key or place.
    pub(in crate::eval) fn keyed_collection(&mut self, file: FileId, kind: Collection, items: &[ExprId]) -> Values {
        let unit = self.unit(file);
        let mut any = Values::default();
        let mut rest = Values::default();
        let mut entries: Vec<(Name, Values)> = Vec::new();
        let mut places = Vec::new();
        // A list knows its values by place, a map by key. A later entry of a key replaces the earlier one.
        for &item in items {
            let values = self.eval(file, item, Namespace::Value);
            any.add(values.clone());
            if kind == Collection::List {
                places.push(values);
                continue;
            }
            match unit.facts.expr(item) {
                Expr::Entry { name, .. } => {
                    let name = unit.name(name);
                    entries.retain(|(known, _)| *known != name);
                    entries.push((name, values));
                }
                _ => rest.add(values),
            }
        }
        if kind == Collection::List {
            let args: Vec<Values> = std::iter::once(any).chain(places).collect();
            return Values::one(Value::Builtin(Builtin::List, args.into()));
        }
        // Arguments of a map: its keys, any value, the values whose keys are not known, then a pair for each known key.
        let mut args = vec![Values::unknown(Reason::UnknownReceiver), any, rest];
        args.extend(entries.into_iter().map(|(name, values)| {
            let pair = Rc::from([Values::one(Value::Key(name)), values]);
            Values::one(Value::Builtin(Builtin::Tuple, pair))
        }));
        Values::one(Value::Builtin(Builtin::Map, args.into()))
    }

    /// `base[key]` with a constant key.
    pub(in crate::eval) fn find_keyed(&mut self, file: FileId, base: ExprId, key: Name) -> Values {
        if let Some(search) = self.in_namespace(file, base, key) {
            return self.values_of(search, Namespace::Value);
        }
        let bases = self.eval(file, base, Namespace::Value);
        let values = bases.flat_map(|base| self.under_key(&base, key, file));
        if values.is_nothing() { Values::unknown(Reason::UnknownReceiver) } else { values }
    }

    /// `globals()["name"]`: what the module has under the name.
    fn in_namespace(&mut self, file: FileId, base: ExprId, key: Name) -> Option<Search> {
        let rules = self.rules(file);
        let facts = &self.unit(file).facts;
        let Expr::Call { callee, args } = facts.expr(base) else { return None };
        let Expr::Name { name, .. } = facts.expr(callee) else { return None };
        if !rules.namespace_functions.contains(&facts.name(name)) || !facts.list(args).is_empty() {
            return None;
        }
        let found = self.resolve(file, callee, Namespace::Callee).found;
        let is_standard =
            |found: &Found| matches!(&found.entity, Entity::External(of, _) if **of == *rules.builtin_package);
        if found.is_empty() || !found.iter().all(is_standard) {
            return None;
        }
        let name = self.text(key).strip_prefix('"')?.strip_suffix('"')?;
        let name = self.project.names.intern(name);
        let search = self.lookup(file, FILE, name, Namespace::Value);
        (!search.found.is_empty()).then_some(search)
    }

    fn under_key(&mut self, value: &Value, key: Name, file: FileId) -> Values {
        match value {
            Value::Builtin(Builtin::Map, args) if args.len() > BEFORE_ENTRIES => {
                for entry in &args[BEFORE_ENTRIES..] {
                    if let [Value::Builtin(_, pair)] = entry.items.as_slice()
                        && pair[0].items.first() == Some(&Value::Key(key))
                    {
                        return pair[1].clone();
                    }
                }
                args[BEFORE_ENTRIES - 1].clone()
            }
            Value::Builtin(Builtin::Tuple | Builtin::List, _) => match self.text(key).parse() {
                Ok(place) => self.item(value, place, file),
                Err(_) => Values::unknown(Reason::UnknownReceiver),
            },
            other => self.index(other, file),
        }
    }

    /// The methods of a name that the values of an expression have; where a class lacks it, what stands in for it.
    pub(in crate::eval) fn implicit(&mut self, file: FileId, callee: ExprId, base: ExprId, method: Name) -> Values {
        if self.rules(file).includes {
            let implied = self.find_implied(file, callee);
            let values = self.values_of(implied.search, Namespace::Callee);
            return if values.is_nothing() { Values::unknown(Reason::UnknownReceiver) } else { values };
        }
        let methods = self.with_stand_ins(file, method);
        // Most operators are applied to values without methods: their operands need not be evaluated.
        if !methods.iter().any(|&method| self.has_methods(method)) {
            return Values::default();
        }
        let bases = self.eval(file, base, Namespace::Value);
        bases.flat_map(|base| match base {
            Value::Instance(..) => {
                methods.iter().find_map(|&method| self.own_method(&base, method, (file, callee))).unwrap_or_default()
            }
            // Another name of a method of the class itself.
            Value::Def(..) if self.rules(file).open_types => {
                methods.iter().find_map(|&method| self.own_method(&base, method, (file, callee))).unwrap_or_default()
            }
            _ => Values::default(),
        })
    }

    /// Returns whether the project has a method of this name.
    fn has_methods(&mut self, method: Name) -> bool {
        self.asked.keys.insert(Key::methods(self.text(method)));
        self.project.methods(self.text(method)).next().is_some()
    }

    /// Functions of the project that values of a class have as a method of this name.
    pub(crate) fn method_of_project(&mut self, class: DefRef, method: &str) -> Vec<DefRef> {
        match self.has_methods(self.project.names.intern(method)) {
            true => self.method_of(&Value::Instance(class, crate::eval::no_args()), method),
            false => Vec::new(),
        }
    }

    fn own_method(&mut self, value: &Value, method: Name, (file, callee): (FileId, ExprId)) -> Option<Values> {
        let mut search = self.member(value, method, Namespace::Callee);
        search.found.retain(|found| matches!(found.entity, Entity::Def(_)));
        if search.found.len() > 1 && self.rules(file).implicit_receivers {
            let call = self.unit(file).call(callee);
            search = self.choose(file, search, call);
        }
        (!search.found.is_empty()).then(|| self.values_of(search, Namespace::Callee))
    }

    /// A method, and those that stand in for it, in order.
    fn with_stand_ins(&self, file: FileId, method: Name) -> Vec<Name> {
        let rules = self.rules(file);
        let mut methods = vec![method];
        while let Some(&last) = methods.last()
            && let Some((_, next)) = rules.stand_ins.iter().find(|(known, _)| *known == self.text(last))
            && methods.len() <= rules.stand_ins.len()
        {
            methods.push(self.project.names.intern(next));
        }
        methods
    }

    /// The function inside a decorator of the project that replaces the decorated function: the result of the
    /// outermost decorator, if that is a single nested function.
    pub(crate) fn wrapper(&mut self, of: DefRef) -> Option<DefRef> {
        let unit = self.unit(of.file);
        let &outermost = unit.list(unit.facts.definition(of.def).decorators).first()?;
        self.stands_in(of.file, outermost).filter(|inner| *inner != of)
    }

    /// The method that calling a function runs because its outermost decorator is a class, whose value takes its place.
    pub(crate) fn wrapping_object(&mut self, of: DefRef) -> Option<DefRef> {
        let method = self.rules(of.file).call_method?;
        let unit = self.unit(of.file);
        let &outermost = unit.list(unit.facts.definition(of.def).decorators).first()?;
        let decorators = self.eval(of.file, outermost, Namespace::Value);
        let ([Value::Def(class, _)], None) = (decorators.items.as_slice(), decorators.unknown) else { return None };
        let class = *class;
        if self.definition(class).kind != DefKind::Class {
            return None;
        }
        match self.method_of(&Value::Instance(class, crate::eval::no_args()), method).as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    /// The nested function that a decorator returns, if it returns nothing else.
    pub(in crate::eval) fn stands_in(&mut self, file: FileId, decorator: ExprId) -> Option<DefRef> {
        let decorators = self.eval(file, decorator, Namespace::Value);
        let result = decorators.flat_map(|decorator| match decorator {
            Value::Def(..) | Value::Bound(..) | Value::Instance(..) => self.call(&decorator, file, &[]),
            _ => Values::unknown(Reason::UnknownReceiver),
        });
        let ([Value::Def(inner, _)], None) = (result.items.as_slice(), result.unknown) else { return None };
        let inner = *inner;
        let owner = self.definition(inner).owner.map(|def| DefRef { file: inner.file, def })?;
        let is_nested =
            self.definition(inner).kind == DefKind::Function && self.definition(owner).kind == DefKind::Function;
        is_nested.then_some(inner)
    }

    /// Functions of the project that a value has as a method of this name.
    pub(crate) fn method_of(&mut self, value: &Value, method: &str) -> Vec<DefRef> {
        let name = self.project.names.intern(method);
        let search = self.member(value, name, Namespace::Callee);
        let mut functions = Vec::new();
        for found in search.found {
            if let Entity::Def(of) = found.entity
                && self.definition(of).kind == DefKind::Function
            {
                functions.push(of);
            }
        }
        functions
    }
}
