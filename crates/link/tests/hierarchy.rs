//! Derived edges: overrides, dispatching calls, tests.

mod common;

use m1nd_base::{Cancel, Limits, NoProgress, Relation};
use m1nd_link::Linker;

/// The edges of some relations as `from relation to`, with `*` behind a call that dispatches.
fn edges(files: &[(&str, &str)], relations: &[Relation]) -> Vec<String> {
    let mut linker = Linker::new(Limits::default());
    for (path, text) in files {
        assert_eq!(common::put(&mut linker, path, text), None, "{path}");
    }
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let short = |id: &str| id.trim_start_matches("file::").replace("fn::", "").replace("class::", "");
    let mut rows = Vec::new();
    for links in &delta.changed {
        for edge in links.edges.iter().filter(|edge| relations.contains(&edge.relation)) {
            let mark = if edge.dispatches { "*" } else { "" };
            let (from, to) = (short(linker.text(edge.from)), short(linker.text(edge.to)));
            rows.push(format!("{from} {} {to}{mark}", edge.relation));
        }
    }
    rows
}

#[test]
fn a_method_overrides_the_nearest_of_its_name_on_every_way_up() {
    let source = "class A:\n    def m(self): ...\n    def __init__(self): ...\nclass I:\n    def m(self): ...\n\
                  class B(A):\n    pass\nclass C(B, I):\n    def m(self): ...\n    def __init__(self): ...\n\
                  class D(C):\n    def m(self): ...\n";
    let found = edges(&[("a.py", source)], &[Relation::Overrides]);
    let expected =
        ["a.py::C::m overrides a.py::A::m", "a.py::C::m overrides a.py::I::m", "a.py::D::m overrides a.py::C::m"];
    assert_eq!(found, expected);
}

#[test]
fn a_method_of_a_trait_block_overrides_that_of_its_trait_only() {
    let source = "trait Run { fn go(&self); }\ntrait Walk { fn go(&self) {} }\nstruct A;\n\
                  impl A { fn stop(&self) {} }\nimpl Run for A { fn go(&self) {} }\nimpl Walk for A {}\n";
    let found = edges(&[("Cargo.toml", "[package]\nname = \"x\"\n"), ("src/lib.rs", source)], &[Relation::Overrides]);
    assert_eq!(found, ["src/lib.rs::impl::Run for A::go overrides src/lib.rs::trait::Run::go"]);
}

#[test]
fn interfaces_and_classes_of_other_files() {
    let files = [
        ("shape.ts", "export interface Shape { area(): number }\nexport class Base { name() { return 'b'; } }\n"),
        (
            "circle.ts",
            "import { Base, Shape } from './shape';\nexport class Circle extends Base implements Shape {\n  \
                       constructor() { super(); }\n  area() { return 1; }\n  name() { return 'c'; }\n}\n",
        ),
    ];
    let found = edges(&files, &[Relation::Overrides]);
    let expected = [
        "circle.ts::Circle::area overrides shape.ts::interface::Shape::area",
        "circle.ts::Circle::name overrides shape.ts::Base::name",
    ];
    assert_eq!(found, expected);
}

#[test]
fn private_methods_are_replaced_where_the_language_lets_them() {
    let python = [
        ("base.py", "class Field:\n    def _serialize(self, value, **kwargs): ...\n    def __own(self): ...\n"),
        (
            "heir.py",
            "from base import Field\nclass Upper(Field):\n    def _serialize(self, value): ...\n    def __own(self): ...\n",
        ),
    ];
    assert_eq!(
        edges(&python, &[Relation::Overrides]),
        ["heir.py::Upper::_serialize overrides base.py::Field::_serialize"]
    );
    let one_file = [("one.py", "class A:\n    def __own(self): ...\nclass B(A):\n    def __own(self): ...\n")];
    assert_eq!(edges(&one_file, &[Relation::Overrides]), [""; 0]);
    let cpp = [
        (
            "base.h",
            "class Shape {\n public:\n  void Draw() { DoDraw(); }\n private:\n  virtual void DoDraw() = 0;\n};\n",
        ),
        ("circle.cc", "#include \"base.h\"\nclass Circle : public Shape {\n  void DoDraw() override {}\n};\n"),
    ];
    assert_eq!(
        edges(&cpp, &[Relation::Overrides, Relation::Calls]),
        [
            "base.h::Shape::Draw calls base.h::Shape::DoDraw*",
            "circle.cc::Circle::DoDraw overrides base.h::Shape::DoDraw"
        ]
    );
    let java = [
        ("src/p/A.java", "package p;\npublic class A {\n  private void m() {}\n}\n"),
        ("src/p/B.java", "package p;\npublic class B extends A {\n  void m() {}\n}\n"),
    ];
    assert_eq!(edges(&java, &[Relation::Overrides]), [""; 0]);
}

