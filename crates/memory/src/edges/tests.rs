use std::collections::BTreeSet;

use super::*;
use crate::GotchaBullet;

fn strings(list: &[&str]) -> Vec<Box<str>> {
    list.iter().map(|text| (*text).into()).collect()
}

fn draft(title: &str, context: &[&str], intent: &[&str], code: &[&str], tags: &[&str]) -> EdgeDraft {
    EdgeDraft {
        title: title.into(),
        description: format!("{title}, described").into(),
        workaround: "go around".into(),
        detection: Detection { context: strings(context), intent: strings(intent), code: strings(code) },
        stack_tags: strings(tags),
        severity: Severity::Warning,
    }
}

fn edge(draft: EdgeDraft) -> Edge {
    draft.into_edge(Timestamp::from_second(1_700_000_000).expect("in range")).expect("valid")
}

/// The example of the tool's page.
fn vercel_crypto() -> Edge {
    let (context, intent) = (["vercel", "edge", "middleware"], ["crypto", "uuid", "random", "token"]);
    edge(draft("Vercel Edge crypto limitation", &context, &intent, &["import.*crypto", "require.*crypto"], &[]))
}

fn check(edges: &[Edge], intent: &str, code: Option<&str>, stack: Stack<'_>) -> Vec<EdgeWarning> {
    let matcher = EdgeMatcher::new(edges, false, []);
    matcher.check(&EdgeQuery { intent, code, stack, goal: "" }, &BTreeSet::new())
}

#[test]
fn the_cases_of_the_tools_page() {
    let edges = [vercel_crypto()];
    let intent = "implementing token generation with crypto";
    let found = check(&edges, intent, None, Stack::Unknown);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].confidence, &*found[0].matched_on), (0.6, "intent: crypto, token"));
    let vercel = strings(&["nextjs", "vercel"]);
    let found = check(&edges, intent, None, Stack::Detected(&vercel));
    assert_eq!((found[0].confidence, &*found[0].matched_on), (0.72, "intent: crypto, token; context: vercel"));
    let django = strings(&["python", "django"]);
    assert_eq!(check(&edges, intent, None, Stack::Detected(&django))[0].confidence, 0.3);

    let found = check(&edges, "auth middleware", Some("import crypto from 'crypto'"), Stack::Unknown);
    assert_eq!((found[0].confidence, found[0].source), (0.79, EdgeSource::Global));
    assert_eq!(&*found[0].matched_on, "code: import crypto from 'crypto'; context: middleware");

    let given = strings(&["supabase", "edge"]);
    let found = check(&edges, "database queries", None, Stack::Given(&given));
    assert_eq!((found[0].confidence, found[0].source), (0.3, EdgeSource::Stack));
}

/// Intent, code, the stack asked for or none; the gotcha that is to be the first, its confidence and its evidence.
type GoldenRow = (&'static str, &'static str, &'static [&'static str], &'static str, f32, &'static str);

