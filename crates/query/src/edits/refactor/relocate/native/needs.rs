//! What moved code needs where it goes: headers, declarations, names of the file that it leaves.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::{EdgeTier, NodeKind, Pos};
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_lang::facts::ScopeId;
use m1nd_lang::{NativeItem, RegionKind};

use super::super::draft::folder_of;
use super::leave::join_names;
use super::moving::Moving;
use super::sight::Include;
use super::standard::names_of_header;
use super::unit::{Form, Unit, Word, is_keyword};
use crate::edits::refactor::CannotRefactor;
use crate::edits::verify::{is_use, sites};

/// Maximum number of parts of the old file that are searched for names: what goes, and declarations.
const MAX_PARTS: usize = 200;

/// Maximum number of names that a type is followed through.
const MAX_ALIASES: usize = 20;

/// Words between a type and what is declared with it.
const QUALIFIERS: &[&str] = &["const ", "volatile ", "restrict "];

/// The names in sight of the old file.
struct Known {
    /// Definitions outside of functions and types, by name.
    by_name: BTreeMap<String, Vec<NodeIx>>,
    /// What the words at places of the old file mean.
    by_place: BTreeMap<Pos, Vec<NodeIx>>,
    /// Parameters and variables of functions.
    local: BTreeSet<String>,
}

