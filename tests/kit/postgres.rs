//! A private PostgreSQL server for tests: in a temporary folder, on a port of loopback, gone with the process that started it.

use std::ffi::OsString;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use text::locked::Locked;

/// The password of the user `masthead` of the server.
pub const PASSWORD: &str = "pw-that-nobody-may-see";

/// A server.
pub struct Postgres {
    /// The folder with its programs.
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    /// It ends when its standard input does, and takes the folder along.
    keeper: Mutex<Child>,
    databases: AtomicUsize,
}

/// The script that keeps a server: it ends and is removed with the process at the other end of its input.
const KEEPER: &str = r#"
cd "$1" || exit 1
"$2/initdb" -D data -U masthead -A scram-sha-256 --pwfile=password -E UTF8 --locale=C --no-sync >log 2>&1 || { echo failed; exit 1; }
if openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=masthead-test -keyout ca.key -out ca.pem >>log 2>&1 &&
   openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr >>log 2>&1 &&
   printf 'subjectAltName=DNS:localhost' >names && openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial \
     -days 2 -extfile names -out server.pem >>log 2>&1
then cp server.key server.pem data/ && chmod 600 data/server.key &&
     printf "ssl=on\nssl_cert_file='server.pem'\nssl_key_file='server.key'\n" >>data/postgresql.conf; fi
start() { "$2/pg_ctl" -D data -l log -w -t 60 -o "-p $3 -k '$1' -c listen_addresses=localhost -c fsync=off" start >/dev/null 2>&1; }
stop() { "$2/pg_ctl" -D data -m immediate stop >/dev/null 2>&1; }
start "$@" && echo ready || { echo failed; exit 1; }
while read -r order; do case "$order" in stop) stop "$@";; start) start "$@";; esac; echo done; done
stop "$@"; rm -rf "$1"
"#;

impl Postgres {
    /// The server of this process, started with the first call; None where there is none to start, which is then said.
    pub fn server() -> Option<&'static Postgres> {
        static SERVER: OnceLock<Option<Postgres>> = OnceLock::new();
        SERVER
            .get_or_init(|| match Postgres::start() {
                Ok(server) => Some(server),
                Err(why) => {
                    // Not captured, so that it is seen also where all tests pass.
                    let _ = writeln!(std::io::stderr(), "skipped: the tests on PostgreSQL, because {why}");
                    None
                }
            })
            .as_ref()
    }

    /// Starts another server, for a test that ends it.
    ///
    /// # Errors
    /// The error is the reason why there is none to start.
    pub fn start() -> Result<Postgres, String> {
        let programs = programs().ok_or("there is no initdb on this machine (Debian: apt-get install postgresql)")?;
        let folder = tempfile::Builder::new().prefix("pg-").tempdir().map_err(|error| error.to_string())?;
        let is_root = folder.path().metadata().is_ok_and(|folder| folder.uid() == 0);
        std::fs::write(folder.path().join("password"), PASSWORD).map_err(|error| error.to_string())?;
        let mut keeper = match is_root {
            false => Command::new("sh"),
            true => {
                // The server does not run as root.
                let chown = Command::new("chown").arg("-R").arg("postgres").arg(folder.path()).status();
                if !chown.is_ok_and(|done| done.success()) {
                    return Err("there is no user postgres to run it as".into());
                }
                let mut keeper = Command::new("setpriv");
                keeper.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "sh"]);
                keeper
            }
        };
        let _ = std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755));
        let port = TcpListener::bind(("127.0.0.1", 0)).and_then(|free| free.local_addr());
        let port = port.map_err(|error| error.to_string())?.port();
        let folder = folder.keep();
        keeper.args(["-c", KEEPER, "keeper"]).arg(&folder).arg(&programs).arg(port.to_string());
        keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let keeper = keeper.spawn().map_err(|error| format!("it cannot be started: {error}"))?;
        let (keeper, databases) = (Mutex::new(keeper), AtomicUsize::new(0));
        let server = Postgres { programs, folder, port, keeper, databases };
        match server.answer().as_str() {
            "ready" => Ok(server),
            _ => Err(std::fs::read_to_string(server.folder.join("log")).unwrap_or_default()),
        }
    }

    fn answer(&self) -> String {
        let mut keeper = self.keeper.locked();
        let mut line = Vec::new();
        let out = keeper.stdout.as_mut().expect("its output");
        let mut byte = [0];
        while std::io::Read::read(out, &mut byte).is_ok_and(|n| n > 0) && byte[0] != b'\n' {
            line.push(byte[0]);
        }
        String::from_utf8_lossy(&line).into_owned()
    }

    fn order(&self, order: &str) {
        let mut keeper = self.keeper.locked();
        writeln!(keeper.stdin.as_mut().expect("its input"), "{order}").expect("it listens");
        drop(keeper);
        self.answer();
    }

    /// Ends the server as a crash would; [`Postgres::again`] starts it again.
    pub fn crash(&self) {
        self.order("stop");
    }

    /// Starts the server again.
    pub fn again(&self) {
        self.order("start");
    }

    /// The address of an empty database, with its password.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn database(&self) -> String {
        let name = format!("runs{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        format!("postgres://masthead:{PASSWORD}@localhost:{}/{name}?connect_timeout=3", self.port)
    }

    /// The file with the root of the server's certificate; None where no certificate could be made.
    pub fn root_certificate(&self) -> Option<PathBuf> {
        (self.sql("postgres", "SHOW ssl").trim() == "on").then(|| self.folder.join("ca.pem"))
    }

    /// Runs SQL in the database of this name or address; returns its output.
    ///
    /// # Panics
    /// If it is refused.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        let name = database.rsplit('/').next().unwrap_or(database).split('?').next().unwrap_or_default();
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "localhost", "-U", "masthead", "-d", name]);
        psql.args(["-p", &self.port.to_string(), "-c", sql])
            .stdin(Stdio::null())
            .env("PGPASSWORD", PASSWORD)
            .env("PGSSLMODE", "disable");
        let (code, out, err) = crate::run(&mut psql);
        assert_eq!(code, 0, "{sql}: {err}");
        out
    }
}

/// The folder with the programs of a server: that of the first `initdb` in the path, or Debian's.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::split_paths(&path).map(|folder| folder.join("initdb"));
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut debian: Vec<PathBuf> = versions.map(|version| version.path().join("bin/initdb")).collect();
    debian.sort();
    let mut all = debian.into_iter().rev().chain(named).filter_map(|file| file.canonicalize().ok());
    all.find(|file| is_with_psql(file)).and_then(|file| Some(file.parent()?.to_path_buf()))
}

fn is_with_psql(initdb: &Path) -> bool {
    let beside = |name: &str| initdb.with_file_name(OsString::from(name)).exists();
    ["initdb", "pg_ctl", "psql"].into_iter().all(beside)
}
