//! Hostile input: every format, cut and damaged; nesting, entities, archives that unpack to too much. Reading ends,
//! soon and without a panic.

use std::io::Write as _;

use m1nd_documents::light::{self, LightClaim, LightDocument, LightField, LightKind, LightQualifier, LightRelation};
use m1nd_documents::{DocumentLimits, Format, Unreadable, parse, parse_as};
use proptest::prelude::*;

fn limits() -> DocumentLimits {
    DocumentLimits { unpacked: 1 << 20, ..DocumentLimits::default() }
}

fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a part");
        zip.write_all(bytes).expect("written");
    }
    zip.finish().expect("an archive").into_inner()
}

#[test]
fn an_archive_that_unpacks_to_too_much_is_refused() {
    let bytes = archive(&[("word/document.xml", &vec![b' '; 8 << 20])]);
    assert!(bytes.len() < 64 << 10);
    assert_eq!(parse_as(Format::Docx, &bytes, &limits()), Err(Unreadable::Bomb { limit: 1 << 20 }));
}

#[test]
fn an_encrypted_office_file_is_said_to_be_encrypted() {
    let bytes = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0];
    for name in ["a.docx", "a.pptx", "a.xlsx"] {
        assert_eq!(parse(name, &bytes, &limits()), Err(Unreadable::Encrypted), "{name}");
    }
}

#[test]
fn entities_are_not_expanded_and_nothing_is_opened() {
    let mut text = String::from("<!DOCTYPE rfc [<!ENTITY a0 \"ha\"><!ENTITY file SYSTEM \"file:///etc/passwd\">");
    for number in 1..30 {
        text.push_str(&format!("<!ENTITY a{number} \"&a{0};&a{0};\">", number - 1));
    }
    text.push_str("]><rfc number=\"1\"><middle><section><t>&a29; &file; stay as they are</t></section></middle></rfc>");
    let document = parse_as(Format::Rfc, text.as_bytes(), &limits()).expect("an RFC");
    assert_eq!(document.blocks[0].text, "&a29; &file; stay as they are");
}

#[test]
fn nesting_has_a_bound() {
    let deep = format!("<rfc>{}", "<section>".repeat(100_000));
    assert_eq!(parse_as(Format::Rfc, deep.as_bytes(), &limits()), Err(Unreadable::TooDeep { limit: 256 }));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for format in [Format::Jupyter, Format::OpenApi, Format::Crossref] {
        assert!(
            matches!(parse_as(format, deep.as_bytes(), &limits()), Err(Unreadable::Malformed { .. })),
            "{format:?}"
        );
    }
}

#[test]
fn broken_utf_16_is_read_with_a_note() {
    let half = [0xff, 0xfe, b'#', 0, b' ', 0, b'a', 0, 0x00, 0xd8, b'b', 0, b'c'];
    for bytes in [&half[..], &[0xfe, 0xff, 0xdc][..], &[0xff, 0xfe][..], &[0xff, 0xfe, 0x00, 0xdc][..]] {
        let document = parse("a.md", bytes, &limits()).expect("text of some kind");
        assert!(document.problems.len() <= 1, "{:?}", document.problems);
    }
    let document = parse("a.md", &half, &limits()).expect("a page");
    assert_eq!(document.sections[0].heading, "a\u{fffd}b");
    assert!(document.problems[0].contains("not valid text"), "{:?}", document.problems);
}

#[test]
fn a_large_file_is_refused_before_it_is_read() {
    let limits = DocumentLimits { bytes: 10, ..limits() };
    assert_eq!(parse("a.md", b"0123456789a", &limits), Err(Unreadable::TooLarge { bytes: 11, limit: 10 }));
}

#[test]
fn what_is_left_out_is_said() {
    let limits = DocumentLimits { sections: 2, blocks: 1, items: 1, ..limits() };
    let document = parse("a.md", b"# a\nx `foo`\n# b\ny `bar`\n# c\n[l](m)[l](m)\n", &limits).expect("a page");
    let problems = document.problems.join("; ");
    for word in ["more than 2 sections", "more than 1 blocks", "more than 1 mentions", "more than 1 links"] {
        assert!(problems.contains(word), "{word}: {problems}");
    }
}

