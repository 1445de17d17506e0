//! Where the parameters of a function and the arguments of a call are written: what changes a signature rewrites these
//! bytes. The kinds of nodes are rows by language.

mod scopes;
#[cfg(test)]
mod tests;

use m1nd_base::{Cancel, Limits};
use tree_sitter::{Node, Tree};

use crate::{Language, parse};

/// Maximum number of nodes between a name and the definition or call that it belongs to.
const MAX_ABOVE: usize = 12;
/// Maximum number of nodes between a declarator and its name.
const MAX_DECLARATORS: usize = 16;

/// Bytes of a text: the first, and the one behind the last.
pub type ByteRange = (usize, usize);

/// How arguments reach a parameter, as far as its own text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterForm {
    /// Written as the value that the method is called on: Rust `self`, TypeScript `this`.
    Receiver,
    /// By position, or by name where the language has that.
    Plain,
    /// By name only.
    Keyword,
    /// All further positional arguments.
    Rest,
    /// All further named arguments.
    KeywordRest,
    /// Python `/`: the parameters before it are given by position only.
    PositionalEnd,
    /// Python `*`: the parameters behind it are given by name only.
    KeywordStart,
}

/// A parameter where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterPlace {
    /// All of it.
    pub range: ByteRange,
    /// Its name; `None` if it is a pattern or has none.
    pub name: Option<ByteRange>,
    /// How arguments reach it.
    pub form: ParameterForm,
    /// A call may leave it out.
    pub is_optional: bool,
    /// The value that it has then, if that is written.
    pub default: Option<ByteRange>,
    /// It declares a field, too (`constructor(private x: number)`).
    pub is_field: bool,
    /// Several names before one type (Go `a, b int`): the type. The range is that of the name alone.
    pub shared_type: Option<ByteRange>,
}

/// The parameters of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterList {
    /// From the opening to the closing bracket, or the one parameter without brackets.
    pub range: ByteRange,
    /// In order.
    pub items: Vec<ParameterPlace>,
    /// The function without its decorators.
    pub function: ByteRange,
    /// What it does; `None` if it is only declared.
    pub body: Option<ByteRange>,
    /// The comment or text that documents it.
    pub doc: Option<ByteRange>,
}

/// How an argument is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentForm {
    /// By its place.
    Positional,
    /// By a name, which stands at these bytes.
    Keyword(ByteRange),
    /// All values of a list: `*xs`, `...xs`, `xs...`.
    Spread,
    /// All values of a map, by their keys.
    KeywordSpread,
}

/// An argument where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentPlace {
    /// All of it.
    pub range: ByteRange,
    /// How it is given.
    pub form: ArgumentForm,
    /// To evaluate it may do something: it calls, creates, assigns or waits.
    pub has_effects: bool,
}

/// A call where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallPlace {
    /// From the opening to the closing bracket; empty where a call without arguments has no brackets.
    pub range: ByteRange,
    /// In order.
    pub arguments: Vec<ArgumentPlace>,
    /// First byte of the last name of what the function is a member of: `b` of `a.b.f()`.
    pub base: Option<usize>,
    /// The base is a path, which no value can be (Rust `a::f`).
    pub is_path: bool,
}

/// What stands at a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Site {
    /// It is called.
    Call(CallPlace),
    /// It is called with arguments that are not a plain list.
    Unmapped,
    /// A member of it is named.
    Base,
    /// Its value is tested for its type (`isinstance`, `except`, `instanceof`).
    TypeTest,
    /// The file exports it.
    Export,
    /// It is a value.
    Value,
}

/// A use of a parameter in its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterUse {
    /// First byte.
    pub start: usize,
    /// One name for a key and its value: `{ x }`.
    pub is_shorthand: bool,
}

/// The rules of a language.
struct Rules {
    /// Fields of the definitions that hold the parameters.
    functions: &'static [&'static str],
    /// Calls: kind, field of what is called, field of the arguments.
    calls: &'static [(&'static str, &'static str, &'static str)],
    /// Nodes around the name of what is called.
    wrappers: &'static [&'static str],
    /// Fields of wrappers that hold what the function is a member of.
    bases: &'static [&'static str],
    /// The rows of parameters: kind, form.
    parameters: &'static [(&'static str, ParameterForm)],
}

