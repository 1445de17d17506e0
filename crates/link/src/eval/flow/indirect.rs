//! Calls whose target is not written at the call site: through variables, parameters, fields and containers that hold
//! functions, and through macros (C, C++).

use std::rc::Rc;

use m1nd_lang::facts::{BindingTarget, DefKind, ELEMENT, Expr, ExprId, MemberWrite, Namespace, ParameterKind};
use rustc_hash::FxHashSet;

use crate::eval::{Entity, Eval, Module, Search, Value};
use crate::names::Name;
use crate::rules::FunctionMethods;
use crate::tables::files::{DefRef, FileId, Key};
use crate::unit::Unit;
use crate::unit::passes::{Given, Pass};

/// Maximum values stored under one name that are examined.
const MAX_GIVEN: usize = 2_000;
/// Maximum calls of one name whose arguments are examined.
const MAX_PASSES: usize = 256;
/// Maximum holders followed from one call: a field holds what a parameter was given, which another field held.
const MAX_HOLDERS: usize = 32;
/// Maximum parts of values examined for one holder.
const MAX_PARTS: usize = 4_096;
/// Maximum parts of a callee examined: a chain of calls is as long as its author likes, and each of its calls is one.
const MAX_CALLEE_PARTS: usize = 24;
/// Macros followed from one call.
const MAX_MACROS: usize = 16;

/// Source of the functions called through something.
#[derive(Debug, Clone, Default)]
pub(crate) struct Held {
    /// The variables and fields that are called.
    pub(crate) holders: Vec<DefRef>,
    /// The functions they may hold.
    pub(crate) functions: Vec<DefRef>,
}

/// Something that may hold functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Holder {
    /// A variable, constant or field.
    Definition(DefRef),
    /// A parameter of a function.
    Parameter(DefRef, u32),
    /// A local variable with a written type: number of its binding.
    Local(FileId, u32),
}

/// What a search for held functions still has to examine, and has found.
struct Flow {
    /// Number of values that may still be added.
    left: usize,
    values: Vec<(FileId, ExprId)>,
    holders: Vec<Holder>,
    known_values: FxHashSet<(FileId, ExprId)>,
    known_holders: FxHashSet<Holder>,
    functions: Vec<DefRef>,
}

impl Flow {
    fn new(parts: usize) -> Self {
        Self {
            left: parts,
            values: Vec::new(),
            holders: Vec::new(),
            known_values: FxHashSet::default(),
            known_holders: FxHashSet::default(),
            functions: Vec::new(),
        }
    }

    fn add_value(&mut self, file: FileId, value: ExprId) {
        if self.left > 0 && self.known_values.insert((file, value)) {
            self.left -= 1;
            self.values.push((file, value));
        }
    }

    fn add_holder(&mut self, holder: Holder) {
        if self.known_holders.len() < MAX_HOLDERS && self.known_holders.insert(holder) {
            self.holders.push(holder);
        }
    }
}

