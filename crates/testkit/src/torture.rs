//! Texts that cost a careless parser or linker more than their size: each is a short piece, repeated.
//!
//! No shape is made for one language: whatever is no code in a language tries its error recovery.

use m1nd_base::RepoPath;

/// A text that can be made in any size.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// What it is, for messages.
    pub name: &'static str,
    /// The start of the text.
    before: &'static str,
    /// Repeated; `%` is the number of the repetition.
    open: &'static str,
    /// In the middle.
    middle: &'static str,
    /// Repeated as often as `open`; `%` counts down.
    close: &'static str,
}

/// A shape that ends in the middle of what it opens, if it opens anything.
const fn open(name: &'static str, before: &'static str, open: &'static str) -> Shape {
    Shape { name, before, open, middle: "", close: "" }
}

/// A shape that closes what it opens.
const fn close_shape(
    name: &'static str,
    before: &'static str,
    open: &'static str,
    middle: &'static str,
    close: &'static str,
) -> Shape {
    Shape { name, before, open, middle, close }
}

/// All shapes.
#[rustfmt::skip]
pub const SHAPES: &[Shape] = &[
    // Nesting.
    open("parentheses", "", "("),
    open("brackets", "", "["),
    open("braces", "", "{"),
    open("angles", "", "<"),
    open("type arguments", "", "a<"),
    open("calls", "", "f("),
    open("all brackets", "", "([{<"),
    close_shape("closed parentheses", "x = ", "(", "1", ")"),
    close_shape("closed brackets", "x = ", "[", "1", "]"),
    close_shape("closed braces", "", "{", "", "}"),
    close_shape("closed calls", "", "f(", "1", ")"),
    close_shape("closed type arguments", "A", "<A", "", ">"),
    close_shape("maps", "x = ", "{\"a\": ", "1", "}"),
    close_shape("blocks", "void f() {\n", "{ int a; ", "", "}"),
    close_shape("ifs", "", "if (a) { ", "b();", "}"),
    open("else chain", "", "if (a) { b(); } else "),
    open("else if lines", "if (a) { b(); }\n", "else if (a) { b(); }\n"),
    close_shape("elif lines", "if a:\n  b()\n", "elif a:\n  b()\n", "", ""),
    close_shape("loops", "", "for (;;) { ", "", "}"),
    close_shape("lambdas", "x = ", "(a) => ", "a", ""),
    open("python lambdas", "x = ", "lambda a: "),
    close_shape("closures", "x = ", "|a| ", "a", ""),
    open("ternaries", "x = ", "a ? b : "),
    open("negations", "x = ", "!"),
    open("assignments", "", "a = "),
    open("closers", "", ")}]>"),
    // Nesting of things with a name.
    open("namespaces", "", "namespace n { int b(); "),
    close_shape("closed namespaces", "", "namespace n% { int b(); ", "", "}"),
    open("classes", "", "class A { "),
    close_shape("closed classes", "", "class A% { int b() { } ", "", "}"),
    close_shape("functions", "", "function f%() { ", "", "}"),
    close_shape("rust functions", "", "fn f%() { ", "", "}"),
    open("modules", "", "mod m { fn f() { } "),
    // Chains and rows.
    open("members", "a", ".a"),
    open("member calls", "a", ".a()"),
    open("operators", "x = 1", " + 1"),
    open("texts", "x = 'a'", " + 'a'"),
    open("pointers", "int ", "*"),
    open("quotes", "", "\""),
    open("statements", "", "a(b);\n"),
    open("dense statements", "", "x=1;"),
    open("words", "", "a "),
    open("comments", "", "/*"),
    open("headings", "", "# a\n\n"),
    open("deeper headings", "", "#"),
    open("lists", "", "- a\n"),
    // Many of a name, many of others.
    open("assignments of one name", "", "x = 1\n"),
    close_shape("calls of a name assigned often", "", "x = 1\n", "", "x()\n"),
    close_shape("calls of names", "", "x% = 1\n", "", "x%()\n"),
    open("variables of a block", "fn f() {\n", "let x = y; "),
    open("variables of a function", "function f() {\n", "var x% = x; y();\n"),
    open("functions of one name", "", "def f(a): return f(a)\n"),
    open("functions of names", "", "function f%(a) { return g(a) }\n"),
    open("methods of one name", "class A {\n", "void f() { g(); }\n"),
    open("classes in a row", "class A0 {}\n", "class A% extends A { void f() { f(); } }\n"),
    close_shape("values in a chain", "x0 = 1\n", "y% = x%\n", "", "y%.a()\n"),
    open("star imports", "", "from a% import *\nb()\n"),
    open("rust imports", "", "use a%::*; fn f%() { b(); }\n"),
    open("java imports", "", "import a%.*;\n"),
    open("module imports", "", "import a% from 'b%'\n"),
    open("includes", "", "#include \"a%.h\"\n"),
    open("macros", "", "#define A% A(x) x\n"),
    open("macro calls", "", "println!(\"{}\", a(b)); "),
    open("decorators", "", "@a(b)\n"),
    open("type parameters", "class A<", "T%, "),
    open("parameters", "def f(", "a%, "),
    open("enum constants", "enum A { ", "B%(1), "),
    open("cases", "switch (a) {\n", "case %: b();\n"),
    open("names", "", "a_name_that_is_long_%_ "),
];

impl Shape {
    /// The text, of about `bytes` bytes.
    pub fn text(&self, bytes: usize) -> String {
        let each = (self.open.len() + self.close.len()).max(1);
        let count = bytes.saturating_sub(self.before.len() + self.middle.len()) / each;
        let mut text = String::with_capacity(bytes + bytes / 4);
        text.push_str(self.before);
        let mut number = 0;
        // Numbers make the pieces longer than they are written here.
        while number < count && text.len() + self.close.len() * number < bytes {
            push(&mut text, self.open, number);
            number += 1;
        }
        text.push_str(self.middle);
        (0..number).rev().for_each(|number| push(&mut text, self.close, number));
        text
    }

    /// The text as a file with this ending: a component has code only in its script, PHP only behind its mark.
    pub fn file(&self, extension: &str, bytes: usize) -> (RepoPath, String) {
        let text = self.text(bytes);
        let text = match extension {
            "vue" | "svelte" => format!("<script>\n{text}\n</script>\n"),
            "php" | "phtml" | "inc" => format!("<?php\n{text}\n"),
            _ => text,
        };
        (RepoPath::new(&format!("torture.{extension}")).expect("a path"), text)
    }
}

fn push(text: &mut String, piece: &str, number: usize) {
    match piece.contains('%') {
        true => text.push_str(&piece.replace('%', &number.to_string())),
        false => text.push_str(piece),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_the_size_that_is_asked_for() {
        for shape in SHAPES {
            for bytes in [1_000, 20_000] {
                let text = shape.text(bytes);
                assert!(
                    (bytes / 2..bytes + bytes / 2).contains(&text.len()),
                    "{}: {} for {bytes}",
                    shape.name,
                    text.len()
                );
            }
        }
    }
}
