//! Lists the places that call a node.

use std::collections::HashSet;

use m1nd_base::{NodeKind, node_id};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::{NodeFlags, NodeIx};
use m1nd_query::closure::{ClosureState, reasons};
use m1nd_query::references::{
    Occurrence, OccurrenceAnswer, OverrideCalls, SameName, callers_of_overloads, calls_of_overrides, same_names,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::closure::Closure;
use super::symbol;
use crate::framework::{
    Answer, Command, Guidance, Mention, ProofState, Purpose, ReadContext, ReadTool, Route, Stage, TextGroups, Tool,
    ToolError, ToolRef, Toolset, is_zero, number, rows_schema,
};
use crate::rows::{self, NodeRow, count};
use crate::site_text::{SITE_GROUPS, SITE_OMITS};
use crate::sites::{self, SiteRow, Totals};

/// Default number of rows.
const DEFAULT_ROWS: usize = 200;
/// Maximum rows of one page.
const MAX_ROWS: usize = 1_000;
/// Maximum number of calls of overrides that are listed.
const MAX_OVERRIDE_CALLS: usize = 100;
/// Maximum number of other functions of the name that are listed.
const MAX_SAME_NAMES: usize = 10;
/// Size of a text: all calls of most functions, so that nobody has to ask twice.
const TEXT_BYTES: usize = 16_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Id, path or name
    node_id: String,
    /// Folder or file: only the calls in it
    scope: Option<String>,
    /// Leave out calls in tests
    #[serde(default)]
    without_tests: bool,
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
    /// Where it is defined and declared.
    definitions: Vec<symbol::PlaceRow>,
    /// What it overrides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overrides: Vec<symbol::PlaceRow>,
    /// Places of documents that name it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    documents: Vec<symbol::PlaceRow>,
    #[serde(skip_serializing_if = "is_zero")]
    total_documents: usize,
    /// Methods that implement it, if it is abstract.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    implementations: Vec<symbol::ImplementationRow>,
    #[serde(skip_serializing_if = "is_zero")]
    total_implementations: usize,
    callers: Vec<SiteRow>,
    /// Folder or file of the rows.
    #[serde(skip_serializing_if = "String::is_empty")]
    scope: String,
    /// The rows are those outside of tests.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    without_tests: bool,
    /// Number of functions and files in scope that call it.
    total_callers: usize,
    /// Number of places in scope, all pages.
    total_sites: usize,
    #[serde(flatten)]
    totals: Totals,
    /// Calls that name a method which overrides the node, and so do not run the node.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    override_calls: Vec<SiteRow>,
    #[serde(skip_serializing_if = "is_zero")]
    total_override_calls: usize,
    /// Other functions with the name of the node, and how often they are called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    same_name: Vec<SameNameRow>,
    /// Their calls in all, those of functions that are not listed included.
    #[serde(skip_serializing_if = "is_zero")]
    total_same_name_calls: usize,
    closure: Closure,
}

#[derive(Debug, Serialize)]
struct SameNameRow {
    node_id: String,
    name: String,
    calls: usize,
}

pub(crate) struct Callers;

