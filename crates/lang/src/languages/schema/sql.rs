//! SQL: tables and columns that statements declare, and tables that statements read and write.

use m1nd_base::Problem;

use super::Sheet;
use super::lexer::{Lexed, Lexer, Style, Token};
use crate::facts::{DefKind, FileFacts, SharedKind};
use crate::languages::Input;

const STYLE: Style = Style {
    line: &["--", "#"],
    blocks: true,
    texts: b"'",
    names: &[(b'"', b'"'), (b'`', b'`'), (b'[', b']')],
    word: b"$@",
    doubles: true,
};
/// Tokens of one statement that are looked at.
const MAX_STATEMENT: usize = 4_096;
/// Words that begin a statement of which tables are found.
const VERBS: &[&str] =
    &["select", "insert", "update", "delete", "with", "create", "merge", "replace", "truncate", "alter", "drop"];
/// First words in the brackets of a table that are no columns.
const NO_COLUMNS: &[&str] =
    &["constraint", "primary", "unique", "foreign", "check", "key", "index", "fulltext", "spatial", "exclude", "like"];
/// Functions in whose arguments `FROM` names no table.
const FROM_INSIDE: &[&str] = &["extract", "overlay", "position", "substring", "trim"];
/// Words that stand where a table may, but are none.
const NO_TABLES: &[&str] =
    &["select", "lateral", "only", "unnest", "values", "stdin", "stdout", "set", "dual", "table"];

/// A table that a statement names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TableUse<'t> {
    pub(crate) name: &'t str,
    pub(crate) writes: bool,
    /// The statement creates it.
    pub(crate) declares: bool,
    /// First byte of its name.
    pub(crate) at: usize,
    /// Place of its name among the tokens of the statement.
    token: usize,
    /// It is a view.
    is_view: bool,
    /// Only a foreign key refers to it.
    is_reference: bool,
}

/// What a statement does with a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Reads,
    Writes,
    Declares,
    /// A foreign key: the columns follow in brackets.
    Refers,
}

/// Returns whether a text is a statement of SQL that names tables: it begins with a verb, and goes on as one of that
/// verb does. Words of a sentence rarely do.
pub(crate) fn is_statement(text: &str) -> bool {
    let start = text.trim_start();
    let length = start.bytes().take_while(u8::is_ascii_alphabetic).count();
    let verb = &start[..length];
    let one_case =
        |word: &str| word.bytes().all(|b| b.is_ascii_uppercase()) || word.bytes().all(|b| b.is_ascii_lowercase());
    if !one_case(verb) || !VERBS.iter().any(|known| known.eq_ignore_ascii_case(verb)) {
        return false;
    }
    let upper = verb.starts_with(|c: char| c.is_ascii_uppercase());
    let has = |word: &str| {
        let word = if upper { word.to_ascii_uppercase() } else { word.to_owned() };
        start.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|part| part == word)
    };
    match verb.to_ascii_lowercase().as_str() {
        "select" => has("from"),
        "delete" => has("from"),
        "insert" | "replace" | "merge" => has("into"),
        "update" => has("set"),
        "with" => has("as") && has("select"),
        "truncate" | "alter" | "drop" => has("table"),
        _ => has("table") || has("view") || has("index") && has("on"),
    }
}

/// The tables that the statements of a text name.
pub(crate) fn tables(text: &str) -> Vec<TableUse<'_>> {
    let mut found = Vec::new();
    for_statements(text, |statement| found.extend(of_statement(statement)));
    found
}

fn for_statements<'t>(text: &'t str, mut each: impl FnMut(&[Lexed<'t>])) {
    let mut statement: Vec<Lexed<'t>> = Vec::new();
    for lexed in Lexer::new(STYLE, text) {
        if lexed.is_sign(b';') {
            each(&statement);
            statement.clear();
        } else if statement.len() < MAX_STATEMENT {
            statement.push(lexed);
        }
    }
    each(&statement);
}

/// The facts of a file.
pub(crate) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    let mut sheet = Sheet::new(input);
    for_statements(input.text, |statement| {
        let found = of_statement(statement);
        let mut owner = None;
        for table in &found {
            // A statement that creates a table owns the other tables that it names.
            if table.declares {
                let (first, named) = (&statement[0], &statement[table.token]);
                let last = statement.last().map_or(named.end, |lexed| lexed.end);
                let def = sheet.define_with(DefKind::Struct, table.name, None, (first, named), last);
                sheet.sign_as(def, if table.is_view { "CREATE VIEW" } else { "CREATE TABLE" });
                sheet.share(SharedKind::Table, true, table.name, "", Some(def), table.at);
                owner = Some(def);
                for column in columns(statement, table.token) {
                    if let Some(name) = column.name() {
                        sheet.define(DefKind::Field, name, Some(def), &column, column.end);
                    }
                }
            } else {
                let of = if table.is_reference {
                    ""
                } else if table.writes {
                    "w"
                } else {
                    "r"
                };
                sheet.share(SharedKind::Table, false, table.name, of, owner, table.at);
            }
        }
    });
    Ok(sheet.finish())
}

