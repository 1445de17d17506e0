//! Calls whose target is not written at the call site: through function pointers and macros (C, C++).

use m1nd_lang::facts::{DefKind, Expr, Namespace, Role};

use super::{Entity, Eval, Search, Value};
use crate::files::{DefRef, FileId, Key};
use crate::names::Name;

/// Maximum assignments to members of one name examined.
const MAX_GIVEN: usize = 2_000;
/// Macros followed from one call.
const MAX_MACROS: usize = 16;

/// Source of the functions called through a pointer.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// The variables and fields that are called.
    pub(crate) holders: Vec<DefRef>,
    /// The functions they may hold.
    pub(crate) functions: Vec<DefRef>,
    /// It is known that there are no others.
    pub(crate) is_local: bool,
}

impl Eval<'_> {
    /// Possible targets of a call through variables or fields; `None` for an ordinary call.
    pub(crate) fn held(&mut self, search: &Search, role: Role) -> Option<Held> {
        if role != Role::Call || search.found.is_empty() {
            return None;
        }
        let mut held = Held::default();
        for found in &search.found {
            match found.entity {
                Entity::Local(..) => {
                    held.is_local = true;
                    let values = self.value_of(found, Namespace::Value);
                    for value in values.items {
                        if let Value::Def(of, _) | Value::Bound(of, _) = value {
                            self.hold(of, &mut held);
                        }
                    }
                }
                Entity::Def(of) => match self.definition(of).kind {
                    DefKind::Variable | DefKind::Constant | DefKind::Field => {
                        held.holders.push(of);
                        self.held_by(of, &mut held);
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
        self.project.by_path_order(&mut held.functions);
        Some(held)
    }

    /// Adds a function, by its definition.
    fn hold(&mut self, of: DefRef, held: &mut Held) {
        if self.definition(of).kind != DefKind::Function {
            return;
        }
        for found in self.defined(Search::one(Entity::Def(of))).found {
            if let Entity::Def(of) = found.entity
                && !held.functions.contains(&of)
            {
                held.functions.push(of);
            }
        }
    }

    fn held_by(&mut self, of: DefRef, held: &mut Held) {
        let definition = self.definition(of);
        let unit = self.unit(of.file);
        for &value in unit.list(definition.values) {
            let values = self.eval(of.file, value, Namespace::Value);
            self.hold_values(&values, held);
        }
        let mut names = vec![unit.name(definition.name)];
        if definition.kind == DefKind::Field {
            names.extend(self.position_names(of));
        }
        for name in names {
            self.asked.insert(Key::given(self.text(name)));
            for file in self.project.given(self.text(name)) {
                self.given_in(file, name, of, held);
            }
        }
    }

    fn hold_values(&mut self, values: &super::Values, held: &mut Held) {
        for value in &values.items {
            match value {
                Value::Def(of, _) | Value::Bound(of, _) => self.hold(*of, held),
                Value::Builtin(_, args) => {
                    for arg in args.iter() {
                        self.hold_values(arg, held);
                    }
                }
                _ => {}
            }
        }
    }

    /// Names that initialisers by position give a field: the type's name and the field's number.
    fn position_names(&mut self, of: DefRef) -> Vec<Name> {
        let unit = self.project.unit(of.file);
        let Some(owner) = unit.facts.definition(of.def).owner else { return Vec::new() };
        self.ask_members(DefRef { file: of.file, def: owner });
        let before = unit.facts.definitions[..of.def.index()]
            .iter()
            .filter(|other| other.owner == Some(owner) && other.kind == DefKind::Field)
            .count();
        let position = format!("#{before}");
        self.asked.insert(Key::given(&position));
        vec![self.project.names.intern(&position)]
    }

    fn given_in(&mut self, file: FileId, name: Name, of: DefRef, held: &mut Held) {
        let unit = self.unit(file);
        let start = unit.given.partition_point(|&(known, _)| known < name);
        let rows = unit.given[start..].iter().take_while(|&&(known, _)| known == name).take(MAX_GIVEN);
        for &(_, row) in rows {
            let write = unit.facts.member_writes[row as usize];
            if self.gives_to(file, write.base, name, of) {
                let values = self.eval(file, write.value, Namespace::Value);
                self.hold_values(&values, held);
            }
        }
    }

    /// Returns whether a write to `name` of `base` is one to the variable or field.
    fn gives_to(&mut self, file: FileId, base: m1nd_lang::facts::ExprId, name: Name, of: DefRef) -> bool {
        if self.definition(of).kind != DefKind::Field {
            let is_name = matches!(self.unit(file).facts.expr(base), Expr::Name { .. });
            let search = if is_name { self.resolve(file, base, Namespace::Value) } else { Search::default() };
            return self.defined(search).found.iter().any(|found| found.entity == Entity::Def(of));
        }
        let owner = self.definition(of).owner;
        let values = self.eval(file, base, Namespace::Value);
        values.items.iter().any(|value| match value {
            Value::Instance(class, _) => {
                class.file == of.file && Some(class.def) == owner || {
                    let member = self.member(value, name, Namespace::Value);
                    member.found.iter().any(|found| found.entity == Entity::Def(of))
                }
            }
            _ => false,
        })
    }

    /// The functions that the text of a macro calls, through other macros too.
    pub(crate) fn expanded(&mut self, of: DefRef) -> Vec<DefRef> {
        let mut functions = Vec::new();
        let mut seen = vec![of];
        let mut work = vec![of];
        while let Some(next) = work.pop() {
            let unit = self.unit(next.file);
            for &callee in unit.list(unit.facts.definition(next.def).values) {
                let search = self.resolve(next.file, callee, Namespace::Callee);
                let search = self.defined(search);
                let [found] = search.found.as_slice() else { continue };
                let Entity::Def(target) = found.entity else { continue };
                if search.unknown.is_some() || seen.contains(&target) {
                    continue;
                }
                match self.definition(target).kind {
                    DefKind::Macro if seen.len() < MAX_MACROS => {
                        seen.push(target);
                        work.push(target);
                    }
                    DefKind::Function => {
                        seen.push(target);
                        functions.push(target);
                    }
                    _ => {}
                }
            }
        }
        functions
    }
}
