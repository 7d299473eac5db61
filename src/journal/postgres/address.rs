//! The address of a database: the person's setting, the usual variables of PostgreSQL's own programs, and the password file.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use postgres::Config;
use postgres::config::{Host, SslMode};

use super::super::JournalError;
use super::passfile;
use super::tls::Tls;

/// The time that a database is waited for, unless the address says otherwise with `connect_timeout`.
const PATIENCE: Duration = Duration::from_secs(20);
/// The most time for one try to connect.
const ONE_TRY: Duration = Duration::from_secs(10);
/// The silence after which a connection counts as lost.
const SILENCE: Duration = Duration::from_secs(10);

/// An address with all that is needed to connect. It is shown without its password.
pub(in super::super) struct Address {
    pub(super) config: Config,
    pub(super) tls: Tls,
    /// The time for further tries when the database cannot be reached.
    pub(super) patience: Duration,
    shown: String,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Address {
    /// Reads an address, `postgres://USER@HOST:PORT/DATABASE?sslmode=require`; missing parts come from the environment.
    pub(in super::super) fn read(url: &str) -> Result<Address, JournalError> {
        Address::with(url, &|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn with(url: &str, var: &dyn Fn(&str) -> Option<String>) -> Result<Address, JournalError> {
        let wrong = |what: String| JournalError::Address(what);
        let (rest, mut own) = without_own(url);
        let usual: Option<u16> = match var("PGPORT") {
            Some(port) => Some(port.parse().map_err(|_| wrong("PGPORT is not the number of a port".into()))?),
            None => None,
        };
        // The library gives a host without a port the usual one, before anybody can say another.
        let rest = usual.map_or(rest.clone(), |port| with_port(&rest, port));
        // The library's errors on an address name options, and no values.
        let mut config: Config = rest.parse().map_err(|error| wrong(session_words(&error)))?;
        own.mode = own.mode.or_else(|| var("PGSSLMODE"));
        own.roots = own.roots.or_else(|| var("PGSSLROOTCERT"));
        if config.get_ports().is_empty() {
            config.port(usual.unwrap_or(5432));
        }
        let port = config.get_ports().first().copied().unwrap_or(5432);
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            config.host(&var("PGHOST").unwrap_or_else(|| usual_host(port, &SOCKETS)));
        }
        if config.get_user().is_none() {
            let user = var("PGUSER").or_else(|| var("USER"));
            config.user(&user.ok_or_else(|| wrong("it names no user, and neither does PGUSER".into()))?);
        }
        let user = config.get_user().unwrap_or_default().to_owned();
        if config.get_dbname().is_none() {
            config.dbname(&var("PGDATABASE").unwrap_or_else(|| user.clone()));
        }
        let database = config.get_dbname().unwrap_or_default().to_owned();
        if config.get_password().is_none() {
            let file = var("PGPASSFILE").map(PathBuf::from);
            let file = file.or_else(|| Some(Path::new(&var("HOME")?).join(".pgpass")));
            let kept = || passfile::find(&file?, &first_host(&config), port, &database, &user);
            if let Some(password) = var("PGPASSWORD").or_else(kept) {
                config.password(password);
            }
        }
        let tls = own.tls(&config)?;
        config.ssl_mode(if matches!(tls, Tls::Off) { SslMode::Disable } else { SslMode::Require });
        let patience = config.get_connect_timeout().copied().unwrap_or(PATIENCE);
        config.connect_timeout(patience.min(ONE_TRY));
        config
            .tcp_user_timeout(SILENCE)
            .keepalives_idle(SILENCE)
            .keepalives_interval(SILENCE / 5)
            .keepalives_retries(3);
        if config.get_application_name().is_none() {
            config.application_name("masthead");
        }
        let host = match first_host(&config) {
            host if host.contains(':') => format!("[{host}]"),
            host => host,
        };
        Ok(Address { shown: format!("postgres://{user}@{host}:{port}/{database}"), config, tls, patience })
    }
}

/// The address with this port behind each of its hosts that has none, unless a parameter names one.
fn with_port(url: &str, port: u16) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, tail) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (user, hosts) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
    let parameters = tail.split_once('?').map_or("", |(_, parameters)| parameters);
    if hosts.is_empty() || parameters.split('&').any(|one| one.starts_with("port=")) {
        return url.to_owned();
    }
    // The colons of an IPv6 address stand in brackets.
    let has_port = |host: &str| host.rsplit(']').next().is_some_and(|end| end.contains(':'));
    let hosts = hosts.split(',').map(|host| if has_port(host) { host.to_owned() } else { format!("{host}:{port}") });
    format!("{scheme}://{user}{}{tail}", hosts.collect::<Vec<_>>().join(","))
}

