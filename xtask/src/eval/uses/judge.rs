//! Whether an occurrence of a name is explained without the product, and whether something outside may call a function.

use std::collections::{HashMap, HashSet};

use super::product::Definition;
use super::text::{File, FileKind, InLiteral, Occurrence, Part, in_literal};

/// Words before a name that it declares.
const DECLARING: &[&str] = &[
    "def", "fn", "func", "function", "class", "struct", "interface", "type", "trait", "enum", "fun", "namespace",
    "module", "mod", "define", "macro_rules", "union", "val", "record", "object",
];
/// Words before a variable that they declare.
const VARIABLES: &[&str] =
    &["let", "const", "var", "mut", "for", "val", "as", "static", "final", "auto", "int", "ref", "local"];
/// Words before a name that are no type.
const NOT_TYPES: &[&str] = &[
    "return", "in", "is", "not", "and", "or", "if", "else", "await", "yield", "new", "throw", "typeof", "delete", "of",
    "go", "defer", "case", "elif", "assert", "raise", "from", "import", "move", "match", "while", "until", "void",
    "instanceof", "lambda", "del",
];
/// Decorators and annotations that neither keep nor run what they mark.
const HARMLESS: &[&str] = &[
    "property", "staticmethod", "classmethod", "override", "Override", "abstractmethod", "abstractproperty",
    "cached_property", "overload", "wraps", "lru_cache", "cache", "contextmanager", "asynccontextmanager", "dataclass",
    "total_ordering", "final", "deprecated", "Deprecated", "SuppressWarnings", "SafeVarargs", "Nullable", "NonNull",
    "NotNull", "FunctionalInterface", "typing", "t", "inline", "must_use", "allow", "expect", "cfg", "cfg_attr", "doc",
    "cold", "track_caller", "setter", "getter", "deleter", "singledispatch", "runtime_checkable", "inlinable",
    "discardableResult", "JvmStatic", "JvmOverloads",
];
/// Methods that Go's standard library calls through its interfaces.
const GO_OUTSIDE: &[&str] = &[
    "String", "Error", "ServeHTTP", "Write", "Read", "Close", "Less", "Swap", "Push", "MarshalJSON", "UnmarshalJSON",
    "MarshalText", "UnmarshalText", "Scan", "Value", "Unwrap", "Format", "GoString", "Flush", "Hijack", "ReadFrom",
    "WriteTo", "RoundTrip", "WriteHeader", "Header", "WriteString", "Seek", "Open", "Done", "Deadline", "Lock",
    "Unlock",
];
/// Attributes of pages whose values name no code.
const INERT: &[&str] =
    &["class", "id", "name", "type", "for", "href", "src", "action", "method", "rel", "placeholder", "value"];
/// Lines above a definition that are searched for what marks it.
const LINES_ABOVE: u32 = 6;

/// Why an occurrence is a sign of a use that an answer does not list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Sign {
    /// A bare name that is not called.
    Value,
    /// A bare name that is called.
    Call,
    /// A member that is called, of something that may be another.
    MemberCall,
    /// A member that is read, of something that may be another.
    MemberValue,
    /// A page, template or component's markup.
    Template,
    /// A text that is a name or path.
    Text,
    /// A text that is a single word, or the path of a file.
    Word,
    /// A call within a longer text.
    CalledInText,
    /// The function is marked by a decorator, annotation or attribute that may register it.
    Decorated,
    /// The function is marked by a decorator of the checkout, which may only wrap it.
    Wrapped,
    /// A member that outside code is known to call.
    Outside,
    /// A test, which a test runner calls.
    Test,
}

impl Sign {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Call => "call",
            Self::MemberCall => "member_call",
            Self::MemberValue => "member_value",
            Self::Template => "template",
            Self::Text => "text",
            Self::Word => "word",
            Self::CalledInText => "called_in_text",
            Self::Decorated => "decorated",
            Self::Wrapped => "wrapped",
            Self::Outside => "outside",
            Self::Test => "test",
        }
    }

    /// Whether a scan of words cannot tell it from a member of something else, a message, or a harmless wrapper.
    pub(super) fn is_weak(self) -> bool {
        use Sign as S;
        matches!(self, S::MemberCall | S::MemberValue | S::Word | S::CalledInText | S::Wrapped)
    }
}

