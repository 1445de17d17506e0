//! Answers the SDK's requests from the tool registry.

use std::sync::Arc;

use m1nd_base::uri::unescape;
use m1nd_mind::Memories;
use m1nd_tools::{Effect, Format, Reply, ToolChoice, ToolDef, canonical_name};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode as RpcCode, ErrorData, GetPromptRequestParams, GetPromptResponse, Icon, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{Peer, RoleServer, ServerHandler};
use serde_json::{Value, json};

use crate::caller::Caller;
use crate::calls::{Calls, Outcome};
use crate::instructions::instructions;
use crate::message::METHODS;
use crate::options::ServeOptions;
use crate::presence::Presence;
use crate::roots::Roots;
use crate::upkeep::Upkeep;
use crate::{apps, prompts, resources};

/// How long a client may keep the lists of tools, resources and prompts: they do not change while a server runs.
const LIST_TTL_MS: u64 = 60 * 60 * 1000;
/// The icon of m1nd (`crates/http/page/public/icon.svg`), for clients that show one.
const ICON: &str = "data:image/svg+xml;base64,\
    PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAzMiAzMiI+PHJlY3Qgd2lkdGg9IjMy\
    IiBoZWlnaHQ9IjMyIiByeD0iNyIgZmlsbD0iIzI3NDdiMCIvPjxnIGZpbGw9Im5vbmUiIHN0cm9rZT0iI2ZmZiIgc3Ryb2tlLXdp\
    ZHRoPSIyIj48cGF0aCBkPSJNOSAyMiAxNiA5bDcgMTNNOSAyMmgxNCIvPjwvZz48ZyBmaWxsPSIjZmZmIj48Y2lyY2xlIGN4PSIx\
    NiIgY3k9IjkiIHI9IjMuNCIvPjxjaXJjbGUgY3g9IjkiIGN5PSIyMiIgcj0iMy40Ii8+PGNpcmNsZSBjeD0iMjMiIGN5PSIyMiIg\
    cj0iMy40Ii8+PC9nPjwvc3ZnPg==";

/// The server side of one connection.
pub struct Handler {
    calls: Calls,
    upkeep: Arc<Upkeep>,
    roots: Arc<Roots>,
    face: Arc<Face>,
    /// The client is counted as long as its handler lives.
    _presence: Presence,
}

/// What a server shows of itself. The same for all clients with the same options.
#[derive(Debug)]
pub(crate) struct Face {
    listed: Vec<Tool>,
    format: Format,
    name: &'static str,
    instructions: String,
    asks_roots: bool,
    root_from_client: bool,
}

impl Face {
    pub(crate) fn new(options: &ServeOptions) -> Self {
        let ServeOptions { format, name, asks_roots, root_from_client, .. } = *options;
        let (listed, instructions) = (listing(options), instructions(options));
        Self { listed, format, name, instructions, asks_roots, root_from_client }
    }
}

impl Handler {
    pub(crate) fn new(
        calls: Calls,
        upkeep: Arc<Upkeep>,
        memories: Arc<Memories>,
        face: Arc<Face>,
        presence: Presence,
    ) -> Self {
        Self { calls, upkeep, roots: Arc::new(Roots::new(memories)), face, _presence: presence }
    }

    fn expect_folders(&self) {
        if self.face.root_from_client {
            self.upkeep.expect_folders();
        }
    }

    /// Asks the client for its roots without blocking anything.
    fn ask_roots(&self, peer: Peer<RoleServer>) {
        let roots = self.roots.clone();
        let upkeep = self.face.root_from_client.then(|| self.upkeep.clone());
        tokio::spawn(async move { roots.ask(&peer, upkeep).await });
    }
}

/// The entries of `tools/list` under these options.
fn listing(options: &ServeOptions) -> Vec<Tool> {
    let tools = options.tools.iter().filter(|tool| options.only.is_none_or(|only| only == tool.toolset));
    let chosen = options.listed.as_deref();
    let listed = tools.filter(|tool| chosen.is_none_or(|chosen| chosen.iter().any(|choice| choice.has(tool))));
    listed.map(|tool| entry(tool, options)).collect()
}

/// The answer to `tools/list` under these options.
pub fn tools_list(options: &ServeOptions) -> Value {
    json!({"tools": listing(options)})
}

