//! Methods that a trait in scope gives all types with certain traits: `impl<T: Service> ServiceExt for T`.

use std::rc::Rc;

use m1nd_lang::facts::{DefId, DefKind, ImportId, ImportKind, Namespace};

use crate::eval::ancestors::Ancestor;
use crate::eval::lookup::Asker;
use crate::eval::{Entity, Eval, Found, Search, Value};
use crate::names::Name;
use crate::reason::Reason;
use crate::tables::files::{DefRef, FileId};

/// Methods of one name that are looked at.
const METHODS: usize = 64;

/// Whether a type has what a trait asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Holds {
    No,
    /// A trait from outside is asked for, or not all of the type is known.
    Perhaps,
    Yes,
}

impl Eval<'_> {
    /// A method that no block gives the type of a value, but a trait that the file imports or has itself.
    pub(in crate::eval) fn blanket_method(&mut self, file: FileId, value: &Value, name: Name) -> Option<Search> {
        if !self.rules(file).fields_apart || !matches!(value, Value::Instance(..) | Value::TypeVar(..)) {
            return None;
        }
        let mut search = Search::default();
        for &method in self.methods_named(file, name, METHODS)?.iter() {
            let owner = self.definition(method).owner.map(|def| DefRef { file: method.file, def });
            let of_trait = owner.filter(|owner| self.definition(*owner).kind == DefKind::Trait);
            let Some(of_trait) = of_trait.filter(|of_trait| self.is_named_in(file, *of_trait)) else { continue };
            let Some((block, holds)) = self.block_for_all(of_trait, value) else { continue };
            // The block has the method, or leaves it to the trait.
            let body = self.definition(block).body;
            let own = body.map(|body| self.scope_member(block.file, body, name, Namespace::Callee, Asker::Named));
            let own = own.and_then(|own| own.found.into_iter().next());
            let mut found = own.unwrap_or_else(|| Found::plain(Entity::Def(method)));
            found.receiver = Some(Rc::new(value.clone()));
            search.push(found);
            if holds == Holds::Perhaps {
                search.unknown = Some(Reason::UnknownBase);
            }
        }
        (!search.found.is_empty()).then_some(search)
    }

    /// Returns whether a file has a trait, or imports it by name, so that its methods are in scope.
    fn is_named_in(&mut self, file: FileId, of_trait: DefRef) -> bool {
        if of_trait.file == file {
            return true;
        }
        let own = self.unit(of_trait.file);
        let name = own.facts.name(own.facts.definition(of_trait.def).name);
        let facts = &self.unit(file).facts;
        let is_named = |kind: ImportKind| matches!(kind, ImportKind::Symbol(known) if facts.name(known) == name);
        let imports: Vec<ImportId> = (0..facts.imports.len() as u32).map(ImportId).collect();
        let named = imports.into_iter().filter(|import| is_named(facts.imports[import.index()].kind));
        named.collect::<Vec<_>>().into_iter().any(|import| {
            let search = self.import(file, import, Namespace::Type);
            search.found.iter().any(|found| found.entity == Entity::Def(of_trait))
        })
    }

    /// The block beside a trait that implements it for every type with certain traits, if the value may be of one.
    fn block_for_all(&mut self, of_trait: DefRef, value: &Value) -> Option<(DefRef, Holds)> {
        self.ask_all(of_trait.file);
        let facts = &self.unit(of_trait.file).facts;
        let blocks = facts.definitions.iter().enumerate().filter(|(_, row)| row.kind == DefKind::Impl);
        let blocks: Vec<_> =
            blocks.filter_map(|(at, row)| Some((DefId(at as u32), row.extends_type?, row.implements))).collect();
        let mut best: Option<(DefRef, Holds)> = None;
        for (def, of_type, implements) in blocks {
            let types = self.eval(of_trait.file, of_type, Namespace::Type);
            let [Value::TypeVar(of, index)] = types.items.as_slice() else { continue };
            let (of, index) = (*of, *index);
            let implements = self.unit(of_trait.file).list(implements);
            let is_of = implements.iter().any(|&expr| {
                let traits = self.eval(of_trait.file, expr, Namespace::Type);
                traits.items.iter().any(|known| matches!(known, Value::Def(known, _) if *known == of_trait))
            });
            let holds = if is_of { self.has_bounds(of, index, value) } else { Holds::No };
            if holds > best.map_or(Holds::No, |(_, holds)| holds) {
                best = Some((DefRef { file: of_trait.file, def }, holds));
            }
        }
        best
    }

    /// Whether a value has all traits that a type parameter is bound by.
    fn has_bounds(&mut self, of: DefRef, index: u32, value: &Value) -> Holds {
        let parameters = self.unit(of.file).facts.type_parameters(of.def);
        if parameters.get(index as usize).is_none_or(|parameter| parameter.bound.is_none()) {
            return Holds::Yes;
        }
        let bounds = self.follow_bound(of, index);
        let mut all = if bounds.unknown.is_some() { Holds::Perhaps } else { Holds::Yes };
        for bound in &bounds.items {
            let holds = match bound {
                Value::Instance(bound, _) => match self.has_trait(value, *bound) {
                    Holds::No => self.has_trait_by_block(value, *bound),
                    holds => holds,
                },
                _ => Holds::Perhaps,
            };
            all = all.min(holds);
        }
        all
    }

    /// Whether a trait is given to the type of a value by a block for all types.
    fn has_trait_by_block(&mut self, value: &Value, of_trait: DefRef) -> Holds {
        if !self.deeper() {
            return Holds::Perhaps;
        }
        let holds = self.block_for_all(of_trait, value).map_or(Holds::No, |(_, holds)| holds);
        self.leave();
        holds
    }

    /// Whether the type of a value implements a trait of the project.
    fn has_trait(&mut self, value: &Value, of_trait: DefRef) -> Holds {
        match value {
            Value::Instance(of, _) => {
                let ancestors = self.ancestors(*of);
                let is_it = |ancestor: &Ancestor| matches!(ancestor, Ancestor::Class(class, _) if *class == of_trait);
                match ancestors.iter().any(is_it) {
                    true => Holds::Yes,
                    false if ancestors.contains(&Ancestor::Unknown) => Holds::Perhaps,
                    false => Holds::No,
                }
            }
            Value::TypeVar(of, index) => {
                let bounds = self.follow_bound(*of, *index);
                let rows: Vec<Holds> = bounds.items.iter().map(|bound| self.has_trait(bound, of_trait)).collect();
                rows.into_iter().max().unwrap_or(Holds::No)
            }
            _ => Holds::No,
        }
    }
}