impl Eval<'_> {
    /// Functions that a call through a variable, parameter, field or element may reach; `None` for any other call.
    pub(crate) fn find_held(&mut self, file: FileId, callee: ExprId, search: &Search) -> Option<Held> {
        let mut holders = Vec::new();
        let mut values = Vec::new();
        for found in &search.found {
            match found.entity {
                Entity::Def(of) => match self.definition(of).kind {
                    DefKind::Variable | DefKind::Constant | DefKind::Field => holders.push(of),
                    DefKind::Function if self.definition(of).flags.is_abstract => {}
                    _ => return None,
                },
                Entity::Local(..) | Entity::Expr(..) => values.push((file, callee)),
                // A method of a container takes and gives functions, but runs none of those it holds.
                Entity::BuiltinMethod(_, ref of) if matches!(**of, Value::Builtin(..)) => return None,
                Entity::External(..) | Entity::BuiltinMethod(..) => {}
                Entity::Module(_) => return None,
            }
        }
        if holders.is_empty() && values.is_empty() {
            // A method of what is held: `task.run()`.
            let Expr::Member { base, name } = self.unit(file).facts.expr(callee) else { return None };
            let runs = match self.rules(file).function_methods {
                FunctionMethods::Any => true,
                FunctionMethods::Named(names) => names.contains(&self.unit(file).facts.name(name)),
            };
            if !runs {
                return None;
            }
            values.push((file, base));
        }
        let mut functions = Vec::new();
        for &of in &holders {
            functions.extend(self.held_by(Holder::Definition(of)).iter().copied());
        }
        if !values.is_empty() {
            let mut flow = Flow::new(MAX_CALLEE_PARTS);
            values.iter().for_each(|&(file, value)| flow.add_value(file, value));
            self.follow_values(&mut flow);
            functions.extend(flow.functions);
            for holder in flow.holders {
                functions.extend(self.held_by(holder).iter().copied());
            }
        }
        self.project.by_path_order(&mut functions);
        functions.dedup();
        Some(Held { holders, functions })
    }

    /// The functions that a holder may hold, with those of the holders whose values it is given.
    fn held_by(&mut self, holder: Holder) -> Rc<[DefRef]> {
        if let Some(known) = self.memos.held.get(&holder) {
            return known.clone();
        }
        let outer = self.begin_uncut();
        let mut flow = Flow::new(MAX_PARTS);
        flow.add_holder(holder);
        while let Some(next) = flow.holders.pop() {
            if !self.step() {
                break;
            }
            match next {
                Holder::Definition(of) => self.add_stored(of, &mut flow),
                Holder::Parameter(of, index) => self.add_passed(of, index as usize, &mut flow),
                Holder::Local(file, binding) => self.add_stored_locally(file, binding, &mut flow),
            }
            self.follow_values(&mut flow);
        }
        let held: Rc<[DefRef]> = flow.functions.into();
        if self.end_uncut(outer) {
            self.memos.held.insert(holder, held.clone());
        }
        held
    }

    /// Replaces values by the functions and holders that they name.
    fn follow_values(&mut self, flow: &mut Flow) {
        while let Some((file, value)) = flow.values.pop() {
            if !self.step() {
                return;
            }
            let unit = self.unit(file);
            match unit.facts.expr(value) {
                Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. } => self.follow_path(file, value, flow),
                Expr::Definition(def) => self.add_function(DefRef { file, def }, flow),
                Expr::Instance { .. } => self.add_elements(file, value, flow),
                Expr::Collection { items, .. } | Expr::Union(items) => {
                    unit.list(items).iter().for_each(|&item| flow.add_value(file, item));
                }
                Expr::Call { callee, args } => self.follow_call(file, value, callee, unit.list(args), flow),
                Expr::Item { base, index } if self.rules(file).fields_apart => {
                    self.follow_item(file, base, index, flow);
                }
                Expr::Entry { value: base, .. }
                | Expr::Unwrap { base }
                | Expr::Generic { base, .. }
                | Expr::Index { base }
                | Expr::Key { base, .. }
                | Expr::Item { base, .. }
                | Expr::Enter { base }
                | Expr::Element { base } => flow.add_value(file, base),
                _ => {}
            }
        }
    }

    fn follow_path(&mut self, file: FileId, path: ExprId, flow: &mut Flow) {
        let is_method = matches!(self.unit(file).facts.expr(path), Expr::Path { .. });
        let want = if is_method && self.rules(file).methods_apart { Namespace::Callee } else { Namespace::Value };
        for found in self.resolve(file, path, want).found {
            match found.entity {
                Entity::Def(of) => match self.definition(of).kind {
                    DefKind::Function => self.add_function(of, flow),
                    DefKind::Variable | DefKind::Constant | DefKind::Field => flow.add_holder(Holder::Definition(of)),
                    _ => {}
                },
                Entity::Local(of, binding) => match self.unit(of).facts.bindings[binding as usize].target {
                    BindingTarget::Value(value) => flow.add_value(of, value),
                    BindingTarget::Parameter(def, index) => {
                        flow.add_holder(Holder::Parameter(DefRef { file: of, def }, index));
                    }
                    BindingTarget::Definition(def) => self.add_function(DefRef { file: of, def }, flow),
                    BindingTarget::Typed(_) => flow.add_holder(Holder::Local(of, binding)),
                    _ => {}
                },
                Entity::Expr(of, value) => flow.add_value(of, value),
                _ => {}
            }
        }
    }

    /// An item by its number: a field of a tuple struct, or an element of a tuple.
    fn follow_item(&mut self, file: FileId, base: ExprId, index: u32, flow: &mut Flow) {
        let name = self.project.names.intern(&index.to_string());
        let mut is_field = false;
        for value in self.eval(file, base, Namespace::Value).items {
            for found in self.member(&value, name, Namespace::Value).found {
                if let Entity::Def(of) = found.entity {
                    is_field = true;
                    flow.add_holder(Holder::Definition(of));
                }
            }
        }
        if !is_field {
            flow.add_value(file, base);
        }
    }

    /// The result of a call: what a function of the project returns, what a conversion or outside function wraps, or an
    /// element of what a method of a container is called on.
    fn follow_call(&mut self, file: FileId, call: ExprId, callee: ExprId, args: &[ExprId], flow: &mut Flow) {
        let search = self.resolve(file, callee, Namespace::Callee);
        let mut is_ours = false;
        for found in &search.found {
            let Entity::Def(of) = found.entity else { continue };
            let definition = self.definition(of);
            is_ours |= !definition.flags.is_distinct && !definition.flags.is_abstract;
        }
        if !is_ours {
            args.iter().for_each(|&arg| flow.add_value(file, arg));
            if let Expr::Member { base, .. } = self.unit(file).facts.expr(callee)
                && !self.names_function(file, base)
            {
                flow.add_value(file, base);
            }
            return;
        }
        for value in self.eval(file, call, Namespace::Value).items {
            if let Value::Def(of, _) | Value::Bound(of, _) = value {
                self.add_function(of, flow);
            }
        }
    }

    /// Returns whether an expression names a function: that is not a container of others.
    fn names_function(&mut self, file: FileId, expr: ExprId) -> bool {
        if !matches!(self.unit(file).facts.expr(expr), Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. }) {
            return false;
        }
        let search = self.resolve(file, expr, Namespace::Value);
        search.found.iter().any(|found| match found.entity {
            Entity::Def(of) => self.definition(of).kind == DefKind::Function,
            _ => false,
        })
    }

    fn add_function(&mut self, of: DefRef, flow: &mut Flow) {
        let definition = self.definition(of);
        if definition.kind != DefKind::Function || definition.flags.is_property {
            return;
        }
        for found in self.replace_declarations(Search::one(Entity::Def(of))).found {
            if let Entity::Def(of) = found.entity
                && !flow.functions.contains(&of)
            {
                flow.functions.push(of);
            }
        }
    }

    /// What initialisers and assignments anywhere give a variable or field.
    fn add_stored(&mut self, of: DefRef, flow: &mut Flow) {
        let definition = self.definition(of);
        let unit = self.unit(of.file);
        unit.list(definition.values).iter().for_each(|&value| flow.add_value(of.file, value));
        let mut names = vec![unit.name(definition.name)];
        if definition.kind == DefKind::Field {
            names.extend(self.position_names(of));
            self.add_component(of, flow);
        }
        for name in names {
            self.asked.keys.insert(Key::for_given(self.text(name)));
            let mut files = self.project.find_given(self.text(name));
            files.sort_by_key(|&file| self.project.path(file));
            let mut left = MAX_GIVEN;
            for file in files {
                self.add_stored_in(file, name, of, &mut left, flow);
            }
        }
    }

    /// Names that initialisers by position give a field: `#` and the field's number, with the name of its type in front
    /// where literals have their type beside them.
    fn position_names(&mut self, of: DefRef) -> Vec<Name> {
        let unit = self.project.unit(of.file);
        let Some(owner) = unit.facts.definition(of.def).owner else { return Vec::new() };
        self.ask_members(DefRef { file: of.file, def: owner });
        let before = unit.facts.definitions[..of.def.index()]
            .iter()
            .filter(|other| other.owner == Some(owner) && other.kind == DefKind::Field)
            .count();
        let position = if self.rules(of.file).includes {
            format!("#{before}")
        } else {
            format!("#{}.{before}", unit.facts.name(unit.facts.definition(owner).name))
        };
        self.asked.keys.insert(Key::for_given(&position));
        vec![self.project.names.intern(&position)]
    }

    /// A field that is a parameter of its class (records, primary constructors) holds what the class is called with.
    fn add_component(&mut self, field: DefRef, flow: &mut Flow) {
        let facts = &self.unit(field.file).facts;
        let definition = facts.definition(field.def);
        let Some(owner) = definition.owner else { return };
        self.ask_definition(DefRef { file: field.file, def: owner });
        let place = facts.parameters(owner).iter().position(|parameter| parameter.name == definition.name);
        let owner = DefRef { file: field.file, def: owner };
        match place {
            Some(place) => flow.add_holder(Holder::Parameter(owner, place as u32)),
            None => self.add_declared_component(field, owner, flow),
        }
    }

    /// A field with a written type of a class without a constructor holds the argument in its place, or of its name
    /// (data classes).
    fn add_declared_component(&mut self, field: DefRef, class: DefRef, flow: &mut Flow) {
        if !self.rules(field.file).follows_arguments || self.definition(field).declared.is_none() {
            return;
        }
        self.ask_members(class);
        let unit = self.unit(field.file);
        let members = unit.facts.definitions.iter().filter(|row| row.owner == Some(class.def));
        if members.clone().any(|row| row.flags.is_constructor) {
            return;
        }
        let before = members.take_while(|row| row.pos != unit.facts.definition(field.def).pos);
        let place = before.filter(|row| row.kind == DefKind::Field && row.declared.is_some()).count();
        let name = unit.facts.name(unit.facts.definition(field.def).name);
        let class_name = unit.name(unit.facts.definition(class.def).name);
        for (file, passes) in self.passes(class_name, class.file, MAX_PASSES) {
            for pass in passes {
                let Given::Args(args) = pass.given else { continue };
                let unit = self.project.unit(file);
                let mut named = unit.facts.arguments_of(pass.callee).iter();
                let named = named.find(|row| row.name.is_some_and(|given| unit.facts.name(given) == name));
                let arg = named.map(|row| row.value).or_else(|| unit.list(args).get(place).copied());
                if let Some(arg) = arg.filter(|_| self.calls_any(file, pass.callee, &[class])) {
                    flow.add_value(file, arg);
                }
            }
        }
    }

    /// The values that a file stores under a name, where they are stored in the variable or field.
    fn add_stored_in(&mut self, file: FileId, name: Name, of: DefRef, left: &mut usize, flow: &mut Flow) {
        let unit = self.unit(file);
        for stored in stored_under(unit, name) {
            if *left == 0 {
                return;
            }
            *left -= 1;
            if self.gives_to(file, stored.base, name, of) {
                flow.add_value(file, stored.value);
            }
        }
    }

    /// Returns whether a write to `name` of `base` is one to the variable or field.
    fn gives_to(&mut self, file: FileId, base: ExprId, name: Name, of: DefRef) -> bool {
        let is_field = self.definition(of).kind == DefKind::Field;
        let unit = self.unit(file);
        // The base of a variable is its own name.
        if let Expr::Name { name: written, .. } = unit.facts.expr(base)
            && unit.name(written) == name
        {
            let search = self.resolve(file, base, Namespace::Value);
            if self.replace_declarations(search).found.iter().any(|found| found.entity == Entity::Def(of)) {
                return true;
            }
        }
        if !is_field && self.rules(file).includes {
            return false;
        }
        let owner = self.definition(of).owner;
        let values = self.eval(file, base, Namespace::Value);
        values.items.iter().any(|value| match value {
            Value::Instance(class, _) if class.file == of.file && Some(class.def) == owner => true,
            Value::Instance(..) | Value::Def(..) | Value::Module(_) => {
                let member = self.member(value, name, Namespace::Value);
                member.found.iter().any(|found| found.entity == Entity::Def(of))
            }
            _ => false,
        })
    }

    /// The elements that a literal of a container is written with.
    fn add_elements(&mut self, file: FileId, literal: ExprId, flow: &mut Flow) {
        let unit = self.unit(file);
        let name = self.project.names.intern(ELEMENT);
        for stored in stored_under(unit, name).take(MAX_GIVEN).filter(|stored| stored.base == literal) {
            flow.add_value(file, stored.value);
        }
    }

    /// What a file stores in a local variable of it.
    fn add_stored_locally(&mut self, file: FileId, binding: u32, flow: &mut Flow) {
        let unit = self.unit(file);
        let name = unit.name(unit.facts.bindings[binding as usize].name);
        for stored in stored_under(unit, name).take(MAX_GIVEN) {
            if !matches!(unit.facts.expr(stored.base), Expr::Name { .. }) {
                continue;
            }
            let search = self.resolve(file, stored.base, Namespace::Value);
            if search.found.iter().any(|found| found.entity == Entity::Local(file, binding)) {
                flow.add_value(file, stored.value);
            }
        }
    }

    /// The arguments that calls of a function pass for a parameter, and its default value.
    fn add_passed(&mut self, of: DefRef, index: usize, flow: &mut Flow) {
        let unit = self.unit(of.file);
        let definition = self.definition(of);
        let Some(parameter) = unit.facts.parameters(of.def).get(index).copied() else { return };
        if !matches!(parameter.kind, ParameterKind::Plain | ParameterKind::Keyword | ParameterKind::Rest) {
            return;
        }
        parameter.default.into_iter().for_each(|default| flow.add_value(of.file, default));
        let owner = definition.owner.filter(|_| definition.flags.is_constructor);
        let called = owner.map_or(of, |def| DefRef { file: of.file, def });
        let names = [called, of].map(|of| unit.name(unit.facts.definition(of.def).name));
        let names = if names[0] == names[1] { &names[..1] } else { &names[..] };
        for &name in names {
            for (file, passes) in self.passes(name, of.file, MAX_PASSES) {
                for pass in passes {
                    self.add_argument(of, index, called, file, pass, flow);
                }
            }
        }
    }

    /// The arguments of one call for a parameter, if it calls the function.
    fn add_argument(&mut self, of: DefRef, index: usize, called: DefRef, file: FileId, pass: &Pass, flow: &mut Flow) {
        let args = self.arguments_for(of, index, file, pass);
        let is_decorated = matches!(pass.given, Given::Decorated(_));
        if args.is_empty() && !is_decorated || !self.calls_any(file, pass.callee, &[of, called]) {
            return;
        }
        if let Given::Decorated(def) = pass.given {
            if index == usize::from(self.has_receiver(of)) {
                self.add_function(DefRef { file, def }, flow);
            }
            return;
        }
        args.into_iter().for_each(|arg| flow.add_value(file, arg));
    }

    /// Returns whether a callee resolves to one of the definitions.
    fn calls_any(&mut self, file: FileId, callee: ExprId, of: &[DefRef]) -> bool {
        for want in [Namespace::Callee, Namespace::Type] {
            let search = self.resolve(file, callee, want);
            let search = self.replace_declarations(search);
            if search.found.iter().any(|found| matches!(found.entity, Entity::Def(found) if of.contains(&found))) {
                return true;
            }
            for found in search.found {
                let values = match found.entity {
                    Entity::Module(Module::File(module)) => self.whole_module_value(module),
                    Entity::Local(..) | Entity::Expr(..) => self.value_of(&found, want).items.into_vec(),
                    _ => continue,
                };
                if values.iter().any(|value| matches!(value, Value::Def(def, _) if of.contains(def))) {
                    return true;
                }
            }
        }
        false
    }

    /// The functions that the text of a macro calls, through other macros too.
    pub(crate) fn expand_macro(&mut self, of: DefRef) -> Vec<DefRef> {
        let mut functions = Vec::new();
        let mut seen = vec![of];
        let mut work = vec![of];
        while let Some(next) = work.pop() {
            let unit = self.unit(next.file);
            for &callee in unit.list(unit.facts.definition(next.def).values) {
                let search = self.resolve(next.file, callee, Namespace::Callee);
                let search = self.replace_declarations(search);
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

/// What a file stores under a name, in order.
fn stored_under(unit: &Unit, name: Name) -> impl Iterator<Item = MemberWrite> + '_ {
    let start = unit.given.partition_point(|&(known, _)| known < name);
    let rows = unit.given[start..].iter().take_while(move |&&(known, _)| known == name);
    rows.map(|&(_, row)| unit.facts.stored[row as usize])
}