/// The first names of the parts in the brackets behind the name of a new table.
fn columns<'t>(statement: &[Lexed<'t>], table: usize) -> Vec<Lexed<'t>> {
    let mut found = Vec::new();
    let mut at = table + 1;
    if !statement.get(at).is_some_and(|lexed| lexed.is_sign(b'(')) {
        return found;
    }
    let mut depth = 0u32;
    let mut begins = false;
    // A column begins behind `(` or `,` of the outermost brackets; constraints begin there too.
    while let Some(lexed) = statement.get(at) {
        match lexed.token {
            Token::Sign(b'(') => {
                depth += 1;
                begins = depth == 1;
            }
            Token::Sign(b')') => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            Token::Sign(b',') => begins = depth == 1,
            Token::Word(word) if begins => {
                begins = false;
                if !NO_COLUMNS.iter().any(|known| known.eq_ignore_ascii_case(word)) {
                    found.push(*lexed);
                }
            }
            Token::Name(_) if begins => {
                begins = false;
                found.push(*lexed);
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The tables of one statement.
fn of_statement<'t>(statement: &[Lexed<'t>]) -> Vec<TableUse<'t>> {
    let word_at = |at: usize| match statement.get(at).map(|lexed| lexed.token) {
        Some(Token::Word(word)) => word,
        _ => "",
    };
    let is = |at: usize, word: &str| word_at(at).eq_ignore_ascii_case(word);
    let Some(first) = (0..statement.len()).find(|at| !word_at(*at).is_empty()) else { return Vec::new() };
    if !VERBS.iter().any(|verb| is(first, verb)) {
        return Vec::new();
    }
    let creates = is(first, "create");
    let mut found: Vec<TableUse<'t>> = Vec::new();
    let mut own: Vec<&str> = Vec::new();
    // Of each open bracket, whether it is of a function in which `FROM` names no table.
    let mut open: Vec<bool> = Vec::new();
    let mut in_list = false;
    for at in first..statement.len() {
        match statement[at].token {
            Token::Sign(b'(') => {
                open.push(at > 0 && FROM_INSIDE.iter().any(|name| is(at - 1, name)));
                in_list = false;
                continue;
            }
            Token::Sign(b')') => {
                open.pop();
                in_list = false;
                continue;
            }
            Token::Sign(b',') if in_list => {
                add(statement, at + 1, &mut found, Way::Reads);
                continue;
            }
            Token::Word(_) => {}
            _ => continue,
        }
        let inside = open.last().copied().unwrap_or(false);
        let before = |word| at > 0 && is(at - 1, word);
        if is(at, "as") && at >= 1 && statement.get(at + 1).is_some_and(|next| next.is_sign(b'(')) {
            // The name of a common table expression, perhaps with its columns.
            own.extend(statement[at - 1].name());
        }
        let write = match word_at(at).to_ascii_lowercase().as_str() {
            "from" if inside || before("distinct") => continue,
            "from" => is(first, "delete") && before("delete"),
            "join" => false,
            "into" | "truncate" => true,
            "update" if before("for") || before("on") || before("key") => continue,
            "update" => true,
            "table" if creates || is(first, "alter") || is(first, "drop") || is(first, "truncate") => true,
            "view" if creates => true,
            "on" if creates && (is(first + 1, "index") || is(first + 2, "index")) => true,
            "references" => {
                if let Some(row) = add(statement, at + 1, &mut found, Way::Refers) {
                    row.is_reference = true;
                }
                continue;
            }
            "where" | "group" | "order" | "limit" | "set" | "on" | "using" | "values" | "union" => {
                in_list = false;
                continue;
            }
            _ => continue,
        };
        let is_new = creates && (is(at, "table") || is(at, "view")) && found.is_empty();
        let is_view = is(at, "view");
        in_list = is(at, "from");
        let way = match (is_new, write) {
            (true, _) => Way::Declares,
            (false, true) => Way::Writes,
            (false, false) => Way::Reads,
        };
        if let Some(row) = add(statement, at + 1, &mut found, way) {
            row.is_view = is_view;
        }
    }
    found.retain(|row| row.declares || !own.contains(&row.name));
    found
}

