use serde::{Deserialize, Serialize};

use super::{ExprId, NameId};
use crate::Language;

/// An argument with relevance beyond its position and value: a keyword argument, or a literal that names something
/// (an environment variable, a parameter). Only recorded for a short list of callee and table names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// Access path of the callee, decorator or indexed value.
    pub of: ExprId,
    /// The name it is given by; `None` for the first one by position, and for a key.
    pub name: Option<NameId>,
    /// Its text, if it is a string as written, of 1 to [`Argument::MAX_TEXT`] bytes.
    pub text: Option<NameId>,
    /// Its value.
    pub value: ExprId,
}

impl Argument {
    /// Longest text kept, in bytes.
    pub const MAX_TEXT: usize = 128;

    /// The text of a string literal: no escapes, nothing put in. `None` for anything else.
    pub fn text(literal: &str) -> Option<&str> {
        let prefix = literal.find(['"', '\'', '`'])?;
        let (prefix, quoted) = literal.split_at(prefix);
        let plain =
            prefix.len() <= 2 && prefix.bytes().all(|byte| matches!(byte.to_ascii_lowercase(), b'b' | b'r' | b'u'));
        let quote = &quoted[..1];
        let body = match quoted.strip_prefix("\"\"\"").or_else(|| quoted.strip_prefix("'''")) {
            Some(rest) => rest.strip_suffix("\"\"\"").or_else(|| rest.strip_suffix("'''"))?,
            None => quoted[1..].strip_suffix(quote)?,
        };
        let fits = (1..=Self::MAX_TEXT).contains(&body.len());
        (plain && fits && !body.contains(['\\', '\n', '"', '\'', '`']) && !body.contains("${")).then_some(body)
    }
}

/// Names whose arguments are kept.
struct Kept {
    /// Names of callees.
    callees: &'static [&'static str],
    /// Names of values that are indexed or have a method called.
    owners: &'static [&'static str],
}

const fn list_kept(language: Language) -> Kept {
    let (callees, owners): (&[&str], &[&str]) = match language {
        Language::Python => (
            &[
                "Depends", "Process", "Security", "Thread", "Timer", "add_api_route", "add_url_rule", "config",
                "connect", "fixture", "getenv", "getenvb", "parametrize", "path", "re_path", "set_defaults",
                "usefixtures", "yield_fixture",
            ],
            &["environ"],
        ),
        Language::Rust => (&["env", "option_env", "remove_var", "set_var", "var", "var_os"], &[]),
        Language::Go => (&["Getenv", "LookupEnv", "Setenv", "Unsetenv"], &[]),
        Language::Java => (&["getProperty", "getenv"], &[]),
        Language::C | Language::Cpp => (&["getenv", "secure_getenv", "setenv", "unsetenv"], &[]),
        _ => (&[], &[]),
    };
    Kept { callees, owners }
}

/// Returns whether the arguments of a call of `callee` of `owner` are kept.
pub(super) fn keeps_call(language: Language, callee: &str, owner: Option<&str>) -> bool {
    let kept = list_kept(language);
    kept.callees.contains(&callee) || owner.is_some_and(|owner| kept.owners.contains(&owner))
}

/// Returns whether the key by which something is indexed is kept.
pub(super) fn keeps_key(language: Language, indexed: &str) -> bool {
    list_kept(language).owners.contains(&indexed)
}

#[cfg(test)]
mod tests {
    use super::Argument;

    #[test]
    fn text_of_a_string_as_written() {
        let rows = [
            ("\"A\"", Some("A")),
            ("'A b'", Some("A b")),
            ("b'A'", Some("A")),
            ("\"\"\"A\"\"\"", Some("A")),
            ("`A`", Some("A")),
            ("\"\"", None),
            ("f\"A\"", None),
            ("\"A\\n\"", None),
            ("`${A}`", None),
            ("A", None),
            ("\"A", None),
        ];
        for (literal, expected) in rows {
            assert_eq!(Argument::text(literal), expected, "{literal}");
        }
        assert_eq!(Argument::text(&format!("'{}'", "x".repeat(Argument::MAX_TEXT + 1))), None);
    }
}