/// What is known of a checkout.
pub(super) struct Checkout<'a> {
    pub(super) files: &'a [File],
    pub(super) numbers: HashMap<&'a str, usize>,
    pub(super) definitions: &'a [Definition],
    pub(super) by_name: HashMap<&'a str, Vec<usize>>,
    /// Definitions with lines, by file.
    pub(super) by_file: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Checkout<'a> {
    pub(super) fn new(files: &'a [File], definitions: &'a [Definition]) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut by_file: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, definition) in definitions.iter().enumerate() {
            by_name.entry(&definition.name).or_default().push(number);
            by_file.entry(&definition.file).or_default().push(number);
        }
        let numbers = files.iter().enumerate().map(|(number, file)| (file.path.as_str(), number)).collect();
        Self { files, numbers, definitions, by_name, by_file }
    }

    pub(super) fn namesakes(&self, name: &str) -> &[usize] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The occurrences of a function's name that nothing explains. `listed` are the places that answers list.
    pub(super) fn signs(
        &self,
        function: &Definition,
        occurrences: &[Occurrence],
        listed: &HashSet<(String, u32)>,
    ) -> Vec<(Sign, Occurrence)> {
        let locals = self.locals(function, occurrences);
        let sign = |occurrence: &Occurrence| {
            let file = &self.files[occurrence.file];
            let line = file.line(occurrence.at);
            if listed.contains(&(file.path.clone(), line)) || self.is_definition(&function.name, file, line) {
                return None;
            }
            let sign = self.sign(function, occurrence)?;
            let is_put_in = sign == Sign::Text && file.text[..occurrence.at].ends_with('{');
            let is_bare = matches!(sign, Sign::Value | Sign::Call) || is_put_in;
            let is_local = || locals.iter().any(|(file, lines)| *file == occurrence.file && lines.contains(&line));
            (!is_bare || !is_local()).then_some((sign, *occurrence))
        };
        occurrences.iter().filter_map(sign).collect()
    }

    fn is_definition(&self, name: &str, file: &File, line: u32) -> bool {
        self.namesakes(name).iter().any(|&number| {
            let definition = &self.definitions[number];
            definition.file == file.path && (definition.start..=definition.line).contains(&line)
        })
    }

    /// What an occurrence is by its own look.
    fn sign(&self, function: &Definition, occurrence: &Occurrence) -> Option<Sign> {
        let file = &self.files[occurrence.file];
        let (name, at) = (function.name.as_str(), occurrence.at);
        let (part, range) = file.part(at);
        if file.is_import(at) {
            return None;
        }
        match (part, file.kind) {
            (Part::Comment, _) | (_, FileKind::Document) => None,
            (_, FileKind::Code) if file.is_component() && !file.is_in_script(at) => sign_in_component(file, at),
            (Part::Literal, FileKind::Code) => sign_in_literal(file, &range, at, name),
            (Part::Literal, _) => {
                let is_key = file.text[range.end..].get(1..).is_some_and(|rest| rest.trim_start().starts_with(':'));
                sign_in_literal(file, &range, at, name).filter(|_| !is_key)
            }
            (Part::Code, FileKind::Markup) => is_code_in_markup(file, at, name).then_some(Sign::Template),
            (Part::Code, FileKind::Data) => sign_in_data(file, at, name),
            (Part::Code, FileKind::Code) => self.sign_in_code(function, file, at),
        }
    }

    fn sign_in_code(&self, function: &Definition, file: &File, at: usize) -> Option<Sign> {
        let around = Around::of(file, at, function.name.len());
        if !self.is_same_family(function, file) || around.is_inert() {
            return None;
        }
        if around.is_member() || around.qualifier().is_some_and(|qualifier| !self.is_ours(qualifier)) {
            // A field of this name explains a member that is not called.
            let is_field = |&number: &usize| !["function", "macro"].contains(&&*self.definitions[number].kind);
            return match around.is_called() {
                true => Some(Sign::MemberCall),
                false if self.namesakes(&function.name).iter().any(is_field) => None,
                false => Some(Sign::MemberValue),
            };
        }
        if self.is_imported_from_outside(&function.name, file) {
            return None;
        }
        // Methods have no bare name in these languages.
        let needs_receiver = ["py", "pyi", "rs", "go", "js", "jsx", "ts", "tsx", "mjs"];
        if function.is_member && needs_receiver.contains(&file.extension) {
            return None;
        }
        Some(if around.is_called() { Sign::Call } else { Sign::Value })
    }

    /// Whether code of two files can name each other's functions.
    fn is_same_family(&self, function: &Definition, file: &File) -> bool {
        let own = self.numbers.get(function.file.as_str()).map(|&number| self.files[number].extension);
        own.is_some_and(|own| family(own) == family(file.extension))
    }

    /// Whether a bare name comes from an import of something that is not in the checkout.
    fn is_imported_from_outside(&self, name: &str, file: &File) -> bool {
        let module = file.import_of(name).and_then(|statement| match file.extension {
            "py" => statement.trim_start().strip_prefix("from ").and_then(|rest| rest.split([' ', '.']).next()),
            "js" | "jsx" | "ts" | "tsx" | "mjs" => statement.split(['"', '\'']).nth(1),
            _ => None,
        });
        let is_file = |path: &&str, module: &str| path.split('/').any(|part| part.split('.').next() == Some(module));
        module.is_some_and(|module| {
            !module.is_empty()
                && !module.starts_with(['.', '@', '~', '#'])
                && !self.numbers.keys().any(|path| is_file(path, module))
        })
    }

    /// Whether what stands before `::` may be of the checkout.
    fn is_ours(&self, qualifier: &str) -> bool {
        let is_file = |path: &&str| path.split('/').any(|part| part.split('.').next() == Some(qualifier));
        ["self", "Self", "crate", "super", ""].contains(&qualifier)
            || !self.namesakes(qualifier).is_empty()
            || self.numbers.keys().any(is_file)
    }

    /// Lines in which a variable or parameter has the function's name: those of the function around its declaration.
    fn locals(&self, function: &Definition, occurrences: &[Occurrence]) -> Vec<(usize, std::ops::RangeInclusive<u32>)> {
        let declared = |occurrence: &Occurrence| {
            let file = &self.files[occurrence.file];
            let around = Around::of(file, occurrence.at, function.name.len());
            if file.part(occurrence.at).0 != Part::Code || !around.is_variable() {
                return None;
            }
            let line = file.line(occurrence.at);
            let inside =
                self.by_file.get(file.path.as_str()).into_iter().flatten().map(|&number| &self.definitions[number]);
            let innermost = inside
                .filter(|definition| {
                    definition.kind == "function" && (definition.start..=definition.end).contains(&line)
                })
                .min_by_key(|definition| definition.end - definition.start);
            let lines = innermost.map_or(0..=u32::MAX, |definition| definition.start..=definition.end);
            Some((occurrence.file, lines))
        };
        occurrences.iter().filter_map(declared).collect()
    }

    /// Whether what stands at a function's own definition says that others may call it.
    pub(super) fn own_sign(&self, function: &Definition) -> Option<Sign> {
        let file = &self.files[*self.numbers.get(function.file.as_str())?];
        let (name, extension) = (function.name.as_str(), file.extension);
        let marks = marks_above(file, function);
        let is_test = match extension {
            "go" => ["Test", "Benchmark", "Example", "Fuzz"].iter().any(|word| name.starts_with(word)),
            "py" => name.starts_with("test_") && function.file.contains("test"),
            _ => marks.iter().any(|mark| ["test", "Test", "ParameterizedTest", "BeforeEach"].contains(&mark.as_str())),
        };
        if is_test {
            return Some(Sign::Test);
        }
        if self.is_called_outside(function, file, extension, &marks) {
            return Some(Sign::Outside);
        }
        let mut keeping = marks.iter().filter(|mark| !HARMLESS.contains(&mark.as_str())).peekable();
        keeping.peek()?;
        let is_ours =
            keeping.all(|mark| self.namesakes(mark).iter().any(|&number| self.definitions[number].kind == "function"));
        Some(if is_ours { Sign::Wrapped } else { Sign::Decorated })
    }

    fn is_called_outside(&self, function: &Definition, file: &File, extension: &str, marks: &[String]) -> bool {
        let name = function.name.as_str();
        let is_unique = self.namesakes(name).len() == 1;
        match extension {
            "py" => name.starts_with("__") && name.ends_with("__"),
            "go" if function.is_member => GO_OUTSIDE.contains(&name),
            "go" => name == "init" || name == "main",
            // What a macro of the file defines may be a test, as in `test!(name, …)`.
            "rs" => {
                let is_in_macro = file
                    .line_text(function.line)
                    .trim_start()
                    .split('(')
                    .next()
                    .is_some_and(|head| head.ends_with('!'));
                name == "main" || is_in_macro || self.is_in_outside_trait(function, file)
            }
            "java" | "kt" => name == "main" || is_unique && marks.iter().any(|mark| mark == "Override"),
            "cc" | "cpp" | "h" | "hpp" => {
                name == "main" || is_unique && file.line_text(function.line).contains(" override")
            }
            _ => name == "main" && ["c", "cs", "swift"].contains(&extension),
        }
    }

    /// Whether a Rust method is in `impl X for Y` with a trait that the checkout does not define.
    fn is_in_outside_trait(&self, function: &Definition, file: &File) -> bool {
        let around =
            self.by_file.get(file.path.as_str()).into_iter().flatten().map(|&number| &self.definitions[number]);
        let block = around
            .filter(|block| block.kind == "impl" && (block.start..=block.end).contains(&function.line))
            .min_by_key(|block| block.end - block.start);
        let Some((of, _)) = block.and_then(|block| block.name.split_once(" for ")) else { return false };
        let name = of.split('<').next().unwrap_or(of).rsplit("::").next().unwrap_or(of).trim();
        !self.namesakes(name).iter().any(|&number| self.definitions[number].kind == "trait")
    }
}

