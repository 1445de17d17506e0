//! Facts of small scripts.

use m1nd_base::{Cancel, Limits};

use crate::facts::{BindingTarget, DefId, Expr, ExprId, FileFacts, ImportKind, Literal, Namespace};
use crate::{Language, extract};

fn facts(language: Language, text: &str) -> FileFacts {
    extract(language, text.as_bytes(), &Limits::default(), &Cancel::default())
}

fn ts(text: &str) -> FileFacts {
    facts(Language::TypeScript, text)
}

fn js(text: &str) -> FileFacts {
    facts(Language::JavaScript, text)
}

/// Words of the owners and the name: `class::A::fn::m`.
fn id(facts: &FileFacts, id: DefId) -> String {
    let mut parts = Vec::new();
    let mut next = Some(id);
    while let Some(id) = next {
        let definition = facts.definition(id);
        if !definition.flags.is_anonymous {
            parts.push(format!("{}::{}", definition.kind.word(), facts.name(definition.name)));
        }
        next = definition.owner;
    }
    parts.reverse();
    parts.join("::")
}

fn definitions(facts: &FileFacts) -> Vec<String> {
    let all = (0..facts.definitions.len()).map(|index| DefId(index as u32));
    all.filter(|&def| !facts.definition(def).flags.is_anonymous).map(|def| id(facts, def)).collect()
}

/// An expression in short: names as written, `()` for calls.
fn show(facts: &FileFacts, expr: ExprId) -> String {
    let list = |items| {
        let items: Vec<String> = facts.list(items).iter().map(|&item| show(facts, item)).collect();
        items.join(", ")
    };
    match facts.expr(expr) {
        Expr::Name { name, .. } => facts.name(name).to_owned(),
        Expr::Member { base, name } => format!("{}.{}", show(facts, base), facts.name(name)),
        Expr::Call { callee, args } => format!("{}({})", show(facts, callee), list(args)),
        Expr::Index { base } => format!("{}[]", show(facts, base)),
        Expr::Item { base, index } => format!("{}[{index}]", show(facts, base)),
        Expr::Element { base } => format!("each {}", show(facts, base)),
        Expr::Unwrap { base } => format!("await {}", show(facts, base)),
        Expr::Instance { of } => format!("a {}", show(facts, of)),
        Expr::Definition(def) => format!("<{}>", id(facts, def)),
        Expr::Import(import) => format!("import {}", facts.name(facts.imports[import.index()].module)),
        Expr::This { .. } => "this".to_owned(),
        Expr::SelfType { .. } => "Self".to_owned(),
        Expr::Super { .. } => "super".to_owned(),
        Expr::Literal(Literal::Str) => "str".to_owned(),
        Expr::Literal(_) => "literal".to_owned(),
        Expr::Collection { items, .. } => format!("[{}]", list(items)),
        Expr::Union(items) => format!("({})", list(items).replace(", ", " | ")),
        Expr::Generic { base, args } => format!("{}<{}>", show(facts, base), list(args)),
        Expr::Function { result } => format!("=> {}", show(facts, result)),
        Expr::Signature { parameters, result } => format!("({}) => {}", list(parameters), show(facts, result)),
        Expr::Given { by, parameter } => format!("given {parameter} by {}", show(facts, by)),
        Expr::Unknown => "?".to_owned(),
        other => format!("{other:?}"),
    }
}

/// `line:column role path` and the definition around, if any.
fn references(facts: &FileFacts) -> Vec<String> {
    let show = |reference: &crate::facts::Reference| {
        let role = format!("{:?}", reference.role).to_lowercase();
        let around = reference.enclosing.map_or_else(String::new, |def| format!(" in {}", id(facts, def)));
        let path = show(facts, reference.expr);
        format!("{}:{} {role} {path}{around}", reference.pos.line, reference.pos.col)
    };
    facts.references.iter().map(show).collect()
}

fn imports(facts: &FileFacts) -> Vec<String> {
    let show = |import: &crate::facts::Import| {
        let what = match import.kind {
            ImportKind::Symbol(name) => facts.name(name).to_owned(),
            other => format!("{other:?}").to_lowercase(),
        };
        let mut flags = String::new();
        for (set, word) in [
            (import.flags.reexport, " reexport"),
            (import.flags.type_only, " type"),
            (import.flags.commonjs, " commonjs"),
            (import.flags.conditional, " conditional"),
        ] {
            flags.push_str(if set { word } else { "" });
        }
        format!("{what} of {}{flags}", facts.name(import.module))
    };
    facts.imports.iter().map(show).collect()
}