#[test]
fn killers_take_linear_time() {
    let many = 1 << 16;
    for unit in [
        "[", "`", "*", "<", "![", "> ", "- ", "|", "**`", "{", "@a{", "@a{b,c=\"", "10.", "10.1000/", "RFC ", ".. ",
        ":a:`", "\\", "<!--", "<a ", "&", "`[⍂ entity: ", "a.", "::", "\n\n", "=\n",
    ] {
        let text = unit.repeat(many / unit.len());
        for format in Format::all() {
            let started = std::time::Instant::now();
            _ = parse_as(format, text.as_bytes(), &limits());
            let seconds = started.elapsed().as_secs_f64();
            assert!(seconds < 5.0, "{format:?} took {seconds} s for {unit:?}");
        }
    }
}

#[test]
fn damaged_samples_are_read_or_refused() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    for entry in std::fs::read_dir(folder).expect("the folder of the samples") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("a sample");
        let name = path.file_name().expect("a name").to_str().expect("text");
        let step = (bytes.len() / 64).max(1);
        for at in (0..bytes.len()).step_by(step) {
            _ = parse(name, &bytes[..at], &limits());
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            _ = parse(name, &damaged, &limits());
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9#~*\\[\\]`\\\\:(){}|>+.,⍂é-][a-zA-Z0-9 #~*\\[\\]`\\\\:(){}|>+.,⍂é-]{0,30}"
        .prop_map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        .prop_filter("has a word", |text| !text.is_empty())
}

fn relation() -> impl Strategy<Value = LightRelation> {
    let plain = prop_oneof![
        Just(LightQualifier::DependsOn),
        Just(LightQualifier::BindsTo),
        Just(LightQualifier::Tests),
        Just(LightQualifier::Confidence),
        Just(LightQualifier::Ambiguity)
    ];
    let plain =
        (plain, text()).prop_map(|(qualifier, target)| LightRelation { qualifier, target, line: None, hash: None });
    let hash = proptest::option::of("[0-9a-f]{16}");
    let evidence = ("[a-z]{1,8}/[a-z]{1,8}\\.rs", proptest::option::of(1u32..99_999), hash);
    let evidence = evidence.prop_map(|(target, line, hash)| LightRelation {
        qualifier: LightQualifier::Evidence,
        target,
        line,
        hash,
    });
    prop_oneof![plain, evidence]
}

fn document() -> impl Strategy<Value = LightDocument> {
    let kind = prop_oneof![
        Just(LightKind::Entity),
        Just(LightKind::State),
        Just(LightKind::Event),
        Just(LightKind::Blocker),
        Just(LightKind::Warning)
    ];
    let claim = (kind, text(), proptest::option::of(text()), proptest::collection::vec(relation(), 0..4));
    let claim = claim.prop_map(|(kind, value, prose, relations)| LightClaim {
        section: None,
        kind,
        value,
        text: prose.unwrap_or_default(),
        relations,
        line: 0,
    });
    let section = (text(), proptest::collection::vec(claim, 1..4));
    (
        proptest::option::of(text()),
        proptest::collection::vec(section, 0..4),
        proptest::collection::vec(relation(), 0..2),
    )
        .prop_map(|(node, sections, relations)| {
            let mut header =
                vec![LightField { key: "Protocol".into(), values: vec!["L1GHT/1.0".into()], is_list: false }];
            header.extend(node.map(|node| LightField { key: "Node".into(), values: vec![node], is_list: false }));
            header.push(LightField { key: "Depends on".into(), values: vec!["a".into(), "b c".into()], is_list: true });
            let mut claims: Vec<LightClaim> = Vec::new();
            for (name, own) in sections {
                claims.extend(own.into_iter().map(|claim| LightClaim { section: Some(name.clone()), ..claim }));
            }
            LightDocument { header, claims, relations }
        })
}

proptest! {
    #[test]
    fn what_was_written_is_read_again(document in document()) {
        let text = light::write(&document);
        let mut read = light::parse(&text);
        read.claims.iter_mut().for_each(|claim| claim.line = 0);
        prop_assert_eq!(&read, &document, "{}", text);
        prop_assert!(light::is_light(&text));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for format in Format::all() {
            _ = parse_as(format, &bytes, &limits());
        }
    }
}
