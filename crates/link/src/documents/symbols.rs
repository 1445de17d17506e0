//! Definitions and modules that a name in a document means.

use m1nd_lang::Language;
use m1nd_lang::facts::{DefId, DefKind, Definition, Mention, MentionForm, MentionMark, Visibility, Wanted};
use rustc_hash::FxHashSet;

use super::fit::{self, Fit, parts};
use super::{MAX_TARGETS, Meant};
use crate::eval::Eval;
use crate::ids::SymbolId;
use crate::named::{stem, stem_word};
use crate::tables::files::{DefRef, FileId, Word};
use crate::unit::Unit;

/// Files with one name that are compared; a name that more have says nothing by itself.
const MAX_FILES: usize = 256;
/// Owners of a definition that are looked at.
const MAX_OWNERS: usize = 16;
/// Classes of one name whose members are looked up.
const MAX_CLASSES: usize = 4;
/// Folders whose code shows how the project is used, or is not part of it.
const ASIDE: &[&str] = &[
    "examples", "example", "_examples", "samples", "sample", "benchmarks", "bench", "benches", "vendor", "third_party",
    "fixtures", "playground", "tutorial", "demo",
];
/// Folders with documents: code in them makes the documents, or is an example.
const DOCS: &[&str] = &["docs", "docs_src", "website"];

/// A definition that may be meant.
struct Candidate<'a> {
    of: DefRef,
    symbol: SymbolId,
    definition: &'a Definition,
    language: Language,
    fit: Fit,
    is_aside: bool,
    is_test: bool,
}

/// Names that the examples of a document take from modules outside the project. A name without owners in its text is
/// then theirs.
pub(super) fn outside_names(eval: &mut Eval<'_>, file: FileId) -> FxHashSet<String> {
    let unit = eval.project.unit(file);
    let mut outside = FxHashSet::default();
    let is_import = |mention: &&Mention| mention.mark == MentionMark::Example && mention.language.is_some();
    for mention in unit.facts.mentions.iter().filter(is_import) {
        let name = unit.facts.name(mention.name);
        let last = name.rsplit([':', '.']).next().unwrap_or(name);
        if !outside.contains(last) && example(eval, mention, name).is_none() && !is_own_module(eval, mention, name) {
            outside.insert(last.to_owned());
        }
    }
    outside
}

/// Returns whether the module of an example is the project's, as far as manifests and folders say.
fn is_own_module(eval: &mut Eval<'_>, mention: &Mention, name: &str) -> bool {
    let module = name.split("::").next().unwrap_or(name);
    if eval.project.packages.of_module(module).is_some() {
        return true;
    }
    let first = parts(module).first().copied().unwrap_or(module).to_owned();
    mention.language == Some(Language::Python) && !modules(eval, &[&first], Some(Language::Python)).is_empty()
}

/// What a name means.
pub(super) fn find_meant(
    eval: &mut Eval<'_>,
    file: FileId,
    mention: &Mention,
    outside: &FxHashSet<String>,
) -> Option<Meant> {
    let facts = &eval.project.unit(file).facts;
    let name = facts.name(mention.name);
    if mention.mark == MentionMark::Example {
        let found = example(eval, mention, name)?;
        return settle_targets(found, true);
    }
    if let Some(context) = mention.context {
        let whole = format!("{}.{name}", facts.name(context));
        let found = fitting(eval, mention, &parts(&whole), None, false);
        if !found.is_empty() {
            return settle_targets(found, true);
        }
    }
    let parts = parts(name);
    // The address of a definition is never a word.
    let is_qualified = parts.len() > 1 || mention.mark == MentionMark::Link;
    if !is_qualified && (outside.contains(name) || is_nothing(mention, name)) {
        return None;
    }
    let is_own = !is_qualified && is_package(eval, file, name);
    let how = if is_own { Telling::Maybe } else { telling(mention, name) };
    if !is_qualified && how == Telling::No && mention.wants != Wanted::Module {
        return None;
    }
    if name.starts_with("crate::") {
        return settle_targets(in_crate(eval, file, mention, &parts), true);
    }
    if is_own {
        return settle_targets(entries(eval, mention, name), false);
    }
    // A name alone is not that of a test or an example, which readers of the document do not see.
    let own = !is_qualified && !is_marked(mention) && !is_aside(eval.project.path(file).as_str());
    let mut found =
        if mention.wants == Wanted::Module { Vec::new() } else { fitting(eval, mention, &parts, None, own) };
    if found.is_empty() && parts.len() > 1 {
        let guessed = of_receiver(eval, mention, &parts);
        if !guessed.is_empty() {
            return settle_targets(guessed, false);
        }
    }
    if found.is_empty() && (is_qualified && mention.form == MentionForm::Symbol || mention.wants == Wanted::Module) {
        found = modules(eval, &parts, None);
    }
    settle_targets(found, is_qualified || how == Telling::Yes)
}

