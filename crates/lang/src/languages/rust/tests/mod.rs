mod torture;

use m1nd_base::{Cancel, Limits};

use crate::facts::{
    Binding, BindingTarget, Collection, DefId, DefKind, Expr, ExprId, FileFacts, ImportKind, ListId, PathRoot, Role,
    Visibility,
};
use crate::{Language, extract};

fn facts(source: &str) -> FileFacts {
    extract(Language::Rust, source.as_bytes(), &Limits::default(), &Cancel::new())
}

fn show_list(facts: &FileFacts, list: ListId) -> String {
    let items: Vec<String> = facts.list(list).iter().map(|&item| show(facts, item)).collect();
    items.join(", ")
}

/// An expression as text; recursion is fine here, the sources are our own.
fn show(facts: &FileFacts, id: ExprId) -> String {
    let text = |name| facts.name(name).to_owned();
    let of = |base| show(facts, base);
    match facts.expr(id) {
        Expr::Name { name, .. } => text(name),
        Expr::Member { base, name } => format!("{}.{}", of(base), text(name)),
        Expr::Path { base, name } => format!("{}::{}", of(base), text(name)),
        Expr::Root { root: PathRoot::Crate, .. } => "crate".into(),
        Expr::Root { root: PathRoot::SelfModule, .. } => "self".into(),
        Expr::Root { root: PathRoot::Global, .. } => "<global>".into(),
        Expr::Root { root: PathRoot::Super(depth), .. } => vec!["super"; depth as usize].join("::"),
        Expr::Call { callee, args } => format!("{}({})", of(callee), show_list(facts, args)),
        Expr::Implicit { base, name } => format!("implicit({}.{})", of(base), text(name)),
        Expr::Index { base } => format!("{}[]", of(base)),
        Expr::Item { base, index } => format!("item{index}({})", of(base)),
        Expr::Element { base } => format!("element({})", of(base)),
        Expr::Unwrap { base } => format!("unwrap({})", of(base)),
        Expr::Instance { of: class } => format!("<{}>", of(class)),
        Expr::Definition(def) => format!("def{}", def.0),
        Expr::This { .. } => "this".into(),
        Expr::SelfType { .. } => "Self".into(),
        Expr::Literal(literal) => format!("{literal:?}"),
        Expr::Collection { kind, items } => {
            let open = if kind == Collection::Tuple { "(" } else { "[" };
            format!("{kind:?}{open}{}", show_list(facts, items))
        }
        Expr::Union(list) => format!("one of {{{}}}", show_list(facts, list)),
        Expr::Generic { base, args } => format!("{}<{}>", of(base), show_list(facts, args)),
        Expr::Signature { parameters, result } => format!("fn({}) -> {}", show_list(facts, parameters), of(result)),
        Expr::Given { by, parameter } => format!("given {parameter} by {}", of(by)),
        Expr::Unknown => "?".into(),
        other => format!("{other:?}"),
    }
}

/// References as `line:col role path`, `~` before the path if inexact.
fn references(source: &str) -> Vec<String> {
    let facts = facts(source);
    let row = |reference: &crate::facts::Reference| {
        let inexact = if reference.inexact { "~" } else { "" };
        let role = format!("{:?}", reference.role).to_lowercase();
        format!("{}:{} {role} {inexact}{}", reference.pos.line, reference.pos.col, show(&facts, reference.expr))
    };
    facts.references.iter().map(row).collect()
}

fn check_references(source: &str, expected: &[&str]) {
    assert_eq!(references(source), expected, "in {source}");
}