/// The entry of one tool in `tools/list`.
fn entry(tool: &ToolDef, options: &ServeOptions) -> Tool {
    // A few tools cost an agent little, so their schemas are complete; with many, every word counts.
    let is_whole = options.only.is_some();
    let is_short = options.listed.as_ref().is_some_and(|listed| listed.contains(&ToolChoice::Agent));
    let mut schema = match tool.listed_schema(options.format, is_short) {
        Value::Object(schema) => schema,
        _ => serde_json::Map::from_iter([("type".to_owned(), "object".into())]),
    };
    // Unknown arguments are refused with the names of the known ones; stating that in every row would cost the agent
    // tokens.
    if is_whole {
        schema.insert("additionalProperties".to_owned(), false.into());
    } else {
        schema.remove("additionalProperties");
    }
    let annotations = match tool.effect {
        Effect::Read => ToolAnnotations::new().read_only(true),
        Effect::Session | Effect::Graph | Effect::State => ToolAnnotations::new().read_only(false).destructive(false),
        Effect::Disk => ToolAnnotations::new().read_only(false),
    };
    let listed = Tool::new(tool.name, tool.summary, Arc::new(schema));
    let listed = listed.with_title(tool.title()).with_annotations(annotations);
    let answer = match (is_whole, options.format, is_short) {
        (true, ..) => tool.output_schema(),
        (false, Format::Json, false) if options.output_schemas => tool.short_output_schema(),
        // Its answers have no structure to describe, are to be sent once, or the list is to be short.
        _ => None,
    };
    match answer {
        Some(answer) => listed.with_raw_output_schema(Arc::new(answer)),
        None => listed,
    }
}

/// An entry of `tools/list` with the members that this version of the protocol has.
fn known_to(version: Option<&ProtocolVersion>, mut tool: Tool) -> Tool {
    let knows = |since: ProtocolVersion| version.is_none_or(|version| *version >= since);
    tool.annotations = tool.annotations.filter(|_| knows(ProtocolVersion::V_2025_03_26));
    // Without a version, nothing says that the client knows what a schema promises.
    tool.output_schema = tool.output_schema.filter(|_| knows_schemas(version));
    if !resources::has_titles(version) {
        // It was an annotation before.
        let title = tool.title.take();
        if let Some(annotations) = &mut tool.annotations {
            annotations.title = title;
        }
    }
    tool
}

/// A tool's answer or error as a protocol result. The body is sent once, as text, which every client reads. Only a
/// client that was given a schema of the answer (`has_schema`) is owed structured content as well; the protocol wants
/// the text to be there too. `knows_structure` says that the version of the client has structured content.
fn envelope(
    outcome: Result<Reply, Reply>,
    text_of: Option<&str>,
    (has_schema, knows_structure): (bool, bool),
) -> CallToolResult {
    let is_error = outcome.is_err();
    let body = match outcome {
        Ok(Reply::Text(text)) => {
            // Clients show nothing but the structured content where there is some.
            let structured = has_schema.then(|| json!({"text": text}));
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = structured;
            return result;
        }
        Err(Reply::Text(text)) => return CallToolResult::error(vec![ContentBlock::text(text)]),
        Ok(Reply::Json(body)) | Err(Reply::Json(body)) => body,
    };
    let shown = text_of.and_then(|member| body.get(member)).unwrap_or(&body);
    let mut content = vec![ContentBlock::text(m1nd_tools::text_of(shown))];
    // If the text is only one member, its limits must still reach clients that read nothing but text.
    if text_of.is_some()
        && let Some(notice) = body.get("notice").and_then(Value::as_str)
    {
        content.push(ContentBlock::text(format!("note: {notice}")));
    }
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    // An error is short, and programs look at its code.
    result.structured_content = (has_schema || is_error && knows_structure).then_some(body);
    result
}

/// Whether this version of the protocol has `outputSchema`.
fn knows_schemas(version: Option<&ProtocolVersion>) -> bool {
    version.is_some_and(|version| *version >= ProtocolVersion::V_2025_06_18)
}

/// How the server introduces itself, as far as this version of the protocol has members for it; `None` for the newest.
fn describe_server(name: &str, version: Option<&ProtocolVersion>) -> Implementation {
    let knows = |since: ProtocolVersion| version.is_none_or(|version| *version >= since);
    let server = Implementation::new(name, env!("CARGO_PKG_VERSION"));
    let server = if knows(ProtocolVersion::V_2025_06_18) { server.with_title("m1nd") } else { server };
    if !knows(ProtocolVersion::V_2025_11_25) {
        return server;
    }
    let icon = Icon::new(ICON).with_mime_type("image/svg+xml").with_sizes(vec!["any".to_owned()]);
    server.with_icons(vec![icon]).with_website_url(env!("CARGO_PKG_REPOSITORY"))
}

/// How long a client may keep a list. Versions before 2026-07-28 have no member for it.
fn find_ttl(version: Option<&ProtocolVersion>) -> Option<u64> {
    version.filter(|version| **version >= ProtocolVersion::V_2026_07_28).map(|_| LIST_TTL_MS)
}

