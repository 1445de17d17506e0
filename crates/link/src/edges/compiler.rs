//! Overlay of a compiler index: where it names a target for a reference in a file, that target takes precedence over
//! ours.
//!
//! Only the targets of references are replaced. Their roles (a call, a read, …) stay ours, and so do the evaluator's
//! values: a compiler names the variable that is called, not the function that it holds.

use std::ops::Range;
use std::sync::Arc;

use m1nd_base::{EdgeTier, Pos, Relation, RepoPath, node_id};
use m1nd_lang::facts::{DefId, DefKind, Definition, Expr, Role};
use rustc_hash::FxHashMap;

use crate::edges::derived::Derived;
use crate::eval::Eval;
use crate::file_links::{Members, Resolution, Target, WrittenUse, is_in_test, is_test};
use crate::ids::SymbolId;
use crate::links::{Compared, Contradiction};
use crate::tables::files::FileId;
use crate::unit::Unit;

/// The content of a compiler index for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompilerFile {
    /// Symbols that the rows name.
    pub symbols: Arc<Vec<CompilerSymbol>>,
    /// Uses of symbols, in order of position. A position may have several.
    pub rows: Arc<Vec<CompilerRow>>,
    /// Implementations and overrides by definitions of the file.
    pub relations: Arc<Vec<CompilerRelation>>,
}

impl CompilerFile {
    /// Returns whether both are of one import.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.rows, &other.rows)
            && Arc::ptr_eq(&self.symbols, &other.symbols)
            && Arc::ptr_eq(&self.relations, &other.relations)
    }
}

/// A definition that implements or replaces a symbol.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct CompilerRelation {
    /// Node id of the definition.
    pub from: Box<str>,
    /// Number in [`CompilerFile::symbols`].
    pub symbol: u32,
}

/// One use of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct CompilerRow {
    /// Position of the name.
    pub pos: Pos,
    /// Number in [`CompilerFile::symbols`].
    pub symbol: u32,
    /// It is part of an import.
    pub import: bool,
}

/// Our equivalent of a symbol of a compiler index.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum CompilerSymbol {
    /// Its definitions, as nodes of the project.
    Nodes(Vec<CompilerNode>),
    /// Belongs to an external package; `None` for the language itself.
    External(Option<Box<str>>),
}

/// A node of the project.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CompilerNode {
    /// Its file.
    pub path: RepoPath,
    /// Its id.
    pub id: Box<str>,
}

/// A node that the index names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    symbol: SymbolId,
    file: FileId,
    /// `None` for the file itself.
    def: Option<DefId>,
}

/// The symbols of the index at one position.
#[derive(Debug, Default)]
struct Said {
    /// Existing nodes of each symbol.
    nodes: Vec<Vec<Candidate>>,
    /// Packages outside, if no node is named.
    packages: Vec<String>,
    import: bool,
}

/// Lays the rows of an index over the references of a file, which are in order of position and stay so.
pub(crate) fn apply<'a>(
    eval: &mut Eval<'a>,
    file: FileId,
    index: &CompilerFile,
    all: &mut Vec<Resolution<'a>>,
) -> Compared {
    let mut overlay = Overlay { eval, file, places: FxHashMap::default(), compared: Compared::default() };
    let mut added = Vec::new();
    for rows in index.rows.chunk_by(|a, b| a.pos == b.pos) {
        let said = overlay.read_said(index, rows);
        if said.nodes.is_empty() && said.packages.is_empty() {
            continue;
        }
        let here = at(all, rows[0].pos);
        if here.is_empty() {
            added.extend(overlay.add(rows[0].pos, &said));
        }
        let here = &mut all[here];
        if overlay.names_companion(here, &said) {
            continue;
        }
        for resolution in here {
            // The file of a named import stays, even if the name comes from elsewhere.
            if !resolution.name.is_empty() {
                overlay.settle(resolution, &said);
            }
        }
    }
    let compared = std::mem::take(&mut overlay.compared);
    if !added.is_empty() {
        all.extend(added);
        all.sort_by_key(|resolution| resolution.pos);
    }
    compared
}

