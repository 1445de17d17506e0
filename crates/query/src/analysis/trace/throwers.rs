//! Exception types, and functions that only raise an error: a fault is where they are used, not in them.

use m1nd_base::{NodeKind, Relation, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::FxHashMap;

/// Longest function that is read, in lines.
const MAX_LINES: u32 = 30;
/// Bases of a type that are examined.
const MAX_BASES: usize = 16;
/// Endings of the names of exception types.
const EXCEPTIONS: &[&str] = &["Error", "Exception", "Warning", "Throwable"];
/// Beginnings of statements that raise an error.
const RAISES: &[&str] =
    &["raise", "throw", "panic!", "panic(", "unreachable!", "unimplemented!", "todo!", "bail!", "std::panic", "abort("];

/// Tells suspects from what only reports a fault. Remembers what was read for one answer.
pub(super) struct Throwers<'s> {
    snapshot: &'s Snapshot,
    files: FxHashMap<RepoPath, Vec<String>>,
}

impl<'s> Throwers<'s> {
    pub(super) fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, files: FxHashMap::default() }
    }

    /// Returns whether a node is an exception type or a part of one, a file of nothing else, or a function that only
    /// raises.
    pub(super) fn only_reports(&mut self, node: NodeIx) -> bool {
        let graph = self.snapshot.graph();
        match graph.kind(node) {
            NodeKind::File => is_file_of_exceptions(graph, node),
            NodeKind::Function => is_part_of_exception(graph, node) || self.only_raises(node),
            _ => is_part_of_exception(graph, node),
        }
    }

    fn only_raises(&mut self, node: NodeIx) -> bool {
        let graph = self.snapshot.graph();
        let (first, last) = graph.lines(node);
        if first == 0 || last < first || last - first >= MAX_LINES {
            return false;
        }
        let lines = self.lines(graph.path(node)).get(first as usize - 1..last as usize).unwrap_or_default();
        raises_only(&lines.join("\n"), graph.path(node).ends_with(".py"))
    }

    fn lines(&mut self, path: &str) -> &[String] {
        let Ok(path) = RepoPath::new(path) else { return &[] };
        self.files.entry(path).or_insert_with_key(|path| {
            let source = self.snapshot.read_file(path).ok().filter(|source| !source.binary && !source.stale);
            source.map_or_else(Vec::new, |source| source.text.lines().map(str::to_owned).collect())
        })
    }

    /// Returns whether a line calls a function and uses what it returns: `return load(x)`, `a = load(x)`.
    pub(super) fn uses_result(&mut self, path: &str, line: u32, label: &str) -> bool {
        let Some(text) = self.lines(path).get((line as usize).saturating_sub(1)) else { return false };
        is_result_used(text, label)
    }
}

/// Returns whether the text in front of a call shows that its result is used: it is not a statement of its own.
fn is_result_used(line: &str, label: &str) -> bool {
    let call = format!("{label}(");
    let Some(at) = line.find(&call) else { return false };
    // What the function is a member of belongs to the call: `self.pool.load(x)`, `errors::fail(x)`, `await a->b(x)`.
    let before =
        line[..at].trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '>' | '-' | '$'));
    let before = before.trim();
    !matches!(before, "" | "await" | "}" | "{" | "else" | "then" | "do" | ";")
}

fn is_exception(graph: &Graph, node: NodeIx) -> bool {
    use NodeKind::{Class, Enum, Struct};
    let is_named = |node: NodeIx| EXCEPTIONS.iter().any(|ending| graph.label(node).ends_with(ending));
    if !matches!(graph.kind(node), Class | Enum | Struct) {
        return false;
    }
    if is_named(node) {
        return true;
    }
    let mut seen = vec![node];
    let mut at = 0;
    while let Some(&one) = seen.get(at).filter(|_| at < MAX_BASES) {
        at += 1;
        for edge in graph.out_edges(one).filter(|edge| edge.relation == Relation::Inherits) {
            if is_named(edge.to) {
                return true;
            }
            if !seen.contains(&edge.to) {
                seen.push(edge.to);
            }
        }
    }
    false
}

fn is_part_of_exception(graph: &Graph, node: NodeIx) -> bool {
    is_exception(graph, node) || graph.ancestors(node).any(|owner| is_exception(graph, owner))
}

fn is_file_of_exceptions(graph: &Graph, file: NodeIx) -> bool {
    use NodeKind::{Class, Enum, Function, Interface, Struct, Trait};
    let members = graph.out_edges(file).filter(|edge| edge.relation == Relation::Contains).map(|edge| edge.to);
    let mut told = members
        .filter(|one| matches!(graph.kind(*one), Class | Enum | Function | Interface | Struct | Trait))
        .peekable();
    told.peek().is_some() && told.all(|one| is_exception(graph, one))
}

