//! Hostile bytes in every language of the table, each on a thread with a small stack: no panic, no abort, bounded
//! facts that satisfy their invariants, and a problem if the file could not be fully processed.

mod common;

use m1nd_base::{Cancel, Limits, ProblemKind};
use m1nd_lang::{FileFacts, Language, extract};

use crate::common::invariants::check_invariants;
use crate::common::samples::sample;

/// Stack of the extracting thread: far less than recursion over the inputs below would need.
const STACK: usize = 512 << 10;

fn extract_on_small_stack(language: Language, bytes: Vec<u8>) -> FileFacts {
    let run = move || {
        let limits = Limits::default();
        let facts = extract(language, &bytes, &limits, &Cancel::default());
        let most = limits.facts_per_file + limits.facts_per_file / 2;
        assert!(facts.len() <= most, "{}: {} facts of {} bytes", language.name(), facts.len(), bytes.len());
        let broken = check_invariants(&facts, bytes.len().max(String::from_utf8_lossy(&bytes).len()));
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        assert_eq!(broken, Vec::<String>::new(), "{}: {} bytes, {start:?}", language.name(), bytes.len());
        facts
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("thread");
    match thread.join() {
        Ok(facts) => facts,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn has(facts: &FileFacts, kind: ProblemKind) -> bool {
    facts.problems.iter().any(|problem| problem.kind == kind)
}

fn list_parsed() -> impl Iterator<Item = Language> {
    let only = std::env::var("TORTURE_ONLY").ok();
    Language::all().filter(move |language| {
        !language.is_prose() && only.as_deref().is_none_or(|only| only.split(',').any(|name| name == language.name()))
    })
}

/// In components only the content of a script block is parsed.
fn in_script(language: Language, text: &str) -> Vec<u8> {
    match language {
        Language::Vue | Language::Svelte | Language::Astro => format!("<script>\n{text}\n</script>\n").into_bytes(),
        Language::Php => format!("<?php\n{text}\n").into_bytes(),
        _ => text.as_bytes().to_vec(),
    }
}

fn list_nested(size: usize) -> Vec<(&'static str, String)> {
    let half = size / 2;
    vec![
        ("parentheses", "(".repeat(size)),
        ("brackets", "[".repeat(size)),
        ("braces", "{".repeat(size)),
        ("angles", "<".repeat(size)),
        ("closed parentheses", format!("{}1{}", "(".repeat(half), ")".repeat(half))),
        ("closed brackets", format!("x = {}{}", "[".repeat(half), "]".repeat(half))),
        ("closed braces", format!("{}{}", "{".repeat(half), "}".repeat(half))),
        ("calls", format!("{}1{}", "f(".repeat(size / 3), ")".repeat(size / 3))),
        ("members", "a.".repeat(half)),
        ("negations", "!".repeat(size)),
        ("else chain", format!("void f() {{ {} }}", "if (a) { b(); } else ".repeat(size / 21))),
        ("operators", format!("x = {}1", "1 + ".repeat(size / 4))),
        ("nested functions", "def f():\n fn f() { function f() { ".repeat(size / 36)),
        ("nested classes", "class A { ".repeat(size / 10)),
        ("quotes", "\"".repeat(size)),
        ("closers", ")}]>".repeat(size / 4)),
    ]
}

fn nesting_is_bounded(size: usize) {
    for language in list_parsed() {
        for (_, text) in list_nested(size) {
            extract_on_small_stack(language, in_script(language, &text));
        }
    }
}

#[test]
fn deep_nesting_of_40_kb() {
    nesting_is_bounded(40_000);
}

#[test]
fn deep_nesting_of_256_kib() {
    // Some of the shapes above, at a size where quadratic work shows.
    for language in list_parsed() {
        for open in ["(", "{", "f("] {
            let text = open.repeat((256 << 10) / open.len());
            extract_on_small_stack(language, in_script(language, &text));
        }
    }
}

#[test]
fn one_very_long_line_is_not_parsed() {
    for language in list_parsed() {
        let limits = Limits { parse_bytes: 8 << 20, ..Limits::default() };
        let bytes = in_script(language, &"a = 1; ".repeat((2 << 20) / 7));
        let facts = extract(language, &bytes, &limits, &Cancel::default());
        assert!(has(&facts, ProblemKind::LongLine), "{}", language.name());
        assert!(facts.definitions.is_empty());
        assert_eq!(check_invariants(&facts, bytes.len()), Vec::<String>::new());
    }
}

#[test]
fn a_long_line_below_the_limit_is_bounded() {
    for language in list_parsed() {
        extract_on_small_stack(language, in_script(language, &"a(b); ".repeat((64 << 10) / 6)));
    }
}

#[test]
fn a_large_file_is_not_parsed() {
    for language in list_parsed() {
        let facts = extract_on_small_stack(language, "a = 1\n".repeat((2 << 20) / 6).into_bytes());
        assert!(has(&facts, ProblemKind::TooLarge), "{}", language.name());
    }
}

/// Look-ups for each enum constant must not scan all of them.
#[test]
fn an_enum_of_many_constants() {
    let constants: Vec<String> = (0..20_000).map(|n| format!("C{n}(1)")).collect();
    let text = format!("enum A {{ {}; A(int n) {{}} }}", constants.join(",\n"));
    let facts = extract_on_small_stack(Language::Java, text.into_bytes());
    assert!(facts.definitions.iter().filter(|one| facts.name(one.name).starts_with('C')).count() > 1_000);
}

#[test]
fn binary_bytes_are_not_parsed() {
    for language in list_parsed() {
        let mut bytes = sample(language).as_bytes().to_vec();
        bytes.insert(bytes.len().min(20), 0);
        let facts = extract_on_small_stack(language, bytes);
        assert!(has(&facts, ProblemKind::Binary), "{}", language.name());
    }
}

#[test]
fn a_late_nul_is_survived() {
    for language in list_parsed() {
        let mut bytes = " \n".repeat(5_000).into_bytes();
        bytes.extend_from_slice(b"\0\0\0");
        bytes.extend_from_slice(sample(language).as_bytes());
        extract_on_small_stack(language, bytes);
    }
}

#[test]
fn invalid_utf8_is_reported() {
    for language in list_parsed() {
        let mut bytes = sample(language).as_bytes().to_vec();
        for at in (7..bytes.len()).step_by(31) {
            bytes[at] = 0xff;
        }
        let facts = extract_on_small_stack(language, bytes);
        assert!(has(&facts, ProblemKind::InvalidUtf8), "{}", language.name());
    }
}

/// A generator of bytes that needs no crate: the case is its seed.
struct Bytes(u64);

impl Bytes {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[test]
fn random_bytes_are_survived() {
    for language in list_parsed() {
        for seed in 1..=6u64 {
            let mut random = Bytes(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let any = (0..4_096).map(|_| random.next() as u8 | 1).collect();
            extract_on_small_stack(language, any);
            // Pieces of the sample in any order look more like the language than noise does.
            let text = sample(language);
            let words: Vec<&str> = text.split_inclusive([' ', '\n', '(', ')', '{', '}', '.']).collect();
            let mixed: String = (0..600).map(|_| words[(random.next() % words.len() as u64) as usize]).collect();
            extract_on_small_stack(language, mixed.into_bytes());
        }
    }
}

#[test]
fn settings_are_survived() {
    for language in Language::all().filter(|language| language.is_settings()) {
        assert!(!extract_on_small_stack(language, sample(language).as_bytes().to_vec()).shared.is_empty());
        for (_, text) in list_nested(40_000) {
            // The words show that the file is one of those that are read.
            extract_on_small_stack(language, format!("services:\n  a: {text}\n").into_bytes());
            extract_on_small_stack(language, format!("{{\"openapi\": {text}").into_bytes());
        }
        let many = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a}]}\n";
        extract_on_small_stack(language, many.repeat(4_000).into_bytes());
        extract_on_small_stack(language, format!("services:\n{}", "  - a: [b, {c: d}]\n".repeat(20_000)).into_bytes());
    }
}

#[test]
fn every_cut_of_a_sample_is_survived() {
    for language in list_parsed().chain(Language::all().filter(|language| language.is_settings())) {
        let bytes = sample(language).as_bytes();
        let step = (bytes.len() / 60).max(1);
        for end in (0..bytes.len()).step_by(step) {
            extract_on_small_stack(language, bytes[..end].to_vec());
            extract_on_small_stack(language, bytes[end..].to_vec());
        }
    }
}

#[test]
fn a_sample_yields_facts_and_no_problem() {
    for language in list_parsed() {
        let facts = extract_on_small_stack(language, sample(language).as_bytes().to_vec());
        assert!(!facts.definitions.is_empty(), "{} has no definition", language.name());
        if language.is_schema() {
            assert!(!facts.shared.is_empty(), "{} shares nothing", language.name());
        } else {
            assert!(!facts.references.is_empty(), "{} has no reference", language.name());
            assert!(!facts.imports.is_empty(), "{} has no import", language.name());
        }
        assert_eq!(facts.problems, Vec::new(), "{}", language.name());
    }
}

#[test]
fn a_broken_file_says_so() {
    for language in list_parsed().filter(|language| !language.is_schema()) {
        let mut text = sample(language).to_owned();
        let tail = "\n)}] = ( class ( fn ( { def ] if then (\n";
        match text.rfind("</script>") {
            Some(at) => text.insert_str(at, tail),
            None => text.push_str(tail),
        }
        let facts = extract_on_small_stack(language, text.into_bytes());
        assert!(has(&facts, ProblemKind::SyntaxErrors), "{} reports no syntax error", language.name());
    }
}

#[test]
fn an_empty_file_has_no_facts() {
    for language in list_parsed() {
        for text in ["", "\n", " ", "\u{feff}", "\r\n\r\n"] {
            let facts = extract_on_small_stack(language, text.as_bytes().to_vec());
            // A component is a definition by itself.
            let components = usize::from(language.is_component());
            assert_eq!(facts.definitions.len(), components, "{}", language.name());
            assert!(facts.references.is_empty(), "{}", language.name());
        }
    }
}