fn imports(source: &str) -> Vec<String> {
    let facts = facts(source);
    let alias = |index: usize| {
        let bound = |binding: &&Binding| matches!(binding.target, BindingTarget::Import(id) if id.index() == index);
        facts.bindings.iter().find(bound).map_or("_".to_owned(), |binding| facts.name(binding.name).to_owned())
    };
    let row = |(index, import): (usize, &crate::facts::Import)| {
        let path = import.path.map_or(String::new(), |path| show(&facts, path));
        let what = match import.kind {
            ImportKind::Symbol(name) => format!("{path} . {}", facts.name(name)),
            ImportKind::Module => path,
            ImportKind::Wildcard => format!("{path} . *"),
            ImportKind::FileModule(name) => format!("mod {} {}", facts.name(name), facts.name(import.module)),
            other => format!("{other:?}"),
        };
        let reexport = if import.flags.reexport { "pub " } else { "" };
        let for_tests = if import.flags.test_only { " for tests" } else { "" };
        format!("{reexport}{} as {}{for_tests}", what.trim_end(), alias(index))
    };
    facts.imports.iter().enumerate().map(row).collect()
}

/// Target of a variable.
fn show_bound(source: &str, name: &str) -> String {
    let facts = facts(source);
    let rows: Vec<String> = facts
        .bindings
        .iter()
        .filter(|binding| facts.name(binding.name) == name)
        .map(|binding| match binding.target {
            BindingTarget::Value(value) => show(&facts, value),
            BindingTarget::Typed(of) => format!(": {}", show(&facts, of)),
            BindingTarget::Parameter(_, index) => format!("parameter {index}"),
            BindingTarget::Opaque => "opaque".to_owned(),
            other => format!("{other:?}"),
        })
        .collect();
    rows.join(" | ")
}

/// Definitions as `kind chain`, with owners.
fn definitions(source: &str) -> Vec<String> {
    let facts = facts(source);
    let row = |definition: &crate::facts::Definition| {
        let mut chain = vec![facts.name(definition.name).to_owned()];
        let mut owner = definition.owner;
        while let Some(id) = owner {
            chain.push(facts.name(facts.definition(id).name).to_owned());
            owner = facts.definition(id).owner;
        }
        chain.reverse();
        format!("{} {}", definition.kind.word(), chain.join("/"))
    };
    facts.definitions.iter().map(row).collect()
}

fn definition(facts: &FileFacts, name: &str) -> crate::facts::Definition {
    let found = facts.definitions.iter().find(|definition| facts.name(definition.name) == name);
    found.unwrap_or_else(|| panic!("no definition `{name}`")).clone()
}

#[test]
fn items_and_their_owners() {
    let source = "
pub struct Pool<T> { pub size: usize, items: Vec<T> }
struct Pair(pub u8, Pool<u8>);
enum Shape { Unit, Circle(f64), Rect { w: f64 } }
union Bits { int: u32 }
trait Draw: Debug + Send { type Out; const N: u8; fn draw(&self); fn twice(&self) {} }
impl<T> Pool<T> { pub fn new() -> Self { todo!() } }
impl<T> Draw for Pool<T> { type Out = T; const N: u8 = 1; fn draw(&self) {} }
mod inner { pub(crate) const LIMIT: u8 = 3; static S: u8 = 1; fn f() { fn nested() {} } }
type Alias = Pool<u8>;
macro_rules! shout { () => {} }
";
    let expected = [
        "struct Pool", "field Pool/size", "field Pool/items", "struct Pair", "field Pair/0", "field Pair/1",
        "enum Shape", "variant Shape/Unit", "variant Shape/Circle", "field Shape/Circle/0", "variant Shape/Rect",
        "field Shape/Rect/w", "union Bits", "field Bits/int", "trait Draw", "type Draw/Out", "const Draw/N",
        "fn Draw/draw", "fn Draw/twice", "impl Pool<T>", "fn Pool<T>/new", "impl Draw for Pool<T>",
        "type Draw for Pool<T>/Out", "const Draw for Pool<T>/N", "fn Draw for Pool<T>/draw", "mod inner",
        "const inner/LIMIT", "const inner/S", "fn inner/f", "fn inner/f/nested", "type Alias", "macro shout",
    ];
    assert_eq!(definitions(source), expected);
    let facts = facts(source);
    assert_eq!(definition(&facts, "size").visibility, Visibility::Public);
    assert_eq!(definition(&facts, "items").visibility, Visibility::Private);
    assert_eq!(definition(&facts, "LIMIT").visibility, Visibility::Package);
    assert_eq!(definition(&facts, "Circle").visibility, Visibility::Public);
    let draw = definition(&facts, "Draw");
    assert_eq!(show_list(&facts, draw.bases), "Debug, Send");
    let implementation = definition(&facts, "Draw for Pool<T>");
    assert_eq!(show_list(&facts, implementation.implements), "Draw");
    assert_eq!(implementation.extends_type.map(|of| show(&facts, of)).as_deref(), Some("Pool<T>"));
    assert_eq!(implementation.kind, DefKind::Impl);
    let pair: Vec<_> = facts.definitions.iter().filter(|d| facts.name(d.name) == "1").collect();
    assert_eq!(pair[0].declared.map(|of| show(&facts, of)).as_deref(), Some("Pool<u8>"));
    let in_macro = self::facts("trait T { own! { fn draw(&self); } }");
    assert!(!definition(&in_macro, "draw").flags.is_abstract);
    assert!(definition(&facts, "draw").flags.is_abstract && !definition(&facts, "twice").flags.is_abstract);
    assert!(definition(&facts, "new").flags.is_static && !definition(&facts, "twice").flags.is_static);
    assert!(definition(&facts, "nested").flags.is_local && !definition(&facts, "f").flags.is_local);
}

