//! How many arguments a function takes, and how many a call has.

use std::fmt;

use m1nd_base::{Cancel, NodeKind, Pos, Relation, RepoPath};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_lang::FileFacts;
use m1nd_lang::edit_rules::{EditRules, Strictness, Wrapping};
use m1nd_lang::facts::{BindingTarget, DefId, Expr, ExprId, ParameterKind, Reference, Role};
use rustc_hash::{FxHashMap, FxHashSet};

use super::keywords::{Given, Parameters};

/// The [`m1nd_lang::facts::Reference::arity`] of calls with a number that is not known.
const UNKNOWN: u8 = 255;

/// Methods of Python that the language calls with the arguments of a call.
const WITH_ARGUMENTS: &[&str] = &["__init__", "__new__", "__call__"];

/// Words before the name of a function or method of TypeScript.
const MODIFIERS: &[&str] = &[
    "export", "default", "declare", "async", "function", "public", "private", "protected", "static", "abstract",
    "override",
];

/// Numbers of arguments that a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    least: usize,
    /// `None` without a limit.
    most: Option<usize>,
    /// Called through its type, it takes its receiver as an argument, too.
    has_receiver: bool,
}

impl Counts {
    pub(super) fn fits(self, given: usize) -> bool {
        given >= self.least && self.most.is_none_or(|most| given <= most + usize::from(self.has_receiver))
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (least, Some(most)) if least == most => write!(f, "{most} argument(s)"),
            (least, Some(most)) => write!(f, "{least} to {most} arguments"),
            (least, None) => write!(f, "at least {least} arguments"),
        }
    }
}

/// Returns whether a decorator may change what a function takes. Where types are checked, those of the declaration
/// count.
fn may_wrap(language: Language, facts: &FileFacts, decorator: ExprId) -> bool {
    match EditRules::of(language).arguments.wrapping {
        Wrapping::Never => false,
        Wrapping::Unless(names) => match facts.expr(decorator) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => !names.contains(&facts.name(name)),
            _ => true,
        },
        Wrapping::Always => true,
    }
}

/// Names that several lines of TypeScript declare as functions or, with a type of what they return, as methods.
fn overloads(text: &str) -> FxHashSet<String> {
    let (mut once, mut more) = (FxHashSet::default(), FxHashSet::default());
    for line in text.lines() {
        let mut rest = line.trim_start();
        let mut is_function = false;
        while let Some((word, after)) = rest.split_once(' ').filter(|(word, _)| MODIFIERS.contains(word)) {
            is_function |= word == "function";
            rest = after.trim_start();
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let is_signature = after.starts_with(['(', '<']) && (is_function || after.contains("):"));
        if is_signature && !name.is_empty() && !once.insert(name) {
            more.insert(name.to_owned());
        }
    }
    more
}

/// Facts of files of one snapshot, extracted when first asked for.
pub(super) struct Arguments<'a> {
    snapshot: &'a Snapshot,
    cancel: &'a Cancel,
    texts: FxHashMap<String, String>,
    files: FxHashMap<String, Option<Facts>>,
}

