use m1nd_tools::{Format, ToolChoice, ToolDef, Toolset};

/// Name under which the server introduces itself.
pub const SERVER_NAME: &str = "m1nd-mcp";

/// How to serve.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The tools that exist.
    pub tools: &'static [ToolDef],
    /// Name under which the server introduces itself.
    pub name: &'static str,
    /// The only toolset that exists here; `None` for all.
    pub only: Option<Toolset>,
    /// The tools that `tools/list` shows; `None` for all. The others can still be called. With
    /// [`ToolChoice::Agent`] among them, entries are short.
    pub listed: Option<Vec<ToolChoice>>,
    /// The form of answers to calls that do not name one.
    pub format: Format,
    /// Adds `_m1nd` to every answer that is an object: the next calls, memories about its nodes.
    pub envelope: bool,
    /// Lists the schema of each answer in JSON, and therefore sends it twice, as text and as structured content.
    pub output_schemas: bool,
    /// Refuses every tool that could change what is stored.
    pub read_only: bool,
    /// Builds the index of every allowed root that has none, in the background.
    pub index_when_empty: bool,
    /// Looks at the start, in the background, for what changed in the roots that are indexed.
    pub refresh: bool,
    /// Answers from the index of the folder that the client has open, once it says which.
    pub root_from_client: bool,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            tools: m1nd_tools::ALL,
            name: SERVER_NAME,
            only: None,
            format: Format::Json,
            listed: None,
            envelope: false,
            output_schemas: false,
            read_only: false,
            index_when_empty: false,
            refresh: false,
            root_from_client: false,
        }
    }
}