/// Expected warnings of the built-in gotchas for intents and code.
const GOLDEN: &[GoldenRow] = &[
    ("token generation", "", &[], "edge_runtime_node_crypto", 0.5, "intent: token generation"),
    (
        "token generation with crypto",
        "",
        &["next.js", "edge"],
        "edge_runtime_node_crypto",
        0.72,
        "intent: crypto, token generation; stack: edge",
    ),
    (
        "x",
        "import { randomUUID } from 'node:crypto'",
        &[],
        "edge_runtime_node_crypto",
        0.7,
        "code: import { randomUUID } from 'node:crypto'",
    ),
    ("cross-domain login on iOS", "", &[], "safari_third_party_cookies", 0.65, "intent: cross-domain; context: ios"),
    (
        "x",
        "fetch(u, {credentials: 'include'})",
        &[],
        "safari_third_party_cookies",
        0.7,
        "code: fetch(u, {credentials: 'include'})",
    ),
    ("x", "let c = Connection::open(p)?;", &[], "sqlite_locked", 0.7, "code: let c = Connection::open(p)?;"),
    ("x", "println!(\"x\")", &["mcp"], "mcp_stdout", 0.79, "code: println!(\"x\"); stack: mcp"),
    ("x", "println!(\"x\")", &[], "", 0.0, ""),
    ("add a policy", "", &["supabase"], "supabase_service_role", 0.65, "intent: policy; stack: supabase"),
    ("x", "const key = service_role", &[], "supabase_service_role", 0.7, "code: const key = service_role"),
    ("x", "env.NEXT_PUBLIC_API_SECRET", &[], "public_env_secret", 0.7, "code: env.NEXT_PUBLIC_API_SECRET"),
    ("x", "env.NEXT_PUBLIC_API_SECRET", &["django"], "public_env_secret", 0.35, "code: env.NEXT_PUBLIC_API_SECRET"),
    ("x", "env.NEXT_PUBLIC_URL", &[], "", 0.0, ""),
    (
        "x",
        "let g = m.lock().unwrap();",
        &["tokio"],
        "rust_lock_across_await",
        0.79,
        "code: let g = m.lock().unwrap();; stack: tokio",
    ),
    (
        "x",
        "for _, v := range xs {\n\tgo func() { use(v) }()\n}",
        &["golang"],
        "go_loop_variable",
        0.79,
        "code: for _, v := range xs {; stack: go",
    ),
    ("x", "new Date('2024-01-02')", &[], "js_date_only_utc", 0.7, "code: new Date('2024-01-02')"),
    (
        "x",
        "create unique index if not exists i on t(a)",
        &["postgres"],
        "postgres_index_lock",
        0.79,
        "code: create unique index if not exists i on t(a); stack: postgresql",
    ),
    (
        "x",
        "url = 'localhost:5432'",
        &["docker"],
        "container_localhost",
        0.79,
        "code: url = 'localhost:5432'; stack: docker",
    ),
    ("x", "url = 'localhost:5432'", &[], "", 0.0, ""),
    ("a webhook", "", &["vercel"], "serverless_background", 0.65, "intent: webhook; stack: vercel"),
    ("fetch data in useEffect", "", &["react"], "react_effect_dependencies", 0.65, "intent: useeffect; stack: react"),
    (
        "keep the theme in localStorage",
        "",
        &["nextjs"],
        "nextjs_hydration",
        0.65,
        "intent: localstorage; stack: nextjs",
    ),
];

#[test]
fn the_table_of_those_that_come_with_the_program() {
    let matcher = EdgeMatcher::new(&[], true, []);
    for (intent, code, stack, id, confidence, evidence) in GOLDEN {
        let tags = strings(stack);
        let stack = if tags.is_empty() { Stack::Unknown } else { Stack::Given(&tags) };
        let code = (!code.is_empty()).then_some(*code);
        let found = matcher.check(&EdgeQuery { intent, code, stack, goal: "" }, &BTreeSet::new());
        let shown = found.iter().find(|warning| warning.id.strip_prefix(BUILT_IN_PREFIX) == Some(*id));
        let said = shown.map(|warning| (warning.confidence, &*warning.matched_on));
        let expected = (!id.is_empty()).then_some((*confidence, *evidence));
        assert_eq!(said, expected, "{intent} {code:?}: {found:#?}");
        assert!(!id.is_empty() || found.is_empty(), "{intent} {code:?}: {found:#?}");
    }
}

#[test]
fn words_are_whole_and_code_may_be_missing() {
    let edges = [edge(draft("Loop variables", &["go"], &["goroutine"], &["go func"], &["go"]))];
    let django = strings(&["django"]);
    assert!(check(&edges, "a view", None, Stack::Given(&django)).is_empty(), "go is not in django");
    let hosting = [edge(draft("Webhooks", &["github"], &[], &[], &[]))];
    let workflows = strings(&["github-actions"]);
    assert!(check(&hosting, "a view", None, Stack::Given(&workflows)).is_empty(), "a tag is one name");
    assert_eq!(check(&hosting, "a view", None, Stack::Given(&strings(&["GitHub"]))).len(), 1);
    assert!(check(&edges, "", Some(""), Stack::Unknown).is_empty());
    assert!(check(&edges, "a", None, Stack::Unknown).is_empty());
}

#[test]
fn what_was_shown_is_not_repeated() {
    let edges = [vercel_crypto()];
    let matcher = EdgeMatcher::new(&edges, true, []);
    let query = EdgeQuery { intent: "token generation with crypto", ..EdgeQuery::default() };
    let mut shown = BTreeSet::new();
    let first = matcher.check(&query, &shown);
    assert!(first.iter().any(|warning| warning.id == edges[0].id));
    shown.extend(first.into_iter().map(|warning| warning.id));
    assert!(matcher.check(&query, &shown).is_empty());
}