/// Returns whether the noun beside a name says that it is none of code: a parameter, a header.
fn is_nothing(mention: &Mention, name: &str) -> bool {
    mention.wants == Wanted::Nothing && mention.form != MentionForm::Call && !fit::is_type_name(name)
}

/// What a path of Rust means that begins at the crate around the document.
fn in_crate(eval: &mut Eval<'_>, file: FileId, mention: &Mention, parts: &[&str]) -> Vec<SymbolId> {
    let path = eval.project.path(file).as_str();
    let folder = eval.project.packages.around(path).next().map_or("", |(folder, _)| folder).to_owned();
    let limit = Limit { language: Language::Rust, inside: Some((folder, false)) };
    let found = fitting(eval, mention, parts, Some(&limit), true);
    if !found.is_empty() {
        return found;
    }
    // What a crate offers under a path may be defined anywhere in it.
    let own = parts.len() > 1 && parts[parts.len() - 2].starts_with(char::is_uppercase);
    let found = fitting(eval, mention, &parts[parts.len() - 1 - usize::from(own)..], Some(&limit), true);
    if found.is_empty() { modules(eval, parts, Some(Language::Rust)) } else { found }
}

/// Returns whether a name is that of the package around a document.
fn is_package(eval: &Eval<'_>, file: FileId, name: &str) -> bool {
    let path = eval.project.path(file).as_str();
    eval.project.packages.around(path).any(|(_, package)| package.rsplit(['/', '@']).next() == Some(name))
}

/// The values that have the name of their package, and are what it offers.
fn entries(eval: &mut Eval<'_>, mention: &Mention, name: &str) -> Vec<SymbolId> {
    let all = candidates(eval, name, None);
    let rows = all.iter().filter_map(|&(of, symbol)| {
        let package = |path: &str| eval.project.packages.around(path).any(|(_, own)| own == name);
        candidate(eval, of, symbol, |owners, path| {
            (owners.is_empty() && package(path)).then_some(Fit { gaps: 0, is_loose: false })
        })
    });
    let rows: Vec<Candidate<'_>> = rows.filter(|row| !row.is_aside && !row.is_test).collect();
    let rows = rows.into_iter().filter(|row| row.definition.visibility == Visibility::Public).collect();
    best(mention, rows)
}

fn settle_targets(mut targets: Vec<SymbolId>, is_clear: bool) -> Option<Meant> {
    if targets.is_empty() || targets.len() > MAX_TARGETS {
        return None;
    }
    let is_certain = is_clear && targets.len() == 1;
    targets.sort_unstable();
    Some(Meant { targets, is_certain })
}

/// Whether a name without owners is likely that of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Telling {
    /// By its spelling, a role, or because it is called.
    Yes,
    /// A word in the type of code: a parameter or a value as often as not.
    Maybe,
    /// A word.
    No,
}

/// Returns whether a name is spelled as no word is: `add_item`, `addItem`, `AddItem`.
fn is_shaped(name: &str) -> bool {
    name.trim_matches('_').contains('_') && name.len() > 3
        || name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase)
}

/// Returns whether a name is marked as that of code: by a role, or as the address of a definition.
fn is_marked(mention: &Mention) -> bool {
    matches!(mention.mark, MentionMark::Role | MentionMark::Link)
}

/// Returns whether a name without owners is that of code by its spelling, or because it is called.
pub(super) fn is_clear(mention: &Mention, name: &str) -> bool {
    telling(mention, name) == Telling::Yes
}

