//! Arguments that the calls of a function pass for its parameters.

use m1nd_lang::facts::{DefKind, Expr, ExprId, ListId, Namespace, ParameterKind};

use crate::eval::{Entity, Eval, Module, Value, Values, no_args};
use crate::names::Name;
use crate::tables::files::{DefRef, FileId, Key};
use crate::unit::Unit;
use crate::unit::passes::{Given, Pass};

/// Maximum calls of one name that are examined.
const MAX_PASSES: usize = 16;
/// Maximum calls of parameters in a file that are examined.
const MAX_THROUGH: usize = 64;
/// Calls of parameters that something is passed on through, one after the other.
const MAX_ROUNDS: usize = 4;

impl<'a> Eval<'a> {
    /// Functions, classes, values of classes and containers that calls pass as parameter `index`. A function may be
    /// called from anywhere, so there may always be more.
    pub(in crate::eval) fn find_passed(&mut self, of: DefRef, index: usize) -> Values {
        let mut values = Values::default();
        // Arguments of functions in other files matter little to this one, and there are many of them.
        if of.file != self.home_file || !self.rules(of.file).follows_arguments || !self.deeper() {
            return values;
        }
        let unit = self.unit(of.file);
        let definition = unit.facts.definition(of.def);
        let owner = definition.owner.filter(|_| definition.flags.is_constructor);
        let called = owner.map_or(of, |def| DefRef { file: of.file, def });
        let name = unit.name(unit.facts.definition(called.def).name);
        for (file, passes) in self.passes(name, of.file, MAX_PASSES) {
            for pass in passes {
                if let Some(given) = self.find_given(of, index, called, file, pass) {
                    given.items.into_iter().filter(may_be_passed).for_each(|value| values.push(value));
                }
            }
        }
        if let Some(flows) = self.run.flows.get(&(of, index)) {
            values.add(flows.clone());
        }
        if self.run.is_flowing {
            self.run.cut = 0;
        }
        self.leave();
        values
    }

    /// The calls and decorations with this name, file by file; only those of `own` if there are too many, none if
    /// there are too many there.
    pub(in crate::eval) fn passes(&mut self, name: Name, own: FileId, most: usize) -> Vec<(FileId, &'a [Pass])> {
        self.asked.keys.insert(Key::passes(self.text(name)));
        let project = self.project;
        let mut rows: Vec<_> = Vec::new();
        let mut total = 0;
        for file in project.passes(project.names.text(name)) {
            let passes = project.unit(file).passes.find_named(name);
            total += passes.len();
            if total > most {
                rows.clear();
                rows.push((own, project.unit(own).passes.find_named(name)));
                rows.retain(|(_, passes)| passes.len() <= most);
                return rows;
            }
            rows.push((file, passes));
        }
        rows.sort_by_key(|(file, _)| project.path(*file));
        rows
    }

    /// The argument of one call; `None` if it calls something else, or does not pass the parameter.
    fn find_given(&mut self, of: DefRef, index: usize, called: DefRef, file: FileId, pass: &Pass) -> Option<Values> {
        let shift = usize::from(self.has_receiver(of));
        match pass.given {
            Given::Decorated(def) => {
                (index == shift && self.may_call(file, pass.callee, called)).then_some(())?;
                Some(Values::one(Value::Def(self.find_decorated(DefRef { file, def }, pass.callee), no_args())))
            }
            Given::Args(args) => {
                let arg =
                    argument(self.project.unit(file), pass.callee, args, self.project.unit(of.file), of, index, shift)?;
                self.may_call(file, pass.callee, called).then_some(())?;
                Some(match file == of.file {
                    true => self.eval(file, arg, Namespace::Value),
                    false => self.named_elsewhere(file, arg),
                })
            }
        }
    }

    /// The arguments of one call for a parameter.
    pub(in crate::eval) fn arguments_for(
        &mut self,
        of: DefRef,
        index: usize,
        file: FileId,
        pass: &Pass,
    ) -> Vec<ExprId> {
        let Given::Args(args) = pass.given else { return Vec::new() };
        let shift = usize::from(self.has_receiver(of));
        let own = self.project.unit(of.file);
        let unit = self.project.unit(file);
        let is_rest = own.facts.parameters(of.def).get(index).is_some_and(|row| row.kind == ParameterKind::Rest);
        if is_rest {
            return unit.list(args).iter().skip(index.saturating_sub(shift)).copied().collect();
        }
        argument(unit, pass.callee, args, own, of, index, shift).into_iter().collect()
    }

