//! Methods of HTTP, and the names of callees and decorators that stand for them.

use std::fmt;

/// A set of methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Methods(u8);

const NAMES: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

impl Methods {
    pub(crate) const ANY: Self = Self(0x7F);
    pub(crate) const GET: Self = Self(1);

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl fmt::Display for Methods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ANY {
            return f.write_str("ANY");
        }
        let names: Vec<&str> = (0..NAMES.len()).filter(|at| self.0 >> at & 1 == 1).map(|at| NAMES[at]).collect();
        f.write_str(&names.join("|"))
    }
}

/// The method that a word is, in upper or lower case.
pub(crate) fn of_word(word: &str) -> Option<Methods> {
    let place = NAMES.iter().position(|name| name.eq_ignore_ascii_case(word))?;
    Some(Methods(1 << place))
}

/// Callees and decorators that serve any method.
const ANY: &[&str] = &[
    "Any", "Handle", "HandleFunc", "Method", "MethodFunc", "RequestMapping", "add_api_route", "add_route",
    "add_url_rule", "all", "any", "api_route", "path", "re_path", "route", "url",
];

/// The methods that a decorator or callee serves, by its name.
pub(crate) fn of_server(name: &str) -> Option<Methods> {
    if ANY.contains(&name) {
        return Some(Methods::ANY);
    }
    let verb = name.strip_suffix("Mapping").or_else(|| name.strip_prefix("add_")).or_else(|| name.strip_prefix("Http"));
    of_word(verb.unwrap_or(name))
}

/// Returns whether the paths of a callee need not begin with `/`.
pub(crate) fn takes_any_text(name: &str) -> bool {
    matches!(name, "path" | "re_path" | "url")
}

/// Callees of clients with a method in their name, beyond the names of the methods themselves.
const CLIENTS: &[(&str, &str)] = &[
    ("PostForm", "POST"),
    ("Head", "HEAD"),
    ("del", "DELETE"),
    ("destroy", "DELETE"),
    ("getForEntity", "GET"),
    ("getForObject", "GET"),
    ("getJSON", "GET"),
    ("patchForObject", "PATCH"),
    ("postForEntity", "POST"),
    ("postForLocation", "POST"),
    ("postForObject", "POST"),
    ("useSWR", "GET"),
    ("GetAsync", "GET"),
    ("GetFromJsonAsync", "GET"),
    ("GetStringAsync", "GET"),
    ("PostAsync", "POST"),
    ("PostAsJsonAsync", "POST"),
    ("PutAsJsonAsync", "PUT"),
    ("PutAsync", "PUT"),
    ("DeleteAsync", "DELETE"),
];

/// The method that a callee of a client asks with, by its name.
pub(crate) fn of_client(name: &str) -> Option<Methods> {
    let word = CLIENTS.iter().find(|(callee, _)| *callee == name).map_or(name, |(_, method)| *method);
    of_word(word)
}

/// Words in names of callees that ask for the address they are given.
const ASKING: &[&str] = &["fetch", "request", "http", "axios", "api", "ajax", "swr", "uri", "query"];

/// Returns whether a callee asks for the address that it is given, by its name.
pub(crate) fn asks(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    of_client(name).is_some() || lower == "url" || ASKING.iter().any(|word| lower.contains(word))
}