fn telling(mention: &Mention, name: &str) -> Telling {
    let is_type = fit::is_type_name(name);
    if is_marked(mention) || mention.form == MentionForm::Call || is_shaped(name) || is_type {
        Telling::Yes
    } else if mention.mark == MentionMark::Code && name.len() > 3 && name != "main" {
        Telling::Maybe
    } else {
        Telling::No
    }
}

fn is_in(path: &str, folders: &[&str]) -> bool {
    path.rsplit_once('/').is_some_and(|(above, _)| above.split('/').any(|part| folders.contains(&part)))
}

/// Returns whether a file is below a folder of documents.
pub(super) fn is_documentation(path: &str) -> bool {
    is_in(path, DOCS)
}

/// Returns whether a file only shows how the project is used, or is not part of it.
pub(super) fn is_aside(path: &str) -> bool {
    is_in(path, ASIDE)
}

/// What an example imports, or uses of what it imports.
fn example(eval: &mut Eval<'_>, mention: &Mention, name: &str) -> Option<Vec<SymbolId>> {
    let language = mention.language?;
    let (module, rest) = name.split_once("::").unwrap_or((name, ""));
    let inside: Option<(String, bool)> = match language {
        Language::Python | Language::Java => None,
        _ => {
            let (folder, below) = eval.project.packages.of_module(module)?;
            // A package of Go is one folder; elsewhere any file may be what the package offers under a name.
            let is_folder = language == Language::Go;
            let below = if is_folder { below } else { "" };
            let path = [folder, below].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<&str>>().join("/");
            Some((path, is_folder))
        }
    };
    let mut names: Vec<&str> = if inside.is_none() { parts(module) } else { Vec::new() };
    names.extend(rest.split("::").filter(|part| !part.is_empty()));
    if rest.is_empty() && (inside.is_some() || names.len() < 2) {
        return None;
    }
    let limit = Limit { language, inside };
    let mut found = fitting(eval, mention, &names, Some(&limit), false);
    // What a crate or package offers at its top may be defined anywhere in it.
    if found.is_empty() && limit.inside.is_some() && names.len() > 1 {
        let own = names[names.len() - 2].starts_with(char::is_uppercase);
        found = fitting(eval, mention, &names[names.len() - 1 - usize::from(own)..], Some(&limit), false);
    }
    if found.is_empty() && limit.inside.is_none() {
        found = modules(eval, &names, Some(language));
    }
    (!found.is_empty()).then_some(found)
}

/// Where the name of an example may be defined.
struct Limit {
    language: Language,
    /// A folder, and whether only the files directly in it count.
    inside: Option<(String, bool)>,
}

impl Limit {
    fn allows(&self, language: Language, path: &str) -> bool {
        let is_inside = self.inside.as_ref().is_none_or(|(folder, only)| {
            let above = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let below = above.strip_prefix(folder.as_str());
            let below = below.filter(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with('/'));
            below.is_some_and(|rest| !only || rest.is_empty())
        });
        language.family() == self.language.family() && is_inside
    }
}

/// The definitions that a name with what stands in front of it fits best. `own` leaves out tests and examples.
fn fitting(eval: &mut Eval<'_>, mention: &Mention, parts: &[&str], limit: Option<&Limit>, own: bool) -> Vec<SymbolId> {
    let Some((last, before)) = parts.split_last() else { return Vec::new() };
    let all = candidates(eval, last, limit);
    let is_bare = before.is_empty();
    let mut found: Vec<Candidate<'_>> = all
        .iter()
        .filter_map(|&(of, symbol)| {
            candidate(eval, of, symbol, |owners, path| fit::fit(before, owners, path, &eval.project.packages))
        })
        .collect();
    if found.is_empty()
        && let Some((class, outer)) = before.split_last()
    {
        let inherited = find_inherited(eval, class, outer, last, limit);
        if !inherited.is_empty() {
            return inherited;
        }
        let of_value = |owners: &[&str], _: &str| {
            let owner = owners.first().filter(|_| outer.is_empty())?;
            fit::is_value_of(class, owner).then_some(Fit { gaps: 0, is_loose: true })
        };
        found = all.iter().filter_map(|&(of, symbol)| candidate(eval, of, symbol, of_value)).collect();
    }
    if own {
        found.retain(|row| !row.is_test && !is_aside(eval.project.path(row.of.file).as_str()));
    }
    // An address says all owners.
    if mention.mark == MentionMark::Link {
        found.retain(|row| !row.fit.is_loose);
    }
    if is_bare {
        found.retain(|row| may_stand_alone(mention, row, last));
        // `close()` alone may be a method of anything.
        let is_plain = mention.form == MentionForm::Call && !is_marked(mention) && !is_shaped(last);
        if is_plain && found.len() > 1 && found.iter().all(|row| row.fit.is_loose) {
            return Vec::new();
        }
    }
    best(mention, found)
}