#[test]
fn types_satisfy_interfaces_by_their_methods() {
    let files = [
        ("go.mod", "module m\n"),
        (
            "a.go",
            "package a\nimport \"m/p\"\ntype Base interface { Drop() }\ntype Store interface { Base; Fetch(k string) int }\n\
             func f(s Store, m p.Memory) { s.Fetch(\"x\"); s.Drop(); m.Drop() }\n",
        ),
        (
            "p/p.go",
            "package p\ntype Memory struct{}\nfunc (Memory) Fetch(k string) int { return 0 }\nfunc (*Memory) Drop() {}\n\
             type Disk struct{ half }\nfunc (Disk) Fetch(k string) int { return 1 }\n\
             type half struct{}\nfunc (half) Drop() {}\n\
             type Other struct{}\nfunc (Other) Fetch(a, b string) int { return 2 }\nfunc (Other) Drop() int { return 1 }\n",
        ),
    ];
    let found = edges(&files, &[Relation::Overrides, Relation::Implements]);
    let expected = [
        "p/p.go::impl::Disk::Fetch overrides a.go::interface::Store::Fetch",
        "p/p.go::impl::Memory::Drop overrides a.go::interface::Base::Drop",
        "p/p.go::impl::Memory::Fetch overrides a.go::interface::Store::Fetch",
        "p/p.go::impl::half::Drop overrides a.go::interface::Base::Drop",
        "p/p.go::struct::Disk implements a.go::interface::Base",
        "p/p.go::struct::Disk implements a.go::interface::Store",
        "p/p.go::struct::Memory implements a.go::interface::Base",
        "p/p.go::struct::Memory implements a.go::interface::Store",
        "p/p.go::struct::half implements a.go::interface::Base",
    ];
    assert_eq!(found, expected);
    let calls = edges(&files, &[Relation::Calls]);
    let expected = [
        "a.go::f calls a.go::interface::Base::Drop*",
        "a.go::f calls a.go::interface::Store::Fetch*",
        "a.go::f calls p/p.go::impl::Memory::Drop",
    ];
    assert_eq!(calls, expected);
}

#[test]
fn an_overload_overrides_the_one_with_its_parameters() {
    let files = [
        (
            "src/p/Base.java",
            "package p;\npublic class Base<T> {\n  void put(int n) {}\n  void put(String s) {}\n  void take(T t) {}\n  Base(int n) {}\n}\n",
        ),
        (
            "src/p/Heir.java",
            "package p;\npublic class Heir extends Base<String> {\n  void put(String s) {}\n  void put(long n, long m) {}\n  void take(String t) {}\n}\n",
        ),
    ];
    let found = edges(&files, &[Relation::Overrides]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].starts_with("src/p/Heir.java::Heir::put") && found[0].contains("Base.java::Base::put"),
        "{found:?}"
    );
    assert!(found[1].contains("Heir::take overrides src/p/Base.java::Base::take"), "{found:?}");
}

