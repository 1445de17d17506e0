//! The links of one file: every reference and import resolved, gathered into edges.

mod decorating;
mod deferred;
pub(crate) mod expansions;
mod implicit;
mod indirect;
mod open;
mod reached;
mod stubs;
mod tier;

use std::borrow::Cow;

use m1nd_base::{EdgeTier, Limits, Relation, node_id};
use smallvec::SmallVec;

use m1nd_lang::facts::{DefId, DefKind, Expr, ExprId, Import, ImportId, ImportKind, Namespace, Pos, Reference, Role};
use rustc_hash::FxHashSet;

use crate::eval::{self, Entity, Eval, Found, Search};
use crate::ids::{SymbolId, Symbols};
use crate::project::Project;
use crate::reason::Reason;
use crate::rules::{Dispatch, Overloads};
use crate::tables::files::{DefRef, FileId};
use crate::unit::Unit;
pub(crate) use reached::Members;
use reached::{Reached, push_value};
use tier::{duck_type, of_heirs, outcome};

/// Targets of a reference from which on none of them is kept: each would be an edge.
const MOST_TARGETS: usize = 65;

/// Where a reference goes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Target {
    Symbol(SymbolId),
    External(String),
    /// Something inside a package outside: the package and the way to it.
    Member(String),
    /// A configuration key: its kind and name.
    Config(&'static str, String),
}

impl Target {
    /// Node id.
    pub(crate) fn text<'s>(&self, symbols: &'s Symbols) -> Cow<'s, str> {
        match self {
            Self::Symbol(symbol) => Cow::Borrowed(symbols.text(*symbol)),
            Self::External(path) | Self::Member(path) => Cow::Owned(node_id::external(path)),
            Self::Config(store, key) => Cow::Owned(node_id::config(store, key)),
        }
    }
}

/// Resolution of one reference or import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resolution<'a> {
    /// The name written.
    pub(crate) name: &'a str,
    /// `None` for an import.
    pub(crate) role: Option<Role>,
    pub(crate) pos: Pos,
    pub(crate) from: SymbolId,
    pub(crate) relation: Relation,
    /// Every target with its tier; empty if unresolved.
    pub(crate) targets: Vec<Target>,
    /// Constructors that a call of a class reaches besides.
    pub(crate) also: Vec<SymbolId>,
    /// Members of external packages that it refers to, if known: edges in addition to those to the packages.
    pub(crate) members: Members,
    /// A call that may run a replacement of its certain target.
    pub(crate) dispatches: bool,
    /// Supplied by a compiler index.
    pub(crate) compiler: bool,
    /// Test code calls code that is no test.
    pub(crate) exercises: bool,
    pub(crate) tier: Option<EdgeTier>,
    /// Why it has no target, or why something else of the project may be meant besides.
    pub(crate) reason: Option<Reason>,
    /// It names a module of several files.
    pub(crate) is_module: bool,
    /// Nothing is written for it but an operator or a type: without a target, it does not count as unresolved.
    pub(crate) is_implicit: bool,
}

impl<'a> Resolution<'a> {
    /// The resolution of a row, without further fields.
    pub(crate) fn new(row: WrittenUse<'a>, targets: Vec<Target>, tier: Option<EdgeTier>) -> Self {
        Self {
            name: row.name,
            role: row.role,
            pos: row.pos,
            from: row.from,
            relation: row.relation,
            targets,
            also: Vec::new(),
            members: Members::default(),
            dispatches: false,
            compiler: false,
            exercises: false,
            tier,
            reason: None,
            is_module: false,
            is_implicit: false,
        }
    }
}

