use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::EngineConfig;
use m1nd_testkit::{TempTree, parse_fixture};
use m1nd_tools::{Context, ErrorCode, Format, Reply, Services, TOOLS, ToolDef, ToolError, find};
use serde_json::{Value, json};

use crate::repository::{Put, Repository};

/// Several files of one small program, with one way into it, a test, look-alike folders and an unresolved call.
pub(crate) const PROGRAM: &str = include_str!("../../../../tests/fixtures/program.txt");

/// How long answers wait for the history here, so that slow machines give the same ones.
const HISTORY_WAIT: std::time::Duration = std::time::Duration::from_secs(60);

/// Members of answers that differ between two projects of the same content.
const VARYING: &[&str] = &[
    "elapsed_ms",
    "id",
    "preview_id",
    "batch_id",
    "phases",
    "progress_events",
    "created_at",
    "indexed_at_ms",
    "last_tick_ms",
    "recent_events",
    "events_seen",
    "probe_ms",
    "uptime_seconds",
    "memory_usage_bytes",
    "repos_ingested",
    "stages_ms",
    "active_sessions",
    "created_at_ms",
    "expires_at_ms",
    "last_modified_ms",
    "last_activity",
    "session_uptime_seconds",
    "queries_made",
    "last_accessed_ms",
    "cost_ms",
    "process_id",
    "last_persist_ms",
    "last_persist_time",
    "stored_bytes",
];

/// Whether arguments are those of the example of a tool, apart from those that every tool takes.
fn is_example(tool: &ToolDef, arguments: &Value) -> bool {
    let example = tool.example_arguments();
    let mut own = example.as_object().into_iter().flatten().filter(|(name, _)| *name != "agent_id");
    !tool.example_after.is_empty() && own.all(|(name, value)| arguments.get(name) == Some(value))
}

/// A text with the random ends of the ids of handles taken out: `lock_ann_<26 digits>`.
fn without_handles(text: &str) -> String {
    let mut kept = String::new();
    for part in text.split_inclusive('_') {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
        kept += if end == 26 { &part[end..] } else { part };
    }
    kept
}

/// Gives the members of an object that vary a value that does not.
fn level(value: &mut Value) {
    let members = value.as_object_mut().into_iter().flatten();
    for (_, value) in members.filter(|(name, _)| VARYING.contains(&name.as_str())) {
        *value = match value {
            Value::String(_) => json!("<varies>"),
            Value::Array(_) => json!([]),
            Value::Object(_) => json!({}),
            _ => json!(0),
        };
    }
}

/// An engine over a fixture, indexed unless asked otherwise.
pub(crate) struct Project {
    pub(crate) tree: TempTree,
    pub(crate) services: Services,
    home: tempfile::TempDir,
    /// Id of the perspective in examples.
    perspective: RefCell<String>,
    /// Whether calls are answered over a federation that was made.
    follows: Cell<bool>,
}

impl Project {
    /// The one that writes about memories.
    pub(crate) fn keeper(&self) -> m1nd_mind::Keeper {
        self.services.memories.keeper(self.services.engine.snapshot())
    }

    /// Has its memories, and the code that they name, noted; its user has taken it over.
    pub(crate) fn note(&self) {
        let keeper = self.keeper();
        keeper.approve(self.tree.path(), &[], None).expect("is approved");
        keeper.refresh(self.tree.path(), m1nd_mind::Depth::Full).expect("is noted");
    }

    pub(crate) fn open_unindexed(fixture: &str) -> Self {
        Self::open(fixture, false)
    }

    pub(crate) fn open(fixture: &str, read_only: bool) -> Self {
        Self::with(fixture, |config| config.read_only = read_only)
    }

    /// An engine that is set up otherwise.
    pub(crate) fn with(fixture: &str, change: impl FnOnce(&mut EngineConfig)) -> Self {
        Self::over(TempTree::new(fixture), change)
    }

    /// The fixture in a git repository, indexed: each commit has touched files that the words of its subject do not
    /// meet.
    pub(crate) fn in_git(fixture: &str, commits: &[(&str, &[&str])]) -> Self {
        let mut repository = Repository::new();
        for (path, content) in parse_fixture(fixture) {
            repository.tree.write(&path, content);
        }
        for (number, (subject, paths)) in commits.iter().enumerate() {
            let content = number.to_string();
            let changes: Vec<_> = paths.iter().map(|path| Put(path, &content)).collect();
            repository.commit("ann", subject, &changes);
        }
        Self::over_repository(repository)
    }