/// The decorators, annotations and attributes above a definition.
fn marks_above(file: &File, function: &Definition) -> Vec<String> {
    let first = function.start.saturating_sub(LINES_ABOVE).max(1);
    let mut marks = Vec::new();
    for line in (first..=function.line).rev() {
        let text = file.line_text(line).trim();
        let mark = text.strip_prefix('@').or_else(|| text.strip_prefix("#["));
        match mark {
            Some(mark) => {
                let words = mark.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
                let path = words.into_iter().next().unwrap_or_default();
                marks.extend(path.rsplit('.').next().map(str::to_owned));
            }
            None if line < function.start && !text.starts_with("//") => break,
            None => {}
        }
    }
    marks
}

/// The text around a name.
struct Around<'a> {
    before: &'a str,
    after: &'a str,
    extension: &'a str,
}

impl<'a> Around<'a> {
    fn of(file: &'a File, at: usize, length: usize) -> Self {
        Self {
            before: file.text[..at].trim_end_matches([' ', '\t']),
            after: file.text[at + length..].trim_start_matches([' ', '\t']),
            extension: file.extension,
        }
    }

    fn word_before(&self) -> &'a str {
        let start = self
            .before
            .rfind(|c: char| !c.is_alphanumeric() && c != '_')
            .map_or(0, |at| at + self.before[at..].chars().next().map_or(1, char::len_utf8));
        &self.before[start..]
    }

    /// Whether it is a declaration, a key, an element of HTML, or the name of a test.
    fn is_inert(&self) -> bool {
        let line = self.before.rsplit('\n').next().unwrap_or_default().trim_start();
        let is_element = self.before.ends_with('<') || self.before.ends_with("</");
        let is_page = ["jsx", "tsx", "vue", "svelte", "astro"].contains(&self.extension);
        DECLARING.contains(&self.word_before())
            || self.is_variable()
            || self.is_key()
            || self.is_head(line)
            || self.is_pattern(line)
            || is_page && is_element && self.after.starts_with([' ', '>', '/'])
            || ["TEST(", "TEST_F(", "TEST_P(", "TEST_CASE("].iter().any(|start| line.starts_with(start))
    }

    /// Whether it is a parameter of an arrow function, or a part of what `const [a, b]` declares.
    fn is_pattern(&self, line: &str) -> bool {
        if !["js", "jsx", "ts", "tsx", "mjs", "cjs", "vue", "svelte", "astro"].contains(&self.extension) {
            return false;
        }
        let rest = self.after.trim_start_matches(|c: char| c.is_alphanumeric() || ", _)".contains(c));
        let declared =
            ["const [", "const {", "let [", "let {"].iter().filter_map(|start| line.rsplit_once(start)).next_back();
        rest.starts_with("=>") && (self.before.ends_with(['(', ',']) || self.after.starts_with("=>"))
            || declared.is_some_and(|(_, part)| !part.contains(['=', ']', '}']))
    }

    /// Whether it is the head of a method in a literal of JavaScript, a prototype, or a variable that is constructed.
    fn is_head(&self, line: &str) -> bool {
        let rest = self.after.lines().next().unwrap_or_default().trim_end();
        match self.extension {
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "vue" => {
                ["", "async", "get", "set", "*"].contains(&line.trim()) && rest.starts_with('(') && rest.ends_with('{')
            }
            "c" | "h" | "cc" | "cpp" | "hpp" | "cxx" => {
                let is_type = |c: char| c.is_alphanumeric() || "_:<>*& ,".contains(c);
                let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
                let is_statement = words.any(|word| word != "void" && NOT_TYPES.contains(&word));
                rest.starts_with('(')
                    && !line.is_empty()
                    && line.chars().all(is_type)
                    && !is_statement
                    && !line.ends_with("::")
            }
            _ => false,
        }
    }

    /// The name before `::`.
    fn qualifier(&self) -> Option<&'a str> {
        let before = self.before.strip_suffix("::")?;
        let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        before.get(start..)
    }

    /// Whether it stands where variables and parameters are declared.
    fn is_variable(&self) -> bool {
        let word = self.word_before();
        if self.is_member() {
            return false;
        }
        if VARIABLES.contains(&word) {
            return true;
        }
        let is_assigned = self.after.starts_with(":=")
            || self.after.starts_with('=') && !self.after.starts_with("==") && !self.after.starts_with("=>");
        let is_line_start = self.before.is_empty() || self.before.ends_with('\n');
        let in_brackets = self.before.ends_with(['(', ',', '|', '{', '[', '*', '&']);
        let ends = self.after.starts_with([',', ')', '=', ';', '|', ']', '}']);
        let whole = self.before.rsplit('\n').next().unwrap_or_default();
        if self.is_pattern(whole) {
            return true;
        }
        // Parameters of a Python function, without types.
        let line = self.before.rsplit('\n').next().unwrap_or_default().trim_start();
        if ["def ", "async def ", "lambda "].iter().any(|start| line.starts_with(start)) && in_brackets && ends {
            return true;
        }
        match self.extension {
            "py" | "pyi" | "rs" | "ts" | "tsx" | "kt" | "swift" | "vue" => {
                let is_typed = self.after.starts_with(':') && !self.after.starts_with("::");
                is_assigned || is_typed && (in_brackets || is_line_start)
            }
            // `Type name`, `name Type`, `Type *name`.
            "go" => {
                let is_named = in_brackets && self.after.starts_with(|c: char| c.is_alphabetic() || "*[".contains(c));
                let has_more = self.after.starts_with(',')
                    && self.after.lines().next().is_some_and(|rest| rest.contains(":="))
                    && !line.contains('(');
                let is_variadic = in_brackets && self.after.starts_with("...");
                self.after.starts_with(":=") || has_more || is_variadic || is_named || is_line_start && is_assigned
            }
            _ => {
                let ends = ends || self.after.starts_with(": ") || self.after.starts_with(":\n");
                // `List<T> name`, `T[] name`, `T *name`, but not `f(&name)`.
                let pointed = self.before.trim_end_matches(['*', '&', ' ']);
                let is_pointer =
                    pointed.len() < self.before.len() && pointed.ends_with(|c: char| c.is_alphanumeric() || c == '>');
                let is_generic = is_pointer || self.before.ends_with(['>', ']']) && !self.before.ends_with("=>");
                let has_type = (is_generic || !word.is_empty() && !NOT_TYPES.contains(&word)) && ends;
                has_type || is_assigned && is_line_start
            }
        }
    }

    /// A key of a literal, a named argument or a label.
    fn is_key(&self) -> bool {
        let starts = self.before.is_empty() || self.before.ends_with(['\n', '{', ',', '(', '[']);
        let is_named = self.after.starts_with('=') && !self.after.starts_with("==");
        let is_keyed = self.after.starts_with(':') && !self.after.starts_with("::") && !self.after.starts_with(":=");
        starts && (is_keyed || is_named && ["py", "kt", "pyi"].contains(&self.extension))
    }

    fn is_member(&self) -> bool {
        (self.before.ends_with('.') && !self.before.ends_with(".."))
            || self.before.ends_with("->")
            || self.before.ends_with("?.")
    }

    fn is_called(&self) -> bool {
        self.after.starts_with('(') || self.after.starts_with("::<") || self.after.starts_with("!(")
    }
}

