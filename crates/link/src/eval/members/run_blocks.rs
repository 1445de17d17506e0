//! The receiver inside of a block, by what the called method does with it (Ruby).

use m1nd_lang::facts::{BindingTarget, DefKind, Expr, ExprId, Namespace, ParameterKind};

use crate::eval::{Entity, Eval, Found, Value, Values, no_args};
use crate::reason::Reason;
use crate::tables::files::{DefRef, FileId};

/// Name under which the block among the arguments of a call is recorded.
const BLOCK: &str = "&";
/// Methods of the language that run a block with the value they are called on.
const WITH_VALUE: &[&str] = &[
    "class_eval", "class_exec", "define_singleton_method", "instance_eval", "instance_exec", "module_eval",
    "module_exec",
];
/// The method of the language that makes a method of its block.
const MAKES_METHOD: &str = "define_method";
/// Methods that a block is passed on to, one after the other.
const MAX_PASSED: usize = 4;

/// The receiver that a method runs its block with.
enum RunWith {
    /// That of the code around the block.
    Around,
    These(Values),
}

impl Eval<'_> {
    /// The receiver inside of a block, unless it is that of the code around.
    pub(in crate::eval) fn block_receiver(&mut self, of: DefRef) -> Option<Values> {
        if let Some(known) = self.memos.lambdas.get(&of) {
            return known.clone();
        }
        if !self.deeper() {
            return Some(Values::unknown(Reason::Budget));
        }
        let outer = self.begin_uncut();
        let receiver = self.find_block_receiver(of);
        let is_whole = self.end_uncut(outer);
        self.leave();
        if is_whole {
            self.memos.lambdas.insert(of, receiver.clone());
        }
        receiver
    }

    fn find_block_receiver(&mut self, of: DefRef) -> Option<Values> {
        let is_in_method = self.is_in_method(of);
        let unknown = || (!is_in_method).then(|| Values::unknown(Reason::UnknownReceiver));
        let Some((callee, _)) = self.unit(of.file).argument_of(of.def) else { return unknown() };
        match self.run_with(of.file, callee, None, 0) {
            Some(RunWith::Around) => None,
            Some(RunWith::These(values)) => Some(values),
            None => unknown(),
        }
    }

    /// Returns whether the code around a block is run with a value of a class.
    fn is_in_method(&mut self, of: DefRef) -> bool {
        let mut around = self.unit(of.file).facts.definition(of.def).owner;
        while let Some(def) = around {
            let row = self.unit(of.file).facts.definition(def);
            if row.kind.is_class_like() {
                return false;
            }
            if !row.flags.is_anonymous || row.extends_type.is_some() {
                return true;
            }
            around = row.owner;
        }
        false
    }

    /// The receiver that a called method runs its block with; `receiver`: of the method that the call stands in.
    /// `None` if only code outside knows.
    fn run_with(&mut self, file: FileId, callee: ExprId, receiver: Option<&Value>, depth: usize) -> Option<RunWith> {
        let search = self.resolve(file, callee, Namespace::Callee);
        let mut own: Vec<Found> = search.found.into_vec();
        own.retain(|found| matches!(found.entity, Entity::Def(_)));
        if own.is_empty() {
            return self.run_by_outside(file, callee, receiver);
        }
        let mut all: Option<RunWith> = None;
        for found in &own {
            let part = self.run_by_own(found, receiver, depth);
            all = Some(match (all, part) {
                (None, part) => part,
                (Some(RunWith::Around), RunWith::Around) => RunWith::Around,
                (Some(RunWith::These(mut one)), RunWith::These(other)) => {
                    one.add(other);
                    RunWith::These(one)
                }
                _ => RunWith::These(Values::unknown(Reason::UnknownReceiver)),
            });
        }
        all
    }

    /// What a method outside of the project does with a block, by its name.
    fn run_by_outside(&mut self, file: FileId, callee: ExprId, receiver: Option<&Value>) -> Option<RunWith> {
        let unit = self.unit(file);
        let Expr::Member { base, name } = unit.facts.expr(callee) else { return None };
        let name = unit.facts.name(name);
        let is_own = matches!(unit.facts.expr(base), Expr::This { .. });
        let rules = self.rules(file);
        if !WITH_VALUE.contains(&name) && name != MAKES_METHOD {
            let is_plain = rules.common_methods.contains(&name) || rules.universal_members.contains(&name);
            return (is_plain && name != "new").then_some(RunWith::Around);
        }
        let values = match receiver.filter(|_| is_own) {
            Some(receiver) => Values::one(receiver.clone()),
            None => self.eval(file, base, Namespace::Value),
        };
        Some(RunWith::These(if name == MAKES_METHOD { self.instantiate(values) } else { values }))
    }

    /// What a method of the project does with the block that it is called with.
    fn run_by_own(&mut self, found: &Found, within: Option<&Value>, depth: usize) -> RunWith {
        let unknown = RunWith::These(Values::unknown(Reason::UnknownReceiver));
        let Entity::Def(mut of) = found.entity else { return unknown };
        let mut receiver = found.receiver.as_deref().cloned();
        let row = self.definition(of);
        if row.kind.is_class_like() {
            let class = Value::Def(of, no_args());
            receiver = Some(class.clone());
            let new = self.project.names.intern("new");
            let mut search = self.member(&class, new, Namespace::Callee);
            search.found.retain(|found| matches!(found.entity, Entity::Def(_)));
            if search.found.is_empty() {
                search = self.constructor(&class);
                receiver = Some(Value::Instance(of, no_args()));
            }
            match search.found.as_slice() {
                [Found { entity: Entity::Def(constructor), .. }] => of = *constructor,
                _ => return unknown,
            }
        }
        if self.definition(of).kind != DefKind::Function || depth >= MAX_PASSED || !self.step() {
            return unknown;
        }
        let receiver = receiver.or_else(|| within.cloned());
        let Some(passes) = self.passes_of_block(of) else { return unknown };
        let mut all: Option<Values> = None;
        let mut around = passes.is_empty();
        for callee in passes {
            match self.run_with(of.file, callee, receiver.as_ref(), depth + 1) {
                Some(RunWith::These(values)) => all.get_or_insert_with(Values::default).add(values),
                Some(RunWith::Around) => around = true,
                None => return unknown,
            }
        }
        match all {
            None => RunWith::Around,
            Some(values) if !around => RunWith::These(values),
            Some(_) => unknown,
        }
    }

    /// The calls that a method passes its block on to; `None` if it may keep the block.
    fn passes_of_block(&mut self, of: DefRef) -> Option<Vec<ExprId>> {
        self.ask_definition(of);
        let unit = self.unit(of.file);
        let facts = &unit.facts;
        let parameters = facts.parameters(of.def);
        let mut passes = Vec::new();
        let mut plain: Vec<ExprId> = Vec::new();
        for argument in facts.arguments.iter() {
            if argument.name.is_some_and(|name| facts.name(name) == BLOCK)
                && let Some(name) = self.block_parameter(of, argument.value)
            {
                passes.push(argument.of);
                plain.extend([argument.value, name]);
            }
        }
        // `block.call`, `block.arity`: what a block is asked for.
        let asked = facts.exprs.iter().filter_map(|expr| match expr {
            Expr::Member { base, .. } => Some(*base),
            _ => None,
        });
        plain.extend(asked);
        plain.sort_unstable();
        // The parameter of the block is the last, without a default.
        let last = parameters.last().filter(|last| last.kind == ParameterKind::Keyword && last.default.is_none());
        let last = last.map(|last| last.name);
        for index in 0..facts.exprs.len() {
            let Expr::Unwrap { base } = facts.exprs[index] else { continue };
            let Expr::Name { name, .. } = facts.expr(base) else { continue };
            let id = ExprId(index as u32);
            if Some(name) == last && plain.binary_search(&id).is_err() && self.block_parameter(of, id).is_some() {
                return None;
            }
        }
        Some(passes)
    }

    /// The name of a method's last parameter that an expression is.
    fn block_parameter(&mut self, of: DefRef, value: ExprId) -> Option<ExprId> {
        let facts = &self.unit(of.file).facts;
        let name_expr = match facts.expr(value) {
            Expr::Unwrap { base } => base,
            _ => value,
        };
        let Expr::Name { name, scope } = facts.expr(name_expr) else { return None };
        let name = self.unit(of.file).name(name);
        let search = self.lookup(of.file, scope, name, Namespace::Value);
        let is_own = search.found.iter().any(|found| match found.entity {
            Entity::Local(file, binding) if file == of.file => {
                let target = self.unit(file).facts.bindings[binding as usize].target;
                matches!(target, BindingTarget::Parameter(def, _) if def == of.def)
            }
            _ => false,
        });
        is_own.then_some(name_expr)
    }
}