const BASES: &[&str] = &["object", "argument", "value", "operand", "path", "scope"];

const PYTHON: Rules = Rules {
    functions: &["function_definition"],
    calls: &[("call", "function", "arguments")],
    wrappers: &["attribute", "parenthesized_expression"],
    bases: BASES,
    parameters: &[
        ("identifier", ParameterForm::Plain),
        ("default_parameter", ParameterForm::Plain),
        ("typed_parameter", ParameterForm::Plain),
        ("typed_default_parameter", ParameterForm::Plain),
        ("list_splat_pattern", ParameterForm::Rest),
        ("dictionary_splat_pattern", ParameterForm::KeywordRest),
        ("keyword_separator", ParameterForm::KeywordStart),
        ("positional_separator", ParameterForm::PositionalEnd),
    ],
};
const SCRIPT: Rules = Rules {
    functions: &[
        "function_declaration", "generator_function_declaration", "function_expression", "generator_function",
        "arrow_function", "method_definition", "function_signature", "method_signature", "abstract_method_signature",
    ],
    calls: &[("call_expression", "function", "arguments"), ("new_expression", "constructor", "arguments")],
    wrappers: &[
        "member_expression", "nested_identifier", "parenthesized_expression", "non_null_expression",
        "instantiation_expression",
    ],
    bases: BASES,
    parameters: &[
        ("required_parameter", ParameterForm::Plain),
        ("optional_parameter", ParameterForm::Plain),
        ("identifier", ParameterForm::Plain),
        ("assignment_pattern", ParameterForm::Plain),
        ("object_pattern", ParameterForm::Plain),
        ("array_pattern", ParameterForm::Plain),
        ("rest_pattern", ParameterForm::Rest),
    ],
};
const GO: Rules = Rules {
    functions: &["function_declaration", "method_declaration", "method_elem", "method_spec"],
    calls: &[("call_expression", "function", "arguments")],
    wrappers: &["selector_expression", "parenthesized_expression", "type_instantiation_expression", "index_expression"],
    bases: BASES,
    parameters: &[
        ("parameter_declaration", ParameterForm::Plain),
        ("variadic_parameter_declaration", ParameterForm::Rest),
    ],
};
const RUST: Rules = Rules {
    functions: &["function_item", "function_signature_item"],
    calls: &[("call_expression", "function", "arguments")],
    wrappers: &["field_expression", "scoped_identifier", "generic_function", "parenthesized_expression"],
    bases: BASES,
    parameters: &[("self_parameter", ParameterForm::Receiver), ("parameter", ParameterForm::Plain)],
};
const JAVA: Rules = Rules {
    functions: &["method_declaration", "constructor_declaration"],
    calls: &[
        ("method_invocation", "name", "arguments"),
        ("object_creation_expression", "type", "arguments"),
        ("explicit_constructor_invocation", "constructor", "arguments"),
        ("enum_constant", "name", "arguments"),
    ],
    wrappers: &["generic_type", "scoped_type_identifier"],
    bases: BASES,
    parameters: &[
        ("receiver_parameter", ParameterForm::Receiver),
        ("formal_parameter", ParameterForm::Plain),
        ("spread_parameter", ParameterForm::Rest),
    ],
};
const C: Rules = Rules {
    functions: &["function_declarator"],
    calls: &[("call_expression", "function", "arguments"), ("new_expression", "type", "arguments")],
    wrappers: &[
        "field_expression", "qualified_identifier", "template_function", "template_method", "template_type",
        "dependent_name",
    ],
    bases: BASES,
    parameters: &[
        ("parameter_declaration", ParameterForm::Plain),
        ("optional_parameter_declaration", ParameterForm::Plain),
        ("variadic_parameter", ParameterForm::Rest),
        ("variadic_parameter_declaration", ParameterForm::Rest),
    ],
};

/// Kinds of expressions that do something when they are evaluated, in all languages.
const EFFECTS: &[&str] = &[
    "call", "call_expression", "new_expression", "object_creation_expression", "method_invocation", "macro_invocation",
    "await", "await_expression", "yield", "yield_expression", "try_expression", "assignment_expression",
    "augmented_assignment_expression", "update_expression", "named_expression", "receive_expression",
];
/// Kinds of functions without a name: what is inside does not happen where they are written.
const DEFERRED: &[&str] = &[
    "lambda", "arrow_function", "function_expression", "closure_expression", "func_literal", "lambda_expression",
    "generator_expression",
];
/// Callees whose arguments are types.
const TYPE_TESTS: &[&str] = &["isinstance", "issubclass", "typeof", "sizeof"];

