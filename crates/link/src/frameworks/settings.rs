//! Functions and tables that read a configuration key or an environment variable by name.

use m1nd_lang::Language;

/// One way of reading.
#[derive(Debug)]
pub(crate) struct Setting {
    /// Package of the reading function.
    pub(crate) package: &'static str,
    /// Position of the name.
    pub(crate) key: Key,
    /// Kind of the name: its prefix in node ids.
    pub(crate) store: &'static str,
}

/// Position of the name that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    /// It is the first argument of one of these.
    Argument(&'static [&'static str]),
    /// Index of a table of this name, or the first argument of one of these methods of it.
    Index(&'static str, &'static [&'static str]),
    /// It is a member of an object of this name.
    Member(&'static str),
}

const ENV: &str = "env";

const fn read(package: &'static str, key: Key) -> Setting {
    Setting { package, key, store: ENV }
}

const PYTHON: &[Setting] = &[
    read("os", Key::Argument(&["getenv", "getenvb"])),
    read("os", Key::Index("environ", &["get", "pop", "setdefault"])),
    read("decouple", Key::Argument(&["config"])),
];
const TYPESCRIPT: &[Setting] = &[read("node", Key::Member("env")), read("globals", Key::Member("env"))];
const RUST: &[Setting] = &[
    read("std", Key::Argument(&["env", "option_env", "var", "var_os"])),
    read("dotenv", Key::Argument(&["var"])),
    read("dotenvy", Key::Argument(&["var"])),
];
const GO: &[Setting] = &[read("os", Key::Argument(&["Getenv", "LookupEnv"]))];
const JAVA: &[Setting] = &[
    read("java.lang", Key::Argument(&["getenv"])),
    Setting { package: "java.lang", key: Key::Argument(&["getProperty"]), store: "property" },
];
const C: &[Setting] =
    &[read("libc", Key::Argument(&["getenv", "secure_getenv"])), read("std", Key::Argument(&["getenv"]))];

/// The rows of a family of languages that are linked.
pub(crate) fn settings(family: Option<Language>) -> &'static [Setting] {
    match family {
        Some(Language::Python) => PYTHON,
        Some(Language::JavaScript) => TYPESCRIPT,
        Some(Language::Rust) => RUST,
        Some(Language::Go) => GO,
        Some(Language::Java) => JAVA,
        Some(Language::C) => C,
        _ => &[],
    }
}
