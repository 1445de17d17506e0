//! Facts of small sources, and pathological sources.

use std::fmt::Write as _;
use std::time::Duration;

use m1nd_base::{Cancel, Limits};

use crate::facts::{
    BindingTarget, Collection, DefId, Definition, Expr, ExprId, FileFacts, ImportKind, ParameterKind, Role,
};
use crate::{Language, extract};

fn facts(source: &str) -> FileFacts {
    // A busy machine must not turn a parse into a timeout.
    let limits = Limits { parse_time: Duration::from_secs(600), ..Limits::default() };
    extract(Language::Python, source.as_bytes(), &limits, &Cancel::default())
}

/// An expression as text, the way it would be written.
fn show(facts: &FileFacts, id: ExprId) -> String {
    let list = |id| facts.list(id).iter().map(|item| show(facts, *item)).collect::<Vec<_>>().join(", ");
    match facts.expr(id) {
        Expr::Name { name, .. } => facts.name(name).to_owned(),
        Expr::Member { base, name } => format!("{}.{}", show(facts, base), facts.name(name)),
        Expr::Call { callee, args } => format!("{}({})", show(facts, callee), list(args)),
        Expr::Key { base, name } => format!("{}[{}]", show(facts, base), facts.name(name)),
        Expr::Entry { name, value } => format!("{}: {}", facts.name(name), show(facts, value)),
        Expr::Implicit { base, name } => format!("implicit({}.{})", show(facts, base), facts.name(name)),
        Expr::Index { base } => format!("{}[]", show(facts, base)),
        Expr::Item { base, index } => format!("{}[{index}]", show(facts, base)),
        Expr::Element { base } => format!("element({})", show(facts, base)),
        Expr::Unwrap { base } => format!("unwrap({})", show(facts, base)),
        Expr::Enter { base } => format!("enter({})", show(facts, base)),
        Expr::Instance { of } => format!("instance({})", show(facts, of)),
        Expr::Definition(id) => format!("<{}>", facts.name(facts.definition(id).name)),
        Expr::SelfType { .. } => "Self".to_owned(),
        Expr::Super { .. } => "super()".to_owned(),
        Expr::SuperOf { class, .. } => format!("super({})", show(facts, class)),
        Expr::Literal(literal) => format!("{literal:?}"),
        Expr::Collection { kind, items } => format!("{kind:?}({})", list(items)),
        Expr::Union(items) => format!("({})", list(items).replace(", ", " | ")),
        Expr::Generic { base, args } => format!("{}<{}>", show(facts, base), list(args)),
        Expr::Function { result } => format!("fn -> {}", show(facts, result)),
        Expr::Unknown => "?".to_owned(),
        other => format!("{other:?}"),
    }
}

/// `kind owner.name`
fn path(facts: &FileFacts, id: DefId) -> String {
    let definition = facts.definition(id);
    let name = facts.name(definition.name);
    match definition.owner {
        Some(owner) => format!("{}.{name}", path(facts, owner)),
        None => name.to_owned(),
    }
}

fn find(facts: &FileFacts, wanted: &str) -> DefId {
    let ids = (0..facts.definitions.len() as u32).map(DefId);
    ids.into_iter().find(|id| path(facts, *id) == wanted).unwrap_or_else(|| panic!("no definition {wanted}"))
}

fn definition<'a>(facts: &'a FileFacts, wanted: &str) -> &'a Definition {
    facts.definition(find(facts, wanted))
}

fn values(facts: &FileFacts, wanted: &str) -> String {
    let list = facts.list(definition(facts, wanted).values);
    list.iter().map(|item| show(facts, *item)).collect::<Vec<_>>().join("; ")
}

fn show_declared(facts: &FileFacts, wanted: &str) -> String {
    definition(facts, wanted).declared.map_or_else(|| "-".to_owned(), |id| show(facts, id))
}

/// All definitions: kind word and path.
fn definitions(facts: &FileFacts) -> String {
    let ids = (0..facts.definitions.len() as u32).map(DefId);
    let rows = ids.filter(|id| !facts.definition(*id).flags.is_anonymous);
    rows.map(|id| format!("{} {}", facts.definition(id).kind.word(), path(facts, id))).collect::<Vec<_>>().join("\n")
}