fn rules_of(language: Language) -> Option<&'static Rules> {
    Some(match language {
        Language::Python => &PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &SCRIPT,
        Language::Go => &GO,
        Language::Rust => &RUST,
        Language::Java => &JAVA,
        Language::C | Language::Cpp => &C,
        _ => return None,
    })
}

/// A file, parsed to find its signatures and calls.
pub struct Signatures<'t> {
    text: &'t str,
    tree: Tree,
    rules: &'static Rules,
}

impl<'t> Signatures<'t> {
    /// Parses a text; `None` for a language without rules, and where a limit ends it.
    pub fn parse(language: Language, text: &'t str, limits: &Limits, cancel: &Cancel) -> Option<Self> {
        let rules = rules_of(language)?;
        if text.len() > limits.parse_bytes {
            return None;
        }
        let tree = parse::parse(&language.grammar()?, text.as_bytes(), limits, cancel).ok()?;
        Some(Self { text, tree, rules })
    }

    /// Reads one parameter as it would stand in a list; `None` if the text is not exactly one.
    pub fn parse_parameter(
        language: Language,
        parameter: &str,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Option<(ParameterPlace, usize)> {
        let (before, after) = match language {
            Language::Python => ("def f(", "): pass\n"),
            Language::JavaScript | Language::TypeScript | Language::Tsx => ("function f(", ") {}\n"),
            Language::Go => ("package p\nfunc f(", ") {}\n"),
            Language::Rust => ("fn f(", ") {}\n"),
            Language::Java => ("class A { void f(", ") {} }\n"),
            Language::C | Language::Cpp => ("void f(", ");\n"),
            _ => return None,
        };
        let text = format!("{before}{parameter}{after}");
        let file = Signatures::parse(language, &text, limits, cancel)?;
        let list = file.parameters_at(before.len().checked_sub(2)?)?;
        let is_one = list.items.len() == 1 && !file.tree.root_node().has_error();
        let item = list.items.into_iter().next().filter(|_| is_one)?;
        let is_whole = item.range == (before.len(), before.len() + parameter.trim_end().len());
        is_whole.then_some((item, before.len()))
    }

    fn leaf(&self, at: usize) -> Option<Node<'_>> {
        self.tree.root_node().descendant_for_byte_range(at, at + 1)
    }

    fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The parameters of the function whose name begins at a byte.
    pub fn parameters_at(&self, at: usize) -> Option<ParameterList> {
        let mut node = self.leaf(at)?;
        for _ in 0..MAX_ABOVE {
            let is_function = self.rules.functions.contains(&node.kind());
            let value = ["value", "right"].iter().filter_map(|field| node.child_by_field_name(field));
            let value = { value }.find(|value| value.start_byte() > at && self.rules.functions.contains(&value.kind()));
            if let Some(function) = if is_function { Some(node) } else { value } {
                let list = function.child_by_field_name("parameters");
                let list = list.or_else(|| function.child_by_field_name("parameter"))?;
                // The name stands before the parameters.
                return if list.start_byte() > at { self.read_list(node, function, list) } else { None };
            }
            node = node.parent()?;
        }
        None
    }

