//! Code that documents name, as `documents` edges.
//!
//! A document imports nothing, so its names are found by an index of what all files define ([`crate::tables::defined`])
//! and judged by what stands in front of them: owners, modules, the name of the package. One target that all of it fits
//! is certain if the name is qualified or can hardly be anything but code; several are possible, `k of n`; more than
//! [`MAX_TARGETS`] say nothing. All that was looked up is remembered like any other question: a definition that a
//! document asked for in vain relinks it.

mod commands;
mod fit;
mod paths;
mod subject;
mod symbols;
mod variables;

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::facts::{Mention, MentionForm, MentionMark};
use rustc_hash::FxHashSet;

use crate::edges::derived::Derived;
use crate::eval::Eval;
use crate::file_links::Target;
use crate::ids::SymbolId;
use crate::named;
use crate::tables::files::FileId;

pub(crate) use symbols::{find_addressed, modules_of as modules, top_types};

/// More targets than this say nothing about any of them.
const MAX_TARGETS: usize = 8;

/// What a mention means.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Meant {
    targets: Vec<SymbolId>,
    is_certain: bool,
}

/// The code that a document names, as edges.
pub(crate) fn documents(eval: &mut Eval<'_>, file: FileId) -> Vec<Derived> {
    let unit = eval.project.unit(file);
    let mut edges = Vec::new();
    if unit.facts.mentions.is_empty() {
        return edges;
    }
    let outside = symbols::outside_names(eval, file);
    let mentions = unit.facts.mentions.iter();
    // All mentions first: what they mean decides the subject of a section, and that decides unclear mentions.
    let mut found: Vec<Option<Meant>> = mentions.map(|mention| find_meant(eval, file, mention, &outside)).collect();
    subject::add(eval, file, &outside, &mut found);
    for (mention, meant) in unit.facts.mentions.iter().zip(found) {
        let from = mention.enclosing.and_then(|def| unit.symbols[def.index()]).unwrap_or(unit.file_symbol);
        // The names of environment variables are spelled so that nothing else looks like them.
        let Some(meant) = meant else {
            let name = unit.facts.name(mention.name);
            let variable = named::is_spelled(name).then(|| variables::find_meant(eval, file, name)).flatten();
            edges.extend(variable.map(|to| {
                let (relation, tier) = (Relation::Documents, EdgeTier::Certain);
                Derived { from, to, relation, tier, of: 1, pos: mention.pos }
            }));
            continue;
        };
        let of = u16::try_from(meant.targets.len()).unwrap_or(u16::MAX);
        let tier = if meant.is_certain { EdgeTier::Certain } else { EdgeTier::Possible };
        for to in meant.targets {
            let to = Target::Symbol(to);
            edges.push(Derived { from, to, relation: Relation::Documents, tier, of, pos: mention.pos });
        }
    }
    commands::add(eval, file, &mut edges);
    edges
}

fn find_meant(eval: &mut Eval<'_>, file: FileId, mention: &Mention, outside: &FxHashSet<String>) -> Option<Meant> {
    let name = eval.project.unit(file).facts.name(mention.name);
    match mention.form {
        MentionForm::Path => paths::find_meant(eval, file, name, mention.mark == MentionMark::Link),
        MentionForm::Command | MentionForm::Flag => None,
        MentionForm::Symbol | MentionForm::Call => symbols::find_meant(eval, file, mention, outside),
    }
}
