//! What C and C++ declare: the type of a variable around its name, and what a function gives back.

use tree_sitter::Node;

use super::super::{KnownCalls, list_named};

/// Types whose values are copied as bits, beside pointers and names that end in `_t`.
const SCALARS: &[&str] = &["char", "short", "int", "long", "float", "double", "signed", "unsigned", "bool", "_Bool"];
/// Most declarators around a name.
const MAX_LEVELS: usize = 16;

/// What a declarator makes of the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Pointer,
    Reference,
    Array,
    Function,
    /// Brackets around a declarator.
    Group,
}

/// The declaration of a variable, as text around its name.
#[derive(Debug, Clone)]
pub(super) struct Declared<'t> {
    /// The type and its qualifiers, without `static` and the like.
    pub(super) specifiers: String,
    /// Between them and the name: white space, `*`, `&`.
    pub(super) gap: String,
    /// Behind the name: `[8]`, `(int)`.
    pub(super) suffix: String,
    /// From the name outward.
    pub(super) levels: Vec<Level>,
    /// `static`, `extern`, `register`, `thread_local`.
    pub(super) storage: Vec<String>,
    pub(super) is_parameter: bool,
    /// Whether the declaration has other names too.
    pub(super) has_others: bool,
    /// `T x(a)`, `T x{a}`: the value is made in place.
    pub(super) is_constructed: bool,
    pub(super) value: Option<Node<'t>>,
    /// The size of the array.
    pub(super) size: Option<Node<'t>>,
}

/// The text of a node.
pub(super) fn text_of<'a>(text: &'a str, node: Node<'_>) -> &'a str {
    text.get(node.byte_range()).unwrap_or_default()
}

impl<'t> Declared<'t> {
    /// Reads the declaration `by` of the name `at`.
    ///
    /// # Errors
    /// Why the type is not known.
    pub(super) fn read(
        (text, is_cpp): (&str, bool),
        (by, at): (Node<'t>, Node<'t>),
        calls: &dyn KnownCalls,
    ) -> Result<Self, String> {
        let is_parameter = by.kind().contains("parameter_declaration");
        if !is_parameter && !matches!(by.kind(), "declaration" | "for_range_loop") || by.kind().starts_with("variadic")
        {
            return Err("is not a plain variable".to_owned());
        }
        // From the name out to the declaration.
        let mut found = Self {
            specifiers: String::new(),
            gap: String::new(),
            suffix: String::new(),
            levels: Vec::new(),
            storage: Vec::new(),
            is_parameter,
            has_others: by.children_by_field_name("declarator", &mut by.walk()).count() > 1,
            is_constructed: false,
            value: None,
            size: None,
        };
        let outer = found.read_levels(is_cpp, (by, at))?;
        if by.kind() == "for_range_loop" {
            found.value = None;
        }
        found.read_specifiers((text, is_cpp), (by, outer), calls)?;
        found.suffix = text.get(at.end_byte()..outer.end_byte()).unwrap_or_default().to_owned();
        let prefix = text.get(outer.start_byte()..at.start_byte()).unwrap_or_default();
        let first = by.child_by_field_name("declarator").is_some_and(|first| first.start_byte() == outer.start_byte());
        let lead = if first { found.gap.clone() } else { " ".to_owned() };
        let is_plain = lead.chars().all(|c| matches!(c, ' ' | '\t'));
        found.gap = format!("{}{prefix}", if is_plain && !lead.is_empty() { " " } else { "" });
        if found.gap.is_empty() || !is_plain {
            found.gap = format!(" {prefix}");
        }
        // `Node* x` keeps its star at the type.
        if first && lead.is_empty() {
            found.gap = prefix.to_owned();
        }
        Ok(found)
    }

