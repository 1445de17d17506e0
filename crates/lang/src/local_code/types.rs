//! Types of variables as the code writes them, or as their first values show.

use tree_sitter::Node;

use super::locals::{Locals, Variable};
use super::{KnownCalls, list_named};
use crate::Language;

/// How many variables are followed to the type of the first.
pub(super) const MAX_STEPS: usize = 6;

/// Types of Rust whose values are copied.
pub(super) const COPIED_BY_RUST: &[&str] = &[
    "bool", "char", "usize", "isize", "u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "i128", "f32",
    "f64",
];

/// Types of the variables of a function.
pub(super) struct Types<'a, 't> {
    pub(super) language: Language,
    pub(super) text: &'a str,
    pub(super) locals: &'a Locals<'t>,
    pub(super) calls: &'a dyn KnownCalls,
    /// First byte of the code that needs the types.
    pub(super) at: usize,
}

impl<'t> Types<'_, 't> {
    pub(super) fn text(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    pub(super) fn field_text(&self, node: Node<'_>, field: &str) -> Option<String> {
        Some(self.text(node.child_by_field_name(field)?).to_owned())
    }

    /// The type of a variable; `None` if it is not certain.
    pub(super) fn of(&self, variable: &Variable<'t>) -> Option<String> {
        self.of_variable(variable, 0)
    }

    pub(super) fn of_variable(&self, variable: &Variable<'t>, steps: usize) -> Option<String> {
        if steps > MAX_STEPS {
            return None;
        }
        match self.language {
            Language::Go => self.of_go(variable, steps),
            Language::Rust => self.of_rust(variable, steps),
            Language::Java => self.of_java(variable),
            Language::TypeScript | Language::Tsx => self.of_script(variable, steps),
            Language::Python => self.of_python(variable),
            _ => None,
        }
    }

    /// The variable that an expression names, at its place.
    pub(super) fn variable_at(&self, node: Node<'_>) -> Option<&Variable<'t>> {
        let found =
            self.locals.uses.iter().find(|found| found.at.start_byte() == node.start_byte() && found.is_read())?;
        self.locals.variables.get(found.variable)
    }

    pub(super) fn results_of_call(&self, call: Node<'t>) -> Option<Vec<String>> {
        let function = call.child_by_field_name("function").or_else(|| call.child_by_field_name("name"))?;
        let name =
            ["field", "name", "property", "attribute"].iter().find_map(|field| function.child_by_field_name(field));
        self.calls.result_types(name.unwrap_or(function).start_byte())
    }

    fn of_rust(&self, variable: &Variable<'t>, steps: usize) -> Option<String> {
        let by = variable.by;
        // A pattern takes the value apart.
        let is_whole = by.child_by_field_name("pattern").is_some_and(|pattern| {
            pattern == variable.at || pattern.kind() == "mut_pattern" && pattern.named_child(1) == Some(variable.at)
        });
        if !matches!(by.kind(), "parameter" | "let_declaration") || !is_whole {
            return None;
        }
        if let Some(found) = self.field_text(by, "type") {
            return (!found.contains('_')
                || !found.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "_"))
            .then_some(found);
        }
        self.of_rust_value(by.child_by_field_name("value")?, steps)
    }

    fn of_rust_value(&self, node: Node<'t>, steps: usize) -> Option<String> {
        let plain = |text: &str| Some(text.to_owned());
        // By the form of the expression.
        match node.kind() {
            "boolean_literal" => plain("bool"),
            "char_literal" => plain("char"),
            "string_literal" | "raw_string_literal" if !self.text(node).starts_with('b') => plain("&str"),
            "integer_literal" | "float_literal" => {
                let text = self.text(node);
                let suffixes = ["usize", "isize", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64"];
                let found = suffixes.iter().find(|suffix| text.ends_with(**suffix) && !text.starts_with("0x"))?;
                plain(found)
            }
            "type_cast_expression" => self.field_text(node, "type"),
            "unary_expression" if self.text(node).starts_with('!') => {
                self.of_rust_value(node.named_child(0)?, steps + 1).filter(|found| steps < MAX_STEPS && found == "bool")
            }
            "binary_expression" => {
                let operator = node.child_by_field_name("operator")?.kind();
                matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||").then(|| "bool".to_owned())
            }
            "macro_invocation" if self.field_text(node, "macro")?.as_str() == "format" => plain("String"),
            "struct_expression" => self.field_text(node, "name").filter(|name| !name.contains('<') && name != "Self"),
            "identifier" => self.of_variable(self.variable_at(node)?, steps + 1),
            "call_expression" => {
                let function = node.child_by_field_name("function")?;
                match self.text(function) {
                    "String::new" | "String::from" | "String::with_capacity" => plain("String"),
                    "PathBuf::new" | "PathBuf::from" => plain("PathBuf"),
                    "Instant::now" => plain("Instant"),
                    _ => match self.results_of_call(node) {
                        Some(types) => Some(types).filter(|types| types.len() == 1)?.pop(),
                        None => self.of_rust_method(function),
                    },
                }
            }
            "parenthesized_expression" if steps < MAX_STEPS => self.of_rust_value(node.named_child(0)?, steps + 1),
            "field_expression" => {
                let found = self.calls.value_type(node.child_by_field_name("field")?.start_byte())?;
                COPIED_BY_RUST.contains(&found.as_str()).then_some(found)
            }
            "reference_expression" if steps < MAX_STEPS => {
                let value = node.child_by_field_name("value")?;
                let found = self.of_rust_value(value, steps + 1)?;
                let mark = if self.text(node).starts_with("&mut") { "&mut " } else { "&" };
                (!found.starts_with('&')).then(|| format!("{mark}{found}"))
            }
            _ => None,
        }
    }

    /// What a method of the standard library gives back, where all methods of its name there agree.
    fn of_rust_method(&self, function: Node<'t>) -> Option<String> {
        const RESULTS: &[(&str, &[&str])] = &[
            ("usize", &["len", "capacity", "count"]),
            (
                "bool",
                &[
                    "is_empty", "is_some", "is_none", "is_ok", "is_err", "starts_with", "ends_with", "contains",
                    "contains_key", "exists", "is_dir", "is_file", "is_absolute", "eq_ignore_ascii_case",
                ],
            ),
            ("String", &["to_string", "to_lowercase", "to_uppercase", "to_ascii_lowercase"]),
            ("PathBuf", &["to_path_buf"]),
        ];
        let name = self.field_text(function, "field").filter(|_| function.kind() == "field_expression")?;
        let found = RESULTS.iter().find(|(_, names)| names.contains(&name.as_str()))?;
        let is_imported = found.0 != "PathBuf" || self.text.contains("PathBuf");
        is_imported.then(|| found.0.to_owned())
    }

    fn of_java(&self, variable: &Variable<'t>) -> Option<String> {
        let by = variable.by;
        let own = match by.kind() {
            "formal_parameter" | "enhanced_for_statement" | "resource" => self.field_text(by, "type")?,
            "instanceof_expression" => self.field_text(by, "right")?,
            "catch_formal_parameter" => {
                let mut cursor = by.walk();
                let list = by.named_children(&mut cursor).find(|child| child.kind() == "catch_type")?;
                Some(self.text(list).to_owned()).filter(|text| !text.contains('|'))?
            }
            "variable_declarator" => {
                let list = by.parent()?;
                if list.kind() == "spread_parameter" {
                    let found = list.named_children(&mut list.walk()).find(|child| child.kind() != "modifiers")?;
                    return Some(format!("{}[]", self.text(found)));
                }
                self.field_text(list, "type")?
            }
            _ => return None,
        };
        let dimensions = by.child_by_field_name("dimensions").map_or("", |node| self.text(node));
        if own == "var" {
            let value = by.child_by_field_name("value")?;
            let is_new = value.kind() == "object_creation_expression"
                && value.named_children(&mut value.walk()).all(|child| child.kind() != "class_body");
            return self.field_text(value, "type").filter(|found| is_new && !found.contains("<>"));
        }
        Some(format!("{own}{dimensions}"))
    }

    /// The annotation of a parameter or variable.
    fn of_python(&self, variable: &Variable<'t>) -> Option<String> {
        let by = variable.by;
        let is_plain = match by.kind() {
            "assignment" => by.child_by_field_name("left") == Some(variable.at),
            _ => true,
        };
        let is_packed = variable.at.parent().is_some_and(|parent| parent.kind().contains("splat"));
        let holder = match by.kind() {
            "parameters" => variable.at.parent().filter(|parent| parent.kind() == "typed_parameter")?,
            "typed_parameter" | "typed_default_parameter" | "assignment" => by,
            _ => return None,
        };
        let kind = self.field_text(holder, "type").filter(|_| is_plain && !is_packed)?;
        // What the function declares is not known outside of it.
        let is_local = |word: &str| self.locals.variables.iter().any(|other| other.name == word);
        let has_local = kind.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_local);
        (!has_local && !kind.contains('\n')).then_some(kind)
    }

    fn of_script(&self, variable: &Variable<'t>, steps: usize) -> Option<String> {
        let by = variable.by;
        let annotation = |node: Node<'_>| {
            let found = self.field_text(node, "type")?;
            Some(found.trim_start_matches(':').trim().to_owned())
        };
        match by.kind() {
            "required_parameter" | "optional_parameter" if by.child_by_field_name("pattern") == Some(variable.at) => {
                match annotation(by) {
                    Some(found) if by.kind() == "optional_parameter" => {
                        Some(format!("{} | undefined", write_grouped(&found)))
                    }
                    Some(found) => Some(found),
                    None => self.of_script_value(by.child_by_field_name("value")?, false, steps),
                }
            }
            "required_parameter" => {
                let pattern = by.child_by_field_name("pattern")?;
                (pattern.kind() == "rest_pattern" && pattern.named_child(0) == Some(variable.at))
                    .then(|| annotation(by))?
            }
            "for_in_statement" if by.child_by_field_name("left") == Some(variable.at) => {
                if by.child_by_field_name("operator").is_some_and(|word| word.kind() == "in") {
                    return Some("string".to_owned());
                }
                let list = self.of_script_value(by.child_by_field_name("right")?, false, steps + 1)?;
                let element = list.strip_suffix("[]").or_else(|| list.strip_prefix("Array<")?.strip_suffix('>'))?;
                element.chars().all(|c| c.is_alphanumeric() || c == '_').then(|| element.to_owned())
            }
            "variable_declarator" if by.child_by_field_name("name") == Some(variable.at) => {
                annotation(by).or_else(|| {
                    let is_const = by.parent().is_some_and(|list| self.text(list).starts_with("const"));
                    self.of_script_value(by.child_by_field_name("value")?, is_const, steps)
                })
            }
            _ => None,
        }
    }

    fn of_script_value(&self, node: Node<'t>, is_const: bool, steps: usize) -> Option<String> {
        if steps > MAX_STEPS {
            return None;
        }
        /// Classes of the language and of browsers without type parameters.
        const PLAIN: &[&str] = &[
            "Date", "Error", "RegExp", "URL", "URLSearchParams", "Headers", "Request", "Response", "AbortController",
            "TextEncoder", "TextDecoder", "FormData", "TypeError", "RangeError",
        ];
        let plain = |text: &str| Some(text.to_owned());
        match node.kind() {
            "string" | "number" | "true" | "false" if is_const => plain(self.text(node)),
            "string" | "template_string" => plain("string"),
            "number" => plain("number"),
            "true" | "false" => plain("boolean"),
            "regex" => plain("RegExp"),
            "as_expression" => {
                let found = self.text(list_named(node).pop()?);
                (found != "const").then(|| found.to_owned())
            }
            "unary_expression" => match self.text(node).chars().next()? {
                '!' => plain("boolean"),
                _ => None,
            },
            "binary_expression" => {
                let operator = node.child_by_field_name("operator")?.kind();
                matches!(operator, "===" | "!==" | "==" | "!=" | "<" | ">" | "<=" | ">=" | "in" | "instanceof")
                    .then(|| "boolean".to_owned())
            }
            "new_expression" => {
                let class = self.field_text(node, "constructor")?;
                let name = node.child_by_field_name("constructor")?;
                if self.calls.is_plain(name.start_byte()) && node.child_by_field_name("type_arguments").is_none() {
                    return Some(class);
                }
                match self.field_text(node, "type_arguments") {
                    Some(arguments) => Some(format!("{class}{arguments}")),
                    None => PLAIN.contains(&class.as_str()).then_some(class),
                }
            }
            "identifier" => self.of_variable(self.variable_at(node)?, steps + 1),
            "call_expression" => {
                let known = self.results_of_call(node).filter(|types| types.len() == 1);
                let function = node.child_by_field_name("function")?;
                // A function that infers what it gives back.
                let is_named = function.kind() == "identifier" && self.variable_at(function).is_none();
                known.and_then(|mut types| types.pop()).or_else(|| {
                    let is_plain = is_named && self.calls.is_plain(function.start_byte());
                    is_plain.then(|| format!("ReturnType<typeof {}>", self.text(function)))
                })
            }
            "member_expression" => self.calls.value_type(node.child_by_field_name("property")?.start_byte()),
            "await_expression" if steps < MAX_STEPS => {
                let found = self.of_script_value(node.named_child(0)?, false, steps + 1)?;
                if found.starts_with("ReturnType<") {
                    return Some(format!("Awaited<{found}>"));
                }
                Some(found.strip_prefix("Promise<")?.strip_suffix('>')?.to_owned())
            }
            _ => None,
        }
    }
}

/// Puts a type of TypeScript that has operators in brackets.
fn write_grouped(found: &str) -> String {
    if found.contains("=>") { format!("({found})") } else { found.to_owned() }
}
