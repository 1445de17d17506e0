//! Structural interfaces: a type satisfies one by having all of its methods.

use std::rc::Rc;

use m1nd_lang::facts::{Collection, DefId, DefKind, Expr, Namespace, ParameterKind};
use rustc_hash::FxHashSet;

use crate::eval::ancestors::Ancestor;
use crate::eval::{Entity, Eval, Value, no_args};
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::{Dispatch, MemberOrder};
use crate::tables::files::{DefRef, Key};

/// Methods of one interface or type, embedded ones included, that are compared.
const METHODS: usize = 256;
/// Interfaces compared with one type.
const INTERFACES: usize = 256;

/// A method as far as it is compared: its name, and how many parameters and results it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::eval) struct Shape {
    name: Name,
    parameters: usize,
    results: usize,
}

/// The methods required by an interface.
type Asked = Vec<(Shape, DefRef)>;
/// An interface that a type satisfies.
pub(in crate::eval) type Satisfied = (DefRef, Asked);

impl Eval<'_> {
    /// Returns whether interfaces are satisfied by methods alone in the language of a definition.
    pub(crate) fn is_structural(&self, of: DefRef) -> bool {
        self.rules(of.file).dispatch == Dispatch::Structural
    }

    /// The methods of interfaces that a method answers for its type.
    pub(in crate::eval) fn find_answered(&mut self, method: DefRef) -> Vec<DefRef> {
        if self.definition(method).flags.is_abstract {
            return Vec::new();
        }
        let Some(class) = self.class_of(method) else { return Vec::new() };
        let shape = self.shape(method);
        let mut found = Vec::new();
        for (_, asked) in self.find_satisfied(class).iter() {
            found.extend(asked.iter().filter(|(known, _)| *known == shape).map(|(_, of)| *of));
        }
        let mut seen = FxHashSet::default();
        found.retain(|of| seen.insert(*of));
        found
    }

    /// The interfaces that a type satisfies, in order of their places.
    pub(crate) fn interfaces_of(&mut self, class: DefRef) -> Vec<DefRef> {
        let definition = self.definition(class);
        let has_methods = definition.kind == DefKind::Struct || definition.flags.is_distinct;
        if !self.is_structural(class) || !has_methods {
            return Vec::new();
        }
        self.find_satisfied(class).iter().map(|(interface, _)| *interface).collect()
    }

    fn find_satisfied(&mut self, class: DefRef) -> Rc<[Satisfied]> {
        if let Some(known) = self.memos.satisfied.get(&class) {
            return known.clone();
        }
        let mut candidates = Vec::new();
        for name in self.method_names(class) {
            self.asked.keys.insert(Key::methods(self.text(name)));
            for row in self.project.methods(self.text(name)).filter(|row| row.is_abstract) {
                let definition = self.project.unit(row.of.file).facts.definition(row.of.def);
                candidates.extend(definition.owner.map(|def| DefRef { file: row.of.file, def }));
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        self.project.by_path_order(&mut candidates);
        let mut found = Vec::new();
        for interface in candidates.into_iter().take(INTERFACES) {
            // Each interface is a question of its own, with a budget of its own.
            self.begin_reference();
            let is_interface = self.definition(interface).kind == DefKind::Interface && self.is_structural(interface);
            if !is_interface || interface == class {
                continue;
            }
            let asked = self.asked_for(interface);
            if asked.iter().all(|(shape, _)| self.offers(class, *shape)) {
                found.push((interface, asked));
            }
        }
        let found: Rc<[Satisfied]> = found.into();
        self.memos.satisfied.insert(class, found.clone());
        found
    }

    /// The marked interfaces that a class satisfies without naming them, each with its methods and those of the class
    /// that answer them: `(answer, asked)`.
    pub(crate) fn unsaid_interfaces(&mut self, class: DefRef) -> Vec<(DefRef, Vec<(DefRef, DefRef)>)> {
        let is_class = self.definition(class).kind == DefKind::Class;
        if !is_class || self.rules(class.file).member_order != MemberOrder::C3 {
            return Vec::new();
        }
        let ancestors = self.ancestors(class);
        let named: FxHashSet<DefRef> = ancestors.iter().filter_map(class_of_base).collect();
        let mut candidates = Vec::new();
        for name in self.function_names(&named) {
            self.asked.keys.insert(Key::for_demanded(self.text(name)));
            for of in self.project.find_demanded(self.text(name)) {
                let definition = self.project.unit(of.file).facts.definition(of.def);
                candidates.extend(definition.owner.map(|def| DefRef { file: of.file, def }));
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|candidate| !named.contains(candidate));
        self.project.by_path_order(&mut candidates);
        let mut found = Vec::new();
        for interface in candidates.into_iter().take(INTERFACES) {
            self.begin_reference();
            if self.definition(interface).flags.is_structural
                && let Some(answers) = self.answers(class, interface)
            {
                found.push((interface, answers));
            }
        }
        found
    }

    /// The methods of a class that answer those of an interface; `None` if it lacks one.
    fn answers(&mut self, class: DefRef, interface: DefRef) -> Option<Vec<(DefRef, DefRef)>> {
        let asked = self.asked_for(interface);
        let value = Value::Instance(class, no_args());
        let mut answers = Vec::new();
        for (shape, of) in asked {
            let search = self.member(&value, shape.name, Namespace::Callee);
            match search.found.first().map(|found| &found.entity) {
                Some(Entity::Def(own)) if self.definition(*own).kind == DefKind::Function => answers.push((*own, of)),
                // A field may hold a function, and a base outside may have the method.
                Some(_) => {}
                None if search.unknown == Some(Reason::UnknownBase) => {}
                None => return None,
            }
        }
        Some(answers)
    }

    /// Names of the functions written in classes.
    fn function_names(&mut self, classes: &FxHashSet<DefRef>) -> Vec<Name> {
        let mut classes: Vec<DefRef> = classes.iter().copied().collect();
        classes.sort_unstable();
        let mut names = Vec::new();
        for of in classes {
            self.ask_members(of);
            let unit = self.unit(of.file);
            let own = unit.facts.definitions.iter().skip(of.def.index());
            let own = own.filter(|row| row.owner == Some(of.def) && row.kind == DefKind::Function);
            names.extend(own.map(|row| unit.name(row.name)).take(METHODS));
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Names of the methods of a type and of its embedded types.
    fn method_names(&mut self, class: DefRef) -> Vec<Name> {
        let mut names = Vec::new();
        let mut work = vec![class];
        let mut seen = FxHashSet::default();
        while let Some(of) = work.pop() {
            if !seen.insert(of) || names.len() >= METHODS {
                continue;
            }
            let class = self.definition(of).name;
            let class = self.unit(of.file).name(class);
            self.asked.keys.insert(Key::all_attached(self.text(class)));
            for &attached in self.find_attached(of).iter() {
                let name = self.definition(attached).name;
                names.push(self.unit(attached.file).name(name));
            }
            work.extend(self.embedded_types(of));
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    fn embedded_types(&mut self, of: DefRef) -> Vec<DefRef> {
        let unit = self.unit(of.file);
        let mut bases = Vec::new();
        for &expr in unit.list(unit.facts.definition(of.def).bases) {
            self.base(of, expr, &mut bases);
        }
        bases.iter().filter_map(class_of_base).collect()
    }

    /// The methods that an interface asks for.
    fn asked_for(&mut self, interface: DefRef) -> Asked {
        let mut shapes: Asked = Vec::new();
        let mut work = vec![interface];
        let mut seen = FxHashSet::default();
        while let Some(of) = work.pop() {
            if !seen.insert(of) || shapes.len() >= METHODS {
                continue;
            }
            self.ask_members(of);
            let facts = &self.unit(of.file).facts;
            for (index, row) in facts.definitions.iter().enumerate().skip(of.def.index()) {
                if row.owner == Some(of.def) && row.kind == DefKind::Function {
                    let method = DefRef { file: of.file, def: DefId(index as u32) };
                    shapes.push((self.shape(method), method));
                }
            }
            work.extend(self.embedded_types(of));
        }
        shapes
    }

    fn shape(&mut self, method: DefRef) -> Shape {
        let unit = self.unit(method.file);
        let definition = unit.facts.definition(method.def);
        let parameters = unit.facts.parameters(method.def);
        let results = match definition.declared.map(|declared| unit.facts.expr(declared)) {
            None | Some(Expr::Literal(_)) => 0,
            Some(Expr::Collection { kind: Collection::Tuple, items }) => unit.list(items).len(),
            Some(_) => 1,
        };
        Shape {
            name: unit.name(definition.name),
            parameters: parameters.iter().filter(|parameter| parameter.kind != ParameterKind::Receiver).count(),
            results,
        }
    }

    /// Returns whether a type has a method of the shape.
    fn offers(&mut self, class: DefRef, shape: Shape) -> bool {
        let value = Value::Instance(class, no_args());
        let search = self.member(&value, shape.name, Namespace::Callee);
        match search.found.first().map(|found| &found.entity) {
            Some(Entity::Def(of)) => {
                let of = *of;
                self.definition(of).kind == DefKind::Function && self.shape(of) == shape
            }
            // Something embedded from outside may well have it.
            Some(Entity::External(..)) => true,
            _ => false,
        }
    }
}

fn class_of_base(base: &Ancestor) -> Option<DefRef> {
    match base {
        Ancestor::Class(class, _) => Some(*class),
        _ => None,
    }
}