    /// The work tree of a repository, indexed.
    pub(crate) fn over_repository(repository: Repository) -> Self {
        Self::over_repository_with(repository, |_| {})
    }

    /// The same with an engine that is set up otherwise.
    pub(crate) fn over_repository_with(repository: Repository, change: impl FnOnce(&mut EngineConfig)) -> Self {
        let project = Self::over(repository.tree, change);
        project.ok("ingest", json!({"path": "."}));
        project
    }

    fn over(tree: TempTree, change: impl FnOnce(&mut EngineConfig)) -> Self {
        let home = tempfile::tempdir().expect("a folder for the store");
        let mut config = EngineConfig {
            threads: Some(1),
            history_wait: HISTORY_WAIT,
            ..EngineConfig::new(home.path().to_owned(), vec![tree.path().to_owned()])
        };
        change(&mut config);
        let services = Services::self_contained(config).expect("an engine on a new folder");
        Self { tree, services, home, perspective: RefCell::default(), follows: Cell::default() }
    }

    /// Where m1nd stores what it knows.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// The same project after a restart.
    pub(crate) fn reopen(self, change: impl FnOnce(&mut EngineConfig)) -> Self {
        let Self { tree, services, home, perspective, follows } = self;
        drop(services);
        let roots = vec![tree.path().to_owned()];
        let mut config = EngineConfig { threads: Some(1), history_wait: HISTORY_WAIT, ..EngineConfig::new(home.path().to_owned(), roots) };
        change(&mut config);
        let services = Services::self_contained(config).expect("an engine on a known folder");
        Self { tree, services, home, perspective, follows }
    }

    pub(crate) fn new(fixture: &str) -> Self {
        let project = Self::open_unindexed(fixture);
        project.ok("ingest", json!({"path": "."}));
        project
    }

    /// Calls a tool as an agent does; `agent_id` is added.
    pub(crate) fn call(&self, tool: &str, mut arguments: Value) -> Result<Value, ToolError> {
        arguments["agent_id"] = json!("tester");
        self.call_as_is(tool, arguments)
    }

    pub(crate) fn call_as_is(&self, tool: &str, mut arguments: Value) -> Result<Value, ToolError> {
        // The id in the example stands for a preview that was made before.
        if tool == "edit_commit" && arguments["preview_id"] == "preview_agent_0" {
            let mut preview = find("edit_preview").expect("a tool").example_arguments();
            preview["agent_id"] = arguments["agent_id"].clone();
            arguments["preview_id"] = self.call_as_is("edit_preview", preview)?["preview_id"].clone();
        }
        let tool = find(tool).unwrap_or_else(|| panic!("no tool {tool}"));
        match self.call_unprepared(tool, arguments.clone()) {
            // An example that needs something first.
            Err(error) if error.code == ErrorCode::HandleUnknown && is_example(tool, &arguments) => {
                self.prepare(tool, &arguments["agent_id"]);
                self.call_unprepared(tool, arguments)
            }
            answer => answer,
        }
    }

    /// A call without the calls that an example needs before it.
    pub(crate) fn call_unprepared(&self, tool: &ToolDef, arguments: Value) -> Result<Value, ToolError> {
        let services = if self.follows.get() { self.services.current() } else { self.services.clone() };
        tool.invoke(&Context::new(&services, TOOLS, &Cancel::new(), &NoProgress), arguments)
    }

    /// Makes the calls that the example of a tool needs before it, for an agent.
    pub(crate) fn prepare(&self, tool: &ToolDef, agent: &Value) {
        for (name, mut arguments) in tool.calls_before() {
            arguments["agent_id"] = agent.clone();
            self.call_as_is(name, arguments).unwrap_or_else(|error| panic!("{name}: {}", error.to_json()));
        }
    }

    /// Like [`Project::call`], answered over the federation that was made last.
    pub(crate) fn call_federated(&self, tool: &str, arguments: Value) -> Result<Value, ToolError> {
        self.follow();
        self.call(tool, arguments)
    }

    /// From now on, calls are answered over the federation that was made last, as a server does.
    pub(crate) fn follow(&self) {
        self.follows.set(true);
    }

