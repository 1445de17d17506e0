//! Variables made of arguments that the grammar takes for functions: `Random random(test::Seed());` is a prototype by
//! its form. The round brackets are read as braces, between which only arguments can stand.

use tree_sitter::{Node, Tree};

use crate::languages::c::declarator::declarators;

/// Maximum number of such variables in a file.
const MAX_VARIABLES: usize = 20_000;
/// Maximum number of parameters that are looked at.
const MAX_PARAMETERS: usize = 64;

/// Maximum number of `*` and `&` in front of a name.
const MAX_POINTERS: usize = 8;

/// What a list that was read as parameters may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likeness {
    /// Parameters: no expression is written like this.
    Parameters,
    /// Names, which may be types or values.
    Either,
    /// Arguments: as a parameter, one would be a function, which nobody writes.
    Arguments,
}

/// The brackets to read as braces, in order.
pub(super) fn find_arguments(tree: &Tree, _: &str) -> Vec<(usize, u8)> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    // Whether the nodes on the way to the current one are inside of a function, innermost last.
    let mut inside = vec![false];
    loop {
        let node = cursor.node();
        let is_inside = inside.last().copied().unwrap_or(false);
        if node.kind() == "declaration" {
            add_lists(node, is_inside, &mut found);
        }
        if found.len() >= 2 * MAX_VARIABLES {
            return found;
        }
        if node.child_count() > 0 && cursor.goto_first_child() {
            inside.push(match node.kind() {
                "compound_statement" => true,
                "field_declaration_list" | "declaration_list" => false,
                _ => is_inside,
            });
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
            inside.pop();
        }
    }
}

/// Adds the brackets of the variables of a declaration.
fn add_lists(node: Node<'_>, is_inside: bool, found: &mut Vec<(usize, u8)>) {
    for parameters in declarators(node).into_iter().filter_map(parameters_of) {
        let likeness = likeness(parameters);
        let is_variable = likeness == Likeness::Arguments || is_inside && likeness == Likeness::Either;
        if is_variable && !parameters.has_error() {
            found.push((parameters.start_byte(), b'{'));
            found.push((parameters.end_byte() - 1, b'}'));
        }
    }
}

/// The parameters of a declarator that is a name with parameters and nothing else, but for `*` and `&` in front.
fn parameters_of(mut declarator: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..MAX_POINTERS {
        match declarator.kind() {
            "pointer_declarator" | "reference_declarator" => declarator = declarator.named_child(0)?,
            "function_declarator" => break,
            _ => return None,
        }
    }
    let name = declarator.child_by_field_name("declarator")?;
    let is_plain = matches!(name.kind(), "identifier" | "qualified_identifier") && declarator.named_child_count() == 2;
    declarator.child_by_field_name("parameters").filter(|_| is_plain)
}

fn likeness(parameters: Node<'_>) -> Likeness {
    let mut cursor = parameters.walk();
    let mut all = Likeness::Parameters;
    for parameter in parameters.named_children(&mut cursor).take(MAX_PARAMETERS).filter(|one| !one.is_extra()) {
        match likeness_of(parameter) {
            Likeness::Parameters => return Likeness::Parameters,
            Likeness::Either if all == Likeness::Arguments => {}
            other => all = other,
        }
    }
    all
}

/// `a` and `a * b` may be both, `int`, `a b`, `const a` and `a*` are parameters, `a(b)` is an argument.
fn likeness_of(parameter: Node<'_>) -> Likeness {
    let Some(ty) = parameter.child_by_field_name("type").filter(|_| parameter.kind() == "parameter_declaration") else {
        return Likeness::Parameters;
    };
    let is_name = matches!(ty.kind(), "type_identifier" | "qualified_identifier" | "template_type");
    let declarator = parameter.child_by_field_name("declarator");
    // Only a type and its declarator: no `const`, no attribute.
    let parts = 1 + usize::from(declarator.is_some());
    if !is_name || parameter.named_child_count() != parts {
        return Likeness::Parameters;
    }
    match declarator.map(|declarator| (declarator.kind(), declarator)) {
        None if ty.kind() == "template_type" => Likeness::Parameters,
        None => Likeness::Either,
        Some((
            "abstract_function_declarator" | "parenthesized_declarator" | "abstract_parenthesized_declarator",
            of,
        )) => {
            // `a (*)(b)` is a pointer to a function.
            let is_pointer = of.named_child(0).is_some_and(|child| child.kind().ends_with("pointer_declarator"));
            if is_pointer || of.child_by_field_name("declarator").is_some_and(|inner| inner.kind() != "identifier") {
                Likeness::Parameters
            } else {
                Likeness::Arguments
            }
        }
        Some(("pointer_declarator" | "reference_declarator", of)) => {
            let names = of.named_child(0).is_some_and(|name| name.kind() == "identifier");
            if names && ty.kind() == "type_identifier" { Likeness::Either } else { Likeness::Parameters }
        }
        Some(_) => Likeness::Parameters,
    }
}

