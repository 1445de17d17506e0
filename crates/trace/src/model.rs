use crate::limits;

/// Language family of a trace's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Python, including pytest's formats.
    Python,
    /// Rust panics and backtraces.
    Rust,
    /// JavaScript and TypeScript: V8, Firefox and Safari.
    JavaScript,
    /// Java, Kotlin, Scala.
    Java,
    /// Go panics and goroutines.
    Go,
    /// C and C++: debuggers, sanitizers, Valgrind.
    Cpp,
    /// C#.
    CSharp,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
}

impl Format {
    /// All formats, in the order in which they are tried.
    pub const ALL: [Self; 9] = [
        Self::Ruby,
        Self::Python,
        Self::Rust,
        Self::Php,
        Self::Go,
        Self::Java,
        Self::JavaScript,
        Self::CSharp,
        Self::Cpp,
    ];

    /// Name on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Rust => "rust",
            Self::JavaScript => "javascript",
            Self::Java => "java",
            Self::Go => "go",
            Self::Cpp => "cpp",
            Self::CSharp => "csharp",
            Self::Ruby => "ruby",
            Self::Php => "php",
        }
    }

    /// Parses a format name; languages that share a format are accepted.
    pub fn of_word(word: &str) -> Option<Self> {
        Some(match word.trim().to_ascii_lowercase().as_str() {
            "python" | "py" | "pytest" => Self::Python,
            "rust" | "rs" => Self::Rust,
            "javascript" | "js" | "typescript" | "ts" | "node" | "jsx" | "tsx" => Self::JavaScript,
            "java" | "kotlin" | "scala" | "jvm" | "groovy" => Self::Java,
            "go" | "golang" => Self::Go,
            "c" | "cpp" | "c++" | "cc" => Self::Cpp,
            "csharp" | "c#" | "cs" | "dotnet" | ".net" => Self::CSharp,
            "ruby" | "rb" => Self::Ruby,
            "php" => Self::Php,
            _ => return None,
        })
    }
}

/// Owner of a frame's code, as far as its text shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// Presumably the project's own code.
    Code,
    /// A dependency: `node_modules`, `site-packages`, a package cache. May still be the project's own code,
    /// installed.
    Vendored,
    /// The language's standard library or runtime.
    Runtime,
    /// Generated or minified code, whose line and column do not apply to the sources.
    Minified,
}

impl Origin {
    /// Name on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Vendored => "vendored",
            Self::Runtime => "runtime",
            Self::Minified => "minified",
        }
    }
}

/// A stack frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Path as written, without protocol, host and query of a URL.
    pub path: Option<String>,
    /// Function as written, without arguments.
    pub function: Option<String>,
    /// 1-based line.
    pub line: Option<u32>,
    /// 1-based column.
    pub column: Option<u32>,
    /// Owner of the code.
    pub origin: Origin,
    /// 1-based line of the text where it was found.
    pub text_line: u32,
    /// The source line that the text shows below it raises an error deliberately: the fault is elsewhere.
    pub refuses: bool,
}

impl Frame {
    /// The last component of the function's name: `acquire` of `Pool.acquire`, `pool::Pool::acquire::{{closure}}`.
    /// `None` if there is none or it is not a name (`<module>`, `<anonymous>`).
    pub fn function_name(&self) -> Option<&str> {
        let mut text = self.function.as_deref()?.trim();
        // `<T as Trait>::name`, `name::<u8>`, `name::{{closure}}`, `name.<locals>.inner`: parts from the end.
        loop {
            let end = text.trim_end_matches([':', '.', '#', '>', '}', ')', ']']);
            if end.len() < text.len() {
                let open = match text.as_bytes()[end.len()..].iter().find(|byte| **byte != b':' && **byte != b'.') {
                    Some(b'>') => '<',
                    Some(b'}') => '{',
                    Some(b')') => '(',
                    Some(b']') => '[',
                    _ => {
                        text = end;
                        continue;
                    }
                };
                text = text[..end.find(open)?].trim_end();
                continue;
            }
            break;
        }
        let start = text.rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '~' | '?' | '!' | '=')));
        let name = &text[start.map_or(0, |start| start + text[start..].chars().next().map_or(1, char::len_utf8))..];
        let is_name = name.chars().next().is_some_and(|c| !c.is_ascii_digit()) && name != "anonymous";
        is_name.then_some(name)
    }
}

