//! A journal of several machines, with the real binary: processes with a data folder each, and one database.

use std::path::Path;
use std::process::{Command, Stdio};

use kit::model_server::{Does, Order};
use kit::{ModelServer, PASSWORD, Postgres, example, run, until};
use serde_json::Value;

use crate::binary::Watching;

/// A machine of its own: another home, the same models, the same database.
struct Machine {
    home: tempfile::TempDir,
    url: String,
}

impl Machine {
    fn new(url: &str, models: &ModelServer) -> Machine {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".config/masthead");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), models.config("mine")).unwrap();
        Machine { home, url: url.to_owned() }
    }

    fn masthead(&self, args: &[&str]) -> Command {
        let mut command = crate::masthead(self.home.path());
        command.env("MASTHEAD_LOG", "trace").env("MASTHEAD_JOURNAL", &self.url).args(args);
        command
    }

    /// Its exit code and all it printed, in which there is no password.
    fn does(&self, args: &[&str]) -> (i32, String) {
        let (code, out, err) = run(&mut self.masthead(args));
        let said = out + &err;
        assert!(!said.contains(PASSWORD), "{args:?}: {said}");
        (code, said)
    }

    /// Begins a brief by models.
    fn begins(&self) -> Watching {
        let ask = ["brief", "Compare the trade-offs of pgvector, Qdrant and Pinecone", "--headless", "--yes"];
        let mut command = self.masthead(&ask);
        command.args(["--model", "mine/large", "--sources"]).arg(example("vector-databases"));
        Watching::start(command.stdin(Stdio::null()))
    }

    /// The only run in its list.
    fn listed(&self) -> Value {
        let (code, said) = self.does(&["runs", "--json"]);
        assert_eq!(code, 0, "{said}");
        serde_json::from_str(said.lines().next().expect("a run")).unwrap()
    }

    /// No file that it wrote has the password in it, or is a journal of its own.
    fn keeps_no_secret(&self) {
        let mut folders = vec![self.home.path().join("data")];
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                assert!(!path.ends_with("journal.db"), "there is a journal of its own");
                match path.is_dir() {
                    true => folders.push(path),
                    false => {
                        let bytes = std::fs::read(&path).unwrap();
                        assert!(!String::from_utf8_lossy(&bytes).contains(PASSWORD), "{}", path.display());
                    }
                }
            }
        }
    }
}

/// Waits until a model was asked by a specialist of this role.
fn asked_by(models: &ModelServer, role: &str) {
    until(&format!("a question of the {role}"), || models.asked().iter().any(|question| question.role == role));
}

/// The requests that were made more than once, with how often.
fn repeated(models: &ModelServer) -> Vec<(&'static str, usize)> {
    let asked = models.asked();
    let times = |n: usize| asked.iter().filter(|other| other.body == asked[n].body).count();
    let first = |n: &usize| !asked[..*n].iter().any(|earlier| earlier.body == asked[*n].body);
    (0..asked.len()).filter(first).map(|n| (asked[n].role, times(n))).filter(|(_, times)| *times > 1).collect()
}

fn signal(process: &Watching, signal: &str) {
    assert!(Command::new("kill").args([signal, &process.child.id().to_string()]).status().unwrap().success());
}

/// The lease ends as it does when nobody renews it for its time.
const RUNS_OUT: &str = "UPDATE masthead.leases SET until = clock_timestamp()";

#[test]
fn a_run_whose_machine_died_in_a_call_is_watched_from_another_and_taken_over_and_no_call_is_made_twice_unasked() {
    let Some(server) = Postgres::server() else { return };
    let (url, models) = (server.database(), ModelServer::start(&["large"]));
    let (here, there) = (Machine::new(&url, &models), Machine::new(&url, &models));
    models.order(Order::model("large", Does::Stalls).of("writer").times(1));
    let mut first = here.begins();
    asked_by(&models, "writer");
    let row = there.listed();
    assert_eq!((&row["active"], &row["state"]), (&true.into(), &"writing".into()), "{row}");
    let mut watching = Watching::start(&mut there.masthead(&["resume", "last", "--headless", "--yes"]));
    watching.says(&format!("being worked on by process {} on ", first.child.id()));
    signal(&first, "-KILL");
    first.child.wait().unwrap();
    let asked = models.asked().len();
    server.sql(&url, RUNS_OUT);
    watching.says("this one goes on with it");
    let (code, told) = watching.ends();
    assert_eq!(code, 4, "it waits for the person: {told}");
    assert!(told.contains("planner") && told.contains("researcher"), "what was done is told live: {told}");
    assert_eq!(models.asked().len(), asked, "the call in doubt is not made again unasked");
    let (code, told) = there.does(&["resume", "last", "--headless", "--yes", "--in-doubt", "retry"]);
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("\n# "), "{told}");
    assert_eq!(repeated(&models), [("writer", 2)], "only what the person said to do again");
    assert_eq!(there.does(&["journal", "verify"]).0, 0);
    assert_eq!(here.does(&["export", "last"]).0, 0, "the first machine has the brief as well");
    let (_, dumped) = here.does(&["journal", "dump"]);
    assert_eq!(dumped, there.does(&["journal", "dump"]).1);
    here.keeps_no_secret();
    there.keeps_no_secret();
}

