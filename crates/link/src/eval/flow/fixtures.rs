//! Parameters that a framework fills in: by name in tests, by what the default names elsewhere.

use m1nd_lang::facts::{DefId, DefKind, Expr, ExprId, Namespace, ParameterKind};

use crate::eval::ancestors::Ancestor;
use crate::eval::lookup::{Asker, FILE};
use crate::eval::{Entity, Eval, Found, Value, Values, unwrap};
use crate::names::Name;
use crate::rules::{Fixtures, Injectors};
use crate::tables::files::{DefRef, FileId};

impl Eval<'_> {
    /// Value injected for a parameter of a test or fixture: the result of the fixture of that name, or a value of the
    /// framework itself. `None` if no fixture is known for the parameter.
    pub(in crate::eval) fn find_injected(&mut self, of: DefRef, index: usize) -> Option<Values> {
        let rules = self.rules(of.file).fixtures?;
        let name = self.injected_name(of, index)?;
        if let Some(fixture) = self.fixture(of, name) {
            return Some(self.injected_value(&Value::Def(fixture, crate::eval::no_args()), of.file));
        }
        let (_, package) = rules.own.iter().find(|(own, _)| *own == self.text(name))?;
        Some(Values::one(Value::External((*package).into(), None)))
    }

    /// The name that a parameter of a test or fixture asks for.
    pub(crate) fn injected_name(&mut self, of: DefRef, index: usize) -> Option<Name> {
        let unit = self.unit(of.file);
        let definition = unit.facts.definition(of.def);
        let parameter = unit.facts.parameters(of.def).get(index)?;
        let asks = matches!(parameter.kind, ParameterKind::Plain | ParameterKind::Keyword);
        let is_given = definition.flags.is_test || unit.is_fixture(of.def);
        if definition.kind != DefKind::Function || !asks || parameter.default.is_some() || !is_given {
            return None;
        }
        let name = unit.name(parameter.name);
        (!self.is_written(of, name)).then_some(name)
    }

    /// Returns whether the values of a parameter are written at the function or its classes (`parametrize("a, b",
    /// …)`).
    fn is_written(&mut self, of: DefRef, name: Name) -> bool {
        let Some(rules) = self.rules(of.file).fixtures else { return false };
        let text = self.text(name);
        let unit = self.unit(of.file);
        let mut around = Some(of.def);
        while let Some(def) = around {
            let definition = self.definition(DefRef { file: of.file, def });
            for &decorator in unit.list(definition.decorators) {
                let Expr::Call { callee, .. } = unit.facts.expr(decorator) else { continue };
                if unit.last_name(callee).is_some_and(|last| self.text(last) == rules.values) {
                    let texts = unit.facts.arguments_of(callee).iter().filter_map(|argument| argument.text);
                    let written = |id| unit.facts.name(id).split(',').any(|one| one.trim() == text);
                    if texts.into_iter().any(written) {
                        return true;
                    }
                }
            }
            around = definition.owner;
        }
        false
    }

    /// The fixture of a name that a test or fixture sees: of its classes and their bases, of its file, of the shared
    /// files in its folder and those above. A fixture that asks for its own name means one further out.
    pub(crate) fn fixture(&mut self, of: DefRef, name: Name) -> Option<DefRef> {
        let rules = self.rules(of.file).fixtures?;
        let mut owner = self.definition(of).owner;
        while let Some(def) = owner {
            let class = DefRef { file: of.file, def };
            if self.definition(class).kind == DefKind::Class
                && let Some(found) = self.fixture_of_class(class, name, of, rules)
            {
                return Some(found);
            }
            owner = self.definition(class).owner;
        }
        if let Some(found) = self.fixture_of_file(of.file, name, of, rules) {
            return Some(found);
        }
        let path = self.unit(of.file).path.as_str();
        let mut rest = path;
        while !rest.is_empty() {
            let folder = rest.rsplit_once('/').map_or("", |(folder, _)| folder);
            let shared = if folder.is_empty() { rules.shared.to_owned() } else { format!("{folder}/{}", rules.shared) };
            if let Some(file) = self.files.find(&shared).filter(|file| *file != of.file)
                && let Some(found) = self.fixture_of_file(file, name, of, rules)
            {
                return Some(found);
            }
            rest = folder;
        }
        None
    }

    fn fixture_of_class(&mut self, class: DefRef, name: Name, of: DefRef, rules: &Fixtures) -> Option<DefRef> {
        let ancestors = self.ancestors(class);
        ancestors.iter().find_map(|ancestor| match ancestor {
            Ancestor::Class(class, _) => self.last_fixture(class.file, Some(class.def), name, of, rules),
            _ => None,
        })
    }

    /// A fixture written at the top of a file, or imported there.
    fn fixture_of_file(&mut self, file: FileId, name: Name, of: DefRef, rules: &Fixtures) -> Option<DefRef> {
        if let Some(found) = self.last_fixture(file, None, name, of, rules) {
            return Some(found);
        }
        let search = self.scope_member(file, FILE, name, Namespace::Value, Asker::Named);
        let [Found { entity: Entity::Def(found), .. }] = search.found.as_slice() else { return None };
        let found = *found;
        let imported = found.file != file && found != of;
        // A fixture known by another name is not known by that of its function.
        let named = imported && self.unit(found.file).fixtures_named(name).any(|def| def == found.def);
        (named && self.makes_fixture(found, rules)).then_some(found)
    }

    /// The last fixture of a name: it replaces those before it.
    fn last_fixture(
        &mut self,
        file: FileId,
        owner: Option<DefId>,
        name: Name,
        of: DefRef,
        rules: &Fixtures,
    ) -> Option<DefRef> {
        self.ask(name);
        let unit = self.unit(file);
        let own = unit.fixtures_named(name).filter(|def| unit.facts.definition(*def).owner == owner);
        let own: Vec<DefId> = own.collect();
        let found = own.into_iter().map(|def| DefRef { file, def }).rfind(|found| *found != of)?;
        self.makes_fixture(found, rules).then_some(found)
    }

    /// Returns whether a function has a fixture decorator, judged by the decorator's package.
    fn makes_fixture(&mut self, of: DefRef, rules: &Fixtures) -> bool {
        let unit = self.unit(of.file);
        unit.list(self.definition(of).decorators).iter().any(|&decorator| {
            let path = match unit.facts.expr(decorator) {
                Expr::Call { callee, .. } => callee,
                _ => decorator,
            };
            let named = unit.last_name(path).is_some_and(|name| rules.decorators.contains(&self.text(name)));
            named
                && self.resolve(of.file, path, Namespace::Value).found.iter().any(
                    |found| matches!(&found.entity, Entity::External(package, _) if rules.packages.contains(&&**package)),
                )
        })
    }

    /// Value that a framework gives a parameter whose default says what to call for it (`db=Depends(get_db)`). `None`
    /// for other parameters, and if the declared type says more.
    pub(in crate::eval) fn find_depended(&mut self, of: DefRef, index: usize) -> Option<Values> {
        let rules = self.rules(of.file).injectors?;
        let unit = self.unit(of.file);
        let parameter = unit.facts.parameters(of.def).get(index)?;
        let says_nothing = |declared| unit.written_last(declared).is_some_and(|name| rules.open_types.contains(&name));
        if !parameter.declared.is_none_or(says_nothing) {
            return None;
        }
        let called = parameter.default?;
        let named = self.find_dependency(of.file, called, rules)?;
        let callees = self.callees(of.file, named);
        Some(callees.flat_map(|callee| self.injected_value(&callee, of.file)))
    }

    /// What a call of an injecting function names.
    fn find_dependency(&mut self, file: FileId, call: ExprId, rules: &Injectors) -> Option<ExprId> {
        let unit = self.unit(file);
        let Expr::Call { callee, args } = unit.facts.expr(call) else { return None };
        let is_named = unit.written_last(callee).is_some_and(|name| rules.functions.contains(&name));
        if !is_named {
            return None;
        }
        let search = self.resolve(file, callee, Namespace::Callee);
        let is_of = |found: &Found| matches!(&found.entity, Entity::External(package, _) if rules.packages.contains(&&**package));
        if search.found.is_empty() || !search.found.iter().all(is_of) {
            return None;
        }
        let by_name = unit
            .facts
            .arguments_of(callee)
            .iter()
            .find(|argument| argument.name.is_some_and(|name| unit.facts.name(name) == rules.argument));
        unit.list(args).first().copied().or_else(|| by_name.map(|argument| argument.value))
    }

    /// Value that a framework gets by calling something: what it returns, or its single yield.
    fn injected_value(&mut self, callee: &Value, file: FileId) -> Values {
        let called = match callee {
            Value::Def(of, _) | Value::Bound(of, _) => Some(*of),
            Value::Instance(of, _) => self.rules(of.file).call_method.and_then(|method| {
                let name = self.project.names.intern(method);
                let search = self.member(callee, name, Namespace::Callee);
                search.found.iter().find_map(|found| match found.entity {
                    Entity::Def(of) => Some(of),
                    _ => None,
                })
            }),
            _ => None,
        };
        let mut values = self.call(callee, file, &[]);
        let Some(definition) = called.map(|of| self.definition(of)) else { return values };
        if definition.kind != DefKind::Function {
            return values;
        }
        let flags = definition.flags;
        if flags.is_async {
            values = values.flat_map(unwrap);
        }
        if flags.is_generator {
            values = values.flat_map(|value| self.element(&value, file));
        }
        values
    }
}