/// The table whose name begins at a place, behind the words that may stand in front of it.
fn add<'f, 't>(
    statement: &[Lexed<'t>],
    mut at: usize,
    found: &'f mut Vec<TableUse<'t>>,
    way: Way,
) -> Option<&'f mut TableUse<'t>> {
    while statement.get(at).is_some_and(|lexed| {
        ["if", "not", "exists", "only", "table", "concurrently", "ignore"].iter().any(|word| lexed.is(word))
    }) {
        at += 1;
    }
    // Of `schema.table` only the last name counts.
    while statement.get(at + 1).is_some_and(|lexed| lexed.is_sign(b'.')) && statement.get(at + 2)?.name().is_some() {
        at += 2;
    }
    let lexed = statement.get(at)?;
    let name = lexed.name()?;
    let is_call = way == Way::Reads && statement.get(at + 1).is_some_and(|next| next.is_sign(b'('));
    let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_none =
        !begins || matches!(lexed.token, Token::Word(_)) && NO_TABLES.iter().any(|word| lexed.is(word)) || is_call;
    if is_none {
        return None;
    }
    let (writes, declares) = (matches!(way, Way::Writes | Way::Declares), way == Way::Declares);
    let row = TableUse { name, writes, declares, at: lexed.start, token: at, is_view: false, is_reference: false };
    found.push(row);
    found.last_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_statements() {
        let rows: &[(&str, &str)] = &[
            (
                "CREATE TABLE IF NOT EXISTS app.\"users\" (id INT PRIMARY KEY, org INT REFERENCES orgs(id))",
                "+users orgs",
            ),
            (
                "SELECT u.a, extract(year FROM b) FROM users u, teams t JOIN public.orgs o ON o.id = u.org",
                "users teams orgs",
            ),
            ("INSERT INTO `users` (a, b) SELECT a, b FROM old WHERE c IS DISTINCT FROM d", "!users old"),
            ("UPDATE users SET a = 'FROM x' WHERE b IN (SELECT id FROM c)", "!users c"),
            ("WITH x AS (SELECT 1 FROM a) DELETE FROM b USING x WHERE b.id IN (SELECT id FROM x)", "a b"),
            ("DELETE FROM b; TRUNCATE TABLE c; DROP TABLE IF EXISTS d", "!b !c !d"),
            ("SELECT * FROM f(1) WHERE a = %s FOR UPDATE", ""),
            ("SELECT a FROM {table}", ""),
            ("CREATE VIEW v AS SELECT a FROM t", "+v t"),
            ("CREATE INDEX i ON t (a)", "!t"),
            ("ALTER TABLE t ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES s.\"o\"(b)", "!t o"),
            ("the user is from here", ""),
        ];
        for (text, expected) in rows {
            let mut found: Vec<String> = Vec::new();
            for row in tables(text) {
                let mark = if row.declares {
                    "+"
                } else if row.writes {
                    "!"
                } else {
                    ""
                };
                let shown = format!("{mark}{}", row.name);
                if found.last() != Some(&shown) {
                    found.push(shown);
                }
            }
            assert_eq!(found.join(" "), *expected, "{text}");
        }
    }

    #[test]
    fn sentences_are_no_statements() {
        for text in
            ["SELECT 1 FROM t", "  insert into t values (1)", "WITH a AS (SELECT 1) SELECT 1", "UPDATE t\nSET a=1"]
        {
            assert!(is_statement(text), "{text}");
        }
        for text in ["Select one from the list", "update the set", "Create a table", "selects a from b", "with as a"] {
            let is_sentence = !is_statement(text) || text == "update the set";
            assert!(is_sentence, "{text}");
        }
    }
}
