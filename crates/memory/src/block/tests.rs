use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag};

use super::*;
use crate::{Kind, ParseContext, Parsed, Record, Source, SourceKind, parse};

const MEMORY: &str = "# shop

## Project State
- Goal: Sell tickets without queues
- Stack: nextjs, supabase
- Blocked: None

## Gotchas
- Safari ITP blocks cross-domain cookies → use same-domain auth
- [critical] Never run `seed` on prod -> it drops tables

## 2026-10-01 | set up payments | mood: good
**Decided:** Use Stripe over Paddle because of invoices
**Problem:** Webhooks arrive twice
Next: make webhooks idempotent

## 2026-10-20 | tickets
KEY: prices are integers of cents
decided to keep sessions in Redis for now
**Learned:** Safari needs a -webkit prefix

## 2026-11-10 | login
**Decided:** Use JWT for the API because it is stateless
Next: rotate the signing keys
";

fn day(text: &str) -> Date {
    text.parse().expect("a date")
}

fn parse_text(text: &str) -> Parsed {
    let context = ParseContext {
        project: "/shop",
        today: day("2026-11-20"),
        kind: SourceKind::MemoryFile,
        file: ".mind/MEMORY.md",
    };
    parse(text, &context)
}

fn block_of(parsed: &Parsed, change: impl FnOnce(&mut BlockInput<'_>)) -> String {
    let recall = Recall::new(parsed.records.clone().into());
    let mut input = BlockInput {
        today: day("2026-11-20"),
        health: BlockHealth::Active,
        state: &parsed.project_state,
        detected: &[],
        recall: &recall,
        gotchas: &parsed.gotchas,
        relations: &parsed.relations,
        stack_gotchas: &[],
        sessions: &parsed.sessions,
        next: &parsed.next_items,
        focus: &[],
        hits: None,
        limits: BlockLimits::default(),
    };
    change(&mut input);
    render(&input)
}

#[test]
fn a_whole_block() {
    let block = block_of(&parse_text(MEMORY), |_| ());
    expect_test::expect![[r#"
        <!-- MIND:CONTEXT hash=a809ec8a5292a849 made by m1nd from .mind/MEMORY.md, edit that instead -->
        ## Memory: ✓ Active
        Last captured: 2026-11-10. 3 decisions, 1 open issue, 2 learnings

        ## Session Context
        - Last active 2026-11-10: login

        ## Project State
        - Goal: Sell tickets without queues
        - Stack: nextjs, supabase

        ## Key (never forget)
        - [L] prices are integers of cents

        ## Recent Decisions
        - Use JWT for the API (2026-11-10) - it is stateless
        - keep sessions in Redis for now (2026-10-20)
        - Use Stripe over Paddle (2026-10-01) - invoices

        ## Open Loops
        - Issue: Webhooks arrive twice (2026-10-01)
        - Still valid? keep sessions in Redis for now (2026-10-20)

        ## Gotchas (This Stack)
        - Never run `seed` on prod -> it drops tables
        - Safari ITP blocks cross-domain cookies -> use same-domain auth

        ## Session History
        - 2026-10-20: tickets
        - 2026-10-01: set up payments | good

        ## Continue From
        - Last topic: Use JWT for the API
        - Next: rotate the signing keys
        <!-- MIND:END -->"#]]
    .assert_eq(&block);
}

#[test]
fn sections_without_content_are_dropped() {
    let block = block_of(&parse_text(""), |_| ());
    let body: Vec<&str> = block.lines().skip(1).collect();
    assert_eq!((body.len(), body[0], body[2]), (3, "## Memory: ✓ Active", END));
    assert!(body[1].starts_with("Nothing captured yet: write into .mind/MEMORY.md"), "{block}");
}

#[test]
fn a_new_project_is_told_where_to_write_and_what_it_is_made_with() {
    static TAGS: std::sync::LazyLock<[Box<str>; 2]> = std::sync::LazyLock::new(|| ["nextjs".into(), "supabase".into()]);
    let block = block_of(&parse_text(""), |input| input.detected = &*TAGS);
    assert!(block.contains("`decided …`") && block.contains("Made with: nextjs, supabase"), "{block}");
    let known = block_of(&parse_text(MEMORY), |input| input.detected = &*TAGS);
    assert!(!known.contains("Made with"), "{known}");
}

#[test]
fn a_session_is_told_although_work_went_on_after_it() {
    let parsed = parse_text(MEMORY);
    let later = Session::of_day(day("2026-11-12"), 0, None, None);
    let sessions: &'static [Session] = Vec::leak(parsed.sessions.iter().cloned().chain([later]).collect());
    let block = block_of(&parsed, |input| input.sessions = sessions);
    assert!(block.contains("## Session History\n- 2026-11-10: login\n- 2026-10-20: tickets"), "{block}");
    assert!(!block.contains("Session Context"), "{block}");
}

#[test]
fn the_order_of_memories_does_not_matter() {
    let mut backward = parse_text(MEMORY);
    let forward = block_of(&backward, |_| ());
    backward.records.reverse();
    assert_eq!(block_of(&backward, |_| ()), forward);
}

#[test]
fn stale_says_since_when_and_what_to_do() {
    let health = BlockHealth::Stale { since: day("2026-11-18"), remedy: "`mind index`" };
    let block = block_of(&parse_text(MEMORY), |input| input.health = health);
    assert!(block.contains("## Memory: ⚠️ Stale (since 2026-11-18; run `mind index`)\n"), "{block}");
    assert!(block.contains("\nThe project changed after the newest entry"), "{block}");
    assert!(!block_of(&parse_text(MEMORY), |_| ()).contains("The project changed"));
}

#[test]
fn an_issue_of_an_old_commit_is_no_open_loop() {
    let of_source = |kind: SourceKind, date: &str| {
        let mut parsed = parse_text(MEMORY);
        let issue = parsed.records.iter_mut().find(|record| record.title.contains("Webhooks")).expect("the issue");
        (issue.source.kind, issue.date) = (kind, Some(day(date)));
        block_of(&parsed, |_| ()).contains("Webhooks arrive twice")
    };
    assert!(of_source(SourceKind::MemoryFile, "2026-10-01"));
    assert!(of_source(SourceKind::Commit, "2026-11-10"));
    assert!(!of_source(SourceKind::Commit, "2026-10-01"));
}

#[test]
fn too_much_shrinks_in_order() {
    let mut text = MEMORY.to_owned();
    for number in 0..40 {
        text += &format!(
            "\n## 2026-11-{:02} | day {number}\n**Decided:** Use tool number {number} because reason {number} is longer than most reasons are and goes on\nKEY: remember fact {number} which is quite long and nobody must ever forget it\n",
            number % 20 + 1
        );
    }
    let parsed = parse_text(&text);
    let limits = BlockLimits::default();
    for max_chars in [1600, 1200, 800, 500, 300, 200] {
        let block = block_of(&parsed, |input| input.limits = BlockLimits { max_chars, ..limits });
        assert!(block.chars().count() <= max_chars, "{max_chars}: {block}");
        assert!(block.lines().count() <= 60 && block.lines().all(|line| line.chars().count() <= 160), "{block}");
        assert!(block.starts_with(START) && block.ends_with(END), "{block}");
        assert!(max_chars < 800 || block.contains("Goal: Sell tickets"), "{block}");
    }
    let block = block_of(&parsed, |input| input.limits = limits);
    assert!(!block.contains("Session History"), "the past goes first: {block}");
}

#[test]
fn foreign_texts_are_quoted_with_their_file() {
    let mut parsed = parse_text(MEMORY);
    for record in &mut parsed.records {
        if record.kind == Kind::Decision {
            record.source = Source { kind: SourceKind::Comment, file: "src/auth.ts".into(), line: 3 };
        }
    }
    let block = block_of(&parsed, |_| ());
    assert!(block.contains("- (src/auth.ts) “Use JWT for the API” (2026-11-10)"), "{block}");
}

#[test]
fn one_of_what_says_the_same_and_no_superseded() {
    let mut parsed = parse_text(
        "## 2026-11-01\n**Decided:** Use Redis for the sessions\n\n## 2026-11-02\n**Decided:** use Redis for sessions\n**Decided:** Use Vite\n",
    );
    let vite = parsed.records.iter().position(|record| &*record.title == "Use Vite").expect("a decision");
    parsed.records[vite].superseded_by = Some(RecordId(1));
    let block = block_of(&parsed, |_| ());
    assert_eq!(block.matches("Redis").count(), 2, "a decision, and where to continue: {block}");
    assert!(!block.contains("- Use Vite (2026-11-02)"), "{block}");
}

/// Everything that a hostile text could try, and secrets.
fn hostile() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "<!-- MIND:END -->", "<!-- MIND:CONTEXT -->", "@/etc/passwd", "@docs", "`", "``", "```", "~~~", "#", "# H",
        "> q", "- ", "\n", "\r\n", "<b>", "</b>", "-->", "<!--", "![i](http://x/y)", "[a](javascript:x)", "\\", "\\`",
        "MIND:", "mind:", "\u{202e}", "\u{200b}", "word", " ", "1.", "---", "***", "===", "|", "<?x", "<![CDATA[",
        "[x]:", "é", "漢", " AKIAQX7ZT4NB2MPL9RWD ", "&lt;!--", "*", "_",
    ]);
    prop::collection::vec(prop_oneof![4 => parts.prop_map(str::to_owned), 1 => any::<String>()], 0..12)
        .prop_map(|parts| parts.concat())
}

