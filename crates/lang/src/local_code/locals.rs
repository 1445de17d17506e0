//! The variables of a function: where each is declared, written and read.

use std::ops::Range;

use m1nd_base::Limits;
use rustc_hash::FxHashMap;
use tree_sitter::{Node, Tree};

use super::list_named;
use super::rules::{Act, LocalRules, Reach};
use crate::Language;
use crate::walk::{Enter, Step, Visitor, visit};

/// A variable, parameter or other name that a function declares.
#[derive(Debug)]
pub(super) struct Variable<'t> {
    pub(super) name: String,
    /// Bytes where it is known.
    pub(super) known: Range<usize>,
    /// Name at its first declaration.
    pub(super) at: Node<'t>,
    /// The node that declares it.
    pub(super) by: Node<'t>,
    /// First byte of the function around it.
    pub(super) function: usize,
}

impl Variable<'_> {
    /// Returns whether it is an attribute of a class of Python inside of a function.
    pub(super) fn is_attribute(&self) -> bool {
        let is_own = self.by.child_by_field_name("name") == Some(self.at);
        let mut node = if is_own { self.by.parent() } else { Some(self.at) };
        while let Some(at) = node {
            match at.kind() {
                "class_definition" => return true,
                "function_definition" | "lambda" | "module" => return false,
                _ => node = at.parent(),
            }
        }
        false
    }
}

/// A place that names a variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use<'t> {
    pub(super) variable: usize,
    pub(super) at: Node<'t>,
    pub(super) act: Act,
    /// Byte at which it takes effect: what is assigned is evaluated before.
    pub(super) order: usize,
    /// First byte of the function around it.
    pub(super) function: usize,
}

impl Use<'_> {
    pub(super) fn is_read(&self) -> bool {
        matches!(self.act, Act::Read | Act::Update)
    }

    pub(super) fn is_write(&self) -> bool {
        matches!(self.act, Act::Write | Act::Update | Act::Declare(_))
    }

    /// Returns whether it is in a range of bytes.
    pub(super) fn is_in(&self, range: &Range<usize>) -> bool {
        range.contains(&self.at.start_byte())
    }
}

/// The variables of a piece of code, and what happens to them.
#[derive(Debug, Default)]
pub(super) struct Locals<'t> {
    pub(super) variables: Vec<Variable<'t>>,
    /// In order of their place.
    pub(super) uses: Vec<Use<'t>>,
    /// Names that `global` and `nonlocal` give to another function.
    pub(super) outer: Vec<String>,
    /// Names that the piece does not declare, with their first bytes.
    pub(super) free: Vec<(String, usize)>,
    /// Every word of the piece, whatever it means.
    pub(super) words: std::collections::BTreeSet<String>,
}

/// A place that names something, before it is known what.
struct Found<'t> {
    name: String,
    at: Node<'t>,
    by: Node<'t>,
    act: Act,
    known: Range<usize>,
    order: usize,
    function: usize,
    /// Scopes whose variables it does not see, although it stands in them.
    unseen: Vec<Range<usize>>,
}

struct Finder<'t, 'x> {
    rules: &'static LocalRules,
    language: Language,
    text: &'x str,
    root: Node<'t>,
    found: Vec<Found<'t>>,
    locals: Locals<'t>,
}

impl<'t> Locals<'t> {
    /// Finds the variables below a node.
    pub(super) fn find(
        (language, rules): (Language, &'static LocalRules),
        tree: &'t Tree,
        root: Node<'t>,
        text: &str,
        limits: &Limits,
    ) -> Self {
        let mut finder = Finder { rules, language, text, root, found: Vec::new(), locals: Self::default() };
        visit(tree, limits, &mut finder);
        finder.resolve()
    }

    /// The uses of a variable.
    pub(super) fn of(&self, variable: usize) -> impl Iterator<Item = &Use<'t>> {
        self.uses.iter().filter(move |found| found.variable == variable)
    }
}