/// The SDK drops this: a cancelled request gets no answer.
fn report_cancelled() -> ErrorData {
    ErrorData::internal_error("cancelled by the client", None)
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts();
        ServerConfig::new(capabilities.build())
            .with_server_info(describe_server(self.face.name, None))
            .with_instructions(self.face.instructions.clone())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        #[allow(deprecated, reason = "versions up to 2025-11-25 have roots, and clients of them are asked")]
        if request.capabilities.roots.is_some() && self.face.asks_roots {
            self.roots.expect();
            self.expect_folders();
        }
        let mut answer = self.negotiate_initialize(&request)?;
        answer.server_info = describe_server(self.face.name, Some(&answer.protocol_version));
        // What was agreed, not what was asked for: what later requests may do depends on it.
        context.peer.set_peer_info(request.with_protocol_version(answer.protocol_version.clone()));
        Ok(answer)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.ask_roots(context.peer);
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        if self.face.asks_roots {
            self.expect_folders();
        }
        self.ask_roots(context.peer);
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let version = context.protocol_version();
        let shows_pages = apps::is_supported(&context);
        let tools = self.face.listed.iter().cloned().map(|tool| known_to(version.as_ref(), tool));
        let tools = tools.map(|tool| if shows_pages { apps::with_page(tool) } else { tool });
        let ttl_ms = find_ttl(version.as_ref());
        Ok(ListToolsResult { ttl_ms, ..ListToolsResult::with_all_items(tools.collect()) })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let name = canonical_name(name);
        self.face.listed.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, arguments) = m1nd_tools::resolve_call(&request.name, request.arguments.unwrap_or_default());
        let tool = m1nd_tools::find(&name);
        if tool.is_some_and(|tool| tool.asks_client) {
            self.roots.wait_until_settled().await;
        }
        let form = tool.map_or(self.face.format, |tool| tool.form_of(&arguments, self.face.format));
        match self.calls.run(&name, arguments, &Caller::of(&context)).await {
            Outcome::Answer(outcome) => {
                let text_of = tool.and_then(|tool| tool.text_of);
                let has_schema = self.get_tool(&request.name).is_some_and(|tool| tool.output_schema.is_some());
                let outcome = outcome.map_err(|error| match form {
                    Format::Text => Reply::Text(error.to_text()),
                    Format::Json => Reply::Json(error.to_json()),
                });
                let knows_structure = knows_schemas(context.protocol_version().as_ref());
                let forms = (has_schema && knows_structure, knows_structure);
                Ok(CallToolResponse::Complete(envelope(outcome, text_of, forms)))
            }
            Outcome::Cancelled => Err(report_cancelled()),
        }
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let version = context.protocol_version();
        let mut listed = resources::list_resources(&self.calls, version.as_ref());
        if apps::is_supported(&context) {
            listed.extend(apps::list_pages(&self.calls));
        }
        Ok(ListResourcesResult { ttl_ms: find_ttl(version.as_ref()), ..ListResourcesResult::with_all_items(listed) })
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let version = context.protocol_version();
        let listed = ListResourceTemplatesResult::with_all_items(resources::templates(&self.calls, version.as_ref()));
        Ok(ListResourceTemplatesResult { ttl_ms: find_ttl(version.as_ref()), ..listed })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = &request.uri;
        let Some(address) = unescape(uri) else { return Err(resources::report_unknown(&self.calls, uri)) };
        if apps::is_supported(&context)
            && let Some(page) = apps::read_page(&self.calls, &address)
        {
            return Ok(page.into());
        }
        // Memories are of the project that the client has open.
        self.roots.wait_until_settled().await;
        match self.calls.read(&address, &Caller::of(&context)).await {
            None => Err(resources::report_unknown(&self.calls, uri)),
            Some((resource, Outcome::Answer(Ok(text)))) => Ok(resources::content(resource, uri, text).into()),
            Some((_, Outcome::Answer(Err(error)))) => Err(resources::error(uri, &error)),
            Some((_, Outcome::Cancelled)) => Err(report_cancelled()),
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let version = context.protocol_version();
        let prompts = prompts::list_prompts(&self.calls, version.as_ref());
        Ok(ListPromptsResult { ttl_ms: find_ttl(version.as_ref()), ..ListPromptsResult::with_all_items(prompts) })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&self.calls, &request).map(Into::into)
    }

    /// Malformed requests of known methods, and unknown methods of clients whose messages another transport reads.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method: String = request.method.chars().take(80).collect();
        // Versions without a handshake do not have its method. A complete handshake is served all the same.
        let is_removed = request.method == "initialize"
            && context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        Err(match METHODS.contains(&request.method.as_str()) && !is_removed {
            true => ErrorData::invalid_params(format!("Invalid params for {method}"), None),
            false => ErrorData::new(RpcCode::METHOD_NOT_FOUND, format!("Method not found: {method}"), None),
        })
    }
}
