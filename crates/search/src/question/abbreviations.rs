//! Abbreviations that code uses for words in questions. Only queries are expanded; the index holds the words as
//! written in the code.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::words;

/// Groups of synonyms, space-separated.
const GROUPS: &[&str] = &[
    "addr address",
    "alloc allocate",
    "arg args argument",
    "async asynchronous",
    "attr attribute",
    "auth authenticate authorize login",
    "bg background",
    "btn button",
    "buf buffer",
    "calc calculate compute",
    "cb callback",
    "cfg conf config configuration settings",
    "char character",
    "cmd command",
    "cmp compare",
    "col column",
    "conn connection",
    "cred credential",
    "ctx context",
    "cur current",
    "db database",
    "decl declaration",
    "def definition",
    "del delete remove",
    "deps dependency",
    "desc description",
    "dest dst destination",
    "dev development",
    "dict dictionary map",
    "dir directory folder",
    "doc document documentation",
    "elem element",
    "env environment",
    "err error exception",
    "eval evaluate",
    "exec execute",
    "expr expression",
    "ext extension",
    "fmt format",
    "fn func function",
    "gen generate",
    "hw hardware",
    "ident identifier",
    "idx index",
    "img image",
    "impl implement implementation",
    "info information",
    "init initialize",
    "iter iterate",
    "len length",
    "lib library",
    "loc location",
    "mem memory",
    "mgr manager",
    "msg message",
    "num number",
    "obj object",
    "op operation",
    "opt option",
    "param parameter",
    "perm permission",
    "pkg package",
    "pos position",
    "pred predicate",
    "prev previous",
    "prod production",
    "prop property",
    "ptr pointer",
    "pub publish",
    "pwd passwd password",
    "recv receive",
    "ref reference",
    "regex regexp",
    "repo repository",
    "req request",
    "resp response",
    "ret return",
    "sec second",
    "seq sequence",
    "sess session",
    "spec specification",
    "src source",
    "stat statistic",
    "stmt statement",
    "str string",
    "sub subscribe",
    "sync synchronize",
    "sys system",
    "tbl table",
    "temp tmp temporary",
    "tok token",
    "txn transaction",
    "util utility helper",
    "val value",
    "var variable",
    "vec vector",
    "ver version",
];

/// Synonyms of `term`, without the term itself.
pub fn alternatives(term: &str) -> &'static [String] {
    static ALL: LazyLock<FxHashMap<String, Vec<String>>> = LazyLock::new(all);
    ALL.get(term).map_or(&[], Vec::as_slice)
}

/// The synonyms of every term of [`GROUPS`].
fn all() -> FxHashMap<String, Vec<String>> {
    let mut all: FxHashMap<String, Vec<String>> = FxHashMap::default();
    for group in GROUPS {
        let stems: Vec<_> = group.split(' ').filter_map(words::term).collect();
        for stem in &stems {
            let others = stems.iter().filter(|other| *other != stem).map(|other| other.to_string());
            all.entry(stem.to_string()).or_default().extend(others);
        }
    }
    for found in all.values_mut() {
        found.sort();
        found.dedup();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions() {
        assert_eq!(alternatives("db"), ["databas"]);
        assert_eq!(alternatives("databas"), ["db"]);
        assert!(alternatives("zebra").is_empty());
    }

    #[test]
    fn groups_are_of_at_least_two_and_none_stands_twice() {
        assert!(GROUPS.iter().all(|group| group.contains(' ')));
        assert!(GROUPS.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