#[test]
fn order_and_caps() {
    let mut edges = Vec::new();
    for number in 0..20 {
        let severity = [Severity::Info, Severity::Warning, Severity::Critical][number % 3];
        edges.push(edge(EdgeDraft { severity, ..draft(&format!("Trap {number}"), &[], &["upload"], &[], &[]) }));
    }
    let found = check(&edges, "upload a picture", None, Stack::Unknown);
    assert_eq!(found.len(), 10);
    let key = |warning: &EdgeWarning| (std::cmp::Reverse(warning.severity), warning.id.clone());
    assert!(found.windows(2).all(|pair| key(&pair[0]) < key(&pair[1])), "{found:?}");
    edges.reverse();
    assert_eq!(check(&edges, "upload a picture", None, Stack::Unknown), found);
}

#[test]
fn a_draft_is_checked() {
    let good = || draft("Title", &["vercel"], &["crypto"], &["import.*crypto"], &["vercel"]);
    assert_eq!(good().validate(), Ok(()));
    let long = "x".repeat(MAX_PATTERN_CHARS + 1);
    let many = vec!["word"; MAX_PATTERNS + 1];
    let bad = [
        (EdgeDraft { title: " ".into(), ..good() }, "`title` is empty"),
        (EdgeDraft { workaround: "".into(), ..good() }, "`workaround` is empty"),
        (EdgeDraft { description: "x".repeat(MAX_TEXT_CHARS + 1).into(), ..good() }, "at most 2000"),
        (draft("Title", &[], &[], &[], &[]), "neither a keyword"),
        (draft("Title", &[&long], &[], &[], &[]), "at most 200"),
        (draft("Title", &[], &many, &[], &[]), "at most 32"),
        (draft("Title", &[], &["--"], &[], &[]), "neither letter nor digit"),
        (draft("Title", &[], &[], &["(unclosed"], &[]), "does not compile"),
        (draft("Title", &[], &[], &["(?=look)"], &[]), "look-around"),
        (draft("Title", &[], &[], &["x{1000}{1000}"], &[]), "does not compile"),
        (draft("Title", &[], &[], &["a*"], &[]), "matches the empty text"),
        (EdgeDraft { description: format!("password={}", "hunter2").into(), ..good() }, "holds a secret"),
    ];
    for (draft, expected) in bad {
        let error = draft.validate().expect_err(expected).to_string();
        assert!(error.contains(expected) && !error.contains("hunter2"), "{error}");
    }
    let unknown = r#"{"title":"a","description":"b","workaround":"c","detection":{"context":[],"intents":["x"]}}"#;
    assert!(serde_json::from_str::<EdgeDraft>(unknown).is_err());
}

#[test]
fn on_the_wire() {
    let edge = vercel_crypto();
    let value = serde_json::to_value(&edge).expect("serialises");
    assert_eq!(value["created_at"], "2023-11-14T22:13:20Z");
    assert_eq!((&value["severity"], &value["verified_count"]), (&"warning".into(), &0.into()));
    assert!(edge.id.starts_with("edge_") && edge.id.len() == 15);
    assert_eq!(serde_json::from_value::<Edge>(value).expect("comes back"), edge);
}

#[test]
fn the_same_gotcha_is_known() {
    let edges = [vercel_crypto()];
    let same = draft("vercel edge: CRYPTO limitations!", &["x"], &[], &[], &["other"]);
    let found = existing(&same, &edges).expect("the same title");
    assert_eq!((found.index, &found.id, found.similarity), (0, &edges[0].id, 1.0));
    let other = draft("Safari drops cookies in frames", &["safari"], &[], &[], &[]);
    assert_eq!(existing(&other, &edges), None);
    let said_otherwise = EdgeDraft {
        title: "Crypto limitation at the Vercel Edge".into(),
        description: edges[0].description.clone(),
        ..draft("", &[], &["x"], &[], &[])
    };
    assert!(existing(&said_otherwise, &edges).is_some());
}

#[test]
fn a_pattern_spoilt_by_hand_is_left_out_and_told() {
    let mut edge = vercel_crypto();
    edge.detection.code = strings(&["(broken", "require.*crypto"]);
    let matcher = EdgeMatcher::new(&[edge], false, []);
    assert_eq!(matcher.problems().len(), 1);
    let query = EdgeQuery { intent: "x", code: Some("require('crypto')"), ..EdgeQuery::default() };
    assert_eq!(matcher.check(&query, &BTreeSet::new()).len(), 1);
}

#[test]
fn evidence_in_code_shows_no_secret() {
    let edges = [edge(draft("Keys in code", &[], &[], &[r"key\s*=\s*\S+"], &[]))];
    let code = format!("api_key = \"{}\"", "a8f5f167f44f4964e6c9");
    let found = check(&edges, "x", Some(&code), Stack::Unknown);
    assert!(!found[0].matched_on.contains("a8f5"), "{}", found[0].matched_on);
}

