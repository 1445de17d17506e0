//! Names that a definition can have, in each language.

use m1nd_base::NodeKind;
use m1nd_engine::Language;

/// Longest new name, in characters.
pub(super) const MAX_NAME: usize = 200;

/// Words that each language keeps for itself, by spaces. Words that are names in most places (`async`, `union`) are not
/// among them.
const KEYWORDS: &[(&[Language], &str)] = &[
    (
        &[Language::Python],
        "False None True and as assert async await break class continue def del elif else except finally for from \
         global if import in is lambda nonlocal not or pass raise return try while with yield",
    ),
    (
        &[Language::Rust],
        "Self abstract as async await become box break const continue crate do dyn else enum extern false final fn for \
         gen if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait \
         true try type typeof unsafe unsized use virtual where while yield",
    ),
    (
        &[Language::Go],
        "break case chan const continue default defer else fallthrough for func go goto if import interface map \
         package range return select struct switch type var",
    ),
    (
        &[Language::Java],
        "abstract assert boolean break byte case catch char class const continue default do double else enum extends \
         false final finally float for goto if implements import instanceof int interface long native new null package \
         private protected public return short static strictfp super switch synchronized this throw throws transient \
         true try void volatile while",
    ),
    (
        &[Language::Kotlin],
        "as break class continue do else false for fun if in interface is null object package return super this throw \
         true try typealias typeof val var when while",
    ),
    (
        &[Language::JavaScript, Language::TypeScript, Language::Tsx, Language::Vue, Language::Svelte, Language::Astro],
        "await break case catch class const continue debugger default delete do else enum export extends false finally \
         for function if implements import in instanceof interface let new null package private protected public \
         return static super switch this throw true try typeof var void while with yield",
    ),
    (
        &[Language::C],
        "auto break case char const continue default do double else enum extern float for goto if inline int long \
         register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while",
    ),
    (
        &[Language::Cpp],
        "alignas alignof and asm auto bool break case catch char class const constexpr continue decltype default delete \
         do double else enum explicit export extern false float for friend goto if inline int long mutable namespace \
         new noexcept not nullptr operator or private protected public register return short signed sizeof static \
         struct switch template this throw true try typedef typeid typename union unsigned using virtual void volatile \
         wchar_t while xor",
    ),
    (
        &[Language::CSharp],
        "abstract as base bool break byte case catch char checked class const continue decimal default delegate do \
         double else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface \
         internal is lock long namespace new null object operator out override params private protected public readonly \
         ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint \
         ulong unchecked unsafe ushort using virtual void volatile while",
    ),
];

/// Languages whose names may have `$` in them.
const WITH_DOLLAR: &[Language] = &[
    Language::JavaScript,
    Language::TypeScript,
    Language::Tsx,
    Language::Vue,
    Language::Svelte,
    Language::Astro,
    Language::Java,
    Language::Php,
];

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
    let has_dollar = language.is_some_and(|language| WITH_DOLLAR.contains(&language));
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
    let is_of = |languages: &&[Language]| language.is_some_and(|language| languages.contains(&language));
    let mut words = KEYWORDS.iter().filter(|(languages, _)| is_of(languages)).flat_map(|(_, words)| words.split(' '));
    words.any(|word| word == name).then_some("it is a keyword of the language")
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