/// Returns whether a class of the project, and not only of its tests and examples, has a name.
pub(super) fn is_type_of_project(eval: &mut Eval<'_>, name: &str) -> bool {
    let all = candidates(eval, name, None);
    all.iter().any(|&(of, symbol)| {
        let row =
            candidate(eval, of, symbol, |owners, _| owners.is_empty().then_some(Fit { gaps: 0, is_loose: false }));
        row.is_some_and(|row| row.definition.kind.is_type() && !row.is_aside && !row.is_test)
    })
}

/// What names from the outermost module on mean.
pub(super) fn find_named(eval: &mut Eval<'_>, mention: &Mention, names: &[&str]) -> Vec<SymbolId> {
    fitting(eval, mention, names, None, false)
}

/// The members that classes of a name have, themselves or from their bases.
pub(super) fn member(eval: &mut Eval<'_>, mention: &Mention, class: &str, name: &str) -> Vec<SymbolId> {
    fitting(eval, mention, &[class, name], None, true)
}

/// The members of a name that one class has whose name fits.
pub(super) fn members_of(
    eval: &mut Eval<'_>,
    mention: &Mention,
    name: &str,
    fits: impl Fn(&str) -> bool,
) -> Option<Vec<SymbolId>> {
    let all = candidates(eval, name, None);
    let loose = Fit { gaps: 0, is_loose: true };
    let of = |owners: &[&str], _: &str| owners.first().filter(|owner| fits(owner)).map(|_| loose);
    let rows = all.iter().filter_map(|&(of_def, symbol)| candidate(eval, of_def, symbol, of));
    let rows: Vec<Candidate<'_>> = rows.filter(|row| !row.is_test && !row.is_aside).collect();
    let found = best(mention, rows);
    (found.len() == 1).then_some(found)
}

/// Members that a value may be meant to have by its name: `promise.once` of `RequestPromise`, `options.retry.limit` of
/// `RetryOptions`, or, if the name is like no other, of any class.
fn of_receiver(eval: &mut Eval<'_>, mention: &Mention, parts: &[&str]) -> Vec<SymbolId> {
    let Some((last, before)) = parts.split_last() else { return Vec::new() };
    let all = candidates(eval, last, None);
    let rows = receivers(eval, mention, before, &all);
    best(mention, rows)
}

fn receivers<'a>(
    eval: &Eval<'a>,
    mention: &Mention,
    before: &[&str],
    all: &[(DefRef, SymbolId)],
) -> Vec<Candidate<'a>> {
    let is_value = before.iter().all(|part| part.starts_with(char::is_lowercase));
    if !is_value || mention.mark == MentionMark::Bare {
        return Vec::new();
    }
    let loose = Fit { gaps: 0, is_loose: true };
    let rows = |fits: &dyn Fn(&str) -> bool| -> Vec<Candidate<'a>> {
        let of = |owners: &[&str], _: &str| owners.first().filter(|owner| fits(owner)).map(|_| loose);
        let rows = all.iter().filter_map(|&(of_def, symbol)| candidate(eval, of_def, symbol, of));
        let is_called = mention.form == MentionForm::Call;
        let may_be = |kind: DefKind| !is_called || matches!(kind, DefKind::Function | DefKind::Macro);
        rows.filter(|row| !row.is_test && !row.is_aside && may_be(row.definition.kind)).collect()
    };
    let has_one_owner = |rows: &[Candidate<'a>]| {
        let mut owners = rows.iter().map(|row| owners(eval.project.unit(row.of.file), row.of.def).first().copied());
        let first = owners.next();
        first.is_some_and(|first| owners.all(|owner| owner == first))
    };
    // A variable is often named like its class.
    let likely = rows(&|owner| fit::is_like_value(before, owner));
    if has_one_owner(&likely) {
        return likely;
    }
    // Otherwise a method whose name only one class has, if the name is not an ordinary word.
    let is_known = likely.is_empty() && mention.form == MentionForm::Call && before.len() == 1;
    let any = if is_known { rows(&|_| true) } else { Vec::new() };
    let shaped =
        any.first().is_some_and(|row| is_shaped(eval.project.unit(row.of.file).facts.name(row.definition.name)));
    if shaped && has_one_owner(&any) { any } else { Vec::new() }
}