impl Tool for Callers {
    const NAME: &'static str = "callers";
    const TOOLSET: Toolset = Toolset::Analysis;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "List every call of a node, and whether the list is complete";
    const ANSWERS: &'static str = "who calls something: each call with its line, and whether there may be more";
    const HELP: &'static str = "\
Lists the calls of a function, a macro, or a class (its constructors), each with the place, the line and the function
or file around it. For a file, module or package, it lists the calls of its members from outside. Code comes first,
then tests, by path and line; `scope` limits the rows, their numbers and what `closure` is about to a folder or file,
`without_tests` the rows to those outside of tests. `impact` goes on
to what depends on the callers. `includes` lists the other nodes that the calls are of: the constructors of a class,
the declarations and the definition of a symbol, the overloads that the name means as well. `implementations` lists
the methods that implement or override it, directly or through others (in `scope`), `overrides` those that it overrides,
`definitions` where it is defined and declared, `documents` the places of documents that name it. For a method of a family, the rows are the calls that may run it, those
that name a method above it included; `override_calls` are the calls that name a method below it, which runs instead.
`same_name` counts the calls of other functions with the name, which a text search finds as well.

`tier` is `certain`, or `possible` if the call has several targets (`candidates` is their number, `or` names some;
`by_dispatch`: the code `names` a method that this one overrides). `total_callers` counts the functions and files,
`total_sites` the calls. `closure.state` is `closed` if every call is known. It is `blocked` if something may hide
more, and `closure.hiding` lists each place with its `reason`: a reference without a known target that has the name; a
use as a value (`passed_as_value`); a registration (`registered`); a member that code outside of the project calls or
reads (`called_from_outside`), and each call of a member outside with its name (`outside_member`); a read of a member
of a base that it may answer (`property_of_base`); the name in code, strings or other files that no reference explains
(`unexplained_text`, `dynamic_name`), or in a file that is not in the index whole (`unseen_file`). An empty list proves that nothing calls
it only if it is `closed`. `stale: true` marks files that changed since they were indexed.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "node_id": "README.md"}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Diagnose, 35, "who calls it, and with what"),
        (Stage::Plan, 20, "every call that a new signature changes"),
        (Stage::Edit, 25, "the calls to adapt"),
    ];
    const MENTIONS: &'static [Mention] =
        &[(Purpose::BeforeChange, 10, "(every call site with its line, and what overrides it)")];
    const PAGED: bool = true;
    const NEEDS_FRESH: bool = true;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("node", "node_id"), ("limit", "top_k")];
    const TEXT_GROUPS: Option<&'static TextGroups> = Some(&SITE_GROUPS);
    const TEXT_PAGE_BYTES: usize = TEXT_BYTES;
    const TEXT_OMITS: &'static [&'static str] = SITE_OMITS;
    const COMMAND: Option<Command> = Some(Command::new("callers", &["node_id"]));
    const DETAILS: &'static [&'static str] = &["callers.line_start", "callers.line_end", "closure.hiding"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("callers": "node_id", "label", "file_path", "role", "tier");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Callers {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let (node, overloads) = rows::resolve_overloads(snapshot, "node_id", &input.node_id)?;
        let page = cx.page(input.top_k);
        let mut found = callers_of_overloads(snapshot, (node, &overloads), cx.cancel())?;
        if let Some(unseen) = cx.describe_unseen() {
            found.closure.block(unseen);
        }
        let includes = symbol::list_included(snapshot, &found.others, &overloads);
        let start = node;
        let targets: Vec<NodeIx> = std::iter::once(node).chain(found.others.iter().copied()).collect();
        let name = sites::name_of(snapshot, node);
        let node = NodeRow::new(snapshot, node);
        let first = found.rows.first().map(|row| snapshot.graph().id(row.from).to_owned());
        // Of the whole project: none in a folder does not mean none.
        let guidance = guidance((&node, &symbol::by_constructors(snapshot, &found.others)), first, &found, "caller");
        let scope = rows::scope(snapshot, input.scope.as_deref())?;
        let is_test = |node| snapshot.graph().flags(node).has(NodeFlags::TEST);
        let is_asked =
            |node| m1nd_base::is_within(snapshot.graph().path(node), &scope) && !(input.without_tests && is_test(node));
        let (implementations, total_implementations) = symbol::list_implementations(snapshot, start, is_asked);
        let is_inside = |row: &Occurrence| is_asked(row.from);
        let mut family = calls_of_overrides(snapshot, &targets, &found.rows, cx.cancel())?;
        // They are counted in the whole project.
        let (same_name, total_same_name_calls) = match scope.is_empty() {
            true => list_same_names(snapshot, (start, &targets), &found, &family),
            false => (Vec::new(), 0),
        };
        family.rows.retain(is_inside);
        found.rows.retain(is_inside);
        if !scope.is_empty() {
            found.closure.restrict(|file| m1nd_base::is_within(file, &scope));
        }
        found.users = found.rows.iter().map(|row| row.from).collect::<HashSet<_>>().len();
        let (total, totals) = (found.rows.len(), Totals::count(snapshot, &found.rows));
        let total_override_calls = family.rows.len();
        family.rows.truncate(MAX_OVERRIDE_CALLS);
        let (documents, total_documents) = symbol::list_documents(snapshot, start);
        let output = Output {
            definitions: symbol::list_definitions(snapshot, start),
            overrides: symbol::list_overridden(snapshot, start),
            documents,
            total_documents,
            callers: sites::site_rows(snapshot, &page.cut(std::mem::take(&mut found.rows))),
            total_callers: found.users,
            total_sites: total,
            totals,
            override_calls: sites::override_rows(snapshot, &family.rows),
            total_override_calls,
            same_name,
            total_same_name_calls,
            without_tests: input.without_tests,
            scope: scope.clone(),
            closure: Closure::new(snapshot, &found.closure).with_lines(snapshot, &found.closure),
            includes,
            implementations,
            total_implementations,
            node,
            name,
        };
        Ok(Answer::new(output).rows("callers", total).guidance(guidance))
    }
}