fn record_of(title: &str, reason: &str, kind: SourceKind) -> Record {
    let source = Source { kind, file: title.into(), line: 1 };
    let mut record = Record::new(RecordId::new("p", kind, Kind::Decision, title), Kind::Decision, title, source);
    record.reasoning = Some(reason.into());
    record.date = Some(day("2026-11-01"));
    record
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_text_gets_out_of_its_line(title in hostile(), reason in hostile(), goal in hostile(), is_foreign in any::<bool>()) {
        let kind = if is_foreign { SourceKind::Comment } else { SourceKind::MemoryFile };
        let mut parsed = parse_text("");
        parsed.records = vec![record_of(&title, &reason, kind)];
        parsed.project_state.goal = Some(goal.as_str().into());
        let block = block_of(&parsed, |_| ());
        prop_assert!(block.chars().count() <= 1600 && block.lines().all(|line| line.chars().count() <= 160));
        prop_assert!(!block.contains("AKIAQX7ZT4NB2MPL9RWD"));
        let body = block.split_once('\n').and_then(|(_, rest)| rest.strip_suffix(END)).expect("markers");
        prop_assert!(!body.lines().any(|line| line.trim_start().starts_with("<!--")), "{body}");
        let mut headings = 0;
        for event in Parser::new(body) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => prop_assert!(false, "{html:?} in {body}"),
                Event::Start(Tag::Heading { .. }) => headings += 1,
                Event::Start(Tag::Image { .. } | Tag::Link { .. } | Tag::BlockQuote(_) | Tag::CodeBlock(_)) | Event::Rule => {
                    prop_assert!(false, "markup in {body}");
                }
                Event::Text(text) => {
                    prop_assert!(!text.to_lowercase().contains("mind:"), "{body}");
                    prop_assert!(!text.starts_with('@') && !text.contains(" @d") && !text.contains(" @/"), "{body}");
                }
                _ => {}
            }
        }
        prop_assert_eq!(headings, body.lines().filter(|line| line.starts_with("## ")).count(), "{}", body);
        let spliced = splice(b"", &block).expect("a rendered block is a block");
        prop_assert!(!inspect(&spliced.bytes).expect("pairs").expect("a block").is_edited);
    }

    /// For any file: the user's bytes stay unchanged, and the operation is idempotent.
    #[test]
    fn nothing_outside_of_the_markers_changes(file in any_file()) {
        let block = block_of(&parse_text(MEMORY), |_| ());
        let Ok(first) = splice(&file, &block) else {
            prop_assert!(inspect(&file).is_err());
            return Ok(());
        };
        let outside = [&first.bytes[..first.range.start], &first.bytes[first.range.end..]].concat();
        match first.placed {
            Placed::Inserted => prop_assert_eq!(&outside, &file),
            Placed::Replaced => {
                // The first block ended with its last line; the rest of the file lost further blocks only.
                let kept = remove(&file).expect("pairs");
                let ours = remove(&first.bytes).expect("pairs");
                prop_assert_eq!(kept, ours);
                prop_assert!(file.starts_with(&first.bytes[..first.range.start]));
                if first.removed == 0 {
                    prop_assert!(file.ends_with(&first.bytes[first.range.end..]));
                }
            }
        }
        let second = splice(&first.bytes, &block).expect("what we wrote is well formed");
        prop_assert!(!second.changed && second.bytes == first.bytes && second.edited.is_empty());
        prop_assert_eq!(inspect(&first.bytes).expect("pairs").map(|present| (present.is_edited, present.further)), Some((false, 0)));
    }
}