fn sign_in_literal(file: &File, range: &std::ops::Range<usize>, at: usize, name: &str) -> Option<Sign> {
    // Titles of tests are prose.
    let call = file.text[..range.start.saturating_sub(1)].trim_end_matches('(');
    if call.len() + 1 < range.start && ["test", "describe", "it"].iter().any(|word| call.ends_with(word)) {
        return None;
    }
    match in_literal(file, range, at, name) {
        InLiteral::Path => Some(Sign::Text),
        InLiteral::Word => Some(Sign::Word),
        InLiteral::Called => Some(Sign::CalledInText),
        InLiteral::Prose => None,
    }
}

/// What a name in the markup of a component is: code in an expression, or a literal in one.
fn sign_in_component(file: &File, at: usize) -> Option<Sign> {
    let before = &file.text[..at];
    let closing =
        before.match_indices('>').rev().map(|(found, _)| found).find(|&found| !before[..found].ends_with('='));
    let tag =
        before.rfind('<').filter(|&open| closing.is_none_or(|closing| closing < open)).map(|open| &before[open..]);
    let is_expression = match tag.map(|tag| (tag, attribute_of_value(tag))) {
        Some((_, Some(attribute))) => {
            [":", "@", "v-", "#", "on:", "bind:", "on", "{"].iter().any(|start| attribute.starts_with(start))
        }
        Some((tag, None)) => tag.ends_with(['{', '<']) || tag.ends_with("use:") || tag.ends_with(" :"),
        None => before.rfind('{') > before.rfind('}') && before.rfind("<style") <= before.rfind("</style"),
    };
    let start = before.trim_end_matches(|c: char| c.is_alphanumeric() || "_.-$".contains(c));
    let is_literal = start.ends_with('\'') || start.ends_with('`');
    is_expression.then_some(if is_literal { Sign::Word } else { Sign::Template })
}

