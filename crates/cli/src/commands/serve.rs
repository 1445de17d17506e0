//! `m1nd serve`: MCP over standard input and output, or over HTTP.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use m1nd_engine::{EngineConfig, EngineError, Setting, is_too_wide};
use m1nd_http::{Address, HttpError, HttpOptions, HttpServer, TOKEN_FILE};
use m1nd_mind::MindConfig;
use m1nd_server::{Host, ServeOptions, serve_shared};
use m1nd_tools::{Format, Services};

use crate::args::{Common, HttpArgs, ServeArgs};
use crate::choices::parse_choices;
use crate::error::CliError;
use crate::output::note;
use crate::project;
use crate::resident::{self, GuestOptions, Listening};
use crate::settings::{Form, Settings};

/// Runs the command until the client disconnects, or the server is told to end.
pub(crate) fn run(args: &ServeArgs, common: &Common) -> Result<(), CliError> {
    let plan = Plan::of(args, common)?;
    if args.attach
        && let Some(shared) = &plan.shared
        && let Some(server) = resident::attach(shared, &plan.mind, plan.options.to_guest())
    {
        return Ok(resident::relay(&server)?);
    }
    let shared = plan.shared.clone();
    let (services, options) = plan.open()?;
    // Others use the server as long as this value lives.
    let mut listening = None;
    let listen = |host: &Host| listening = shared.map(|shared| Listening::start(host, shared));
    let served = match args.http {
        Some(address) => serve_http(&services, options, address, &args.over_http, listen),
        None => serve_shared(&services, options, std::io::stdin(), std::io::stdout(), listen)
            .map_err(|error| CliError::fail(error.to_string(), "restart the server")),
    };
    drop(listening);
    served
}

/// Serves over HTTP until the process is told to end.
fn serve_http(
    services: &Services,
    options: ServeOptions,
    address: Address,
    args: &HttpArgs,
    on_start: impl FnOnce(&Host),
) -> Result<(), CliError> {
    let home = services.engine.config().home.clone();
    let certificate = args.tls_cert.clone().zip(args.tls_key.clone());
    let http = HttpOptions {
        address,
        certificate,
        insecure: args.insecure,
        names: args.hosts.clone(),
        idle: args.idle.map(Duration::from_secs),
        ..HttpOptions::default()
    };
    let on_start = |server: &HttpServer, host: &Host| {
        show_start(server, &home);
        on_start(host);
    };
    m1nd_http::serve(services, options, &home, http, on_start).map_err(|error| {
        let next = match error {
            HttpError::NeedsCertificate(_) => {
                "listen on 127.0.0.1, or pass --insecure if only trusted people share the network"
            }
            HttpError::Listen { .. } => "choose another address: --http ADDRESS",
            HttpError::Certificate { .. } => "pass PEM files that belong together",
            HttpError::Store(_) | HttpError::Serve(_) => "restart the server",
        };
        CliError::fail(error.to_string(), next)
    })
}

/// Shows where the server listens, and the token only to a person: what is not a terminal may be kept as a log.
fn show_start(server: &HttpServer, home: &Path) {
    let url = server.url();
    note(format!("listening on {url}"));
    if std::io::stderr().is_terminal() {
        let token = server.token().text();
        note(format!("  page: {url}/#token={token}"));
        note(format!("  MCP:  {url}/mcp with the header `Authorization: Bearer {token}`"));
    } else {
        note(format!("  the token is in {}", home.join(TOKEN_FILE).display()));
    }
}

/// What is to be served, before anything is opened.
struct Plan {
    config: EngineConfig,
    mind: MindConfig,
    options: Options,
    root_from_client: bool,
    /// The settings of programs that may use the server; `None` if it is not of one project.
    shared: Option<EngineConfig>,
}

impl Plan {
    /// What the arguments and settings say.
    fn of(args: &ServeArgs, common: &Common) -> Result<Self, CliError> {
        // 1. The roots.
        let named: Vec<&PathBuf> = args.roots.iter().filter(|root| !is_placeholder(root)).collect();
        let roots_named = !named.is_empty();
        let is_left_open = named.len() < args.roots.len();
        if is_left_open {
            let shown = args.roots.iter().find(|root| is_placeholder(root)).map(|root| root.display().to_string());
            tracing::warn!("the client did not fill in --root {}: it is left out", shown.unwrap_or_default());
        }
        let roots = match roots_named {
            false => vec![project::root(None)?],
            true => named.into_iter().map(|root| project::root(Some(root))).collect::<Result<_, _>>()?,
        };
        // 2. Whether they may be indexed. Clients start servers in any folder. A home folder is indexed only if named
        // explicitly.
        let by_itself = roots_named || !roots.iter().any(|root| is_too_wide(root));
        if !by_itself {
            tracing::warn!(
                "started outside a repository: the folder that the client has open is indexed if the client says \
                 which; else start with --root PATH"
            );
        }
        let root_from_client = !roots_named && (is_left_open || !by_itself);
        // 3. The settings.
        let mind = project::memory_places(&roots, roots_named)?;
        let shared = match (roots.len(), root_from_client) {
            (1, false) => Some(project::load_config(common, roots.clone(), false)?.0),
            _ => None,
        };
        let (mut config, settings) = project::load_config(common, roots, roots_named)?;
        let options = Options::of(args, &settings);
        config.watch = by_itself && options.watch && !options.read_only;
        config.answers_unlinked = true;
        config.read_only = options.read_only;
        config.settings.extend(options.sources(args, &settings));
        Ok(Self { config, mind, options, root_from_client, shared })
    }