/// Resolves every reference and import of a file, in order.
pub(crate) fn resolutions<'a>(eval: &mut Eval<'a>, file: FileId, limits: &Limits) -> Vec<Resolution<'a>> {
    eval.begin_file(file);
    eval.work_out_flows(file);
    let unit = eval.unit(file);
    let mut all = Vec::with_capacity(unit.facts.imports.len() + unit.facts.references.len());
    for import in (0..unit.facts.imports.len() as u32).map(ImportId) {
        eval.begin_reference();
        all.extend(resolve_import(eval, file, import));
    }
    // References in the text of expanded macros count like those that are written.
    let includes = eval.rules(file).includes;
    eval.generated = expansions::list_generated(eval, file);
    for reference in expansions::references(eval, file).iter() {
        eval.begin_reference();
        // Calls that no name shows (operators, constructors) and calls through pointers have rows of their own.
        if includes && let Some(rows) = implicit::resolve_implicit(eval, file, reference) {
            all.extend(rows);
            continue;
        }
        let reference = &eval.follow_alias(file, *reference);
        let found = search(eval, file, reference.expr, reference.role);
        if includes && reference.role == Role::Write && implicit::is_base(eval, &found) {
            continue;
        }
        if includes && let Some(rows) = indirect::resolve_indirect(eval, file, reference, &found, limits) {
            all.extend(rows);
            continue;
        }
        let held = indirect::call_held(eval, file, reference, &found, limits).map(|(call, _)| call);
        let rows = resolve_reference(eval, file, reference, found, limits);
        all.extend(held.and_then(|held| without_known(held, &rows)));
        let task = deferred::call_task(eval, file, reference, &rows);
        all.extend(rows);
        all.extend(task);
    }
    if includes {
        all.extend(indirect::declarations(eval, file));
    }
    all.extend(stubs::declarations(eval, file));
    // Needs all rows: an import of a module of several files keeps those whose names this file uses.
    narrow_imports(eval.project, &mut all);
    all.sort_by_key(|resolution| resolution.pos);
    all
}

/// The targets of a call through something that the call does not have without it.
fn without_known<'a>(mut held: Resolution<'a>, rows: &[Resolution<'a>]) -> Option<Resolution<'a>> {
    held.name = "";
    held.targets.retain(|target| !rows.iter().any(|row| row.relation == held.relation && row.targets.contains(target)));
    (!held.targets.is_empty()).then_some(held)
}

/// An import of a module of several files leads to those whose names the file uses; to any of them if to none.
fn narrow_imports(project: &Project, all: &mut [Resolution<'_>]) {
    if !all.iter().any(|row| row.role.is_none() && row.tier == Some(EdgeTier::Possible)) {
        return;
    }
    let mut used: FxHashSet<&str> = FxHashSet::default();
    for target in all.iter().filter(|row| row.role.is_some()).flat_map(|row| &row.targets) {
        if let Target::Symbol(symbol) = target {
            used.insert(node_id::file_of(project.symbols.text(*symbol)));
        }
    }
    let is_used = |target: &Target| match target {
        Target::Symbol(symbol) => used.contains(project.symbols.text(*symbol)),
        Target::External(_) | Target::Member(_) | Target::Config(..) => false,
    };
    for row in all.iter_mut().filter(|row| row.role.is_none() && row.is_module) {
        if row.targets.iter().any(is_used) {
            row.targets.retain(is_used);
            // A module whose version may differ stays possible.
            if !row.members.open {
                row.tier = Some(EdgeTier::Certain);
            }
        }
    }
}

fn resolve_import<'a>(eval: &mut Eval<'a>, file: FileId, id: ImportId) -> Vec<Resolution<'a>> {
    let unit = eval.unit(file);
    let import = unit.facts.imports[id.index()];
    let relation = if import.flags.reexport { Relation::Reexports } else { Relation::Imports };
    let is_header = import.kind == ImportKind::Include;
    let module_name = module_name(eval.project, unit, &import, is_header);
    let name = match import.kind {
        ImportKind::Symbol(name) | ImportKind::FileModule(name) => unit.facts.name(name),
        ImportKind::Default => "default",
        _ => module_name,
    };
    let mut search = if import.kind == ImportKind::ModuleRoot {
        eval.imported_module(file, id)
    } else {
        eval.import(file, id, Namespace::Any)
    };
    let macros = matches!(import.kind, ImportKind::Symbol(_)) && search.found.is_empty();
    if macros {
        let by_macro = eval.import(file, id, Namespace::Macro);
        if !by_macro.found.is_empty() {
            search = by_macro;
        }
    }
    let from = unit.file_symbol;
    // `from . import submodule` names the submodule only; its package is on the way there, but nobody names it.
    let is_submodule = eval.rules(file).submodules_are_members
        && unit.facts.name(import.module).is_empty()
        && search.found.iter().all(|found| matches!(found.entity, Entity::Module(_)));
    let mut rows = vec![outcome(
        eval,
        file,
        search,
        WrittenUse { name, role: None, pos: import.pos, from, relation, inexact: false },
    )];
    if import.kind == ImportKind::Default && rows[0].reason == Some(Reason::ModuleNotFound) {
        // What it brings in is called what the file calls it, or like its module.
        rows[0].name = unit.name_of_import(id).unwrap_or(module_name);
        if rows[0].name != module_name {
            rows.push(Resolution { name: module_name, ..rows[0].clone() });
        }
    }
    // The file that the name is imported from is depended on too.
    let whole = import.flags.type_only && eval.rules(file).folders_are_packages;
    if matches!(import.kind, ImportKind::Symbol(_) | ImportKind::Default)
        && import.path.is_none()
        && !whole
        && !(is_submodule && rows[0].tier == Some(EdgeTier::Certain))
    {
        let module = eval.imported_module(file, id);
        let row = WrittenUse { name: module_name, role: None, pos: import.pos, from, relation, inexact: false };
        let module = outcome(eval, file, module, row);
        if module.tier == Some(EdgeTier::Certain) && rows[0].tier != Some(EdgeTier::External) {
            rows.push(Resolution { name: "", ..module });
        }
    }
    rows
}

