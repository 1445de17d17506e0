//! Writing the block where the disk fails.

use std::sync::Arc;

use m1nd_mind::{Keeper, ProjectMemory, SharedFolder, write_blocks, write_blocks_with};
use m1nd_store::RealSystem;
use m1nd_testkit::{Fault, FaultSystem, TempTree};

const MEMORY: &str = "# Shop\n\n## 2026-03-02\n**Decided:** sell jam because people like it\n";
/// Text of a person around a block that is old: not UTF-8, with both kinds of line ends.
const OWN: &[u8] = b"# Mine \xff\r\n\n<!-- MIND:CONTEXT old -->\nold\n<!-- MIND:END -->\r\nlast";

fn project() -> (TempTree, ProjectMemory) {
    let tree = TempTree::new(&format!("//- p/.mind/MEMORY.md\n{MEMORY}"));
    tree.write("p/CLAUDE.md", OWN);
    let path = std::fs::canonicalize(tree.join("p")).expect("is there");
    let home = tree.join("home");
    Keeper::new(&home, None).approve(&path, &[], None).expect("is approved");
    let memory = ProjectMemory::read(&path, &SharedFolder::new(home)).expect("is read");
    (tree, memory)
}

fn claude(tree: &TempTree) -> Vec<u8> {
    std::fs::read(tree.join("p/CLAUDE.md")).expect("is there")
}

#[test]
fn a_failing_disk_leaves_the_file_as_it_was_or_as_it_should_be_and_is_reported() {
    let (tree, memory) = project();
    assert_eq!(write_blocks(&memory).written.len(), 1);
    let whole = claude(&tree);
    assert!(whole.starts_with(b"# Mine \xff\r\n\n<!-- MIND:CONTEXT hash=") && whole.ends_with(b"MIND:END -->\r\nlast"));
    for fault in [Fault::Device, Fault::Full, Fault::ShortWrite, Fault::Dead] {
        let mut failed = 0;
        for nth in 0..24 {
            let (tree, memory) = project();
            let system = FaultSystem::new(Arc::new(RealSystem));
            system.fail(nth, fault);
            let kept = write_blocks_with(&memory, Arc::new(system.clone()));
            system.heal();
            let now = claude(&tree);
            assert!(now == OWN || now == whole, "{fault:?} {nth}: {}", String::from_utf8_lossy(&now));
            if now == OWN {
                failed += 1;
                assert!(!kept.problems.is_empty() && kept.written.is_empty(), "{fault:?} {nth}: {kept:?}");
            }
            let again = write_blocks(&memory);
            assert_eq!(claude(&tree), whole, "{fault:?} {nth}: the next try works: {again:?}");
            let names = std::fs::read_dir(tree.join("p")).expect("is there").flatten();
            let names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            assert!(names.iter().all(|name| !name.contains("tmp-")), "{fault:?} {nth}: {names:?}");
        }
        assert!(failed > 3, "{fault:?} stood in the way {failed} times only");
    }
}
