//! The MCP bundle: a file that desktop clients install by opening it.

use serde_json::{Value, json};

use crate::Outcome;
use crate::product::{DESCRIPTION, SERVE};

use super::Product;
use super::container::{Entry, write_zip};
use super::release::Release;

/// Version of the format.
const VERSION: &str = "0.3";

pub(super) fn build(release: &Release) -> Outcome<Vec<Product>> {
    let program = format!("server/{}", release.target.program("m1nd"));
    let manifest = format!("{:#}\n", write_manifest(release, &program));
    let mut entries = vec![
        Entry::file("manifest.json", manifest.as_bytes()),
        Entry::program(program, &release.binary),
        Entry::file("THIRD-PARTY.txt", release.third_party.as_bytes()),
        Entry::file("sbom.cdx.json", release.sbom.as_bytes()),
    ];
    entries.extend(release.licences.iter().map(|(name, text)| Entry::file(*name, text)));
    let bytes = write_zip(&entries, release.epoch, release.level)?;
    Ok(vec![Product { name: release.target.bundle(&release.version), bytes }])
}

fn write_manifest(release: &Release, program: &str) -> Value {
    let args = [SERVE, &["--root", "${user_config.root}"]].concat();
    json!({
        "manifest_version": VERSION,
        "name": "m1nd",
        "display_name": "m1nd",
        "version": release.version,
        "description": DESCRIPTION,
        "author": {"name": "m1nd maintainers", "url": release.repository},
        "repository": {"type": "git", "url": format!("{}.git", release.repository)},
        "homepage": release.repository,
        "documentation": format!("{}#readme", release.repository),
        "license": "MIT OR Apache-2.0",
        "keywords": ["code", "graph", "search"],
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {
                "command": format!("${{__dirname}}/{program}"),
                "args": args,
            },
        },
        "tools_generated": true,
        "prompts_generated": true,
        "compatibility": {"platforms": [release.target.node.0]},
        "user_config": {
            "root": {
                "type": "directory",
                "title": "Repository",
                "description": "The folder of the code that m1nd indexes and answers about",
                "required": true,
            },
        },
    })
}
