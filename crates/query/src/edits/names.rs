//! Names that a definition can have, in each language.

use m1nd_base::NodeKind;
use m1nd_engine::Language;
use m1nd_lang::edit_rules::EditRules;

/// Longest new name, in characters.
pub(super) const MAX_NAME: usize = 200;

/// Whether nodes of a kind have a name that their own code gives: not files, modules or packages.
pub const fn has_own_name(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Function
            | NodeKind::Class
            | NodeKind::Struct
            | NodeKind::Enum
            | NodeKind::Variant
            | NodeKind::Trait
            | NodeKind::Interface
            | NodeKind::Type
            | NodeKind::Field
            | NodeKind::Variable
            | NodeKind::Constant
            | NodeKind::Macro
            | NodeKind::Object
    )
}

/// Returns the reason why a text cannot be the new name of something in a language. Private members keep their `#`.
pub(super) fn is_no_name(language: Option<Language>, name: &str, old: &str) -> Option<&'static str> {
    let name = match old.starts_with('#') {
        true => name.strip_prefix('#').unwrap_or_default(),
        false => name,
    };
    let rules = language.map(|language| EditRules::of(language).names);
    let has_dollar = rules.is_some_and(|rules| rules.has_dollar);
    let is_first = |c: char| c.is_alphabetic() || c == '_' || (has_dollar && c == '$');
    let mut chars = name.chars();
    if !chars.next().is_some_and(is_first) || !chars.all(|c| is_first(c) || c.is_numeric()) {
        return Some("expected letters, digits and underscores, not starting with a digit");
    }
    if name.chars().count() > MAX_NAME {
        return Some("it is too long");
    }
    if name == "_" {
        return Some("`_` stands for no name");
    }
    rules.is_some_and(|rules| rules.is_keyword(name)).then_some("it is a keyword of the language")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_each_language() {
        let rows = [
            (Language::Python, "class", false),
            (Language::Python, "type", true),
            (Language::Rust, "type", false),
            (Language::Rust, "größe", true),
            (Language::Rust, "a$b", false),
            (Language::Go, "func", false),
            (Language::Java, "goto", false),
            (Language::TypeScript, "$store", true),
            (Language::TypeScript, "delete", false),
            (Language::Go, "2x", false),
            (Language::Go, "a b", false),
            (Language::Go, "", false),
            (Language::Go, "_", false),
        ];
        for (language, name, expected) in rows {
            assert_eq!(is_no_name(Some(language), name, "old").is_none(), expected, "{language:?} {name}");
        }
    }
}