impl<'t> Visitor<'t> for Finder<'t, '_> {
    fn enter(&mut self, step: Step<'t>, path: &[Step<'t>]) -> Enter {
        let node = step.node;
        let (start, end) = (self.root.start_byte(), self.root.end_byte());
        if node.end_byte() <= start || node.start_byte() >= end {
            return Enter::Skip;
        }
        if node.start_byte() < start || node.end_byte() > end {
            return Enter::Descend;
        }
        let kind = node.kind();
        if matches!(kind, "global_statement" | "nonlocal_statement") {
            let names = self.text.get(node.byte_range()).unwrap_or_default().split([',', ' ']).skip(1);
            self.locals.outer.extend(names.map(str::to_owned));
            return Enter::Skip;
        }
        if self.language == Language::Rust
            && kind == "string_literal"
            && path.iter().any(|s| s.node.kind() == "token_tree")
        {
            self.find_captured(step, path);
        }
        if node.child_count() == 0 {
            self.locals.words.insert(self.text.get(node.byte_range()).unwrap_or_default().to_owned());
        }
        if self.rules.names.contains(&kind) {
            self.add(step, path);
        }
        Enter::Descend
    }

    fn leave(&mut self, _: Step<'t>, _: &[Step<'t>]) {}

    fn is_done(&self) -> bool {
        false
    }
}