/// Returns whether a definition may be meant by its name alone: parameters and values have the names of fields.
fn may_stand_alone(mention: &Mention, row: &Candidate<'_>, name: &str) -> bool {
    let kind = row.definition.kind;
    let is_role = is_marked(mention) || mention.mark == MentionMark::Example;
    let is_value = matches!(kind, DefKind::Field | DefKind::Variable | DefKind::Constant | DefKind::Module);
    let is_constant = name.chars().all(|c| !c.is_lowercase()) && name.len() > 3 && kind != DefKind::Field;
    // Where fields and constants are spelled like types, a parameter is not.
    let is_spelled = name.starts_with(char::is_uppercase) && telling(mention, name) == Telling::Yes;
    if is_role || is_constant || is_spelled && row.definition.visibility == Visibility::Public {
        return true;
    }
    if is_value {
        return false;
    }
    // A plain word is the name of a function only where that is of the top level, and of the project's own.
    telling(mention, name) == Telling::Yes
        || !row.fit.is_loose && !row.is_aside && !row.is_test && row.definition.visibility == Visibility::Public
}

/// The definitions of a name, in order of files.
fn candidates(eval: &mut Eval<'_>, name: &str, limit: Option<&Limit>) -> Vec<(DefRef, SymbolId)> {
    let mut files = eval.defining(Word::of(name));
    if files.len() > MAX_FILES {
        return Vec::new();
    }
    files.retain(|file| {
        let language = eval.project.language(*file);
        !language.is_prose() && limit.is_none_or(|limit| limit.allows(language, eval.project.path(*file).as_str()))
    });
    eval.project.sort_by_path(&mut files);
    let mut found = Vec::new();
    for file in files {
        let unit = eval.project.unit(file);
        for (index, (row, symbol)) in unit.facts.definitions.iter().zip(&unit.symbols).enumerate() {
            if let Some(symbol) = symbol
                && !row.flags.is_local
                && row.kind != DefKind::Impl
                && unit.facts.name(row.name) == name
            {
                found.push((DefRef { file, def: DefId(index as u32) }, *symbol));
            }
        }
    }
    found
}

fn candidate<'a>(
    eval: &Eval<'a>,
    of: DefRef,
    symbol: SymbolId,
    fits: impl Fn(&[&str], &str) -> Option<Fit>,
) -> Option<Candidate<'a>> {
    let unit = eval.project.unit(of.file);
    let path = unit.path.as_str();
    let fit = fits(&owners(unit, of.def), path)?;
    let definition = unit.facts.definition(of.def);
    let is_aside = is_aside(path) || is_in(path, DOCS);
    let is_test = unit.is_test || definition.flags.is_test;
    Some(Candidate { of, symbol, definition, language: unit.facts.language, fit, is_aside, is_test })
}

/// Names of what a definition belongs to, the innermost first.
fn owners(unit: &Unit, def: DefId) -> Vec<&str> {
    let facts = &unit.facts;
    let mut owners = Vec::new();
    let mut next = Some(def);
    while let Some(id) = next.filter(|_| owners.len() < MAX_OWNERS) {
        let definition = facts.definition(id);
        if id != def && definition.kind != DefKind::Impl && !definition.flags.is_anonymous {
            owners.push(facts.name(definition.name));
        }
        if let Some(name) = definition.extends_type.and_then(|of| unit.written_last(of)) {
            owners.push(name);
        }
        next = definition.owner;
    }
    owners
}

