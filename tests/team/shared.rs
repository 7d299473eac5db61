//! A journal in a database of several machines: leases, processes that come too late, a server that is gone for a while.

use std::sync::Arc;

use journal::{Claim, Claimed, Headline, Journal, JournalError, Store};
use kit::{PASSWORD, Postgres, until};
use run::event::{Envelope, Event};
use run::{At, RunId, Seq};

fn envelopes(from: u64, to: u64) -> Vec<Envelope> {
    let event = |seq: u64| Event::Attached { version: format!("v{seq}").as_str().into(), worked_until: None };
    (from..=to).map(|seq| Envelope { seq: Seq(seq), at: At(seq as i64), event: event(seq) }).collect()
}

fn run() -> RunId {
    "abcd".parse().unwrap()
}

/// A process of its own, as far as the database can tell.
struct Machine {
    store: Arc<dyn Store>,
    journal: Arc<dyn Journal>,
}

impl Machine {
    fn at(url: &str) -> Machine {
        let store = journal::at(url).unwrap();
        Machine { journal: store.write().unwrap(), store }
    }

    fn claim(&self) -> Option<Claim> {
        match self.store.claim(&run()).unwrap() {
            Claimed::Ours(claim) => Some(claim),
            Claimed::Theirs(_) => None,
        }
    }

    fn append(&self, from: u64, to: u64) -> Result<(), JournalError> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(self.journal.append(&run(), envelopes(from, to), Headline::default()))
    }

    fn heads(&self) -> u64 {
        self.store.read().unwrap().unwrap().runs().unwrap()[0].head.0
    }
}

/// The lease ends as it does when nobody renews it for its time.
const RUNS_OUT: &str = "UPDATE masthead.leases SET until = clock_timestamp()";

#[test]
fn a_run_is_taken_over_once_its_lease_has_run_out_and_the_process_that_lost_it_writes_nothing_more() {
    let Some(server) = Postgres::server() else { return };
    let url = server.database();
    let (first, second) = (Machine::at(&url), Machine::at(&url));
    let _lost = first.claim().unwrap();
    first.append(1, 2).unwrap();
    assert!(second.claim().is_none(), "the lease has not run out");
    server.sql(&url, RUNS_OUT);
    let _taken = second.claim().expect("nobody renewed it");
    let error = first.append(3, 3).unwrap_err();
    assert!(matches!(error, JournalError::TakenOver { .. }), "{error}");
    let process = format!("process {}", std::process::id());
    assert!(error.to_string().contains(&process) && error.to_string().contains("masthead resume"), "{error}");
    second.append(3, 4).unwrap();
    assert!(first.append(5, 5).is_err(), "it never writes again");
    // Also one that has nothing to write is told, as soon as it would renew its lease.
    let told = tokio::runtime::Runtime::new().unwrap().block_on(first.journal.lost(&run()));
    assert!(matches!(told, JournalError::TakenOver { .. }), "{told}");
    assert_eq!(second.heads(), 4);
}

#[test]
fn a_lease_that_ran_out_and_that_nobody_took_is_still_that_of_its_process() {
    let Some(server) = Postgres::server() else { return };
    let url = server.database();
    let machine = Machine::at(&url);
    let claim = machine.claim().unwrap();
    server.sql(&url, RUNS_OUT);
    machine.append(1, 1).unwrap();
    drop(claim);
    assert!(machine.append(2, 2).is_err(), "a run that is not claimed is not written");
}

#[test]
fn a_claim_of_this_process_is_renewed() {
    let Some(server) = Postgres::server() else { return };
    let url = server.database();
    let (first, second) = (Machine::at(&url), Machine::at(&url));
    let _claim = first.claim().unwrap();
    server.sql(&url, "UPDATE masthead.leases SET until = clock_timestamp() + interval '0.1 s'");
    // It is renewed within five seconds by its process; the test ends as soon as that shows.
    let renewed = "SELECT until > clock_timestamp() + interval '5 s' FROM masthead.leases";
    until("the claim is renewed", || server.sql(&url, renewed).trim() == "t");
    assert!(second.claim().is_none());
}

