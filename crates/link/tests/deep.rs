//! Long chains of any kind end at a limit, on a small stack.

use std::fmt::Write as _;
use std::sync::Arc;

use m1nd_base::{Cancel, Limits, NoProgress, RepoPath};
use m1nd_lang::Language;
use m1nd_link::Linker;

/// Links of a chain; far more than the depth limit.
const LENGTH: usize = 3000;
/// Stack that a link run must do with.
const STACK: usize = 2 << 20;

fn survives(files: Vec<(String, String)>) {
    let run = move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(STACK).build().expect("a thread");
        let mut linker = Linker::new(Limits::default());
        for (path, text) in &files {
            let path = RepoPath::new(path).expect("a valid path");
            let language = Language::detect(&path, text.as_bytes());
            let facts = m1nd_lang::extract(language, text.as_bytes(), &Limits::default(), &Cancel::new());
            linker.set_file(&path, Arc::new(facts));
        }
        let delta = pool.install(|| linker.link(&Cancel::new(), &NoProgress)).expect("not cancelled");
        assert_eq!(delta.changed.len(), files.len());
        let last = RepoPath::new(&files[0].0).expect("a valid path");
        linker.explain(&last)
    };
    let explained = run();
    assert!(!explained.is_empty());
}

fn chain(extension: &str, first: &str, link: impl Fn(usize) -> String, end: &str) -> Vec<(String, String)> {
    let mut files = vec![(format!("m0.{extension}"), format!("{first}\n"))];
    files.extend((1..LENGTH).map(|n| (format!("m{n}.{extension}"), format!("{}\n", link(n)))));
    files.push((format!("m{LENGTH}.{extension}"), format!("{end}\n")));
    files
}

#[test]
fn chains_of_reexports() {
    survives(chain(
        "ts",
        "import { x } from './m1'; x();",
        |n| format!("export * from './m{}';", n + 1),
        "export function x() {}",
    ));
    survives(chain(
        "ts",
        "import { x } from './m1'; x();",
        |n| format!("export {{ x }} from './m{}';", n + 1),
        "export function x() {}",
    ));
    survives(chain("py", "from m1 import x\nx()", |n| format!("from m{} import *", n + 1), "def x(): pass"));
}

#[test]
fn chains_of_values_classes_and_calls() {
    let one = |line: fn(usize) -> String, last: &str| {
        let mut text = String::new();
        for n in 0..LENGTH {
            let _ = writeln!(text, "{}", line(n));
        }
        text.push_str(last);
        vec![("m.py".to_owned(), text)]
    };
    survives(one(|n| format!("x{n} = x{}", n + 1), "x0.go()"));
    survives(one(|n| format!("class C{}(C{n}): pass", n + 1), "C9().go()"));
    survives(one(|n| format!("def f{n}(): return f{}()", n + 1), "f0().go()"));
    survives(one(|n| format!("class C{n}:\n  def __iter__(self): return C{}()", n + 1), "for x in C0(): x.go()"));
    survives(vec![("m.ts".to_owned(), "function f<T extends T>(x: T) { x.go(); }\n".to_owned())]);
}

#[test]
fn many_overloads() {
    let mut text = String::from("class A {\n");
    for n in 0..LENGTH / 4 {
        let _ = writeln!(text, "    void f(T{n} a) {{ f({n}); f(new A(), null); }}");
    }
    text.push_str("}\n");
    survives(vec![("A.java".to_owned(), text)]);
}
