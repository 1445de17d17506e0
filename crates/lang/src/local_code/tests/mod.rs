use super::*;

struct Nothing;

impl KnownCalls for Nothing {
    fn result_types(&self, _: usize) -> Option<Vec<String>> {
        None
    }
}

/// The new text, or the reason why there is none. The lines are marked by `|` at their ends.
fn extract(language: Language, marked: &str) -> String {
    let rows: Vec<&str> = marked.lines().collect();
    let first = rows.iter().position(|row| row.ends_with('|')).expect("a marked line") as u32 + 1;
    let last = rows.iter().rposition(|row| row.ends_with('|')).expect("a marked line") as u32 + 1;
    let text: String = rows.iter().map(|row| format!("{}\n", row.trim_end_matches('|'))).collect();
    let lines = Lines { first, last, name: "part" };
    match extract_lines(language, &text, lines, &Nothing, (&Limits::default(), &Cancel::new())) {
        None => "no rules".to_owned(),
        Some(Err(obstacle)) => format!("{}: {}", obstacle.line, obstacle.why),
        Some(Ok(Extracted { mut replaced, .. })) => {
            replaced.sort_by_key(|row| std::cmp::Reverse(row.range.start));
            let mut text = text;
            replaced.into_iter().for_each(|row| text.replace_range(row.range, &row.text));
            text
        }
    }
}

/// Code with marked lines, and a part of the new text or of the reason why there is none.
const ROWS: &[(Language, &str, &str)] = &[
    (
        Language::Python,
        "def f(a):\n    if a:|\n        b = 1|\n    else:|\n        b = 2|\n    print(b)|\n    return b\n",
        "    b = part(a)\n",
    ),
    (
        Language::Python,
        "def f(a):\n    for i in a:|\n        print(i)|\n    for i in a:\n        print(i)\n",
        "    part(a)\n    for",
    ),
    (
        Language::Python,
        "def f(a):\n    with a as b:\n        print(b)|\n        b = 2|\n    return b\n",
        "        b = part(b)\n",
    ),
    (
        Language::Python,
        "def f(a):\n    x = [i for i in a]|\n    return x\n",
        "def part(a):\n    x = [i for i in a]\n    return x",
    ),
    (Language::Python, "def f(a):\n    import os\n    print(os.path, a)|\n", "def part(a, os):"),
    (
        Language::Python,
        "def f(a):\n    b = 1\n    def g():\n        return b\n    b = 2|\n    return g()\n",
        "is shared with a function outside",
    ),
    (Language::Python, "def f(a):\n    print(locals())|\n", "`locals` looks at"),
    (Language::Python, "class A:\n    print(1)|\n", "not inside of a function"),
    (
        Language::JavaScript,
        "function f(a) {\n  let b;\n  if (a) {|\n    b = 1;|\n  }|\n  return b;\n}\n",
        "  b = part(a, b);",
    ),
    (Language::JavaScript, "const f = (a) => {\n  let b = 0;\n  b += a;|\n  return b;\n};\n", "  b = part(a, b);"),
    (
        Language::JavaScript,
        "function f(a) {\n  a.forEach((x) => {\n    print(x, a);|\n  });\n}\n",
        "function part(a, x) {\n  print(x, a);\n}",
    ),
    (
        Language::TypeScript,
        "function f(a: string[]) {\n  const n = 5;\n  console.log(n, a);|\n}\n",
        "function part(a: string[], n: 5) {",
    ),
    (
        Language::Go,
        "package p\nfunc f(a []string) int {\n\tx := len(a)|\n\tprintln(x)|\n\treturn x\n}\n",
        "\tx := part(a)\n",
    ),
    (Language::Go, "package p\nfunc f(a T) {\n\ta.n = 1|\n\tprintln(a)\n}\n", "would change a copy"),
    (Language::Go, "package p\nfunc f(a int) {\n\tp := &a|\n\t*p = 2|\n\tprintln(a)\n}\n", "the address of `a`"),
    (
        Language::Rust,
        "fn f(a: &str) {\n    let b = true;\n    println!(\"{b} {a}\");|\n}\n",
        "fn part(a: &str, b: bool) {",
    ),
    (
        Language::Rust,
        "fn f(a: &str) -> u8 {\n    if a.is_empty() {\n        1|\n    } else {\n        2\n    }\n}\n",
        "the value of the block",
    ),
    (Language::Rust, "fn f(a: u8) {\n    unsafe {\n        g(a);|\n    }\n}\n", "`unsafe` block"),
    (Language::Java, "class A {\n  <T> void f(T a) {\n    g(a);|\n  }\n}\n", "private <T> void part(T a) {"),
    (
        Language::Java,
        "class A {\n  final int x;\n  A(int a) {\n    x = a;|\n  }\n}\n",
        "a constructor must give its fields",
    ),
    (Language::Ruby, "def f(a)\n  puts a|\nend\n", "no rules"),
];

#[test]
fn values_that_lines_take_and_give() {
    for (language, marked, expected) in ROWS {
        let found = extract(*language, marked);
        assert!(found.contains(expected), "{marked}\nexpected: {expected}\nfound: {found}");
    }
}
