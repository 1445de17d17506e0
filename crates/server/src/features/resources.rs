//! Resources of the registry as the protocol has them.

use m1nd_tools::{ErrorCode, RESOURCES, ResourceDef, ToolError};
use rmcp::model::{ErrorData, ProtocolVersion, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::calls::Calls;

/// The entries of `resources/list`: those with one address.
pub(crate) fn list_resources(calls: &Calls, version: Option<&ProtocolVersion>) -> Vec<Resource> {
    let entry = |resource: &ResourceDef| {
        let entry = Resource::new(resource.uri(), resource.name).with_description(resource.description);
        let entry = entry.with_mime_type(resource.mime_type);
        if has_titles(version) { entry.with_title(resource.title) } else { entry }
    };
    list_offered(calls).filter(|resource| resource.takes.is_none()).map(entry).collect()
}

/// The entries of `resources/templates/list`: those with an address for each thing.
pub(crate) fn templates(calls: &Calls, version: Option<&ProtocolVersion>) -> Vec<ResourceTemplate> {
    let entry = |resource: &ResourceDef| {
        let entry = ResourceTemplate::new(resource.uri(), resource.name).with_description(resource.description);
        let entry = entry.with_mime_type(resource.mime_type);
        if has_titles(version) { entry.with_title(resource.title) } else { entry }
    };
    list_offered(calls).filter(|resource| resource.takes.is_some()).map(entry).collect()
}

fn list_offered(calls: &Calls) -> impl Iterator<Item = &'static ResourceDef> {
    RESOURCES.iter().filter(|resource| resource.is_offered(|name| calls.offers(name)))
}

/// Returns whether resources, prompts and tools have titles in a version; all of them if none was agreed on.
pub(crate) fn has_titles(version: Option<&ProtocolVersion>) -> bool {
    version.is_none_or(|version| *version >= ProtocolVersion::V_2025_06_18)
}

/// The content of a resource as the answer to `resources/read`.
pub(crate) fn content(resource: &ResourceDef, uri: &str, text: String) -> ReadResourceResult {
    ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(resource.mime_type)])
}

/// The error for an address that no resource has.
pub(crate) fn report_unknown(calls: &Calls, uri: &str) -> ErrorData {
    let shown: String = uri.chars().take(200).collect();
    let known: Vec<String> = list_offered(calls).map(ResourceDef::uri).collect();
    let message = format!("Resource not found: {shown}; expected one of {}", known.join(", "));
    ErrorData::resource_not_found(message, Some(json!({"uri": shown})))
}

/// A tool's error as that of a resource: it is not there, unless the server failed.
pub(crate) fn error(uri: &str, error: &ToolError) -> ErrorData {
    let mut data = error.to_json();
    data["uri"] = uri.into();
    match error.code {
        ErrorCode::Internal | ErrorCode::StoreFailed | ErrorCode::Cancelled | ErrorCode::Timeout | ErrorCode::Busy => {
            ErrorData::internal_error(error.message.clone(), Some(data))
        }
        _ => ErrorData::resource_not_found(format!("Resource not found: {}", error.message), Some(data)),
    }
}