/// The words of the library for an error, with its causes.
pub(super) fn session_words(error: &postgres::Error) -> String {
    if let Some(error) = error.as_db_error() {
        let detail = error.hint().or(error.detail()).map_or(String::new(), |detail| format!(" ({detail})"));
        return format!("{}{detail}", error.message());
    }
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        cause = error.source();
    }
    words
}

/// The folders in which servers on this machine have their sockets.
const SOCKETS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// The first of these folders with the socket of a server at this port; this machine by TCP if none has it.
fn usual_host(port: u16, folders: &[&str]) -> String {
    let socket = format!(".s.PGSQL.{port}");
    let folder = folders.iter().find(|folder| Path::new(folder).join(&socket).exists());
    folder.copied().unwrap_or("localhost").into()
}

fn first_host(config: &Config) -> String {
    match (config.get_hosts().first(), config.get_hostaddrs().first()) {
        (Some(Host::Tcp(name)), _) => name.clone(),
        (Some(Host::Unix(path)), _) => path.to_string_lossy().into_owned(),
        (None, Some(address)) => address.to_string(),
        (None, None) => String::new(),
    }
}

/// Options that the library does not read, or reads otherwise.
#[derive(Default)]
struct Own {
    mode: Option<String>,
    roots: Option<String>,
}