/// The last component of an import's name, without a file extension.
fn module_name<'a>(project: &'a Project, unit: &'a Unit, import: &Import, is_header: bool) -> &'a str {
    let written = unit.facts.name(import.module);
    let path = import.path.filter(|_| !is_header).and_then(|path| unit.last_name(path));
    let written = path.map_or(written, |name| project.names.text(name));
    let last = written.rsplit('/').next().unwrap_or(written);
    if is_header || written.contains('/') || written.starts_with('.') {
        last.split('.').next().unwrap_or(last)
    } else {
        last.rsplit('.').next().unwrap_or(last)
    }
}

/// One reference or import as it is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WrittenUse<'a> {
    pub(crate) name: &'a str,
    /// `None` for an import.
    pub(crate) role: Option<Role>,
    pub(crate) pos: Pos,
    pub(crate) from: SymbolId,
    pub(crate) relation: Relation,
    /// It may refer to something else, so its targets are only possible.
    pub(crate) inexact: bool,
}

fn resolve_reference<'a>(
    eval: &mut Eval<'a>,
    file: FileId,
    reference: &Reference,
    mut search: Search,
    limits: &Limits,
) -> SmallVec<[Resolution<'a>; 1]> {
    let unit = eval.unit(file);
    let rules = eval.rules(file);
    let name = match unit.facts.expr(reference.expr) {
        Expr::Name { name, .. } if rules.separates_calls() && rules.constructors.contains(&unit.facts.name(name)) => {
            "this"
        }
        Expr::Name { name, .. } | Expr::Member { name, .. } | Expr::Path { name, .. } => unit.facts.name(name),
        Expr::Super { .. } => "super",
        Expr::This { .. } => "this",
        Expr::SelfType { .. } => "new",
        Expr::Root { .. } => "crate",
        expr if is_by_value(expr) => name_of_value(unit, reference.expr),
        _ => "",
    };
    if rules.includes {
        if let Some(rows) = indirect::construct(eval, file, reference, &search) {
            return rows.into();
        }
        search = eval.taking(search, reference.arity);
        if rules.overloads == Overloads::ByClass {
            search = eval.of_own_classes(file, search, reference.expr);
        }
        search = eval.replace_declarations(search);
    }
    let is_call = reference.role == Role::Call;
    if let (Expr::Member { base, name }, None, true) = (unit.facts.expr(reference.expr), search.unknown, is_call)
        && eval.may_be_replaced(file, base, unit.name(name))
    {
        search.unknown = Some(Reason::UnknownReceiver);
    }
    // Where members of interfaces may be functions and accessors, reading one may run what stands for it.
    let may_run = is_call || reference.role == Role::Read && rules.dispatch == Dispatch::Members;
    let dispatches = may_run && eval.dispatches(file, reference.expr, &search);
    let exercises = is_call && exercises(eval, file, reference, &search);
    let mut row = row(eval, file, reference, eval::strip_tag(name));
    if reference.role == Role::Read && rules.runs_by_name && eval.all_run_by_name(&search) {
        row.relation = Relation::Calls;
    }
    if is_call && rules.overloads == Overloads::Chosen {
        let (constructors, classes) = find_constructed(eval, file, reference.expr, &search);
        if let Some(constructors) = constructors {
            return construction(eval, file, row, constructors, classes, exercises);
        }
    }
    let mut rows = SmallVec::new();
    let (found, unknown) = (search.found.clone(), search.unknown);
    let mut resolution = outcome(eval, file, search, row);
    // Where fields and methods share their names, reading a member runs or takes the method, too.
    let may_be_method =
        is_call || decorating::is_call(eval, file, reference) || reference.role == Role::Read && !rules.fields_apart;
    if may_be_method && resolution.tier.is_some() {
        resolution.reason = open::may_reach_more(eval, file, reference, &found, unknown);
    }
    let is_open = resolution.reason.is_some();
    if !is_open && matches!(reference.role, Role::Read | Role::Write) && resolution.tier.is_some() {
        resolution.reason = open::may_be_field(eval, file, reference, &found);
    }
    if resolution.tier == Some(EdgeTier::Certain) {
        resolution.exercises = exercises;
    }
    resolution.dispatches = dispatches && matches!(resolution.tier, Some(EdgeTier::Certain | EdgeTier::Possible));
    match resolution.reason.filter(|_| resolution.targets.is_empty()) {
        Some(Reason::UnknownReceiver | Reason::UnknownBase) => {
            duck_type(eval, file, reference, limits, &mut resolution);
        }
        Some(Reason::NoSuchMember) if is_call && rules.reassigns_functions => {
            of_heirs(eval, file, reference, limits, &mut resolution);
        }
        _ => {}
    }
    rows.extend(alternatives(eval, &resolution, &found));
    rows.extend(replace_call(eval, &mut resolution, &found));
    rows.push(resolution);
    if decorating::is_call(eval, file, reference) {
        rows.extend(decoration(eval, file, reference));
    }
    rows
}

