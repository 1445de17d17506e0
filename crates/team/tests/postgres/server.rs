//! A PostgreSQL server in a folder of its own, which ends with the test.

use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use jiff::civil::Date;
use m1nd_team::{ConnectOptions, InitRequest, Level, Patience, Project, Session, SessionOptions, Settings, init};

/// Owner of the database.
pub(crate) const OWNER: &str = "owner";
/// Password of all logins, where one is needed.
pub(crate) const PASSWORD: &str = "hunter2";
/// The team of most tests.
pub(crate) const TEAM: &str = "payments";
/// The repository of most tests.
pub(crate) const REPOSITORY: &str = "example.com/acme/shop";
/// The day of all tests.
pub(crate) const TODAY: Date = Date::constant(2026, 11, 28);

/// A running server.
pub(crate) struct Server {
    folder: PathBuf,
    port: u16,
    user: Option<(u32, u32)>,
}

impl Server {
    /// Creates and starts a server that is reached over a socket.
    pub(crate) fn start() -> Self {
        Self::start_with("''", 5432)
    }

    /// Creates and starts a server that listens on these addresses as well.
    pub(crate) fn start_with(addresses: &str, port: u16) -> Self {
        let user = unprivileged_user();
        let folder = create_folder(user);
        let server = Self { folder, port, user };
        server.run(
            "initdb",
            &["--username", OWNER, "--auth", "trust", "--encoding", "UTF8", "--no-locale", "-D"],
            true,
        );
        let access = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
        std::fs::write(server.data().join("pg_hba.conf"), access).expect("is written");
        let base = format!(
            "listen_addresses = {addresses}\nunix_socket_directories = '{}'\nport = {port}\nmax_connections = 60\n",
            server.folder.display()
        );
        std::fs::write(server.data().join("postgresql.auto.conf"), base).expect("is written");
        server.boot();
        server
    }

    /// Starts it, after a stop.
    pub(crate) fn boot(&self) {
        let log = self.folder.join("log");
        self.run("pg_ctl", &["start", "-w", "-t", "60", "-l", log.to_str().expect("a path"), "-D"], true);
    }

    /// Stops it: `fast` ends all connections in an orderly way, `immediate` is a crash.
    pub(crate) fn stop(&self, mode: &str) {
        self.run("pg_ctl", &["stop", "-w", "-m", mode, "-D"], true);
    }