#[test]
fn the_body_of_an_enum_constant_is_a_class_that_is_made_and_overrides() {
    let source = "package p;\npublic enum State {\n  START { State next() { return END; } },\n  END;\n  \
                  State next() { return this; }\n}\n";
    let found = edges(&[("src/p/State.java", source)], &[Relation::Overrides, Relation::Inherits, Relation::Calls]);
    let expected = [
        "src/p/State.java::enum::State calls src/p/State.java::enum::State::variant::START",
        "src/p/State.java::enum::State::variant::END calls src/p/State.java::enum::State",
        "src/p/State.java::enum::State::variant::START calls src/p/State.java::enum::State",
        "src/p/State.java::enum::State::variant::START inherits src/p/State.java::enum::State",
        "src/p/State.java::enum::State::variant::START::next overrides src/p/State.java::enum::State::next",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_call_dispatches_where_the_class_of_its_receiver_is_only_declared() {
    let source = "class A:\n    def m(self): self.n()\n    def n(self): ...\n\
                  def declared(a: A): a.m()\n\
                  def made():\n    a = A()\n    a.m()\n\
                  def at_once(): A().m()\n\
                  def by_class(a): A.m(a)\n";
    let found = edges(&[("a.py", source)], &[Relation::Calls]);
    let to_methods: Vec<&String> = found.iter().filter(|row| row.contains("A::")).collect();
    let expected = [
        "a.py::A::m calls a.py::A::n*", "a.py::at_once calls a.py::A::m", "a.py::by_class calls a.py::A::m",
        "a.py::declared calls a.py::A::m*", "a.py::made calls a.py::A::m",
    ];
    assert_eq!(to_methods, expected);
}

#[test]
fn tests_exercise_code_but_not_each_other() {
    let files = [
        ("pool.py", "class Pool:\n    def get(self): ...\ndef load(): ...\n"),
        (
            "tests/test_pool.py",
            "from pool import Pool, load\ndef helper(): return load()\n\
                                def test_get():\n    helper()\n    Pool().get()\n",
        ),
    ];
    let found = edges(&files, &[Relation::Tests]);
    let expected = [
        "tests/test_pool.py::helper tests pool.py::load",
        "tests/test_pool.py::test_get tests pool.py::Pool",
        "tests/test_pool.py::test_get tests pool.py::Pool::get",
    ];
    assert_eq!(found, expected);
}

#[test]
fn tests_exercise_only_what_a_call_runs() {
    let files = [
        (
            "deco.py",
            "def skips(f):\n    def instead(): ...\n    return instead\n\
             def leads(f):\n    def around(): f()\n    return around\n",
        ),
        ("app.py", "from deco import skips, leads\n@skips\ndef named(): ...\n@leads\ndef run(): ...\n"),
        ("tests/test_app.py", "from app import named, run\ndef test_all():\n    named()\n    run()\n"),
    ];
    let found = edges(&files, &[Relation::Tests]);
    let expected = [
        "tests/test_app.py::test_all tests app.py::run",
        "tests/test_app.py::test_all tests deco.py::leads::around",
        "tests/test_app.py::test_all tests deco.py::skips::instead",
    ];
    assert_eq!(found, expected);
}

/// Derived `possible` edges of TypeScript: the methods that calls through members of interfaces may run.
#[test]
fn values_satisfy_interfaces_by_their_members() {
    let files = [
        (
            "types.ts",
            "export interface Runner { run(): void; name?: string }\nexport type Job = { run: () => void; id: number }\n\
             export interface Base { stop(): void }\nexport interface Both extends Base { run(n: number): void }\n\
             export interface Other { run(): void; missing(): void }\n",
        ),
        (
            "made.ts",
            "export class R { id = 1; run() {} private hop() {} }\n\
             export class S { stop() {} run(n: number) {} }\nexport class T { run(a: number, b: number) {} stop() {} }\n\
             export const o = { run() {} };\n",
        ),
    ];
    let found = edges(&files, &[Relation::Overrides]);
    let expected = [
        "made.ts::R::run overrides types.ts::interface::Runner::run",
        "made.ts::R::run overrides types.ts::type::Job::field::run",
        "made.ts::S::run overrides types.ts::interface::Both::run",
        "made.ts::S::stop overrides types.ts::interface::Base::stop",
        "made.ts::T::stop overrides types.ts::interface::Base::stop",
        "made.ts::object::o::run overrides types.ts::interface::Runner::run",
    ];
    assert_eq!(found, expected);
}

#[test]
fn calls_through_types_without_a_name_may_run_what_fits() {
    let files = [
        (
            "use.ts",
            "import { Runner, Both } from './types';\n\
             export function named(r: Runner | null) { r?.run(); }\n\
             export function inline(r: { run(): void }) { r.run(); }\n\
             export function field(r: { run: () => void }) { r.run(); }\n\
             export function bound<T extends { run(): void }>(r: T) { r.run(); }\n\
             export function base(b: Both) { b.stop(); }\n\
             export function union(b: Both | Runner) { b.run(1); }\n",
        ),
        (
            "types.ts",
            "export interface Base { stop(): void }\nexport interface Both extends Base { run(n: number): void }\n\
             export interface Runner { run(): void }\n",
        ),
        ("made.ts", "import { named } from './use';\nclass R { run() {} }\nnamed(new R());\nnamed({ run() {} });\n"),
    ];
    let calls = edges(&files, &[Relation::Calls]);
    let expected = [
        "made.ts calls made.ts::R",
        "made.ts calls use.ts::named",
        "use.ts::base calls types.ts::interface::Base::stop*",
        "use.ts::bound calls use.ts::bound::run*",
        "use.ts::field calls use.ts::field::field::run*",
        "use.ts::inline calls use.ts::inline::run*",
        "use.ts::named calls types.ts::interface::Runner::run*",
        "use.ts::union calls types.ts::interface::Both::run*",
        "use.ts::union calls types.ts::interface::Runner::run*",
    ];
    assert_eq!(calls, expected);
    let found = edges(&files, &[Relation::Overrides]);
    let of = |from: &str| found.iter().filter(|row| row.starts_with(from)).count();
    assert_eq!((of("made.ts::R::run"), of("made.ts::run")), (4, 4), "{found:?}");
}