/// Edges for the implementations and overrides that an index reports for the definitions of a file.
pub(crate) fn relations(eval: &mut Eval<'_>, file: FileId, index: &CompilerFile) -> Vec<Derived> {
    let mut overlay = Overlay { eval, file, places: FxHashMap::default(), compared: Compared::default() };
    let path = overlay.eval.unit(file).path.clone();
    let mut edges = Vec::new();
    for row in index.relations.iter() {
        let own = CompilerNode { path: path.clone(), id: row.from.clone() };
        let Some(from) = overlay.find(&own) else { continue };
        let Some(CompilerSymbol::Nodes(nodes)) = index.symbols.get(row.symbol as usize) else { continue };
        let mut above: Vec<Candidate> = nodes.iter().filter_map(|node| overlay.find(node)).collect();
        narrow(&mut above, |candidate| overlay.definition(candidate).is_some_and(|row| !row.flags.is_declaration));
        above.sort_unstable();
        above.dedup_by_key(|candidate| candidate.symbol);
        // With several declarations of one symbol, it is unknown which of them is meant.
        let [above] = above[..] else { continue };
        let (Some(low), Some(high)) = (overlay.definition(&from), overlay.definition(&above)) else { continue };
        if let Some(relation) = relation_of(low.kind, high.kind).filter(|_| from.symbol != above.symbol) {
            let (to, tier) = (Target::Symbol(above.symbol), EdgeTier::Certain);
            edges.push(Derived { from: from.symbol, to, relation, tier, of: 1, pos: low.pos });
        }
    }
    edges
}

/// Relation between a definition and the one it implements, by their kinds; `None` if we have no such edge.
fn relation_of(low: DefKind, high: DefKind) -> Option<Relation> {
    let is_promise = |kind: DefKind| matches!(kind, DefKind::Interface | DefKind::Trait);
    match (low, high) {
        (DefKind::Function, DefKind::Function) => Some(Relation::Overrides),
        (low, high) if low.is_type() && is_promise(high) && !is_promise(low) => Some(Relation::Implements),
        (low, high) if low.is_type() && high.is_type() => Some(Relation::Inherits),
        _ => None,
    }
}

