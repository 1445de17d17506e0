//! Types of variables as the code writes them, or as their first values show.

use tree_sitter::Node;

use super::locals::{Locals, Variable};
use super::{KnownCalls, list_named};
use crate::Language;

/// How many variables are followed to the type of the first.
const MAX_STEPS: usize = 6;

/// Types of the variables of a function.
pub(super) struct Types<'a, 't> {
    pub(super) language: Language,
    pub(super) text: &'a str,
    pub(super) locals: &'a Locals<'t>,
    pub(super) calls: &'a dyn KnownCalls,
}

impl<'t> Types<'_, 't> {
    fn text(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn field_text(&self, node: Node<'_>, field: &str) -> Option<String> {
        Some(self.text(node.child_by_field_name(field)?).to_owned())
    }

    /// The type of a variable; `None` if it is not certain.
    pub(super) fn of(&self, variable: &Variable<'t>) -> Option<String> {
        self.of_variable(variable, 0)
    }

    fn of_variable(&self, variable: &Variable<'t>, steps: usize) -> Option<String> {
        if steps > MAX_STEPS {
            return None;
        }
        match self.language {
            Language::Go => self.of_go(variable, steps),
            Language::Rust => self.of_rust(variable, steps),
            Language::Java => self.of_java(variable),
            Language::TypeScript | Language::Tsx => self.of_script(variable, steps),
            _ => None,
        }
    }

    /// The variable that an expression names, at its place.
    fn variable_at(&self, node: Node<'_>) -> Option<&Variable<'t>> {
        let found =
            self.locals.uses.iter().find(|found| found.at.start_byte() == node.start_byte() && found.is_read())?;
        self.locals.variables.get(found.variable)
    }

    fn of_go(&self, variable: &Variable<'t>, steps: usize) -> Option<String> {
        let by = variable.by;
        match by.kind() {
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
                let right = self.of_go_expression(by.child_by_field_name("right")?, steps)?;
                find_element_of_go(&right, place)
            }
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
        let results = self.results_of_call(first);
        match results {
            Some(results) => results.get(place).cloned(),
            None if place == 0 => self.of_go_expression(first, steps),
            None => None,
        }
    }

    fn results_of_call(&self, call: Node<'t>) -> Option<Vec<String>> {
        let function = call.child_by_field_name("function").or_else(|| call.child_by_field_name("name"))?;
        let name =
            ["field", "name", "property", "attribute"].iter().find_map(|field| function.child_by_field_name(field));
        self.calls.result_types(name.unwrap_or(function).start_byte())
    }

    fn of_go_expression(&self, node: Node<'t>, steps: usize) -> Option<String> {
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
            "type_conversion_expression" => self.field_text(node, "type"),
            "type_assertion_expression" => self.field_text(node, "type"),
            "parenthesized_expression" => {
                self.of_go_expression(node.named_child(0)?, steps + 1).filter(|_| steps < MAX_STEPS)
            }
            "unary_expression" => {
                let operand = node.child_by_field_name("operand")?;
                match self.text(node).chars().next()? {
                    '!' => plain("bool"),
                    '&' if operand.kind() == "composite_literal" => {
                        Some(format!("*{}", self.field_text(operand, "type")?))
                    }
                    _ => None,
                }
            }
            "binary_expression" => {
                let operator = node.child_by_field_name("operator")?.kind();
                matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||").then(|| "bool".to_owned())
            }
            "identifier" => self.of_variable(self.variable_at(node)?, steps + 1),
            "call_expression" => {
                let function = node.child_by_field_name("function")?;
                let first = node.child_by_field_name("arguments")?.named_child(0);
                match self.text(function) {
                    "make" => Some(self.text(first?).to_owned()),
                    "new" => Some(format!("*{}", self.text(first?))),
                    "len" | "cap" | "copy" => plain("int"),
                    "append" => self.of_go_expression(first?, steps + 1).filter(|_| steps < MAX_STEPS),
                    name @ ("string" | "int" | "int32" | "int64" | "uint" | "uint32" | "uint64" | "float64"
                    | "byte" | "rune" | "uint8" | "uint16" | "int8" | "int16" | "float32") => plain(name),
                    "errors.New" | "fmt.Errorf" => plain("error"),
                    "fmt.Sprintf" | "fmt.Sprint" | "strings.TrimSpace" | "strings.ToLower" | "strings.ToUpper"
                    | "strings.Join" | "strings.Replace" | "strings.ReplaceAll" | "strings.TrimPrefix"
                    | "strings.TrimSuffix" | "strings.Repeat" | "strings.Trim" | "strconv.Itoa" | "filepath.Join"
                    | "path.Join" | "os.Getenv" => plain("string"),
                    "strings.Split" | "strings.Fields" | "strings.SplitN" => plain("[]string"),
                    "strings.Index" | "strings.IndexByte" | "strings.LastIndex" | "strings.Count" => plain("int"),
                    "strings.HasPrefix" | "strings.HasSuffix" | "strings.Contains" => plain("bool"),
                    "time.Now" => plain("time.Time"),
                    "context.Background" => plain("context.Context"),
                    _ => self.results_of_call(node).filter(|types| types.len() == 1)?.pop(),
                }
            }
            _ => None,
        }
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
                    _ => self.results_of_call(node).filter(|types| types.len() == 1)?.pop(),
                }
            }
            _ => None,
        }
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
        /// Classes of the language and of browsers without type parameters.
        const PLAIN: &[&str] = &[
            "Date",
            "Error",
            "RegExp",
            "URL",
            "URLSearchParams",
            "Headers",
            "Request",
            "Response",
            "AbortController",
            "TextEncoder",
            "TextDecoder",
            "FormData",
            "TypeError",
            "RangeError",
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
                match self.field_text(node, "type_arguments") {
                    Some(arguments) => Some(format!("{class}{arguments}")),
                    None => PLAIN.contains(&class.as_str()).then_some(class),
                }
            }
            "identifier" => self.of_variable(self.variable_at(node)?, steps + 1),
            "call_expression" => self.results_of_call(node).filter(|types| types.len() == 1)?.pop(),
            "await_expression" if steps < MAX_STEPS => {
                let found = self.of_script_value(node.named_child(0)?, false, steps + 1)?;
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

/// What `range` gives for a type of Go, by the place of the variable.
fn find_element_of_go(of: &str, place: usize) -> Option<String> {
    if let Some(element) = of.strip_prefix("[]") {
        return Some(if place == 0 { "int".to_owned() } else { element.to_owned() });
    }
    if of == "string" {
        return Some(if place == 0 { "int" } else { "rune" }.to_owned());
    }
    if of == "int" {
        return (place == 0).then(|| "int".to_owned());
    }
    let (key, value) = of.strip_prefix("map[")?.split_once(']')?;
    (!key.contains('[')).then(|| if place == 0 { key.to_owned() } else { value.to_owned() })
}