    pub(in crate::eval) fn has_receiver(&mut self, of: DefRef) -> bool {
        let first = self.unit(of.file).facts.parameters(of.def).first();
        first.is_some_and(|first| matches!(first.kind, ParameterKind::Receiver | ParameterKind::ClassReceiver))
    }

    /// The argument of a decorator: the function, or the result of the decorators below.
    fn find_decorated(&mut self, of: DefRef, decorator: ExprId) -> DefRef {
        self.ask_definition(of);
        let unit = self.unit(of.file);
        let decorators = unit.list(unit.facts.definition(of.def).decorators);
        let below = decorators.iter().position(|&other| other == decorator).map_or(0, |place| place + 1);
        let nearest = decorators[below..].first();
        nearest.and_then(|&below| self.stands_in(of.file, below)).unwrap_or(of)
    }

    /// Returns whether the callee may be the function or class; called for every parameter of it.
    fn may_call(&mut self, file: FileId, callee: ExprId, of: DefRef) -> bool {
        if let Some(&known) = self.memos.calls.get(&(file, callee, of)) {
            return known;
        }
        let outer = self.begin_uncut();
        let may = self.leads_to(file, callee, of);
        if self.end_uncut(outer) {
            self.memos.calls.insert((file, callee, of), may);
        }
        may
    }

    fn leads_to(&mut self, file: FileId, callee: ExprId, of: DefRef) -> bool {
        let near = file == of.file;
        if !near && !self.is_plain(file, callee) {
            return false;
        }
        let search = self.resolve(file, callee, Namespace::Callee);
        if search.found.iter().any(|found| found.entity == Entity::Def(of)) {
            return true;
        }
        let is_variable = |eval: &mut Self, entity: &Entity| match entity {
            Entity::Def(of) => matches!(eval.definition(*of).kind, DefKind::Variable | DefKind::Constant),
            Entity::Local(..) => near,
            _ => false,
        };
        let by_value = matches!(self.unit(file).facts.expr(callee), Expr::Union(_));
        if !by_value && !search.found.iter().any(|found| is_variable(self, &found.entity)) {
            return false;
        }
        let values = self.eval(file, callee, Namespace::Callee);
        values.items.iter().any(|value| matches!(value, Value::Def(other, _) | Value::Bound(other, _) if *other == of))
    }

    /// Returns whether an expression is a name, or a name of a module or class.
    fn is_plain(&mut self, file: FileId, expr: ExprId) -> bool {
        match self.unit(file).facts.expr(expr) {
            Expr::Name { .. } => true,
            Expr::Union(items) => {
                let unit = self.unit(file);
                matches!(unit.list(items), [only] if matches!(unit.facts.expr(*only), Expr::Name { .. }))
            }
            Expr::Member { base, .. } if matches!(self.unit(file).facts.expr(base), Expr::Name { .. }) => {
                let search = self.resolve(file, base, Namespace::Value);
                search.found.iter().all(|found| match found.entity {
                    Entity::Module(Module::File(_) | Module::Folder(_)) => true,
                    Entity::Def(of) => self.definition(of).kind.is_class_like(),
                    _ => false,
                })
            }
            _ => false,
        }
    }

    /// The value that an argument in another file refers to at its top level, or constructs there; bodies are not
    /// followed.
    fn named_elsewhere(&mut self, file: FileId, arg: ExprId) -> Values {
        let constructs = match self.unit(file).facts.expr(arg) {
            Expr::Call { callee, .. } => Some(callee),
            _ => None,
        };
        let named = constructs.unwrap_or(arg);
        if !self.is_plain(file, named) {
            return Values::default();
        }
        let search = self.resolve(file, named, Namespace::Value);
        let mut values = Values::default();
        for found in search.found {
            let Entity::Def(of) = found.entity else { continue };
            let is_class = self.definition(of).kind == DefKind::Class;
            match constructs {
                Some(_) if is_class => values.push(Value::Instance(of, no_args())),
                Some(_) => {}
                None => values.add(self.value_of(&found, Namespace::Value)),
            }
        }
        values
    }

