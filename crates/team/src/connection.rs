//! Where the database is. The settings come from the user, never from a file of a repository, and none of their text is
//! ever shown.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use m1nd_base::show_hidden;
use tokio::task::JoinHandle;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Client, Config, NoTls};

use crate::TeamError;
use crate::error::Failure;
use crate::tls::Tls;

/// Maximum wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Maximum time of a statement on the server, and without an answer.
const STATEMENT: Duration = Duration::from_secs(60);
/// Name of this program in the server's lists.
const NAME: &str = "m1nd team";

/// What the user says beside the connection string.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConnectOptions<'o> {
    /// Password, if the connection string has none.
    pub password: Option<&'o str>,
    /// PEM file of the certificate authorities to trust instead of those of this machine.
    pub authorities: Option<&'o Path>,
    /// Permits connections without TLS to other machines.
    pub permits_plain: bool,
}

/// Where the database is, and as whom to log in.
#[derive(Clone)]
pub struct Settings {
    config: Config,
    tls: Option<Tls>,
    /// Server, database and login, which identify a queue.
    identity: String,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl Settings {
    /// Reads a connection string: `postgres://login@host/database` or `host=… dbname=…`.
    ///
    /// # Errors
    /// [`TeamError::Settings`]: it cannot be read, has no host, login or database, or would send a password over an
    /// unencrypted connection to another machine.
    pub fn parse(text: &str, options: &ConnectOptions<'_>) -> Result<Self, TeamError> {
        let fail = |why: &str| Err(TeamError::Settings(why.to_owned()));
        // The certificate is always checked, in full.
        let text =
            text.replace("sslmode=verify-full", "sslmode=require").replace("sslmode=verify-ca", "sslmode=require");
        // The error may quote the text, and that may hold a password.
        let Ok(mut config) = text.parse::<Config>() else {
            return fail("the connection string cannot be read");
        };
        let (Some(login), Some(database)) = (config.get_user(), config.get_dbname()) else {
            return fail("the connection string names no login or no database");
        };
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return fail("the connection string names no host");
        }
        let hosts: Vec<String> = config.get_hosts().iter().map(write_host).collect();
        let identity = format!("{login}@{}:{:?}/{database}", hosts.join(","), config.get_ports());
        let identity = show_hidden(&identity).into_owned();
        if let Some(password) = options.password.filter(|_| config.get_password().is_none()) {
            config.password(password);
        }
        let is_remote =
            !config.get_hosts().iter().all(is_local) || !config.get_hostaddrs().iter().all(IpAddr::is_loopback);
        let mode = config.get_ssl_mode();
        match (is_remote, options.permits_plain, mode) {
            (true, false, SslMode::Disable) => {
                return fail("the connection to another machine would not be encrypted; use --plain to permit that");
            }
            (true, false, _) => drop(config.ssl_mode(SslMode::Require)),
            // Servers on this machine often have a certificate that nobody vouches for.
            (false, _, SslMode::Prefer) => drop(config.ssl_mode(SslMode::Disable)),
            _ => {}
        }
        config.connect_timeout(CONNECT).tcp_user_timeout(STATEMENT).application_name(NAME);
        let tls = match config.get_ssl_mode() {
            SslMode::Disable => None,
            _ => Some(Tls::new(options.authorities)?),
        };
        Ok(Self { config, tls, identity })
    }

    /// Server, database and login, without a password.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Opens a connection.
    pub(crate) async fn connect(&self) -> Result<Connected, Failure> {
        let (client, task) = match &self.tls {
            None => {
                let (client, connection) = self.config.connect(NoTls).await?;
                (client, tokio::spawn(async move { drop(connection.await) }))
            }
            Some(tls) => {
                let (client, connection) = self.config.connect(tls.clone()).await?;
                (client, tokio::spawn(async move { drop(connection.await) }))
            }
        };
        let connected = Connected { client, task };
        // Only names with their schema are used, so that nobody can put other functions in their place.
        let setup = format!("SET search_path = pg_catalog, pg_temp; SET statement_timeout = {}", STATEMENT.as_millis());
        connected.client.batch_execute(&setup).await?;
        Ok(connected)
    }
}

/// An open connection, and the task that serves it.
pub(crate) struct Connected {
    pub(crate) client: Client,
    task: JoinHandle<()>,
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn write_host(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    }
}

/// Returns whether what is sent to a host stays on this machine.
fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Connection string, whether plain connections are permitted, and the mode or a part of the error.
    const ROWS: &[(&str, bool, Result<SslMode, &str>)] = &[
        ("postgres://a:hunter2@db.example.com/team", false, Ok(SslMode::Require)),
        ("postgres://a:hunter2@db.example.com/team?sslmode=prefer", false, Ok(SslMode::Require)),
        ("postgres://a:hunter2@db.example.com/team?sslmode=verify-full", false, Ok(SslMode::Require)),
        ("postgres://a:hunter2@db.example.com/team?sslmode=disable", false, Err("not be encrypted")),
        ("postgres://a:hunter2@db.example.com/team?sslmode=disable", true, Ok(SslMode::Disable)),
        ("postgres://a:hunter2@127.0.0.1,db.example.com/team?sslmode=disable", false, Err("not be encrypted")),
        ("host=localhost hostaddr=192.0.2.1 user=a password=hunter2 dbname=t sslmode=disable", false, Err("encrypted")),
        ("postgres://a:hunter2@127.0.0.1/team", false, Ok(SslMode::Disable)),
        ("postgres://a:hunter2@[::1]/team", false, Ok(SslMode::Disable)),
        ("postgres://a:hunter2@localhost/team?sslmode=require", false, Ok(SslMode::Require)),
        ("host=/run/postgresql user=a dbname=team", false, Ok(SslMode::Disable)),
        ("postgres://a:hunter2@db.example.com", false, Err("no database")),
        ("postgres://db.example.com/team", false, Err("no login")),
        ("user=a dbname=team password=hunter2", false, Err("no host")),
        ("postgres://a:hunter2@host:port/team", false, Err("cannot be read")),
        ("hunter2", false, Err("cannot be read")),
        ("user=a password=hunter2 host=h dbname=d sslmode=hunter2", false, Err("cannot be read")),
    ];

    #[test]
    fn a_password_goes_to_other_machines_only_encrypted_and_shows_nowhere() {
        for (text, permits_plain, expected) in ROWS {
            let options = ConnectOptions { permits_plain: *permits_plain, ..ConnectOptions::default() };
            let settings = Settings::parse(text, &options);
            let shown = format!("{settings:?}");
            assert!(!shown.contains("hunter2"), "{text}: {shown}");
            match (settings, expected) {
                (Ok(settings), Ok(mode)) => assert_eq!(settings.config.get_ssl_mode(), *mode, "{text}"),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{text}: {error}"),
                (settings, _) => panic!("{text}: {settings:?}"),
            }
        }
    }

    #[test]
    fn the_password_may_come_apart_from_the_string() {
        let options = ConnectOptions { password: Some("hunter2"), ..ConnectOptions::default() };
        let settings = Settings::parse("postgres://a@localhost/team", &options).expect("is read");
        assert_eq!(settings.config.get_password(), Some(&b"hunter2"[..]));
        assert!(!settings.identity().contains("hunter2"));
    }
}
