//! The rules of each language: a table of data and a resolver of modules.

use std::collections::BTreeMap;

use m1nd_base::Problem;
use m1nd_lang::{Language, Tier};

use crate::rules::{Resolver, Rules};
use crate::tables::files::Files;

mod bash;
mod c;
mod csharp;
mod dependencies;
mod go;
mod groups;
mod java;
mod lua;
mod outlined;
pub(crate) mod paths;
mod php;
mod python;
mod ruby;
mod rust;
mod swift;
mod typescript;

/// Texts of the manifests of a project, by path: `package.json`, `tsconfig*.json`, `Cargo.toml`, `pyproject.toml`, …
pub type Manifests = BTreeMap<String, String>;

/// One family of languages that are linked with each other.
pub(crate) struct Family {
    /// The language that [names](Language::family) the family; `None` for the one of all outlined languages.
    pub(crate) of: Option<Language>,
    /// Its languages, with their rules as data.
    pub(crate) languages: &'static [(Language, &'static Rules)],
    /// Whether a file of this name may be a manifest of the family.
    pub(crate) is_manifest: fn(&str) -> bool,
    /// Problem of a manifest's text, if it cannot be understood.
    pub(crate) check_manifest: fn(&str, &str) -> Option<Problem>,
    /// Makes the resolver.
    pub(crate) resolver: fn(&Files<'_>, &Manifests) -> Box<dyn Resolver>,
}

impl Family {
    fn rules(&self, language: Language) -> Option<&'static Rules> {
        self.languages.iter().find(|(own, _)| *own == language).map(|(_, rules)| *rules)
    }
}

/// Every family. Languages in no other row are outlined.
pub(crate) static FAMILIES: &[Family] = &[
    python::FAMILY,
    typescript::FAMILY,
    rust::FAMILY,
    bash::FAMILY,
    c::FAMILY,
    csharp::FAMILY,
    go::FAMILY,
    java::FAMILY,
    lua::FAMILY,
    php::FAMILY,
    ruby::FAMILY,
    swift::FAMILY,
    outlined::FAMILY,
];

/// The family of a language that is linked; `None` for those that are only outlined, whatever they can import.
pub(crate) fn linked_family(language: Language) -> Option<Language> {
    (language.tier() == Tier::Linked).then(|| language.family())
}

/// Number of a language's family.
pub(crate) fn family(language: Language) -> usize {
    let of = linked_family(language);
    FAMILIES.iter().position(|family| family.of == of).unwrap_or(FAMILIES.len() - 1)
}

/// The rules of a language.
pub(crate) fn rules(language: Language) -> &'static Rules {
    FAMILIES.iter().find_map(|family| family.rules(language)).unwrap_or(&Rules::OUTLINED)
}

/// Returns whether a path is that of a stub, which declares what a file beside it defines.
pub fn is_stub(path: &str) -> bool {
    let all = FAMILIES.iter().flat_map(|family| family.languages).flat_map(|(_, rules)| rules.stubs);
    all.into_iter().any(|(_, ending)| path.ends_with(ending))
}

/// Returns whether a file of this name may be a manifest of any family.
pub(crate) fn is_manifest(file_name: &str) -> bool {
    FAMILIES.iter().any(|family| (family.is_manifest)(file_name))
}

/// Returns whether a file that [may be a manifest](is_manifest) by its name is one.
pub(crate) fn has_settings(file_name: &str, text: &[u8]) -> bool {
    let mut families = FAMILIES.iter().filter(|family| (family.is_manifest)(file_name));
    families.any(|family| family.of != Some(Language::JavaScript) || typescript::has_settings(file_name, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_with_rules_are_those_that_are_linked() {
        for language in Language::all() {
            let own = FAMILIES.iter().find(|family| family.rules(language).is_some());
            assert_eq!(own.and_then(|own| own.of), linked_family(language), "{language:?}");
        }
    }
}