fn at(all: &[Resolution<'_>], pos: Pos) -> Range<usize> {
    let start = all.partition_point(|resolution| resolution.pos < pos);
    let count = all[start..].iter().take_while(|resolution| resolution.pos == pos).count();
    start..start + count
}

struct Overlay<'e, 'a> {
    eval: &'e mut Eval<'a>,
    file: FileId,
    /// Definitions of the files that were asked for, by id.
    places: FxHashMap<FileId, FxHashMap<SymbolId, Option<DefId>>>,
    compared: Compared,
}

impl<'a> Overlay<'_, 'a> {
    fn read_said(&mut self, index: &CompilerFile, rows: &[CompilerRow]) -> Said {
        let mut said = Said { import: rows.iter().any(|row| row.import), ..Said::default() };
        for row in rows {
            match index.symbols.get(row.symbol as usize) {
                Some(CompilerSymbol::Nodes(nodes)) => {
                    let mut found: Vec<Candidate> = nodes.iter().filter_map(|node| self.find(node)).collect();
                    found.sort_unstable();
                    found.dedup_by_key(|candidate| candidate.symbol);
                    said.nodes.extend((!found.is_empty()).then_some(found));
                }
                Some(CompilerSymbol::External(package)) => {
                    let builtin = self.eval.rules(self.file).builtin_package;
                    said.packages.push(package.as_deref().unwrap_or(builtin).to_owned());
                }
                None => {}
            }
        }
        if !said.nodes.is_empty() {
            said.packages.clear();
        }
        said.packages.sort();
        said.packages.dedup();
        said
    }

    /// Returns the node if it still exists. The look-up is recorded, so that its removal or creation relinks the
    /// file.
    fn find(&mut self, node: &CompilerNode) -> Option<Candidate> {
        let file = self.eval.file_at(node.path.as_str())?;
        self.eval.ask_all(file);
        let unit = self.eval.unit(file);
        let places = self.places.entry(file).or_insert_with(|| {
            let all = unit.symbols.iter().enumerate().rev();
            let mut places: FxHashMap<SymbolId, Option<DefId>> =
                all.filter_map(|(index, symbol)| Some(((*symbol)?, Some(DefId(index as u32))))).collect();
            places.insert(unit.file_symbol, None);
            places
        });
        let symbol = self.eval.project.symbols.find(&node.id)?;
        places.get(&symbol).map(|def| Candidate { symbol, file, def: *def })
    }

    fn definition(&mut self, candidate: &Candidate) -> Option<&'a Definition> {
        let unit = self.eval.unit(candidate.file);
        candidate.def.map(|def| unit.facts.definition(def))
    }

    /// Returns whether it holds a value, so that its name does not reveal the value's target.
    fn is_value(&mut self, candidate: &Candidate) -> bool {
        self.definition(candidate)
            .is_some_and(|row| matches!(row.kind, DefKind::Variable | DefKind::Constant | DefKind::Field))
    }

    /// Returns whether the index names a companion of the reference: the variable that holds the callee, the class of
    /// a constructor, the file of an import. The callee is then for us to determine.
    fn names_companion(&mut self, here: &mut [Resolution<'_>], said: &Said) -> bool {
        let named =
            |target: &Target| said.nodes.iter().flatten().any(|candidate| *target == Target::Symbol(candidate.symbol));
        let is_named = |row: &&mut Resolution<'_>| {
            row.name.is_empty() && row.tier == Some(EdgeTier::Certain) && row.targets.iter().all(named)
        };
        let Some(row) = here.iter_mut().find(is_named) else { return false };
        row.compiler = true;
        self.compared.confirmed += 1;
        true
    }

    fn settle(&mut self, row: &mut Resolution<'_>, said: &Said) {
        if said.nodes.is_empty() {
            self.settle_outside(row, &said.packages);
            return;
        }
        let theirs = self.choose_nodes(row, said);
        let ours: Vec<SymbolId> = symbols(row).collect();
        let agrees = theirs.iter().all(|candidate| ours.contains(&candidate.symbol));
        let narrower = !row.targets.is_empty()
            && row
                .targets
                .iter()
                .all(|target| theirs.iter().any(|candidate| *target == Target::Symbol(candidate.symbol)));
        let sure = matches!(row.tier, Some(EdgeTier::Certain | EdgeTier::External));
        if row.tier == Some(EdgeTier::Certain) && (agrees || narrower) {
            row.compiler = true;
            self.compared.confirmed += 1;
            return;
        }
        let file_or_value = theirs.iter().all(|candidate| candidate.def.is_none() || self.is_value(candidate));
        let ours_are_values = !ours.is_empty() && ours.iter().all(|symbol| self.is_own_value(*symbol));
        let through_value = !ours.is_empty() && ours.iter().all(|symbol| !self.is_named(*symbol, row.name));
        if (sure || through_value) && file_or_value && !ours_are_values {
            return;
        }
        self.note(row, theirs.iter().map(|candidate| candidate.symbol).map(Target::Symbol).collect());
        self.replace(row, &theirs);
    }

    fn is_named(&self, symbol: SymbolId, name: &str) -> bool {
        node_id::bare_name(self.eval.project.symbols.text(symbol)) == name
    }

    /// Returns whether one of our targets holds a value.
    fn is_own_value(&mut self, symbol: SymbolId) -> bool {
        let word = node_id::kind_word(self.eval.project.symbols.text(symbol));
        [DefKind::Variable, DefKind::Constant, DefKind::Field].iter().any(|kind| Some(kind.word()) == word)
    }

    fn settle_outside(&mut self, row: &mut Resolution<'_>, packages: &[String]) {
        // What is outside for a compiler that saw one repository may be in another one.
        if self.leads_to_others(row) {
            return;
        }
        let theirs: Vec<Target> = packages.iter().cloned().map(Target::External).collect();
        if row.tier == Some(EdgeTier::External) {
            (row.reason, row.compiler) = (None, true);
            self.compared.confirmed += 1;
            return;
        }
        self.note(row, theirs.clone());
        row.targets = theirs;
        row.also.clear();
        row.members = Members::default();
        (row.tier, row.reason, row.compiler) = (Some(EdgeTier::External), None, true);
        (row.dispatches, row.exercises) = (false, false);
    }

    /// Returns whether all targets of a reference are in other repositories than its file.
    fn leads_to_others(&self, row: &Resolution<'_>) -> bool {
        let roots = &self.eval.project.tree.roots;
        let own = self.eval.project.path(self.file).as_str().split('/').next();
        let is_elsewhere = |target: &Target| match target {
            Target::Symbol(symbol) => {
                let path = node_id::path_of(self.eval.project.symbols.text(*symbol));
                path.is_some_and(|path| path.split('/').next() != own)
            }
            _ => false,
        };
        roots.len() > 1 && !row.targets.is_empty() && row.targets.iter().all(is_elsewhere)
    }

    /// Counts a reference that comes out otherwise than we had it.
    fn note(&mut self, row: &Resolution<'_>, theirs: Vec<Target>) {
        if !matches!(row.tier, Some(EdgeTier::Certain | EdgeTier::External)) {
            self.compared.settled += 1;
            return;
        }
        let symbols = &self.eval.project.symbols;
        let text = |target: &Target| target.text(symbols).into_owned();
        self.compared.contradicted.push(Contradiction {
            pos: row.pos,
            name: row.name.into(),
            role: row.role,
            ours: row.targets.iter().map(text).collect(),
            theirs: theirs.iter().map(text).collect(),
        });
    }

    /// Selects one node for each symbol if possible, else all of its nodes: of several declarations of one symbol,
    /// the one we found; else the one with a body. Of several symbols, those that fit the role.
    fn choose_nodes(&mut self, row: &Resolution<'_>, said: &Said) -> Vec<Candidate> {
        let ours: Vec<SymbolId> = symbols(row).collect();
        let mut chosen = Vec::new();
        for nodes in &said.nodes {
            let mut nodes = nodes.clone();
            narrow(&mut nodes, |candidate| ours.contains(&candidate.symbol));
            narrow(&mut nodes, |candidate| candidate.def.is_none());
            narrow(&mut nodes, |candidate| !self.is_added_elsewhere(candidate));
            narrow(&mut nodes, |candidate| self.definition(candidate).is_none_or(|row| !row.flags.is_declaration));
            chosen.extend(nodes);
        }
        chosen.sort_unstable();
        chosen.dedup_by_key(|candidate| candidate.symbol);
        narrow(&mut chosen, |candidate| !self.is_added_elsewhere(candidate));
        let wants_type = matches!(row.role, Some(Role::Type | Role::Inherit | Role::Implement));
        let is_only_type = |row: &Definition| matches!(row.kind, DefKind::Interface | DefKind::TypeAlias);
        if row.role.is_some() && chosen.len() > 1 {
            narrow(&mut chosen, |candidate| {
                self.definition(candidate)
                    .is_some_and(|row| if wants_type { row.kind.is_type() } else { !is_only_type(row) })
            });
        }
        chosen
    }

    /// Returns whether it is in a block that augments another module (`declare module "m"`).
    fn is_added_elsewhere(&mut self, candidate: &Candidate) -> bool {
        let facts = &self.eval.unit(candidate.file).facts;
        let mut around = candidate.def;
        while let Some(row) = around.map(|def| facts.definition(def)) {
            let is_word = |letter: char| letter.is_alphanumeric() || "_$".contains(letter);
            if row.kind == DefKind::Module && !facts.name(row.name).chars().all(is_word) {
                return true;
            }
            around = row.owner;
        }
        false
    }

    /// Makes the nodes the targets of a reference.
    fn replace(&mut self, row: &mut Resolution<'_>, theirs: &[Candidate]) {
        let mut targets = Vec::with_capacity(theirs.len());
        let mut also = Vec::new();
        let calls = row.role == Some(Role::Call);
        for candidate in theirs {
            let mut symbol = candidate.symbol;
            if let Some(def) = candidate.def.filter(|_| calls) {
                let unit = self.eval.unit(candidate.file);
                let (class, constructor) = construction(unit, def);
                match (class, constructor) {
                    // Constructing a class is an edge to the class and one to its constructor.
                    (Some(class), Some(constructor)) => {
                        symbol = class;
                        also.push(constructor);
                    }
                    (Some(class), None) => symbol = class,
                    (None, _) => {}
                }
            }
            targets.push(Target::Symbol(symbol));
        }
        targets.sort();
        targets.dedup();
        let certain = targets.len() == 1;
        row.targets = targets;
        row.members = Members::default();
        row.also = if certain { also } else { Vec::new() };
        row.tier = Some(if certain { EdgeTier::Certain } else { EdgeTier::Possible });
        (row.reason, row.compiler) = (None, true);
        let one = theirs.first().filter(|_| certain && theirs.len() == 1 && calls);
        row.dispatches = one.is_some_and(|candidate| self.dispatches(row.pos, candidate));
        row.exercises = one.is_some_and(|candidate| self.exercises(row.pos, candidate));
    }

    /// Returns whether a call of a method may run one that replaces it.
    fn dispatches(&mut self, pos: Pos, candidate: &Candidate) -> bool {
        let Some(def) = candidate.def else { return false };
        let unit = self.eval.unit(candidate.file);
        let definition = unit.facts.definition(def);
        let fixed = definition.flags.is_static || definition.flags.is_constructor;
        let derives = definition.owner.is_some_and(|owner| {
            let kind = unit.facts.definition(owner).kind;
            kind.is_class_like() && kind != DefKind::Object && kind != DefKind::Union
        });
        if definition.kind != DefKind::Function || fixed || !derives {
            return false;
        }
        let Some(expr) = self.find_called(pos) else { return false };
        let is_member = matches!(self.eval.unit(self.file).facts.expr(expr), Expr::Member { .. });
        is_member && !self.eval.is_made_here(self.file, expr)
    }

    fn find_called(&mut self, pos: Pos) -> Option<m1nd_lang::facts::ExprId> {
        let references = &self.eval.unit(self.file).facts.references;
        let calls = |row: &&m1nd_lang::facts::Reference| row.pos == pos && row.role == Role::Call;
        let start = references.partition_point(|row| row.pos < pos);
        references[start..].iter().find(calls).map(|row| row.expr)
    }

    /// Returns whether a call leads from test code to code that is none.
    fn exercises(&mut self, pos: Pos, candidate: &Candidate) -> bool {
        let unit = self.eval.unit(self.file);
        let start = unit.facts.references.partition_point(|row| row.pos < pos);
        let around = unit.facts.references.get(start).filter(|row| row.pos == pos).and_then(|row| row.enclosing);
        is_in_test(self.eval, self.file, around) && !is_test(self.eval, candidate.file, candidate.def)
    }

    /// A reference where we had seen none.
    fn add(&mut self, pos: Pos, said: &Said) -> Option<Resolution<'a>> {
        let unit = self.eval.unit(self.file);
        let is_definition = unit.facts.definitions.iter().any(|row| row.pos == pos);
        let from = if said.import { unit.file_symbol } else { around(unit, pos.line) };
        let (role, relation) = match said.import {
            true => (None, Relation::Imports),
            false => (Some(Role::Read), Relation::References),
        };
        let row = WrittenUse { name: "", role, pos, from, relation, inexact: false };
        let mut row = Resolution { compiler: true, ..Resolution::new(row, Vec::new(), None) };
        let mut theirs = self.choose_nodes(&row, said);
        // Only imports refer to modules, and a definition's own name is no reference to it.
        theirs.retain(|candidate| candidate.def.is_some() && candidate.symbol != from);
        let first = *theirs.first().filter(|_| !is_definition)?;
        let unit = self.eval.unit(first.file);
        row.name = first.def.map(|def| unit.facts.name(unit.facts.definition(def).name)).unwrap_or_default();
        self.replace(&mut row, &theirs);
        self.compared.added += 1;
        Some(row)
    }
}