fn exports(facts: &FileFacts) -> Vec<String> {
    facts.exports.iter().map(|export| format!("{} = {}", facts.name(export.name), show(facts, export.value))).collect()
}

/// Targets of the local names: `name = value`.
fn locals(facts: &FileFacts) -> Vec<String> {
    let value = |target: BindingTarget| match target {
        BindingTarget::Value(value) => Some(show(facts, value)),
        BindingTarget::Typed(of) => Some(format!("a {}", show(facts, of))),
        BindingTarget::Opaque => Some("?".to_owned()),
        _ => None,
    };
    let bindings = facts.bindings.iter().filter(|binding| binding.namespace == Namespace::Value);
    bindings
        .filter_map(|binding| value(binding.target).map(|value| format!("{} = {value}", facts.name(binding.name))))
        .collect()
}

fn values(facts: &FileFacts, name: &str) -> Vec<String> {
    let definition = facts.definitions.iter().find(|definition| facts.name(definition.name) == name);
    let definition = definition.expect("the definition is there");
    facts.list(definition.values).iter().map(|&value| show(facts, value)).collect()
}

fn show_declared(facts: &FileFacts, name: &str) -> Option<String> {
    let definition = facts.definitions.iter().find(|definition| facts.name(definition.name) == name);
    definition.and_then(|definition| definition.declared).map(|declared| show(facts, declared))
}

#[test]
fn functions_of_every_form() {
    let facts =
        js("function a() {}\nconst b = () => 1;\nlet c = async function* cc() { yield d(); };\nvar { e } = f;\n\
         const g = { h() {}, i: () => {}, j: { k: function () {} }, l: 5 };\nclass M { n = () => {}; o() {} }\n");
    assert_eq!(
        definitions(&facts),
        [
            "fn::a", "fn::b", "fn::c", "const::e", "object::g", "object::g::fn::h", "object::g::fn::i",
            "object::g::object::j", "object::g::object::j::fn::k", "object::g::field::l", "class::M",
            "class::M::fn::n", "class::M::fn::o",
        ]
    );
    let c = facts.definitions.iter().find(|definition| facts.name(definition.name) == "c").expect("c");
    assert!(c.flags.is_async && c.flags.is_generator);
    assert_eq!(values(&facts, "c"), ["d()"]);
    assert_eq!(values(&facts, "e"), ["f.e"]);
}

#[test]
fn uses_of_names_and_members() {
    let facts = js(
        "import { a } from './a';\nfunction f(p) {\n  const l = p.q;\n  a.b(l).c = p;\n  new a.D(...p);\n  return g();\n}\n\
         function g() {}\n",
    );
    assert_eq!(
        references(&facts),
        [
            "3:15 read p.q in fn::f", "4:3 read a in fn::f", "4:5 call a.b in fn::f", "4:10 write a.b(l).c in fn::f",
            "5:7 read a in fn::f", "5:9 call a.D in fn::f", "6:10 call g in fn::f",
        ]
    );
}

#[test]
fn columns_count_characters() {
    let facts = js("const ü = 'äöü'; foo(ü); bar();\n");
    assert_eq!(references(&facts), ["1:18 call foo", "1:22 read ü", "1:26 call bar"]);
}

#[test]
fn var_is_hoisted_and_let_is_not() {
    let facts = js("if (x) { var a = 1; let b = 2; function c() {} }\nfunction f() { g(v); { var v = h(); } }\n");
    assert_eq!(definitions(&facts), ["var::a", "fn::c", "fn::f"]);
    assert_eq!(locals(&facts), ["b = literal", "v = h()"]);
    assert!(!references(&facts).iter().any(|reference| reference.contains("read v")));
}