/// Members that classes of a name have from their bases.
fn find_inherited(
    eval: &mut Eval<'_>,
    class: &str,
    outer: &[&str],
    name: &str,
    limit: Option<&Limit>,
) -> Vec<SymbolId> {
    if !class.starts_with(char::is_uppercase) {
        return Vec::new();
    }
    let rows = candidates(eval, class, limit);
    let rows = rows.into_iter().filter_map(|(of, symbol)| {
        let fits = |owners: &[&str], path: &str| fit::fit(outer, owners, path, &eval.project.packages);
        candidate(eval, of, symbol, fits).filter(|row| row.definition.kind.is_type())
    });
    let mut classes: Vec<Candidate<'_>> = rows.collect();
    prefer(&mut classes, |row| !row.is_test);
    prefer(&mut classes, |row| !row.is_aside);
    if classes.len() > MAX_CLASSES {
        return Vec::new();
    }
    let classes: Vec<DefRef> = classes.iter().map(|row| row.of).collect();
    let mut found: Vec<SymbolId> = Vec::new();
    for class in classes {
        for member in eval.member_of_class(class, name) {
            found.extend(eval.project.unit(member.file).symbols[member.def.index()]);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Keeps the rows that a condition holds of, if there are any.
fn prefer(rows: &mut Vec<Candidate<'_>>, is_better: impl Fn(&Candidate<'_>) -> bool) {
    if rows.iter().any(&is_better) {
        rows.retain(|row| is_better(row));
    }
}

/// Of all that fit, those that a document is most likely about.
fn best(mention: &Mention, mut rows: Vec<Candidate<'_>>) -> Vec<SymbolId> {
    prefer(&mut rows, |row| !row.is_test);
    prefer(&mut rows, |row| !row.is_aside);
    if mention.form == MentionForm::Call {
        let is_called =
            |kind: DefKind| kind.is_type() || matches!(kind, DefKind::Function | DefKind::Macro | DefKind::Variant);
        prefer(&mut rows, |row| is_called(row.definition.kind));
    }
    // What a role says, the generator of the documents checks; a noun may be inexact.
    if mention.mark != MentionMark::Code && mention.wants != Wanted::Any {
        prefer(&mut rows, |row| is_wanted(mention.wants, row));
    }
    prefer(&mut rows, |row| !row.fit.is_loose);
    prefer(&mut rows, |row| !matches!(row.definition.kind, DefKind::Field | DefKind::Variable));
    let least = rows.iter().map(|row| row.fit.gaps).min();
    rows.retain(|row| Some(row.fit.gaps) == least);
    prefer(&mut rows, |row| !matches!(row.definition.visibility, Visibility::Private | Visibility::Package));
    if mention.mark == MentionMark::Code && mention.wants != Wanted::Any {
        prefer(&mut rows, |row| is_wanted(mention.wants, row));
    }
    prefer(&mut rows, |row| !row.definition.flags.is_declaration);
    without_stubs(&mut rows);
    let mut found: Vec<SymbolId> = rows.iter().map(|row| row.symbol).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Of overloads that one function implements, the last one is left: the others only declare how it is called.
fn without_stubs(rows: &mut Vec<Candidate<'_>>) {
    let is_stubbed = |row: &Candidate<'_>| matches!(row.language.family(), Language::Python | Language::JavaScript);
    let key = |row: &Candidate<'_>| (row.of.file, row.definition.owner);
    let last: Vec<(FileId, Option<DefId>, DefId)> =
        rows.iter().map(|row| (row.of.file, row.definition.owner, row.of.def)).collect();
    rows.retain(|row| {
        let later = last.iter().any(|(file, owner, def)| (*file, *owner) == key(row) && *def > row.of.def);
        !(is_stubbed(row) && row.definition.kind == DefKind::Function && later)
    });
}

fn is_wanted(wants: Wanted, row: &Candidate<'_>) -> bool {
    let kind = row.definition.kind;
    match wants {
        Wanted::Any => true,
        Wanted::Function => matches!(kind, DefKind::Function | DefKind::Macro) && !row.fit.is_loose,
        Wanted::Method => kind == DefKind::Function && row.definition.owner.is_some(),
        Wanted::Type => kind.is_type(),
        Wanted::Value => matches!(kind, DefKind::Field | DefKind::Variable | DefKind::Constant | DefKind::Variant),
        Wanted::Module => kind == DefKind::Module,
        Wanted::Member => {
            matches!(kind, DefKind::Field | DefKind::Variable | DefKind::Constant | DefKind::Variant)
                || kind == DefKind::Function && row.definition.owner.is_some()
        }
        Wanted::Nothing => kind.is_type(),
    }
}

/// Files that are the module of a name: the last part is the file or the folder it stands for, the others are folders
/// or the package around.
fn modules(eval: &mut Eval<'_>, parts: &[&str], language: Option<Language>) -> Vec<SymbolId> {
    let Some((last, before)) = parts.split_last() else { return Vec::new() };
    let mut files = eval.defining(stem_word(last));
    if files.len() > MAX_FILES {
        return Vec::new();
    }
    files.retain(|file| {
        let of = eval.project.language(*file);
        let path = eval.project.path(*file).as_str();
        let (own, is_folder) = stem(path);
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        // `a/__init__.py` is the module `a`: its folders are those above `a`.
        let around = if is_folder && own != *last { folder } else { path };
        let above = around.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_named = own == *last || is_folder && folder.rsplit('/').next() == Some(last);
        let aside = is_aside(path) || is_in(path, DOCS);
        let fits = fit::fit(before, &[], &format!("{above}/index"), &eval.project.packages);
        !of.is_prose()
            && of != Language::Text
            && language.is_none_or(|language| language.family() == of.family())
            && is_named
            && !aside
            && !eval.project.unit(*file).is_test
            && fits.is_some_and(|fit| fit.gaps == 0)
    });
    eval.project.sort_by_path(&mut files);
    files.iter().map(|file| eval.project.unit(*file).file_symbol).collect()
}

/// The definitions whose address a text gives: all owners, the modules and folders of the file, the package. Whether it
/// leaves out nothing between them comes second.
pub(crate) fn find_addressed(eval: &mut Eval<'_>, parts: &[&str]) -> (Vec<SymbolId>, bool) {
    let Some((last, before)) = parts.split_last().filter(|(_, before)| !before.is_empty()) else {
        return (Vec::new(), false);
    };
    let all = candidates(eval, last, None);
    let fits = |owners: &[&str], path: &str| fit::fit(before, owners, path, &eval.project.packages);
    let mut rows: Vec<Candidate<'_>> =
        all.iter().filter_map(|&(of, symbol)| candidate(eval, of, symbol, fits)).collect();
    // A class may have the name of its file, which no address repeats.
    rows.retain(|row| !row.fit.is_loose && row.fit.gaps <= 1);
    let least = rows.iter().map(|row| row.fit.gaps).min();
    rows.retain(|row| Some(row.fit.gaps) == least);
    prefer(&mut rows, |row| !row.is_test);
    prefer(&mut rows, |row| !row.definition.flags.is_declaration);
    without_stubs(&mut rows);
    let mut found: Vec<SymbolId> = rows.iter().map(|row| row.symbol).collect();
    found.sort_unstable();
    found.dedup();
    if found.is_empty()
        && let Some((class, outer)) = before.split_last()
    {
        found = find_inherited(eval, class, outer, last, None);
        return (found, false);
    }
    (found, least == Some(0))
}

/// Files that are the module of a name, see [`modules`].
pub(crate) fn modules_of(eval: &mut Eval<'_>, parts: &[&str], language: Language) -> Vec<SymbolId> {
    modules(eval, parts, Some(language))
}

/// The types of a name at the top of files of a family of languages.
pub(crate) fn top_types(eval: &mut Eval<'_>, name: &str, language: Language) -> Vec<SymbolId> {
    let all = candidates(eval, name, Some(&Limit { language, inside: None }));
    let rows = all.into_iter().filter(|(of, _)| {
        let definition = eval.project.unit(of.file).facts.definition(of.def);
        definition.kind.is_type() && definition.owner.is_none()
    });
    rows.map(|(_, symbol)| symbol).collect()
}
