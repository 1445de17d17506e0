use super::*;

fn show_parameters(language: Language, text: &str) -> String {
    let file = Signatures::parse(language, text, &Limits::default(), &Cancel::new()).expect("has rules");
    let Some(list) = file.parameters_at(text.find("fn_").expect("has the name")) else { return "none".to_owned() };
    let cut = |(start, end): ByteRange| &text[start..end];
    let row = |item: &ParameterPlace| {
        let form = match item.form {
            ParameterForm::Plain => "",
            ParameterForm::Receiver => "receiver ",
            ParameterForm::Keyword => "keyword ",
            ParameterForm::Rest => "rest ",
            ParameterForm::KeywordRest => "keywords ",
            ParameterForm::PositionalEnd | ParameterForm::KeywordStart => "mark ",
        };
        let default = item.default.map_or(String::new(), |range| format!("={}", cut(range)));
        let optional = if item.is_optional && item.default.is_none() { "?" } else { "" };
        format!("{form}{}{optional}{default}", item.name.map_or("-", cut))
    };
    list.items.iter().map(row).collect::<Vec<_>>().join(", ")
}

#[test]
fn parameters_by_language() {
    use Language as L;
    let rows = [
        (
            L::Python,
            "def fn_(self, a, b: int = 1, /, *c, d, **e): pass",
            "self, a, b=1, mark -, rest c, keyword d, keywords e",
        ),
        (L::Python, "def fn_(a, *, b=2): pass", "a, mark -, keyword b=2"),
        (L::TypeScript, "function fn_(a: T, b?: U, c = 1, ...d: V[]) {}", "a, b?, c=1, rest d"),
        (L::TypeScript, "const fn_ = async (a: T, { b }: U) => a;", "a, -"),
        (L::TypeScript, "interface I { fn_(this: T, a: U): V }", "receiver -, a"),
        (L::JavaScript, "const o = { fn_(a, b = 2) {} }", "a, b=2"),
        (L::JavaScript, "const fn_ = a => a", "a"),
        (L::Go, "package p\nfunc (s *S) fn_(a, b int, c ...T) {}", "a, b, rest c"),
        (L::Go, "package p\ntype I interface { fn_(a int) error }", "a"),
        (L::Rust, "trait T { fn fn_(&self, mut a: &str, (b, c): (u8, u8)); }", "receiver -, a, -"),
        (L::Java, "class A { int fn_(final int a, String... b) { return a; } }", "a, rest b"),
        (L::C, "int fn_(void);", ""),
        (L::Cpp, "static T *A::fn_(const X &a, int *b, int c[3], int d = 4) const {}", "a, b, c, d=4"),
        (L::Cpp, "struct A { void fn_(int, char x); };", "-, x"),
    ];
    for (language, text, expected) in rows {
        assert_eq!(show_parameters(language, text), expected, "{text}");
    }
}

#[test]
fn sites_by_language() {
    use Language as L;
    let rows = [
        (L::Python, "fn_(1, *a, k=g(), **d)", "1, spread *a, key k=g()!, map **d"),
        (L::Python, "a.b.fn_(1)", "1 of b"),
        (L::Python, "fn_(x for x in y)", "(x for x in y)"),
        (L::Python, "map(fn_, x)", "value"),
        (L::Python, "fn_.x()", "base"),
        (L::Python, "isinstance(x, (fn_, y))", "type"),
        (L::TypeScript, "new a.fn_<T>(1)", "1 of a"),
        (L::TypeScript, "new fn_", ""),
        (L::TypeScript, "fn_?.(1, ...a)", "1, spread ...a"),
        (L::TypeScript, "fn_`x`", "unmapped"),
        (L::TypeScript, "x.map(fn_)", "value"),
        (L::JavaScript, "module.exports = { fn_ }", "export"),
        (L::JavaScript, "exports.a = module.exports = fn_", "export"),
        (L::Go, "package p\nvar x = a.fn_(1, b...)", "1, spread b... of a"),
        (L::Rust, "fn f() { S::fn_::<T>(&s, g(1)); }", "&s, g(1)! of S by path"),
        (L::Rust, "fn f() { assert_eq!(s.fn_(1, 2), 3); }", "1, 2 of s"),
        (L::Rust, "fn f() { assert!(fn_(|a, b| a)); }", "unmapped"),
        (L::Java, "class A { int x = a.b.fn_(1, new B()); }", "1, new B()! of b"),
        (L::Java, "class A { A x = new fn_<>(1) { }; }", "1"),
        (L::Cpp, "fn_ p(1, 2);", "1, 2"),
        (L::Cpp, "int x = a->fn_<T>(1);", "1 of a"),
        (L::Cpp, "A::A() : fn_(1, 2) {}", "1, 2"),
        (L::C, "int x = g(&fn_);", "value"),
    ];
    for (language, text, expected) in rows {
        let file = Signatures::parse(language, text, &Limits::default(), &Cancel::new()).expect("has rules");
        let shown = match file.site_at(text.find("fn_").expect("has the name")) {
            None => "none".to_owned(),
            Some(Site::Unmapped) => "unmapped".to_owned(),
            Some(Site::Base) => "base".to_owned(),
            Some(Site::Export) => "export".to_owned(),
            Some(Site::TypeTest) => "type".to_owned(),
            Some(Site::Value) => "value".to_owned(),
            Some(Site::Call(call)) => {
                let row = |argument: &ArgumentPlace| {
                    let form = match argument.form {
                        ArgumentForm::Positional => "",
                        ArgumentForm::Keyword(_) => "key ",
                        ArgumentForm::Spread => "spread ",
                        ArgumentForm::KeywordSpread => "map ",
                    };
                    let effects = if argument.has_effects { "!" } else { "" };
                    format!("{form}{}{effects}", &text[argument.range.0..argument.range.1])
                };
                let word = |at: usize| text[at..].split(|c: char| !c.is_alphanumeric()).next().expect("a word");
                let base = call.base.map_or(String::new(), |at| format!(" of {}", word(at)));
                let rows = call.arguments.iter().map(row).collect::<Vec<_>>().join(", ");
                format!("{rows}{base}{}", if call.is_path { " by path" } else { "" })
            }
        };
        assert_eq!(shown, expected, "{text}");
    }
}