#[test]
fn classes_and_their_members() {
    let facts = ts(
        "abstract class A<T extends B> extends ns.Base<T> implements I, J {\n  static #count = 0;\n  x: Map<string, T> = new Map();\n\
           constructor(private readonly db: Db, name: string) { super(db); this.x = make(); }\n\
           get size(): number { return 1; }\n  set size(v: number) {}\n  abstract run(a: A<T>): Promise<void>;\n}\n",
    );
    assert_eq!(
        definitions(&facts),
        [
            "class::A", "class::A::field::#count", "class::A::field::x", "class::A::fn::constructor",
            "class::A::field::db", "class::A::fn::size", "class::A::fn::run",
        ]
    );
    let class = &facts.definitions[0];
    assert_eq!(facts.list(class.bases).iter().map(|&base| show(&facts, base)).collect::<Vec<_>>(), ["ns.Base<T>"]);
    assert_eq!(facts.list(class.implements).iter().map(|&base| show(&facts, base)).collect::<Vec<_>>(), ["I", "J"]);
    assert_eq!(facts.type_parameters(DefId(0)).len(), 1);
    assert_eq!(show_declared(&facts, "db").as_deref(), Some("Db"));
    let size = facts.definitions.iter().find(|definition| facts.name(definition.name) == "size").expect("size");
    assert!(size.flags.is_property);
    let roles: Vec<String> = references(&facts).into_iter().take(5).collect();
    assert_eq!(
        roles,
        [
            "1:28 type B in class::A", "1:39 read ns in class::A", "1:42 inherit ns.Base in class::A",
            "1:61 implement I in class::A", "1:64 implement J in class::A"
        ]
    );
}

#[test]
fn overloads_are_one_function() {
    let facts = ts("function f(a: string): A;\nfunction f(a: number): B;\nfunction f(a: any): any { return a; }\n");
    assert_eq!(definitions(&facts), ["fn::f"]);
    assert_eq!(show_declared(&facts, "f").as_deref(), Some("(A | B)"));
    assert_eq!((facts.definitions[0].line_start, facts.definitions[0].flags.is_declaration), (3, false));
}

#[test]
fn types_are_expressions() {
    let facts = ts("let a: A | B.C[] | null;\nlet b: Promise<Readonly<D>>;\nlet c: (x: E) => F;\nlet d: typeof a;\n\
         type G = { h: I } & J;\ninterface K { l(m: N): this; o?: string }\n");
    assert_eq!(show_declared(&facts, "a").as_deref(), Some("(A | Array<B.C> | literal)"));
    assert_eq!(show_declared(&facts, "b").as_deref(), Some("Promise<D>"));
    assert_eq!(show_declared(&facts, "c").as_deref(), Some("(E) => F"));
    assert_eq!(values(&facts, "d"), ["a"]);
    assert_eq!(show_declared(&facts, "l").as_deref(), Some("Self"));
    assert!(definitions(&facts).contains(&"interface::K::fn::l".to_owned()));
    assert!(!references(&facts).iter().any(|reference| reference.contains(" x")), "parameters of types are no uses");
}

#[test]
fn imports_of_every_form() {
    let facts = ts(
        "import d, * as ns from './a';\nimport { b, default as c, type T } from './b';\nimport type { U } from './u';\n\
         import './side';\nimport q = require('./q');\nexport * from './x';\nexport * as y from './y';\n\
         export { e as f, default as g } from './z';\nconst r = require('./r');\nconst { s, t: tt } = require('./s');\n\
         const u = require('./u').v;\nfunction w() { return import('./w'); }\n",
    );
    assert_eq!(
        imports(&facts),
        [
            "default of ./a", "module of ./a", "b of ./b", "default of ./b", "T of ./b type", "U of ./u type",
            "sideeffect of ./side", "module of ./q commonjs", "wildcard of ./x reexport", "module of ./y reexport",
            "e of ./z reexport", "default of ./z reexport", "module of ./r commonjs", "s of ./s commonjs",
            "t of ./s commonjs", "v of ./u commonjs", "module of ./w conditional",
        ]
    );
    assert_eq!(exports(&facts), ["y = import ./y", "f = import ./z", "g = import ./z"]);
}

#[test]
fn exports_of_every_form() {
    let facts =
        ts("export function a() {}\nexport const b = 1, { c } = d;\nexport class E {}\nexport interface F {}\n\
         export default class G {}\nconst h = 1;\nexport { h, h as i };\nexport type J = E;\nexport enum K { L }\n");
    assert_eq!(
        exports(&facts),
        [
            "a = <fn::a>", "b = <const::b>", "c = <const::c>", "E = <class::E>", "F = <interface::F>",
            "default = <class::G>", "h = <const::h>", "i = <const::h>", "J = <type::J>", "K = <enum::K>",
        ]
    );
    assert_eq!(exports(&js("export default () => 1;\n")), ["default = <fn::default>"]);
    assert_eq!(exports(&js("export default { a() {} };\n")), ["default = <object::default>"]);
}

