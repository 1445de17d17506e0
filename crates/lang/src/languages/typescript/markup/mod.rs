//! The markup of components, as code: what it evaluates, calls and binds, in the scopes that it opens.

mod astro;
mod code;
mod svelte;
mod tags;
mod vue;

use std::ops::Range;

use code::Code;
pub(super) use code::Places;
use rustc_hash::FxHashSet;
use tags::{Attribute, Tag};

use crate::Language;

/// The markup of a component as code, and the way back to the file; `None` if it has none. `known` are the names that
/// its script knows at the top level.
pub(super) fn code(language: Language, text: &str, known: &FxHashSet<&str>) -> Option<(String, Places)> {
    let mut code = Code::new(text);
    match language {
        Language::Vue => vue::add(text, known, &mut code),
        Language::Svelte => svelte::add(text, &mut code),
        Language::Astro => astro::add(text, &mut code),
        _ => return None,
    }
    code.finish()
}

/// The frontmatter of an Astro component: code between lines of `---`.
pub(super) fn frontmatter(text: &str) -> Option<Range<usize>> {
    astro::frontmatter(text)
}

/// Components that the languages have themselves.
const BUILT_IN: &[&str] =
    &["Fragment", "KeepAlive", "RouterLink", "RouterView", "Suspense", "Teleport", "Transition", "TransitionGroup"];

/// Returns whether the name of a tag means a component: it starts with a capital letter, or is a member.
fn is_component(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
    let named = name.starts_with(|first: char| first.is_uppercase()) || name.contains('.');
    plain && named && !name.starts_with('.') && !BUILT_IN.contains(&name)
}

/// The properties that a tag of a Svelte or Astro component gives: their names, and where they are written.
fn list_properties(text: &str, tag: &Tag) -> Vec<(String, usize)> {
    let property = |attribute: &Attribute| {
        // `{name}` on its own is the property of this name.
        let range = if attribute.name.is_empty() { attribute.value.clone()? } else { attribute.name.clone() };
        let written = &text[range.clone()];
        let name = written.strip_prefix("bind:").unwrap_or(written);
        Some((name.trim().to_owned(), range.end - name.trim_start().len()))
    };
    tag.attributes.iter().filter_map(property).collect()
}

/// Maximum number of open elements that a closing tag is matched with.
const MAX_OPEN: usize = 512;

/// Scopes that elements and blocks have opened, innermost last: the name, and what closes the scope.
#[derive(Debug, Default)]
struct Open<'a>(Vec<(&'a str, String)>);

impl<'a> Open<'a> {
    fn push(&mut self, name: &'a str, closes: String) {
        self.0.push((name, closes));
    }

    /// Closes the innermost scope of this name, and those inside that nothing closed.
    fn close(&mut self, name: &str, code: &mut Code<'_>) {
        let first = self.0.len().saturating_sub(MAX_OPEN);
        let Some(place) = self.0[first..].iter().rposition(|(known, _)| *known == name) else { return };
        let place = first + place;
        for (_, closes) in self.0.drain(place..).rev() {
            code.add(&closes);
        }
    }

    fn close_all(&mut self, code: &mut Code<'_>) {
        for (_, closes) in self.0.drain(..).rev() {
            code.add(&closes);
        }
    }
}
