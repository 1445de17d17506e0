//! Arguments that the calls and decorators of a file pass (Python), by name of the callee.

use m1nd_lang::FileFacts;
use m1nd_lang::facts::{BindingTarget, DefId, DefKind, Expr, ExprId, ListId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::names::Name;
use crate::surface::Hashes;
use crate::unit::Unit;

/// Names that one name is another name of.
const MAX_ALIASES: usize = 4;

/// A call site that passes something to its callee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pass {
    name: Name,
    /// Access path of the callee.
    pub(crate) callee: ExprId,
    /// The argument.
    pub(crate) given: Given,
}

/// An argument of a callee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// Arguments by position; those by name are kept with the callee.
    Args(ListId),
    /// The function or class that is decorated.
    Decorated(DefId),
}

/// A call of a parameter with arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Through {
    /// The function and number of the parameter.
    pub(crate) parameter: (DefId, u32),
    /// Access path of the callee.
    pub(crate) callee: ExprId,
    /// Arguments by position.
    pub(crate) args: ListId,
}

/// All that a file passes.
#[derive(Debug, Default)]
pub(crate) struct Passes {
    /// Sorted by name.
    rows: Vec<Pass>,
    /// In order of the file.
    pub(crate) through: Vec<Through>,
}

impl Passes {
    /// The passes of a file, which has its names and bindings already.
    pub(crate) fn find(unit: &Unit) -> Self {
        let facts = &*unit.facts;
        let aliases = aliases(unit);
        let mut passes = Self::default();
        for expr in &facts.exprs {
            let Expr::Call { callee, args } = *expr else { continue };
            let named = facts.arguments_of(callee).iter().filter(|argument| argument.name.is_some());
            let given = facts.list(args).iter().copied().chain(named.map(|argument| argument.value));
            let follows_all = unit.rules.follows_arguments;
            let is_kept = |arg| if follows_all { may_hold(facts, arg) } else { may_pass_function(unit, arg) };
            if !given.into_iter().any(is_kept) {
                continue;
            }
            if let Some(parameter) = parameter(unit, callee) {
                passes.through.push(Through { parameter, callee, args });
            } else if let Some(name) = called_name(unit, callee) {
                passes.add(name, &aliases, callee, Given::Args(args));
            }
        }
        for (index, definition) in facts.definitions.iter().enumerate() {
            for &callee in facts.list(definition.decorators) {
                if let Some(name) = called_name(unit, callee) {
                    passes.add(name, &aliases, callee, Given::Decorated(DefId(index as u32)));
                }
            }
        }
        passes.rows.sort_by_key(|pass| (pass.name, pass.callee));
        passes.rows.shrink_to_fit();
        passes
    }

    fn add(&mut self, name: Name, aliases: &Aliases, callee: ExprId, given: Given) {
        let others = aliases.get(&name).into_iter().flatten().copied();
        self.rows.extend(std::iter::once(name).chain(others).map(|name| Pass { name, callee, given }));
    }

    /// Names that something is passed under, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = Name> + '_ {
        self.rows.chunk_by(|a, b| a.name == b.name).map(|rows| rows[0].name)
    }

    /// Names in order, each with a hash of all that is passed under it in the file with these facts.
    pub(crate) fn hashes(&self, facts: &FileFacts) -> Vec<(Name, u64)> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let hashes = Hashes::new(facts);
        let mut all = Vec::new();
        for rows in self.rows.chunk_by(|a, b| a.name == b.name) {
            let mut exprs = Vec::new();
            let mut names = Vec::new();
            let mut definitions = Vec::new();
            for pass in rows {
                exprs.push(pass.callee);
                match pass.given {
                    Given::Args(args) => {
                        exprs.extend(facts.list(args));
                        let named = facts.arguments_of(pass.callee).iter();
                        exprs.extend(named.filter(|argument| argument.name.is_some()).map(|argument| argument.value));
                        names.extend(facts.arguments_of(pass.callee).iter().map(|row| row.name));
                    }
                    Given::Decorated(def) => definitions.push(def),
                }
            }
            all.push((rows[0].name, hashes.of(&exprs, &names, &definitions)));
        }
        all
    }

    /// The calls and decorations whose callee has this last name.
    pub(crate) fn find_named(&self, name: Name) -> &[Pass] {
        let start = self.rows.partition_point(|pass| pass.name < name);
        let end = self.rows.partition_point(|pass| pass.name <= name);
        &self.rows[start..end]
    }
}