impl Moving<'_> {
    /// Finds what the target must include and declare.
    pub(super) fn find_needs(&mut self) -> Result<(), CannotRefactor> {
        let known = self.read_known();
        let mut parts: Vec<Range<usize>> = self.pieces.iter().map(|piece| piece.lines.clone()).collect();
        let mut outside: BTreeSet<String> = BTreeSet::new();
        let mut next = 0;
        while next < parts.len().min(MAX_PARTS) {
            let words: Vec<Word> = self.origin.words_in(&parts[next]).to_vec();
            next += 1;
            for word in words {
                if let Some(part) = self.need_word(&word, &known, &mut outside)?
                    && !parts.contains(&part)
                {
                    parts.push(part);
                }
            }
        }
        self.declare_moved_in_sight()?;
        self.need_in_front(&known)?;
        self.need_system_headers(&outside)?;
        self.need_usings(&parts, &outside)
    }

    fn read_known(&self) -> Known {
        let graph = self.graph();
        let mut files = self.sight.seen_from(self.from(), &BTreeMap::new());
        files.insert(self.from().to_owned());
        let mut by_name: BTreeMap<String, Vec<NodeIx>> = BTreeMap::new();
        for file in files.iter().filter_map(|path| graph.find_file(path)) {
            for node in graph.of_file(file) {
                let is_outer = graph
                    .parent(node)
                    .is_some_and(|parent| matches!(graph.kind(parent), NodeKind::File | NodeKind::Module))
                    || graph.kind(node) == NodeKind::Variant;
                if is_outer && graph.kind(node) != NodeKind::Module {
                    by_name.entry(graph.label(node).to_owned()).or_default().push(node);
                }
            }
        }
        let mut by_place: BTreeMap<Pos, Vec<NodeIx>> = BTreeMap::new();
        if let Some(file) = graph.find_file(self.from()) {
            let edges = graph.of_file(file).into_iter().chain([file]).flat_map(|node| graph.out_edges(node));
            for edge in edges.filter(|edge| is_use(edge.relation) && edge.tier != EdgeTier::External) {
                sites(&edge).into_iter().for_each(|pos| by_place.entry(pos).or_default().push(edge.to));
            }
        }
        let facts = &self.origin.parsed.facts;
        let bound = facts.bindings.iter().filter(|binding| binding.scope != ScopeId(0)).map(|binding| binding.name);
        let names = bound.chain(facts.parameters.iter().map(|parameter| parameter.name));
        let local = names.map(|name| facts.name(name).to_owned()).collect();
        Known { by_name, by_place, local }
    }

    /// Finds what a word needs; the part of the old file that has to be declared for it.
    fn need_word(
        &mut self,
        word: &Word,
        known: &Known,
        outside: &mut BTreeSet<String>,
    ) -> Result<Option<Range<usize>>, CannotRefactor> {
        let name = self.origin.spelling(word).to_owned();
        if self.pieces.iter().any(|piece| piece.names.contains(&name)) {
            return Ok(None);
        }
        let pos = self.pos_of(word.range.start);
        let exact = known.by_place.get(&pos).cloned().unwrap_or_default();
        let found = match exact.is_empty() {
            false => exact,
            true if word.is_member => return Ok(None),
            true => {
                let all = known.by_name.get(&name).cloned().unwrap_or_default();
                // A local variable may have the name of something outside.
                let is_macro = all.iter().any(|node| self.graph().kind(*node) == NodeKind::Macro);
                if known.local.contains(&name) && !is_macro {
                    return Ok(None);
                }
                if all.is_empty() && !is_keyword(&self.origin, &name) {
                    outside.insert(name);
                }
                all
            }
        };
        if found.is_empty() {
            return Ok(None);
        }
        let part = self.need_one_of(&self.graph().with_same_symbols(found.clone()), word.range.start)?;
        if self.is_by_value(word) {
            let complete = self.list_complete(word, &found, known);
            if !complete.is_empty() {
                self.need_one_of(&complete, word.range.start)?;
            }
        }
        Ok(part)
    }

    /// Whether what goes needs the size or the members of the type that a word names, not only its name.
    fn is_by_value(&self, word: &Word) -> bool {
        let text = self.origin.text();
        let Some(piece) = self.pieces.iter().find(|piece| piece.lines.contains(&word.range.start)) else {
            return false;
        };
        let code = &text[self.origin.code_of(piece.item)];
        let has_size = match piece.form {
            Form::Type => code.contains('{'),
            Form::Variable { is_extern, .. } => !is_extern,
            Form::Function { .. } => true,
            Form::Prototype { .. } | Form::Macro | Form::Other => false,
        };
        let mut rest = text[word.range.end..].trim_start();
        while let Some(behind) = QUALIFIERS.iter().find_map(|qualifier| rest.strip_prefix(qualifier)) {
            rest = behind.trim_start();
        }
        has_size && !word.is_forward && !rest.starts_with(['*', '&', ';'])
    }

    /// The definitions with members of a type, which a `typedef` may give another name.
    fn list_complete(&self, word: &Word, found: &[NodeIx], known: &Known) -> Vec<NodeIx> {
        let graph = self.graph();
        let is_complete = |node: &NodeIx| {
            is_of_header(graph.kind(*node))
                && graph.kind(*node) != NodeKind::Type
                && !graph.flags(*node).has(NodeFlags::DECLARATION)
        };
        let exact: Vec<NodeIx> = found.iter().copied().filter(is_complete).collect();
        let is_type = |node: &NodeIx| is_of_header(graph.kind(*node));
        if !exact.is_empty() || !found.iter().any(is_type) {
            return exact;
        }
        let (mut names, mut next) = (vec![self.origin.spelling(word).to_owned()], 0);
        while next < names.len().min(MAX_ALIASES) {
            let all = known.by_name.get(&names[next]).map_or(&[][..], Vec::as_slice);
            let complete: Vec<NodeIx> = all.iter().copied().filter(is_complete).collect();
            if !complete.is_empty() {
                return complete;
            }
            for node in all.iter().filter(|node| graph.kind(**node) == NodeKind::Type) {
                let meant = graph.signature(*node);
                let words = meant.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
                let words: Vec<&str> = words.filter(|_| !meant.contains(['*', '(', '{'])).collect();
                names.extend(
                    words.into_iter().filter(|word| *word != names[next]).map(str::to_owned).collect::<Vec<_>>(),
                );
            }
            next += 1;
        }
        Vec::new()
    }

    fn pos_of(&self, at: usize) -> Pos {
        let text = self.origin.text();
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let col = u16::try_from(text[start..at].chars().count() + 1).unwrap_or(u16::MAX);
        Pos { line: self.origin.line_of(at), col }
    }

    /// Brings one of several definitions of a name into sight of the target.
    fn need_one_of(&mut self, all: &[NodeIx], at: usize) -> Result<Option<Range<usize>>, CannotRefactor> {
        let graph = self.graph();
        let to = self.request.to.as_str();
        let in_sight = self.sight.seen_from(to, &self.more);
        if let Some(node) = all.iter().find(|node| graph.path(**node) == to) {
            let at = self.target.as_ref().and_then(|target| {
                let own = target.parsed.definition(graph.id(*node))?;
                target.item_at(target.parsed.offset(target.parsed.facts.definitions[own].pos)?)
            });
            self.used_in_target.extend(at);
            return Ok(None);
        }
        if all.iter().any(|node| in_sight.contains(graph.path(*node))) {
            return Ok(None);
        }
        let seen = self.sight.seen_from(self.from(), &BTreeMap::new());
        if let Some(node) = all.iter().find(|node| seen.contains(graph.path(**node))) {
            self.include_for(graph.path(*node))?;
            return Ok(None);
        }
        let own = all.iter().filter(|node| graph.path(**node) == self.from()).filter_map(|node| self.item_of(*node));
        match own.into_iter().find(|item| !self.pieces.iter().any(|piece| piece.item == *item)) {
            Some(item) => self.need_of_origin(item, at),
            None => Ok(None),
        }
    }

    /// Makes something of the old file known in the target.
    fn need_of_origin(&mut self, item: usize, at: usize) -> Result<Option<Range<usize>>, CannotRefactor> {
        let names = self.origin.names_of(item);
        if self.from_header {
            let from = self.from().to_owned();
            self.include_path(&from);
            return Ok(None);
        }
        let is_static = match self.origin.form_of(item) {
            Form::Function { is_static, is_member: false, .. } | Form::Variable { is_static, is_member: false, .. } => {
                is_static
            }
            Form::Prototype { is_static } => is_static,
            Form::Function { .. } | Form::Variable { .. } => return Ok(None),
            Form::Type | Form::Macro | Form::Other => {
                let hint = if self.request.with_helpers { "" } else { "; with_helpers takes along what only it uses" };
                let why = format!("uses `{}`, which this file keeps to itself{hint}", join_names(&names));
                return Err(self.refuse_at(at, why));
            }
        };
        if let Some(region) = self.origin.obstacle_around(item) {
            let why = format!("`{}` belongs to this file alone, or stands under a condition", join_names(&names));
            return Err(self.refuse_at(region.bytes.start, why));
        }
        let declaration = self.origin.declaration_of(item).map_err(|why| {
            self.refuse_at(at, format!("uses `{}`, which this file keeps to itself and {why}", join_names(&names)))
        })?;
        let word = self.origin.words.iter().find(|word| word.range.start == at);
        if word.is_some_and(|word| self.origin.needs_size(item, &word.range)) {
            let why = format!("uses `{}`, an array whose size only this file knows", join_names(&names));
            return Err(self.refuse_at(at, why));
        }
        if is_static {
            self.raise(item)?;
        }
        let row = (self.origin.scope_of(self.origin.native.items[item].region), declaration);
        if !self.declarations.contains(&row) {
            self.note(self.from(), self.origin.line_of(at), format!("the target declares `{}`", join_names(&names)));
            self.declarations.push(row);
        }
        let end = self.origin.native.items[item].body.unwrap_or(self.origin.code_of(item).end);
        Ok(Some(self.origin.code_of(item).start..end))
    }

    /// Includes what brings a header into the old file: in a header the file itself, in a source what it writes.
    fn include_for(&mut self, header: &str) -> Result<(), CannotRefactor> {
        let brings = |include: &&Include| {
            include
                .to
                .as_deref()
                .is_some_and(|to| to == header || self.sight.seen_from(to, &self.more).contains(header))
        };
        let rows: Vec<&Include> = self.origin.includes.iter().filter(brings).collect();
        let is_free = |include: &&&Include| self.condition_around(include).is_none();
        let exact = rows.iter().find(|include| include.to.as_deref() == Some(header)).filter(is_free);
        let found = exact.or_else(|| rows.iter().find(is_free));
        match (found, rows.first()) {
            (Some(include), _) => {
                let path = include.to.clone().filter(|_| !self.to_header).unwrap_or_else(|| header.to_owned());
                // The header itself may be written for those that include another one.
                let path = if path == self.request.to { header.to_owned() } else { path };
                self.include_path(&path);
                Ok(())
            }
            (None, Some(include)) => {
                let block = self.condition_around(include).filter(|item| self.is_portable(*item));
                let text = match block {
                    Some(item) => self.condition_text(item, include)?,
                    None => None,
                };
                let why = format!("`{}` is included under a condition, and what moves needs it", include.written);
                let refusal = self.refuse(self.from(), include.pos.line, why);
                self.system_lines.insert(text.ok_or(refusal)?);
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }

    /// The statement of an include under a condition.
    fn condition_around(&self, include: &Include) -> Option<usize> {
        let item = self.origin.item_at(self.origin.parsed.offset(include.pos)?)?;
        let regions = self.origin.native.regions_from(self.origin.native.items[item].region);
        let mut kinds = regions.map(|region| &region.kind);
        kinds.any(|kind| matches!(kind, RegionKind::Condition | RegionKind::Unread)).then_some(item)
    }

    /// Whether the includes of the condition around a statement lead to the same files from the target, and none of
    /// them includes that.
    fn is_portable(&self, item: usize) -> bool {
        let regions = self.origin.native.regions_from(self.origin.native.items[item].region);
        let Some(outer) = regions.filter(|region| region.kind == RegionKind::Condition).last() else { return false };
        let is_same_folder = folder_of(self.from()) == folder_of(&self.request.to);
        let to = self.request.to.as_str();
        self.origin.includes.iter().all(|include| {
            let is_inside = self.origin.parsed.offset(include.pos).is_some_and(|at| outer.bytes.contains(&at));
            let is_by_folder = include.is_system || include.is_searched_from_a_folder(self.from());
            let leads_back = include
                .to
                .as_deref()
                .is_some_and(|path| path == to || self.sight.seen_from(path, &self.more).contains(to));
            !is_inside || !include.is_doubtful && !leads_back && (is_same_folder || is_by_folder)
        })
    }

    /// Notes that the target includes a file.
    fn include_path(&mut self, path: &str) {
        let to = self.request.to.clone();
        if path != to && !self.sight.seen_from(&to, &self.more).contains(path) {
            self.more.entry(to).or_default().insert(path.to_owned());
        }
    }

    /// Headers that those of the target use without including them: the old file includes them in front.
    fn need_in_front(&mut self, known: &Known) -> Result<(), CannotRefactor> {
        let graph = self.graph();
        let mut done: BTreeSet<String> = BTreeSet::new();
        loop {
            let new = self.more.get(&self.request.to).into_iter().flatten();
            let Some(header) = new.into_iter().find(|path| !done.contains(*path)).cloned() else { return Ok(()) };
            done.insert(header.clone());
            let unit = Unit::read(self.snapshot, &self.sight, &header, self.cancel)?;
            let mut own = self.sight.seen_from(&header, &BTreeMap::new());
            own.insert(header.clone());
            let names: BTreeSet<&str> =
                unit.words.iter().filter(|word| !word.is_member).map(|word| unit.spelling(word)).collect();
            for name in names {
                let all = known.by_name.get(name).map_or(&[][..], Vec::as_slice);
                let types: Vec<NodeIx> = all.iter().copied().filter(|node| is_of_header(graph.kind(*node))).collect();
                let is_known = types.iter().any(|node| own.contains(graph.path(*node)));
                let other = types.iter().map(|node| graph.path(*node)).find(|path| *path != self.from());
                let in_sight = self.sight.seen_from(&self.request.to, &self.more);
                if let Some(path) = other.filter(|path| !is_known && !in_sight.contains(*path)) {
                    self.include_for(path)?;
                }
            }
        }
    }

    /// The headers that declare the functions that go, so that the compiler compares both.
    fn declare_moved_in_sight(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.graph();
        let seen = self.sight.seen_from(self.from(), &BTreeMap::new());
        let nodes: Vec<NodeIx> = self.pieces.iter().flat_map(|piece| piece.nodes.iter().copied()).collect();
        for node in nodes {
            let declared = graph.declarations(node).into_iter().map(|node| graph.path(node));
            let headers: Vec<&str> = declared.filter(|path| seen.contains(*path)).collect();
            let in_sight = self.sight.seen_from(&self.request.to, &self.more);
            if let Some(header) = headers.first().filter(|_| !headers.iter().any(|path| in_sight.contains(*path))) {
                self.include_for(header)?;
            }
        }
        Ok(())
    }

    /// Headers of the system that declare what goes uses.
    fn need_system_headers(&mut self, outside: &BTreeSet<String>) -> Result<(), CannotRefactor> {
        let known_in_target = |include: &Include| {
            let mut own = self.target.iter().flat_map(|target| target.includes.iter());
            own.any(|other| other.to.is_none() && other.written == include.written)
        };
        let rows: Vec<Include> = self
            .origin
            .includes
            .iter()
            .filter(|include| include.to.is_none() && !include.is_doubtful)
            .cloned()
            .collect();
        let declared = |include: &Include| names_of_header(&include.written);
        // What is included anyway is not needed under a condition.
        let always: BTreeSet<String> = rows
            .iter()
            .filter(|include| self.condition_around(include).is_none())
            .map(|include| include.written.clone())
            .collect();
        let explained: BTreeSet<&str> =
            rows.iter().filter_map(declared).flat_map(|names| names.iter().copied()).collect();
        let is_open = outside.iter().any(|name| !explained.contains(name.as_str()) && name != "std");
        let mut lines = BTreeSet::new();
        for include in &rows {
            let is_needed = match declared(include) {
                Some(names) => outside.iter().any(|name| names.contains(name.as_str())),
                None => is_open,
            };
            if !is_needed || known_in_target(include) {
                continue;
            }
            if let Some(item) = self.condition_around(include) {
                if always.contains(&include.written) || self.is_behind(item) {
                    continue;
                }
                lines.extend(self.condition_text(item, include)?);
                continue;
            }
            lines.insert(match include.is_system {
                true => format!("#include <{}>", include.written),
                false => format!("#include \"{}\"", include.written),
            });
        }
        self.system_lines.extend(lines);
        Ok(())
    }

    /// Whether a statement stands behind all that goes.
    fn is_behind(&self, item: usize) -> bool {
        let start = self.origin.native.items[item].item.bytes.start;
        self.pieces.iter().all(|piece| piece.lines.end <= start)
    }

    /// The whole of a condition in which only headers are included.
    fn condition_text(&self, item: usize, include: &Include) -> Result<Option<String>, CannotRefactor> {
        let regions = self.origin.native.regions_from(self.origin.native.items[item].region);
        let outer = regions.filter(|region| region.kind == RegionKind::Condition).last();
        let Some(outer) = outer else { return Ok(None) };
        let inner = self.origin.native.items.iter().filter(|item| outer.bytes.contains(&item.item.bytes.start));
        let is_plain = |item: &NativeItem| {
            matches!(&*item.item.node_kind, "preproc_include" | "comment" | "preproc_def" | "preproc_call")
        };
        if inner.into_iter().all(is_plain) {
            return Ok(Some(self.origin.text()[outer.bytes.clone()].trim_end().to_owned()));
        }
        let why = format!("`{}` is included under a condition, and what moves may need it", include.written);
        Err(self.refuse(self.from(), include.pos.line, why))
    }

    /// `using` statements of the old file that what goes is read with.
    fn need_usings(&mut self, parts: &[Range<usize>], outside: &BTreeSet<String>) -> Result<(), CannotRefactor> {
        let first = parts.first().map_or(0, |part| part.start);
        let used: BTreeSet<String> = parts
            .iter()
            .flat_map(|part| self.origin.words_in(part))
            .map(|word| self.origin.spelling(word).to_owned())
            .collect();
        let mut found = Vec::new();
        for (place, row) in self.origin.native.items.iter().enumerate() {
            if !matches!(&*row.item.node_kind, "using_declaration" | "namespace_alias_definition")
                || row.item.bytes.start > first
            {
                continue;
            }
            let text = self.origin.text()[row.item.bytes.clone()].trim_end_matches(';').to_owned();
            let is_wide = text.contains(" namespace ");
            let name = text.split(['=', ' ']).rfind(|part| !part.is_empty()).unwrap_or_default();
            let last = match text.strip_prefix("namespace ") {
                Some(rest) => rest.split(['=', ' ']).next().unwrap_or_default(),
                None => name.rsplit("::").next().unwrap_or(name),
            };
            let is_needed = if is_wide { !outside.is_empty() } else { used.contains(last) };
            let is_there = self.target.as_ref().is_some_and(|target| target.text().contains(&text));
            if is_needed && !is_there {
                if self.to_header || self.origin.obstacle_around(place).is_some() {
                    let why = "may be what a name means that moves, and a header should not have it";
                    return Err(self.refuse_at(row.item.bytes.start, why));
                }
                let scope = self.origin.scope_of(row.region);
                let code = format!("{text};");
                found.push(scope.iter().rev().fold(code, |code, name| format!("namespace {name} {{ {code} }}")));
            }
        }
        self.usings.extend(found);
        Ok(())
    }
}

/// Returns whether a header needs such a thing of another one to be read.
pub(super) const fn is_of_header(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Class | NodeKind::Struct | NodeKind::Enum | NodeKind::Type)
}