/// Relation of an exception to the next one, to which it led.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// The reported exception: nothing followed it.
    Reported,
    /// It was the cause of the next one.
    Cause,
    /// The next one was raised while this one was handled.
    Context,
    /// One of several exceptions contained in the reported one.
    Member,
    /// Suppressed by the reported one.
    Suppressed,
    /// Another thread, or the allocation or release of memory: context only.
    Aside,
}

impl Relation {
    /// Name on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Cause => "cause",
            Self::Context => "context",
            Self::Member => "member",
            Self::Suppressed => "suppressed",
            Self::Aside => "aside",
        }
    }
}

/// One exception with its stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// Its type as written (`pool.TimeoutError`); empty if unknown.
    pub kind: String,
    /// Its message; empty if there is none.
    pub message: String,
    /// Relation to the next exception.
    pub relation: Relation,
    /// Innermost first.
    pub frames: Vec<Frame>,
    /// Number of frames omitted by the text (`... 12 more`) or dropped at the limit.
    pub left_out: usize,
    /// The message is longer than the part that is kept.
    pub is_message_cut: bool,
}

impl Exception {
    pub(crate) fn new(relation: Relation) -> Self {
        Self {
            kind: String::new(),
            message: String::new(),
            relation,
            frames: Vec::new(),
            left_out: 0,
            is_message_cut: false,
        }
    }

    pub(crate) fn say(&mut self, kind: &str, message: &str) {
        self.kind = kind.trim().chars().take(limits::MESSAGE).collect();
        self.is_message_cut = false;
        self.say_more(message);
    }

    /// Replaces the message with one of several lines.
    pub(crate) fn say_more(&mut self, message: &str) {
        self.is_message_cut |= message.trim().chars().nth(limits::MESSAGE).is_some();
        self.message = message.trim().chars().take(limits::MESSAGE).collect();
    }

    /// Returns whether it has neither a type nor a frame.
    pub(crate) fn is_empty(&self) -> bool {
        self.kind.is_empty() && self.message.is_empty() && self.frames.is_empty()
    }

    /// Limits the frames, keeping the innermost and the outermost.
    pub(crate) fn limit_frames(&mut self) {
        let surplus = self.frames.len().saturating_sub(limits::FRAMES);
        if surplus > 0 {
            let half = limits::FRAMES / 2;
            self.frames.drain(half..half + surplus);
            self.left_out = self.left_out.saturating_add(surplus);
        }
    }
}

/// A reported failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Its format.
    pub format: Format,
    /// From the root cause to the reported one, followed by members, suppressed exceptions and asides.
    pub exceptions: Vec<Exception>,
    /// First and last line of the text it was read from, 1-based.
    pub text_lines: (u32, u32),
}

impl Trace {
    /// The language suggested by the frames' paths, else that of the format.
    pub fn language(&self) -> &'static str {
        let ends = |endings: &[&str]| {
            let frames = self.exceptions.iter().flat_map(|exception| &exception.frames);
            let paths =
                frames.filter(|frame| frame.origin != Origin::Runtime).filter_map(|frame| frame.path.as_deref());
            paths.into_iter().any(|path| endings.iter().any(|ending| path.ends_with(ending)))
        };
        match self.format {
            Format::JavaScript if ends(&[".ts", ".tsx", ".mts", ".cts"]) => "typescript",
            Format::Java if ends(&[".kt", ".kts"]) => "kotlin",
            Format::Java if ends(&[".scala"]) => "scala",
            Format::Cpp if ends(&[".c"]) && !ends(&[".cc", ".cpp", ".cxx", ".hpp"]) => "c",
            format => format.word(),
        }
    }
}