#[test]
fn commonjs_exports() {
    let facts = js(
        "var app = exports = module.exports = {};\napp.init = function init() { this.run(); };\napp.run = () => {};\n\
         exports.helper = function () {};\nexports.limit = 5;\nexports.x = require('./x');\n",
    );
    assert_eq!(
        definitions(&facts),
        ["object::app", "object::app::fn::init", "object::app::fn::run", "fn::helper", "var::limit"]
    );
    assert_eq!(
        exports(&facts),
        ["export= = <object::app>", "helper = <fn::helper>", "limit = <var::limit>", "x = import ./x"]
    );
    assert_eq!(imports(&facts), ["module of ./x reexport commonjs"]);
    assert!(references(&facts).contains(&"2:35 call this.run in object::app::fn::init".to_owned()));
}

#[test]
fn old_style_classes() {
    let facts = js("function Foo(a) { this.a = a; }\nFoo.prototype.bar = function () { return this.a; };\n\
         Foo.create = function () { return new Foo(1); };\nutil.inherits(Foo, Base);\nvar Baz = function () {};\n\
         Baz.prototype = { qux: function () {} };\nBaz.prototype.__proto__ = Foo.prototype;\n");
    assert_eq!(
        definitions(&facts),
        [
            "class::Foo", "class::Foo::field::a", "class::Foo::fn::bar", "class::Foo::fn::create", "class::Baz",
            "class::Baz::fn::qux",
        ]
    );
    assert_eq!(facts.list(facts.definitions[0].bases).len(), 1);
    assert!(references(&facts).contains(&"2:47 read this.a in class::Foo::fn::bar".to_owned()));
}

#[test]
fn members_written_from_outside() {
    let facts = js("function f() {}\nf.helper = function () {};\nlib.other.thing = 1;\n");
    let writes: Vec<String> = facts
        .member_writes
        .iter()
        .map(|write| format!("{}.{} = {}", show(&facts, write.base), facts.name(write.name), show(&facts, write.value)))
        .collect();
    assert_eq!(writes, ["f.helper = <fn::helper>", "lib.other.thing = literal"]);
}

#[test]
fn destructuring() {
    let facts = js(
        "function f(o) {\n  const { a, b: [c, , d = 1], ...rest } = o;\n  for (const [k, v] of pairs()) {}\n  let e;\n  [e] = o;\n}\n",
    );
    assert_eq!(
        locals(&facts),
        [
            "a = o.a", "c = o.b[0]", "d = (o.b[2] | literal)", "rest = o", "k = each pairs()[0]",
            "v = each pairs()[1]", "e = o[0]",
        ]
    );
}

#[test]
fn values_that_may_be_several() {
    let facts = js("const a = b ? c() : d, e = f || g, h = i && j, k = await l(), m = n?.o, p = q!== r;\n");
    assert_eq!(values(&facts, "a"), ["(c() | d)"]);
    assert_eq!(values(&facts, "e"), ["(f | g)"]);
    assert_eq!(values(&facts, "h"), ["j"]);
    assert_eq!(values(&facts, "k"), ["await l()"]);
    assert_eq!(values(&facts, "m"), ["n.o"]);
    assert_eq!(values(&facts, "p"), ["literal"]);
}

#[test]
fn this_belongs_to_the_method() {
    let facts = js(
        "class A {\n  m() {\n    [].map(() => this.a);\n    [].map(function () { return this.b; });\n    const o = { f: () => this.c };\n  }\n}\n",
    );
    let found: Vec<String> = references(&facts).into_iter().filter(|reference| !reference.contains("map")).collect();
    assert_eq!(
        found,
        [
            "3:23 read this.a in class::A::fn::m",
            "4:38 read ?.b in class::A::fn::m",
            "5:31 read this.c in class::A::fn::m::object::o::fn::f"
        ]
    );
}

#[test]
fn jsx_elements_use_components() {
    let facts = facts(Language::Tsx, "const a = <Foo.Bar x={b}><div><Baz/></div></Foo.Bar>;\n");
    assert_eq!(references(&facts), ["1:12 read Foo", "1:16 call Foo.Bar", "1:23 read b", "1:32 call Baz"]);
}

#[test]
fn decorators() {
    let facts = ts("@Comp({ a })\nexport class A {\n  @Input() b = 1;\n  @Hook\n  c(@Inject(D) d: D) {}\n}\n");
    let found: Vec<String> =
        references(&facts).into_iter().filter(|reference| reference.contains("decorate")).collect();
    assert_eq!(
        found,
        [
            "1:2 decorate Comp in class::A",
            "3:4 decorate Input in class::A::field::b",
            "4:4 decorate Hook in class::A::fn::c",
            "5:6 decorate Inject in class::A::fn::c"
        ]
    );
    let decorated: Vec<usize> = ["A", "b", "c"]
        .iter()
        .map(|name| {
            let definition = facts.definitions.iter().find(|definition| facts.name(definition.name) == *name);
            facts.list(definition.expect("defined").decorators).len()
        })
        .collect();
    assert_eq!(decorated, [1, 1, 1]);
}