/// Returns whether an argument may be something that is worth following.
fn may_hold(facts: &FileFacts, arg: ExprId) -> bool {
    !matches!(facts.expr(arg), Expr::Literal(_) | Expr::Unknown | Expr::This { .. })
}

/// Returns whether an argument may be a function that has a name, or a parameter that may be one, or may wrap one.
fn may_pass_function(unit: &Unit, arg: ExprId) -> bool {
    /// Parts of an argument that are examined.
    const MAX_PARTS: usize = 32;
    let facts = &*unit.facts;
    let mut work = vec![arg];
    for _ in 0..MAX_PARTS {
        let Some(part) = work.pop() else { return false };
        match facts.expr(part) {
            Expr::Path { .. } => return true,
            // A method taken of a value, or a function of a module.
            Expr::Member { .. } if !unit.rules.fields_apart && !unit.rules.methods_apart && !unit.rules.includes => {
                return true;
            }
            Expr::Name { .. } => match binding(unit, part) {
                Some(BindingTarget::Parameter(def, index)) => {
                    let parameter = facts.parameters(def).get(index as usize);
                    if parameter.is_some_and(|row| row.declared.is_none_or(|of| !facts.is_data_type(of))) {
                        return true;
                    }
                }
                Some(BindingTarget::Value(value)) => match facts.expr(value) {
                    Expr::Name { .. } | Expr::Path { .. } | Expr::Definition(_) => return true,
                    _ => {}
                },
                // Where methods are apart, a bare name is a field or variable.
                Some(BindingTarget::Definition(_) | BindingTarget::Import(_)) | None if !unit.rules.methods_apart => {
                    return true;
                }
                Some(BindingTarget::Typed(of)) if unit.rules.methods_apart && !facts.is_data_type(of) => {
                    return true;
                }
                _ => {}
            },
            Expr::Call { args: items, .. } | Expr::Collection { items, .. } | Expr::Union(items) => {
                work.extend(facts.list(items).iter().take(MAX_PARTS));
            }
            Expr::Entry { value: base, .. } | Expr::Unwrap { base } | Expr::Generic { base, .. } => work.push(base),
            _ => {}
        }
    }
    false
}

/// Last name of the callee; for an alias, the name it refers to at that place.
fn called_name(unit: &Unit, mut callee: ExprId) -> Option<Name> {
    if let Expr::Union(items) = unit.facts.expr(callee)
        && let [only] = unit.list(items)
    {
        callee = *only;
    }
    if let Expr::Generic { base, .. } = unit.facts.expr(callee) {
        callee = base;
    }
    match unit.facts.expr(callee) {
        Expr::Name { name, .. } | Expr::Member { name, .. } | Expr::Path { name, .. } => Some(unit.name(name)),
        _ => None,
    }
}

/// The parameter that a name is.
fn parameter(unit: &Unit, callee: ExprId) -> Option<(DefId, u32)> {
    match binding(unit, callee)? {
        BindingTarget::Parameter(def, index) => Some((def, index)),
        _ => None,
    }
}

/// What a name is bound to in its file.
fn binding(unit: &Unit, name: ExprId) -> Option<BindingTarget> {
    /// Scopes looked through.
    const MAX_SCOPES: usize = 32;
    let Expr::Name { name, scope } = unit.facts.expr(name) else { return None };
    let name = unit.name(name);
    let mut scope = Some(scope);
    for _ in 0..MAX_SCOPES {
        let id = scope?;
        if let Some(binding) = unit.bindings(id, name).next() {
            return Some(unit.facts.bindings[binding as usize].target);
        }
        scope = unit.facts.scopes[id.index()].parent;
    }
    None
}

type Aliases = FxHashMap<Name, SmallVec<[Name; 2]>>;

/// Names of variables that are aliases of other names, with these names.
fn aliases(unit: &Unit) -> Aliases {
    let facts = &*unit.facts;
    let mut aliases = Aliases::default();
    let mut add = |name: Name, value: ExprId| {
        if let Expr::Name { name: other, .. } | Expr::Member { name: other, .. } = facts.expr(value) {
            let known = aliases.entry(name).or_default();
            let other = unit.name(other);
            if other != name && known.len() < MAX_ALIASES && !known.contains(&other) {
                known.push(other);
            }
        }
    };
    for definition in &facts.definitions {
        if matches!(definition.kind, DefKind::Variable | DefKind::Constant) {
            facts.list(definition.values).iter().for_each(|&value| add(unit.name(definition.name), value));
        }
    }
    for binding in &facts.bindings {
        if let BindingTarget::Value(value) = binding.target {
            add(unit.name(binding.name), value);
        }
    }
    aliases
}
