//! Types of variables and expressions of Go: from declarations, calls, fields, and what the standard library has.

use tree_sitter::Node;

use super::go_std::{GoImports, find_std};
use super::list_named;
use super::locals::Variable;
use super::types::{MAX_STEPS, Types};

/// Types that name a conversion, and that literals have.
const BASIC: &[&str] = &[
    "string", "bool", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
    "uintptr", "byte", "rune", "float32", "float64", "complex64", "complex128", "error", "any",
];

impl<'t> Types<'_, 't> {
    pub(super) fn of_go(&self, variable: &Variable<'t>, steps: usize) -> Option<String> {
        let by = variable.by;
        // By the form of the declaration.
        let found = match by.kind() {
            "parameter_declaration" => self.field_text(by, "type"),
            "variadic_parameter_declaration" => Some(format!("[]{}", self.field_text(by, "type")?)),
            "var_spec" if by.child_by_field_name("type").is_some() => self.field_text(by, "type"),
            "var_spec" => {
                let mut cursor = by.walk();
                let place = by.children_by_field_name("name", &mut cursor).position(|name| name == variable.at)?;
                self.of_go_value(by.child_by_field_name("value")?, place, steps)
            }
            "short_var_declaration" => {
                let left = by.child_by_field_name("left")?;
                let mut cursor = left.walk();
                let place = left.named_children(&mut cursor).position(|name| name == variable.at)?;
                self.of_go_value(by.child_by_field_name("right")?, place, steps)
            }
            "range_clause" => {
                let left = by.child_by_field_name("left")?;
                let place = list_named(left).iter().position(|name| *name == variable.at)?;
                let right = self.of_go_expression(by.child_by_field_name("right")?, steps + 1)?;
                find_element(&self.find_underlying(&right), place)
            }
            "receive_statement" => {
                let left = by.child_by_field_name("left")?;
                let place = list_named(left).iter().position(|name| *name == variable.at)?;
                if place == 1 {
                    return Some("bool".to_owned());
                }
                self.of_go_expression(by.child_by_field_name("right")?, steps + 1)
            }
            "type_switch_statement" => self.of_go_case(by),
            _ => None,
        };
        // A struct without a name would be another type in the graph.
        found.filter(|kind| !kind.replace("struct{}", "").contains("struct"))
    }

    /// The type that the variable of a `switch x := y.(type)` has at the place of the lines.
    fn of_go_case(&self, switch: Node<'t>) -> Option<String> {
        let case = list_named(switch)
            .into_iter()
            .find(|case| case.kind() == "type_case" && case.byte_range().contains(&self.at))?;
        let mut cursor = case.walk();
        let kinds: Vec<Node<'_>> = case.children_by_field_name("type", &mut cursor).filter(|n| n.is_named()).collect();
        match kinds.as_slice() {
            [kind] if self.text(*kind) != "nil" => Some(self.text(*kind).to_owned()),
            _ => None,
        }
    }

    fn of_go_value(&self, list: Node<'t>, place: usize, steps: usize) -> Option<String> {
        let count = list.named_child_count();
        let first = list.named_child(0)?;
        if count > 1 || place == 0 && first.kind() != "call_expression" {
            return self.of_go_expression(*list_named(list).get(place)?, steps);
        }
        if first.kind() != "call_expression" {
            // The second value of `m[k]`, `v.(T)` and `<-c`.
            return (place == 1).then(|| "bool".to_owned());
        }
        match self.results_of_go_call(first, steps) {
            Some(results) => results.get(place).cloned(),
            None if place == 0 => self.of_go_expression(first, steps),
            None => None,
        }
    }

    /// The results of a call: of the project, or of the standard library.
    fn results_of_go_call(&self, call: Node<'t>, steps: usize) -> Option<Vec<String>> {
        if steps > MAX_STEPS {
            return None;
        }
        if let Some(results) = self.results_of_call(call) {
            return Some(results);
        }
        let function = call.child_by_field_name("function")?;
        match function.kind() {
            "selector_expression" => {
                let row = find_std(&format!("{}()", self.std_name(function, steps)?))?;
                let imports = GoImports::read(self.text);
                row.split('|').map(|kind| imports.write_local(kind)).collect()
            }
            // A value that is a function.
            "identifier" | "index_expression" | "call_expression" | "parenthesized_expression" => {
                let kind = self.of_go_expression(function, steps + 1)?;
                let behind = kind.strip_prefix("func")?;
                let end = find_closing(behind)?;
                let rest = behind[end + 1..].trim();
                match rest.strip_prefix('(') {
                    Some(list) => {
                        let list = list.strip_suffix(')')?;
                        let parts: Vec<&str> = list.split(',').map(str::trim).collect();
                        parts
                            .iter()
                            .all(|part| !part.contains([' ', '(']))
                            .then(|| parts.iter().map(|part| (*part).to_owned()).collect())
                    }
                    None => Some(if rest.is_empty() { Vec::new() } else { vec![rest.to_owned()] }),
                }
            }
            _ => None,
        }
    }

    /// The name of a member of the standard library, with the path of its package: `net/http.Request.URL`.
    fn std_name(&self, selector: Node<'t>, steps: usize) -> Option<String> {
        let (operand, field) = (selector.child_by_field_name("operand")?, self.field_text(selector, "field")?);
        let imports = GoImports::read(self.text);
        if operand.kind() == "identifier" && self.variable_at(operand).is_none() {
            return Some(format!("{}.{field}", imports.path_of(self.text(operand))?));
        }
        let kind = self.of_go_expression(operand, steps + 1)?;
        let kind = kind.strip_prefix('*').unwrap_or(&kind);
        let is_name = kind.contains('.') && kind.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        is_name.then(|| imports.write_full(kind)).flatten().map(|kind| format!("{kind}.{field}"))
    }

    /// What a named type of the standard library or of the package is made of; the type itself if that is not known.
    pub(super) fn find_underlying(&self, kind: &str) -> String {
        let full = kind.contains('.').then(|| GoImports::read(self.text).write_full(kind)).flatten();
        let found = match full {
            Some(full) => find_std(&full).map(str::to_owned),
            None => self.calls.underlying_type(kind),
        };
        found.unwrap_or_else(|| kind.to_owned())
    }

    pub(super) fn of_go_expression(&self, node: Node<'t>, steps: usize) -> Option<String> {
        if steps > MAX_STEPS {
            return None;
        }
        let plain = |text: &str| Some(text.to_owned());
        // By the form of the expression.
        match node.kind() {
            "interpreted_string_literal" | "raw_string_literal" => plain("string"),
            "int_literal" => plain("int"),
            "float_literal" => plain("float64"),
            "rune_literal" => plain("rune"),
            "true" | "false" => plain("bool"),
            "composite_literal" => {
                let found = self.field_text(node, "type")?;
                (!found.starts_with("[...]")).then_some(found)
            }
            "func_literal" => {
                let body = node.child_by_field_name("body")?;
                self.text.get(node.start_byte()..body.start_byte()).map(|head| head.trim().to_owned())
            }
            "type_conversion_expression" | "type_assertion_expression" => self.field_text(node, "type"),
            "parenthesized_expression" => self.of_go_expression(node.named_child(0)?, steps + 1),
            "unary_expression" => self.of_go_unary(node, steps),
            "binary_expression" => self.of_go_binary(node, steps),
            "index_expression" => {
                let operand = self.of_go_expression(node.child_by_field_name("operand")?, steps + 1)?;
                let operand = self.find_underlying(&operand);
                if operand == "string" { plain("byte") } else { find_element(&operand, 1) }
            }
            "slice_expression" => {
                let operand = self.of_go_expression(node.child_by_field_name("operand")?, steps + 1)?;
                let is_kept = operand == "string" || operand.starts_with("[]");
                is_kept.then_some(operand)
            }
            "selector_expression" => {
                let field = node.child_by_field_name("field")?;
                if let Some(found) = self.calls.value_type(field.start_byte()) {
                    return Some(found);
                }
                let row = find_std(&self.std_name(node, steps)?)?;
                GoImports::read(self.text).write_local(row).filter(|kind| !is_word_of_table(kind))
            }
            "identifier" => match self.variable_at(node) {
                Some(variable) => self.of_variable(variable, steps + 1),
                None => self.calls.value_type(node.start_byte()),
            },
            "call_expression" => self.of_go_call(node, steps),
            _ => None,
        }
    }

    fn of_go_unary(&self, node: Node<'t>, steps: usize) -> Option<String> {
        let operand = node.child_by_field_name("operand")?;
        let sign = self.text(node).chars().next()?;
        if sign == '!' {
            return Some("bool".to_owned());
        }
        let kind = self.of_go_expression(operand, steps + 1)?;
        match sign {
            '&' => Some(format!("*{kind}")),
            '*' => kind.strip_prefix('*').map(str::to_owned),
            '<' => kind.trim_start_matches("<-").strip_prefix("chan ").map(|kind| kind.trim().to_owned()),
            _ => Some(kind),
        }
    }

    /// An operation has the type of its operands; one that is a literal takes that of the other.
    fn of_go_binary(&self, node: Node<'t>, steps: usize) -> Option<String> {
        let operator = node.child_by_field_name("operator")?.kind();
        if matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||") {
            return Some("bool".to_owned());
        }
        let (left, right) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
        let is_literal = |node: Node<'_>| node.kind().ends_with("_literal") && node.kind() != "composite_literal";
        if matches!(operator, "<<" | ">>") {
            return self.of_go_expression(left, steps + 1).filter(|_| !is_literal(left));
        }
        match (is_literal(left), is_literal(right)) {
            (true, true) if left.kind() != right.kind() => None,
            (true, _) => self.of_go_expression(right, steps + 1),
            _ => self.of_go_expression(left, steps + 1).or_else(|| self.of_go_expression(right, steps + 1)),
        }
    }

    fn of_go_call(&self, node: Node<'t>, steps: usize) -> Option<String> {
        let function = node.child_by_field_name("function")?;
        let arguments = node.child_by_field_name("arguments")?;
        let first = arguments.named_child(0);
        match self.text(function) {
            "make" => Some(self.text(first?).to_owned()),
            "new" => Some(format!("*{}", self.text(first?))),
            "len" | "cap" | "copy" => Some("int".to_owned()),
            "append" => self.of_go_expression(first?, steps + 1),
            "min" | "max" => list_named(arguments).into_iter().find_map(|value| {
                let is_literal = value.kind().ends_with("_literal");
                (!is_literal).then(|| self.of_go_expression(value, steps + 1)).flatten()
            }),
            name if BASIC.contains(&name) => Some(name.to_owned()),
            name if self.is_go_type(function) => Some(name.to_owned()),
            _ => self.results_of_go_call(node, steps).filter(|types| types.len() == 1)?.pop(),
        }
    }

    /// Returns whether what is called is a type: then the call is a conversion.
    fn is_go_type(&self, function: Node<'t>) -> bool {
        match function.kind() {
            "identifier" => {
                self.variable_at(function).is_none() && self.calls.underlying_type(self.text(function)).is_some()
            }
            "selector_expression" => self.std_name(function, MAX_STEPS).is_some_and(|name| find_std(&name).is_some()),
            _ => false,
        }
    }
}