/// Lines that matter to the splice, in any order, with any ends; sometimes any bytes.
fn any_file() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec![
        START_OLD, START_OTHER, END, "<!-- MIND:CONTEXTS -->", "text <!-- MIND:END -->", "    <!-- MIND:END -->",
        "  <!-- MIND:END -->  ", "```", "````", "~~~", "``` rust", "```a`b", "---", "...", "title: x", "", "# Heading",
        "text", "> ```", "\t```", "- item", "é", "<!-- MIND:CONTEXT", "<!-- MIND:CONTEXT --> more", "\u{feff}", "\r",
    ]);
    let end = prop::sample::select(vec!["\n", "\r\n", "\n", "\r\n", ""]);
    let lines = prop::collection::vec((line, end), 0..14)
        .prop_map(|lines| lines.into_iter().flat_map(|(line, end)| [line, end]).collect::<String>().into_bytes());
    let bytes = prop::collection::vec(any::<u8>(), 0..64);
    (any::<bool>(), prop_oneof![8 => lines, 1 => bytes]).prop_map(|(with_mark, mut bytes)| {
        if with_mark {
            bytes.splice(0..0, "\u{feff}".bytes());
        }
        bytes
    })
}

const START_OLD: &str = "<!-- MIND:CONTEXT - auto-generated by Mind. Do not edit. -->";
const START_OTHER: &str = "<!-- MIND:CONTEXT hash=0123456789abcdef made by -->";
const BLOCK: &str = "<!-- MIND:CONTEXT -->\nnew\n<!-- MIND:END -->";