    fn read_list(&self, named: Node<'_>, function: Node<'_>, list: Node<'_>) -> Option<ParameterList> {
        let mut whole = function;
        let mut body = function.child_by_field_name("body");
        // C: the declarator is inside of what has the body.
        let mut above = named;
        if function.kind() == "function_declarator" {
            while let Some(outer) = above.parent().filter(|outer| !outer.kind().ends_with("_list")) {
                let is_end = matches!(outer.kind(), "function_definition" | "declaration" | "field_declaration");
                above = outer;
                if is_end {
                    (whole, body) = (outer, outer.child_by_field_name("body"));
                    break;
                }
            }
        }
        let mut items = Vec::new();
        let mut form = ParameterForm::Plain;
        let single = list.kind() == "identifier";
        let mut cursor = list.walk();
        let children: Vec<Node<'_>> = if single { vec![list] } else { list.named_children(&mut cursor).collect() };
        let children = children.into_iter().filter(|node| !node.kind().contains("comment"));
        for child in children {
            // `(void)` has no parameters.
            if self.text_of(child) == "void" && self.text_of(list).trim_matches(['(', ')', ' ']) == "void" {
                continue;
            }
            let row = self.rules.parameters.iter().find(|(kind, _)| *kind == child.kind())?;
            let mut found = self.read_parameters(child, row.1)?;
            for item in &mut found {
                if form == ParameterForm::Keyword && item.form == ParameterForm::Plain {
                    item.form = form;
                }
                if matches!(item.form, ParameterForm::KeywordStart | ParameterForm::Rest) {
                    form = ParameterForm::Keyword;
                }
            }
            items.extend(found);
        }
        Some(ParameterList {
            range: (list.start_byte(), list.end_byte()),
            items,
            function: (whole.start_byte(), whole.end_byte()),
            body: body.map(|body| (body.start_byte(), body.end_byte())),
            doc: self.find_doc(whole, body),
        })
    }

