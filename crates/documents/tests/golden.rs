//! Every format on a sample: what is read of `golden/<name>` is `golden/<name>.parsed`. A new case is a new file; its
//! answer is written with `UPDATE_EXPECT=1`.

use m1nd_documents::{DocumentLimits, parse};

#[test]
fn samples_are_read_as_expected() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of the samples")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .filter(|name| !name.ends_with(".parsed"))
        .collect();
    names.sort();
    assert!(names.len() >= 18, "{names:?}");
    for name in names {
        let bytes = std::fs::read(format!("{folder}/{name}")).expect("a sample");
        let answer = match parse(&name, &bytes, &DocumentLimits::default()) {
            Ok(document) => serde_json::to_string_pretty(&document).expect("a document is JSON"),
            Err(error) => format!("refused: {error}"),
        };
        expect_test::expect_file![format!("{folder}/{name}.parsed")].assert_eq(&(answer + "\n"));
    }
}
