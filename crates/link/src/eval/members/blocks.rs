//! Blocks that add members to types (Swift): to outside ones, and to all that conform to a protocol.

use m1nd_lang::facts::{DefKind, Expr, ExprId, Namespace, ScopeKind, Visibility};

use crate::eval::ancestors::Ancestor;
use crate::eval::lookup::Asker;
use crate::eval::{Entity, Eval, Found, Search, Value};
use crate::names::Name;
use crate::rules::Builtin;
use crate::tables::files::{DefRef, FileId, Key};

/// Maximum number of blocks of one name that are looked at.
const MAX_BLOCKS: usize = 512;

/// Labels of a function, and whether a protocol only asks for it.
type Labels = (Vec<Name>, bool);

impl Eval<'_> {
    /// Names of an outside type and of what it conforms to, the type first.
    fn outside_names(&self, value: &Value) -> Vec<&'static str> {
        let own = match value {
            Value::External(_, Some(name)) => self.text(*name),
            Value::Builtin(Builtin::List, _) | Value::BuiltinType(Builtin::List, _) => "Array",
            Value::Builtin(Builtin::Map, _) | Value::BuiltinType(Builtin::Map, _) => "Dictionary",
            _ => return Vec::new(),
        };
        let known = self.home.outside_bases.iter().find(|(name, _)| *name == own);
        known.map_or_else(Vec::new, |(name, bases)| std::iter::once(*name).chain(bases.iter().copied()).collect())
    }

    /// Members that blocks of the project add to an outside type.
    pub(in crate::eval) fn members_of_blocks(&mut self, value: &Value, name: Name, want: Namespace) -> Search {
        let mut search = Search::default();
        let names = self.names_of_outside(value);
        for of in names {
            self.asked.keys.insert(Key::for_attached(self.text(of)));
            let mut rows: Vec<DefRef> = self.project.find_attached(self.text(of)).take(MAX_BLOCKS).collect();
            self.project.by_path_order(&mut rows);
            for row in rows {
                if self.extended_type(row).is_none() {
                    self.add_block(row, value, name, want, &mut search);
                }
            }
        }
        search
    }

    /// Returns whether blocks make an outside type conform to a protocol; `None` if its type is not known.
    pub(in crate::eval) fn conforms(&mut self, value: &Value, protocol: DefRef) -> Option<bool> {
        let names = self.names_of_outside(value);
        if names.is_empty() {
            return None;
        }
        for of in names {
            self.asked.keys.insert(Key::for_attached(self.text(of)));
            let rows: Vec<DefRef> = self.project.find_attached(self.text(of)).take(MAX_BLOCKS).collect();
            for row in rows {
                let unit = self.unit(row.file);
                let mut bases = Vec::new();
                for &expr in unit.list(unit.facts.definition(row.def).implements) {
                    self.base(row, expr, &mut bases);
                }
                for base in bases {
                    let Ancestor::Class(class, _) = base else { continue };
                    let is_it = |one: &Ancestor| matches!(one, Ancestor::Class(of, _) if *of == protocol);
                    if self.ancestors(class).iter().any(is_it) {
                        return Some(true);
                    }
                }
            }
        }
        Some(false)
    }

    fn names_of_outside(&mut self, value: &Value) -> Vec<Name> {
        let mut names: Vec<Name> = match value {
            Value::External(_, Some(name)) => vec![*name],
            _ => Vec::new(),
        };
        for text in self.outside_names(value) {
            let name = self.project.names.intern(text);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Adds the members of a block, and of the protocols of the project that it makes its type conform to.
    fn add_block(&mut self, block: DefRef, value: &Value, name: Name, want: Namespace, search: &mut Search) {
        let unit = self.unit(block.file);
        let row = unit.facts.definition(block.def);
        let Some(body) = row.body else { return };
        let receiver = std::rc::Rc::new(value.clone());
        let part = self.scope_member(block.file, body, name, want, Asker::Named);
        for mut found in part.found {
            found.receiver = Some(receiver.clone());
            search.push(found);
        }
        let mut bases = Vec::new();
        for &expr in unit.list(row.implements) {
            self.base(block, expr, &mut bases);
        }
        for base in bases {
            let Ancestor::Class(protocol, _) = base else { continue };
            let part = self.member(&Value::Instance(protocol, crate::eval::no_args()), name, want);
            for mut found in part.found {
                if matches!(found.entity, Entity::Def(_)) {
                    found.receiver = Some(receiver.clone());
                    search.push(found);
                }
            }
        }
    }

    /// Of what blocks add to an outside type and what the type has itself: only one of them, if it is known which.
    pub(in crate::eval) fn settle_blocks(&mut self, file: FileId, expr: ExprId, search: Search) -> Search {
        let is_own = |found: &Found| matches!(found.entity, Entity::Def(_) | Entity::Local(..));
        let own = search.found.iter().filter(|found| is_own(found)).count();
        if own == 0 || own == search.found.len() {
            return search;
        }
        let unit = self.unit(file);
        let (Expr::Member { name, .. } | Expr::Name { name, .. }) = unit.facts.expr(expr) else {
            return search;
        };
        let is_common = self.home.common_methods.contains(&unit.facts.name(name));
        let args = unit.call(expr).map(|call| unit.list(call.args));
        let fits: Vec<bool> = search
            .found
            .iter()
            .map(|found| match (&found.entity, args) {
                (Entity::Def(of), Some(args)) if self.is_plain_function(*of) => self.takes_labels(found, file, args),
                _ => is_own(found),
            })
            .collect();
        let mut search = search;
        if !fits.contains(&true) {
            search.found.retain(|found| !is_own(found));
        } else if is_common {
            let keep: Vec<bool> = search.found.iter().zip(&fits).map(|(found, fits)| *fits || !is_own(found)).collect();
            search.keep(&keep);
        } else {
            search.keep(&fits);
        }
        search
    }

    /// Returns whether a definition is a function, not a property.
    pub(in crate::eval) fn is_plain_function(&mut self, of: DefRef) -> bool {
        let definition = self.definition(of);
        definition.kind == DefKind::Function && !definition.flags.is_property
    }

    /// A member that a bare name means in a block of an outside type.
    pub(in crate::eval) fn bare_in_block(&mut self, block: DefRef, name: Name, want: Namespace) -> Search {
        let mut search = Search::default();
        for value in self.receiver_of(block).items {
            search.add(self.member(&value, name, want));
        }
        search
    }

    /// A type parameter of the type that a block extends, which is known in the block.
    pub(in crate::eval) fn type_parameter_of_extended(&mut self, block: DefRef, name: Name) -> Option<Search> {
        let class = self.extended_type(block)?;
        let body = self.definition(class).body?;
        let scopes = &self.unit(class.file).facts.scopes;
        let header = scopes[body.index()].parent?;
        if scopes[header.index()].kind != ScopeKind::Generics {
            return None;
        }
        let search = self.scope_member(class.file, header, name, Namespace::Type, Asker::Named);
        (!search.found.is_empty()).then_some(search)
    }

    /// Drops what is private to another file, if anything is left.
    pub(in crate::eval) fn drop_private(&mut self, file: FileId, search: &mut Search) {
        if search.found.len() < 2 {
            return;
        }
        let keep: Vec<bool> = search
            .found
            .iter()
            .map(|found| match found.entity {
                Entity::Def(of) => of.file == file || self.definition(of).visibility != Visibility::Private,
                _ => true,
            })
            .collect();
        if keep.contains(&true) {
            search.keep(&keep);
        }
    }

    /// Drops members of values where the type is named and the other way round, if anything is left; and what a
    /// protocol asks for where something that is found answers it.
    pub(in crate::eval) fn drop_requirements(&mut self, value: &Value, search: &mut Search) {
        if search.found.len() < 2 {
            return;
        }
        let of_class = matches!(value, Value::Def(..));
        let sides: Vec<bool> = search
            .found
            .iter()
            .map(|found| match found.entity {
                Entity::Def(of) => {
                    let row = self.definition(of);
                    let is_member = matches!(row.kind, DefKind::Function | DefKind::Field);
                    !is_member || row.flags.is_constructor || row.flags.is_static == of_class
                }
                _ => true,
            })
            .collect();
        if sides.contains(&true) {
            search.keep(&sides);
        }
        // What a protocol only asks for: dropped if a type answers it; kept before a default for any type.
        let asked_of_protocol = match value {
            Value::Instance(of, _) | Value::Def(of, _) => self.definition(*of).kind == DefKind::Trait,
            _ => false,
        };
        let labels: Vec<Option<Labels>> = search.found.iter().map(|found| self.labels_of(found)).collect();
        let keep: Vec<bool> = labels
            .iter()
            .enumerate()
            .map(|(place, own)| {
                let Some((own, is_abstract)) = own else { return true };
                let same = |other: &Option<Labels>, wanted: bool| {
                    other.as_ref().is_some_and(|(labels, is_abstract)| labels == own && *is_abstract == wanted)
                };
                let others = labels.iter().enumerate().filter(|(other, _)| *other != place);
                match (is_abstract, asked_of_protocol) {
                    (true, false) => !others.into_iter().any(|(_, other)| same(other, false)),
                    (false, true) => !others.into_iter().any(|(_, other)| same(other, true)),
                    _ => true,
                }
            })
            .collect();
        if keep.contains(&true) {
            search.keep(&keep);
        }
    }

    /// The labels of a function that is found, and whether a protocol only asks for it.
    fn labels_of(&mut self, found: &Found) -> Option<Labels> {
        let Entity::Def(of) = found.entity else { return None };
        let unit = self.unit(of.file);
        let row = unit.facts.definition(of.def);
        let is_asked = row.flags.is_abstract || row.kind == DefKind::Field && self.is_of_protocol(of);
        let parameters = unit.facts.parameters(of.def).iter();
        matches!(row.kind, DefKind::Function | DefKind::Field)
            .then(|| (parameters.map(|parameter| unit.name(parameter.name)).collect(), is_asked))
    }

    fn is_of_protocol(&mut self, of: DefRef) -> bool {
        let owner = self.definition(of).owner;
        owner.is_some_and(|def| self.definition(DefRef { file: of.file, def }).kind == DefKind::Trait)
    }
}