    /// A node of a list: one parameter, or several names of Go before one type.
    fn read_parameters(&self, node: Node<'_>, form: ParameterForm) -> Option<Vec<ParameterPlace>> {
        let range_of = |node: Node<'_>| (node.start_byte(), node.end_byte());
        let default = ["value", "right", "default_value"].iter().find_map(|field| node.child_by_field_name(field));
        let default = default.filter(|_| node.kind() != "identifier");
        let mut place = ParameterPlace {
            range: range_of(node),
            name: None,
            form,
            is_optional: default.is_some() || node.kind() == "optional_parameter",
            default: default.map(range_of),
            is_field: false,
            shared_type: None,
        };
        let mut cursor = node.walk();
        let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
        if let (true, Some(kind)) = (names.len() > 1, node.child_by_field_name("type")) {
            let row = |name: &Node<'_>| ParameterPlace {
                range: range_of(*name),
                name: Some(range_of(*name)),
                shared_type: Some(range_of(kind)),
                ..place.clone()
            };
            return Some(names.iter().map(row).collect());
        }
        let mut inner = node;
        for _ in 0..MAX_DECLARATORS {
            let field = ["name", "pattern", "left", "declarator"].iter().find_map(|f| inner.child_by_field_name(f));
            let is_wrapper = matches!(
                inner.kind(),
                "typed_parameter"
                    | "list_splat_pattern"
                    | "dictionary_splat_pattern"
                    | "rest_pattern"
                    | "reference_declarator"
                    | "parenthesized_declarator"
                    | "mut_pattern"
                    | "variadic_declarator"
            );
            let next = match inner.kind() {
                "spread_parameter" => find_child(inner, "variable_declarator"),
                // The name stands last: `mut x`.
                _ if is_wrapper && inner.kind() == "mut_pattern" => {
                    inner.named_child((inner.named_child_count() as u32).saturating_sub(1))
                }
                _ if is_wrapper => inner.named_child(0),
                _ => field,
            };
            match inner.kind() {
                "list_splat_pattern" | "rest_pattern" => place.form = ParameterForm::Rest,
                "dictionary_splat_pattern" => place.form = ParameterForm::KeywordRest,
                "this" => place.form = ParameterForm::Receiver,
                _ => {}
            }
            inner = match next {
                Some(next) => next,
                None => break,
            };
        }
        if inner.kind() == "identifier" {
            place.name = Some(range_of(inner));
        }
        if self.text_of(inner) == "this" {
            place.form = ParameterForm::Receiver;
        }
        let mut cursor = node.walk();
        place.is_field = node.children(&mut cursor).any(|child| {
            matches!(child.kind(), "accessibility_modifier" | "override_modifier" | "readonly" | "decorator")
        });
        Some(vec![place])
    }

    /// The comment before a definition, or the text that a body of Python begins with.
    fn find_doc(&self, whole: Node<'_>, body: Option<Node<'_>>) -> Option<ByteRange> {
        if whole.kind() == "function_definition"
            && let Some(first) = body.filter(|body| body.kind() == "block").and_then(|body| body.named_child(0))
        {
            let string = first.named_child(0).filter(|node| node.kind() == "string");
            return string.map(|node| (node.start_byte(), node.end_byte()));
        }
        let mut node = whole;
        for _ in 0..MAX_ABOVE {
            let before = node.prev_named_sibling();
            let skips = |kind: &str| matches!(kind, "attribute_item" | "decorator");
            match before {
                Some(before) if before.kind().contains("comment") => {
                    let mut first = before;
                    while let Some(more) = first.prev_named_sibling().filter(|more| {
                        more.kind().contains("comment") && more.end_position().row + 1 >= first.start_position().row
                    }) {
                        first = more;
                    }
                    return Some((first.start_byte(), before.end_byte()));
                }
                Some(before) if skips(before.kind()) => node = before,
                _ => {
                    let outer = node.parent()?;
                    let wraps = ["export_statement", "template_declaration", "lexical_declaration", "declaration"];
                    let wraps = wraps.contains(&outer.kind()) || outer.kind() == "variable_declarator";
                    node = if wraps { outer } else { return None };
                }
            }
        }
        None
    }

    /// What is done with the function or class whose name stands at a byte.
    pub fn site_at(&self, at: usize) -> Option<Site> {
        let mut node = self.leaf(at)?;
        let mut base = None;
        let mut is_path = false;
        for _ in 0..MAX_ABOVE {
            let parent = node.parent()?;
            let kind = parent.kind();
            if kind == "token_tree" {
                return Some(self.read_macro_call(node));
            }
            let row = self.rules.calls.iter().find(|(call, ..)| *call == kind);
            if let Some((_, callee, arguments)) = row.filter(|row| parent.child_by_field_name(row.1) == Some(node)) {
                let object = parent.child_by_field_name("object").filter(|_| *callee == "name");
                base = base.or_else(|| self.last_name(object?));
                return Some(self.read_call(parent, parent.child_by_field_name(arguments), base, is_path));
            }
            if let Some(site) = self.read_construction(node, parent) {
                return Some(site);
            }
            let object = self.rules.bases.iter().find_map(|field| parent.child_by_field_name(field));
            if !self.rules.wrappers.contains(&kind) {
                return Some(self.classify_value(node, parent));
            }
            if object == Some(node) && kind != "parenthesized_expression" {
                return Some(Site::Base);
            }
            if let Some(object) = object {
                is_path |= matches!(kind, "scoped_identifier" | "qualified_identifier");
                base = base.or_else(|| self.last_name(object));
            }
            node = parent;
        }
        None
    }

    /// C++ objects that a declaration or an initialiser constructs: `P p(1)`, `: P(1)`.
    fn read_construction(&self, node: Node<'_>, parent: Node<'_>) -> Option<Site> {
        match parent.kind() {
            "field_initializer" if parent.named_child(0) == Some(node) => {
                Some(self.read_call(parent, parent.named_child(1), None, false))
            }
            "declaration" if parent.child_by_field_name("type") == Some(node) => {
                let mut cursor = parent.walk();
                let declarators: Vec<Node<'_>> = parent.children_by_field_name("declarator", &mut cursor).collect();
                let value = declarators.first().and_then(|first| first.child_by_field_name("value"));
                let value = value.filter(|value| matches!(value.kind(), "argument_list" | "initializer_list"));
                Some(match (declarators.len(), value) {
                    (1, Some(value)) => self.read_call(parent, Some(value), None, false),
                    _ => Site::Value,
                })
            }
            "compound_literal_expression" => Some(Site::Unmapped),
            _ => None,
        }
    }

    fn classify_value(&self, node: Node<'_>, parent: Node<'_>) -> Site {
        let kind = parent.kind();
        let in_test = |list: Node<'_>| {
            let callee = list.parent().and_then(|call| call.child_by_field_name("function"));
            callee.is_some_and(|callee| TYPE_TESTS.contains(&self.text_of(callee)))
        };
        let is_test = match kind {
            "except_clause" | "instanceof_expression" | "as_pattern" | "type" | "catch_type" => true,
            "binary_expression" => {
                let operator = parent.child_by_field_name("operator").map(|operator| self.text_of(operator));
                operator == Some("instanceof") && parent.child_by_field_name("right") == Some(node)
            }
            "argument_list" => in_test(parent),
            "tuple" => parent.parent().is_some_and(|outer| outer.kind() == "except_clause" || in_test(outer)),
            _ => false,
        };
        match is_test {
            true => Site::TypeTest,
            false if self.is_export(node) => Site::Export,
            false => Site::Value,
        }
    }

    /// Returns whether a value is what a file of JavaScript exports: `module.exports = { f }`, `exports.f = f`.
    fn is_export(&self, node: Node<'_>) -> bool {
        let mut node = node;
        for _ in 0..MAX_ABOVE {
            let Some(parent) = node.parent() else { return false };
            match parent.kind() {
                "export_statement" | "export_specifier" => return true,
                "pair" | "object" => {}
                "assignment_expression" if parent.child_by_field_name("right") == Some(node) => {
                    let left = parent.child_by_field_name("left").map_or("", |left| self.text_of(left));
                    if left.starts_with("module.exports") || left.starts_with("exports") {
                        return true;
                    }
                }
                _ => return false,
            }
            node = parent;
        }
        false
    }

    /// First byte of the last name of an expression; `None` of a call and of anything else without a name.
    fn last_name(&self, node: Node<'_>) -> Option<usize> {
        let mut node = node;
        for _ in 0..MAX_ABOVE {
            let last = ["attribute", "property", "field", "name", "operand", "type"];
            let next = last.iter().find_map(|field| node.child_by_field_name(field));
            let inner = match node.kind() {
                "parenthesized_expression" | "pointer_type" | "bracketed_type" => node.named_child(0),
                "call" | "call_expression" | "method_invocation" => None,
                _ => next,
            };
            match inner {
                Some(inner) => node = inner,
                None => break,
            }
        }
        node.kind().contains("identifier").then(|| node.start_byte())
    }

    fn read_call(&self, call: Node<'_>, list: Option<Node<'_>>, base: Option<usize>, is_path: bool) -> Site {
        let Some(list) = list else {
            // `new C`
            let end = call.end_byte();
            return Site::Call(CallPlace { range: (end, end), arguments: Vec::new(), base, is_path });
        };
        let range = (list.start_byte(), list.end_byte());
        if list.kind() == "generator_expression" {
            let argument = ArgumentPlace { range, form: ArgumentForm::Positional, has_effects: false };
            return Site::Call(CallPlace { range, arguments: vec![argument], base, is_path });
        }
        if !matches!(list.kind(), "argument_list" | "arguments" | "initializer_list") || list.has_error() {
            return Site::Unmapped;
        }
        let mut cursor = list.walk();
        let mut arguments = Vec::new();
        for child in list.named_children(&mut cursor).filter(|node| !node.kind().contains("comment")) {
            let form = match child.kind() {
                "keyword_argument" => match child.child_by_field_name("name") {
                    Some(name) => ArgumentForm::Keyword((name.start_byte(), name.end_byte())),
                    None => return Site::Unmapped,
                },
                "list_splat" | "spread_element" | "variadic_argument" | "parameter_pack_expansion" => {
                    ArgumentForm::Spread
                }
                "dictionary_splat" => ArgumentForm::KeywordSpread,
                kind if kind.starts_with("preproc") || kind == "attribute_item" => return Site::Unmapped,
                _ => ArgumentForm::Positional,
            };
            let range = (child.start_byte(), child.end_byte());
            arguments.push(ArgumentPlace { range, form, has_effects: has_effects(child) });
        }
        Site::Call(CallPlace { range, arguments, base, is_path })
    }

    /// A call among the tokens of a macro of Rust: a name before tokens in brackets, which commas divide.
    fn read_macro_call(&self, name: Node<'_>) -> Site {
        let Some(list) = name.next_sibling() else { return Site::Value };
        match list.kind() {
            "token_tree" if self.text_of(list).starts_with('(') => {}
            "::" => return Site::Unmapped,
            "." => return Site::Base,
            _ => return Site::Value,
        }
        let before = name.prev_sibling().filter(|node| matches!(node.kind(), "." | "::"));
        let is_path = before.is_some_and(|node| node.kind() == "::");
        let base = before.and_then(|node| node.prev_sibling()).map(|node| node.start_byte());
        let mut cursor = list.walk();
        let children: Vec<Node<'_>> = list.children(&mut cursor).collect();
        let inner = children.get(1..children.len().saturating_sub(1)).unwrap_or_default();
        // Commas may belong to parameters of a closure or to generic types.
        if inner.iter().any(|node| matches!(node.kind(), "|" | "<" | ">" | "||")) {
            return Site::Unmapped;
        }
        let runs = inner.split(|node| node.kind() == ",");
        let argument = |run: &[Node<'_>]| {
            let (first, last) = run.first().zip(run.last())?;
            let has_effects = run.iter().any(|node| node.kind() == "token_tree" || node.kind() == "!");
            let range = (first.start_byte(), last.end_byte());
            Some(ArgumentPlace { range, form: ArgumentForm::Positional, has_effects })
        };
        let arguments = runs.filter_map(argument).collect();
        Site::Call(CallPlace { range: (list.start_byte(), list.end_byte()), arguments, base, is_path })
    }

    /// Places in some bytes that read, write or bind a variable of a name.
    pub fn uses_of(&self, (start, end): ByteRange, name: &str) -> Vec<ParameterUse> {
        let mut found = Vec::new();
        for (offset, _) in self.text.get(start..end).unwrap_or_default().match_indices(name) {
            let at = start + offset;
            let Some(leaf) = self.leaf(at).filter(|leaf| self.text_of(*leaf) == name && leaf.start_byte() == at) else {
                // A format string of Rust captures variables: `"{x}"`, `"{x:?}"`.
                let (before, after) = (&self.text[..at], &self.text[at + name.len()..]);
                let is_captured = before.ends_with('{') && !before.ends_with("{{") && after.starts_with(['}', ':']);
                let in_string = self.leaf(at).is_some_and(|leaf| leaf.kind().contains("string"));
                if std::ptr::eq(self.rules, &RUST) && is_captured && in_string {
                    found.push(ParameterUse { start: at, is_shorthand: false });
                }
                continue;
            };
            let is_shorthand = leaf.kind().starts_with("shorthand_")
                || leaf.parent().is_some_and(|parent| parent.kind() == "shorthand_field_initializer");
            if (leaf.kind() == "identifier" || is_shorthand) && !self.names_member(leaf) {
                found.push(ParameterUse { start: at, is_shorthand });
            }
        }
        found
    }

    /// Returns whether an identifier names a member, a key, or a method, and not a variable.
    fn names_member(&self, leaf: Node<'_>) -> bool {
        let before = self.text[..leaf.start_byte()].trim_end();
        let is_behind_dot = before.ends_with('.') && !before.ends_with("..");
        // In Java, an arrow stands before the body of a lambda.
        let is_behind_arrow =
            before.ends_with("->") && leaf.parent().is_some_and(|parent| parent.kind() != "lambda_expression");
        if is_behind_dot || is_behind_arrow || before.ends_with("::") {
            return true;
        }
        let Some(parent) = leaf.parent() else { return false };
        let fills = |field: &str| parent.child_by_field_name(field) == Some(leaf);
        match parent.kind() {
            "keyword_argument" | "method_invocation" | "scoped_identifier" => fills("name"),
            "element_value_pair" => fills("key"),
            "labeled_statement" | "break_statement" | "continue_statement" => true,
            // `T{x: 1}` of Go, where `T` is not a map.
            "literal_element" => {
                let Some(keyed) = parent.parent().filter(|outer| outer.kind() == "keyed_element") else { return false };
                let literal = keyed.parent().and_then(|value| value.parent());
                let kind = literal.and_then(|literal| literal.child_by_field_name("type"));
                keyed.named_child(0) == Some(parent) && kind.is_none_or(|kind| kind.kind() != "map_type")
            }
            _ => false,
        }
    }
}

/// The first child of a kind.
fn find_child<'n>(node: Node<'n>, kind: &str) -> Option<Node<'n>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}

/// Returns whether to evaluate an expression may do something.
fn has_effects(node: Node<'_>) -> bool {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if EFFECTS.contains(&node.kind()) {
            return true;
        }
        if !DEFERRED.contains(&node.kind()) {
            let mut cursor = node.walk();
            open.extend(node.named_children(&mut cursor));
        }
    }
    false
}