impl<'t> Finder<'t, '_> {
    /// Adds a name with what happens to it, which the nodes above it say.
    fn add(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let name = self.text.get(step.node.byte_range()).unwrap_or_default();
        if name == "_" || name.is_empty() {
            return;
        }
        let (mut field, mut below) = (step.field, step.node);
        let mut found = (Act::Read, path.len());
        for (depth, parent) in path.iter().enumerate().rev() {
            let kind = parent.node.kind();
            let own = field.unwrap_or("");
            if let Some(act) = find_other_part(parent.node, below) {
                found.0 = act;
                break;
            }
            let slot = self.rules.slots.iter().find(|slot| slot.0 == kind && (slot.1.is_empty() || slot.1 == own));
            if let Some((_, _, act)) = slot {
                found = (*act, depth);
                break;
            }
            // `(k, v) = …` writes, `(k, v)` reads.
            if !self.rules.patterns.iter().any(|(pattern, via)| *pattern == kind && *via == own) {
                break;
            }
            (field, below) = (parent.field, parent.node);
        }
        let (mut act, depth) = found;
        if act == Act::Nothing {
            return;
        }
        let by = path.get(depth).map_or(step.node, |parent| parent.node);
        if self.is_path_or_value(act, by, below, name) {
            act = if self.language == Language::Python && by.kind() != "assignment" { Act::Nothing } else { Act::Read };
        }
        act = self.correct(act, by, name);
        if matches!(self.language, Language::C | Language::Cpp) {
            act = super::c_names::correct(act, (by, step.node), self.text);
        }
        if act == Act::Nothing {
            return;
        }
        let known = match act {
            Act::Declare(reach) => self.find_known(reach, (by, below, depth), path),
            _ => Some(0..0),
        };
        let Some(known) = known else { return };
        let order = match act {
            Act::Read => step.node.start_byte(),
            _ => by.child_by_field_name("body").map_or(by.end_byte(), |body| body.start_byte()),
        };
        // The name of a function belongs to the function around it.
        let is_own_name = matches!(act, Act::Declare(Reach::Function))
            && self.rules.functions.contains(&by.kind())
            && by.child_by_field_name("name") == Some(step.node);
        let function = self.function_start(if is_own_name { &path[..depth] } else { path });
        let unseen = if self.language == Language::Python { list_unseen(step.node, path) } else { Vec::new() };
        self.found.push(Found { name: name.to_owned(), at: step.node, by, act, known, order, function, unseen });
    }

    /// Returns whether a name in a pattern is not a variable: a constant, or a part of a path behind the first.
    fn is_path_or_value(&self, act: Act, by: Node<'t>, below: Node<'t>, name: &str) -> bool {
        let is_declared = matches!(act, Act::Declare(_));
        let is_upper = name.starts_with(char::is_uppercase);
        match self.language {
            Language::Rust => {
                let is_path = below.kind() == "scoped_identifier";
                is_declared && (is_upper || is_path) && !by.kind().ends_with("_item") && !by.kind().starts_with("use_")
            }
            // `import a.b` binds `a`, and `case a.b:` binds nothing.
            Language::Python => {
                let is_first = self.text.get(below.start_byte()..).is_some_and(|rest| rest.starts_with(name));
                is_declared
                    && below.kind() == "dotted_name"
                    && below.named_child_count() > 1
                    && !(by.kind() == "import_statement" && is_first)
            }
            _ => false,
        }
    }

    /// What the table cannot tell by the kind of a node alone.
    fn correct(&self, act: Act, by: Node<'t>, name: &str) -> Act {
        let has_token = |token: &str| {
            let mut cursor = by.walk();
            by.children(&mut cursor).any(|child| child.kind() == token)
        };
        match (by.kind(), act) {
            // `for x = range …` and `for (x of …)` write a variable that is there.
            ("range_clause" | "receive_statement", Act::Declare(_)) if !has_token(":=") => Act::Write,
            ("for_in_statement", Act::Declare(_)) if by.child_by_field_name("kind").is_none() => Act::Write,
            ("variable_declarator", Act::Declare(_))
                if by.parent().is_some_and(|list| list.kind() == "variable_declaration") =>
            {
                Act::Declare(Reach::Function)
            }
            ("assignment_statement", Act::Write) => {
                let operator = by.child_by_field_name("operator").map_or("=", |node| node.kind());
                if operator == "=" { Act::Write } else { Act::Update }
            }
            ("assignment_expression", Act::Write) if self.language == Language::Java => {
                let operator = by.child_by_field_name("operator").map_or("=", |node| node.kind());
                if operator == "=" { Act::Write } else { Act::Update }
            }
            (_, Act::Declare(_)) if self.locals.outer.iter().any(|outer| outer == name) => Act::Nothing,
            _ => act,
        }
    }

    /// Bytes in which a declared name is known; `None` if that is not below the root.
    fn find_known(
        &self,
        reach: Reach,
        (by, below, depth): (Node<'t>, Node<'t>, usize),
        path: &[Step<'t>],
    ) -> Option<Range<usize>> {
        let is_inside =
            |node: Node<'_>| node.start_byte() >= self.root.start_byte() && node.end_byte() <= self.root.end_byte();
        if reach == Reach::After
            && let Some(body) = by.child_by_field_name("body")
        {
            return Some(body.start_byte()..by.end_byte());
        }
        let is_class = |kind: &str| self.language == Language::Python && kind == "class_definition";
        let is_scope = |node: Node<'_>| {
            let kind = node.kind();
            self.rules.functions.contains(&kind)
                || is_class(kind)
                || (reach != Reach::Function && self.rules.scopes.contains(&kind))
        };
        // A function or class is declared in the scope around it.
        let is_own = self.rules.functions.contains(&by.kind()) || is_class(by.kind());
        let depth = match is_own && reach == Reach::Function {
            true => depth.checked_sub(1)?,
            false => depth,
        };
        let scope = path.get(..=depth)?.iter().rev().map(|step| step.node).find(|node| is_scope(*node))?;
        if !is_inside(scope) {
            return None;
        }
        Some(match reach {
            Reach::Rest => by.end_byte()..scope.end_byte(),
            Reach::After => below.end_byte()..scope.end_byte(),
            Reach::Scope | Reach::Function => scope.byte_range(),
        })
    }

    fn function_start(&self, path: &[Step<'t>]) -> usize {
        let found = path.iter().rev().find(|step| self.rules.functions.contains(&step.node.kind()));
        found.map_or(0, |step| step.node.start_byte())
    }

    /// Adds the variables that a format string of a macro of Rust names.
    fn find_captured(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let literal = self.text.get(step.node.byte_range()).unwrap_or_default();
        let function = self.function_start(path);
        for part in literal.split('{').skip(1) {
            let end = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
            if end > 0 {
                self.locals.words.insert(part[..end].to_owned());
                let (name, at) = (part[..end].to_owned(), step.node);
                let order = at.start_byte();
                let unseen = Vec::new();
                self.found.push(Found { name, at, by: at, act: Act::Read, known: 0..0, order, function, unseen });
            }
        }
    }

    /// Finds out which variable each name is.
    fn resolve(mut self) -> Locals<'t> {
        let mut by_name: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        let mut declared: FxHashMap<usize, usize> = FxHashMap::default();
        for (index, found) in self.found.iter_mut().enumerate() {
            if !matches!(found.act, Act::Declare(_)) {
                continue;
            }
            let name = found.name.clone();
            let known = by_name.entry(name.clone()).or_default();
            // A name that is declared again in its scope is the same variable, where the language says so.
            let again = known.iter().copied().find(|variable| {
                let other = &self.locals.variables[*variable];
                let is_short = found.by.kind() == "short_var_declaration";
                other.known == found.known || (is_short && other.known.end == found.known.end)
            });
            let variable = again.unwrap_or_else(|| {
                let new =
                    Variable { name, known: found.known.clone(), at: found.at, by: found.by, function: found.function };
                self.locals.variables.push(new);
                known.push(self.locals.variables.len() - 1);
                self.locals.variables.len() - 1
            });
            if again.is_some() && found.by.kind() == "short_var_declaration" {
                found.act = Act::Write;
            }
            declared.insert(index, variable);
        }
        for (index, found) in self.found.iter().enumerate() {
            let at = found.at.start_byte();
            let known = || {
                let all = by_name.get(&found.name)?.iter().copied();
                let here = all.filter(|variable| {
                    let known = &self.locals.variables[*variable].known;
                    known.contains(&at) && !found.unseen.contains(known)
                });
                here.min_by_key(|variable| {
                    let known = &self.locals.variables[*variable].known;
                    (known.end, usize::MAX - known.start)
                })
            };
            let Some(variable) = declared.get(&index).copied().or_else(known) else {
                self.locals.free.push((found.name.clone(), at));
                continue;
            };
            let Found { at, act, order, function, .. } = *found;
            self.locals.uses.push(Use { variable, at, act, order, function });
        }
        self.locals
    }
}