#[test]
fn uses_of_a_parameter() {
    use Language as L;
    // The name is `x`.
    let rows = [
        (L::Python, "def f(x):\n  return g(x=x).x + 'x'  # x\n", 2),
        (L::TypeScript, "function f(x) { return { x, y: x, x: 1, z: a.x }; }", 3),
        (L::Rust, "fn f(x: u8) { S { x: 1 }; S { x }; println!(\"{x} {x:?} x\", s.x); }", 4),
        (L::Go, "package p\nfunc f(x int) { _ = T{x: x}; _ = map[int]int{x: 1} }", 3),
        (L::Java, "class A { int f(int x) { x(); return this.x + x; } }", 2),
    ];
    for (language, text, expected) in rows {
        let file = Signatures::parse(language, text, &Limits::default(), &Cancel::new()).expect("has rules");
        assert_eq!(file.uses_of((0, text.len()), "x").len(), expected, "{text}");
    }
}

#[test]
fn uses_of_a_parameter_that_others_hide() {
    use Language as L;
    // The name is `x`, the function `fn_`; `#` stands before each use of the parameter.
    let rows = [
        (L::Python, "def fn_(x):\n  #x = #x\n  return [x for x in y], lambda x: x, #x\n".to_owned()),
        (L::Python, "def fn_(x):\n  def g(x): return x\n  for #x in y: pass\n  return #x\n".to_owned()),
        (L::Rust, "fn fn_(x: u8) { a(|x| x); let y = #x; let x = #x + 1; x; }".to_owned()),
        (L::Rust, "fn fn_(x: u8) { if let Some(x) = y { x } else { #x } }".to_owned()),
        (L::TypeScript, "function fn_(x: T) { a((x: U) => x); { const x = 1; x; } return #x; }".to_owned()),
        (L::TypeScript, "const fn_ = (x: T) => { for (const x of y) { x; } return { a: #x }; }".to_owned()),
        (L::Go, "package p\nfunc fn_(x int) { #x, err := g(#x); if x := 1; x > 0 { x++ }; #x++ }".to_owned()),
        (L::Java, "class A { int fn_(int x) { a((y) -> #x); return #x; } }".to_owned()),
        (L::Cpp, "int fn_(int x) { auto f = [](int x) { return x; }; return #x; }".to_owned()),
    ];
    for (language, marked) in rows {
        let text = marked.replace('#', "");
        let marks = marked.match_indices('#').enumerate().map(|(index, (at, _))| at - index);
        let expected: Vec<usize> = marks.collect();
        let file = Signatures::parse(language, &text, &Limits::default(), &Cancel::new()).expect("has rules");
        let list = file.parameters_at(text.find("fn_").expect("has the name")).expect("has parameters");
        let own = list.items[0].name.map(|range| range.0);
        let found = file.uses_of_parameter(list.function, "x", own);
        assert_eq!(found.iter().map(|found| found.start).collect::<Vec<_>>(), expected, "{marked}");
    }
}
