use expect_test::{Expect, expect};

use crate::{Place, SHOP};

fn check(arguments: &[&str], expected: Expect) {
    let run = Place::new(SHOP).run(arguments);
    assert_eq!(run.code, 0, "{}", run.err);
    let lines: Vec<&str> = run.out.lines().map(str::trim_end).collect();
    expected.assert_eq(&format!("{}\n", lines.join("\n")));
}

#[test]
fn the_program_introduces_itself() {
    check(
        &["--help"],
        expect![[r#"
            A graph of your code for coding agents.

            m1nd indexes a repository on this machine and answers over MCP: where something is, how two things
            are connected, what depends on it. Without a command, it serves MCP if started by a client, and
            shows this help in a terminal.

            Usage: m1nd [OPTIONS] [COMMAND]

            Commands:
              ingest          Index a repository and show a summary
              status          Show what is indexed and how fresh it is
              search          Search file contents; each hit names its symbol
              glob            Find indexed files by path pattern
              view            Show lines of a file with the symbols in them
              outline         List the symbols of a file as a tree, with signatures and lines
              def             Show where a name or the reference at path:line[:col] is defined
              seek            Find code by what it does; use names or plain words
              why             Explain how two nodes connect: paths with evidence
              impact          Show what changing a node can break, with evidence
              counterfactual  Show what breaks and what falls out of use if nodes are deleted
              hypothesize     Test a claim about the structure of the code, with evidence for and against
              fingerprint     Find copies of a function, similar ones, and ones that use the same things
              callers         List every call of a node, and whether the list is complete
              refs            List every use of a node by role: call, read, write, type, import and others
              diff            Compare the graph of two commits, or of a commit and the work tree
              drift           Show what changed since your last visit, or since a time or commit
              trust           Test the index: is it this repository, fresh, sound, and does it find what it
                              holds
              risk            Name the files that usually change with what the work tree has changed, and did
                              not
              trail           Show saved investigations
              call            Call a tool, as an agent would
              serve           Serve MCP to a client over standard input and output
              init            Connect the MCP clients of this project, after showing the change
              doctor          Diagnose problems of m1nd and suggest fixes
              export          Write the graph as rows, for other programs
              memory          Decisions, issues, learnings and gotchas of this project, kept in
                              `.mind/MEMORY.md` [alias: mind]
              completions     Print the completions of a shell
              man             Print the manual page, for `man -l`

            Options:
                  --home <FOLDER>
                      Folder of the index and all state [default: ~/.m1nd]

                  --model <FOLDER>
                      Folder of an embedding model (model2vec or BERT) that reorders the best matches

                  --json
                      Write JSON for programs

                  --color <WHEN>
                      Colours: `auto` is on a terminal and without NO_COLOR

                      [possible values: auto, always, never]

                  --no-pager
                      Do not show long answers of tools through a pager

              -h, --help
                      Print help (see a summary with '-h')

              -V, --version
                      Print version

            Examples:
              m1nd ingest                       index this repository and show a summary
              m1nd seek retry a failed request  find code by meaning and words
              m1nd callers Pool.acquire         who calls it
              m1nd impact src/pool.py --json    what depends on a file
              m1nd export --what edges --relation calls > calls.jsonl
              m1nd init                         connect Claude Code, Cursor or VS Code
              m1nd doctor                       diagnose problems

            Exit codes:
                0  done
                1  nothing found
                2  invalid arguments, or the command failed
                3  nothing is indexed yet: run `m1nd ingest`
                4  a name does not exist or is ambiguous
                5  denied: outside the roots, read-only, or another process writes
                6  `m1nd doctor` found problems
                7  `m1nd risk` names files that were probably forgotten
               70  a bug in m1nd; please report it
              130  stopped by the user

            Environment:
              M1ND_HOME   folder of the index and all state (default ~/.m1nd)
              M1ND_LOG    log filter for standard error, such as `info` or `m1nd_engine=debug`
              M1ND_PAGER  pager for answers longer than the screen (default PAGER; none if
                          empty or `cat`)
              NO_COLOR    disable colours
        "#]],
    );
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
              -q, --quiet           Show no progress, only the summary
              -h, --help            Print help
        "#]],
    );
    check(
        &["serve", "--help"],
        expect![[r#"
            Serve MCP to a client over standard input and output

            Usage: m1nd serve [OPTIONS]

            Options:
                  --home <FOLDER>    Folder of the index and all state [default: ~/.m1nd]
                  --stdio            Serve over standard input and output (the default, and the only transport)
                  --model <FOLDER>   Folder of an embedding model (model2vec or BERT) that reorders the best
                                     matches
                  --root <PATH>      A folder that may be indexed and read; can be repeated [default: the
                                     repository around the current folder]
                  --json             Write JSON for programs
                  --no-watch         Do not watch files; the index changes only when `ingest` is called
                  --color <WHEN>     Colours: `auto` is on a terminal and without NO_COLOR [possible values:
                                     auto, always, never]
                  --read-only        Reject every tool that changes something
                  --format <FORM>    Form of the answers: `text` is compact, for models; `json` for programs
                                     [default: json] [possible values: json, text]
                  --no-pager         Do not show long answers of tools through a pager
                  --toolset <SET,…>  Toolsets to list, separated by commas, `agent` for those of daily work; the
                                     other tools can still be called [default: all]
              -h, --help             Print help
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

                  --home <FOLDER>
                      Folder of the index and all state [default: ~/.m1nd]

                  --memory
                      Also create a memory for this project (`.mind/MEMORY.md`, a block in CLAUDE.md), and the
                      Claude Code hooks that show it

                  --model <FOLDER>
                      Folder of an embedding model (model2vec or BERT) that reorders the best matches

                  --json
                      Write JSON for programs

              -y, --yes
                      Write without confirmation

                  --color <WHEN>
                      Colours: `auto` is on a terminal and without NO_COLOR

                      [possible values: auto, always, never]

                  --dry-run
                      Only show what would be written

                  --no-pager
                      Do not show long answers of tools through a pager

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
    let list = Place::new(SHOP).run(&["call"]).out;
    for tool in m1nd_tools::ALL {
        assert!(list.contains(&format!("  {}", tool.name)) && list.contains(tool.summary), "{list}");
    }
}

#[test]
fn version_and_completions() {
    check(
        &["--version"],
        expect![[r#"
        m1nd 0.1.0
    "#]],
    );
    for shell in ["bash", "zsh", "fish"] {
        let run = Place::new(SHOP).run(&["completions", shell]);
        assert!(run.code == 0 && run.out.contains("ingest"), "{shell}");
    }
}
