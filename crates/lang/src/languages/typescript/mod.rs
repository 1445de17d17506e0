//! TypeScript and JavaScript in all their file forms: modules and CommonJS, JSX, declaration files, and the script
//! blocks and the markup of Vue, Svelte and Astro components.

mod contexts;
mod definitions;
mod expressions;
mod finish;
mod markup;
mod modules;
mod naming;
mod narrow;
mod patterns;
mod repairs;
mod scripts;
mod state;
mod test_cases;
mod visit;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod torture;

use definitions::functions;

use std::borrow::Cow;

use m1nd_base::Problem;
use tree_sitter::Tree;

use self::state::Extractor;
use super::{Input, Language};
use crate::facts::FileFacts;
use crate::parse::{self, Layout, Parsed};

/// Facts of a script. Column and line positions are those of the whole file, for components too.
pub(super) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    let (script, dialect) = match input.language {
        language if language.is_component() => scripts::mask(language, input.text),
        Language::TypeScript => (Cow::Borrowed(input.text), Dialect::TypeScript),
        Language::Tsx => (Cow::Borrowed(input.text), Dialect::Tsx),
        _ => (Cow::Borrowed(input.text), Dialect::JavaScript),
    };
    let tree = parse(input, script.as_bytes(), dialect)?;
    // What the extractor borrows outlives it.
    let (markup, markup_tree);
    let mut extractor = Extractor::new(input, dialect);
    if input.language.is_component() && !input.text.contains("export default") {
        extractor.component(tree.root_node());
    }
    let mut problems: Vec<Problem> = tree.visit(input.limits, &mut extractor).into_iter().collect();
    markup = markup::code(input.language, input.text, &extractor.top_names());
    if let Some((code, places)) = &markup {
        let dialect = if input.language == Language::Astro { Dialect::Tsx } else { dialect };
        match parse(input, code.as_bytes(), dialect) {
            Ok(tree) => {
                markup_tree = tree;
                extractor.begin_markup(code, places);
                problems
                    .extend(markup_tree.visit(input.limits, &mut extractor).map(|problem| places.of(code, problem)));
            }
            Err(problem) => problems.push(problem),
        }
    }
    let mut facts = extractor.finish();
    facts.problems.extend(problems);
    Ok(facts)
}

/// The grammar a text is parsed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// JavaScript with JSX.
    JavaScript,
    /// TypeScript without JSX.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
}

/// Parses; a JavaScript text that is no JavaScript but plain TypeScript (type annotations for another tool) is parsed
/// as the latter.
fn parse(input: &Input<'_>, source: &[u8], dialect: Dialect) -> Result<Parsed, Problem> {
    let javascript = tree_sitter_javascript::LANGUAGE.into();
    let typescript = tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into();
    let tsx = tree_sitter_typescript::LANGUAGE_TSX.into();
    let run = |grammar: &tree_sitter::Language| parse::parse(grammar, source, input.limits, input.cancel);
    // If parsing fails, repairs are tried, and kept if they help.
    let repaired = |grammar: &tree_sitter::Language, tree: Tree| {
        let masked = if tree.root_node().has_error() { repairs::mask(source) } else { None };
        let again = masked.and_then(|masked| {
            let again = parse::parse(grammar, &masked, input.limits, input.cancel).ok()?;
            (parse::damage(&again) < parse::damage(&tree)).then_some((again, masked))
        });
        let (tree, source) = match again {
            Some((again, masked)) => (again, Cow::Owned(masked)),
            None => (tree, Cow::Borrowed(source)),
        };
        Parsed::recover(tree, grammar, Layout::Brackets, &source, input.limits, input.cancel)
    };
    let grammar = match dialect {
        Dialect::TypeScript => &typescript,
        Dialect::Tsx => &tsx,
        Dialect::JavaScript => &javascript,
    };
    let tree = run(grammar)?;
    if dialect == Dialect::JavaScript && tree.root_node().has_error() {
        let plain = run(&tsx).ok().filter(|typed| !typed.root_node().has_error());
        if let Some(plain) = plain {
            return Ok(repaired(&tsx, plain));
        }
    }
    Ok(repaired(grammar, tree))
}
