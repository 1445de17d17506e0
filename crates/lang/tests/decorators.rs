//! In every language with decorators, annotations or attributes, their references belong to the decorated definition.
//! Other code in them (calls of a decorator's result, names in arguments) belongs to the surrounding code.

mod common;

use m1nd_base::{Cancel, Limits};
use m1nd_lang::facts::{DefId, Role};
use m1nd_lang::{FileFacts, Language, extract};

use crate::common::dump::{expr, path};

/// A file, the decorator references of each definition, and its decorator list: for parameters and parts that are no
/// definitions there are only references.
const CASES: &[(Language, &str, &str, &str)] = &[
    (
        Language::Python,
        "@a\n@b.c(d)\ndef f():\n    @e\n    def g():\n        pass\n\n\n@h\nclass K:\n    @i\n    def m(self): pass\n\n    @i\n    @property\n    def n(self): pass\n\n    @n.setter\n    @j\n    def n(self, x): pass\n\n    @k\n    class L: pass\n",
        "f:a f:b.c f/g:e K:h K/m:i K/n:i K/n:property K/n.setter:j K/L:k",
        "f:a f:b.c(d) f/g:e K:h K/m:i K/n:i K/n:property K/n.setter:n.setter K/n.setter:j K/L:k",
    ),
    (
        Language::TypeScript,
        "@A({ a: class { @Z z() {} } })\nexport class K {\n  @B() b = () => { class Q { @Y y() {} } };\n  @C @D.e(x)\n  m(@E p: number) {}\n  @F get g() { return 1; }\n  @F set g(x) {}\n  @G declare v: string;\n  @H accessor w = 1;\n  constructor(@I() private q: R) {}\n}\n@J class L {}\nconst M = @N class {};\nexport default @O class {}\n",
        "K:A <anonymous>/a/z:Z K/b:B K/b/Q/y:Y K/m:C K/m:D.e K/m:E K/g:F K/g:F K/v:G K/w:H K/constructor:I L:J M:N default:O",
        "<anonymous>/a/z:Z K:A(<object <anonymous>>) K/b:B() K/b/Q/y:Y K/m:C K/m:D.e(x) K/g:F K/g/<anonymous>:F K/v:G K/w:H L:J M:N default:O",
    ),
    (
        Language::JavaScript,
        "@a\nexport class K {\n  @b c = 1;\n  @d.e()\n  m() {}\n  @f static s() {}\n}\n",
        "K:a K/c:b K/m:d.e K/s:f",
        "K:a K/c:b K/m:d.e() K/s:f",
    ),
    (
        Language::Rust,
        "#[derive(A, b::C)]\nstruct S {\n    #[d::e]\n    f: u8,\n}\n#[g::h]\nfn i() {\n    #[j::k]\n    fn l() {}\n}\nimpl S {\n    #[m::n]\n    fn o(#[p::q] r: u8) {}\n}\n#[s::t]\nenum U {\n    #[v::w]\n    X,\n}\n",
        "S:A S:b::C S/f:d::e i:g::h i/l:j::k S/o:m::n U:s::t U/X:v::w",
        "S:A S:b::C S/f:d::e i:g::h i/l:j::k S/o:m::n U:s::t U/X:v::w",
    ),
    (
        Language::Java,
        "@A\nclass K {\n  @B int b, b2;\n  @C(X.class) K(@D int d) {}\n  @E void m(@F int f) { @G int g = 1; }\n  @H Object o = new Object() { @I void i() {} };\n  @J enum L { @M N }\n}\n@O interface P { @Q int q(); }\n@R record S(@T int t) {}\n",
        "K:A K/b:B K/b2:B K/K:C K/K:D K/m:E K/m:F K/m:G K/o:H K/<anonymous>/i:I K/L:J K/L/N:M P:O P/q:Q S:R S/t:T",
        "K:A K/b:B K/b2:B K/K:C K/m:E K/o:H K/<anonymous>/i:I K/L:J K/L/N:M P:O P/q:Q S:R S/t:T",
    ),
    (
        Language::CSharp,
        "[A]\nclass K {\n  [B] int b, b2;\n  [C] K([D] int d) {}\n  [E, E2(1)] void M([F] int f) { }\n  [G] int P { get; set; }\n  [H] event X Y;\n}\n[I] enum L { [J] N }\n[O] interface Q { [R] int S(); }\n[T] record U([V] int W);\n[Z] delegate void ZZ();\n",
        "K:A K/b:B K/b2:B K/K:C K/K:D K/M:E K/M:E2 K/M:F K/P:G K/Y:H L:I L/N:J Q:O Q/S:R U:T U/W:V ZZ:Z",
        "K:A K/b:B K/b2:B K/K:C K/M:E K/M:E2 K/P:G K/Y:H L:I L/N:J Q:O Q/S:R U:T U/W:V ZZ:Z",
    ),
    (
        Language::Kotlin,
        "@A\nclass K(@B val b: Int) {\n  @C val c = 1\n  @D(1) fun m(@E e: Int) {}\n  @F var f: Int = 1\n    @G get() = field\n  @field:H lateinit var h: Any\n}\n@I fun i() {}\n@J val j = 1\n@L object O {}\nenum class P { @Q R }\nclass S @T constructor(t: Int) { @U constructor() : this(1) }\n",
        "K:A K/b:B K/c:C K/m:D K/m:E K/f:F K/f:G K/h:H i:I j:J O:L P/R:Q S:T S/constructor:U",
        "K:A K/b:B K/c:C K/m:D K/f:F K/h:H i:I j:J O:L P/R:Q S/constructor:U",
    ),
    (
        Language::Php,
        "<?php\n#[A]\nclass K {\n  #[B] public int $b = 1;\n  #[C] const D = 1;\n  #[E(1), E2]\n  public function m(#[F] $f) {}\n  public function __construct(#[G] private int $g) {}\n}\n#[H] function h() {}\n#[I] enum J { #[L] case N; }\n",
        "K:A K/b:B K/D:C K/m:E K/m:E2 K/m:F K/g:G h:H J:I J/N:L",
        "K:A K/b:B K/D:C K/m:E K/m:E2 K/g:G h:H J:I J/N:L",
    ),
    (
        Language::Swift,
        "@A\nclass K {\n  @B var b: Int = 1\n  @C func m(@D d: Int) {}\n  @E init() {}\n}\n@F func f() {}\n@G struct S {}\n@H let h = 1\n@I enum J { @L case n }\n",
        "K:A K/b:B K/m:C K/m:D K/init:E f:F S:G h:H J:I J/n:L",
        "K:A K/b:B K/m:C K/init:E f:F S:G h:H J:I J/n:L",
    ),
    (
        Language::Scala,
        "@A\nclass K(@B val b: Int) {\n  @C val c = 1\n  @D def m(@E e: Int) = 1\n  @F var f = 1\n}\n@G object O {\n  @H type T = Int\n}\n@I trait P\n",
        "K:A K/b:B K/c:C K/m:D K/m:E K/f:F O:G O/T:H P:I",
        "K:A K/b:B K/c:C K/m:D K/f:F O:G O/T:H P:I",
    ),
    (Language::Cpp, "[[nodiscard]] int f();\nstruct [[deprecated]] S { [[maybe_unused]] int a; };\n", "", ""),
];