struct Facts {
    facts: FileFacts,
    calls: FxHashMap<Pos, usize>,
    /// Names that several signatures have: what is defined takes other arguments than it declares.
    overloaded: FxHashSet<String>,
    /// Its text, if calls may name their arguments.
    text: Option<(Language, String)>,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, cancel: &'a Cancel) -> Self {
        Self { snapshot, cancel, texts: FxHashMap::default(), files: FxHashMap::default() }
    }

    /// The text of a file that is not what is on disk.
    pub(super) fn set_text(&mut self, path: &str, text: &str) {
        self.texts.insert(path.to_owned(), text.to_owned());
    }

    /// Number of arguments of the call at a place; `None` in a language that takes any number, whatever the target is.
    pub(super) fn count_given(&mut self, path: &str, pos: Pos) -> Option<usize> {
        let Facts { facts, calls, .. } = self.file(path)?;
        EditRules::of(facts.language).arguments.strictness?;
        calls.get(&pos).copied()
    }

    /// The numbers that a function takes; `None` for anything else, and where it cannot be told.
    pub(super) fn counts(&mut self, node: NodeIx) -> Option<Counts> {
        let graph = self.snapshot.graph();
        if graph.kind(node) == NodeKind::Class {
            return self.counts_without_constructor(node);
        }
        if graph.kind(node) != NodeKind::Function {
            return None;
        }
        let strictness = EditRules::of(self.snapshot.file_of(node)?.language).arguments.strictness?;
        let language = self.snapshot.file_of(node)?.language;
        let label = graph.label(node).to_owned();
        // Called by a statement or an operator, which has no list of arguments: `with` calls `__exit__`.
        if label.starts_with("__") && label.ends_with("__") && !WITH_ARGUMENTS.contains(&label.as_str()) {
            return None;
        }
        let index = self.definition(node)?;
        let Facts { facts, overloaded, .. } = self.file(graph.path(node))?;
        if overloaded.contains(&label) {
            return None;
        }
        let decorators = facts.list(facts.definitions[index].decorators);
        if decorators.iter().any(|decorator| may_wrap(language, facts, *decorator)) {
            return None;
        }
        let mut counts = Counts { least: 0, most: Some(0), has_receiver: false };
        for parameter in facts.parameters(DefId(u32::try_from(index).ok()?)) {
            match parameter.kind {
                ParameterKind::Receiver | ParameterKind::ClassReceiver => counts.has_receiver = true,
                ParameterKind::Rest | ParameterKind::KeywordRest => counts.most = None,
                ParameterKind::Plain | ParameterKind::Keyword => {
                    counts.least += usize::from(parameter.default.is_none());
                    counts.most = counts.most.map(|most| most + 1);
                }
            }
        }
        if strictness == Strictness::TooMany {
            counts.least = 0;
        }
        Some(counts)
    }

    /// The parameters of a function by name; `None` where calls do not name them, and where they cannot be told.
    pub(super) fn parameters(&mut self, node: NodeIx) -> Option<Parameters> {
        let graph = self.snapshot.graph();
        if graph.kind(node) != NodeKind::Function {
            return None;
        }
        self.counts(node)?;
        let index = self.definition(node)?;
        let Facts { facts, text, .. } = self.file(graph.path(node))?;
        text.as_ref()?;
        Some(Parameters::of(facts, DefId(u32::try_from(index).ok()?)))
    }

    /// Why the call at a place does not fit the parameters of its target, where arguments are named.
    pub(super) fn keyword_misfit(&mut self, target: NodeIx, path: &str, pos: Pos) -> Option<String> {
        let parameters = self.parameters(target)?;
        let Facts { text, calls, .. } = self.file(path)?;
        let (language, text) = text.as_ref().filter(|_| calls.contains_key(&pos))?;
        let line = text.split_inclusive('\n').take((pos.line as usize).checked_sub(1)?).map(str::len).sum::<usize>();
        let row = text.get(line..)?.lines().next()?;
        let column = row.char_indices().nth(usize::from(pos.col).checked_sub(1)?)?.0;
        parameters.misfit(&Given::at(*language, text, line + column)?)
    }

    /// A class of Java without a constructor takes no arguments; `None` for any other one. Annotations may bring a
    /// constructor.
    fn counts_without_constructor(&mut self, class: NodeIx) -> Option<Counts> {
        let graph = self.snapshot.graph();
        let is_plain = EditRules::of(self.snapshot.file_of(class)?.language).arguments.has_default_constructor
            && !graph.signature(class).split_whitespace().any(|word| word == "record")
            && !graph
                .out_edges(class)
                .any(|edge| edge.relation == Relation::Contains && graph.flags(edge.to).has(NodeFlags::CONSTRUCTOR));
        let index = self.definition(class).filter(|_| is_plain)?;
        let Facts { facts, .. } = self.file(graph.path(class))?;
        facts.list(facts.definitions[index].decorators).is_empty().then_some(Counts {
            least: 0,
            most: Some(0),
            has_receiver: false,
        })
    }

    /// Returns whether a decorator or annotation of a name stands before a member of a named type.
    pub(super) fn has_decorator(&mut self, node: NodeIx, name: &str) -> bool {
        let path = self.snapshot.graph().path(node);
        let Some(index) = self.definition(node) else { return false };
        let Some(Facts { facts, .. }) = self.file(path) else { return false };
        let owner = facts.definitions[index].owner.map(|owner| facts.definition(owner));
        if owner.is_none_or(|owner| owner.flags.is_anonymous || !owner.kind.is_type()) {
            return false;
        }
        facts.list(facts.definitions[index].decorators).iter().any(|decorator| match facts.expr(*decorator) {
            Expr::Name { name: own, .. } | Expr::Member { name: own, .. } => facts.name(own) == name,
            _ => false,
        })
    }

    /// Place of the definition of a node among those of its file.
    fn definition(&mut self, node: NodeIx) -> Option<usize> {
        let graph = self.snapshot.graph();
        let Facts { facts, .. } = self.file(graph.path(node))?;
        let is_it = |definition: &m1nd_lang::facts::Definition| {
            facts.name(definition.name) == graph.label(node)
                && (definition.line_start, definition.line_end) == graph.lines(node)
        };
        facts.definitions.iter().position(is_it)
    }

    /// Places where a file uses a name, other than in imports and in what may be no code; the member of a value
    /// (`value.name`), or not.
    pub(super) fn uses_of(&mut self, path: &str, name: &str, is_member: bool) -> Vec<Pos> {
        let Some(Facts { facts, .. }) = self.file(path) else { return Vec::new() };
        let is_it = |reference: &&Reference| {
            let (id, member) = match facts.expr(reference.expr) {
                Expr::Member { name, .. } => (name, true),
                Expr::Name { name, .. } | Expr::Path { name, .. } => (name, false),
                _ => return false,
            };
            !reference.inexact && member == is_member && facts.name(id) == name
        };
        facts.references.iter().filter(is_it).map(|reference| reference.pos).collect()
    }

    /// The name that stands at a place: of a variable, or a member.
    pub(super) fn name_at(&mut self, path: &str, pos: Pos) -> Option<String> {
        let Facts { facts, .. } = self.file(path)?;
        let reference = facts.references.iter().find(|reference| reference.pos == pos)?;
        match facts.expr(reference.expr) {
            Expr::Name { name, .. } | Expr::Path { name, .. } | Expr::Member { name, .. } => {
                Some(facts.name(name).to_owned())
            }
            _ => None,
        }
    }

    /// Returns whether the imports on a line may not run when the file is loaded: those for types only, in a condition
    /// or in a function. In a file that imports nothing but types, that says nothing where all imports are of types, as
    /// in Java.
    pub(super) fn may_not_run(&mut self, path: &str, line: u32) -> bool {
        let Some(Facts { facts, .. }) = self.file(path) else { return false };
        let has_values = EditRules::of(facts.language).types.is_structural
            || facts.imports.iter().any(|import| !import.flags.type_only);
        let mut here = facts.imports.iter().filter(|import| import.pos.line == line).peekable();
        has_values && here.peek().is_some() && here.all(|import| import.flags.type_only || import.flags.conditional)
    }

    /// Returns whether an import of a file binds a name.
    pub(super) fn imports(&mut self, path: &str, name: &str) -> bool {
        let Some(Facts { facts, .. }) = self.file(path) else { return false };
        let is_import = |target: BindingTarget| matches!(target, BindingTarget::Import(_));
        facts.bindings.iter().any(|binding| is_import(binding.target) && facts.name(binding.name) == name)
    }

    fn file(&mut self, path: &str) -> Option<&Facts> {
        if !self.files.contains_key(path) {
            let facts = self.extract(path);
            self.files.insert(path.to_owned(), facts);
        }
        self.files.get(path)?.as_ref()
    }

    fn extract(&self, path: &str) -> Option<Facts> {
        let repo_path = RepoPath::new(path).ok()?;
        let language = self.snapshot.files().get(&repo_path)?.language;
        let text = match self.texts.get(path) {
            Some(text) => text.clone(),
            None => self.snapshot.read_file(&repo_path).ok().filter(|source| !source.stale)?.text,
        };
        let facts = m1nd_lang::extract(language, text.as_bytes(), self.snapshot.limits(), self.cancel);
        // What the language calls without writing it stands at the place of its value, which may be a call.
        let is_written = |reference: &&Reference| !matches!(facts.expr(reference.expr), Expr::Implicit { .. });
        let is_counted = |reference: &&Reference| {
            reference.role == Role::Call && reference.arity != UNKNOWN && !reference.inexact && is_written(reference)
        };
        let calls = facts.references.iter().filter(is_counted);
        let calls = calls.map(|reference| (reference.pos, usize::from(reference.arity))).collect();
        let overloaded = match EditRules::of(language).arguments.has_overload_signatures {
            true => overloads(&text),
            false => FxHashSet::default(),
        };
        let text = EditRules::of(language).arguments.has_keywords.then_some((language, text));
        Some(Facts { facts, calls, overloaded, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_signatures_of_one_name() {
        let text = "export function a(x: string): void;\nexport function a(x: any) {\n  b(1);\n  b(2);\n}\nclass C {\n  m(x: string): void;\n  m<T>(x?: T): void {}\n  n(): void {}\n}\n";
        let mut names: Vec<String> = overloads(text).into_iter().collect();
        names.sort();
        assert_eq!(names, ["a", "m"]);
    }
}
