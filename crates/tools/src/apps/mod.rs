//! MCP Apps (`io.modelcontextprotocol/ui`): pages that a host shows with the answer of a tool. A page is one file
//! without a network: the host passes it the answer, and its texts are set as text.

use crate::framework::ToolRef;

/// The extension of the protocol.
pub const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// The type of the pages.
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// What all pages share.
const STYLE: &str = include_str!("style.css");
const BRIDGE: &str = include_str!("bridge.js");

/// A page for the answers of a tool.
#[derive(Debug)]
pub struct AppDef {
    tool: ToolRef,
    /// Its address.
    pub uri: &'static str,
    /// Its name for programs.
    pub name: &'static str,
    /// Its name as people read it.
    pub title: &'static str,
    /// One sentence.
    pub description: &'static str,
    script: &'static str,
}

/// All pages.
pub static APPS: &[AppDef] = &[
    AppDef {
        tool: ToolRef("impact"),
        uri: "ui://m1nd/impact",
        name: "impact_view",
        title: "Impact of a change",
        description: "What a change breaks, with the path to each node",
        script: include_str!("impact.js"),
    },
    AppDef {
        tool: ToolRef("why"),
        uri: "ui://m1nd/why",
        name: "why_view",
        title: "How two nodes connect",
        description: "The paths between two nodes, step by step, with their evidence",
        script: include_str!("why.js"),
    },
    AppDef {
        tool: ToolRef("panoramic"),
        uri: "ui://m1nd/panoramic",
        name: "panoramic_view",
        title: "Risk of files",
        description: "The riskiest files with each part of their risk",
        script: include_str!("panoramic.js"),
    },
];

impl AppDef {
    /// Name of the tool whose answers it shows.
    pub fn tool(&self) -> &'static str {
        self.tool.0
    }

    /// The page.
    pub fn page(&self) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
             <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main aria-live=\"polite\"></main>\n\
             <script>\n{BRIDGE}{}</script>\n</body>\n</html>\n",
            self.title, self.script
        )
    }
}

/// The page at an address.
pub fn find_app(uri: &str) -> Option<&'static AppDef> {
    APPS.iter().find(|app| app.uri == uri)
}

/// The page for the answers of a tool.
pub fn app_of(tool: &str) -> Option<&'static AppDef> {
    APPS.iter().find(|app| app.tool.0 == tool)
}