/// The call of a decorator of the project that decorating is.
fn decoration<'a>(eval: &mut Eval<'a>, file: FileId, reference: &Reference) -> Option<Resolution<'a>> {
    let mut search = search(eval, file, reference.expr, Role::Call);
    let marks: Vec<bool> = search.found.iter().map(|found| decorating::is_run(eval, found)).collect();
    search.keep(&marks);
    let exercises = exercises(eval, file, reference, &search);
    let row = row(eval, file, reference, "");
    let row = WrittenUse { role: Some(Role::Call), relation: Relation::Calls, ..row };
    let call = outcome(eval, file, search, row);
    let is_own = call.targets.iter().any(|target| matches!(target, Target::Symbol(_)));
    let exercises = exercises && call.tier == Some(EdgeTier::Certain);
    is_own.then_some(Resolution { reason: None, members: Members::default(), exercises, ..call })
}

/// A call that constructs a value of a class: the constructors that it may reach, and the class.
fn construction<'a>(
    eval: &mut Eval<'a>,
    file: FileId,
    row: WrittenUse<'a>,
    constructors: Search,
    classes: Vec<SymbolId>,
    exercises: bool,
) -> SmallVec<[Resolution<'a>; 1]> {
    let mut rows = SmallVec::new();
    let certain = constructors.found.len() == 1 && constructors.unknown.is_none();
    let mut resolution = outcome(eval, file, constructors, row);
    resolution.exercises = exercises && resolution.tier == Some(EdgeTier::Certain);
    match resolution.tier {
        Some(EdgeTier::Certain) => resolution.also.extend(classes),
        // The constructor is ambiguous; the class is not.
        _ => rows.extend((!certain).then(|| Resolution {
            name: "",
            targets: classes.into_iter().map(Target::Symbol).collect(),
            also: Vec::new(),
            tier: Some(EdgeTier::Certain),
            reason: None,
            ..resolution.clone()
        })),
    }
    rows.push(resolution);
    rows
}

