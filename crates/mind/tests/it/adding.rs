//! Memories that are added by a command.

use m1nd_mind::{Added, Keeper, MemoryError, NewKind, ProjectMemory, add};
use m1nd_testkit::TempTree;

fn add_text(tree: &TempTree, text: &str, kind: Option<NewKind>) -> Result<Vec<Added>, MemoryError> {
    let keeper = Keeper::new(&tree.join("home"), None);
    let project = std::fs::canonicalize(tree.path()).expect("is there");
    add(&ProjectMemory::read(&project, keeper.home()).expect("is read"), text, kind)
}

#[test]
fn each_kind_is_written_in_its_form_and_place() {
    let tree = TempTree::new("");
    tree.write(".mind/MEMORY.md", "# Shop\n\n## Gotchas\n\n- old trap -> go around\n\n---\n\n## Session Log");
    let rows: &[(&str, Option<NewKind>, &str, &str)] = &[
        ("use cents because floats drift", Some(NewKind::Decision), "decision", "**Decided:** use cents"),
        ("totals differ on Safari", Some(NewKind::Issue), "issue", "**Problem:** totals differ on Safari"),
        ("decided to use JWT over sessions", None, "decision", "\ndecided to use JWT over sessions\n"),
        ("prices come in cents", None, "learning", "**Learned:** prices come in cents"),
        ("the cache needs a warm start -> call warm()", Some(NewKind::Gotcha), "edge", "go around\n- the cache needs"),
    ];
    for (text, kind, name, written) in rows {
        let found = add_text(&tree, text, *kind).expect("is added");
        let file = std::fs::read_to_string(tree.join(".mind/MEMORY.md")).expect("is there");
        assert!(file.contains(written), "{text}: {file}");
        assert_eq!((found.len(), found[0].kind.name(), found[0].is_known), (1, *name, false), "{text}: {found:?}");
        let line = file.lines().nth(found[0].line as usize - 1).expect("is there");
        assert!(line.contains(text), "{text} stands in {line}");
        let again = add_text(&tree, text, *kind).expect("is known");
        assert!(again[0].is_known && again[0].id == found[0].id, "{text}: {again:?}");
        assert_eq!(std::fs::read_to_string(tree.join(".mind/MEMORY.md")).expect("is there"), file, "once");
    }
    let file = std::fs::read_to_string(tree.join(".mind/MEMORY.md")).expect("is there");
    assert_eq!(file.matches("\n## 2").count(), 1, "one heading a day: {file}");
}

#[test]
fn what_cannot_be_a_memory_is_refused() {
    let tree = TempTree::new("");
    tree.write(".mind/MEMORY.md", "# Shop\n");
    let secret = format!("the deploy token is {}", "x7Qa9Zk2Lm4Np8Rt1Vw5");
    for text in ["", "  \n ", &secret, &"word ".repeat(5_000)] {
        assert!(matches!(add_text(&tree, text, None), Err(MemoryError::Invalid(_))), "{text}");
    }
    tree.write(".mind/MEMORY.md", "# Shop\n\n```\nopen\n");
    assert!(matches!(add_text(&tree, "decided to use cents", None), Err(MemoryError::Invalid(_))));
    assert_eq!(std::fs::read_to_string(tree.join(".mind/MEMORY.md")).expect("is there"), "# Shop\n\n```\nopen\n");
}
