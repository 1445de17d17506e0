//! Decorators: decorating calls them, and they may keep what they decorate.

mod common;

use m1nd_base::{Cancel, EdgeTier, Limits, NoProgress, Relation};
use m1nd_link::Linker;

/// The edges of a relation from the files, as `from to tier line`.
fn edges(files: &[(&str, &str)], relation: Relation) -> Vec<String> {
    let mut linker = Linker::new(Limits::default());
    for (path, text) in files {
        common::put(&mut linker, path, text);
    }
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let mut rows = Vec::new();
    for links in &delta.changed {
        let short = |id| {
            let text = linker.text(id);
            text.strip_prefix(&format!("file::{}", links.path)).unwrap_or(text).trim_start_matches("::").to_owned()
        };
        for edge in links.edges.iter().filter(|edge| edge.relation == relation) {
            let (start, count) = edge.sites;
            for site in &links.sites[start as usize..(start + count) as usize] {
                let tier = if edge.tier == EdgeTier::Certain { "" } else { edge.tier.word() };
                rows.push(format!("{} -> {} {tier}:{}", short(edge.from), short(edge.to), site.line));
            }
        }
    }
    rows.sort();
    rows
}

const PYTHON: &str = "\
import functools
from functools import lru_cache, wraps
import other

REG = {}
def plain(fn):
    return fn
def only_wraps(fn):
    @wraps(fn)
    def inner(*args):
        if fn is None or not fn:
            return fn.__name__
        return fn(*args)
    return inner
def factory(name):
    def keep(cls):
        REG[name] = cls
        return cls
    return keep
def typed(name: str) -> object:
    def inner(fn):
        def call():
            return fn()
        return call
    return inner
def optional(fn=None, *, x=1):
    def wrap(fn):
        return fn
    return wrap(fn) if fn else wrap
class Registry:
    def __init__(self, fn=None):
        self.all = []
        self.fn = fn
    def route(self, path):
        def keep(fn):
            self.all.append(fn)
            return fn
        return keep
    def command(self, fn):
        self.all.append(fn)
        return fn
    def __call__(self):
        return self.fn()
reg = Registry()

