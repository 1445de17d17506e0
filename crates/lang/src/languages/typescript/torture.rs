//! Hostile and broken input: nothing may overflow the stack, panic or run forever.

use m1nd_base::{Cancel, Limits};

use crate::facts::FileFacts;
use crate::{Language, extract};

const LANGUAGES: [Language; 6] =
    [Language::JavaScript, Language::TypeScript, Language::Tsx, Language::Vue, Language::Svelte, Language::Astro];

/// Stack that an extraction must do with.
const STACK: usize = 512 << 10;

fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread starts");
    thread.join().expect("the extraction ends by itself");
}

fn facts(language: Language, text: &str) -> FileFacts {
    let text = match language {
        Language::Vue | Language::Svelte | Language::Astro => format!("<script lang=\"ts\">\n{text}\n</script>\n"),
        _ => text.to_owned(),
    };
    let facts = extract(language, text.as_bytes(), &Limits::default(), &Cancel::default());
    check(&facts);
    facts
}

/// Everything points backwards or to itself, as the vocabulary promises.
fn check(facts: &FileFacts) {
    for (index, definition) in facts.definitions.iter().enumerate() {
        assert!(definition.owner.is_none_or(|owner| owner.index() < index), "an owner stands before what it owns");
        assert!(definition.scope.index() < facts.scopes.len());
        assert!(definition.line_start <= definition.line_end, "{definition:?}");
    }
    for (index, scope) in facts.scopes.iter().enumerate() {
        assert!(scope.parent.is_none_or(|parent| parent.index() < index), "a parent stands before its children");
    }
    assert!(facts.references.iter().all(|reference| reference.expr.index() < facts.exprs.len()));
}

#[test]
fn nesting_and_chains() {
    on_small_stack(|| {
        let texts = [
            "(".repeat(40_000),
            "[".repeat(40_000),
            "{".repeat(40_000),
            "{x".repeat(20_000),
            "((x)=>".repeat(6_000),
            "function f(){".repeat(3_000),
            "class A{b(){".repeat(3_000),
            "a.b(".repeat(10_000),
            format!("x{}", ".a".repeat(20_000)),
            format!("x{}", ".a()".repeat(10_000)),
            format!("x{}", " + y".repeat(10_000)),
            format!("x = {}1", "x = ".repeat(10_000)),
            format!("let a: {}A", "A | ".repeat(10_000)),
            format!("let a: {}A", "Array<".repeat(8_000)),
            format!("const a = {}", "{a: ".repeat(8_000)),
            "<div>".repeat(8_000),
            format!("const {} = x", "{a: ".repeat(8_000)),
            "if (a) ".repeat(10_000),
            "namespace a.b.c {".repeat(2_000),
            "`${".repeat(10_000),
        ];
        for text in &texts {
            for language in LANGUAGES {
                facts(language, text);
            }
        }
    });
}

/// Every function determines its context: the way up from each must be short.
#[test]
fn functions_deep_in_literals_and_blocks() {
    on_small_stack(|| {
        let size = 1 << 17;
        let nested = |open: &str, close: &str| {
            let count = size / (open.len() + close.len());
            format!("x = {}0{};", open.repeat(count), close.repeat(count))
        };
        let members = "m(a) {}, ".repeat(size / 18);
        let texts = [
            nested("{ m(a) {}, a: ", "}"),
            format!("x = {}{{ {members} }}{};", "(".repeat(size / 4), ")".repeat(size / 4)),
            format!("function f() {{ {} {} }}", "{ return { m(a) {} };".repeat(size / 24), "}".repeat(size / 24)),
        ];
        for text in &texts {
            facts(Language::TypeScript, text);
        }
    });
}

#[test]
fn many_small_statements_on_one_line() {
    on_small_stack(|| {
        let text = "x=1;".repeat((1 << 20) / 4 - 16);
        for language in [Language::JavaScript, Language::TypeScript] {
            let facts = facts(language, &text);
            assert!(!facts.problems.is_empty(), "the limit on facts or time is reported");
        }
    });
}

#[test]
fn markup_without_end() {
    on_small_stack(|| {
        let parts = [
            "{", "{a ", "{{", "{`", "{'", "{/*", "<", "<a>", "</a>", "<a {", "<a b=\"{", "<A v-for=\"a in b\">",
            "<a #b=\"c\">", "{#each a as b}", "{#if a}", "{:else}", "{/if}", "{#snippet a()}", "<template>", "<style>",
            "<script>", "&amp;", "<a :b=\"&quot;", "<a @b=\"c=>", "---\n", "<!--",
        ];
        for part in parts {
            for opened in ["", "<template>", "<a b=\""] {
                let text = format!("{opened}{}", part.repeat(4_000 / part.len()));
                for language in LANGUAGES.into_iter().filter(|language| language.is_component()) {
                    check(&extract(language, text.as_bytes(), &Limits::default(), &Cancel::default()));
                }
            }
        }
    });
}

#[test]
fn every_truncation_of_a_sample() {
    on_small_stack(|| {
        for end in (0..SAMPLE.len()).step_by(7).filter(|&end| SAMPLE.is_char_boundary(end)) {
            for language in LANGUAGES {
                facts(language, &SAMPLE[..end]);
            }
        }
    });
}

const SAMPLE: &str = r#"/** file */
import def, { a as b, type T } from './a';
import * as ns from "./ns"; import './side'; import q = require('q');
export * from './x'; export * as y from './y'; export { b as c } from './z'; export { b };
const { one, two: { three = 3 }, ...rest } = require('pkg'), [x, , y2 = 2, ...zs] = ns.list();
@dec({ a: 1 }) export abstract class A<T extends B = C> extends ns.Base<T> implements I, J.K {
  static #count = 0; private readonly x?: Map<string, T[]>; declare y: typeof ns.z;
  constructor(private a: A<T>, public b = 1) { super(a); this.x = new Map(); }
  @log get value(): this { return this; } set value(v) {} static { A.#count++; }
  async *items(): AsyncGenerator<T> { for await (const i of this.x!.values()) yield* i; }
  over(a: string): void; over(a: number): void; over(a: any) {}
}
interface I extends J<string> { (x: number): string; new (y: A): I; m(a: A): Promise<A>; [k: string]: any; p: () => A }
type U = A | (B & { x: C }) | [A, ...B[]] | (T extends infer R ? R : never); enum E { A = 1, B = A << 1, 'c' }
namespace N.M { export function f() { return g(); } function g() {} } declare module "m" { export const z: number; }
function Foo() { if (!(this instanceof Foo)) return new Foo(); this.a = 1; } Foo.prototype = { m: function () {} };
Foo.prototype.bar = function bar() { return `${this.a} ünï ${() => 1}`; }; module.exports = exports = Foo;
export default async function () { try { await import('./dyn'); } catch ({ message }) { label: for (let k in o) {} } }
const f = (a = 1, { b, c: [d] } = {}) => a ?? b?.c!.d as unknown as T satisfies U, view = cond ? null : f?.(1)?.[0];
let v = <T,>(x: T) => x; switch (v) { case 1: { let w = 1; } default: w ||= 2; }
"#;