/// A call of a function that a decorator of the project replaces: it calls the replacement. Through a wrapper that
/// uses the wrapped function it calls the function, too; otherwise it only refers to it by name. Returns the second
/// of the two.
fn replace_call<'a>(eval: &mut Eval<'_>, call: &mut Resolution<'a>, found: &[Found]) -> Option<Resolution<'a>> {
    let [Found { entity: Entity::Def(of), .. }] = found else { return None };
    let kind = eval.unit(of.file).facts.definition(of.def).kind;
    let is_call = call.role == Some(Role::Call) && call.tier == Some(EdgeTier::Certain);
    if !is_call || kind != DefKind::Function || !eval.rules(of.file).duck_typing {
        return None;
    }
    let object = eval.wrapping_object(*of);
    let wrapper = object.or_else(|| eval.wrapper(*of))?;
    eval.ask_definition(wrapper);
    let leads_on = object.is_some() || eval.unit(wrapper.file).uses_given(wrapper.def);
    let exercises = call.exercises && !is_test(eval, wrapper.file, Some(wrapper.def));
    let wrapper = vec![Target::Symbol(eval.unit(wrapper.file).symbols[wrapper.def.index()]?)];
    let members = Members::default();
    let besides = Resolution { name: "", reason: None, dispatches: false, members, ..call.clone() };
    if leads_on {
        return Some(Resolution { targets: wrapper, exercises, ..besides });
    }
    (call.targets, call.dispatches, call.exercises) = (wrapper, false, exercises);
    // A name alone runs nothing.
    Some(Resolution { relation: Relation::References, exercises: false, ..besides })
}

/// A call of a variable that may hold one of several functions: these, besides the variable.
fn alternatives<'a>(eval: &mut Eval<'_>, call: &Resolution<'a>, found: &[Found]) -> Option<Resolution<'a>> {
    let [found] = found else { return None };
    let Entity::Def(of) = found.entity else { return None };
    let rules = eval.rules(of.file);
    if call.role != Some(Role::Call) || !rules.reassigns_functions {
        return None;
    }
    let kind = eval.unit(of.file).facts.definition(of.def).kind;
    if !matches!(kind, DefKind::Variable | DefKind::Constant | DefKind::Field) {
        return None;
    }
    // A variable with one known value is resolved by that value elsewhere.
    let values = eval.value_of(found, Namespace::Value);
    if values.unknown.is_none() && values.items.len() == 1 {
        return None;
    }
    let mut reached = Reached::default();
    for value in &values.items {
        push_value(eval, value, &mut reached, true);
    }
    let Reached { mut targets, also, .. } = reached;
    targets.extend(also.into_iter().map(Target::Symbol));
    targets.sort();
    targets.dedup();
    targets.retain(|target| !call.targets.contains(target));
    let tier = (!targets.is_empty()).then_some(EdgeTier::Possible)?;
    let members = Members::default();
    Some(Resolution {
        name: "",
        targets,
        also: Vec::new(),
        members,
        tier: Some(tier),
        reason: None,
        dispatches: false,
        ..call.clone()
    })
}