/// All references: `line:col role expression in definition`.
fn references(facts: &FileFacts) -> String {
    let mut text = String::new();
    for reference in &facts.references {
        let role = format!("{:?}", reference.role).to_lowercase();
        let pos = reference.pos;
        let _ = write!(text, "{}:{} {role} {}", pos.line, pos.col, show(facts, reference.expr));
        if let Some(id) = reference.enclosing {
            let _ = write!(text, " in {}", path(facts, id));
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// Values and types of all bindings of a name, in order.
fn show_bound(facts: &FileFacts, name: &str) -> String {
    let mut texts = Vec::new();
    for binding in facts.bindings.iter().filter(|binding| facts.name(binding.name) == name) {
        texts.push(match binding.target {
            BindingTarget::Value(expr) => show(facts, expr),
            BindingTarget::Typed(expr) => format!("typed {}", show(facts, expr)),
            BindingTarget::Definition(id) => format!("def {}", path(facts, id)),
            BindingTarget::Parameter(id, index) => format!("parameter {index} of {}", path(facts, id)),
            BindingTarget::TypeParameter(id, index) => format!("type parameter {index} of {}", path(facts, id)),
            BindingTarget::Import(_) => "import".to_owned(),
            BindingTarget::Opaque => "opaque".to_owned(),
            BindingTarget::Outer(is_global) => format!("outer {is_global}"),
        });
    }
    texts.join("; ")
}

#[test]
fn definitions_have_kinds_and_owners() {
    let facts = facts(
        "LIMIT = 3\nname = 'x'\nAlias = Union[int, str]\ntype New[T] = list[T]\n\
         class A:\n    size: int = 0\n    def run(self):\n        self.state = 1\n        local = 2\n        def inner(): pass\n\
         class Color(Enum):\n    RED = 1\n    _hidden = 2\n    note: str = ''\n\
         x, (y, z) = 1, (2, 3)\nfor item in x: pass\n",
    );
    let expected = "const LIMIT\nvar name\ntype Alias\ntype New\nclass A\nfield A.size\nfn A.run\nfield A.state\n\
                    fn A.run.inner\nclass Color\nvariant Color.RED\nfield Color._hidden\nfield Color.note\nvar x\nvar y\nvar z\nvar item";
    assert_eq!(definitions(&facts), expected);
    assert_eq!(values(&facts, "y"), "Int");
    assert_eq!(values(&facts, "item"), "element(x)");
    assert_eq!(show_declared(&facts, "A.size"), "int");
    assert_eq!(show_declared(&facts, "Alias"), "(int | str)");
    assert_eq!(show_declared(&facts, "New"), "list<T>");
    assert_eq!(show_bound(&facts, "T"), "type parameter 0 of New");
}

#[test]
fn one_field_for_all_assignments_of_it() {
    let facts = facts(
        "class A:\n    pool = None\n    def a(self, pool):\n        self.pool = pool\n        self.x, self.y = make()\n\
         \x20   def b(self):\n        self.pool = Pool()\n        self.x += 1\n        other.x = 3\n",
    );
    assert_eq!(values(&facts, "A.pool"), "Null; pool; Pool()");
    assert_eq!(values(&facts, "A.x"), "make()[0]");
    assert_eq!(definitions(&facts), "class A\nfield A.pool\nfn A.a\nfield A.x\nfield A.y\nfn A.b");
    assert_eq!(facts.member_writes.len(), 1);
}

#[test]
fn receivers_and_parameters() {
    let facts = facts(
        "class A:\n    def m(self, a, *rest: int, key=1, **more): pass\n    @classmethod\n    def c(cls): pass\n\
         \x20   @staticmethod\n    def s(a): pass\n    def __new__(cls): pass\n    @property\n    def p(self): return 1\n\
         \x20   @p.setter\n    def p(self, v): pass\n",
    );
    let kinds = |name| facts.parameters(find(&facts, name)).iter().map(|p| p.kind).collect::<Vec<_>>();
    use ParameterKind::{ClassReceiver, Keyword, KeywordRest, Plain, Receiver, Rest};
    assert_eq!(kinds("A.m"), [Receiver, Plain, Rest, Keyword, KeywordRest]);
    assert_eq!(kinds("A.c"), [ClassReceiver]);
    assert_eq!(kinds("A.s"), [Plain]);
    assert_eq!(kinds("A.__new__"), [ClassReceiver]);
    assert!(definition(&facts, "A.p").flags.is_property);
    assert!(definition(&facts, "A.p.setter").flags.is_property);
    assert_eq!(show_bound(&facts, "p"), "def A.p");
}

#[test]
fn references_know_role_place_and_holder() {
    let facts = facts(
        "import os\n@deco(os.x)\ndef f(a: Pool, b=DEFAULT) -> 'Out':\n    local = a.get()\n    local.close(1, *a)\n    return f\"{helper(a)}\"\n\
         class B(Base, pkg.Other[Item], metaclass=Meta):\n    field = compute()\n",
    );
    let expected = "2:2 decorate deco in f\n2:6 call deco(os.x)\n2:7 read os\n2:10 read os.x\n3:10 type Pool in f\n3:18 read DEFAULT\n3:31 type Out in f\n\
                    4:15 call a.get in f\n5:11 call local.close in f\n5:20 call implicit(a.__iter__) in f\n\
                    6:15 call helper in f\n6:15 call implicit(helper(a).__format__) in f\n\
                    7:9 inherit Base in B\n7:15 read pkg in B\n7:19 inherit pkg.Other in B\n7:25 type Item in B\n7:42 read Meta in B\n8:13 call compute in B";
    assert_eq!(references(&facts), expected);
    let close = facts.references.iter().find(|r| r.pos.line == 5).map(|r| r.arity);
    assert_eq!(close, Some(255));
    let helper = facts.references.iter().find(|r| r.pos.line == 6).map(|r| r.arity);
    assert_eq!(helper, Some(1));
}

#[test]
fn local_names_are_no_references() {
    let facts = facts(
        "g = 1\ndef f(p):\n    import os\n    v = p\n    def inner(): return v, os\n    global g\n    g = v\n    return [i for i in g if i], (lambda z: z)(1)\n\
         class C:\n    g = 2\n    def m(self): return g\n",
    );
    let expected = "5:28 read os in f.inner\n7:5 write g in f\n8:15 call implicit(g.__iter__) in f\n8:15 call implicit(implicit(g.__iter__)().__next__) in f\n8:24 read g in f\n8:26 call implicit(i.__bool__) in f\n11:25 read g in C.m";
    assert_eq!(references(&facts), expected);
    assert_eq!(values(&facts, "g"), "Int; v");
}

#[test]
fn types_as_written() {
    let facts = facts(
        "a: Optional[A]\nb: 'List[B]'\nc: Callable[[int], C]\nd: t.Dict[str, 'D']\ne: A | None\nf: Literal['x', 1]\n\
         g: Annotated[G, 'note']\nh: ClassVar[Type[H]]\ni = cast('I', x)\nj: tuple[J, ...]\n",
    );
    let all = ["a", "b", "c", "d", "e", "f", "g", "h", "j"].map(|name| show_declared(&facts, name));
    let expected = [
        "(A | Null)", "List<B>", "fn -> C", "t.Dict<Str, D>", "(A | Null)", "(Str | Int)", "G", "Type<H>",
        "tuple<J, ?>",
    ];
    // `str` is a name like any other.
    assert_eq!(all, expected.map(|text| text.replace("<Str", "<str")));
    assert_eq!(values(&facts, "i"), "instance(I)");
    let texts = references(&facts);
    assert!(texts.contains("2:10 type B") && texts.contains("9:11 type I"), "{texts}");
    assert!(!texts.contains("note"), "{texts}");
}

#[test]
fn values_of_targets() {
    let facts = facts(
        "def f(items):\n    with open(x) as h, lock as (a, b): pass\n    for k, v in items: pass\n    try: pass\n    except (E, m.F) as e: pass\n\
         \x20   first, *rest = items\n    if (n := make()): pass\n    t: T = None\n    u = await go()\n    w = p if q else r\n    o = p or r\n    s = items[0]\n\
         \x20   c = d = dup\n",
    );
    let all = ["h", "b", "v", "e", "rest", "n", "t", "u", "w", "o", "s", "c", "d"].map(|name| show_bound(&facts, name));
    let expected = [
        "enter(open(x))", "enter(lock)[1]", "element(items)[1]", "instance((E | m.F))", "List(element(items))",
        "make()", "typed T", "unwrap(go())", "(p | r)", "(p | r)", "items[0]", "dup", "dup",
    ];
    assert_eq!(all, expected);
}

#[test]
fn comprehension_scopes() {
    let facts = facts("class A:\n    n = 3\n    xs = [n for n in n]\n    ys = {k: v for k, v in z}\n");
    assert_eq!(values(&facts, "A.xs"), "List(n)");
    assert_eq!(values(&facts, "A.ys"), "Map(v)");
    let iterate = |at: &str, name: &str| {
        format!(
            "{at} call implicit({name}.__iter__) in A\n{at} call implicit(implicit({name}.__iter__)().__next__) in A"
        )
    };
    let (first, second) = (iterate("3:13", "n"), iterate("4:16", "z"));
    assert_eq!(references(&facts), format!("{first}\n3:22 read n in A\n{second}\n4:28 read z in A"));
}

#[test]
fn match_patterns() {
    let facts = facts(
        "def f(p):\n    match p:\n        case Point(1, x=px) as q: pass\n        case [a, *b] | (c, _): pass\n        case {'k': v, **rest} if v: pass\n        case mod.X: pass\n",
    );
    let expected =
        "3:14 read Point in f\n5:31 call implicit(v.__bool__) in f\n6:14 read mod in f\n6:18 read mod.X in f";
    assert_eq!(references(&facts), expected);
    let all = ["q", "px", "a", "b", "c", "v", "rest"].map(|name| show_bound(&facts, name));
    assert_eq!(all, ["instance(Point)", "instance(Point).x", "p[0]", "opaque", "p[0]", "p[]", "opaque"]);
}

#[test]
fn imports_of_every_form() {
    let facts = facts(
        "from __future__ import annotations\nimport a.b.c, d as e\nfrom ..a.b import c as d, e as e\nfrom . import x\nfrom .m import *\n\
         if TYPE_CHECKING:\n    from t import T\nelse:\n    import u\ndef f():\n    import v\n",
    );
    let mut text = String::new();
    for import in &facts.imports {
        let kind = match import.kind {
            ImportKind::Symbol(name) => facts.name(name).to_owned(),
            other => format!("{other:?}"),
        };
        let flags = import.flags;
        let marks = [(flags.reexport, 'r'), (flags.type_only, 't'), (flags.conditional, 'c')];
        let marks: String = marks.iter().filter(|mark| mark.0).map(|mark| mark.1).collect();
        let _ = writeln!(
            text,
            "{}:{} {kind} of {}{} {marks}",
            import.pos.line,
            import.pos.col,
            ".".repeat(import.level.into()),
            facts.name(import.module)
        );
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let expected = [
        "1:24 annotations of __future__", "2:8 ModuleRoot of a.b.c", "2:15 Module of d", "3:19 c of ..a.b",
        "3:27 e of ..a.b r", "4:15 x of .", "5:6 Wildcard of .m r", "7:19 T of t tc", "9:12 u of u", "11:12 v of v",
    ];
    let expected = expected.map(|line| match line {
        "9:12 u of u" => "9:12 ModuleRoot of u c".to_owned(),
        "11:12 v of v" => "11:12 ModuleRoot of v c".to_owned(),
        line => line.to_owned(),
    });
    assert_eq!(lines, expected);
}

#[test]
fn export_lists() {
    let names = |source| {
        let facts = facts(source);
        facts.export_list.as_ref().map(|list| list.iter().map(|id| facts.name(*id).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(
        names("__all__ = ['a', 'b']\n__all__ += ('c',)\n__all__.append('d')\n__all__.extend(['e'])").unwrap(),
        ["a", "b", "c", "d", "e"]
    );
    assert_eq!(names("__all__ = ['a'] + sub.__all__"), None);
    assert_eq!(names("x = 1"), None);
}

#[test]
fn overloads_are_one_definition() {
    let facts = facts(
        "@overload\ndef f(a: int) -> A: ...\n@overload\ndef f(a: str) -> B: ...\ndef f(a):\n    return x\n\
         class P:\n    @overload\n    def g(self) -> A: ...\n    @overload\n    def g(self, b) -> B: ...\n",
    );
    assert_eq!(definitions(&facts), "fn f\nclass P\nfn P.g");
    let main = facts.definitions.iter().find(|d| !d.flags.is_anonymous).expect("a definition");
    assert_eq!((main.pos.line, main.line_start, main.line_end), (2, 2, 6));
    assert_eq!(main.declared.map(|id| show(&facts, id)).as_deref(), Some("(A | B)"));
    assert_eq!(show_declared(&facts, "P.g"), "(A | B)");
    assert!(facts.references.iter().all(|r| r.enclosing.is_none_or(|id| !facts.definition(id).flags.is_anonymous)));
}

#[test]
fn results_of_functions() {
    let facts = facts(
        "def a():\n    if x: return B()\n    return None\ndef g():\n    yield C()\n    yield from d\n    return 3\nasync def s(): return (yield)\nh = lambda q: q.r\n",
    );
    assert_eq!(values(&facts, "a"), "B(); Null");
    assert_eq!(values(&facts, "g"), "C(); element(d)");
    assert!(definition(&facts, "g").flags.is_generator && definition(&facts, "s").flags.is_async);
    assert_eq!(values(&facts, "h"), "<lambda>");
    assert_eq!(values(&facts, "lambda"), "q.r");
}

#[test]
fn type_parameters_are_bound_around_the_signature() {
    let facts = facts("class Box[T: Base, *U](Root[T]):\n    def get[V](self, v: V) -> T: ...\n");
    assert_eq!(show_bound(&facts, "T"), "type parameter 0 of Box");
    assert_eq!(show_bound(&facts, "V"), "type parameter 0 of Box.get");
    let bounds: Vec<_> =
        facts.type_parameters(find(&facts, "Box")).iter().map(|p| p.bound.map(|id| show(&facts, id))).collect();
    assert_eq!(bounds, [Some("Base".to_owned()), None]);
    assert_eq!(references(&facts), "1:14 type Base in Box\n1:24 inherit Root in Box");
}

#[test]
fn type_variables_of_typing() {
    let facts = facts(
        "T = TypeVar('T', bound='Base')\nK = t.TypeVar('K', A, B)\nclass Box(Root[K], Generic[T]):\n    def get(self) -> T: ...\n\
         \x20   def put[V](self, v: V): ...\n    def copy(self: K) -> K: ...\ndef first(items: list[K]) -> K: ...\n",
    );
    assert_eq!(show_declared(&facts, "T"), "Base");
    assert_eq!(show_bound(&facts, "T"), "def T; type parameter 0 of Box");
    assert_eq!(show_bound(&facts, "K"), "def K; type parameter 0 of first");
    let bases = facts.list(definition(&facts, "Box").bases);
    assert_eq!(bases.iter().map(|id| show(&facts, *id)).collect::<Vec<_>>(), ["Root<K>"]);
    assert_eq!(show_declared(&facts, "Box.copy"), "Self");
    let bounds = facts.type_parameters(find(&facts, "first")).iter().map(|p| p.bound.map(|id| show(&facts, id)));
    assert_eq!(bounds.collect::<Vec<_>>(), [Some("(A | B)".to_owned())]);
    assert!(references(&facts).contains("4:22 type T in Box.get"));
}

#[test]
fn docs_signatures_and_tests() {
    let facts = facts(
        "\"\"\"About.\n\n    More.\"\"\"\nclass TestX(unittest.TestCase):\n    # note\n    'Doc'\n    def test_a(\n        self,\n    ) -> None: # why\n        'In'\n\
         def test_b(): pass\ndef helper(): pass\n",
    );
    assert_eq!(facts.doc.as_deref(), Some("About.\n\nMore."));
    assert_eq!(definition(&facts, "TestX").doc.as_deref(), Some("Doc"));
    let method = definition(&facts, "TestX.test_a");
    assert_eq!(method.signature.as_deref(), Some("def test_a( self, ) -> None"));
    assert!(method.flags.is_test && definition(&facts, "test_b").flags.is_test);
    assert!(!definition(&facts, "helper").flags.is_test && facts.is_test);
}

#[test]
fn what_is_called_test_or_imports_a_framework_need_not_be_one() {
    for (code, is_test) in [
        ("import pytest\n@pytest.hookimpl\ndef pytest_configure(config): pass\n", false),
        ("from unittest import mock\ndef fake(): return mock.Mock()\n", false),
        ("class TestReport:\n    def as_json(self): pass\n", false),
        ("class TestReport:\n    def test_it(self): pass\n", true),
        ("from unittest import TestCase\nclass Base(TestCase): pass\n", true),
        ("def test_it(): pass\n", true),
    ] {
        let facts = facts(code);
        let class = facts.definitions.iter().find(|definition| definition.kind == crate::facts::DefKind::Class);
        assert_eq!(facts.is_test, is_test, "{code}");
        assert!(class.is_none_or(|class| class.flags.is_test == is_test), "{code}");
    }
}

#[test]
fn receiver_types_and_super() {
    let facts = facts(
        "class A(B):\n    def m(self):\n        x = type(self)()\n        y = self.__class__.make()\n        super().m(x, y)\n    def n(self) -> Self: return self\n",
    );
    assert_eq!(show_bound(&facts, "x"), "Self()");
    assert_eq!(show_bound(&facts, "y"), "Self.make()");
    assert_eq!(show_declared(&facts, "A.n"), "Self");
    let call = facts.references.iter().find(|r| r.pos.line == 5 && r.role == Role::Call).map(|r| show(&facts, r.expr));
    assert_eq!(call.as_deref(), Some("super().m"));
}

#[test]
fn calls_of_standard_functions() {
    let source = "import functools\nfrom copy import deepcopy\nimport own\na = enumerate(x)\nb = zip(x, y)\nc = next(x)\nd = functools.partial(f, 1)\n\
                  e = deepcopy(x)\nf = own.partial(x)\ng = map(h, x)\ni = getattr(x, 'run', None)\ndef m(next):\n    return next(x)\nclass C:\n    def sorted(self):\n        return sorted(x)\n";
    let facts = facts(source);
    let all = ["a", "b", "c", "d", "e", "f", "g", "i", "m", "C.sorted"].map(|name| values(&facts, name));
    let expected = [
        "Iterator(Tuple(Int, element(x)))",
        "Iterator(Tuple(element(x), element(y)))",
        "element(x)",
        "f",
        "x",
        "own.partial(x)",
        "Iterator(h(element(x)))",
        "(x.run | Null)",
        "next(x)",
        "List(element(x))",
    ];
    assert_eq!(all, expected);
}

#[test]
fn kinds_have_their_names() {
    use super::state::KindName;
    let grammar = tree_sitter_python::LANGUAGE.into();
    let text = SAMPLE.to_owned() + "x = (\n";
    let tree = crate::parse::parse(&grammar, text.as_bytes(), &Limits::default(), &Cancel::default()).expect("a tree");
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        assert_eq!(node.kind_name(), node.kind());
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
}

#[test]
fn positions_count_characters() {
    let facts = facts("x = 'äöü'; call(y)\n");
    assert_eq!(references(&facts), "1:12 call call\n1:17 read y");
}

#[test]
fn a_long_literal_keeps_its_first_items() {
    let facts = facts(&format!("x = [{}]", "a, ".repeat(1000)));
    let list = facts.exprs.iter().find_map(|expr| match expr {
        Expr::Collection { kind: Collection::List, items } => Some(facts.list(*items).len()),
        _ => None,
    });
    assert_eq!(list, Some(super::state::MAX_ITEMS));
    assert_eq!(facts.references.len(), 1000);
}

/// Runs on a stack so small that recursion over a syntax tree does not fit.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(work).expect("a thread can start");
    thread.join().expect("extraction must not panic");
}

#[test]
fn hostile_sources_end() {
    on_small_stack(|| {
        let deep = 20_000;
        let sources = [
            "(".repeat(40_000),
            "[".repeat(deep) + &"]".repeat(deep),
            "{".repeat(40_000),
            "f(".repeat(deep) + &")".repeat(deep),
            format!("x = {}1", "lambda: ".repeat(5_000)),
            format!("x = a{}", ".b().c()".repeat(5_000)),
            format!("x = {}a", "not ".repeat(10_000)),
            format!("x: {}int{} = 1", "List[".repeat(3_000), "]".repeat(3_000)),
            format!("x = {}1", "y = ".repeat(5_000)),
            format!("({}){} = v", "(".repeat(3_000), ")".repeat(3_000)),
            format!("def f({}): pass", "a, ".repeat(10_000)),
            "if x:\n".to_owned() + &(1..600).map(|n| " ".repeat(n) + "if y:\n").collect::<String>(),
            "x: \"List['A\" = 1\ny: \"\" = 2\nz: \"(\" = 3".to_owned(),
            "from ".to_owned() + &".".repeat(70_000) + " import x",
            "match x:\n case ".to_owned() + &"[".repeat(5_000) + &"]".repeat(5_000) + ": pass",
        ];
        for source in sources {
            let facts = facts(&source);
            assert!(facts.lines >= 1);
        }
    });
}

#[test]
fn a_mebibyte_of_statements_ends() {
    on_small_stack(|| {
        let facts = facts(&"x=1;".repeat((1 << 18) - 1));
        assert_eq!(definitions(&facts), "var x");
    });
}

const SAMPLE: &str = "import a.b as c\nfrom .x import (y as z, w)\n@deco(1)\nclass K[T](Base[T], metaclass=M):\n    f: 'List[K]' = None\n    async def m(self, *a: int, **k) -> \"K\":\n        async with open(f'{a!r:>{k}}') as (p, q):\n            self.v, self.w = await p, [i async for i in q if i]\n        match a:\n            case K(v=[1, *r]) | {'k': z} as t: yield t\n        try: raise E from e\n        except* (A, B) as err: del err.x\n        global g; g = lambda s, /, t=1: (u := s)\n";

#[test]
fn truncated_sources_end() {
    on_small_stack(|| {
        for end in (0..SAMPLE.len()).step_by(7) {
            let facts = facts(&SAMPLE[..end]);
            assert!(facts.references.iter().all(|reference| reference.expr.index() < facts.exprs.len()));
        }
    });
}

#[test]
fn tables_refer_to_what_exists() {
    let facts = facts(SAMPLE);
    for (index, definition) in facts.definitions.iter().enumerate() {
        assert!(definition.owner.is_none_or(|owner| owner.index() < index));
        assert!(definition.bytes.1 as usize <= SAMPLE.len() && definition.line_start <= definition.line_end);
    }
    for (index, scope) in facts.scopes.iter().enumerate() {
        assert!(scope.parent.is_none_or(|parent| parent.index() < index));
    }
}

/// Texts in annotations are trees of their own, whose nodes may be where those of an earlier one were.
#[test]
fn facts_do_not_depend_on_where_trees_are_in_memory() {
    let text: String = (0..60)
        .map(|n| format!("def f{n}(a: \"[x for x in y]\", b: \"z.w\", c: \"(q := r)\", d: \"lambda t: u\"): pass\n"))
        .collect();
    let first = format!("{:?}", facts(&text).references);
    let other: Vec<Vec<u8>> = (0..40).map(|n| vec![0; 64 * n]).collect();
    for round in 0..40 {
        let _held = other.get(round).cloned();
        assert_eq!(format!("{:?}", facts(&text).references), first, "round {round}");
    }
}