/// Nodes that a reference leads to as we had it.
fn symbols(row: &Resolution<'_>) -> impl Iterator<Item = SymbolId> {
    let targets = row.targets.iter().filter_map(|target| match target {
        Target::Symbol(symbol) => Some(*symbol),
        Target::External(_) | Target::Member(_) | Target::Config(..) => None,
    });
    targets.chain(row.also.iter().copied())
}

/// Keeps the fitting rows, unless none fits.
fn narrow(rows: &mut Vec<Candidate>, mut fits: impl FnMut(&Candidate) -> bool) {
    let fitting: Vec<Candidate> = rows.iter().copied().filter(|row| fits(row)).collect();
    if !fitting.is_empty() {
        *rows = fitting;
    }
}

/// The class and the constructor that a call of a definition means: of a constructor its class, of a class its only
/// constructor.
fn construction(unit: &Unit, def: DefId) -> (Option<SymbolId>, Option<SymbolId>) {
    let facts = &unit.facts;
    let definition = facts.definition(def);
    let symbol = |def: DefId| unit.symbols[def.index()];
    if definition.flags.is_constructor {
        let class = definition.owner.filter(|owner| facts.definition(*owner).kind.is_class_like());
        return (class.and_then(symbol), symbol(def));
    }
    if !definition.kind.is_class_like() {
        return (None, None);
    }
    let own = |row: &&Definition| row.owner == Some(def) && row.flags.is_constructor;
    let mut constructors = facts.definitions.iter().enumerate().filter(|(_, row)| own(row));
    match (constructors.next(), constructors.next()) {
        (Some((index, _)), None) => (symbol(def), symbol(DefId(index as u32))),
        _ => (symbol(def), None),
    }
}

/// The innermost node around a line.
fn around(unit: &Unit, line: u32) -> SymbolId {
    let nodes = unit.facts.definitions.iter().zip(&unit.symbols);
    let inside = nodes.filter(|(row, symbol)| symbol.is_some() && row.line_start <= line && line <= row.line_end);
    // Owners come before their members, so of equally narrow ones the last is the innermost.
    let narrowest = inside.min_by_key(|(row, _)| (row.line_end - row.line_start, std::cmp::Reverse(row.pos)));
    narrowest.and_then(|(_, symbol)| *symbol).unwrap_or(unit.file_symbol)
}