/// With overload resolution: the constructors targeted by a call of the single class found, and the class. No
/// constructors if the class declares none, or if something else is called.
fn find_constructed(
    eval: &mut Eval<'_>,
    file: FileId,
    callee: ExprId,
    search: &Search,
) -> (Option<Search>, Vec<SymbolId>) {
    let [Found { entity: Entity::Def(class), .. }] = search.found.as_slice() else { return (None, Vec::new()) };
    let class = *class;
    let unit = eval.unit(class.file);
    let kind = unit.facts.definition(class.def).kind;
    if search.unknown.is_some() || !kind.is_class_like() {
        return (None, Vec::new());
    }
    let mut symbols: Vec<SymbolId> = unit.symbols[class.def.index()].into_iter().collect();
    for part in eval.other_parts(class) {
        symbols.extend(eval.unit(part.file).symbols[part.def.index()]);
    }
    (eval.constructors(file, callee, class), symbols)
}

fn row<'a>(eval: &mut Eval<'a>, file: FileId, reference: &Reference, name: &'a str) -> WrittenUse<'a> {
    let relation = match reference.role {
        Role::Call | Role::Macro => Relation::Calls,
        Role::Read | Role::Write | Role::Type => Relation::References,
        Role::Inherit => Relation::Inherits,
        Role::Implement => Relation::Implements,
        Role::Decorate => Relation::Decorates,
    };
    WrittenUse {
        name,
        role: Some(reference.role),
        pos: reference.pos,
        from: source(eval, file, reference),
        relation,
        inexact: reference.inexact,
    }
}

/// The name spaces a role looks in, most fitting first.
pub(crate) fn search(eval: &mut Eval<'_>, file: FileId, expr: ExprId, role: Role) -> Search {
    let rules = eval.rules(file);
    let (separates, by_path) = (rules.separates_calls(), rules.takes_methods_by_path());
    let wants: &[Namespace] = match role {
        Role::Call if separates && eval.names_class(file, expr) => &[Namespace::Type],
        Role::Call if separates => &[Namespace::Callee],
        Role::Read if by_path && matches!(eval.unit(file).facts.expr(expr), Expr::Path { .. }) => &[Namespace::Callee],
        Role::Type | Role::Inherit | Role::Implement | Role::Decorate if separates => &[Namespace::Type],
        Role::Call => &[Namespace::Callee, Namespace::Value, Namespace::Type],
        Role::Read | Role::Write => &[Namespace::Value, Namespace::Type],
        Role::Type | Role::Inherit | Role::Implement => &[Namespace::Type, Namespace::Value],
        Role::Decorate => &[Namespace::Value, Namespace::Macro, Namespace::Type],
        Role::Macro => &[Namespace::Macro, Namespace::Value],
    };
    if role == Role::Call && is_by_value(eval.unit(file).facts.expr(expr)) {
        return Search::one(Entity::Expr(file, expr));
    }
    let mut first: Option<Search> = None;
    for &want in wants {
        let search = eval.resolve(file, expr, want);
        // An outside decorator may be the short name of one that the project has.
        let may_be_short = role == Role::Decorate && eval.rules(file).decorator_suffix.is_some();
        if search.found.iter().any(|found| !may_be_short || !matches!(found.entity, Entity::External(..))) {
            return search;
        }
        first = first.or(Some(search));
    }
    if role == Role::Decorate
        && let Some(suffix) = eval.rules(file).decorator_suffix
        && let Some(search) = eval.with_suffix(file, expr, suffix)
    {
        return search;
    }
    if role == Role::Write
        && eval.rules(file).counted_ranges
        && let Some(search) = eval.literal_key(file, expr)
    {
        return search;
    }
    first.unwrap_or_default()
}