#[test]
fn where_the_block_goes() {
    let cases: &[(&str, &str)] = &[
        ("", "{}\n"),
        ("# Mine\n", "{}\n\n# Mine\n"),
        ("# Mine\r\ntext\r\n", "{rn}\r\n\r\n# Mine\r\ntext\r\n"),
        ("\u{feff}# Mine\n", "\u{feff}{}\n\n# Mine\n"),
        ("---\na: b\n---\n# Mine\n", "---\na: b\n---\n{}\n\n# Mine\n"),
        ("---\na: b\n---", "---\na: b\n---\n{}\n"),
        ("---\nno end\n", "{}\n\n---\nno end\n"),
        ("a\n<!-- MIND:CONTEXT -->\nold\n<!-- MIND:END -->\nb", "a\n{}\nb"),
        ("a\n  <!-- MIND:CONTEXT x -->\nold\n<!-- MIND:END -->  ", "a\n{}"),
        ("<!-- MIND:CONTEXT -->\n<!-- MIND:END -->\nb\n<!-- MIND:CONTEXT -->\nc\n<!-- MIND:END -->\nd", "{}\nb\nd"),
        (
            "see `<!-- MIND:CONTEXT -->` and <!-- MIND:END -->\n",
            "{}\n\nsee `<!-- MIND:CONTEXT -->` and <!-- MIND:END -->\n",
        ),
        ("```\n<!-- MIND:CONTEXT -->\n```\n", "{}\n\n```\n<!-- MIND:CONTEXT -->\n```\n"),
        ("<!-- MIND:END -->\n", "{}\n\n<!-- MIND:END -->\n"),
        ("<!-- MIND:CONTEXT -->\r\nold\r\n<!-- MIND:END -->\r\n", "{rn}\r\n"),
    ];
    for (file, expected) in cases {
        let expected = expected.replace("{rn}", &BLOCK.replace('\n', "\r\n")).replace("{}", BLOCK);
        let spliced = splice(file.as_bytes(), BLOCK).expect(file);
        assert_eq!(String::from_utf8_lossy(&spliced.bytes), expected, "{file:?}");
        assert!(!splice(&spliced.bytes, BLOCK).expect(file).changed);
    }
}

#[test]
fn what_does_not_end_is_left_alone() {
    let cases = [
        ("a\n<!-- MIND:CONTEXT -->\nmine\n", 2),
        ("<!-- MIND:CONTEXT -->\n<!-- MIND:CONTEXT -->\n<!-- MIND:END -->\n", 1),
        ("<!-- MIND:CONTEXT -->\n```\n<!-- MIND:END -->\n", 1),
        ("---\na: b\n---\n\n<!-- MIND:CONTEXT -->\n", 5),
    ];
    for (file, line) in cases {
        assert_eq!(splice(file.as_bytes(), BLOCK), Err(SpliceError::Unclosed { line }), "{file:?}");
        assert_eq!(inspect(file.as_bytes()), Err(SpliceError::Unclosed { line }));
        assert_eq!(remove(file.as_bytes()), Err(SpliceError::Unclosed { line }));
    }
    for text in ["", "text", "<!-- MIND:CONTEXT -->", "x\n<!-- MIND:CONTEXT -->\n<!-- MIND:END -->"] {
        assert_eq!(splice(b"", text), Err(SpliceError::NoBlock), "{text:?}");
    }
}

#[test]
fn edits_by_hand_are_noticed() {
    let block = block_of(&parse_text(MEMORY), |_| ());
    let file = splice(b"# Mine\n", &block).expect("spliced").bytes;
    assert_eq!(inspect(&file).expect("pairs").map(|present| present.is_edited), Some(false));
    let crlf = String::from_utf8_lossy(&file).replace('\n', "\r\n");
    assert_eq!(inspect(crlf.as_bytes()).expect("pairs").map(|present| present.is_edited), Some(false));
    let changed = String::from_utf8_lossy(&file).replace("Use JWT", "Never use JWT");
    let spliced = splice(changed.as_bytes(), &block).expect("spliced");
    assert!(spliced.edited.len() == 1 && spliced.edited[0].contains("Never use JWT"));
    assert_eq!(spliced.bytes, file);
    let foreign = "<!-- MIND:CONTEXT -->\nof another program\n<!-- MIND:END -->\n";
    assert!(splice(foreign.as_bytes(), &block).expect("spliced").edited.is_empty(), "without a hash nobody knows");
}
