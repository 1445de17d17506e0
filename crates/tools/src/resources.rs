//! What clients read by address: the project, a file, a symbol, the memory. Each is made of the text answers of tools,
//! so paths are confined, secrets withheld and old answers marked as there.

use serde_json::{Value, json};

use crate::framework::{Context, ToolError, ToolRef, visible};
use crate::memory::memory_error;

/// Beginning of every address.
const SCHEME: &str = "m1nd://";
/// Maximum size of a resource of one part, and of the first part of others, in bytes.
const PART_BYTES: usize = 60_000;
/// Maximum size of every other part, in bytes.
const LATER_BYTES: usize = 8_000;
/// Files listed in the overview.
const FILES: usize = 20;

/// Something that is read by address.
#[derive(Debug)]
pub struct ResourceDef {
    /// Its name for programs; the first part of its address.
    pub name: &'static str,
    /// Its name as people read it.
    pub title: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// Type of its content.
    pub mime_type: &'static str,
    /// What its address ends with, such as `path`; `None` if there is only one of it.
    pub takes: Option<&'static str>,
    parts: &'static [Part],
}

#[derive(Debug)]
enum Part {
    /// The answer of a tool, below a heading if there are several parts. The arguments are made from what the address
    /// ends with.
    Answer(&'static str, ToolRef, fn(&str) -> Value),
    /// The most important memories, as the block in `CLAUDE.md` has them. Offered where this tool is.
    Memories(ToolRef),
}

/// All resources, in the order of the list.
pub static RESOURCES: &[ResourceDef] = &[
    ResourceDef {
        name: "overview",
        title: "Project overview",
        description: "State of the index, languages, problems, and the files that most code depends on",
        mime_type: "text/plain",
        takes: None,
        parts: &[
            Part::Answer("Index", ToolRef("health"), |_| json!({})),
            Part::Answer(
                "Files that most code depends on",
                ToolRef("glob"),
                |_| json!({"pattern": "**", "sort": "activation", "top_k": FILES}),
            ),
        ],
    },
    ResourceDef {
        name: "memory",
        title: "Project memory",
        description: "The most important decisions, open issues, learnings and gotchas of this project",
        mime_type: "text/markdown",
        takes: None,
        parts: &[Part::Memories(ToolRef("mind_search"))],
    },
    ResourceDef {
        name: "file",
        title: "File",
        description: "A file with line numbers and the symbols in it, by its path below the root",
        mime_type: "text/plain",
        takes: Some("path"),
        parts: &[Part::Answer("", ToolRef("view"), |path| json!({"file_path": path}))],
    },
    ResourceDef {
        name: "symbol",
        title: "Symbol",
        description: "The code of a symbol and where it is used, by node id or a name such as `Pool.acquire`",
        mime_type: "text/plain",
        takes: Some("id"),
        parts: &[
            Part::Answer("Code", ToolRef("view"), |id| json!({"file_path": id})),
            Part::Answer("Uses", ToolRef("references"), |id| json!({"node_id": id})),
        ],
    },
];

/// The resource at an address, and what the address ends with.
///
/// The address is unescaped: `m1nd://file/src/a b.py`.
pub fn find_resource(address: &str) -> Option<(&'static ResourceDef, &str)> {
    let rest = address.strip_prefix(SCHEME)?;
    let (name, argument) = rest.split_once('/').unwrap_or((rest, ""));
    let found = RESOURCES.iter().find(|resource| resource.name == name)?;
    (found.takes.is_some() != argument.is_empty()).then_some((found, argument))
}

impl ResourceDef {
    /// Its address, or the URI template (RFC 6570) of its addresses.
    pub fn uri(&self) -> String {
        match self.takes {
            Some(argument) => format!("{SCHEME}{}/{{+{argument}}}", self.name),
            None => format!("{SCHEME}{}", self.name),
        }
    }

    /// Returns whether the tools that it is made of are offered.
    pub fn is_offered(&self, offers: impl Fn(&str) -> bool) -> bool {
        self.parts.iter().all(|(Part::Answer(_, tool, _) | Part::Memories(tool))| offers(tool.0))
    }

    /// Its content. `argument` is what the address ends with.
    ///
    /// # Errors
    /// Those of the tool that answers the first part. Later parts say in the text why they are missing.
    pub fn read(&self, cx: &Context<'_>, argument: &str) -> Result<String, ToolError> {
        let mut text = String::new();
        for (at, part) in self.parts.iter().enumerate() {
            let most = if at == 0 { PART_BYTES } else { LATER_BYTES };
            let content = match part {
                Part::Memories(_) => memories(cx),
                Part::Answer(_, tool, arguments) => answer(cx, *tool, arguments(argument), most),
            };
            let content = match content {
                Err(error) if at == 0 => return Err(error),
                Err(error) => format!("not available: {}", visible(&error.message)),
                Ok(content) => content,
            };
            if let (Part::Answer(heading, ..), true) = (part, self.parts.len() > 1) {
                let gap = if at == 0 { "" } else { "\n" };
                text.push_str(&format!("{gap}# {heading}\n\n"));
            }
            text.push_str(content.trim_end());
            text.push('\n');
        }
        Ok(text)
    }
}

fn answer(cx: &Context<'_>, tool: ToolRef, mut arguments: Value, most: usize) -> Result<String, ToolError> {
    let tool =
        cx.tools.find(tool.0).ok_or_else(|| ToolError::invalid(format!("there is no tool `{}` here", tool.0)))?;
    arguments["max_output_chars"] = most.into();
    tool.text(cx, arguments)
}

fn memories(cx: &Context<'_>) -> Result<String, ToolError> {
    let memories = &cx.services.memories;
    let memory = memories.project().and_then(|project| memories.of(&project)).map_err(|error| memory_error(&error))?;
    Ok(visible(&m1nd_mind::block_text(&memory)).into_owned())
}
