//! Lists the places that use a node, by role.

use std::collections::HashSet;

use m1nd_engine::graph::NodeIx;
use m1nd_query::references::{Role, references_of_overloads};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::callers::guidance;
use super::closure::Closure;
use super::symbol;
use crate::framework::{
    Answer, Command, ReadContext, ReadTool, Route, Stage, TextGroups, Tool, ToolError, Toolset, is_zero, number,
    rows_schema,
};
use crate::rows::{self, NodeRow};
use crate::site_text::{SITE_GROUPS, SITE_OMITS};
use crate::sites::{self, SiteRow, Totals};
use crate::word::Word;

/// Default number of rows.
const DEFAULT_ROWS: usize = 100;
/// Maximum rows of one page.
const MAX_ROWS: usize = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Id, path or name
    node_id: String,
    /// Only these, such as `write`; default all
    #[serde(default)]
    roles: Vec<String>,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    node: NodeRow,
    /// Its name with its owners.
    name: String,
    /// Nodes whose uses are among the rows: its constructors, its definition or declarations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    includes: Vec<symbol::IncludedRow>,
    /// Methods that implement it, if it is abstract.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    implementations: Vec<symbol::ImplementationRow>,
    #[serde(skip_serializing_if = "is_zero")]
    total_implementations: usize,
    references: Vec<SiteRow>,
    /// Number of places, all pages.
    total_references: usize,
    /// Number of functions and files that hold them.
    total_users: usize,
    #[serde(flatten)]
    totals: Totals,
    /// The roles of the rows, if not all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    roles: Vec<Word<Role>>,
    /// Number of places by role, of all roles.
    by_role: Map<String, Value>,
    closure: Closure,
}

pub(crate) struct References;

impl Tool for References {
    const NAME: &'static str = "references";
    const TOOLSET: Toolset = Toolset::Analysis;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "List every use of a node by role: call, read, write, type, import and others";
    const ANSWERS: &'static str = "where something is used and how: called, read, written, imported or inherited";
    const HELP: &'static str = "\
Lists the places that use a node, each with its line, the function or file around it, and a `role`: `call`, `macro`,
`read`, `write`, `type`, `inherit`, `override`, `decorate`, `import`, `reexport`, `register`, `config`, `document`, or
`use` for others and for files that changed since they were indexed. `roles` (or `access`) limits the rows to some of
them; `by_role` counts all. Who changes a value: `access: write`, which are assignments of each form, updates, struct
literals, targets of destructuring, elements that are set, and `&mut`. Uses of a class include those of its constructors, not those of its other members; those of a declaration
include those of its definition, and the other way round: `includes` lists such nodes. Code comes first, then tests, by
path and line.

`tier` is `certain`, or `possible` if the reference has several targets (`candidates` is their number; `by_dispatch`:
the code names a method that this one overrides). `closure` says whether there may be more, as in `callers`: an empty
list proves that nothing uses it only if `closure.state` is `closed`.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "node_id": "README.md"}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Plan, 25, "every use that a new name changes"),
        (Stage::Edit, 28, "the uses to adapt: `roles` selects some"),
    ];
    const PAGED: bool = true;
    const NEEDS_FRESH: bool = true;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("node", "node_id"), ("role", "roles"), ("access", "roles"), ("limit", "top_k")];
    const TEXT_GROUPS: Option<&'static TextGroups> = Some(&SITE_GROUPS);
    const TEXT_OMITS: &'static [&'static str] = SITE_OMITS;
    const COMMAND: Option<Command> = Some(Command::new("refs", &["node_id"]));
    const DETAILS: &'static [&'static str] =
        &["references.line_start", "references.line_end", "by_role", "closure.hiding"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("references": "node_id", "label", "file_path", "role", "tier");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for References {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let (node, overloads) = rows::resolve_overloads(snapshot, "node_id", &input.node_id)?;
        let wanted = roles(&input.roles)?;
        let page = cx.page(input.top_k);
        let mut found = references_of_overloads(snapshot, (node, &overloads), &wanted, cx.cancel())?;
        if let Some(unseen) = cx.describe_unseen() {
            found.closure.block(unseen);
        }
        let (total, totals) = (found.rows.len(), Totals::count(snapshot, &found.rows));
        let includes = symbol::list_included(snapshot, &found.others, &overloads);
        // Those that override it directly are rows.
        let is_row: HashSet<NodeIx> = found.rows.iter().map(|row| row.from).collect();
        let (implementations, total_implementations) =
            symbol::list_implementations(snapshot, node, |node| !is_row.contains(&node));
        let name = sites::name_of(snapshot, node);
        let node = NodeRow::new(snapshot, node);
        let first = found.rows.first().map(|row| snapshot.graph().id(row.from).to_owned());
        let guidance = guidance((&node, ""), first, &found, "user");
        let output = Output {
            references: sites::site_rows(snapshot, &page.cut(std::mem::take(&mut found.rows))),
            total_references: total,
            total_users: found.users,
            roles: wanted.iter().copied().map(Word).collect(),
            by_role: found.roles.iter().map(|(role, number)| (role.word().to_owned(), (*number).into())).collect(),
            totals,
            closure: Closure::new(snapshot, &found.closure).with_lines(snapshot, &found.closure),
            includes,
            implementations,
            total_implementations,
            node,
            name,
        };
        Ok(Answer::new(output).rows("references", total).guidance(guidance))
    }
}

fn roles(words: &[String]) -> Result<Vec<Role>, ToolError> {
    let role = |word: &String| {
        Role::parse(&word.trim().to_lowercase()).ok_or_else(|| {
            let shown: String = word.chars().take(60).collect();
            let allowed: Vec<String> = Role::ALL.iter().map(|role| format!("`{}`", role.word())).collect();
            ToolError::invalid(format!("argument `roles` contains `{shown}`, expected {}", allowed.join(", ")))
        })
    };
    words.iter().map(role).collect()
}
