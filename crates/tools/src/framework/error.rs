use serde_json::{Map, Value, json};

use crate::word::kinds;

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $variant:ident = $word:literal,)*) => {
        /// Kind of failure of a tool. The word is stable: programs match on it, and exit codes and docs derive from it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ErrorCode {
            $($(#[doc = $doc])* $variant,)*
        }

        impl ErrorCode {
            /// Every code, in the order of the docs.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word on the wire.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// Meaning and remedy, for the docs.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc, "\n"),*),)* }
            }
        }
    };
}

kinds! { ErrorCode, }

codes! {
    /// An argument is missing, unknown, of the wrong type or out of range. The message names it.
    InvalidParams = "invalid_params",
    /// No tool has this name.
    UnknownTool = "unknown_tool",
    /// Nothing is indexed yet: call `ingest` first.
    EmptyGraph = "empty_graph",
    /// No node has this id, path or name. `suggestions` holds similar ones.
    NodeNotFound = "node_not_found",
    /// Several nodes match. `candidates` holds them, best first: repeat the call with one of their ids.
    AmbiguousNode = "ambiguous_node",
    /// No branch, tag or commit has this name, or its objects are not in this clone.
    RevisionNotFound = "revision_not_found",
    /// The path is outside the indexed roots. Roots are set when the server starts, never by a call.
    OutsideWorkspace = "outside_workspace",
    /// No such file below the roots.
    FileNotFound = "file_not_found",
    /// The file exists but cannot be shown: it is binary, too large, or the system denied access.
    FileUnreadable = "file_unreadable",
    /// The file is not what the caller saw: read it again. `expected_hash` and `current_hash` tell both contents.
    SourceModified = "source_modified",
    /// The path or content must not be written; the message says why.
    WriteRefused = "write_refused",
    /// The replacement, diff or definition does not fit the current file; the message says where.
    EditDoesNotApply = "edit_does_not_apply",
    /// The write failed; the message says which file and whether the old content is back.
    WriteFailed = "write_failed",
    /// The symbol is not renamed; the message says why. `may_mean_it` lists places whose target is not known.
    RenameRefused = "rename_refused",
    /// A refactoring would break something, or not all of its places are known.
    RefactorRefused = "refactor_refused",
    /// No preview has this id, it has expired, or it is of another agent: make a new one.
    PreviewNotFound = "preview_not_found",
    /// The regular expression or glob is invalid; the message says where.
    InvalidPattern = "invalid_pattern",
    /// The cursor is of another call or an older generation: repeat the call without it.
    StaleCursor = "stale_cursor",
    /// The routes of the perspective changed since this `route_set_version`: `route_set_version` is the current one.
    StaleRouteSet = "stale_route_set",
    /// No route of the perspective has this id or place: `perspective_routes` lists them.
    RouteNotFound = "route_not_found",
    /// The perspective is at its start: there is nothing to go back to.
    AtTheStart = "at_the_start",
    /// No perspective, trail or lock has this id: it never existed, was removed, or expired long ago.
    HandleUnknown = "handle_unknown",
    /// The perspective, trail or lock has expired: create a new one.
    HandleExpired = "handle_expired",
    /// The perspective, trail, lock or auto ingest belongs to another agent.
    HandleNotYours = "handle_not_yours",
    /// Another call changed the perspective, trail or lock meanwhile: repeat the call.
    HandleChanged = "handle_changed",
    /// A limit on the number or size of what an agent may hold is reached. The message names it.
    LimitReached = "limit_reached",
    /// The level is that of no layer: `layers` lists them.
    LayerNotFound = "layer_not_found",
    /// The server runs read-only and the tool writes.
    ReadOnly = "read_only",
    /// Another process or call holds the write lock of this project: try again later.
    Busy = "busy",
    /// The caller cancelled the call.
    Cancelled = "cancelled",
    /// The call took longer than the server allows and was stopped: ask for less. `timeout_secs` is the limit.
    Timeout = "timeout",
    /// The store could not be read or written; the message says which file and why.
    StoreFailed = "store_failed",
    /// More than half of the nodes of the trail are gone. Pass `force: true` to resume it nevertheless.
    TrailStale = "trail_stale",
    /// The path could not be indexed; the message says why.
    IngestFailed = "ingest_failed",
    /// No project with a memory is here: run `mind init`. `details.cwd` is the folder that was searched.
    ProjectNotRegistered = "PROJECT_NOT_REGISTERED",
    /// A similar gotcha is stored already. `details.existing_id` names it.
    EdgeExists = "EDGE_EXISTS",
    /// Nothing was found, but comments and commits are still being read for the first time: repeat the call in a few
    /// seconds. `details.progress` shows the progress.
    IndexNotReady = "INDEX_NOT_READY",
    /// Neither the memory nor its last readable state can be searched. `details.why` gives the reason.
    SearchFailed = "SEARCH_FAILED",
    /// The call requires the daemon, which is not running.
    DaemonNotRunning = "DAEMON_NOT_RUNNING",
    /// Like `invalid_params`, for the memory tools.
    InvalidArgument = "INVALID_ARGUMENT",
    /// A bug in m1nd: the call failed, the server continues. Please report it with the message.
    Internal = "internal",
}

