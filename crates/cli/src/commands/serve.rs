//! `m1nd serve`: MCP over standard input and output.

use m1nd_engine::{EngineConfig, EngineError};
use m1nd_server::{ServeOptions, serve};
use m1nd_tools::{Format, Services, ToolChoice};

use crate::args::{Common, ServeArgs};
use crate::error::CliError;
use crate::project;

/// Runs the command until the client disconnects.
pub(crate) fn run(args: &ServeArgs, common: &Common) -> Result<(), CliError> {
    let listed = match args.toolset.as_slice() {
        [] => None,
        [all] if all == "all" => None,
        words => Some(words.iter().map(|word| choice(word)).collect::<Result<Vec<_>, _>>()?),
    };
    let roots = match args.roots.as_slice() {
        [] => vec![project::root(None)?],
        roots => roots.iter().map(|root| project::root(Some(root))).collect::<Result<_, _>>()?,
    };
    // Clients start servers in any folder. A home folder is indexed only if named explicitly.
    let by_itself = !(args.roots.is_empty() && roots.iter().any(|root| project::is_too_wide(root)));
    if !by_itself {
        tracing::warn!("started outside a repository, so nothing is indexed automatically; start with --root PATH");
    }
    let places = roots.clone();
    let mut config = project::with_workspace(EngineConfig::new(project::home(common)?, roots))?;
    config.watch = by_itself && !args.no_watch && !args.read_only;
    config.read_only = args.read_only;
    config.model = common.model.clone();
    config.settings = project::settings(common, &config, !args.roots.is_empty());
    let mind = project::memory_places(&places, !args.roots.is_empty())?;
    let services = Services::open(config, mind).map_err(|error| match error {
        EngineError::Store(why) => {
            CliError::failed(why, "make the store usable, or serve the existing index with --read-only")
        }
        error => error.into(),
    })?;
    services.engine.damage().iter().for_each(|damage| tracing::warn!("{damage}"));
    let options = ServeOptions {
        listed,
        format: Format::parse(&args.format).unwrap_or_default(),
        envelope: args.envelope,
        read_only: args.read_only,
        index_when_empty: by_itself,
        refresh: by_itself && !args.no_watch,
        ..ServeOptions::default()
    };
    serve(&services, options, std::io::stdin(), std::io::stdout())
        .map_err(|error| CliError::failed(error.to_string(), "restart the server"))
}

fn choice(word: &str) -> Result<ToolChoice, CliError> {
    ToolChoice::parse(word).ok_or_else(|| {
        let all: Vec<&str> = ToolChoice::all().map(|choice| choice.word()).collect();
        CliError::usage(format!("unknown toolset `{word}`"), format!("expected all, {}", all.join(", ")))
    })
}
