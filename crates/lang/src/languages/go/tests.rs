use m1nd_base::{Cancel, Limits};

use crate::facts::{BindingTarget, Expr, FileFacts, Role, ScopeId};
use crate::{Language, extract};

fn facts(text: &str) -> FileFacts {
    extract(Language::Go, text.as_bytes(), &Limits::default(), &Cancel::default())
}

fn list_named(facts: &FileFacts) -> Vec<String> {
    let role = |role: Role| format!("{role:?}").to_lowercase();
    facts
        .references
        .iter()
        .map(|reference| match facts.expr(reference.expr) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => {
                format!("{} {} {}", reference.pos.line, role(reference.role), facts.name(name))
            }
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn local_names_have_no_references() {
    let text = "package p\nfunc f(a int) {\n\tb := a\n\tg(a, b, c)\n\tfunc(d int) { use(d) }(b)\n}\n";
    assert_eq!(list_named(&facts(text)), ["4 call g", "4 read c", "5 call use"]);
}

#[test]
fn a_declaration_that_hides_a_used_name_has_a_scope_of_its_own() {
    let facts =
        facts("package p\nfunc f(x T) {\n\tx.a()\n\t{\n\t\tx.b()\n\t\tx := x.c()\n\t\tx.d()\n\t}\n\tx.e()\n}\n");
    let scope_of = |wanted: &str| -> ScopeId {
        let member = facts.exprs.iter().find_map(|expr| match *expr {
            Expr::Member { base, name } if facts.name(name) == wanted => Some(base),
            _ => None,
        });
        match facts.expr(member.expect("the member is used")) {
            Expr::Name { scope, .. } => scope,
            other => panic!("{other:?}"),
        }
    };
    let hidden = facts.bindings.iter().find(|binding| matches!(binding.target, BindingTarget::Value(_)));
    let hidden = hidden.expect("x is declared again").scope;
    assert_eq!(scope_of("b"), scope_of("c"));
    assert_eq!(scope_of("d"), hidden);
    assert_eq!(facts.scopes[hidden.index()].parent, Some(scope_of("b")));
    assert_eq!(scope_of("a"), scope_of("e"));
}

#[test]
fn a_second_declaration_in_the_same_block_assigns() {
    let facts = facts("package p\nfunc f() {\n\ta, err := g()\n\tb, err := g()\n\t_, _, _ = a, b, err\n}\n");
    let bound: Vec<&str> =
        facts.bindings.iter().filter(|row| row.scope.0 != 0).map(|row| facts.name(row.name)).collect();
    assert_eq!(bound, ["a", "err", "b"]);
}

#[test]
fn keys_of_structs_are_fields_and_keys_of_maps_are_names() {
    let text =
        "package p\nvar a = T{K: V}\nvar b = map[string]int{K: V}\nvar c = []T{{K: V}}\nvar d = map[E]T{L: {K: V}}\n";
    let members: Vec<String> = list_named(&facts(text)).into_iter().filter(|row| row.contains("write")).collect();
    assert_eq!(members, ["2 write K", "4 write K", "5 write K"]);
}

#[test]
fn roles_of_names() {
    let text = "package p\nfunc f() {\n\tv.a = v.b\n\tv.c++\n\t(*T).m(x)\n\tn[int](x)\n\tgo p.q()\n\tdefer r()\n}\n";
    let rows = [
        "3 read v", "3 write a", "3 read v", "3 read b", "4 read v", "4 write c", "5 read T", "5 call m", "5 read x",
        "6 call n", "6 read x", "7 read p", "7 call q", "8 call r",
    ];
    assert_eq!(list_named(&facts(text)), rows);
}

#[test]
fn constants_repeat_the_type_of_the_line_before() {
    let facts = facts("package p\nconst (\n\tA Kind = iota\n\tB\n\tC = 1\n\tD\n)\n");
    let typed: Vec<bool> = facts.definitions.iter().map(|definition| definition.declared.is_some()).collect();
    assert_eq!(typed, [true, true, false, false]);
}
