use expect_test::{Expect, expect, expect_file};

use crate::{Place, SHOP};

fn help(arguments: &[&str]) -> String {
    let run = Place::new(SHOP).run(arguments);
    assert_eq!(run.code, 0, "{}", run.err);
    let lines: Vec<&str> = run.out.lines().map(str::trim_end).collect();
    format!("{}\n", lines.join("\n"))
}

fn check(arguments: &[&str], expected: Expect) {
    expected.assert_eq(&help(arguments));
}

#[test]
fn the_program_introduces_itself() {
    expect_file!["help.txt"].assert_eq(&help(&["--help"]));
}

#[test]
fn each_command_explains_itself() {
    check(
        &["ingest", "--help"],
        expect![[r#"
            Index a repository and show a summary

            Usage: m1nd ingest [OPTIONS] [PATH]

            Arguments:
              [PATH]  The repository [default: the one around the current folder]

            Options:
                  --home <FOLDER>   Folder of the index and all state [default: ~/.m1nd]
                  --incremental     Check only files whose size or modification time changed
                  --include-hidden  Also index hidden files and folders
                  --model <FOLDER>  Folder of an embedding model (model2vec or BERT) that reorders the best
                                    matches
                  --json            Write JSON for programs
                  --scip <FILE>     Then import a compiler index of this code (SCIP); its targets of references
                                    replace those that m1nd found, until the file is edited
                  --color <WHEN>    Colours: `auto` is on a terminal and without NO_COLOR [possible values:
                                    auto, always, never]
                  --scip-drop       Then remove the indexes imported with --scip
                  --no-pager        Do not show long answers of tools through a pager
                  --threads <N>     Threads for reading and parsing [default: one per processor]
                  --no-daemon       Answer in this process: neither ask nor start one that keeps the index open
              -q, --quiet           Show no progress, only the summary
              -h, --help            Print help
        "#]],
    );
    check(
        &["serve", "--help"],
        expect![[r#"
            Serve MCP to a client over standard input and output, or to several over HTTP

            Usage: m1nd serve [OPTIONS]

            Options:
                  --home <FOLDER>      Folder of the index and all state [default: ~/.m1nd]
                  --stdio              Serve one client over standard input and output (the default)
                  --http [<ADDRESS>]   Serve any number of clients over HTTP: MCP at `/mcp`, the tools at
                                       `/api`, a page for people [default address: 127.0.0.1, with a free port]
                  --model <FOLDER>     Folder of an embedding model (model2vec or BERT) that reorders the best
                                       matches
                  --attach             Pass the client on to a running server of this project, so that both
                                       share one index; without one, serve it here
                  --json               Write JSON for programs
                  --color <WHEN>       Colours: `auto` is on a terminal and without NO_COLOR [possible values:
                                       auto, always, never]
                  --tls-cert <FILE>    Certificate with its chain, as PEM. An address that other machines reach
                                       needs one
                  --no-pager           Do not show long answers of tools through a pager
                  --tls-key <FILE>     Key of the certificate, as PEM
                  --insecure           Listen on an address that other machines reach without a certificate:
                                       everybody on the way can read the token
                  --no-daemon          Answer in this process: neither ask nor start one that keeps the index
                                       open
                  --allow-host <NAME>  Another name of this server that clients use; can be repeated
                  --idle <SECONDS>     End when nobody has used the server for this many seconds
                  --root <PATH>        A folder that may be indexed and read; can be repeated [default: the
                                       repository around the current folder]
                  --no-watch           Do not watch files; the index changes only when `ingest` is called
                  --read-only          Reject every tool that changes something
                  --format <FORM>      Form of the answers: `text` is compact, for models; `json` for programs
                                       [default: json] [possible values: json, text]
                  --envelope           Add `_m1nd` to answers as JSON: the next calls, and memories about their
                                       nodes
                  --output-schemas     List the schema of each answer as JSON; clients are then sent each answer
                                       twice, as text and as structured content
                  --toolset <SET,…>    Toolsets to list, separated by commas, `agent` for those of daily work;
                                       the other tools can still be called [default: all]
              -h, --help               Print help
        "#]],
    );
}

#[test]
fn the_command_that_writes_for_others_explains_itself() {
    check(
        &["init", "--help"],
        expect![[r#"
            Connect the MCP clients of this project, after showing the change

            Usage: m1nd init [OPTIONS] [PATH]

            Arguments:
              [PATH]
                      The repository [default: the one around the current folder]

            Options:
                  --client <CLIENT>
                      Connect this client, even if it was not detected; can be repeated

                      Possible values:
                      - claude-code: Claude Code: `.mcp.json`
                      - cursor:      Cursor: `.cursor/mcp.json`
                      - vscode:      VS Code: `.vscode/mcp.json`
                      - codex:       Codex CLI: `.codex/config.toml`
                      - gemini:      Gemini CLI: `.gemini/settings.json`
                      - copilot:     GitHub Copilot CLI: `.github/mcp.json`
                      - zed:         Zed: `.zed/settings.json`
                      - continue:    Continue: `.continue/mcpServers/m1nd.json`
                      - junie:       Junie, the agent of JetBrains: `.junie/mcp/mcp.json`
                      - opencode:    OpenCode: `opencode.json`
                      - windsurf:    Windsurf: `~/.codeium/windsurf/mcp_config.json`
                      - cline:       Cline: `~/.cline/data/settings/cline_mcp_settings.json`
                      - goose:       Goose: `~/.config/goose/config.yaml`

                  --home <FOLDER>
                      Folder of the index and all state [default: ~/.m1nd]

                  --memory
                      Also create a memory for this project (`.mind/MEMORY.md`, a block in CLAUDE.md), and the
                      Claude Code hooks that show it

                  --model <FOLDER>
                      Folder of an embedding model (model2vec or BERT) that reorders the best matches

                  --agents
                      Also write a block into AGENTS.md, and into CLAUDE.md and GEMINI.md if they exist, that
                      makes agents and their subagents ask m1nd

                  --json
                      Write JSON for programs

                  --color <WHEN>
                      Colours: `auto` is on a terminal and without NO_COLOR

                      [possible values: auto, always, never]

                  --remove
                      Take m1nd out of the files of these clients, or of all clients and hooks of this project

                  --no-pager
                      Do not show long answers of tools through a pager

              -y, --yes
                      Write without confirmation

                  --dry-run
                      Only show what would be written

                  --no-daemon
                      Answer in this process: neither ask nor start one that keeps the index open

              -h, --help
                      Print help (see a summary with '-h')
        "#]],
    );
}

#[test]
fn a_tool_explains_itself_by_its_row() {
    let run = Place::new(SHOP).run(&["call", "seek", "--help"]);
    assert_eq!(run.code, 0);
    for words in ["--query <STRING>", "m1nd call seek --json '{"] {
        assert!(run.out.contains(words), "{}", run.out);
    }
    for named in ["callers", "tests_for", "tests-for", "rename_commit"] {
        let help = Place::new(SHOP).run(&["help", named]);
        assert_eq!(help.code, 0, "{named}");
        assert!(help.out.contains("--root <PATH>") && help.out.contains("Example:"), "{named}: {}", help.out);
    }
    let list = Place::new(SHOP).run(&["call"]).out;
    for tool in m1nd_tools::ALL {
        assert!(list.contains(&format!("  {}", tool.name)) && list.contains(tool.summary), "{list}");
    }
}

#[test]
fn version_and_completions() {
    let version = help(&["--version"]);
    let expected = format!("m1nd {} (development build, ", env!("CARGO_PKG_VERSION"));
    assert!(version.starts_with(&expected) && version.ends_with(")\n"), "{version}");
    for shell in ["bash", "zsh", "fish"] {
        let run = Place::new(SHOP).run(&["completions", shell]);
        assert!(run.code == 0 && run.out.contains("ingest"), "{shell}");
    }
}
