//! Facts of small files against golden text: `golden/<language>/<case>.<ext>` beside `<case>.expected`. A new case is
//! one file; `UPDATE_EXPECT=1` writes its expected text, which a person then reviews.

mod common;

use std::path::{Path, PathBuf};

use m1nd_base::{Cancel, Limits, RepoPath};
use m1nd_lang::{Language, extract};

use crate::common::dump::dump;
use crate::common::invariants::check_invariants;

fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files = Vec::new();
    for folder in std::fs::read_dir(&root).expect("golden folder") {
        let folder = folder.expect("entry").path();
        for file in std::fs::read_dir(&folder).expect("language folder") {
            let file = file.expect("entry").path();
            if file.extension().is_none_or(|extension| extension != "expected") {
                files.push(file);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn facts_are_as_expected() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = Vec::new();
    for source in sources() {
        let bytes = std::fs::read(&source).expect("readable");
        let name = source.file_name().and_then(|name| name.to_str()).expect("UTF-8 name");
        let language = Language::detect(&RepoPath::new(name).expect("valid path"), &bytes);
        let facts = extract(language, &bytes, &Limits::default(), &Cancel::default());
        assert_eq!(check_invariants(&facts, bytes.len()), Vec::<String>::new(), "{}", source.display());
        let found = format!("language {}\n{}", language.name(), dump(&facts));
        let expected = source.with_extension("expected");
        let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
        if found == wanted {
            continue;
        }
        if update {
            std::fs::write(&expected, &found).expect("writable");
        } else {
            let lines = wanted.lines().zip(found.lines()).enumerate().find(|(_, (wanted, found))| wanted != found);
            let differs = lines.map_or("length differs".to_owned(), |(line, (wanted, found))| {
                format!("line {}\n  expected: {wanted}\n  found:    {found}", line + 1)
            });
            wrong.push(format!("{}: {differs}", source.display()));
        }
    }
    assert!(wrong.is_empty(), "{}\nRun with UPDATE_EXPECT=1 and read the difference.", wrong.join("\n"));
}
