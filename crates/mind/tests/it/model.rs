//! Memories in the order of the model that the settings name.

use std::path::Path;

use m1nd_engine::Snapshot;
use m1nd_mind::{Memories, MemoryQuery, MindConfig};
use m1nd_testkit::TempTree;
use tempfile::TempDir;

use crate::tiny_model::model;

#[test]
fn memories_are_ordered_by_the_model_that_the_settings_name() {
    let folder = TempDir::new().expect("a folder");
    model(folder.path());
    let tree = TempTree::new(
        "//- .mind/MEMORY.md\n# p\n\n## 2026-01-01\n**Learned:** dog brushes wear out\n**Learned:** kitty brushes wear out\n\
         **Decided:** invoices are numbered by month\n**Problem:** slow start\n",
    );
    let home = tree.join("mind");
    let ask = |settings: &str| {
        std::fs::create_dir_all(&home).expect("is made");
        std::fs::write(home.join("config.toml"), settings).expect("is written");
        let memories = Memories::new(MindConfig { home: home.clone(), places: vec![tree.path().to_owned()], named: 1 });
        let query = MemoryQuery { text: "feline brushes", all_projects: false, kinds: &[], limit: 1, near: &[] };
        let found = memories.search(&query, &Snapshot::empty()).expect("is searched");
        let status = memories.status().expect("is told");
        (found.rows[0].record.title.to_string(), found.rows[0].relevance, found.notice, status.embedder)
    };
    let named = |path: &Path| format!("[search]\nembedder = 'model'\nmodel_path = '{}'\n", path.display());
    let (title, relevance, _, embedder) = ask("");
    assert_eq!(embedder, "built-in word vectors");
    let (first, first_relevance, notice, embedder) = ask(&named(folder.path()));
    assert_eq!(first, "kitty brushes wear out");
    assert!(embedder.contains(&*folder.path().to_string_lossy()) && !notice.unwrap_or_default().contains("model"));
    assert!((relevance - first_relevance).abs() < 1e-6, "it still says how well the question is answered");
    for settings in [named(&folder.path().join("none")), "[search]\nembedder = 'model'\n".to_owned()] {
        let (again, _, notice, _) = ask(&settings);
        assert_eq!(again, title);
        assert!(notice.as_deref().is_some_and(|notice| notice.contains("the model was not asked")), "{notice:?}");
    }
}