    /// The example of a tool. Where it names a perspective, that of an agent who followed a route is put in.
    pub(crate) fn example(&self, tool: &ToolDef) -> Value {
        let mut arguments = tool.example_arguments();
        let names: Vec<String> = arguments.as_object().expect("an object").keys().cloned().collect();
        if !names.iter().any(|name| name.starts_with("perspective_id")) {
            return arguments;
        }
        let agent = arguments["agent_id"].clone();
        let routes =
            |id: &str| self.call_as_is("perspective_routes", json!({"agent_id": agent, "perspective_id": id})).ok();
        let services = if self.follows.get() { self.services.current() } else { self.services.clone() };
        if services.engine.snapshot().is_empty() {
            return arguments;
        }
        let known = routes(&self.perspective.borrow()).filter(|shown| !shown["focus"].is_null());
        let shown = known.unwrap_or_else(|| {
            // Branches of earlier calls count towards the limit.
            let open = self.call_as_is("perspective_list", json!({"agent_id": agent})).expect("are listed");
            for one in open["perspectives"].as_array().into_iter().flatten() {
                let close = json!({"agent_id": agent, "perspective_id": one["perspective_id"]});
                self.call_as_is("perspective_close", close).expect("is closed");
            }
            let start = json!({"agent_id": agent, "query": "validate credentials"});
            let started = self.call_as_is("perspective_start", start).expect("is started");
            let (id, version) = (&started["perspective_id"], &started["route_set_version"]);
            let first =
                json!({"agent_id": agent, "perspective_id": id, "route_index": 1, "route_set_version": version});
            self.call_as_is("perspective_follow", first).expect("is followed")
        });
        let id = shown["perspective_id"].as_str().expect("an id");
        for name in names {
            match name.as_str() {
                "route_set_version" => arguments[name] = shown["route_set_version"].clone(),
                name if name.starts_with("perspective_id") => arguments[name] = json!(id),
                _ => {}
            }
        }
        *self.perspective.borrow_mut() = id.to_owned();
        arguments
    }

    /// The answer to a call without what differs between two projects of the same content: places and times.
    pub(crate) fn steady(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.call_as_is(tool, arguments.clone());
        let answer = answer.unwrap_or_else(|error| panic!("{tool} {arguments}: {}", error.to_json()));
        let name = self.tree.path().file_name().expect("a folder").to_string_lossy();
        let lower = name.to_lowercase();
        let places = [self.tree.path().to_string_lossy(), self.home().to_string_lossy(), name, lower.into()];
        let text = places.iter().fold(answer.to_string(), |text, place| text.replace(&**place, "<place>"));
        let mut answer: Value = serde_json::from_str(&without_handles(&text)).expect("JSON");
        level(&mut answer);
        answer.as_object_mut().expect("an object").values_mut().for_each(level);
        answer
    }

    pub(crate) fn ok(&self, tool: &str, arguments: Value) -> Value {
        let shown = arguments.to_string();
        self.call(tool, arguments).unwrap_or_else(|error| panic!("{tool} {shown}: {}", error.to_json()))
    }

    /// The answer as text.
    pub(crate) fn text(&self, tool: &str, mut arguments: Value) -> String {
        arguments["agent_id"] = json!("tester");
        let tool = find(tool).unwrap_or_else(|| panic!("no tool {tool}"));
        let cancel = Cancel::new();
        let context = Context::new(&self.services, TOOLS, &cancel, &NoProgress);
        match tool.reply(&context, arguments, Format::Text) {
            Ok(Reply::Text(text)) => text,
            Ok(Reply::Json(body)) => panic!("no text, but {body}"),
            Err(error) => panic!("{}", error.to_json()),
        }
    }

    pub(crate) fn err(&self, tool: &str, arguments: Value) -> Value {
        let shown = arguments.to_string();
        match self.call(tool, arguments) {
            Ok(answer) => panic!("{tool} {shown} must fail, but answered {answer}"),
            Err(error) => error.to_json(),
        }
    }
}

/// All files below some folders, with what they hold.
pub(crate) fn files_below(folders: &[&Path]) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| folder.to_path_buf()).collect();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.clone(), std::fs::read(&path).expect("readable"));
            }
        }
    }
    found
}

/// One member of each row, space-separated.
pub(crate) fn column(answer: &Value, rows: &str, member: &str) -> String {
    let rows = answer[rows].as_array().unwrap_or_else(|| panic!("no rows `{rows}` in {answer}"));
    let cells = rows.iter().map(|row| match &row[member] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    cells.collect::<Vec<_>>().join(" ")
}
