//! What a project is made with, told by the files that a look at it finds.

use m1nd_mind::{Depth, Keeper, ProjectMemory};
use m1nd_testkit::TempTree;

#[test]
fn files_that_no_listing_shows_count_too() {
    let rows = [
        ("//- p/uv.lock\n", "python"),
        ("//- p/web/package.json\n{}\n//- p/web/bun.lock\n", "bun"),
        ("//- p/poetry.lock\nx\n//- p/.github/workflows/ci.yml\non: push\n", "python github-actions"),
        ("//- p/src/app/a/b/[id]/route.ts\nexport const runtime = 'edge'\n", "edge"),
        ("//- p/supabase/config.toml\n", "supabase"),
        ("//- p/.gitignore\nmine/\n//- p/mine/Cargo.toml\n[package]\n//- p/node_modules/a/go.mod\nmodule a\n", ""),
    ];
    for (files, expected) in rows {
        let tree = TempTree::new(&format!("//- p/.mind/MEMORY.md\n# Shop\n{files}"));
        let project = std::fs::canonicalize(tree.join("p")).expect("is there");
        let keeper = Keeper::new(&tree.join("home"), None);
        keeper.refresh(&project, Depth::Full).expect("is noted");
        let memory = ProjectMemory::read(&project, keeper.home()).expect("is read");
        assert_eq!(memory.stack_tags().join(" "), expected, "{files}");
    }
}
