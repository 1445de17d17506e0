//! Answers do not depend on whether a file is in the base or in the overlay.

use std::collections::BTreeMap;
use std::sync::Arc;

use m1nd_base::Cancel;
use m1nd_search::embedding::Embedding;
use m1nd_search::{
    Entry, FileTerms, FileTermsBuilder, Filter, Index, IndexBuilder, IndexedFile, PartsBuilder, Query, Ranked,
};
use proptest::prelude::*;

const WORDS: &[&str] = &["load", "parse", "user", "pool", "acquire", "config", "session", "token", "validate", "héllo"];

/// Content of a file: for each entry the indexes of the words of its name and its body.
type Content = Vec<(Vec<usize>, Vec<usize>)>;

fn phrase(words: &[usize], joint: &str) -> String {
    words.iter().map(|word| WORDS[word % WORDS.len()]).collect::<Vec<_>>().join(joint)
}

fn terms(path: &str, content: &Content) -> Arc<FileTerms> {
    let mut builder = FileTermsBuilder::new();
    for (number, (name, body)) in content.iter().enumerate() {
        let name = phrase(name, "_");
        let entry = Entry { key: number as u32, kind: (number % 3) as u8, name: &name, path, ..Entry::default() };
        let at = builder.entry(&entry);
        builder.body(at, &phrase(body, " "));
    }
    if let Some((_, body)) = content.first() {
        builder.uses(0, &phrase(body, "_"));
    }
    Arc::new(builder.finish())
}

fn index_file(path: &str, content: &Content) -> Arc<IndexedFile> {
    let terms = terms(path, content);
    let ids: Vec<String> = terms.keys().iter().map(|key| format!("file::{path}::fn::f{key}")).collect();
    Arc::new(IndexedFile::new(terms, |key| ids.get(key as usize).map(String::as_str)))
}

/// The bytes of an index and of its vectors.
fn build_index(files: &BTreeMap<String, Content>, reverse: bool) -> (Vec<u8>, Vec<u8>) {
    let mut builder = IndexBuilder::new();
    let mut paths: Vec<_> = files.iter().collect();
    if reverse {
        paths.reverse();
    }
    paths.into_iter().for_each(|(path, content)| builder.add(path, index_file(path, content)));
    let vectors = builder.vectors(Embedding::built_in(), &Cancel::new()).expect("not cancelled");
    (builder.finish(), vectors)
}

fn open_index(files: &BTreeMap<String, Content>) -> Index {
    let (bytes, vectors) = build_index(files, false);
    let index = Index::from_bytes(Arc::new(bytes)).expect("own bytes");
    index.with_vectors(Arc::new(vectors), Embedding::built_in()).expect("own vectors")
}

fn answers(index: &Index) -> Vec<Ranked<'_>> {
    let filters =
        [Filter::default(), Filter { scope: Some("a"), kinds: None }, Filter { scope: None, kinds: Some(0b101) }];
    let queries = [
        "load", "validate user session", "parse_config", "where is héllo?", "db cfg", "nothing_here",
        "user_pool loadToken",
    ];
    let mut answers = Vec::new();
    for query in queries {
        for filter in &filters {
            let query = Query::parse(query);
            let table = Some(Embedding::built_in());
            answers.push(index.rank(&query, 5, filter, table, &Cancel::new()).expect("not cancelled"));
        }
    }
    answers
}

fn content() -> impl Strategy<Value = Content> {
    let words = || prop::collection::vec(0usize..WORDS.len(), 0..6);
    prop::collection::vec((words(), words()), 0..5)
}

fn path() -> impl Strategy<Value = String> {
    (0..8usize).prop_map(|n| ["a/b.py", "a/c.py", "ab.py", "b.py", "z/y/x.rs", "a/d/e.ts", "c", "ä.py"][n].to_owned())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn overlay_equals_rebuild(
        start in prop::collection::btree_map(path(), content(), 0..6),
        changes in prop::collection::vec((path(), prop::option::of(content())), 0..10),
    ) {
        let mut files = start.clone();
        let mut index = open_index(&start);
        for (path, content) in changes {
            let change = content.as_ref().map(|content| index_file(&path, content));
            index = index.with_changes([(path.as_str().into(), change)]);
            match content {
                Some(content) => files.insert(path, content),
                None => files.remove(&path),
            };
        }
        let clean = open_index(&files);
        prop_assert_eq!(answers(&index), answers(&clean));
        prop_assert_eq!(index.len(), clean.len());
        prop_assert_eq!(build_index(&files, false), build_index(&files, true), "order of files must not matter");
        let compacted = index.compact(Embedding::built_in(), &Cancel::new()).expect("not cancelled");
        prop_assert_eq!(compacted, Some(build_index(&files, false)), "a base of both");
        for part_bytes in [1, 200, 1 << 20] {
            let mut parts = PartsBuilder::with_parts_of(part_bytes, Embedding::built_in());
            for (path, content) in &files {
                parts.add(path, index_file(path, content), &Cancel::new()).expect("not cancelled");
            }
            let merged = parts.finish(&Cancel::new()).expect("not cancelled");
            prop_assert_eq!(merged, build_index(&files, false), "of parts of {} bytes", part_bytes);
        }
    }

    #[test]
    fn damaged_bytes_never_panic(files in prop::collection::btree_map(path(), content(), 1..4), at in 0usize..4000, flip in 1u8..=255, cut in any::<bool>()) {
        let (mut bytes, mut vectors) = build_index(&files, false);
        let damaged = if at % 2 == 0 { &mut bytes } else { &mut vectors };
        let at = at / 2 % damaged.len();
        if cut { damaged.truncate(at) } else { damaged[at] ^= flip }
        if let Ok(index) = Index::from_bytes(Arc::new(bytes)) {
            let index = index.clone().with_vectors(Arc::new(vectors), Embedding::built_in()).unwrap_or(index);
            answers(&index);
            let change = index_file("a/b.py", &vec![(vec![0], vec![1])]);
            let changed = index.with_changes([("a/b.py".into(), Some(change)), ("ab.py".into(), None)]);
            answers(&changed);
            let _ = changed.compact(Embedding::built_in(), &Cancel::new());
        }
    }
}