fn gotcha(title: &str, workaround: Option<&str>) -> GotchaBullet {
    GotchaBullet {
        id: crate::RecordId(title.len() as u64),
        title: title.into(),
        description: title.into(),
        workaround: workaround.map(Into::into),
        line: 1,
        severity: Severity::Info,
    }
}

#[test]
fn gotchas_of_the_project() {
    let gotchas = [
        gotcha("Our billing API rate limits to 100/min", Some("batch the calls")),
        gotcha("Safari ITP blocks cross-domain cookies", None),
        gotcha("build_manifest must run before tests", None),
    ];
    let matcher = EdgeMatcher::new(&[], false, &gotchas);
    let ask = |intent: &str, code: Option<&str>| -> Vec<Box<str>> {
        let found = matcher.check(&EdgeQuery { intent, code, ..EdgeQuery::default() }, &BTreeSet::new());
        assert!(found.iter().all(|warning| warning.source == EdgeSource::Project && warning.id.starts_with("proj_")));
        found.into_iter().map(|warning| warning.title).collect()
    };
    assert_eq!(ask("call the billing service", None), [gotchas[0].title.clone()]);
    assert_eq!(ask("set a cookie in Safari", None), [gotchas[1].title.clone()]);
    assert_eq!(ask("run it", Some("buildManifest()")), [gotchas[2].title.clone()]);
    for harmless in ["a", "our tests", "add a button", "rename the user model", ""] {
        assert!(ask(harmless, None).is_empty(), "{harmless}");
    }
}

#[test]
fn the_pack_is_well_formed() {
    let all = built_in();
    assert!(all.len() >= 25);
    let ids: BTreeSet<_> = all.iter().map(|built_in| &built_in.edge.id).collect();
    assert_eq!(ids.len(), all.len());
    for BuiltIn { edge, requires_context, code_is_enough } in all {
        let draft = EdgeDraft {
            title: edge.title.clone(),
            description: edge.description.clone(),
            workaround: edge.workaround.clone(),
            detection: edge.detection.clone(),
            stack_tags: edge.stack_tags.clone(),
            severity: edge.severity,
        };
        assert_eq!(draft.validate(), Ok(()), "{}", edge.id);
        assert!(!edge.detection.code.is_empty() && !edge.detection.intent.is_empty(), "{}", edge.id);
        assert!(!requires_context || !edge.detection.context.is_empty(), "{}", edge.id);
        assert!(*requires_context || !code_is_enough, "{}: code always is where nothing is required", edge.id);
        assert!(edge.stack_tags.iter().all(|tag| canonical_tag(tag) == **tag), "{}", edge.id);
    }
}

/// Detected tags, stated tags, text of memories, expected gotchas.
type BlockCase = [&'static [&'static str]; 4];

#[test]
fn gotchas_of_a_stack_need_evidence_to_stand_in_the_block() {
    let tags = |list: &[&str]| list.iter().map(|tag| Box::from(*tag)).collect::<Vec<Box<str>>>();
    let cases: &[BlockCase] = &[
        [&["python"], &[], &[], &[]],
        [&["typescript", "nodejs", "react"], &[], &["a shop for jam"], &[]],
        [
            &["python"],
            &[],
            &["naive datetime in the date of the invoice", "timezone of users"],
            &["python_naive_datetime"],
        ],
        [&["sqlite"], &[], &["keep jam recipes"], &[]],
        [&["sqlite"], &[], &["sqlite stalls with multiple writers"], &["sqlite_locked"]],
        [&["supabase"], &[], &["row policy for guests"], &["supabase_service_role"]],
    ];
    for [detected, stated, said, expected] in cases {
        let own = edge(draft("mine", &[], &[], &[], &["jam-stack"]));
        let matcher = EdgeMatcher::new(&[own], true, []);
        let shown = matcher.for_block(&tags(detected), &tags(stated), said.iter().copied());
        let shown: Vec<&str> = shown.iter().map(|edge| edge.id.trim_start_matches("builtin_")).collect();
        for id in *expected {
            assert!(shown.contains(id), "{detected:?} {said:?}: {shown:?}");
        }
        assert!(!expected.is_empty() || shown.is_empty(), "{detected:?} {said:?}: {shown:?}");
    }
    let own = edge(draft("mine", &[], &[], &[], &["python"]));
    let matcher = EdgeMatcher::new(&[own], true, []);
    assert_eq!(matcher.for_block(&tags(&["python"]), &[], []).len(), 1, "what people stored is shown");
}
