//! Properties of every text.

use jiff::civil::date;
use m1nd_memory::{
    Comment, CommitText, Manifest, ParseContext, Parsed, RecordId, SourceKind, comment_records, comments_by_form,
    commit_records, detect_stack, markers, mentions, parse,
};
use proptest::prelude::*;

fn read(text: &str) -> Parsed {
    let context =
        ParseContext { project: "/p", today: date(2025, 1, 10), kind: SourceKind::MemoryFile, file: ".mind/MEMORY.md" };
    parse(text, &context)
}

/// Pieces that mean something to the parser, to be put together at random.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("decided to use ".to_owned()),
        Just("**Decided:** ".to_owned()),
        Just("**Problem".to_owned()),
        Just("Problem: ".to_owned()),
        Just("fixed the ".to_owned()),
        Just(" is broken again".to_owned()),
        Just("turns out ".to_owned()),
        Just("MEMORY: ".to_owned()),
        Just("KEY: ".to_owned()),
        Just("Next: ".to_owned()),
        Just("no longer using ".to_owned()),
        Just(" because ".to_owned()),
        Just(" over ".to_owned()),
        Just(" instead of ".to_owned()),
        Just("blocked on ".to_owned()),
        Just("\n\n".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\n- ".to_owned()),
        Just("\n  - [x] ".to_owned()),
        Just("\n## 2024-12-12\n".to_owned()),
        Just("\n## Gotchas\n- ".to_owned()),
        Just("\n## Project State\n- Goal: ".to_owned()),
        Just("\n--- Dec 12\n".to_owned()),
        Just("\n```\n".to_owned()),
        Just("`".to_owned()),
        Just("<!--".to_owned()),
        Just("-->".to_owned()),
        Just("“".to_owned()),
        Just("\"".to_owned()),
        Just(". ".to_owned()),
        Just("| a | b |\n|---|---|\n".to_owned()),
        Just(" → ".to_owned()),
        Just("’é漢字🙂 ".to_owned()),
        "[a-zA-Z0-9 .,:;*_#>!?()-]{0,24}",
        "\\PC{0,12}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_is_read_and_its_lines_are_in_it(text in pieces()) {
        let parsed = read(&text);
        prop_assert_eq!(&parsed, &read(&text), "the same text, the same memories");
        let lines = u32::try_from(text.split('\n').count()).expect("few");
        let mut ids: Vec<RecordId> = parsed.records.iter().map(|record| record.id).collect();
        for record in &parsed.records {
            prop_assert!((1..=lines).contains(&record.source.line), "line {} of {lines}", record.source.line);
            prop_assert!((0.0..=1.0).contains(&record.confidence));
            prop_assert!(!record.title.is_empty() && record.title.chars().count() <= 130);
            prop_assert!(record.resolved_by_line.is_none_or(|line| (1..=lines).contains(&line)));
            prop_assert!(record.superseded_by.is_none_or(|later| later != record.id && ids.contains(&later)));
        }
        ids.sort();
        let count = ids.len();
        ids.dedup();
        prop_assert_eq!(ids.len(), count, "each id once");
        for relation in &parsed.relations {
            prop_assert!(ids.contains(&relation.from) && ids.contains(&relation.to) && relation.from != relation.to);
        }
        for item in &parsed.next_items {
            prop_assert!((1..=lines).contains(&item.line));
        }
    }

    #[test]
    fn lines_put_before_change_no_id(text in pieces(), blank in 1usize..6) {
        let (one, other) = (read(&text), read(&format!("note{}{text}", "\n".repeat(blank + 1))));
        let ids = |parsed: &Parsed| parsed.records.iter().map(|record| record.id).collect::<Vec<_>>();
        // A text that starts with front matter, or with a continuation of the previous line, has another meaning
        // below a line.
        prop_assume!(!text.starts_with("---") && !text.starts_with([' ', '\t', '\u{feff}']));
        prop_assert_eq!(ids(&one), ids(&other));
    }

    #[test]
    fn nothing_panics_on_any_text(text in "(?s).{0,400}") {
        let _ = read(&text);
        let _ = markers(&text);
        let _ = mentions(&text);
        for path in ["a.ts", "a.py", "a.css", "a.html", "a.sql", "a.vim"] {
            for comment in comments_by_form(path, &text) {
                let _ = comment_records(&comment, path, "/p", None);
            }
        }
        let _ = comment_records(&Comment { line: 1, text: text.as_str().into() }, "a.ts", "/p", None);
        let _ = commit_records(&CommitText { short_id: "abc", date: date(2025, 1, 1), message: &text }, "/p");
        for path in ["package.json", "Cargo.toml", "pyproject.toml", "setup.py", "requirements.txt", "Gemfile"] {
            let _ = detect_stack(&[Manifest { path, text: &text }], &[text.as_str().into()]);
        }
    }

    #[test]
    fn comments_with_the_mark_are_read(body in pieces()) {
        let text = format!("/* MEMORY: {body} */ // MEMORY: {body}\n# MEMORY: {body}");
        for path in ["a.ts", "a.py", "a.css"] {
            for comment in comments_by_form(path, &text) {
                let _ = comment_records(&comment, path, "/p", None);
            }
        }
        let _ = commit_records(&CommitText { short_id: "abc", date: date(2025, 1, 1), message: &body }, "/p");
    }
}

#[test]
fn hostile_texts_are_bounded() {
    let mut texts = vec![
        "fails ".repeat(10_000),
        "decided to use x. ".repeat(5_000),
        "> ".repeat(10_000),
        "- ".repeat(2_000),
        "`".repeat(10_000),
        "[".repeat(10_000),
        "\"".repeat(10_000),
        "so and but ".repeat(5_000),
        "<!-- ".repeat(10_000),
    ];
    texts.push((0..1_500).map(|at| format!("problem: cache loss {at}\nfixed: cache loss\n\n")).collect());
    texts.push((0..1_500).map(|at| format!("going with redis {at} instead of redis\n\n")).collect());
    for text in texts {
        read(&text);
    }
}