/// Returns whether the callee is the result of an expression rather than a named target.
fn is_by_value(expr: Expr) -> bool {
    matches!(
        expr,
        Expr::Call { .. }
            | Expr::Index { .. }
            | Expr::Item { .. }
            | Expr::Key { .. }
            | Expr::Implicit { .. }
            | Expr::Union(_)
            | Expr::This { .. }
    )
}

/// Calls of results of calls that the name of a reference is looked for behind: `a()()()`.
const MAX_VALUES: usize = 256;

/// The last name in an expression that is called by its value.
fn name_of_value(unit: &Unit, mut expr: ExprId) -> &str {
    for _ in 0..MAX_VALUES {
        expr = match unit.facts.expr(expr) {
            Expr::Name { name, .. } | Expr::Member { name, .. } | Expr::Implicit { name, .. } => {
                return unit.facts.name(name);
            }
            Expr::Call { callee: base, .. }
            | Expr::Index { base }
            | Expr::Item { base, .. }
            | Expr::Key { base, .. } => base,
            Expr::Union(items) => match unit.list(items) {
                [first, ..] => *first,
                [] => return "",
            },
            _ => return "",
        };
    }
    ""
}

/// The node a reference belongs to: the innermost enclosing definition that is one, else the file. The trait of an
/// impl block belongs to the type.
pub(crate) fn source(eval: &mut Eval<'_>, file: FileId, reference: &Reference) -> SymbolId {
    let around = reference.enclosing;
    if let (Some(def), Role::Implement | Role::Inherit) = (around, reference.role)
        && let Some(of) = eval.extends(DefRef { file, def })
        && let Some(symbol) = eval.unit(of.file).symbols[of.def.index()]
        && of.file == file
    {
        return symbol;
    }
    node_around(eval, file, around)
}

/// The node of the innermost definition that is one, else the file.
pub(crate) fn node_around(eval: &Eval<'_>, file: FileId, mut around: Option<DefId>) -> SymbolId {
    let unit = eval.project.unit(file);
    while let Some(def) = around {
        let generated = eval.generated.get(&def).map(|of| of.symbol);
        if let Some(symbol) = unit.symbols[def.index()].or(generated) {
            return symbol;
        }
        around = unit.facts.definition(def).owner;
    }
    unit.file_symbol
}

/// Returns whether a call leads from test code to code that is no test.
fn exercises(eval: &mut Eval<'_>, file: FileId, reference: &Reference, search: &Search) -> bool {
    if !is_in_test(eval, file, reference.enclosing) {
        return false;
    }
    search.found.iter().all(|found| match found.entity {
        Entity::Def(of) => !is_test(eval, of.file, Some(of.def)),
        _ => false,
    })
}

/// Like [`is_test`], of a place in the file that is linked: functions that macros define may be tests too.
pub(crate) fn is_in_test(eval: &mut Eval<'_>, file: FileId, around: Option<DefId>) -> bool {
    let generated = around.and_then(|def| eval.generated.get(&def));
    generated.is_some_and(|of| of.is_test) || is_test(eval, file, around)
}

/// Returns whether a place is test code: in a test file, or inside a definition that is a test.
pub(crate) fn is_test(eval: &mut Eval<'_>, file: FileId, mut around: Option<DefId>) -> bool {
    let unit = eval.unit(file);
    while let Some(def) = around {
        let definition = unit.facts.definition(def);
        eval.ask_definition(DefRef { file, def });
        if definition.flags.is_test {
            return true;
        }
        around = definition.owner;
    }
    unit.is_test || eval.is_declared_test(file)
}
