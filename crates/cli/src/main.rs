//! The program `m1nd`: commands for people, the MCP server for agents.

mod answers;
mod args;
mod choices;
mod clients;
mod commands;
mod companion;
mod error;
mod flags;
mod json;
mod probe;
mod project;
mod resident;
mod schema;
mod settings;
mod terminal;
mod version;

use terminal::{highlight, output, pager, progress, tone};

use std::io::IsTerminal;
use std::process::ExitCode;

use args::{Cli, Command, ServeArgs};
use error::{CliError, Exit};
use json::with_member;
use output::{Out, Tone, note, paint};

/// First argument of this program where it supervises a command that a person allowed.
const SUPERVISE: &str = "__supervise";
/// This program, even if its file was replaced meanwhile.
const OWN_PROGRAM: &str = "/proc/self/exe";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next();
    if first.as_deref().is_some_and(|word| word == SUPERVISE) {
        let code = m1nd_run::supervise(&arguments.collect::<Vec<_>>());
        return ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX));
    }
    m1nd_run::use_supervisor(vec![OWN_PROGRAM.into(), SUPERVISE.into()]);
    if probe::serve_probe() {
        return ExitCode::SUCCESS;
    }
    start_log();
    if first.is_some_and(|word| word == resident::ARGUMENT) {
        return resident::run(&arguments.collect::<Vec<_>>());
    }
    let cli = args::read();
    let mut out = Out::new(&cli.common);
    let exit = match run(&cli, &mut out) {
        Ok(()) => Exit::Success as u8,
        Err(error) => {
            show(&error, &mut out);
            match cli.command {
                // A check has findings, or it failed: programs need no more.
                Some(Command::Check(_) | Command::Docs(_)) if !matches!(error, CliError::Findings(_)) => {
                    Exit::Failed as u8
                }
                ref command => error.exit_code(matches!(command, Some(Command::Memory(_)))),
            }
        }
    };
    ExitCode::from(exit)
}

fn run(cli: &Cli, out: &mut Out) -> Result<(), CliError> {
    let common = &cli.common;
    match &cli.command {
        Some(Command::Ingest(args)) => commands::ingest::run(args, common, out),
        Some(Command::Status(args)) => commands::status::run(args, common, out),
        Some(Command::Call(args)) => commands::call::run(args, common, out),
        Some(Command::Tool(args)) => commands::call::command(args, common, out),
        Some(Command::Serve(args)) => commands::serve::run(args, common),
        Some(Command::Open(args)) => commands::open::run(args, common, out),
        Some(Command::Init(args)) => commands::init::run(args, common, out),
        Some(Command::Upgrade(args)) => commands::upgrade::run(args, common, out),
        Some(Command::Uninstall(args)) => commands::uninstall::run(args, common, out),
        Some(Command::Doctor(args)) => commands::doctor::run(args, common, out),
        Some(Command::Export(args)) => commands::export::run(args, common, out),
        Some(Command::Map(args)) => commands::map::run(args, common, out),
        Some(Command::Check(args)) => commands::check::run(args, common, out),
        Some(Command::Docs(args)) => commands::docs::run(args, common, out),
        Some(Command::Risk(args)) => commands::risk::run(args, common, out),
        Some(Command::Trail(args)) => commands::trail::run(args, common, out),
        Some(Command::Verify(args)) => commands::verify::run(args, common, out),
        Some(Command::Write(args)) => commands::write::run(args, common, out),
        Some(Command::Lock(args)) => commands::lock::run(args, common, out),
        Some(Command::Share(args)) => commands::share::run(args, common, out),
        Some(Command::Team(args)) => commands::team::run(args, common),
        Some(Command::Workspace(args)) => commands::workspace::run(args, common, out),
        Some(Command::Memory(args)) => commands::memory::run(args, common, out),
        Some(Command::Completions(args)) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut args::build_documented(), "m1nd", &mut script);
            out.line(String::from_utf8_lossy(&script).trim_end())
        }
        Some(Command::Man) => {
            let mut page = Vec::new();
            clap_mangen::Man::new(args::build_documented()).render(&mut page)?;
            out.line(String::from_utf8_lossy(&page).trim_end())
        }
        None if std::io::stdin().is_terminal() => out.help(&args::command().render_long_help()),
        None => commands::serve::run(&ServeArgs::default(), common),
    }
}

/// Shows an error: as JSON for programs, else as a line with the next step.
fn show(error: &CliError, out: &mut Out) {
    match error {
        CliError::BrokenPipe
        | CliError::Problems(_)
        | CliError::Findings(_)
        | CliError::NothingFound
        | CliError::NotChanged(_)
        | CliError::Companion(_) => return,
        CliError::Tool(error) if out.json => {
            let _ = out.value(&error.to_json());
            return;
        }
        CliError::Memory(error) if out.json => {
            let error = m1nd_tools::memory_error(error);
            // The form of the memory tools.
            let _ = out.value(&with_member(error.to_json(), "message", error.message.as_str()));
            return;
        }
        _ => {}
    }
    let colour = out.colours_errors();
    note(format!("{} {error}", paint(colour, Tone::Bad, "error:")));
    if let CliError::Tool(error) = error
        && let Some(hint) = error.hint_text()
    {
        note(format!("  {hint}"));
        choices(error).for_each(|choice| note(format!("    {choice}")));
        // The first lines of each, so that the caller can choose.
        let heads = error.details().get("heads").and_then(serde_json::Value::as_str).unwrap_or_default();
        heads.lines().for_each(|line| note(format!("    {}", m1nd_tools::visible(line))));
    }
    if let Some(next) = error.next() {
        note(format!("  {} {next}", paint(colour, Tone::Strong, "next:")));
    }
}

/// The nodes that a name may mean, one per line.
fn choices(error: &m1nd_tools::ToolError) -> impl Iterator<Item = String> {
    let rows = ["candidates", "did_you_mean"].into_iter().filter_map(|name| error.details().get(name)?.as_array());
    let text = |row: &serde_json::Value, name: &str| row[name].as_str().map(str::to_owned);
    rows.flatten().filter_map(move |row| Some(format!("{}  {}", text(row, "node_id")?, text(row, "signature")?)))
}

/// Returns whether a command of `mind` is verbose. Read here, since logging starts before the command line is parsed.
fn is_verbose() -> bool {
    let mut arguments = std::env::args_os().skip(1);
    (args::is_called_mind() || arguments.any(|word| word == "memory"))
        && arguments.any(|word| word == "-v" || word == "--verbose")
}

/// Sends logs and panics to standard error, since standard output is for answers only.
fn start_log() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("M1ND_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(if is_verbose() { "info" } else { "warn,rmcp=error" }));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false);
    let _ = log.try_init();
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line())).unwrap_or_default();
        let why = panic.payload_as_str().unwrap_or("no message");
        tracing::error!("internal failure{place}: {why}");
    }));
}