    /// Reads the declarators from the name outward; the outermost one.
    fn read_levels(&mut self, is_cpp: bool, (by, at): (Node<'t>, Node<'t>)) -> Result<Node<'t>, String> {
        let mut outer = at;
        while let Some(parent) = outer.parent().filter(|parent| *parent != by && self.levels.len() < MAX_LEVELS) {
            match parent.kind() {
                "pointer_declarator" => self.levels.push(Level::Pointer),
                "reference_declarator" => self.levels.push(Level::Reference),
                "parenthesized_declarator" => self.levels.push(Level::Group),
                "array_declarator" => {
                    self.size = self.size.or(parent.child_by_field_name("size").filter(|_| self.levels.is_empty()));
                    self.levels.push(Level::Array);
                }
                // `T x(a);`
                "function_declarator" if is_cpp && by.kind() == "declaration" && self.levels.is_empty() => {
                    self.is_constructed = true;
                    break;
                }
                "function_declarator" => self.levels.push(Level::Function),
                "init_declarator" => {
                    self.value = parent.child_by_field_name("value");
                    let kind = self.value.map_or("", |value| value.kind());
                    self.is_constructed = matches!(kind, "argument_list" | "initializer_list") && is_cpp;
                    break;
                }
                "structured_binding_declarator" => return Err("is a part of a value that is taken apart".to_owned()),
                other => return Err(format!("has a declaration that is not plain (`{other}`)")),
            }
            outer = parent;
        }
        Ok(outer)
    }

    /// Reads the words before the declarator; leaves the white space behind them in `gap`.
    fn read_specifiers(
        &mut self,
        (text, is_cpp): (&str, bool),
        (by, outer): (Node<'t>, Node<'t>),
        calls: &dyn KnownCalls,
    ) -> Result<(), String> {
        // Each word before the first declarator.
        let first = by.child_by_field_name("declarator").map_or(outer.start_byte(), |first| first.start_byte());
        let (mut words, mut end) = (Vec::new(), by.start_byte());
        let mut cursor = by.walk();
        for part in by.named_children(&mut cursor).take_while(|part| part.start_byte() < first) {
            let own = text_of(text, part);
            end = part.end_byte();
            match part.kind() {
                "storage_class_specifier" => self.storage.push(own.to_owned()),
                "type_qualifier" if matches!(own, "constexpr" | "constinit") => words.push("const".to_owned()),
                "placeholder_type_specifier" | "auto" | "decltype" => {
                    let kind = self.value.and_then(|value| find_value_type((text, is_cpp), value, calls));
                    let kind = kind.filter(|_| own == "auto" && !self.levels.contains(&Level::Reference));
                    let is_pointer = self.levels.contains(&Level::Pointer);
                    let kind = kind.and_then(|kind| match is_pointer {
                        true => kind.strip_suffix('*').map(|inner| inner.trim_end().to_owned()),
                        false => Some(kind),
                    });
                    words.push(kind.ok_or_else(|| format!("has the type `{own}`"))?);
                }
                kind if kind.ends_with("_specifier") && part.child_by_field_name("body").is_some() => {
                    return Err("has a type that is declared with it".to_owned());
                }
                kind if kind.contains("attribute") || kind == "init_statement" => {}
                _ => words.push(own.to_owned()),
            }
        }
        if words.is_empty() || words.iter().any(|word| word.contains('\n')) {
            return Err("has a type that is not written".to_owned());
        }
        self.specifiers = words.join(" ");
        self.gap = text.get(end..first).unwrap_or_default().to_owned();
        Ok(())
    }

    /// Whether the name stands for a value that does not change.
    pub(super) fn is_const(&self) -> bool {
        let has = |text: &str| split_words(text).any(|word| word == "const");
        match self.levels.contains(&Level::Pointer) {
            true => has(&self.gap),
            false => has(&self.specifiers),
        }
    }

    pub(super) fn is_array(&self) -> bool {
        self.levels.first() == Some(&Level::Array) && !self.is_parameter
    }

    pub(super) fn is_reference(&self) -> bool {
        self.levels.contains(&Level::Reference)
    }

    pub(super) fn is_pointer(&self) -> bool {
        self.levels.first() == Some(&Level::Pointer)
            || self.is_parameter && self.levels.first() == Some(&Level::Array)
            || self.specifiers.ends_with('*')
    }

    pub(super) fn has_storage(&self, word: &str) -> bool {
        self.storage.iter().any(|own| own == word)
    }

    /// Whether a copy is nothing but bits.
    pub(super) fn is_scalar(&self) -> bool {
        let is_scalar = |word: &str| SCALARS.contains(&word) || word.ends_with("_t");
        self.is_pointer() && !self.is_reference()
            || self.levels.is_empty() && split_words(&self.specifiers).any(is_scalar) && !self.specifiers.contains('<')
    }

    /// The declaration with another name; a mark (`*`, `&`) makes it that of a pointer or reference to the value.
    pub(super) fn write(&self, name: &str, mark: Option<char>) -> Option<String> {
        let Self { specifiers, gap, suffix, .. } = self;
        let Some(mark) = mark else { return Some(format!("{specifiers}{gap}{name}{suffix}")) };
        match self.levels.first() {
            None | Some(Level::Pointer) => {}
            Some(Level::Array) if mark == '&' && !self.is_parameter => {
                return Some(format!("{specifiers}{gap}(&{name}){suffix}"));
            }
            _ => return None,
        }
        // The mark stands where the other marks stand.
        let is_left = mark == '&' && gap.trim() == "" || !gap.trim().is_empty() && gap.ends_with(' ');
        Some(match is_left {
            true => format!("{specifiers}{}{mark} {name}{suffix}", gap.trim_end()),
            false => format!("{specifiers}{gap}{mark}{name}{suffix}"),
        })
    }

    /// The type without the name, for a value that is given back: without `const` of the value itself.
    pub(super) fn write_type(&self) -> Option<String> {
        if !self.levels.iter().all(|level| *level == Level::Pointer) {
            return None;
        }
        let gap = self.gap.trim_end().trim_end_matches("const").trim_end();
        if !gap.is_empty() {
            return Some(format!("{}{gap}", self.specifiers));
        }
        let words: Vec<&str> = self.specifiers.split(' ').filter(|word| *word != "const").collect();
        Some(words.join(" "))
    }
}