#[test]
fn namespaces_and_enums() {
    let facts = ts(
        "namespace A.B {\n  export function c() { return d(); }\n  function d() {}\n}\nexport enum E { F = 1, G }\ndeclare module 'm' { export const z: number; }\n",
    );
    assert_eq!(
        definitions(&facts),
        [
            "mod::A", "mod::A::mod::B", "mod::A::mod::B::fn::c", "mod::A::mod::B::fn::d", "enum::E",
            "enum::E::variant::F", "enum::E::variant::G", "mod::m", "mod::m::const::z",
        ]
    );
    assert_eq!(exports(&facts), ["E = <enum::E>"]);
}

#[test]
fn comments_are_docs_and_types() {
    let facts = js(
        "/*! The file. */\n\n/**\n * Loads.\n * @param {Pool} pool the pool\n * @returns {Promise<Row[]>}\n */\nexport async function load(pool) {}\n\n\
         /** @type {Store} */\nconst store = make();\n",
    );
    assert_eq!(facts.doc.as_deref(), Some("The file."));
    assert!(facts.definitions[0].doc.as_deref().is_some_and(|doc| doc.starts_with("Loads.")));
    assert_eq!(show_declared(&facts, "load").as_deref(), Some("Promise<Array<Row>>"));
    assert_eq!(facts.parameters(DefId(0))[0].declared.map(|of| show(&facts, of)).as_deref(), Some("Pool"));
    assert_eq!(show_declared(&facts, "store").as_deref(), Some("Store"));
}

#[test]
fn tests_are_known_by_their_calls() {
    assert!(js("describe('x', () => { it('does', function () {}); });\n").is_test);
    assert!(!js("it.skip = 1; test(a, b);\n").is_test);
}

#[test]
fn tests_are_named_by_their_titles() {
    let facts = js(
        "describe('Pool::of', () => {\n  const make = () => new Pool();\n  beforeEach(() => { make(); });\n  \
         it.only(`grows  twice`, async function () { make(); }, 500);\n  it.each([1, 2])('takes \"%i\"', (n) => {});\n  \
         it(title + 1, { timeout: 1 }, () => {});\n});\nDeno.test('runs', () => {});\nQUnit.module('m', () => {});\n\
         compare('a', () => {});\n",
    );
    assert_eq!(
        definitions(&facts),
        [
            "fn::describe Pool:of",
            "fn::describe Pool:of::fn::make",
            "fn::describe Pool:of::fn::it grows twice",
            "fn::describe Pool:of::fn::it takes \"%i\"",
            "fn::describe Pool:of::fn::it title + 1",
            "fn::test runs",
        ]
    );
    let tests = facts.definitions.iter().filter(|definition| definition.flags.is_test);
    assert_eq!(tests.map(|definition| definition.line_start).collect::<Vec<_>>(), [4, 5, 6, 8]);
}

#[test]
fn component_scripts_keep_their_positions() {
    let text = "<template>\n  <p>{{ x }}</p>\n</template>\n<script setup lang=\"ts\">\nimport { a } from './a';\nconst b: B = a();\n</script>\n<style>p {}</style>\n";
    let facts = facts(Language::Vue, text);
    assert_eq!(references(&facts), ["2:9 read x", "6:10 type B", "6:14 call a"]);
    assert!(facts.problems.is_empty(), "{:?}", facts.problems);
    assert_eq!(facts.lines, 8);
}

#[test]
fn markup_that_is_not_code_is_a_problem_at_its_place() {
    let text = "<script>\nfunction f() {}\n</script>\n<p>{f(}</p>\n<p>{f()}</p>\n";
    let facts = facts(Language::Svelte, text);
    let lines: Vec<u32> = facts.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [4]);
    assert!(references(&facts).contains(&"5:5 call f".to_owned()), "{:?}", references(&facts));
}

#[test]
fn a_remark_behind_code_is_no_doc() {
    let facts =
        ts("a(); // about a\nfunction f() {}\n// about g\nfunction g() {}\n/** about h */\n\n\nfunction h() {}\n");
    let docs: Vec<Option<&str>> = facts.definitions.iter().map(|definition| definition.doc.as_deref()).collect();
    assert_eq!(docs, [None, Some("about g"), None]);
}
