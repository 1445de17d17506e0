//! Interfaces that values satisfy by having their members, whether their class names them or not (TypeScript).

use std::rc::Rc;

use m1nd_lang::facts::{DefId, DefKind, Namespace, ParameterKind, Visibility};
use rustc_hash::FxHashSet;

use crate::eval::ancestors::Ancestor;
use crate::eval::{Eval, Value, no_args};
use crate::names::Name;
use crate::rules::Dispatch;
use crate::tables::files::{DefRef, Key};

/// Maximum members of interfaces of one name compared with a method.
const MAX_NAMED: usize = 512;
/// Maximum members of one interface compared, those of its bases included.
const MAX_MEMBERS: usize = 256;

/// What a value must have to satisfy an interface.
#[derive(Debug)]
pub(in crate::eval) struct Required {
    /// Names of members that may not be missing.
    names: Vec<Name>,
}

impl Eval<'_> {
    /// Returns whether values satisfy interfaces by their members in the language of a definition.
    pub(crate) fn is_by_members(&self, of: DefRef) -> bool {
        self.rules(of.file).dispatch == Dispatch::Members
    }

    /// The members of interfaces that a call may mean and run this method: those of its name in interfaces of which the
    /// method's class has all members. Interfaces that the class names are left out.
    pub(crate) fn answered_by_members(&mut self, method: DefRef) -> Vec<DefRef> {
        let definition = self.definition(method);
        let flags = definition.flags;
        let fits = definition.kind == DefKind::Function
            && definition.visibility != Visibility::Private
            && !(flags.is_static || flags.is_constructor || flags.is_abstract || flags.is_anonymous);
        let Some(owner) = definition.owner.filter(|_| fits && self.is_by_members(method)) else { return Vec::new() };
        let class = DefRef { file: method.file, def: owner };
        if !matches!(self.definition(class).kind, DefKind::Class | DefKind::Object) {
            return Vec::new();
        }
        let name = self.unit(method.file).name(definition.name);
        let text = self.text(name);
        self.asked.keys.insert(Key::methods(text));
        let rows = self.project.methods(text).filter(|row| row.is_abstract).map(|row| row.of);
        let mut rows: Vec<DefRef> = rows.take(MAX_NAMED).collect();
        if rows.is_empty() {
            return rows;
        }
        self.project.by_path_order(&mut rows);
        let named: FxHashSet<DefRef> = self.named_interfaces(class);
        rows.retain(|&row| {
            // Each interface is a question of its own, with a budget of its own.
            self.begin_reference();
            let Some(interface) = self.definition(row).owner.map(|def| DefRef { file: row.file, def }) else {
                return false;
            };
            self.definition(interface).kind == DefKind::Interface
                && !named.contains(&interface)
                && self.takes_calls_of(method, row)
                && self.has_members_of(class, interface)
        });
        rows
    }

    /// The class and everything that it names as its base, directly or not.
    fn named_interfaces(&mut self, class: DefRef) -> FxHashSet<DefRef> {
        let ancestors = self.ancestors(class);
        let classes = ancestors.iter().filter_map(|ancestor| match ancestor {
            Ancestor::Class(of, _) => Some(*of),
            _ => None,
        });
        classes.collect()
    }

    /// Returns whether a method can be called as a member of an interface is: it needs no more arguments.
    fn takes_calls_of(&mut self, method: DefRef, member: DefRef) -> bool {
        if self.definition(member).kind != DefKind::Function {
            return true;
        }
        let parameters = |eval: &mut Self, of: DefRef| eval.unit(of.file).facts.parameters(of.def);
        let given = parameters(self, member);
        let needed = parameters(self, method).iter().filter(|parameter| {
            matches!(parameter.kind, ParameterKind::Plain | ParameterKind::Keyword) && parameter.default.is_none()
        });
        given.iter().any(|parameter| parameter.kind == ParameterKind::Rest) || needed.count() <= given.len()
    }

    /// Returns whether a class or object may have all members that an interface requires.
    fn has_members_of(&mut self, class: DefRef, interface: DefRef) -> bool {
        let value = match self.definition(class).kind {
            DefKind::Object => Value::Def(class, no_args()),
            _ => Value::Instance(class, no_args()),
        };
        let required = self.find_required(interface);
        required.names.iter().all(|&name| {
            let search = self.member(&value, name, Namespace::Value);
            // What is inherited from outside or from something unknown may well have it.
            !search.found.is_empty() || search.unknown.is_some_and(|why| why != crate::reason::Reason::NoSuchMember)
        })
    }

    fn find_required(&mut self, interface: DefRef) -> Rc<Required> {
        if let Some(known) = self.memos.required.get(&interface) {
            return known.clone();
        }
        let mut names = Vec::new();
        for base in self.ancestors(interface).iter() {
            // Members of bases outside are not known.
            let Ancestor::Class(of, _) = base else { continue };
            let of = *of;
            self.ask_members(of);
            let facts = &self.unit(of.file).facts;
            for (index, row) in facts.definitions.iter().enumerate().skip(of.def.index()) {
                if row.owner != Some(of.def) || row.flags.is_optional || row.flags.is_anonymous {
                    continue;
                }
                if names.len() >= MAX_MEMBERS {
                    break;
                }
                let member = DefRef { file: of.file, def: DefId(index as u32) };
                let name = self.definition(member).name;
                names.push(self.unit(of.file).name(name));
            }
        }
        names.sort_unstable();
        names.dedup();
        let required = Rc::new(Required { names });
        self.memos.required.insert(interface, required.clone());
        required
    }
}