#[test]
fn what_is_named_like_the_question_comes_first() {
    let mut builder = IndexBuilder::new();
    let mut add = |path: &str, rows: &[(&str, &str, &str)]| {
        let mut terms = FileTermsBuilder::new();
        for (number, (name, doc, body)) in rows.iter().enumerate() {
            let at = terms.entry(&Entry { key: number as u32, name, doc, path, ..Entry::default() });
            terms.body(at, body);
        }
        let ids: Vec<String> = rows.iter().map(|(name, ..)| format!("file::{path}::fn::{name}")).collect();
        let file = IndexedFile::new(Arc::new(terms.finish()), |key| ids.get(key as usize).map(String::as_str));
        builder.add(path, Arc::new(file));
    };
    add(
        "auth.py",
        &[
            ("validate_credentials", "Checks a user's password.", "return hash(password) == stored"),
            ("login", "", "validate_credentials(user, password)"),
        ],
    );
    add(
        "pool.py",
        &[("ConnectionPool", "Database connections kept for reuse.", ""), ("acquire", "", "self.pool.pop()")],
    );
    add("db/session.py", &[("open_session", "", "pool.acquire()"), ("cfg", "", "load()")]);
    let index = Index::from_bytes(Arc::new(builder.finish())).expect("own bytes");
    let first = |query: &str| {
        let found = index.search(&Query::parse(query), 3, &Filter::default(), &Cancel::new()).expect("not cancelled");
        found.hits.first().map_or_else(String::new, |hit| hit.id.clone())
    };
    let cases = [
        ("code that validates user credentials", "file::auth.py::fn::validate_credentials"),
        ("validateCredentials", "file::auth.py::fn::validate_credentials"),
        ("acquire", "file::pool.py::fn::acquire"),
        ("db connection pool", "file::pool.py::fn::ConnectionPool"),
        ("configuration", "file::db/session.py::fn::cfg"),
        ("zebra", ""),
    ];
    for (query, expected) in cases {
        assert_eq!(first(query), expected, "{query}");
    }
}

#[test]
fn meaning_finds_what_no_word_meets() {
    let files = [("draw.py", "resize_image", "image width height"), ("net.py", "open_socket", "connect host port")];
    let mut builder = IndexBuilder::new();
    for (path, name, body) in files {
        let mut terms = FileTermsBuilder::new();
        let at = terms.entry(&Entry { key: 0, kind: 2, name, path, ..Entry::default() });
        terms.body(at, body);
        let id = format!("file::{path}::fn::{name}");
        builder.add(path, Arc::new(IndexedFile::new(Arc::new(terms.finish()), |_| Some(&id))));
    }
    let table = Embedding::built_in();
    let vectors = builder.vectors(table, &Cancel::new()).expect("not cancelled");
    let index = Index::from_bytes(Arc::new(builder.finish())).expect("own bytes");
    fn ask<'i>(index: &'i Index, table: Option<&Embedding>) -> Ranked<'i> {
        let query = Query::parse("pixels");
        index.rank(&query, 5, &Filter::default(), table, &Cancel::new()).expect("not cancelled")
    }
    assert!(ask(&index, Some(table)).nearest.is_empty(), "there are no vectors yet");
    let index = index.with_vectors(Arc::new(vectors), table).expect("own vectors");
    assert!(ask(&index, None).nearest.is_empty(), "nobody asked for them");
    let found = ask(&index, Some(table));
    assert!(found.found.hits.is_empty(), "no word is met");
    assert_eq!(found.nearest[0].id, "file::draw.py::fn::resize_image");
}
