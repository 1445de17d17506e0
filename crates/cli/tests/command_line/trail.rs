//! `m1nd trail`. The example of `docs/trails.md` is run with the other pages.

use crate::Place;

const PROGRAM: &str = include_str!("../../../../tests/fixtures/program.txt");

#[test]
fn trails_are_listed_and_an_unknown_one_is_an_error() {
    let place = Place::new(PROGRAM);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    assert_eq!(place.run(&["trail", "list"]).out, "No investigation is saved here.\n");
    let saved = place.run(&["call", "trail_save", "--label", "empty"]);
    assert_eq!(saved.code, 0, "{}", saved.err);
    let listed = place.run(&["trail", "list"]).out;
    assert!(listed.starts_with("empty  (saved, cli: 0 nodes)  trail_cli_0"), "{listed}");
    let none = place.run(&["trail", "show", "nothing"]);
    assert!(none.code >= 2 && none.err.contains("trail_list"), "{} {}", none.code, none.err);
    let json = place.run(&["trail", "show", "empty", "--json"]);
    assert!(json.out.contains("\"label\": \"empty\""), "{}", json.out);
}