/// What a name is that stands in a pattern and is not one of its variables: a type, the name of a field, a path.
/// `None` if it may be one.
fn find_other_part(pattern: Node<'_>, part: Node<'_>) -> Option<Act> {
    let is_first = pattern.named_child(0) == Some(part);
    match pattern.kind() {
        "class_pattern" if part.kind() == "dotted_name" => Some(Act::Read),
        "keyword_pattern" if is_first => Some(Act::Nothing),
        "dotted_name" if pattern.named_child_count() > 1 => {
            let is_import = pattern.parent().is_some_and(|above| above.kind().contains("import"));
            let act = if is_first { Act::Read } else { Act::Nothing };
            (!is_import).then_some(act)
        }
        "type_pattern" | "record_pattern_component" => {
            let is_name = list_named(pattern).last() == Some(&part);
            (!is_name).then_some(Act::Read)
        }
        _ => None,
    }
}

/// Scopes of Python that a name stands in and does not see: a comprehension whose first iterable it is in, and a class
/// around a function that it is in.
fn list_unseen(name: Node<'_>, path: &[Step<'_>]) -> Vec<Range<usize>> {
    let mut unseen = Vec::new();
    let (mut below, mut in_function) = (name, false);
    for (depth, parent) in path.iter().enumerate().rev() {
        let node = parent.node;
        let above = depth.checked_sub(1).and_then(|depth| path.get(depth)).map(|above| above.node);
        match node.kind() {
            "for_in_clause" if node.child_by_field_name("right") == Some(below) => {
                let first = |around: &Node<'_>| {
                    list_named(*around).into_iter().find(|child| child.kind() == "for_in_clause") == Some(node)
                };
                unseen.extend(above.filter(first).map(|around| around.byte_range()));
            }
            "function_definition" | "lambda" => in_function |= node.child_by_field_name("body") == Some(below),
            "class_definition" if in_function => unseen.push(node.byte_range()),
            _ => {}
        }
        below = node;
    }
    unseen
}
