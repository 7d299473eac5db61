//! Leases on runs: a row a run, with a token that no other lease ever had. They end by the clock of the database, unless they
//! are renewed; one that has ended can be taken by another process, which gives it another token.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use text::locked::Locked;

use postgres::Client;

use super::super::JournalError;
use super::super::store::{Claim, Claimed, Worker};
use super::address::Address;
use super::session::{DatabaseError, Session};
use tokio::sync::watch;

use run::RunId;

/// The duration of a lease that is not renewed, in seconds.
const LASTS: f64 = 15.0;
/// The time between two renewals.
const RENEWED: Duration = Duration::from_secs(5);
/// The most time to wait until a lease is given back.
const GIVING_BACK: Duration = Duration::from_secs(2);

/// The tokens of the runs that this process has claimed.
pub(super) type HeldLeases = Arc<Mutex<BTreeMap<RunId, i64>>>;

/// The runs that this process had claimed and that another process has taken, with that process.
pub(super) type Lost = watch::Receiver<BTreeMap<RunId, Worker>>;

/// The leases of a process, and the thread that takes, renews and returns them. It is started with the first.
pub(super) struct Leases {
    address: Arc<Address>,
    held: HeldLeases,
    lost: watch::Sender<BTreeMap<RunId, Worker>>,
    orders: Mutex<Option<mpsc::Sender<Order>>>,
}

enum Order {
    Take(RunId, mpsc::Sender<Result<Taken, JournalError>>),
    GiveBack(i64, mpsc::Sender<()>),
}

enum Taken {
    Ours(i64),
    Theirs(Worker),
}

impl Leases {
    pub(super) fn of(address: Arc<Address>) -> Leases {
        Leases { address, held: HeldLeases::default(), lost: watch::Sender::default(), orders: Mutex::new(None) }
    }

    pub(super) fn held(&self) -> HeldLeases {
        self.held.clone()
    }

    pub(super) fn lost(&self) -> Lost {
        self.lost.subscribe()
    }

    /// Takes the lease on a run, unless another process has it.
    pub(super) fn take(&self, run: &RunId) -> Result<Claimed, JournalError> {
        let other = |what: String| JournalError::Other { place: self.address.to_string(), what };
        let orders = self.orders().map_err(|error| other(error.to_string()))?;
        let (told, taken) = mpsc::channel();
        let _ = orders.send(Order::Take(run.clone(), told));
        match taken.recv().map_err(|_| other("the thread for leases has ended".into()))?? {
            Taken::Theirs(worker) => Ok(Claimed::Theirs(worker)),
            Taken::Ours(token) => {
                self.lost.send_modify(|lost| drop(lost.remove(run)));
                lock(&self.held).insert(run.clone(), token);
                Ok(Claimed::Ours(Claim::leases(Lease { run: run.clone(), token, held: self.held(), orders })))
            }
        }
    }

    /// The token of a run that this process has claimed.
    pub(super) fn token(&self, run: &RunId) -> Option<i64> {
        lock(&self.held).get(run).copied()
    }

    fn orders(&self) -> std::io::Result<mpsc::Sender<Order>> {
        let mut orders = self.orders.locked();
        if let Some(orders) = &*orders {
            return Ok(orders.clone());
        }
        let (sender, asked) = mpsc::channel();
        let (session, held, lost) = (Session::to(self.address.clone()), self.held(), self.lost.clone());
        thread::Builder::new().name("journal: leases".into()).spawn(move || keep(session, &held, &lost, &asked))?;
        Ok(orders.insert(sender).clone())
    }
}

fn lock(held: &HeldLeases) -> std::sync::MutexGuard<'_, BTreeMap<RunId, i64>> {
    held.locked()
}

/// A lease; it is given back when this is dropped.
struct Lease {
    run: RunId,
    token: i64,
    held: HeldLeases,
    orders: mpsc::Sender<Order>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut held = lock(&self.held);
        if held.get(&self.run) == Some(&self.token) {
            held.remove(&self.run);
        }
        drop(held);
        let (told, done) = mpsc::channel();
        if self.orders.send(Order::GiveBack(self.token, told)).is_ok() {
            // One that cannot be given back ends by itself.
            let _ = done.recv_timeout(GIVING_BACK);
        }
    }
}