/// The attribute of a tag that is cut within an attribute's value; `{` for a value in braces.
fn attribute_of_value(tag: &str) -> Option<&str> {
    if let Some((_, value)) = tag.rsplit_once("={")
        && !value.contains('}')
    {
        return Some("{");
    }
    let (attribute, value) = tag.rsplit_once("=\"")?;
    (!value.contains('"')).then(|| attribute.rsplit([' ', '\n']).next().unwrap_or_default())
}

/// Whether a name in a page is code: in an expression, or the value of an attribute.
fn is_code_in_markup(file: &File, at: usize, name: &str) -> bool {
    let line = file.line_text(file.line(at));
    let after = file.text[at + name.len()..].chars().next();
    let is_expression = ["{{", "{%", "<%", "${", "@"].iter().any(|mark| line.contains(mark));
    let before = file.text[..at].chars().next_back();
    let attribute = file.text[..at].rsplit(['<', '\n']).next().and_then(|tag| tag.rsplit_once('='));
    let attribute = attribute.and_then(|(name, _)| name.trim_end().rsplit([' ', '\t', ':']).next());
    if attribute.is_some_and(|attribute| INERT.contains(&attribute)) && !is_expression {
        return false;
    }
    after == Some('(') || is_expression && before != Some('-') || matches!(before, Some('"' | '\'' | '.' | ':'))
}

/// What a name in settings and data without quotes is: part of a path, a word, or nothing.
fn sign_in_data(file: &File, at: usize, name: &str) -> Option<Sign> {
    let before = file.text[..at].chars().next_back();
    let after = file.text[at + name.len()..].chars().next();
    let is_end = matches!(after, None | Some('\n' | '\r' | '(' | ')' | ':' | ','));
    let is_assigned = file.text[..at].trim_end_matches([' ', '\t']).ends_with([':', '=']);
    match before {
        Some('.' | ':') if is_end => Some(Sign::Text),
        _ if !is_assigned || !is_end => None,
        _ if name.chars().all(char::is_lowercase) => Some(Sign::Word),
        _ => Some(Sign::Text),
    }
}

/// Languages that can import each other, by extension.
fn family(extension: &str) -> u8 {
    match extension {
        "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "inl" | "ipp" => 1,
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" | "astro" => 2,
        "java" | "kt" | "kts" | "scala" | "groovy" | "gradle" => 3,
        "py" | "pyi" => 4,
        "go" => 5,
        "rs" => 6,
        _ => 7,
    }
}