@plain
def a(): ...
@only_wraps
def b(): ...
@factory(\"x\")
class C: ...
@typed(\"x\")
def d(): ...
@optional
def e(): ...
@reg.route(\"/f\")
def f(): ...
@reg.command
def g(): ...
@other.known
def h(): ...
@missing.known
def i(): ...
@lru_cache(maxsize=1)
@functools.cache
def j(): ...
class K:
    @property
    def k(self): ...
    @k.setter
    def k(self, v): ...
    @staticmethod
    def s(): ...
    @reg.command
    def m(self): ...
@Registry
def n(): ...
n()
";

#[test]
fn what_a_decorator_may_keep_is_registered() {
    let rows = edges(&[("a.py", PYTHON)], Relation::Registers);
    let expected = [
        " -> class::C possible:50",
        " -> fn::f possible:56",
        " -> fn::g possible:58",
        " -> fn::h possible:60",
        " -> fn::i possible:62",
        " -> fn::n possible:76",
        "class::K -> class::K::fn::m possible:74",
    ];
    assert_eq!(rows, expected, "{rows:#?}");
}

#[test]
fn decorating_calls_the_decorator() {
    let rows = edges(&[("a.py", PYTHON)], Relation::Calls);
    for wanted in [
        "fn::a -> fn::plain :46",
        "fn::b -> fn::only_wraps :48",
        "class::C -> fn::factory :50",
        "fn::f -> class::Registry::fn::route :56",
        "class::K::fn::m -> class::Registry::fn::command :74",
        "fn::n -> class::Registry :76",
        "fn::n -> class::Registry::fn::__init__ :76",
        // The value of the class takes the place of the function.
        " -> class::Registry::fn::__call__ :78",
        " -> fn::n :78",
    ] {
        assert!(rows.iter().any(|row| row == wanted), "{wanted}\n{rows:#?}");
    }
}

#[test]
fn other_languages_have_rules_of_their_own() {
    let typescript = "\
function dec(x: string) { return (t: any) => {}; }
function plain(t: any) {}
@dec('a')
class A {
  @plain
  m() {}
}
";
    let rows = edges(&[("a.ts", typescript)], Relation::Registers);
    assert_eq!(rows, [" -> class::A possible:3", "class::A -> class::A::fn::m possible:5"], "{rows:#?}");
    let rows = edges(&[("a.ts", typescript)], Relation::Calls);
    assert_eq!(rows, ["class::A -> fn::dec :3", "class::A::fn::m -> fn::plain :5"], "{rows:#?}");
    let java = "\
package a;
import org.other.Bean;
@interface Mark {}
class A {
    @Override public String toString() { return \"\"; }
    @Bean void made() {}
    @Mark void marked() {}
    @Deprecated void plain() {}
}
";
    let rows = edges(&[("a/A.java", java)], Relation::Registers);
    let wanted = ["class::A::fn::made", "class::A::fn::marked"];
    assert_eq!(rows.len(), 2, "{rows:#?}");
    for (row, wanted) in rows.iter().zip(wanted) {
        assert!(row.contains(wanted) && row.contains("possible"), "{rows:#?}");
    }
    let calls = edges(&[("a/A.java", java)], Relation::Calls);
    assert!(calls.is_empty(), "an annotation is no call: {calls:#?}");
    let rust = "#[derive(Debug)]\nstruct S;\n#[get(\"/\")]\nfn route() {}\n#[inline]\nfn plain() {}\n";
    let rows = edges(&[("src/lib.rs", rust)], Relation::Registers);
    assert_eq!(rows, [" -> fn::route possible:3"], "{rows:#?}");
    let kotlin = "@Listener\nfun heard() {}\n@JvmStatic\nfun plain() {}\n";
    let rows = edges(&[("a.kt", kotlin)], Relation::Registers);
    assert_eq!(rows.len(), 1, "{rows:#?}");
    assert!(rows[0].contains("fn::heard"), "{rows:#?}");
    let csharp = "class A {\n  [HttpGet]\n  public void Heard() {}\n  [Obsolete]\n  public void Plain() {}\n}\n";
    let rows = edges(&[("a.cs", csharp)], Relation::Registers);
    assert_eq!(rows.len(), 1, "{rows:#?}");
    assert!(rows[0].contains("fn::Heard"), "{rows:#?}");
}

#[test]
fn a_protocol_is_answered_by_classes_that_do_not_name_it() {
    let text = "\
from typing import Protocol
class Runner(Protocol):
    def run(self) -> None: ...
    def stop(self) -> None: ...
class Base:
    def stop(self): ...
class R(Base):
    def run(self): ...
class Half:
    def run(self): ...
class Said(Runner):
    def run(self): ...
";
    let rows = edges(&[("a.py", text)], Relation::Overrides);
    let expected = [
        "class::Base::fn::stop -> class::Runner::fn::stop possible:6",
        "class::R::fn::run -> class::Runner::fn::run possible:8",
        "class::Said::fn::run -> class::Runner::fn::run :12",
    ];
    assert_eq!(rows, expected, "{rows:#?}");
    let rows = edges(&[("a.py", text)], Relation::Implements);
    assert_eq!(rows, ["class::R -> class::Runner possible:7"], "{rows:#?}");
}

#[test]
fn a_decorator_that_begins_to_keep_concerns_those_who_use_it() {
    let keeping =
        "ALL = []\ndef deco(name):\n    def inner(fn):\n        ALL.append(fn)\n        return fn\n    return inner\n";
    let wrapping =
        "ALL = []\ndef deco(name):\n    def inner(fn):\n        print(name)\n        return fn\n    return inner\n";
    let plain_keeping = "ALL = []\ndef deco(fn):\n    ALL.append(fn)\n    return fn\n";
    let plain = "ALL = []\ndef deco(fn):\n    print(fn.__name__)\n    return fn\n";
    for (user, before, after) in [
        ("from d import deco\n@deco('x')\ndef f(): ...\n", wrapping, keeping),
        ("from d import deco\n@deco\ndef f(): ...\n", plain, plain_keeping),
    ] {
        let mut linker = Linker::new(Limits::default());
        common::put(&mut linker, "d.py", before);
        common::put(&mut linker, "a.py", user);
        let registers = |linker: &mut Linker| -> Vec<usize> {
            let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
            let users = delta.changed.iter().filter(|links| links.path.as_str() == "a.py");
            users.map(|links| links.edges.iter().filter(|edge| edge.relation == Relation::Registers).count()).collect()
        };
        assert_eq!(registers(&mut linker), [0], "{before}");
        common::put(&mut linker, "d.py", after);
        assert_eq!(registers(&mut linker), [1], "{after}");
        common::put(&mut linker, "d.py", before);
        assert_eq!(registers(&mut linker), [0], "{before}");
    }
}

#[test]
fn an_interface_that_asks_for_another_method_concerns_those_that_have_it() {
    let protocol = |name: &str| format!("from typing import Protocol\nclass P(Protocol):\n    def {name}(self): ...\n");
    let mut linker = Linker::new(Limits::default());
    common::put(&mut linker, "p.py", &protocol("other"));
    common::put(&mut linker, "a.py", "class R:\n    def run(self): ...\n");
    let implements = |linker: &mut Linker| -> Vec<usize> {
        let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
        let users = delta.changed.iter().filter(|links| links.path.as_str() == "a.py");
        users.map(|links| links.edges.iter().filter(|edge| edge.relation == Relation::Implements).count()).collect()
    };
    assert_eq!(implements(&mut linker), [0]);
    common::put(&mut linker, "p.py", &protocol("run"));
    assert_eq!(implements(&mut linker), [1]);
    common::put(&mut linker, "p.py", &protocol("other"));
    assert_eq!(implements(&mut linker), [0]);
}