#[test]
fn signatures_docs_and_attributes() {
    let source = "//! About the file.

/// Opens it.
/// Twice.
#[inline]
#[derive(Clone, serde::Serialize)]
#[my::attr]
pub struct Door { a: u8 }
#[doc = \"By attribute\"]
pub async fn open<T>(
    a: u8,
) -> Door where T: Clone { loop {} }
#[tokio::test]
async fn works() { helper() }
#[cfg(test)]
mod tests { use super::*; fn helper() {} #[test] fn t() {} }
#[cfg(not(test))]
fn real() {}
";
    let facts = facts(source);
    assert_eq!(facts.doc.as_deref(), Some("About the file."));
    let door = definition(&facts, "Door");
    assert_eq!(door.doc.as_deref(), Some("Opens it.\nTwice."));
    assert_eq!(door.signature.as_deref(), Some("pub struct Door"));
    assert_eq!(show_list(&facts, door.decorators), "Clone, serde::Serialize, my::attr");
    let open = definition(&facts, "open");
    assert_eq!(open.signature.as_deref(), Some("pub async fn open<T>( a: u8, ) -> Door where T: Clone"));
    assert_eq!(open.doc.as_deref(), Some("By attribute"));
    assert!(open.flags.is_async && !open.flags.is_test);
    assert_eq!(open.line_start, 10);
    for test in ["works", "tests", "helper", "t"] {
        assert!(definition(&facts, test).flags.is_test, "{test}");
    }
    assert!(!definition(&facts, "real").flags.is_test);
    let decorate = facts.references.iter().find(|r| r.role == Role::Decorate).expect("a derive");
    assert_eq!(decorate.enclosing.map(|def| facts.name(facts.definition(def).name)), Some("Door"));
}

#[test]
fn conditions_that_only_hold_for_tests() {
    for (how, is_test) in [
        ("#[cfg(test)]", true),
        ("#[cfg( test )]", true),
        ("#[cfg(all(test, unix))]", true),
        ("#[cfg(all(unix, all(not(windows), test),))]", true),
        ("#[cfg(all(test, not(miri)))]", true),
        ("#[cfg(any(test))]", true),
        ("#[cfg(any(all(test, unix), all(windows, test)))]", true),
        ("#[cfg(unix)]\n/// Text.\n#[cfg(test)] // more\n#[macro_use]", true),
        ("#[cfg(not(test))]", false),
        ("#[cfg(any(test, unix))]", false),
        ("#[cfg(all(unix, any(test, feature = \"test\")))]", false),
        ("#[cfg(all(not(test), unix))]", false),
        ("#[cfg(feature = \"test\")]", false),
        ("#[cfg(all(feature = \"a(test, test\", unix))]", false),
        ("#[cfg(test_utils)]", false),
        ("#[cfg(not(any(test)))]", false),
        ("#[cfg_attr(test, macro_use)]", false),
        ("#[cfg()]", false),
        ("", false),
    ] {
        let source = format!("{how} mod m; {how} fn f() {{}}\nmod other; {how} mod around {{ mod inner; }}");
        let words = if is_test { " for tests" } else { "" };
        let expected =
            [format!("mod m as m{words}"), "mod other as other".into(), format!("mod inner as inner{words}")];
        assert_eq!(imports(&source), expected, "{how}");
        assert_eq!(definition(&facts(&source), "f").flags.is_test, is_test, "{how}");
    }
    assert_eq!(imports("#![cfg(test)]\nmod m;\n"), ["mod m as m for tests"]);
}

#[test]
fn use_trees() {
    let source = "
use std::fmt;
use crate::{a::b::{self, C as D}, e::*};
pub use super::super::x::Y;
pub(crate) use self::m::N as _;
use ::log::info;
use rand;
use {one::Two, three as four};
extern crate alloc as al;
mod file;
#[path = \"odd/name.rs\"]
pub mod other;
";
    let expected = [
        "std . fmt as fmt",
        "crate::a . b as b",
        "crate::a::b . C as D",
        "crate::e . * as _",
        "pub super::super::x . Y as Y",
        "pub self::m . N as _",
        "<global>::log . info as info",
        "rand as rand",
        "one . Two as Two",
        "three as four",
        "<global>::alloc as al",
        "mod file as file",
        "pub mod other odd/name.rs as other",
    ];
    assert_eq!(imports(source), expected);
    check_references("use a::b::C;", &["1:5 type a", "1:8 type a::b"]);
}

#[test]
fn paths_calls_and_members() {
    check_references(
        "fn f(p: Pool) { a::b::C::new(1, 2); p.items.len(); p.size = 3; crate::g(); Self::h(); K; }",
        &[
            "1:9 type Pool", "1:17 type a", "1:20 type a::b", "1:23 type a::b::C", "1:26 call a::b::C::new",
            "1:39 read p.items", "1:45 call p.items.len", "1:54 write p.size", "1:71 call crate::g",
            "1:82 call Self::h", "1:87 read K",
        ],
    );
    check_references(
        "fn f() { parse::<Foo>(x.y::<Bar>()); Vec::<Foo>::new(); <T as Tr>::go(); }",
        &[
            "1:10 call parse", "1:18 type Foo", "1:23 read x", "1:25 call x.y", "1:29 type Bar", "1:38 type Vec",
            "1:44 type Foo", "1:50 call Vec<Foo>::new", "1:58 type T", "1:63 type Tr", "1:68 call T::go",
        ],
    );
}

#[test]
fn locals_and_type_parameters_have_references_only_where_called() {
    check_references(
        "fn f<T: Draw, const N: usize>(a: T) { let b = a; let g = |c| c + b + N; g(b); for i in b {} }",
        &[
            "1:9 type Draw",
            "1:64 call implicit(c.add)",
            // A variable that is called may hold a function.
            "1:73 call g",
            "1:88 call implicit(b.into_iter)",
            "1:88 call implicit(implicit(b.into_iter)().next)",
        ],
    );
    check_references(
        "impl<T> S<T> { fn m(&self) -> T { fn inner(x: T) { y } let y = 1; y } }",
        // An inner item sees neither the variables nor the type parameters around it.
        &["1:9 type S", "1:47 type T", "1:52 read y"],
    );
    check_references("fn f() { let g = 1; { fn g() {} g(); } g(); }", &["1:33 call g", "1:40 call g"]);
    check_references(
        "fn f(x: A) { if let Some(y) = x { y(); } else { y(); } }",
        &["1:9 type A", "1:21 read Some", "1:35 call y", "1:49 call y"],
    );
}

#[test]
fn patterns_bind_parts() {
    let bind = |pattern: &str, name: &str| show_bound(&format!("fn f() {{ let {pattern} = v(); }}"), name);
    assert_eq!(bind("(a, mut b)", "b"), "item1(v())");
    assert_eq!(bind("(a, _, c)", "c"), "item2(v())");
    assert_eq!(bind("(.., z)", "z"), "opaque");
    assert_eq!(bind("Some(x)", "x"), "unwrap(v())");
    assert_eq!(bind("Err(e)", "e"), "item1(v())");
    assert_eq!(bind("Shape::Circle(_, r)", "r"), "<Shape::Circle>.1");
    assert_eq!(bind("Point { x, y: ref inner, .. }", "x"), "<Point>.x");
    assert_eq!(bind("Point { x, y: ref inner, .. }", "inner"), "<Point>.y");
    assert_eq!(bind("[first, rest @ ..]", "first"), "element(v())");
    assert_eq!(bind("[first, rest @ ..]", "rest"), "v()");
    assert_eq!(bind("&(ref a, Some(b))", "b"), "unwrap(item1(v()))");
    assert_eq!(bind("whole @ Some(_)", "whole"), "v()");
    assert_eq!(bind("x: Pool", "x"), ": Pool");
    assert_eq!(bind("(x, y): (A, B)", "y"), "item1(<Tuple(A, B>)");
    assert_eq!(
        show_bound("fn f() { match v() { A::B(x) | A::C(x) if x => {} None => {} } }", "x"),
        "<A::B>.0 | <A::C>.0"
    );
    assert_eq!(show_bound("fn f() { for (i, x) in v().iter() {} }", "x"), "item1(element(v().iter()))");
    assert_eq!(show_bound("fn f() { while let Some(x) = v() && let Ok(y) = x {} }", "y"), "unwrap(x)");
    assert_eq!(show_bound("fn f((a, b): (A, B), c: C) {}", "b"), "item1(#0)");
    assert_eq!(show_bound("fn f((a, b): (A, B), c: C) {}", "c"), "parameter 1");
}

#[test]
fn closure_parameters_of_well_known_methods() {
    let parameter = |text: &str, name: &str| show_bound(&format!("fn f() {{ {text}; }}"), name);
    assert_eq!(parameter("v.iter().map(|x| x.y)", "x"), "element(v.iter())");
    assert_eq!(parameter("v.iter().filter(|&(k, _)| k)", "k"), "item0(element(v.iter()))");
    assert_eq!(parameter("v.sort_by(|a, b| a.cmp(b))", "b"), "element(v)");
    assert_eq!(parameter("v.fold(0, |sum, x| sum)", "x"), "element(v)");
    assert_eq!(parameter("v.fold(0, |sum, x| sum)", "sum"), "parameter 0");
    assert_eq!(parameter("r.map_err(|e| e.code())", "e"), "item1(r)");
    assert_eq!(parameter("own.each(y, |x, z| x)", "z"), "given 1 by own.each(y)");
    assert_eq!(parameter("OWN.with(|x| x)", "x"), "OWN");
    assert_eq!(parameter("v.map(|x: T| x)", "x"), "parameter 0");
}

#[test]
fn values() {
    let value = |text: &str| show_bound(&format!("fn f() {{ let x = {text}; }}"), "x");
    assert_eq!(value("a.b()?.c"), "unwrap(a.b()).c");
    assert_eq!(value("(*&a).await"), "unwrap(a)");
    assert_eq!(value("if q { a } else { b() }"), "one of {a, b()}");
    assert_eq!(value("match q { 1 => a, 2 => return, _ => { let z = 1; b } }"), "one of {a, b}");
    assert_eq!(value("Foo::<T> { a: 1 }"), "<Foo<T>>");
    assert_eq!(value("a as Foo"), "<Foo>");
    assert_eq!(value("unsafe { a[0] }"), "a[]");
    assert_eq!(value("vec![a, b]"), "List[a");
    assert_eq!(value("vec![a; 3]"), "List[a");
    assert_eq!(value("format!(\"{}\", a)"), "Str");
    assert_eq!(value("matches!(a, B)"), "Bool");
    assert_eq!(value("dbg!(a.b)"), "a.b");
    assert_eq!(value("(1, a)"), "Tuple(Int, a");
    assert_eq!(value("|y| y.z"), "def1");
    assert_eq!(value("a == b"), "Bool");
    assert_eq!(value("a + b"), "opaque");
    let facts = facts("fn f() { let x = |y: A| { if y { return a; } b }; }");
    assert_eq!(show_list(&facts, facts.definitions[1].values), "a, b");
}

#[test]
fn types() {
    let declared = |text: &str| {
        let facts = facts(&format!("fn f() -> {text} {{}}"));
        show(&facts, facts.definitions[0].declared.expect("declared"))
    };
    assert_eq!(declared("Result<Vec<&'a T>, io::Error>"), "Result<Vec<T>, io::Error>");
    assert_eq!(declared("impl Iterator<Item = Foo> + 'a"), "Iterator<Foo>");
    assert_eq!(declared("Box<dyn Send + Draw + 'static>"), "Box<Draw>");
    assert_eq!(declared("&mut [A]"), "List[A");
    assert_eq!(declared("(A, b::B)"), "Tuple(A, b::B");
    assert_eq!(declared("fn(A, b: &B) -> C"), "fn(A, B) -> C");
    assert_eq!(declared("impl Fn(A) -> B"), "fn(A) -> B");
    assert_eq!(declared("<A as B>::C"), "A::C");
    assert_eq!(declared("Self"), "Self");
    let facts = facts("fn f<T: A + 'static, U>(x: T) where U: B, T: C {}");
    let bounds: Vec<String> = facts.type_parameters.iter().filter_map(|p| p.bound).map(|b| show(&facts, b)).collect();
    assert_eq!(bounds, ["one of {A, C}", "B"]);
}

#[test]
fn macros() {
    check_references(
        "fn f(a: A) {\n    println!(\"{} {x}\", a.b(), x = C::d(1));\n}",
        &["1:9 type A", "2:5 macro println", "2:26 call a.b", "2:35 type C", "2:38 call C::d"],
    );
    check_references(
        "fn f() { assert!(matches!(g(1), E::V(x) if x.h())); }",
        &["1:10 macro assert", "1:18 macro matches", "1:27 call g", "1:33 type E", "1:36 read E::V", "1:46 call x.h"],
    );
    let inexact = references("fn f(a: A) { mine::own!(a => k(1), b::c(2), d.e(), m!(z), self.q()); }");
    assert_eq!(
        inexact,
        [
            "1:9 type A", "1:14 type mine", "1:20 macro mine::own", "1:30 call ~k", "1:36 type ~b", "1:39 call ~b::c",
            "1:47 call ~d.e", "1:52 macro ~m", "1:64 call ~this.q",
        ]
    );
    check_references("fn f() { own!(a.b(1), c) }", &["1:10 macro own", "1:17 call ~a.b"]);
    check_references(
        "fn f() { own! { a b; A::<u8>::k(_): Send, C, d::e, self.g } }",
        &[
            "1:10 macro own", "1:22 type ~A", "1:31 call ~?::k", "1:37 type ~Send", "1:43 type ~C", "1:49 read ~d::e",
            "1:57 read ~this.g",
        ],
    );
    check_references(
        "macro_rules! m { ($x:expr, k) => { let y = A::b($x); $x.c(y); $crate::d::e; f(y, G) }; (z) => (h!(i)) }",
        &[
            "1:44 type ~A", "1:47 call ~A::b", "1:57 call ~?.c", "1:74 read ~crate::d::e", "1:77 call ~f",
            "1:82 type ~G", "1:96 macro ~h",
        ],
    );
    assert_eq!(definitions("cfg_x! { fn a() {} mod m { struct S; } }"), ["fn a", "mod m", "struct m/S"]);
    check_references("fn f() { write!(é, \"ü\", g()) }", &["1:10 macro write", "1:17 read é", "1:25 call g"]);
}

#[test]
fn struct_literals_and_patterns_use_fields() {
    check_references(
        "fn f(x: u8) { P { x, y: z() }; let P { x: a, .. } = q; }",
        &[
            "1:15 type P", "1:19 write <P>.x", "1:22 write <P>.y", "1:25 call z", "1:36 type P", "1:40 read <P>.x",
            "1:53 read q",
        ],
    );
}

#[test]
fn rules_of_macros() {
    let rows: &[(&str, &str)] = &[
        ("($name:ident, $e:expr) => { #[test] fn $name() { $e } }", "function test code"),
        ("($(#[$m:meta])* $name:ident; $e:expr) => { $(#[$m])* pub fn $name() { $e } }", "function code"),
        ("($name:ident) => { #[tokio::test] async fn $name() {} }", "function test code"),
        ("($name:ident) => { #[cfg(test)] fn a() {} fn $name() {} }", "function code"),
        ("($n:ident, $e:expr) => { x!($n, $e, 1); }; ($n:ident, $e:expr, $f:expr) => { fn $n() {} }", "function code"),
        ("($n:ident) => { x!(not, $n); }; (not, $n:ident) => { fn $n() {} }", "code"),
        ("(not, $n:ident) => {}; ($n:ident) => { fn $n() {} }", "function code not"),
        ("($n:ident) => { mod m { fn $n() {} } }", ""),
        ("($n:ident) => { struct $n; }", "code"),
        ("($a:tt, $n:ident) => { fn $n() {} }", ""),
        ("($($e:expr),* $(,)?) => { f($($e),*) }", "code"),
        ("($($k:expr => $v:expr),+) => { [$(($k, $v)),+] }", "code"),
        ("($x:ident, $e:expr) => { let $x = 1; $e }", ""),
        ("($x:ident, $e:expr) => { a.$x($e) }", "code"),
        ("($p:pat, $e:expr) => { if let $p = $e {} }", ""),
        ("($x:ident ($e:expr)) => { $x($e) }", ""),
        ("($x:ident $b:block) => { $b }", ""),
        ("($a:expr; $b:expr) => { use m::*; $a + $b }", ""),
        ("($($t:tt)*) => { println!($($t)*) }", "code"),
        ("($fmt:literal $($t:tt)*) => { other!($fmt, $($t)*) }", ""),
        ("($($t:tt)*) => {}", ""),
        ("($a:expr /* , */ , \")\", $b:expr) => { f($a, $b) }", "code"),
        ("", ""),
    ];
    for (rules, wanted) in rows {
        let facts = facts(&format!("macro_rules! x {{ {rules} }}"));
        let flags = facts.definitions[0].flags;
        let mut found = Vec::new();
        found.extend(flags.names_function.then_some("function"));
        found.extend(flags.names_test.then_some("test"));
        found.extend(flags.takes_code.then_some("code"));
        found.extend(facts.parameters(DefId(0)).iter().map(|word| facts.name(word.name)));
        assert_eq!(found.join(" "), *wanted, "{rules}");
    }
}

#[test]
fn operators_loops_and_question_marks_call_methods() {
    check_references(
        "fn f(a: A, mut b: A) -> R<u8> { b += a; b[1] = a[0]; *b = 2; let c = !a == -b; g()?; 1 + 2; }",
        &[
            "1:9 type A",
            "1:19 type A",
            "1:25 type R",
            "1:35 call implicit(b.add_assign)",
            "1:42 call implicit(b.index_mut)",
            "1:49 call implicit(a.index)",
            "1:54 call implicit(b.deref_mut)",
            "1:70 call implicit(a.not)",
            "1:73 call implicit(a.eq)",
            "1:76 call implicit(b.neg)",
            "1:80 call g",
            "1:83 call ~implicit(<R<u8>>.unwrap_err().from)",
        ],
    );
}
