use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use m1nd_base::Cancel;
use m1nd_engine::graph::NodeIx;
use m1nd_query::what_if::{MAX_WITNESSES, counterfactual};
use m1nd_testkit::Random;

use crate::project::Project;

const FILES: usize = 3;
const FUNCTIONS: usize = 12;

/// A program by what calls what, known without reading its text. Functions call only later ones.
struct Program {
    /// Functions called by each function, once for each place.
    calls: Vec<Vec<usize>>,
    /// Functions called by the top of each file.
    started: Vec<Vec<usize>>,
}

impl Program {
    fn random(random: &mut Random) -> Self {
        let mut called = |from: usize, most: usize| -> Vec<usize> {
            (0..random.below(most)).map(|_| from + random.below(FUNCTIONS - from)).collect()
        };
        let calls =
            (0..FUNCTIONS).map(|number| if number + 1 < FUNCTIONS { called(number + 1, 4) } else { Vec::new() });
        let calls = calls.collect();
        Self { calls, started: (0..FILES).map(|_| called(0, 3)).collect() }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (file, started) in self.started.iter().enumerate() {
            let _ = writeln!(text, "//- m{file}.py");
            (0..FILES).filter(|other| *other != file).for_each(|other| {
                let _ = writeln!(text, "import m{other}");
            });
            let call = |target: usize| match target % FILES == file {
                true => format!("f{target}()"),
                false => format!("m{}.f{target}()", target % FILES),
            };
            for (number, calls) in self.calls.iter().enumerate().filter(|(number, _)| number % FILES == file) {
                let _ = writeln!(text, "\ndef f{number}():\n    value = 0");
                calls.iter().for_each(|target| {
                    let _ = writeln!(text, "    {}", call(*target));
                });
            }
            started.iter().for_each(|target| {
                let _ = writeln!(text, "{}", call(*target));
            });
        }
        text
    }

    /// The names of what calls a function, once for each place.
    fn users(&self, function: usize) -> Vec<String> {
        let of = |names: &str, rows: &[Vec<usize>]| -> Vec<String> {
            let places = |row: &[usize]| row.iter().filter(|target| **target == function).count();
            let each = rows.iter().enumerate().map(|(number, row)| (number, places(row)));
            each.flat_map(|(number, count)| vec![names.replace('#', &number.to_string()); count]).collect()
        };
        [of("f#", &self.calls), of("m#.py", &self.started)].concat()
    }

    /// The names of what depends on a file itself: the others import it, and functions in them name it in calls.
    fn users_of_file(&self, file: usize) -> Vec<String> {
        let is_there = |target: &usize| *target % FILES == file;
        let names_it = |(number, calls): &(usize, &Vec<usize>)| number % FILES != file && calls.iter().any(is_there);
        let functions = self.calls.iter().enumerate().filter(names_it).map(|(number, _)| format!("f{number}"));
        let others = (0..FILES).filter(|other| *other != file).map(|other| format!("m{other}.py"));
        functions.chain(others).collect()
    }

    fn orphans(&self, removed: &BTreeSet<String>) -> BTreeSet<String> {
        let mut gone = removed.clone();
        for number in 0..FUNCTIONS {
            let users = self.users(number);
            if !users.is_empty() && users.iter().all(|user| gone.contains(user)) {
                gone.insert(format!("f{number}"));
            }
        }
        gone.difference(removed).cloned().collect()
    }

    /// Names of all that depend on removed functions, with the fewest uses between.
    fn dependents(&self, removed: &BTreeSet<String>) -> BTreeMap<String, usize> {
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        let mut level: Vec<String> = removed.iter().cloned().collect();
        for hops in 1.. {
            let users_of = |name: &String| match name.strip_prefix('f') {
                Some(number) => self.users(number.parse().expect("a number")),
                None => self.users_of_file(name[1..2].parse().expect("a number")),
            };
            let users: BTreeSet<String> = level.iter().flat_map(users_of).collect();
            level = users.into_iter().filter(|name| !removed.contains(name) && !found.contains_key(name)).collect();
            if level.is_empty() {
                break;
            }
            found.extend(level.iter().map(|name| (name.clone(), hops)));
        }
        found
    }
}

#[test]
fn what_deleting_takes_with_it_is_what_the_program_says() {
    let mut random = Random::new(11);
    for round in 0..12 {
        let program = Program::random(&mut random);
        let project = Project::new(&program.text());
        let engine = project.open_indexed();
        let snapshot = engine.snapshot();
        let graph = snapshot.graph();
        for _ in 0..6 {
            let removed: BTreeSet<String> =
                (0..1 + random.below(3)).map(|_| format!("f{}", random.below(FUNCTIONS))).collect();
            let node = |name: &String| m1nd_query::resolve::resolve_node(&snapshot, name).expect("a function");
            let nodes: Vec<NodeIx> = removed.iter().map(node).collect();
            let found = counterfactual(&snapshot, &nodes, &Cancel::new()).expect("not cancelled");
            let said = format!("round {round}, without {removed:?} of\n{}", program.text());
            let numbers = removed.iter().filter_map(|name| name[1..].parse().ok());
            let mut places: Vec<String> =
                numbers.flat_map(|number| program.users(number)).filter(|user| !removed.contains(user)).collect();
            places.sort();
            let mut dangling: Vec<String> =
                found.dangling.iter().map(|place| graph.label(place.from).to_owned()).collect();
            dangling.sort();
            assert_eq!(dangling, places, "{said}");
            let orphans: BTreeSet<String> = found.orphans.iter().map(|row| graph.label(row.node).to_owned()).collect();
            assert_eq!(orphans, program.orphans(&removed), "{said}");
            let mut by_distance: Vec<usize> = Vec::new();
            for hops in program.dependents(&removed).into_values().filter(|hops| *hops <= 5) {
                by_distance.resize(by_distance.len().max(hops), 0);
                by_distance[hops - 1] += 1;
            }
            assert_eq!(found.by_distance, by_distance, "{said}");
            let left = FUNCTIONS - removed.len() - orphans.len();
            assert_eq!((found.definitions, found.definitions_left), (FUNCTIONS, left), "{said}");
        }
    }
}

/// The rows of a chain of classes, each of which extends the one before, have few witnesses: all of them together would
/// be as long as the square of the chain.
#[test]
fn witnesses_of_a_chain_are_bounded() {
    let classes = 400;
    let mut text = String::from("//- chain.py\nclass C0:\n    pass\n");
    for number in 1..classes {
        text.push_str(&format!("class C{number}(C{}):\n    pass\n", number - 1));
    }
    let project = Project::new(&text);
    let engine = project.open_indexed();
    let snapshot = engine.snapshot();
    let base = m1nd_query::resolve::resolve_node(&snapshot, "C0").expect("a class");
    let found = counterfactual(&snapshot, &[base], &Cancel::new()).expect("not cancelled");
    assert_eq!(found.broken_indirectly.len(), classes - 2);
    for (number, row) in found.broken_indirectly.iter().enumerate() {
        let expected = if number < MAX_WITNESSES { row.hops as usize } else { 0 };
        assert_eq!(row.witness.len(), expected, "row {number}");
    }
}
