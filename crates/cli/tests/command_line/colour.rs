//! Colours and paging of answers.

use crate::{Place, SHOP};

/// The codes that colour answers.
const CODES: &[&str] = &["0", "1", "2", "31", "32", "33", "35", "36"];

fn without_colours(text: &str) -> String {
    CODES.iter().fold(text.to_owned(), |text, code| text.replace(&format!("\u{1b}[{code}m"), ""))
}

#[test]
fn answers_are_coloured_when_asked_and_are_the_same_text() {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    for call in
        [&["search", "gross"][..], &["callers", "gross"], &["impact", "gross"], &["call", "health"], &["view", "gross"]]
    {
        let plain = place.run(call);
        assert!(plain.code == 0 && !plain.out.contains('\u{1b}'), "{plain:?}");
        for asked in [&["--color", "always"][..], &["--color=always"]] {
            let coloured = place.run(&[call, asked].concat());
            assert!(coloured.out.contains('\u{1b}'), "{coloured:?}");
            if call[0] != "call" {
                assert_eq!(without_colours(&coloured.out), plain.out);
            }
        }
        let before = place.run(&[&["--color", "always"], call].concat());
        assert!(before.out.contains('\u{1b}'), "{before:?}");
        for never in ["auto", "never"] {
            assert!(!place.run(&[call, &["--color", never]].concat()).out.contains('\u{1b}'));
        }
        let json = place.run(&[call, &["--json", "--color", "always"]].concat());
        assert!(json.code == 0 && !json.out.contains('\u{1b}'), "{json:?}");
    }
    let row = place.run(&["search", "def gross", "--color", "always"]).out;
    assert!(row.contains("shop/price.py\n\u{1b}[32m4\u{1b}[0m: def gross"), "{row:?}");
}

#[test]
fn the_flag_outranks_the_environment_and_is_checked() {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    let asked = place.command(&["search", "gross", "--color", "always"]).env("NO_COLOR", "1").output().unwrap();
    assert!(String::from_utf8(asked.stdout).unwrap().contains('\u{1b}'));
    for call in [&["search", "gross", "--color", "maybe"][..], &["--color", "maybe", "search", "gross"]] {
        let wrong = place.run(call);
        assert_eq!(wrong.code, 2, "{wrong:?}");
        assert!(wrong.err.contains("maybe") && wrong.err.contains("never"), "{wrong:?}");
    }
    let error = place.run(&["view", "nothing/here.py", "--color", "always"]);
    assert!(error.err.contains("\u{1b}[31merror:"), "{error:?}");
}

#[test]
fn no_escape_code_comes_from_a_file() {
    let place = Place::new("//- a.py\ndef plain():\n    pass\n");
    place
        .project
        .write("b.py", "# \u{1b}[31mred\u{1b}[0m \u{1b}]8;;evil\u{7}needle\u{9b}1m\ndef needle():\n    pass\n");
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    for call in [["search", "needle"], ["view", "b.py"], ["seek", "needle"]] {
        let plain = place.run(&call);
        let coloured = place.run(&[&call[..], &["--color", "always"]].concat());
        assert!(coloured.out.contains("needle"), "{coloured:?}");
        assert!(!plain.out.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{plain:?}");
        assert!(!without_colours(&coloured.out).contains(['\u{1b}', '\u{7}', '\u{9b}']), "{coloured:?}");
        assert_eq!(without_colours(&coloured.out), plain.out);
    }
}

#[test]
fn nothing_is_paged_without_a_terminal() {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    for more in [&[][..], &["--no-pager"]] {
        let mut command = place.command(&[&["search", "gross"], more].concat());
        let output = command.env("M1ND_PAGER", "sed s/^/paged/").env("LINES", "1").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with("3 matches in 2 files"), "{text}");
    }
}