/// Returns whether a row of the table says what a type is, and not the type of something.
fn is_word_of_table(kind: &str) -> bool {
    matches!(kind, "struct" | "interface" | "basic" | "reference")
}

/// The bracket that closes the first one.
fn find_closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// What `range` gives for a type, by the place of the variable.
fn find_element(of: &str, place: usize) -> Option<String> {
    let of = of.trim_start_matches("<-");
    let int = || Some("int".to_owned());
    if let Some(element) = of.strip_prefix("[]") {
        return if place == 0 { int() } else { Some(element.to_owned()) };
    }
    match of {
        "string" if place == 0 => return int(),
        "string" => return Some("rune".to_owned()),
        "int" => return (place == 0).then(|| "int".to_owned()),
        _ => {}
    }
    if let Some(element) = of.strip_prefix("chan ") {
        return (place == 0).then(|| element.trim().to_owned());
    }
    if of.starts_with('[') && of[1..].starts_with(|c: char| c.is_ascii_digit()) {
        let (_, element) = of.split_once(']')?;
        return if place == 0 { int() } else { Some(element.to_owned()) };
    }
    let (key, value) = of.strip_prefix("map[")?.split_once(']')?;
    (!key.contains('[')).then(|| if place == 0 { key.to_owned() } else { value.to_owned() })
}