#[test]
fn an_append_waits_for_a_server_that_comes_back_and_fails_in_words_when_it_does_not() {
    let server = match Postgres::start() {
        Ok(server) => server,
        Err(why) => return eprintln!("skipped: {why}"),
    };
    let url = server.database();
    let machine = Machine::at(&url);
    let _claim = machine.claim().unwrap();
    machine.append(1, 2).unwrap();
    server.crash();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| machine.append(3, 4));
        server.again();
        waiting.join().unwrap().unwrap();
    });
    assert_eq!(machine.heads(), 4);
    server.crash();
    let error = machine.append(5, 5).unwrap_err();
    assert!(matches!(error, JournalError::Unreachable { .. }), "{error}");
    let said = error.to_string();
    assert!(said.contains("What was committed is safe") && !said.contains(PASSWORD), "{said}");
    server.again();
    machine.append(5, 5).unwrap();
    assert_eq!(machine.heads(), 5);
}

#[test]
fn an_append_that_the_server_undid_for_the_sake_of_others_is_made_again() {
    let Some(server) = Postgres::server() else { return };
    let url = server.database();
    let machine = Machine::at(&url);
    let _claim = machine.claim().unwrap();
    machine.append(1, 1).unwrap();
    // A conflict of transactions, a deadlock, a statement that took too long and a lock that did not come, one after the other: the
    // count of a sequence is not undone.
    server.sql(
        &url,
        "CREATE SEQUENCE masthead.tries;
         CREATE FUNCTION masthead.undo() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             CASE nextval('masthead.tries')
                 WHEN 1 THEN RAISE SQLSTATE '40001';
                 WHEN 2 THEN RAISE SQLSTATE '40P01';
                 WHEN 3 THEN RAISE SQLSTATE '57014';
                 WHEN 4 THEN RAISE SQLSTATE '55P03';
                 ELSE RETURN NEW;
             END CASE;
         END $$;
         CREATE TRIGGER undo BEFORE UPDATE ON masthead.runs FOR EACH ROW EXECUTE FUNCTION masthead.undo()",
    );
    machine.append(2, 3).unwrap();
    assert_eq!(server.sql(&url, "SELECT last_value FROM masthead.tries").trim(), "5");
    assert_eq!(machine.heads(), 3);
}

#[test]
fn a_wrong_password_and_a_database_that_is_not_there_are_said_without_the_password() {
    let Some(server) = Postgres::server() else { return };
    let url = server.database();
    for (wrong, says) in [
        (url.replace(PASSWORD, "another-secret"), "password authentication failed"),
        (url.replace("/runs", "/none"), "does not exist"),
    ] {
        let error = journal::at(&wrong).unwrap().read().err().expect("refused").to_string();
        assert!(error.contains(says), "{error}");
        assert!(!error.contains(PASSWORD) && !error.contains("another-secret"), "{error}");
    }
}

#[test]
fn a_journal_of_a_newer_version_is_refused() {
    let Some(server) = Postgres::server() else { return };
    let url = server.database();
    drop(Machine::at(&url));
    server.sql(&url, "UPDATE masthead.journal SET version = 99");
    let store = journal::at(&url).unwrap();
    assert!(matches!(store.write(), Err(JournalError::Newer { found: 99, .. })));
    assert!(matches!(store.read(), Err(JournalError::Newer { .. })));
}

#[test]
fn a_connection_that_is_to_be_encrypted_is_or_is_refused() {
    let Some(server) = Postgres::server() else { return };
    let Some(root) = server.root_certificate() else {
        return eprintln!("skipped: there is no openssl to make a certificate");
    };
    let url = server.database();
    let at = |more: &str| journal::at(&format!("{url}&{more}")).unwrap();
    let by_root = format!("sslmode=require&sslrootcert={}", root.display());
    let open = at(&by_root);
    open.write().unwrap();
    let encrypted = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                     WHERE datname = current_database() AND application_name = 'masthead'";
    assert_eq!(server.sql(&url, encrypted).trim(), "t");
    let error = at("sslmode=require").write().err().expect("its root is no root of the system").to_string();
    assert!(error.contains("certificate"), "{error}");
    let another = by_root.replace("ca.pem", "server.csr");
    assert!(at(&another).write().is_err(), "no certificate is in that file");
}