/// The words of a text.
pub(super) fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The type of an expression, where its form says it.
fn find_value_type((text, is_cpp): (&str, bool), value: Node<'_>, calls: &dyn KnownCalls) -> Option<String> {
    let plain = |kind: &str| Some(kind.to_owned());
    match value.kind() {
        "true" | "false" if is_cpp => plain("bool"),
        "number_literal" => {
            let own = text_of(text, value);
            own.chars().all(|c| c.is_ascii_digit()).then(|| "int".to_owned()).filter(|_| own.len() < 10)
        }
        "new_expression" => {
            let kind = text_of(text, value.child_by_field_name("type")?);
            (kind != "auto").then(|| format!("{kind}*"))
        }
        "call_expression" => {
            const CASTS: &[&str] = &["static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"];
            let function = value.child_by_field_name("function")?;
            let name = function.child_by_field_name("name");
            if function.kind() == "template_function" && name.is_some_and(|name| CASTS.contains(&text_of(text, name))) {
                let list = text_of(text, function.child_by_field_name("arguments")?);
                let kind = list.trim_start_matches('<').trim_end_matches('>').trim();
                return (!kind.contains(['&', '(', '['])).then(|| kind.to_owned());
            }
            let last = function.child_by_field_name("field").or(name).unwrap_or(function);
            let mut found = calls.result_types(last.start_byte())?;
            let kind = found.pop().filter(|_| found.is_empty())?;
            let is_known =
                split_words(&kind).all(|word| SCALARS.contains(&word) || word.ends_with("_t") || word == "const");
            // `auto` drops the qualifiers of a value.
            let kind = if kind.ends_with('*') { kind } else { kind.trim_start_matches("const ").to_owned() };
            (is_known && !kind.contains('&')).then_some(kind)
        }
        _ => None,
    }
}

/// The declarator of the function that a definition defines, with its parameters.
pub(super) fn function_declarator(definition: Node<'_>) -> Option<Node<'_>> {
    let mut node = definition.child_by_field_name("declarator")?;
    for _ in 0..MAX_LEVELS {
        if node.kind() == "function_declarator" {
            let inner = node.child_by_field_name("declarator")?;
            // `int (name)(void)`, but not a function that gives back a function.
            let is_named = inner.kind() != "parenthesized_declarator"
                || inner.named_child_count() == 1
                    && inner.named_child(0).is_some_and(|name| name.kind() == "identifier");
            return is_named.then_some(node);
        }
        node = node.child_by_field_name("declarator").or_else(|| node.named_child(0))?;
    }
    None
}

/// The type that a definition gives back; empty for constructors and destructors.
///
/// # Errors
/// Why it is not known.
pub(super) fn find_result(text: &str, definition: Node<'_>) -> Result<String, String> {
    let declarator = function_declarator(definition).ok_or("has a declaration that is not plain")?;
    if let Some(behind) = list_named(declarator).into_iter().find(|part| part.kind() == "trailing_return_type") {
        let kind = behind.named_child(0).map_or("", |kind| text_of(text, kind));
        return Ok(kind.to_owned());
    }
    // Without a type behind the parameters, the words before the name.
    let first = definition.child_by_field_name("declarator").ok_or("has no name")?;
    let mut words = Vec::new();
    let mut cursor = definition.walk();
    for part in definition.named_children(&mut cursor).take_while(|part| *part != first) {
        let own = text_of(text, part);
        match part.kind() {
            "placeholder_type_specifier" | "auto" | "decltype" => return Err(format!("gives back `{own}`")),
            "type_qualifier" if matches!(own, "constexpr" | "consteval") => return Err(format!("is `{own}`")),
            "type_qualifier" => words.push(own),
            _ if definition.child_by_field_name("type") == Some(part) => {
                if part.child_by_field_name("body").is_some() {
                    return Err("declares the type that it gives back".to_owned());
                }
                words.push(own);
            }
            _ => {}
        }
    }
    if words.is_empty() {
        return Ok(String::new());
    }
    let marks = text.get(first.start_byte()..declarator.start_byte()).unwrap_or_default().trim();
    let is_left = text[..first.start_byte()].ends_with(' ');
    let space = if marks.is_empty() || !is_left { "" } else { " " };
    Ok(format!("{}{space}{marks}", words.join(" ")))
}
