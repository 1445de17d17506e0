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
            A graph of your code that coding agents can ask.

            m1nd indexes a repository on this machine and answers over MCP: where something is, how two things
            are connected, what depends on a place. Without a command it serves MCP when started by a client,
            and shows this help in a terminal.

            Usage: m1nd [OPTIONS] [COMMAND]

            Commands:
              ingest       Index a repository and say what is in it
              status       Show what is indexed and how fresh it is
              call         Call a tool, as an agent would
              serve        Serve MCP to a client over standard input and output
              init         Connect the MCP clients of this project, after showing the change
              doctor       Look for what keeps m1nd from working, and say what to do
              export       Write the graph as rows, for programs that check or reuse it
              memory       Decisions, issues, learnings and gotchas of this project, kept in `.mind/MEMORY.md`
                           [alias: mind]
              completions  Print the completions of a shell

            Options:
                  --home <FOLDER>
                      Folder of the index and all state [default: ~/.m1nd]

                  --model <FOLDER>
                      Folder of a model of meaning (model2vec or BERT) that orders the best matches anew

                  --json
                      Write JSON for programs

              -h, --help
                      Print help (see a summary with '-h')

              -V, --version
                      Print version

            Examples:
              m1nd ingest                       index this repository and say what is in it
              m1nd call seek --query 'retry a failed request'
              m1nd call impact --node-id src/pool.py --json
              m1nd export --what edges --relation calls > calls.jsonl
              m1nd init                         connect Claude Code, Cursor or VS Code
              m1nd doctor                       find out why something does not work

            Exit codes:
                0  done
                1  the work was begun and failed
                2  the command line or a tool's arguments cannot be used
                3  nothing is indexed yet: run `m1nd ingest`
                4  what was named does not exist, or names several things
                5  refused: outside the roots, read-only, or another process writes
                6  `m1nd doctor` found problems
               70  a bug of m1nd; please report it
              130  stopped by the user

            Environment:
              M1ND_HOME   folder of the index and all state (default ~/.m1nd)
              M1ND_LOG    what to log on standard error, such as `info` or `m1nd_engine=debug`
              NO_COLOR    no colours, whatever the output is
        "#]],
    );
}

#[test]
fn each_command_explains_itself() {
    check(
        &["ingest", "--help"],
        expect![[r#"
            Index a repository and say what is in it

            Usage: m1nd ingest [OPTIONS] [PATH]

            Arguments:
              [PATH]  The repository [default: the one around the current folder]

            Options:
                  --home <FOLDER>   Folder of the index and all state [default: ~/.m1nd]
                  --incremental     Look only at files whose size or time changed
                  --include-hidden  Index hidden files and folders, too
                  --model <FOLDER>  Folder of a model of meaning (model2vec or BERT) that orders the best
                                    matches anew
                  --json            Write JSON for programs
                  --scip <FILE>     Then take in an index that a compiler's indexer wrote of this code (SCIP);
                                    what it says of a reference replaces what m1nd found, until the file is
                                    edited
                  --scip-drop       Then drop the indexes that were taken in with --scip
                  --threads <N>     Threads to read and parse with [default: one per processor]
              -q, --quiet           No progress, only the summary
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
                  --stdio            Serve over standard input and output (the only way so far, and the default)
                  --model <FOLDER>   Folder of a model of meaning (model2vec or BERT) that orders the best
                                     matches anew
                  --root <PATH>      A folder that may be indexed and read; can be given several times [default:
                                     the repository around the current folder]
                  --json             Write JSON for programs
                  --no-watch         Do not watch the files; the index changes only when `ingest` is called
                  --read-only        Refuse every tool that changes something
                  --toolset <SET,…>  Toolsets to list, separated by commas; the other tools can still be called
                                     [default: all]
              -h, --help             Print help
        "#]],
    );
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
                      Connect this client, whether it was found or not; can be given several times

                      Possible values:
                      - claude-code: Claude Code: `.mcp.json`
                      - cursor:      Cursor: `.cursor/mcp.json`
                      - vscode:      VS Code: `.vscode/mcp.json`

                  --home <FOLDER>
                      Folder of the index and all state [default: ~/.m1nd]

                  --memory
                      Make a memory for this project, too (`.mind/MEMORY.md`, a block in CLAUDE.md), and the
                      hooks of Claude Code that show it

                  --model <FOLDER>
                      Folder of a model of meaning (model2vec or BERT) that orders the best matches anew

                  --json
                      Write JSON for programs

              -y, --yes
                      Write without asking

              -h, --help
                      Print help (see a summary with '-h')
        "#]],
    );
}

#[test]
fn a_tool_explains_itself_by_its_row() {
    let run = Place::new(SHOP).run(&["call", "seek", "--help"]);
    assert_eq!(run.code, 0);
    for words in ["--query <string, required>", "m1nd call seek --json '{"] {
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