#[cfg(test)]
mod tests {
    use m1nd_base::{Cancel, Limits};

    use super::*;
    use crate::parse;

    /// The text with the changes made.
    fn reread(text: &str) -> String {
        let language = tree_sitter_cpp::LANGUAGE.into();
        let tree = parse::parse(&language, text.as_bytes(), &Limits::default(), &Cancel::new()).unwrap();
        let mut bytes = text.as_bytes().to_vec();
        let changes = find_arguments(&tree, text);
        for &(at, byte) in &changes {
            bytes[at] = byte;
        }
        if !changes.is_empty() {
            let limits = Limits::default();
            let tree = parse::reparse(&language, text.as_bytes(), &changes, tree, &limits, &Cancel::new()).unwrap();
            let clean = parse::parse(&language, &bytes, &limits, &Cancel::new()).unwrap();
            assert_eq!(tree.root_node().to_sexp(), clean.root_node().to_sexp(), "{text}");
        }
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn variables_in_functions() {
        for (text, expected) in [
            ("Random rnd(test::RandomSeed());", "Random rnd{test::RandomSeed()};"),
            ("T x(f());", "T x{f()};"),
            ("T x(f(a, b));", "T x{f(a, b)};"),
            ("T x(a, g(b));", "T x{a, g(b)};"),
            ("T x(g(b), a);", "T x{g(b), a};"),
            ("T x(a);", "T x{a};"),
            ("T x(a::b, c);", "T x{a::b, c};"),
            ("static T x(f());", "static T x{f()};"),
            ("const a::T x(f());", "const a::T x{f()};"),
            ("T* x(f());", "T* x{f()};"),
            ("auto x(f());", "auto x{f()};"),
            ("int x(f());", "int x{f()};"),
            ("std::vector<T> x(n, T(m));", "std::vector<T> x{n, T(m)};"),
            ("T x(std::move(y));", "T x{std::move(y)};"),
            ("T x(std::string(y), 1);", "T x(std::string(y), 1);"),
            ("T x(a * b);", "T x{a * b};"),
            ("T x(g(), h());", "T x{g(), h()};"),
            ("T x(g(h()));", "T x{g(h())};"),
            ("T x(f()), y(g());", "T x{f()}, y{g()};"),
            ("if (c) { T x(f()); }", "if (c) { T x{f()}; }"),
            ("auto l = [] { T x(f()); };", "auto l = [] { T x{f()}; };"),
        ] {
            let around = |text: &str| format!("void h() {{\n  {text}\n}}\n");
            assert_eq!(reread(&around(text)), around(expected));
        }
    }

    #[test]
    fn variables_outside_of_functions() {
        for (text, expected) in [
            ("static Random global(seed());", "static Random global{seed()};"),
            ("Random A::global(a::seed(b));", "Random A::global{a::seed(b)};"),
            ("namespace a { T x(f(1), b); }", "namespace a { T x(f(1), b); }"),
            ("namespace a { T x(f(c), b); }", "namespace a { T x{f(c), b}; }"),
        ] {
            assert_eq!(reread(text), expected);
        }
    }

    #[test]
    fn prototypes_stay() {
        for text in [
            "T f(a);",
            "void f(int a);",
            "void f(const A& a, B b);",
            "void f(void (*)(int));",
            "void f(A (*g)(B), C);",
            "int f(std::function<void(int)>);",
            "class A { T f(B); T g(C c); void h(T (*)(B)); };",
            "void h() { void f(int); T g(A a); T k(A*); T l(); }",
            "extern \"C\" { int f(a); }",
            "template <typename T> void f(T t, U);",
        ] {
            assert_eq!(reread(text), text);
        }
    }
}