/// Carries out orders, and renews the leases that are held.
fn keep(
    mut session: Session,
    held: &HeldLeases,
    lost: &watch::Sender<BTreeMap<RunId, Worker>>,
    orders: &mpsc::Receiver<Order>,
) {
    let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let mut renewed = Instant::now();
    loop {
        match orders.recv_timeout(RENEWED.saturating_sub(renewed.elapsed())) {
            Ok(Order::Take(run, told)) => {
                let taken = session.with(|client, _| take(client, &run, &machine));
                if let Err(mpsc::SendError(Ok(Taken::Ours(token)))) = told.send(taken) {
                    let _ = session.with(|client, _| give_back(client, token));
                }
            }
            Ok(Order::GiveBack(token, told)) => {
                let _ = session.with(|client, _| give_back(client, token));
                let _ = told.send(());
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
        }
        if renewed.elapsed() >= RENEWED {
            let claimed = lock(held).clone();
            if !claimed.is_empty() {
                // If it fails it is tried again in time.
                let taken = session.with(|client, _| renew(client, &claimed)).unwrap_or_default();
                if !taken.is_empty() {
                    lost.send_modify(|lost| lost.extend(taken));
                }
            }
            renewed = Instant::now();
        }
    }
}

fn take(client: &mut Client, run: &RunId, machine: &str) -> Result<Taken, DatabaseError> {
    let process = i64::from(std::process::id());
    let run = run.as_str();
    let take = "INSERT INTO masthead.leases AS held (run, token, machine, process, until) \
                VALUES ($1, nextval('masthead.lease_tokens'), $2, $3, clock_timestamp() + make_interval(secs => $4)) \
                ON CONFLICT (run) DO UPDATE SET token = excluded.token, machine = excluded.machine, \
                process = excluded.process, until = excluded.until WHERE held.until <= clock_timestamp() \
                RETURNING token";
    if let Some(row) = client.query_opt(take, &[&run, &machine, &process, &LASTS])? {
        return Ok(Taken::Ours(row.get(0)));
    }
    Ok(Taken::Theirs(holder(client, run)?.unwrap_or_default()))
}

/// The process that has or had the lease on a run; None if there never was one.
pub(super) fn holder(client: &mut impl postgres::GenericClient, run: &str) -> Result<Option<Worker>, DatabaseError> {
    let row = client.query_opt("SELECT machine, process FROM masthead.leases WHERE run = $1", &[&run])?;
    Ok(row.map(|row| Worker { machine: row.get(0), process: u32::try_from(row.get::<_, i64>(1)).ok() }))
}

/// Renews leases; returns the runs whose lease another process has taken.
fn renew(client: &mut Client, claimed: &BTreeMap<RunId, i64>) -> Result<BTreeMap<RunId, Worker>, DatabaseError> {
    let tokens: Vec<i64> = claimed.values().copied().collect();
    let renew = "UPDATE masthead.leases SET until = clock_timestamp() + make_interval(secs => $2) \
                 WHERE token = ANY ($1) RETURNING token";
    let renewed = client.query(renew, &[&tokens, &LASTS])?;
    let renewed: Vec<i64> = renewed.iter().map(|row| row.get(0)).collect();
    let mut taken = BTreeMap::new();
    for (run, _) in claimed.iter().filter(|(_, token)| !renewed.contains(token)) {
        taken.insert(run.clone(), holder(client, run.as_str())?.unwrap_or_default());
    }
    Ok(taken)
}

fn give_back(client: &mut Client, token: i64) -> Result<(), DatabaseError> {
    client.execute("UPDATE masthead.leases SET until = '-infinity' WHERE token = $1", &[&token])?;
    Ok(())
}

/// Whether a process has the lease on a run now.
pub(super) fn is_held(client: &mut Client, run: &str) -> Result<bool, DatabaseError> {
    let held = "SELECT EXISTS (SELECT FROM masthead.leases WHERE run = $1 AND until > clock_timestamp())";
    match client.query_one(held, &[&run]).map_err(DatabaseError::from) {
        Ok(row) => Ok(row.get(0)),
        Err(failed) if failed.is_without_tables() => Ok(false),
        Err(failed) => Err(failed),
    }
}
