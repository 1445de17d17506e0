use m1nd_base::{Cancel, Limits};

use crate::facts::DeclaredKind;
use crate::{Language, extract};

/// What a text declares: a command with its name, an option with its dashes, `?` for what is open; each with the name
/// of its definition.
fn show_declared(language: Language, text: &str) -> Vec<String> {
    let facts = extract(language, text.as_bytes(), &Limits::default(), &Cancel::new());
    let rows = facts.declared.iter().map(|row| {
        let def = row.def.map_or("-", |def| facts.name(facts.definition(def).name));
        let name = if row.kind == DeclaredKind::Open { "?" } else { &*row.name };
        format!("{name} {def}")
    });
    rows.collect()
}

const CASES: &[(Language, &str, &[&str])] = &[
    (
        Language::Python,
        "import argparse\n# parser.add_argument('--no')\ndef main():\n    parser = argparse.ArgumentParser()\n    parser.add_argument('-v', '--verbose', help='--more')\n    parser.add_argument('path')\n    sub = parser.add_subparsers()\n    run = sub.add_parser('run')\nparser.add_argument(*names)\n",
        &["-v main", "--verbose main", "run main", "? -"],
    ),
    (
        Language::Python,
        "import click\n@click.group()\ndef cli(): pass\n@cli.command('start')\n@click.option('--port', '-p', default='-1', help='x')\n@click.option('--shout/--no-shout')\ndef start_server(port, shout): pass\n@cli.command\ndef stop_command(): pass\n",
        &[
            "cli cli", "start start_server", "--port start_server", "-p start_server", "--shout start_server",
            "--no-shout start_server", "stop-command stop_command", "stop stop_command",
        ],
    ),
    (
        Language::Python,
        "import typer\napp = typer.Typer()\n@app.command()\ndef hello(name: str, formal_way: bool = False, level: int = typer.Option(1, '--level', '-l'), depth: int = typer.Option(2)): pass\n",
        &[
            "hello hello", "--formal-way hello", "--no-formal-way hello", "--level hello", "-l hello", "--depth hello",
            "--no-depth hello",
        ],
    ),
    (
        Language::Rust,
        "use clap::{Parser, Subcommand};\n#[derive(Parser)]\nstruct Cli {\n    /// Text.\n    #[arg(short, long)]\n    retry_limit: u8,\n    #[arg(long = \"dry-run\", value_name = \"X\")]\n    #[serde(default)]\n    pub(crate) dry: bool,\n    #[command(subcommand)]\n    command: Commands,\n}\n#[derive(Debug, Subcommand)]\nenum Commands {\n    /// Text, with a comma.\n    AddItem { #[arg(long)] count: u8 },\n    #[command(name = \"rm\")]\n    Remove(RemoveArgs),\n}\n",
        &[
            "-r retry_limit", "--retry-limit retry_limit", "--dry-run dry", "add-item AddItem", "--count count",
            "remove Remove", "rm Remove",
        ],
    ),
    (
        Language::Rust,
        "use clap::{arg, Arg, Command};\nfn cli<'a>() -> Command {\n    Command::new(\"tool\").subcommand(Command::new(\"serve\").arg(Arg::new(\"port\").long(\"port\").short('p')))\n        .arg(arg!(-v --dry-run \"text\")).arg(Arg::new(\"x\").long(NAME))\n}\n",
        &["tool cli", "serve cli", "--port cli", "-p cli", "-v cli", "--dry-run cli", "? cli"],
    ),
    (
        Language::Go,
        "package main\nimport \"github.com/spf13/cobra\"\nvar serve = &cobra.Command{Use: \"serve [folder]\", Short: \"x\"}\nfunc init() {\n\tserve.Flags().StringVarP(&addr, \"addr\", \"a\", \"b\", \"--c\")\n\tserve.PersistentFlags().Bool(\"quiet\", false, \"\")\n\tstrings.String(\"no\")\n\tflag.Bool(name, false, \"\")\n}\n",
        &["serve serve", "--addr init", "-a init", "--quiet init", "? init"],
    ),
    (
        Language::TypeScript,
        "import {Command} from 'commander';\nfunction build(program: Command) {\n  program.option('-v, --verbose <level>', 'text').requiredOption('--port=<n>');\n  program.command('serve <folder>').action(run);\n}\n",
        &["-v build", "--verbose build", "--port build", "serve build"],
    ),
    (
        Language::JavaScript,
        "const yargs = require('yargs');\nyargs.command('$0 [x]').command(['build', 'b']).option('port', {alias: 'p'}).options({ 'dry-run': {type: 'boolean'}, level: {} });\n",
        &["build -", "--port -", "--dry-run -", "--level -"],
    ),
    (
        Language::Python,
        "import click\nclass Plugins(click.Group):\n    def list_commands(self): return entry_points(group='x')\n",
        &["? list_commands", "? list_commands"],
    ),
    (Language::Python, "parser.add_argument('--x')\n", &[]),
    (Language::Rust, "fn f() { a.long(\"x\"); }\n", &[]),
];

#[test]
fn commands_and_options_are_found_with_what_declares_them() {
    for (language, text, wanted) in CASES {
        assert_eq!(show_declared(*language, text), *wanted, "{text}");
    }
}

#[test]
fn any_text_ends() {
    for open in [
        "click option(", "clap #[arg(long", "\"", "'", "`", "r#\"", "/*", "commander .options({", "@command(",
        "flag.Bool(\"a\",",
    ] {
        for language in [Language::Python, Language::Rust, Language::Go, Language::TypeScript] {
            let text = format!("click clap cobra commander typer {}é", open.repeat(4_000));
            super::list_declared(language, &text);
        }
    }
}