/// Other functions with the name of a node, and the number of their calls: a text search finds these as well. `found`
/// has its calls, `family` overrides it.
fn list_same_names(
    snapshot: &Snapshot,
    (node, targets): (NodeIx, &[NodeIx]),
    found: &OccurrenceAnswer,
    family: &OverrideCalls,
) -> (Vec<SameNameRow>, usize) {
    let graph = snapshot.graph();
    if graph.kind(node) != NodeKind::Function {
        return (Vec::new(), 0);
    }
    let named = found.rows.iter().map(|row| row.named);
    let own = targets.iter().copied().chain(family.methods.iter().copied()).chain(named).collect();
    let row = |other: &SameName| {
        let id = graph.id(other.node).to_owned();
        let name = match node_id::outside_path(&id) {
            Some(path) => path.to_owned(),
            None => sites::name_of(snapshot, other.node),
        };
        SameNameRow { node_id: id, name, calls: other.calls }
    };
    // A call of a member outside may run a node that code outside calls: it is not another one.
    let may_be_outside = found.closure.hiding.iter().any(|open| open.reason == reasons::CALLED_FROM_OUTSIDE);
    let mut found = same_names(snapshot, node, &own);
    found.retain(|other| !(may_be_outside && graph.kind(other.node).is_outside()));
    (found.iter().take(MAX_SAME_NAMES).map(row).collect(), found.iter().map(|other| other.calls).sum())
}

/// The next step of an answer that lists the users of a node, each called `what`; `by` follows its name.
pub(super) fn guidance(
    (node, by): (&NodeRow, &str),
    first: Option<String>,
    found: &OccurrenceAnswer,
    what: &str,
) -> Guidance {
    match (found.closure.state, found.users) {
        (ClosureState::Closed, 0) => {
            let hint = format!("complete: no {what} of `{}`{by}, and no search finds one", node.label);
            Guidance::next(ProofState::ReadyToEdit, ToolRef("view"), Some(node.node_id.clone()), hint)
        }
        (ClosureState::Closed, users) => {
            let hint = format!("complete: {}{by}, and no search adds one; open the first", count(users, what));
            Guidance::next(ProofState::ReadyToEdit, ToolRef("view"), first, hint)
        }
        (_, users) => {
            let hint = format!("{}{by} known; what `closure` lists may be more", count(users, what));
            let first = found.closure.hiding.first().filter(|row| row.line > 0);
            match first {
                Some(row) => {
                    let place = format!("{}:{}", row.file, row.line);
                    Guidance::next(ProofState::Proving, ToolRef("view"), Some(place), hint)
                }
                None => Guidance::next(ProofState::Proving, ToolRef("search"), Some(node.label.clone()), hint),
            }
        }
    }
}
