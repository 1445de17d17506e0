//! A server from its start to its end.

use std::path::Path;

use m1nd_server::{Host, ServeOptions, start_runtime, stop};
use m1nd_tools::Services;
use tokio_util::sync::CancellationToken;

use crate::server::{HttpError, HttpOptions, HttpServer, adapt_options};

/// Serves until the process is told to end, or nobody uses the server for the time of its options. Blocks. `on_start`
/// is called once it listens.
///
/// # Errors
/// The server did not start.
pub fn serve(
    services: &Services,
    options: ServeOptions,
    home: &Path,
    http: HttpOptions,
    on_start: impl FnOnce(&HttpServer, &Host),
) -> Result<(), HttpError> {
    let runtime = start_runtime()?;
    let host = Host::start(services, adapt_options(options, &http.limits))?;
    let served = runtime.block_on(async {
        let server = HttpServer::start(host.clone(), home, http).await?;
        stop_on_signals(server.shutdown());
        on_start(&server, &host);
        server.run().await;
        Ok(())
    });
    stop(&host, runtime);
    served
}

/// Ends the server at a signal, so that the index is saved.
#[cfg(unix)]
fn stop_on_signals(shutdown: CancellationToken) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let waits = || -> std::io::Result<()> {
        let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP])?;
        let wait = move || {
            signals.forever().next();
            shutdown.cancel();
        };
        std::thread::Builder::new().name("m1nd-signals".into()).spawn(wait).map(|_| ())
    };
    if let Err(error) = waits() {
        tracing::warn!(%error, "the server cannot be told to end");
    }
}

#[cfg(not(unix))]
fn stop_on_signals(_: CancellationToken) {}
