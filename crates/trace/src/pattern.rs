//! Regular expressions that are part of the program.

/// A regular expression, compiled when it is first needed.
macro_rules! pattern {
    ($(#[$about:meta])* $name:ident, $text:expr) => {
        $(#[$about])*
        static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new($text).expect("the pattern is a constant"));
    };
}
pub(crate) use pattern;