impl Own {
    fn tls(self, config: &Config) -> Result<Tls, JournalError> {
        let is_socket = config.get_hosts().iter().any(|host| matches!(host, Host::Unix(_)));
        let is_far = config.get_hosts().iter().any(|host| match host {
            Host::Tcp(name) => !is_loopback(name),
            Host::Unix(_) => false,
        }) || config.get_hostaddrs().iter().any(|address| !address.is_loopback());
        let wrong = |what: &str| Err(JournalError::Address(what.into()));
        match self.mode.as_deref() {
            Some("disable") => Ok(Tls::Off),
            // On this machine there is nobody between.
            None if !is_far => Ok(Tls::Off),
            Some("require" | "verify-ca" | "verify-full") if is_socket => {
                wrong("a local socket has no TLS: leave sslmode out, or name a host")
            }
            None | Some("require" | "verify-ca" | "verify-full") => match self.roots {
                Some(file) if file != "system" => Ok(Tls::By(PathBuf::from(file))),
                _ => Ok(Tls::BySystem),
            },
            Some("prefer" | "allow") => wrong(
                "sslmode prefer and allow would send what runs say unencrypted where a server does not offer TLS: say \
                 sslmode=require, or sslmode=disable if nobody can listen on the way",
            ),
            Some(_) => wrong("its sslmode is none of disable, require, verify-ca and verify-full"),
        }
    }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The address without the options that the library does not read, and those.
fn without_own(url: &str) -> (String, Own) {
    let mut own = Own::default();
    let Some((address, options)) = url.split_once('?') else { return (url.to_owned(), own) };
    let mut rest = Vec::new();
    for option in options.split('&') {
        match option.split_once('=') {
            Some(("sslmode", mode)) => own.mode = Some(mode.to_owned()),
            Some(("sslrootcert", file)) => own.roots = Some(percent_decode_str(file).decode_utf8_lossy().into_owned()),
            _ => rest.push(option),
        }
    }
    match rest.is_empty() {
        true => (address.to_owned(), own),
        false => (format!("{address}?{}", rest.join("&")), own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str, vars: &[(&str, &str)]) -> Result<Address, String> {
        let var = |name: &str| vars.iter().find(|(of, _)| *of == name).map(|(_, value)| (*value).to_owned());
        Address::with(url, &var).map_err(|error| error.to_string())
    }

    #[test]
    fn an_address_is_shown_without_its_password_and_refused_without_it() {
        let address = read("postgres://ada:s3cret@db.example.org/runs", &[]).unwrap();
        assert_eq!(address.to_string(), "postgres://ada@db.example.org:5432/runs");
        assert_eq!(address.config.get_password(), Some(&b"s3cret"[..]));
        for wrong in [
            "postgres://ada:s3cret@db/runs?sslmode=prefer",
            "postgres://ada:s3cret@db/runs?sslmode=maybe",
            "postgres://ada:s3cret@db/runs?sslcert=s3cret",
            "postgres://ada:s3cret@db:s3cret/runs",
            "postgres://ada:s3cret@%2Ftmp/runs?sslmode=require",
        ] {
            let error = read(wrong, &[]).err().expect(wrong);
            assert!(!error.contains("s3cret"), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_local_server_is_reached_by_the_socket_of_its_port() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let names = folders.each_ref().map(|folder| folder.path().to_str().unwrap());
        for (folder, port) in folders.iter().zip([5432, 5433]) {
            std::fs::write(folder.path().join(format!(".s.PGSQL.{port}")), "").unwrap();
        }
        for (port, host) in [(5432, names[0]), (5433, names[1]), (5434, "localhost")] {
            assert_eq!(usual_host(port, &names), host);
        }
    }

    #[test]
    fn what_the_address_leaves_out_comes_from_the_usual_variables() {
        let vars = [("PGUSER", "ada"), ("PGPASSWORD", "pw"), ("PGHOST", "10.0.0.1"), ("PGPORT", "5433")];
        let address = read("postgres://", &vars).unwrap();
        assert_eq!(address.to_string(), "postgres://ada@10.0.0.1:5433/ada");
        assert_eq!(address.config.get_password(), Some(&b"pw"[..]));
        let more = read("postgres://eve:own@h/db", &vars).unwrap();
        assert_eq!(more.config.get_password(), Some(&b"own"[..]), "the address comes first");
        for (url, shown) in [
            ("postgres://eve@h/db", "postgres://eve@h:5433/db"),
            ("postgres://eve:a%40b@[::1]/db?connect_timeout=3", "postgres://eve@[::1]:5433/db"),
            ("postgres://eve@h:5434/db", "postgres://eve@h:5434/db"),
            ("postgres://eve@h", "postgres://eve@h:5433/eve"),
            ("postgres://eve@%2Ftmp/db", "postgres://eve@/tmp:5433/db"),
        ] {
            assert_eq!(read(url, &vars).unwrap().to_string(), shown, "{url}");
        }
        let wrong = read("postgres://eve@h/db", &[("PGPORT", "many")]).err().unwrap();
        assert!(wrong.contains("PGPORT"), "{wrong}");
    }

    #[test]
    fn a_database_elsewhere_is_reached_by_tls_unless_the_address_says_otherwise() {
        for (url, is_off) in [
            ("postgres://a@db.example.org/x", false),
            ("postgres://a@10.0.0.1/x", false),
            ("postgres://a@10.0.0.1/x?sslmode=disable", true),
            ("postgres://a@localhost/x", true),
            ("postgres://a@[::1]/x", true),
            ("postgres://a@localhost/x?sslmode=require", false),
            ("postgres://a@%2Ftmp/x", true),
        ] {
            let address = read(url, &[]).unwrap();
            assert_eq!(matches!(address.tls, Tls::Off), is_off, "{url}");
            assert_eq!(address.config.get_ssl_mode() == SslMode::Disable, is_off, "{url}");
        }
        let own = read("postgres://a@h/x?sslrootcert=%2Fetc%2Fca.pem&connect_timeout=3", &[]).unwrap();
        assert!(matches!(&own.tls, Tls::By(file) if file == Path::new("/etc/ca.pem")));
        assert_eq!(own.patience, Duration::from_secs(3));
    }
}
