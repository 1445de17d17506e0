use super::*;

/// Sequences per fixture: enough for some of each kind of edit.
const COUNT: usize = 24;

const PYTHON: &str = "\
//- pkg/__init__.py
from .store import Store, load
//- pkg/store.py
from .shapes import Circle
class Store:
    def __init__(self, shape):
        self.shape = shape
    def get(self):
        return self.shape
def load(size):
    return Store(Circle(size))
//- pkg/shapes.py
class Circle:
    def __init__(self, size):
        self.size = size
    def area(self):
        return self.size
//- main.py
from pkg import load
import pkg.shapes
def main():
    load(1).get().area()
    pkg.shapes.Circle(2).area()
//- README.md
# Shapes
";

const RUST: &str = "\
//- Cargo.toml
[package]
name = \"shapes\"
version = \"0.1.0\"
//- src/lib.rs
pub mod store;
mod shapes;
#[cfg(test)]
mod checks;
pub use shapes::Circle;
//- src/store.rs
use crate::shapes::Circle;
pub struct Store { shape: Circle }
impl Store {
    pub fn new(shape: Circle) -> Self { Store { shape } }
    pub fn get(&self) -> &Circle { &self.shape }
}
//- src/shapes.rs
pub trait Area { fn area(&self) -> u32; }
pub struct Circle(pub u32);
impl Area for Circle {
    fn area(&self) -> u32 { self.0 }
}
//- src/checks.rs
fn area() -> u32 { crate::store::Store::new(crate::Circle(1)).get().area() }
//- src/main.rs
use shapes::store::Store;
fn main() {
    Store::new(shapes::Circle(1)).get();
}
";

const SCRIPT: &str = "\
//- src/index.ts
export * from './store';
export { Circle as Round } from './shapes';
//- src/store.ts
import { Circle } from './shapes';
export class Store {
  constructor(private shape: Circle) {}
  get(): Circle { return this.shape; }
}
//- src/shapes.ts
export class Circle {
  size = 1;
  area(): number {
    return this.size;
  }
}
//- src/main.js
const { Store, Round } = require('./index');
function main() {
  new Store(new Round()).get().area();
}
module.exports = main;
//- package.json
{ \"name\": \"shapes\" }
";

fn check(fixture: &str, seed: u64) {
    let mut differences = Vec::new();
    let kept = sequences(&tree_of(fixture), seed, COUNT, &mut differences).expect("runs");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_eq!(kept.sequences, COUNT);
    assert!(kept.edits.values().sum::<usize>() >= COUNT && kept.files_changed >= COUNT, "{kept:#?}");
}

#[test]
fn an_index_that_follows_python_is_as_built_anew() {
    check(PYTHON, 1);
}

#[test]
fn an_index_that_follows_rust_is_as_built_anew() {
    check(RUST, 2);
}

#[test]
fn an_index_that_follows_scripts_is_as_built_anew() {
    check(SCRIPT, 3);
}

#[test]
fn the_same_seed_makes_the_same_edits() {
    let original = tree_of(PYTHON);
    let run = |seed| {
        let mut tree = original.clone();
        let mut generator = Generator::new(&original, seed);
        let what: Vec<String> = (0..20)
            .flat_map(|_| generator.sequence(&mut tree))
            .map(|edit| format!("{} {}", edit.kind.word(), edit.what))
            .collect();
        (what, tree)
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}

#[test]
fn a_difference_is_found_and_reduced_to_the_edits_that_make_it() {
    let before = tree_of(PYTHON);
    let edit = |path: &str, text: &str| Edit {
        kind: Kind::Lines,
        what: path.to_owned(),
        writes: BTreeMap::from([(path.to_owned(), Some(std::sync::Arc::from(text)))]),
        is_seen: false,
    };
    let edits = [edit("main.py", "import pkg\n"), edit("pkg/shapes.py", "")];
    assert!(shrink(&before, &edits, "area").expect("runs").is_none());
    // An index that misses an edit differs from a clean one.
    let mut project = Project::new(&before).expect("indexes");
    project.follow(&edits[..1]).expect("follows");
    assert_eq!(project.compare("area").expect("compares"), None);
    project.forget_to_follow(&edits[1]).expect("writes");
    let difference = project.compare("area").expect("compares").expect("the file has no class any more");
    assert!(difference.contains("file::pkg/shapes.py::class::Circle"), "{difference}");
}
