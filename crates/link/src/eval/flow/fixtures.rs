//! Parameters that a test framework injects by name.

use m1nd_lang::facts::{DefId, DefKind, Expr, Namespace, ParameterKind};

use crate::eval::ancestors::Ancestor;
use crate::eval::lookup::{Asker, FILE};
use crate::eval::{Entity, Eval, Found, Value, Values, unwrap};
use crate::names::Name;
use crate::rules::Fixtures;
use crate::tables::files::{DefRef, FileId};

impl Eval<'_> {
    /// Value injected for a parameter of a test or fixture: the result of the fixture of that name, or a value of the
    /// framework itself. `None` if no fixture is known for the parameter.
    pub(in crate::eval) fn find_injected(&mut self, of: DefRef, index: usize) -> Option<Values> {
        let rules = self.rules(of.file).fixtures?;
        let name = self.injected_name(of, index)?;
        if let Some(fixture) = self.fixture(of, name) {
            return Some(self.fixture_value(fixture));
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

    /// Value of a fixture: its return value, or its single yield.
    fn fixture_value(&mut self, of: DefRef) -> Values {
        let flags = self.unit(of.file).facts.definition(of.def).flags;
        let mut values = self.call(&Value::Def(of, crate::eval::no_args()), of.file, &[]);
        if flags.is_async {
            values = values.flat_map(unwrap);
        }
        if flags.is_generator {
            values = values.flat_map(|value| self.element(&value, of.file));
        }
        values
    }
}