fn list_referred(facts: &FileFacts) -> String {
    let rows = facts.references.iter().filter(|reference| reference.role == Role::Decorate);
    let rows = rows.map(|row| format!("{}:{}", path(facts, row.enclosing), expr(facts, row.expr)));
    rows.collect::<Vec<_>>().join(" ")
}

fn list_decorators(facts: &FileFacts) -> String {
    let ids = (0..facts.definitions.len()).map(|index| DefId(index as u32));
    let rows = ids.flat_map(|id| {
        let list = facts.list(facts.definition(id).decorators).iter();
        list.map(move |&one| format!("{}:{}", path(facts, Some(id)), expr(facts, one)))
    });
    rows.collect::<Vec<_>>().join(" ")
}

#[test]
fn decorators_are_of_what_carries_them() {
    let mut wrong = String::new();
    for (language, source, wanted, list) in CASES {
        let facts = extract(*language, source.as_bytes(), &Limits::default(), &Cancel::default());
        assert_eq!(facts.problems, [], "{language:?}");
        for (what, wanted, found) in
            [("refers", wanted, list_referred(&facts)), ("lists", list, list_decorators(&facts))]
        {
            if *wanted != found {
                wrong += &format!("{language:?} {what}\n  wanted: {wanted}\n  found:  {found}\n");
            }
        }
    }
    assert_eq!(wrong, "");
}
