//! MCP Apps: pages of the registry for clients that declare the extension. Others see nothing of them.

use m1nd_tools::{APPS, AppDef, EXTENSION, MIME_TYPE, app_of, find_app};
use rmcp::RoleServer;
use rmcp::model::{MetaObject, ReadResourceResult, Resource, ResourceContents, Tool};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::calls::Calls;

/// Returns whether the client of a request shows pages.
pub(crate) fn is_supported(context: &RequestContext<RoleServer>) -> bool {
    let Some(capabilities) = context.client_capabilities() else { return false };
    let settings = capabilities.extensions.as_ref().and_then(|extensions| extensions.get(EXTENSION));
    let types = settings.and_then(|settings| settings.get("mimeTypes")).and_then(Value::as_array);
    types.is_some_and(|types| types.iter().any(|own| own == MIME_TYPE))
}

/// An entry of `tools/list` that names the page of the tool, if it has one.
pub(crate) fn with_page(mut tool: Tool) -> Tool {
    if let Some(app) = app_of(&tool.name) {
        let meta = tool.meta.get_or_insert_with(MetaObject::default);
        meta.insert("ui".to_owned(), json!({"resourceUri": app.uri}));
    }
    tool
}

/// The entries of `resources/list` for the pages of the tools that are offered.
pub(crate) fn list_pages(calls: &Calls) -> Vec<Resource> {
    let entry = |app: &AppDef| {
        let entry = Resource::new(app.uri, app.name).with_description(app.description);
        entry.with_title(app.title).with_mime_type(MIME_TYPE)
    };
    APPS.iter().filter(|app| calls.offers(app.tool())).map(entry).collect()
}

/// The page at an address, if it is one. It needs no domains of a network, so its policy has none.
pub(crate) fn read_page(calls: &Calls, uri: &str) -> Option<ReadResourceResult> {
    let app = find_app(uri).filter(|app| calls.offers(app.tool()))?;
    let mut meta = MetaObject::default();
    meta.insert("ui".to_owned(), json!({"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": true}));
    let content = ResourceContents::text(app.page(), uri).with_mime_type(MIME_TYPE).with_meta(meta);
    Some(ReadResourceResult::new(vec![content]))
}