/// A failure of a tool, and what to do next. Shown to the agent as the body of the failed call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolError {
    /// Kind of failure.
    pub code: ErrorCode,
    /// What was received and what was expected, as a lowercase fragment.
    pub message: String,
    more: Box<More>,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct More {
    hint: Option<String>,
    example: Option<Value>,
    suggested_next_step: Option<String>,
    details: Map<String, Value>,
}

impl ToolError {
    /// An error with only a message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), more: Box::default() }
    }

    /// An invalid argument.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidParams, message)
    }

    /// The error of every tool that needs a graph if nothing is indexed.
    pub fn empty_graph() -> Self {
        Self::new(ErrorCode::EmptyGraph, "nothing is indexed yet")
            .hint("`ingest` builds the graph, usually within seconds, and returns when it is done")
            .next_step("call `ingest` with the path of the repository, then repeat this call")
            .example(json!({"tool": "ingest", "arguments": {"agent_id": "agent", "path": "."}}))
    }

    /// Adds how to avoid the error.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.more.hint = Some(hint.into());
        self
    }

    /// Adds a working call or working arguments.
    #[must_use]
    pub fn example(mut self, example: Value) -> Self {
        self.more.example = Some(example);
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub fn next_step(mut self, step: impl Into<String>) -> Self {
        self.more.suggested_next_step = Some(step.into());
        self
    }

    /// Adds a member to the body, such as `candidates`.
    #[must_use]
    pub fn detail(mut self, key: &str, value: Value) -> Self {
        self.more.details.insert(key.to_owned(), value);
        self
    }

    /// Replaces its texts for which there is another.
    #[must_use]
    pub(super) fn in_texts(mut self, other: &dyn Fn(&str) -> Option<String>) -> Self {
        let replace = |text: &mut String| {
            if let Some(other) = other(text) {
                *text = other;
            }
        };
        replace(&mut self.message);
        self.more.hint.iter_mut().chain(&mut self.more.suggested_next_step).for_each(replace);
        super::names::replace_texts(self.more.details.values_mut().chain(&mut self.more.example), other);
        self
    }

    /// The hint, if there is one.
    pub fn hint_text(&self) -> Option<&str> {
        self.more.hint.as_deref()
    }

    /// The next step, if there is one.
    pub fn next_step_text(&self) -> Option<&str> {
        self.more.suggested_next_step.as_deref()
    }

    /// The additional members of the body.
    pub fn details(&self) -> &Map<String, Value> {
        &self.more.details
    }

    pub(crate) fn has_example(&self) -> bool {
        self.more.example.is_some()
    }

    /// The body of a failed call: `{error, code, hint, example, suggested_next_step, …}`. Missing members are omitted.
    pub fn to_json(&self) -> Value {
        let mut body = Map::new();
        body.insert("error".into(), self.message.clone().into());
        body.insert("code".into(), self.code.word().into());
        if let Some(hint) = &self.more.hint {
            body.insert("hint".into(), hint.clone().into());
        }
        if let Some(step) = &self.more.suggested_next_step {
            body.insert("suggested_next_step".into(), step.clone().into());
        }
        for (name, value) in &self.more.details {
            body.entry(name).or_insert_with(|| value.clone());
        }
        if let Some(example) = &self.more.example {
            body.insert("example".into(), example.clone());
        }
        super::visible::make_visible(Value::Object(body), &|_| false)
    }
}

impl ToolError {
    /// The body of a failed call for readers of text.
    pub fn to_text(&self) -> String {
        match self.to_json() {
            Value::Object(body) => super::text::render_error(body),
            other => other.to_string(),
        }
    }
}

impl std::fmt::Display for ToolError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.word(), self.message)
    }
}

impl std::error::Error for ToolError {}

impl From<m1nd_base::Cancelled> for ToolError {
    fn from(cancelled: m1nd_base::Cancelled) -> Self {
        Self::new(ErrorCode::Cancelled, cancelled.to_string())
    }
}
