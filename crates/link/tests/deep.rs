//! Long chains of any kind end at a limit, on a small stack.

mod common;

use std::fmt::Write as _;

use m1nd_base::{Cancel, Limits, NoProgress, Relation, RepoPath};
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
            common::put(&mut linker, path, text);
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

/// How a call of `init` that nothing declares ends, among `count` files of a text.
fn link_undeclared(count: usize, ending: &str, text: &str) -> Vec<String> {
    let mut linker = Linker::new(Limits::default());
    for number in 0..count {
        common::put(&mut linker, &format!("p{number}.{ending}"), text);
    }
    common::put(&mut linker, "z.c", "void init(void) {}\n");
    common::put(&mut linker, "a.c", "void f(void) { init(); }\n");
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let links = delta.changed.iter().find(|links| links.path.as_str() == "a.c").expect("the file is linked");
    let calls = links.edges.iter().filter(|edge| edge.relation == Relation::Calls);
    let calls = calls.map(|edge| format!("{} {}", edge.tier.word(), linker.text(edge.to)));
    calls.chain(links.unresolved.iter().map(|row| row.reason.word().to_owned())).collect()
}

/// Only definitions that a C file can mean are counted, and of too many none is taken.
#[test]
fn definitions_of_one_name_in_many_files() {
    assert_eq!(link_undeclared(600, "py", "class A:\n    def init(self): pass\n"), ["possible file::z.c::fn::init"]);
    assert_eq!(link_undeclared(600, "c", "void init(void) {}\n"), ["too_many_candidates"]);
}

/// Frameworks for routes declare each number of handlers apart, in lists of generic types.
#[test]
fn callbacks_of_many_generic_overloads_are_told_within_the_budget() {
    let mut text = String::from(
        "class Context<E, P, I> { json() {} }\n\
         type One<E, P, I> = (c: Context<E, P, I>) => void;\n\
         type Other<E, P, I> = (c: Context<E, P, I>, next: One<E, P, I>) => void;\n\
         type Handler<E = any, P = any, I = any> = One<E, P, I> | Other<E, P, I>;\n\
         interface Routes<E, P, I> {\n",
    );
    for n in 1..60 {
        let handlers = vec!["Handler<E, Q, Handler<E, Q, R>>"; n % 10 + 1].join(", ");
        let _ = writeln!(text, "  <Q = P, R = I>(path: string, ...handlers: [{handlers}]): Routes<E, Q, R>;");
    }
    text.push_str("}\nclass App { get: Routes<App, App, App>; }\nconst app = new App();\n");
    for n in 0..20 {
        let _ = writeln!(text, "app.get('/{n}', (c, next) => {{ c.json(); }});");
    }
    let mut linker = Linker::new(Limits::default());
    common::put(&mut linker, "m.ts", &text);
    linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let explained = linker.explain(&RepoPath::new("m.ts").expect("a valid path"));
    let calls: Vec<_> = explained.iter().filter(|row| &*row.name == "json").map(|row| row.targets.len()).collect();
    assert_eq!(calls, [1; 20]);
}
