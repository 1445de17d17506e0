//! Bases of classes, direct and in member resolution order.

use std::rc::Rc;

use m1nd_lang::facts::{DefKind, ExprId, Namespace};

use super::{Args, Eval, Module, Outside, Value, no_args};
use crate::names::Name;
use crate::rules::{Builtin, MemberOrder};
use crate::tables::files::DefRef;

/// A class on the way up.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ancestor {
    /// A class of the project, with its type arguments.
    Class(DefRef, Args),
    /// A class of a package outside, with its name.
    External(Outside, Option<Name>),
    /// A standard type with arguments.
    Standard(Builtin, Args),
    /// A module whose exports are members of an object (`{ ...module }`).
    Module(Module),
    /// A base that could not be resolved.
    Unknown,
}

/// Bases followed upwards from one class.
const ANCESTORS: usize = 256;

impl Eval<'_> {
    /// The class and all it inherits from, in the order members are looked up in.
    pub(super) fn ancestors(&mut self, of: DefRef) -> Rc<[Ancestor]> {
        if let Some(known) = self.memos.ancestors.get(&of) {
            return known.clone();
        }
        let outer = self.begin_uncut();
        let order = self.rules(of.file).member_order;
        let found: Rc<[Ancestor]> = match order {
            MemberOrder::DepthFirst | MemberOrder::Embedding => self.depth_first(of).into(),
            MemberOrder::Linearised => self.linearise(of).into(),
            MemberOrder::C3 => self.c3(of).unwrap_or_else(|| self.depth_first(of)).into(),
        };
        // Inside a cycle of evaluations the bases may be incomplete: ask again later.
        if self.end_uncut(outer) {
            self.memos.ancestors.insert(of, found.clone());
        }
        found
    }

    /// Each class once and behind all that are derived from it, those written last first.
    fn linearise(&mut self, of: DefRef) -> Vec<Ancestor> {
        // A class comes out when its bases have, so that the order is the reverse of that.
        let mut order = Vec::new();
        let mut seen = Vec::new();
        let mut is_cut = false;
        let mut work = vec![(Ancestor::Class(of, no_args()), false)];
        while let Some((next, has_bases)) = work.pop() {
            let Ancestor::Class(class, args) = &next else {
                order.push(next);
                continue;
            };
            if has_bases {
                order.push(next);
                continue;
            }
            let (class, args) = (*class, args.clone());
            if seen.contains(&class) {
                continue;
            }
            if seen.len() >= ANCESTORS {
                is_cut = true;
                continue;
            }
            seen.push(class);
            let mut bases = self.bases(class);
            for base in &mut bases {
                if let Ancestor::Class(_, given) | Ancestor::Standard(_, given) = base {
                    *given = self.base_args(class, &args, given);
                }
            }
            work.push((next, true));
            work.extend(bases.into_iter().rev().map(|base| (base, false)));
        }
        order.reverse();
        order.extend(is_cut.then_some(Ancestor::Unknown));
        order
    }

    fn depth_first(&mut self, of: DefRef) -> Vec<Ancestor> {
        let mut order = vec![Ancestor::Class(of, no_args())];
        let mut seen = vec![of];
        let mut work: Vec<Ancestor> = self.bases(of);
        work.reverse();
        while let Some(next) = work.pop() {
            if order.len() >= ANCESTORS {
                order.push(Ancestor::Unknown);
                break;
            }
            match &next {
                Ancestor::Class(class, _) if seen.contains(class) => {}
                Ancestor::Class(class, args) => {
                    let (class, args) = (*class, args.clone());
                    seen.push(class);
                    order.push(next);
                    let mut bases = self.bases(class);
                    // Type arguments given to a base by a derived class also apply to the bases of that base.
                    for base in &mut bases {
                        if let Ancestor::Class(_, given) | Ancestor::Standard(_, given) = base {
                            *given = self.base_args(class, &args, given);
                        }
                    }
                    bases.reverse();
                    work.extend(bases);
                }
                _ => order.push(next),
            }
        }
        order
    }

    /// C3 linearisation over the classes of the project; `None` if it has no solution. External bases come after the
    /// classes they are bases of.
    fn c3(&mut self, of: DefRef) -> Option<Vec<Ancestor>> {
        // Classes with their bases, the class itself first, found breadth first; then merged from the top down.
        let mut graph: Vec<(DefRef, Vec<Ancestor>)> = Vec::new();
        let mut work = vec![of];
        while let Some(class) = work.pop() {
            if graph.iter().any(|(known, _)| *known == class) {
                continue;
            }
            if graph.len() >= ANCESTORS {
                return None;
            }
            let bases = self.bases(class);
            work.extend(bases.iter().filter_map(|base| match base {
                Ancestor::Class(class, _) => Some(*class),
                _ => None,
            }));
            graph.push((class, bases));
        }
        let mut done: Vec<(DefRef, Vec<Ancestor>)> = Vec::new();
        while done.len() < graph.len() {
            let ready = graph.iter().find(|(class, bases)| {
                !done.iter().any(|(known, _)| known == class)
                    && bases.iter().all(|base| match base {
                        Ancestor::Class(base, _) => done.iter().any(|(known, _)| known == base),
                        _ => true,
                    })
            });
            let (class, bases) = ready?;
            let linear = merge(*class, bases, &done)?;
            done.push((*class, linear));
        }
        done.into_iter().find(|(class, _)| *class == of).map(|(_, linear)| linear)
    }

    /// The direct bases, those of blocks elsewhere included.
    pub(super) fn bases(&mut self, of: DefRef) -> Vec<Ancestor> {
        if self.rules(of.file).open_types {
            let mut bases = Vec::new();
            for (part, expr) in self.bases_of_parts(of) {
                self.base(part, expr, &mut bases);
            }
            return bases;
        }
        let unit = self.unit(of.file);
        let definition = unit.facts.definition(of.def);
        let mut bases = Vec::new();
        for &expr in unit.list(definition.bases).iter().chain(unit.list(definition.implements)) {
            self.base(of, expr, &mut bases);
        }
        // A later spread in an object literal overrides earlier members.
        if definition.kind == DefKind::Object && self.rules(of.file).spreads_into_objects {
            bases.reverse();
        }
        // Traits implemented by blocks elsewhere.
        for &attached in self.find_attached(of).iter() {
            let unit = self.unit(attached.file);
            let row = unit.facts.definition(attached.def);
            // Another part of the type has bases of its own.
            let is_part = row.kind.is_class_like() && row.kind != DefKind::Impl && self.rules(of.file).partial_types;
            let written = if is_part && attached != of { unit.list(row.bases) } else { &[] };
            for &expr in written.iter().chain(unit.list(row.implements)) {
                self.base(attached, expr, &mut bases);
            }
        }
        bases
    }

    /// Adds the classes that an expression in base position names.
    pub(super) fn base(&mut self, of: DefRef, expr: ExprId, bases: &mut Vec<Ancestor>) {
        let mut values = self.eval(of.file, expr, Namespace::Type);
        let is_object = self.definition(of).kind == DefKind::Object && self.rules(of.file).spreads_into_objects;
        if is_object || values.items.is_empty() {
            // The base of an object, or of a class that extends the value of a constant.
            values = self.eval(of.file, expr, Namespace::Value);
        }
        let before = bases.len();
        for value in values.items {
            match value {
                Value::Def(class, _) if class == of => {}
                Value::Def(class, args) if !self.is_inline_module(class) => bases.push(Ancestor::Class(class, args)),
                Value::External(package, name) => bases.push(Ancestor::External(package, name)),
                Value::BuiltinType(builtin, args) => bases.push(Ancestor::Standard(builtin, args)),
                Value::Module(module) if is_object => bases.push(Ancestor::Module(module)),
                Value::Module(Module::File(file)) => {
                    let whole = self.whole_export(file);
                    for value in self.values_of(whole, Namespace::Type).items {
                        if let Value::Def(class, args) = value {
                            bases.push(Ancestor::Class(class, args));
                        }
                    }
                }
                _ => {}
            }
        }
        if values.unknown.is_some() || bases.len() == before {
            bases.push(Ancestor::Unknown);
        }
    }
}