/// Returns whether the text of a function is one statement that raises, after assignments at most.
fn raises_only(text: &str, is_python: bool) -> bool {
    let statements = if is_python { split_indented(text) } else { split_braced(text) };
    let Some((last, before)) = statements.split_last() else { return false };
    let raises = |statement: &str| RAISES.iter().any(|word| starts_with_word(statement, word));
    raises(last) && before.iter().all(|statement| is_assignment(statement))
}

fn starts_with_word(statement: &str, word: &str) -> bool {
    let rest = statement.strip_prefix(word);
    let ends = word.ends_with(['!', '(']);
    rest.is_some_and(|rest| ends || !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}

/// `name = …`, also with a keyword or a type before the name; no call or condition before the `=`.
fn is_assignment(statement: &str) -> bool {
    let Some((target, value)) = statement.split_once('=') else { return false };
    !value.starts_with('=')
        && !target.trim().is_empty()
        && !target.contains(['(', '{', '!', '<', '>'])
        && !statement.starts_with("if ")
}

/// The statements of a Python function, its doc string left out.
fn split_indented(text: &str) -> Vec<String> {
    let mut lines = text.lines();
    // Decorators and the header, which ends with a colon.
    let mut in_header = false;
    for line in lines.by_ref() {
        in_header |= line.trim_start().starts_with("def ") || line.trim_start().starts_with("async def ");
        if in_header && without_comment(line, "#").ends_with(':') {
            break;
        }
    }
    let mut statements: Vec<String> = Vec::new();
    let (mut depth, mut in_doc) = (None, false);
    for line in lines {
        let told = without_comment(line, "#");
        let quotes = told.matches("\"\"\"").count() + told.matches("'''").count();
        let is_doc = in_doc || statements.is_empty() && (told.starts_with("\"\"\"") || told.starts_with("'''"));
        if is_doc {
            in_doc ^= quotes % 2 == 1;
            continue;
        }
        if told.is_empty() {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        match statements.last_mut() {
            Some(last) if Some(indent) > depth || told.starts_with([')', ']', '}']) => last.push_str(told),
            _ => {
                depth = depth.or(Some(indent));
                statements.push(told.to_owned());
            }
        }
    }
    statements
}

/// The statements in the outer braces of a function. An inner block ends one: what has any holds more than a raise.
fn split_braced(text: &str) -> Vec<String> {
    let Some((_, body)) = text.split_once('{') else { return Vec::new() };
    let body = body.trim_end().strip_suffix('}').unwrap_or(body);
    let told: Vec<&str> =
        body.lines().map(|line| without_comment(line, "//")).filter(|line| !line.starts_with(['*', '/'])).collect();
    let joined = told.join(" ");
    joined.split(';').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn without_comment<'l>(line: &'l str, mark: &str) -> &'l str {
    line.split_once(mark).map_or(line, |(code, _)| code).trim()
}

#[cfg(test)]
mod tests {
    use super::{is_result_used, raises_only};

    #[test]
    fn calls_whose_result_is_used() {
        let cases = [
            ("    fail('empty')", false),
            ("    await self.pool.fail(x)", false),
            ("  errors::fail(why);", false),
            ("    return fail(x)", true),
            ("    value = store.fail(x)", true),
            ("    if fail(x):", true),
            ("    other(x)", false),
        ];
        for (line, expected) in cases {
            assert_eq!(is_result_used(line, "fail"), expected, "{line}");
        }
    }

    #[test]
    fn functions_that_only_raise() {
        let cases = [
            ("def fail(why):\n    raise Failed(why)", true, true),
            (
                "def fail(why):\n    \"\"\"Fails.\"\"\"\n    message = f'x {why}'\n    raise Failed(\n        message\n    )",
                true,
                true,
            ),
            ("def load(x):\n    if x:\n        raise Failed(x)\n    return x", true, false),
            ("def load(x):\n    x.open()\n    raise Failed(x)", true, false),
            ("def load(x):\n    raises = x\n    return raises", true, false),
            ("fn fail(why: &str) -> ! {\n    // Never returns.\n    panic!(\"no {}\", why);\n}", false, true),
            ("function fail(why) {\n  const text = `no ${why}`\n  ;throw new Error(text);\n}", false, true),
            ("void fail(String why) { throw new IllegalStateException(why); }", false, true),
            ("void load(String why) { if (why == null) { throw new X(); } open(why); }", false, false),
            ("fn load() {\n    let x = open();\n    x.read()\n}", false, false),
            ("fn nothing() {}", false, false),
        ];
        for (text, is_python, expected) in cases {
            assert_eq!(raises_only(text, is_python), expected, "{text}");
        }
    }
}
