use super::*;

fn origin() -> Origin {
    Origin { repository: "example.org/a/b".into(), versions: "f1-c2".into(), commit: "ab".repeat(20) }
}

fn part(size: u32) -> Part {
    Part { hash: ContentHash::of(b"x"), size }
}

fn manifest() -> Manifest {
    let Origin { repository, versions, commit } = origin();
    let file = |kind| FileParts { kind, size: 7, hash: ContentHash::of(b"y"), parts: vec![part(3), part(4)] };
    Manifest { repository, versions, commit, files: FileKind::ALL.map(file).to_vec() }
}

fn key() -> SecretKey {
    SecretKey::generate().expect("a key")
}

fn trust(key: &SecretKey) -> Vec<TrustedKey> {
    vec![TrustedKey { key: key.public(), name: String::new() }]
}

#[test]
fn what_was_signed_is_read() {
    let key = key();
    let text = manifest().sign(&key).expect("is signed");
    let signed = Signed::open(&text, &origin(), &trust(&key)).expect("is read");
    assert_eq!((signed.manifest, signed.key), (manifest(), key.public()));
}

#[test]
fn every_changed_byte_is_refused() {
    let key = key();
    let text = manifest().sign(&key).expect("is signed");
    for at in 0..text.len() {
        let mut changed = text.clone();
        changed[at] ^= 1;
        assert!(Signed::open(&changed, &origin(), &trust(&key)).is_err(), "byte {at}");
        assert!(Signed::open(&text[..at], &origin(), &trust(&key)).is_err(), "cut at {at}");
    }
}

#[test]
fn keys_are_checked_before_the_content() {
    let (own, other) = (key(), key());
    let text = manifest().sign(&other).expect("is signed");
    let refused = Signed::open(&text, &origin(), &trust(&own)).expect_err("is not trusted");
    assert!(matches!(&refused, ShareError::Untrusted { key, .. } if *key == other.public().to_string()), "{refused}");
    assert!(refused.next().contains(&other.public().to_string()), "{}", refused.next());
    assert!(Signed::open(&text, &origin(), &[]).is_err());
    // Another's signature under a trusted key, and a text that is not even JSON.
    let own_name =
        String::from_utf8(text).expect("text").replace(&other.public().to_string(), &own.public().to_string());
    let refused = Signed::open(own_name.as_bytes(), &origin(), &trust(&own)).expect_err("is forged");
    assert!(matches!(refused, ShareError::BadSignature { .. }), "{refused}");
    let unsigned = format!("m1nd-share 1\nkey {}\nsignature 00\n{{{{{{", own.public());
    let refused = Signed::open(unsigned.as_bytes(), &origin(), &trust(&own)).expect_err("is forged");
    assert!(matches!(refused, ShareError::BadSignature { .. }), "{refused}");
}

/// What a trusted key may have signed and is refused nevertheless.
#[test]
fn foreign_and_huge_manifests_are_refused() {
    let key = key();
    type Change = fn(&mut Manifest);
    let rows: [(&str, Change, &str); 12] = [
        ("another repository", |m| m.repository = "example.org/a/c".into(), "foreign"),
        ("other versions", |m| m.versions = "f1-c3".into(), "foreign"),
        ("another commit", |m| m.commit = "cd".repeat(20), "foreign"),
        ("no files", |m| m.files.clear(), "bad_manifest"),
        ("a file twice", |m| m.files[1].kind = FileKind::Snapshot, "bad_manifest"),
        ("another size", |m| m.files[0].size = 8, "bad_manifest"),
        ("a size over all", |m| m.files[0].size = u64::MAX, "too_large"),
        ("a large part", |m| m.files[0].parts[0].size = MAX_PART as u32 + 1, "too_large"),
        ("a part over all", |m| m.files[0].parts[0].size = u32::MAX, "too_large"),
        ("many parts", |m| m.files[0].parts = vec![part(0); MAX_PARTS + 1], "too_large"),
        ("fewer parts", |m| m.files[0].parts.truncate(1), "bad_manifest"),
        ("a path as name", |m| m.repository = "../../etc".into(), "foreign"),
    ];
    for (what, change, expected) in rows {
        let mut changed = manifest();
        change(&mut changed);
        let text = changed.sign(&key).expect("is signed");
        let refused = Signed::open(&text, &origin(), &trust(&key)).expect_err(what);
        assert_eq!(refused.code(), expected, "{what}: {refused}");
    }
}

/// Signed JSON that is not a manifest.
#[test]
fn other_json_is_refused() {
    let key = key();
    let digits = "0".repeat(64);
    let part =
        |hash: &str| format!(r#"{{"kind":"facts","size":1,"hash":"{digits}","parts":[{{"hash":"{hash}","size":1}}]}}"#);
    let with = |files: &str| {
        let Origin { repository, versions, commit } = origin();
        format!(r#"{{"repository":"{repository}","versions":"{versions}","commit":"{commit}","files":[{files}]}}"#)
    };
    let rows = [
        "null".to_owned(),
        "[".repeat(200_000),
        with(&part("../../../key")),
        with(&part(&digits[..63])),
        with(&part(&digits).replace("facts", "../snapshot")),
        with(&part(&digits).replace(r#""size":1,"hash""#, r#""size":-1,"hash""#)),
        with(&part(&digits).replace(r#""kind""#, r#""path":"/etc/passwd","kind""#)),
    ];
    for json in rows {
        let signature = encode_hex(&key.sign(&[DOMAIN, json.as_bytes()].concat()));
        let text = format!("m1nd-share 1\nkey {}\nsignature {signature}\n{json}", key.public());
        let refused = Signed::open(text.as_bytes(), &origin(), &trust(&key)).expect_err("is refused");
        assert_eq!(refused.code(), "bad_manifest", "{}: {refused}", &json[..json.len().min(80)]);
    }
}

#[test]
fn texts_that_cannot_be_paths_are_refused() {
    assert!(origin().check().is_ok());
    let with = |change: fn(&mut Origin)| {
        let mut changed = origin();
        change(&mut changed);
        changed
    };
    let rows = [
        with(|o| o.repository.clear()),
        with(|o| o.repository = "a\nb".into()),
        with(|o| o.repository = "a".repeat(MAX_NAME + 1)),
        with(|o| o.versions = "../x".into()),
        with(|o| o.versions.clear()),
        with(|o| o.commit = "../../..".into()),
        with(|o| o.commit = "HEAD".into()),
    ];
    for row in rows {
        assert!(row.check().is_err(), "{row:?}");
    }
    // Any name is one folder of hexadecimal digits.
    let path = with(|o| o.repository = "../../etc/ä".into()).path();
    assert_eq!(path.split('/').count(), 3);
    assert!(path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-".contains(&byte)), "{path}");
}