    /// The place among the arguments of a call of the parameter that an expression of a function names, if nothing else
    /// is ever assigned to it and no type is written for it.
    pub(in crate::eval) fn own_parameter(&mut self, of: DefRef, is_bound: bool, expr: ExprId) -> Option<usize> {
        let unit = self.unit(of.file);
        let Expr::Name { name, scope } = unit.facts.expr(expr) else { return None };
        let parameters = unit.facts.parameters(of.def);
        let index = parameters.iter().position(|parameter| parameter.name == name)?;
        let parameter = parameters[index];
        let is_own = unit.facts.definition(of.def).body == Some(scope)
            && unit.bindings(scope, unit.name(name)).count() == 1
            && parameter.kind == ParameterKind::Plain
            && parameter.declared.is_none();
        let shift = usize::from(is_bound && self.has_receiver(of));
        if is_own { index.checked_sub(shift) } else { None }
    }

    /// Computes the arguments passed by calls of parameters in a file (`def f(a): a(g)`): such functions are called
    /// where only their parameter is named.
    pub(crate) fn work_out_flows(&mut self, file: FileId) {
        let unit = self.unit(file);
        let rows = &unit.passes.through;
        if !self.rules(file).follows_arguments || rows.is_empty() || rows.len() > MAX_THROUGH {
            return;
        }
        self.run.is_flowing = true;
        for _ in 0..MAX_ROUNDS {
            let mut changed = false;
            for row in rows {
                self.begin_reference();
                let (def, index) = row.parameter;
                let callees = self.parameter(DefRef { file, def }, index as usize);
                for callee in callees.items {
                    changed |= self.pass_on(file, &callee, row.callee, row.args);
                }
            }
            if !changed {
                break;
            }
        }
        self.run.is_flowing = false;
        self.begin_reference();
    }

    /// Records an argument passed to a function held by a parameter; `true` if it is new.
    fn pass_on(&mut self, file: FileId, callee: &Value, written: ExprId, args: ListId) -> bool {
        let (of, shift) = match callee {
            Value::Def(of, _) => (*of, 0),
            Value::Bound(of, _) => (*of, usize::from(self.has_receiver(*of))),
            _ => return false,
        };
        if of.file != file || self.definition(of).kind != DefKind::Function {
            return false;
        }
        let unit = self.unit(file);
        let mut changed = false;
        for index in shift..unit.facts.parameters(of.def).len() {
            let Some(arg) = argument(unit, written, args, unit, of, index, shift) else { continue };
            let given = self.eval(file, arg, Namespace::Value);
            let known = self.run.flows.entry((of, index)).or_default();
            let before = known.items.len();
            given.items.into_iter().filter(may_be_passed).for_each(|value| known.push(value));
            changed |= known.items.len() > before;
        }
        changed
    }
}

/// The argument that a call gives for a parameter, by place or by name.
fn argument(
    unit: &Unit,
    callee: ExprId,
    args: ListId,
    own: &Unit,
    of: DefRef,
    index: usize,
    shift: usize,
) -> Option<ExprId> {
    let parameter = own.facts.parameters(of.def).get(index)?;
    let place = index.checked_sub(shift)?;
    let by_place = match parameter.kind {
        ParameterKind::Plain => unit.list(args).get(place).copied(),
        _ => None,
    };
    let name = own.facts.name(parameter.name);
    let named = || {
        let mut rows = unit.facts.arguments_of(callee).iter();
        rows.find(|row| row.name.is_some_and(|given| unit.facts.name(given) == name)).map(|row| row.value)
    };
    by_place.or_else(named)
}

/// Returns whether a passed value is informative.
fn may_be_passed(value: &Value) -> bool {
    match value {
        Value::Def(..) | Value::Bound(..) | Value::Instance(..) => true,
        Value::Builtin(_, args) => args.len() > 1,
        _ => false,
    }
}
