//! What code outside of a project calls by its name: members of the interfaces, traits and bases of standard libraries,
//! methods that a language calls for its syntax, and functions that start programs. One row per language, all data.

mod dotnet;
mod dynamic;
mod go;
mod java;
mod native;
mod python;
mod script;

use crate::language::Language;

/// What code outside of a project calls, for one language.
#[derive(Debug, Clone, Copy)]
pub struct OutsideCalls {
    /// Functions at the top of a file or module that a program, library or test run starts with.
    pub starts: &'static [&'static str],
    /// First part of the names of such functions.
    pub starts_with: &'static [&'static str],
    /// Members that the language or its library calls on values of any type.
    pub members: &'static [OutsideMember],
    /// What the names of special members start and end with.
    pub special: Option<(&'static str, &'static str)>,
    /// Types of the library whose members that their callers use are all known.
    pub bases: &'static [OutsideBase],
    /// How a type says that its methods are those of an outside type.
    pub overriding: Overriding,
    /// Words of a signature that keep a method from replacing one of a base.
    pub hidden_words: &'static [&'static str],
    /// The word of a signature that says that a method replaces or implements a member of a base, if there is one.
    pub override_word: Option<&'static str>,
    /// The word of a signature that marks a function as the meaning of an operator.
    pub operator_word: Option<&'static str>,
    /// A function inside of another is a member of an anonymous class.
    pub nested_is_member: bool,
    /// Static methods may start programs, too: the class is their module.
    pub static_starts: bool,
    /// First part of the names of accessors, which libraries call by reflection.
    pub accessors: &'static [&'static str],
    /// Last part of the names of classes whose public methods frameworks find by reflection.
    pub reflected_classes: &'static [&'static str],
    /// A value of a type only hides one of a base that has its name: who reads that of the base never gets it.
    pub hides_values: bool,
    /// Types of the library that read every value of the types derived from them.
    pub reading_bases: &'static [&'static str],
}

/// A member that outside code calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutsideMember {
    /// Its name.
    pub name: &'static str,
    /// Number of its parameters, the receiver aside; `None`: any.
    pub parameters: Option<usize>,
    /// The interface, trait or class that declares it.
    pub of: &'static str,
}

/// A type of a library with all members of its that outside code calls.
#[derive(Debug, Clone, Copy)]
pub struct OutsideBase {
    /// Its name, without its package.
    pub name: &'static str,
    /// The members.
    pub members: &'static [&'static str],
}

/// How a type says that its methods are those of an outside type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overriding {
    /// There is nothing to replace.
    Never,
    /// The methods stand in a block that names the trait (Rust).
    InBlock,
    /// A type satisfies an interface by its methods alone (Go).
    Structural,
    /// A type names its bases; any of its methods that heirs see may be one of theirs.
    ByName,
    /// As [`Overriding::ByName`], and the method says so by [`OutsideCalls::override_word`] (Kotlin).
    ByWord,
    /// As [`Overriding::ByWord`] for methods of classes; a public method may be one of an interface without the word
    /// (C#).
    ByWordOrPublic,
}

impl OutsideCalls {
    const NONE: Self = Self {
        starts: &[],
        starts_with: &[],
        members: &[],
        special: None,
        bases: &[],
        overriding: Overriding::Never,
        hidden_words: &[],
        override_word: None,
        operator_word: None,
        nested_is_member: false,
        static_starts: false,
        accessors: &[],
        reflected_classes: &[],
        hides_values: false,
        reading_bases: &[],
    };
    const RUST: Self = Self { starts: &["main"], overriding: Overriding::InBlock, ..Self::NONE };

    /// The row of a language.
    pub const fn of(language: Language) -> &'static Self {
        match language {
            Language::Python => &python::CALLS,
            Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Vue
            | Language::Svelte
            | Language::Astro => &script::CALLS,
            Language::Rust => &Self::RUST,
            Language::Go => &go::CALLS,
            Language::Java => &java::CALLS,
            Language::Kotlin => &java::KOTLIN,
            Language::Scala => &java::SCALA,
            Language::C => &native::C,
            Language::Cpp => &native::CPP,
            Language::Swift => &native::SWIFT,
            Language::CSharp => &dotnet::CALLS,
            Language::Ruby => &dynamic::RUBY,
            Language::Php => &dynamic::PHP,
            Language::Lua => &dynamic::LUA,
            _ => &Self::NONE,
        }
    }

    /// The member of this name and number of parameters that the library calls on values of any type.
    pub fn member(&self, name: &str, parameters: Option<usize>) -> Option<&'static OutsideMember> {
        let fits = |row: &&OutsideMember| {
            row.name == name && (row.parameters.is_none() || parameters.is_none() || row.parameters == parameters)
        };
        self.members.iter().find(fits)
    }

    /// The type of the library of this name, if all members are known that outside code calls.
    pub fn base(&self, name: &str) -> Option<&'static OutsideBase> {
        self.bases.iter().find(|base| base.name == name)
    }
}

const fn member(of: &'static str, name: &'static str) -> OutsideMember {
    OutsideMember { name, parameters: None, of }
}

const fn count_parameters(of: &'static str, name: &'static str, parameters: usize) -> OutsideMember {
    OutsideMember { name, parameters: Some(parameters), of }
}

const fn base(name: &'static str, members: &'static [&'static str]) -> OutsideBase {
    OutsideBase { name, members }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_found_by_name_and_number_of_parameters() {
        let go = OutsideCalls::of(Language::Go);
        assert_eq!(go.member("Less", Some(2)).map(|row| row.of), Some("sort.Interface"));
        assert_eq!(go.member("Less", Some(1)), None, "another number of parameters");
        assert_eq!(go.member("Less", None).map(|row| row.of), Some("sort.Interface"), "the number is not known");
        assert!(OutsideCalls::of(Language::Java).base("Comparable").is_some_and(|row| row.members == ["compareTo"]));
    }

    #[test]
    fn rows_name_each_thing_once() {
        for language in Language::all() {
            let row = OutsideCalls::of(language);
            let mut members: Vec<_> = row.members.iter().map(|row| (row.name, row.parameters, row.of)).collect();
            members.sort_unstable();
            let all = members.len();
            members.dedup();
            assert_eq!(members.len(), all, "{language:?}");
            let mut bases: Vec<_> = row.bases.iter().map(|row| row.name).collect();
            bases.sort_unstable();
            let all = bases.len();
            bases.dedup();
            assert_eq!(bases.len(), all, "{language:?}");
        }
    }
}