/// One step of C3: the class, then the merge of its bases' orders and the bases themselves.
fn merge(class: DefRef, bases: &[Ancestor], done: &[(DefRef, Vec<Ancestor>)]) -> Option<Vec<Ancestor>> {
    let mut rows: Vec<Vec<Ancestor>> = bases
        .iter()
        .map(|base| match base {
            Ancestor::Class(base, args) => {
                let mut linear =
                    done.iter().find(|(known, _)| known == base).map(|(_, linear)| linear.clone()).unwrap_or_default();
                if let Some(first) = linear.first_mut() {
                    *first = Ancestor::Class(*base, args.clone());
                }
                linear
            }
            other => vec![other.clone()],
        })
        .collect();
    rows.push(bases.to_vec());
    let same = |a: &Ancestor, b: &Ancestor| match (a, b) {
        (Ancestor::Class(a, _), Ancestor::Class(b, _)) => a == b,
        (a, b) => a == b,
    };
    let mut order = vec![Ancestor::Class(class, no_args())];
    loop {
        rows.retain(|row| !row.is_empty());
        if rows.is_empty() {
            return Some(order);
        }
        let head = rows.iter().map(|row| row[0].clone()).find(|head| {
            !matches!(head, Ancestor::Class(..))
                && rows.iter().all(|row| same(&row[0], head) || !row.iter().any(|other| same(other, head)))
                || matches!(head, Ancestor::Class(..))
                    && !rows.iter().any(|row| row[1..].iter().any(|other| same(other, head)))
        });
        // External packages may be in any order: taking the first keeps the rest mergeable.
        let head =
            head.or_else(|| rows.iter().map(|row| row[0].clone()).find(|head| !matches!(head, Ancestor::Class(..))))?;
        for row in &mut rows {
            if same(&row[0], &head) {
                row.remove(0);
            }
        }
        if !order.iter().any(|known| same(known, &head)) {
            order.push(head);
        }
    }
}