#[test]
fn a_process_that_was_suspended_until_another_took_its_run_over_stops_and_says_so() {
    let Some(server) = Postgres::server() else { return };
    let (url, models) = (server.database(), ModelServer::start(&["large"]));
    let (here, there) = (Machine::new(&url, &models), Machine::new(&url, &models));
    models.order(Order::model("large", Does::Stalls).of("writer").times(1));
    let mut first = here.begins();
    asked_by(&models, "writer");
    signal(&first, "-STOP");
    server.sql(&url, RUNS_OUT);
    let (code, told) = there.does(&["resume", "last", "--headless", "--yes", "--in-doubt", "retry"]);
    assert_eq!(code, 0, "{told}");
    let (_, dumped) = there.does(&["journal", "dump"]);
    signal(&first, "-CONT");
    first.says("was taken over by process");
    assert_eq!(first.ends().0, 74);
    assert_eq!(there.does(&["journal", "dump"]).1, dumped, "it wrote nothing more");
    assert_eq!(repeated(&models), [("writer", 2)]);
    assert_eq!(there.does(&["journal", "verify"]).0, 0);
}

#[test]
fn a_run_whose_database_is_gone_stops_before_it_asks_anything_more_and_goes_on_when_it_is_back() {
    let server = match Postgres::start() {
        Ok(server) => server,
        Err(why) => return eprintln!("skipped: {why}"),
    };
    let (url, models) = (server.database(), ModelServer::start(&["large"]));
    let here = Machine::new(&url, &models);
    models.order(Order::model("large", Does::Stalls).of("planner").times(1));
    let first = here.begins();
    asked_by(&models, "planner");
    server.crash();
    // It cannot record its next step.
    signal(&first, "-INT");
    let (code, told) = first.ends();
    assert_ne!(code, 0, "{told}");
    assert_eq!(models.asked().len(), 1, "nothing is asked that is not recorded first");
    let (code, told) = here.does(&["runs"]);
    assert!(code == 74 && told.contains("cannot be used for now"), "{code}: {told}");
    let mut second = Watching::start(&mut here.masthead(&["resume", "last", "--headless", "--yes"]));
    second.says("cannot be used for now");
    assert_eq!(second.ends().0, 74);
    server.again();
    server.sql(&url, RUNS_OUT);
    let (code, told) = here.does(&["resume", "last", "--headless", "--yes", "--in-doubt", "retry"]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(here.does(&["journal", "verify"]).0, 0);
}

#[test]
fn the_journal_is_shown_everywhere_without_its_password() {
    let Some(server) = Postgres::server() else { return };
    let (url, models) = (server.database(), ModelServer::start(&["large"]));
    let here = Machine::new(&url, &models);
    let shown = url.replace(&format!(":{PASSWORD}"), "").split('?').next().unwrap().to_owned();
    let (code, told) = here.does(&["config"]);
    assert!(code == 0 && told.contains(&shown) && told.contains("MASTHEAD_JOURNAL"), "{told}");
    let (_, told) = here.does(&["doctor"]);
    assert!(told.contains(&format!("Journal             {shown}, 0 runs")), "{told}");
    for args in [
        &["--help"][..],
        &["runs"],
        &["resume", "zzzz"],
        &["journal", "verify"],
        &["runs", "zzzz", "--delete"],
        &["doctor", &url],
    ] {
        here.does(args);
    }
    for wrong in ["?sslmode=prefer", "?sslmode=require", "?nonsense=1", ":99999999/x", "x"] {
        let url = url.replace("?connect_timeout=3", wrong);
        let (code, told) = Machine { url, home: tempfile::tempdir().unwrap() }.does(&["runs"]);
        assert!(code != 0 && told.contains("the journal"), "{wrong}: {told}");
    }
}

#[test]
fn the_password_may_come_from_the_usual_places_in_place_of_the_address() {
    use std::os::unix::fs::PermissionsExt;
    let Some(server) = Postgres::server() else { return };
    let url = server.database();
    let home = tempfile::tempdir().unwrap();
    let bare = url.replace(&format!(":{PASSWORD}"), "");
    let runs = |home: &Path, vars: &[(&str, &str)]| {
        run(crate::masthead(home).envs(vars.iter().copied()).args(["--journal", &bare, "runs"])).0
    };
    assert_ne!(runs(home.path(), &[]), 0, "the server wants one");
    let (code, _, err) = run(crate::masthead(home.path()).args(["--journal", &url, "runs"]));
    assert!(code == 0 && err.contains("list of processes") && !err.contains(PASSWORD), "{err}");
    assert_eq!(runs(home.path(), &[("PGPASSWORD", PASSWORD)]), 0);
    let file = home.path().join(".pgpass");
    std::fs::write(&file, format!("*:*:*:masthead:{PASSWORD}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(runs(home.path(), &[]), 0);
    let folder = home.path().join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), format!("journal = \"{bare}\"\n")).unwrap();
    let (code, out, _) = run(crate::masthead(home.path()).arg("config"));
    assert!(code == 0 && out.lines().any(|line| line.contains("postgres://") && line.contains("config.toml")), "{out}");
}