    /// The server's log.
    pub(crate) fn read_log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).expect("is read")
    }

    /// Gives it a certificate, and starts it again.
    pub(crate) fn use_tls(&self, fixtures: &Path) {
        for (name, from) in [("server.crt", "server.crt"), ("server.key", "server.key")] {
            let to = self.data().join(name);
            std::fs::copy(fixtures.join(from), &to).expect("is copied");
            std::fs::set_permissions(&to, PermissionsExt::from_mode(0o600)).expect("is closed");
            if let Some((uid, gid)) = self.user {
                chown(&to, Some(uid), Some(gid)).expect("is given away");
            }
        }
        let settings = self.data().join("postgresql.auto.conf");
        let text = std::fs::read_to_string(&settings).expect("is read");
        std::fs::write(&settings, format!("{text}ssl = on\n")).expect("is written");
        self.stop("fast");
        self.boot();
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Runs a program of PostgreSQL on the server's data.
    fn run(&self, program: &str, arguments: &[&str], must_succeed: bool) {
        let mut command = Command::new(find_program(program));
        command.args(arguments).arg(self.data()).current_dir("/").env("LC_ALL", "C");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        // Not `output`: the server inherits the pipe.
        let log = self.folder.join("log");
        command.stderr(Stdio::null());
        let status = command.status().expect("is started");
        let log = || std::fs::read_to_string(&log).unwrap_or_default();
        assert!(!must_succeed || status.success(), "{program} {arguments:?}: {status}\n{}", log());
    }

    /// A connection string over the socket.
    pub(crate) fn address(&self, login: &str, database: &str) -> String {
        format!("host={} port={} user={login} dbname={database}", self.folder.display(), self.port)
    }

    /// Settings for the database of the tests.
    pub(crate) fn settings(&self, login: &str) -> Settings {
        Settings::parse(&self.address(login, "postgres"), &ConnectOptions::default()).expect("are read")
    }

    /// Runs handwritten SQL as a login; the rows of the last statement, columns separated by `|`.
    pub(crate) fn sql(&self, login: &str, sql: &str) -> Result<Vec<String>, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("starts");
        runtime.block_on(async {
            let address = self.address(login, "postgres");
            let connected = tokio_postgres::connect(&address, tokio_postgres::NoTls).await;
            let (client, connection) = connected.map_err(|error| error.to_string())?;
            let task = tokio::spawn(async move { drop(connection.await) });
            let messages = client.simple_query(sql).await;
            task.abort();
            let messages = messages.map_err(|error| match error.as_db_error() {
                Some(refused) => format!("{} {}", refused.code().code(), refused.message()),
                None => error.to_string(),
            })?;
            let row = |message: &tokio_postgres::SimpleQueryMessage| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => {
                    let cells: Vec<&str> = (0..row.len()).map(|at| row.get(at).unwrap_or("")).collect();
                    Some(cells.join("|"))
                }
                _ => None,
            };
            Ok(messages.iter().filter_map(row).collect())
        })
    }

    /// A number that a query answers, for the owner.
    pub(crate) fn count(&self, sql: &str) -> usize {
        let rows = self.sql(OWNER, sql).expect("is answered");
        rows[0].parse().expect("a number")
    }

    /// Creates logins, the schema, and a team with these members.
    pub(crate) fn set_up(&self, team: &str, members: &[(&str, Level)], needs_approval: bool) {
        for (login, _) in members {
            let create = format!("CREATE ROLE \"{login}\" LOGIN PASSWORD '{PASSWORD}'");
            self.sql(OWNER, &create).expect("is created");
        }
        let request = InitRequest {
            team: Some(team.to_owned()),
            members: members.iter().map(|(login, level)| ((*login).to_owned(), *level)).collect(),
            leavers: Vec::new(),
            needs_approval: Some(needs_approval),
        };
        init(&self.settings(OWNER), &request, Patience::default()).expect("is set up");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.run("pg_ctl", &["stop", "-w", "-m", "immediate", "-D"], false);
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn find_program(name: &str) -> PathBuf {
    // Without a server the tests are ignored.
    PathBuf::from(option_env!("M1ND_POSTGRES_FOLDER").unwrap_or_default()).join(name)
}

/// The user that the server runs as; it refuses to run as root. `None` for the user of the test.
fn unprivileged_user() -> Option<(u32, u32)> {
    let id = |option: &[&str]| {
        let output = Command::new("id").args(option).output().expect("is run");
        String::from_utf8_lossy(&output.stdout).trim().parse::<u32>().ok()
    };
    if id(&["-u"]) != Some(0) {
        return None;
    }
    let named = |name| Some((id(&["-u", name])?, id(&["-g", name])?));
    named("postgres").or_else(|| named("nobody"))
}

/// A new folder of the server's user. Not in `TMPDIR`, which another user may not be able to enter.
fn create_folder(user: Option<(u32, u32)>) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let base = if user.is_some() { PathBuf::from("/tmp") } else { std::env::temp_dir() };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = base.join(format!("m1nd-pg-{}-{number}", std::process::id()));
    std::fs::create_dir(&folder).expect("is created");
    if let Some((uid, gid)) = user {
        chown(&folder, Some(uid), Some(gid)).expect("is given away");
    }
    folder
}

/// A clone of a repository, and a folder of m1nd of its own.
pub(crate) struct Clone {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) session: Session,
    pub(crate) project: Project,
}

impl Clone {
    pub(crate) fn of(settings: Settings, team: &str, repository: &str, text: &str, patience: Patience) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("clone");
        std::fs::create_dir_all(root.join(".mind")).expect("is created");
        std::fs::write(root.join(".mind/MEMORY.md"), text).expect("is written");
        let home = folder.path().join("home");
        let project = Project::find(&root, &home, Some(repository)).expect("is found");
        let team = team.to_owned();
        let session = Session::new(SessionOptions { home, settings, team, patience, today: TODAY }).expect("starts");
        Self { folder, session, project }
    }

    /// A clone whose owner waits little.
    pub(crate) fn new(server: &Server, login: &str, text: &str) -> Self {
        let patience = Patience { max_attempts: 2, max_time: Duration::from_secs(5) };
        Self::of(server.settings(login), TEAM, REPOSITORY, text, patience)
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(self.project.root().join(".mind/MEMORY.md")).expect("is read")
    }

    pub(crate) fn write(&self, text: &str) {
        std::fs::write(self.project.root().join(".mind/MEMORY.md"), text).expect("is written");
    }
}
