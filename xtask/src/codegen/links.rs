//! Links that add m1nd to a client with one click, in the section of pages between two markers.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::product::SERVE;
use crate::{Outcome, base64, repository};

use super::COMMAND;

/// Pages with the section.
const PAGES: &[&str] = &["README.md", "docs/setup.md"];
/// Its first and last line.
const START: &str = "<!-- install links: written by `cargo xtask codegen` -->";
const END: &str = "<!-- install links end -->";
/// The commands that start m1nd without installing it, and what they need.
const RUNNERS: &[(&str, &[&str])] = &[("uv", &["uvx", "m1nd"]), ("Node", &["npx", "-y", "m1nd"])];

/// A client, and the function that makes its link from the entry of the server. Pages on GitHub link only to `https`.
type Client = (&'static str, fn(&Entry) -> String);

const CLIENTS: &[Client] = &[
    ("Cursor", |entry| {
        let config = base64::encode(entry.in_workspace().to_string().as_bytes());
        format!("https://cursor.com/en/install-mcp?name=m1nd&config={}", escape(&config))
    }),
    ("VS Code", |entry| {
        let config = escape(&entry.in_workspace().to_string());
        format!("https://insiders.vscode.dev/redirect/mcp/install?name=m1nd&config={config}")
    }),
    ("VS Code Insiders", |entry| {
        let config = escape(&entry.in_workspace().to_string());
        format!("https://insiders.vscode.dev/redirect/mcp/install?name=m1nd&config={config}&quality=insiders")
    }),
];

/// The command that starts the server.
struct Entry {
    command: Vec<&'static str>,
}

impl Entry {
    /// For clients that replace `${workspaceFolder}`.
    fn in_workspace(&self) -> Value {
        let mut args = self.command[1..].to_vec();
        args.extend(["--root", "${workspaceFolder}"]);
        json!({"command": self.command[0], "args": args})
    }
}

/// The pages with their links.
pub(super) fn write_links() -> Outcome<Vec<(String, String)>> {
    let mut pages = Vec::new();
    for page in PAGES {
        let text = std::fs::read_to_string(repository().join(page))?;
        let parts = text.split_once(START).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
        let (before, after) =
            parts.ok_or_else(|| format!("{page}: lacks `{START}` and `{END}`; `{COMMAND}` writes between them"))?;
        pages.push(((*page).to_owned(), format!("{before}{START}\n\n{}\n{END}{after}", write_table())));
    }
    Ok(pages)
}

fn write_table() -> String {
    let mut table = "| client |".to_owned();
    RUNNERS.iter().for_each(|(needs, _)| table.push_str(&format!(" with {needs} |")));
    table.push_str("\n|---|---|---|\n");
    for (client, link) in CLIENTS {
        let _ = write!(table, "| {client} |");
        for (_, runner) in RUNNERS {
            let entry = Entry { command: [*runner, SERVE].concat() };
            let _ = write!(table, " [`{}`]({}) |", runner.join(" "), link(&entry));
        }
        table.push('\n');
    }
    table
}

/// Escapes all but the letters that a part of a URL may hold.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_starts_the_server_for_agents() {
        for (needs, runner) in RUNNERS {
            let entry = Entry { command: [*runner, SERVE].concat() };
            for (client, link) in CLIENTS {
                let link = link(&entry);
                let (address, config) = link.split_once("&config=").expect("has a configuration");
                assert!(address.starts_with("https://") && address.ends_with("name=m1nd"), "{client}: {link}");
                let config = config.split('&').next().and_then(m1nd_base::uri::unescape).expect("is escaped");
                let expected = entry.in_workspace().to_string();
                assert!(
                    config == expected || config == base64::encode(expected.as_bytes()),
                    "{client}, {needs}: {link}"
                );
                assert!(expected.contains("\"--toolset\",\"agent\",\"--root\""), "{expected}");
            }
        }
    }

    #[test]
    fn what_a_url_may_not_hold_is_escaped() {
        assert_eq!(escape("{\"a\": $é}+/="), "%7B%22a%22%3A%20%24%C3%A9%7D%2B%2F%3D");
    }
}
