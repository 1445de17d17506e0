//! One syntax error in one function leaves the facts of the other functions unchanged.

mod common;

use m1nd_base::{Cancel, Limits, ProblemKind};
use m1nd_lang::facts::{DefId, Role};
use m1nd_lang::{FileFacts, Language, extract};

/// A file of three functions; `@` marks the place where the second one is broken.
const CASES: &[(Language, &str, &str)] = &[
    (
        Language::Go,
        "package p\n\nfunc first(a int) int {\n\treturn one(a)\n}\n\nfunc second() {\n\tx := @two()\n}\n\nfunc third(b T) {\n\tb.three(four)\n}\n",
        "= ) =",
    ),
    (
        Language::Java,
        "class A {\n  int first(int a) { return one(a); }\n  void second() { int x = @two(); }\n  void third(T b) { b.three(four); }\n}\n",
        "= = ;",
    ),
    (
        Language::C,
        "int first(int a) {\n  return one(a);\n}\n\nvoid second(void) {\n  int x = @two();\n}\n\nvoid third(T *b) {\n  b->three(four);\n}\n",
        "= =",
    ),
    (
        Language::Cpp,
        "int first(int a) {\n  return one(a);\n}\n\nvoid second() {\n  int x = @two();\n}\n\nvoid third(T &b) {\n  b.three(four);\n}\n",
        "= =",
    ),
    (
        Language::CSharp,
        "class A {\n  int first(int a) { return one(a); }\n  void second() { int x = @two(); }\n  void third(T b) { b.three(four); }\n}\n",
        "= =",
    ),
    (
        Language::Kotlin,
        "fun first(a: Int): Int {\n    return one(a)\n}\n\nfun second() {\n    val x = @two()\n}\n\nfun third(b: T) {\n    b.three(four)\n}\n",
        "= =",
    ),
    (
        Language::Ruby,
        "def first(a)\n  one(a)\nend\n\ndef second\n  x = @two()\nend\n\ndef third(b)\n  b.three(four)\nend\n",
        "= =",
    ),
    (
        Language::Php,
        "<?php\nfunction first(int $a): int {\n  return one($a);\n}\n\nfunction second() {\n  $x = @two();\n}\n\nfunction third(T $b) {\n  $b->three(four);\n}\n",
        "= =",
    ),
    (
        Language::Swift,
        "func first(a: Int) -> Int {\n    return one(a)\n}\n\nfunc second() {\n    let x = @two()\n}\n\nfunc third(b: T) {\n    b.three(four)\n}\n",
        "] )",
    ),
    (
        Language::Scala,
        "object A {\n  def first(a: Int): Int = {\n    one(a)\n  }\n\n  def second(): Unit = {\n    val x = @two()\n  }\n\n  def third(b: T): Unit = {\n    b.three(four)\n  }\n}\n",
        "= =",
    ),
    (Language::Bash, "first() {\n  one \"$1\"\n}\n\nsecond() {\n  x=$(@two)\n}\n\nthird() {\n  three four\n}\n", "; ;"),
    (
        Language::Lua,
        "function first(a)\n  return one(a)\nend\n\nfunction second()\n  local x = @two()\nend\n\nfunction third(b)\n  b.three(four)\nend\n",
        "= =",
    ),
    (
        Language::Python,
        "def first(a: int) -> int:\n    return one(a)\n\n\ndef second():\n    x = @two()\n\n\ndef third(b: T):\n    b.three(four)\n",
        "= =",
    ),
    (
        Language::JavaScript,
        "function first(a) {\n  return one(a);\n}\n\nfunction second() {\n  const x = @two();\n}\n\nfunction third(b) {\n  b.three(four);\n}\n",
        "= =",
    ),
    (
        Language::TypeScript,
        "function first(a: number): number {\n  return one(a);\n}\n\nfunction second() {\n  const x = @two();\n}\n\nfunction third(b: T) {\n  b.three(four);\n}\n",
        "= =",
    ),
    (
        Language::Rust,
        "fn first(a: u8) -> u8 {\n    one(a)\n}\n\nfn second() {\n    let x = @two();\n}\n\nfn third(b: T) {\n    b.three(four);\n}\n",
        "= =",
    ),
];

/// Facts about a function: its line, header, number of parameters, and references with positions.
fn of(facts: &FileFacts, name: &str) -> Vec<String> {
    let Some(index) = facts.definitions.iter().position(|definition| facts.name(definition.name) == name) else {
        return vec![format!("no definition {name}")];
    };
    let id = DefId(index as u32);
    let definition = facts.definition(id);
    let mut known = vec![format!(
        "{:?} {}-{} {:?} {:?} {}",
        definition.kind,
        definition.line_start,
        definition.line_end,
        definition.signature,
        definition.visibility,
        facts.parameters(id).len()
    )];
    let inside = facts.references.iter().filter(|reference| reference.enclosing == Some(id));
    known.extend(inside.map(|reference| format!("{:?} at {:?}", reference.role, reference.pos)));
    known
}

#[test]
fn other_functions_keep_their_facts() {
    for &(language, text, broken) in CASES {
        let extract = |text: String| extract(language, text.as_bytes(), &Limits::default(), &Cancel::default());
        let whole = extract(text.replace('@', ""));
        let damaged = extract(text.replace('@', broken));
        let name = language.name();
        assert_eq!(whole.problems, Vec::new(), "{name}");
        assert!(
            damaged.problems.iter().any(|problem| problem.kind == ProblemKind::SyntaxErrors),
            "{name}: the damage is not reported"
        );
        for function in ["first", "third"] {
            let (before, after) = (of(&whole, function), of(&damaged, function));
            assert!(before.len() > 1 && before.iter().any(|it| it.starts_with(&format!("{:?}", Role::Call))), "{name}");
            assert_eq!(before, after, "{name}: {function}");
        }
    }
}

#[test]
fn words_of_statements_define_nothing_where_code_is_not_understood() {
    let cases: &[(Language, &str)] = &[
        (
            Language::Cpp,
            "struct A {\n  BROKEN(A, &)\n  BROKEN(A, ==)\n  else if (a == b)\n  for (int i = 1) {}\n  int f() { return 1; }\n};\n",
        ),
        (Language::Cpp, "int f() const noexcept(noexcept(g(h))) { switch (x) }\n else if (compares(lhs, rhs)) {} \n"),
        (Language::C, "int f(int x) }\nelse if (x) {\n  return 1;\n}\nfor (i) { g(); }\nint h(void) {}\n"),
    ];
    for (language, text) in cases {
        let facts = extract(*language, text.as_bytes(), &Limits::default(), &Cancel::new());
        let names: Vec<&str> = facts.definitions.iter().map(|definition| facts.name(definition.name)).collect();
        assert!(names.contains(&"f") || names.contains(&"h"), "{text}: {names:?}");
        for word in ["if", "for", "switch", "noexcept"] {
            assert!(!names.contains(&word), "{text}: {names:?}");
        }
    }
}