    /// Opens the index.
    fn open(self) -> Result<(Services, ServeOptions), CliError> {
        let Self { config, mind, options, root_from_client, .. } = self;
        let services = open(config, mind)?;
        services.engine.damage().iter().for_each(|damage| tracing::warn!("{damage}"));
        let options = ServeOptions {
            listed: parse_choices(&options.toolset)?,
            format: options.format,
            envelope: options.envelope,
            output_schemas: options.output_schemas,
            read_only: services.engine.is_read_only(),
            index_when_empty: true,
            refresh: options.watch,
            root_from_client,
            ..ServeOptions::default()
        };
        Ok((services, options))
    }
}

/// Returns whether a root is a variable that the client left as it is: `${workspaceFolder}`.
fn is_placeholder(root: &Path) -> bool {
    let text = root.to_string_lossy();
    text.contains("${") && text.contains('}') && !root.exists()
}

/// Opens the services. Without space for the store, what it has is served read-only.
fn open(config: EngineConfig, mind: MindConfig) -> Result<Services, CliError> {
    let opened = match Services::open(config.clone(), mind.clone()) {
        Err(EngineError::NoSpace(why)) if !config.read_only => {
            tracing::warn!(
                "{why}; the existing index is served read-only until the server is restarted with free space"
            );
            let row = Setting { name: "read_only", value: true.to_string(), source: "full disk" };
            let settings = config.settings.iter().filter(|setting| setting.name != row.name).cloned();
            let settings = settings.chain([row.clone()]).collect();
            Services::open(EngineConfig { read_only: true, watch: false, settings, ..config }, mind)
        }
        opened => opened,
    };
    opened.map_err(|error| match error {
        EngineError::Store(why) | EngineError::NoSpace(why) => {
            CliError::fail(why, "make the store usable, or serve the existing index with --read-only")
        }
        error => error.into(),
    })
}

/// The options of a server. A flag wins over the file of settings, that over the default.
struct Options {
    format: Format,
    toolset: Vec<String>,
    envelope: bool,
    output_schemas: bool,
    watch: bool,
    read_only: bool,
}

impl Options {
    fn of(args: &ServeArgs, file: &Settings) -> Self {
        let format = args.format.as_deref().or(file.format.map(Form::word));
        let toolset = Some(&args.toolset).filter(|sets| !sets.is_empty()).or(file.toolset.as_ref());
        Self {
            format: format.and_then(Format::parse).unwrap_or_default(),
            toolset: toolset.cloned().unwrap_or_default(),
            output_schemas: args.output_schemas || file.output_schemas == Some(true),
            envelope: args.envelope || file.envelope == Some(true),
            watch: !args.no_watch && file.watch != Some(false),
            read_only: args.read_only || file.read_only == Some(true),
        }
    }

    /// The options of this client, for another server.
    fn to_guest(&self) -> GuestOptions {
        GuestOptions {
            is_text: self.format == Format::Text,
            toolset: self.toolset.clone(),
            envelope: self.envelope,
            output_schemas: self.output_schemas,
            read_only: self.read_only,
        }
    }

    /// The source that won for each.
    fn sources(&self, args: &ServeArgs, file: &Settings) -> [Setting; 6] {
        let row = |name, value: String, flag: bool, in_file: bool| {
            let source = if flag {
                "flag"
            } else if in_file {
                "file"
            } else {
                "default"
            };
            Setting { name, value, source }
        };
        let format = if self.format == Format::Text { Form::Text } else { Form::Json };
        let toolset = if self.toolset.is_empty() { "all".to_owned() } else { self.toolset.join(",") };
        [
            row("format", format.word().to_owned(), args.format.is_some(), file.format.is_some()),
            row("toolset", toolset, !args.toolset.is_empty(), file.toolset.is_some()),
            row("envelope", self.envelope.to_string(), args.envelope, file.envelope.is_some()),
            row("output_schemas", self.output_schemas.to_string(), args.output_schemas, file.output_schemas.is_some()),
            row("watch", self.watch.to_string(), args.no_watch, file.watch.is_some()),
            row("read_only", self.read_only.to_string(), args.read_only, file.read_only.is_some()),
        ]
    }
}
