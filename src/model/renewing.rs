//! An endpoint whose key the user's command renews: tokens of many providers end after an hour. The command runs before an
//! attempt, never in the midst of one.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use super::endpoint::Endpoint;
use run::attempt::{Class, Fault};
use text::Clean;
use text::locked::Locked;

/// A key younger than this that was never accepted was not refused for its age.
const YOUNG: Duration = Duration::from_secs(60);

/// An endpoint, and the state of its key.
#[derive(Debug)]
pub struct Renewing {
    current: Mutex<Current>,
    /// Held while the command runs: all others wait for its key.
    renewal: tokio::sync::Mutex<()>,
}

#[derive(Clone, Debug)]
struct Current {
    endpoint: Arc<Endpoint>,
    /// Whether the provider has accepted its key.
    worked: bool,
    /// Whether the provider has refused its key.
    refused: bool,
}

impl Renewing {
    /// An endpoint, of whose key nothing is known yet.
    pub fn new(endpoint: Endpoint) -> Renewing {
        Renewing { current: Mutex::new(Current::of(endpoint)), renewal: tokio::sync::Mutex::default() }
    }

    /// The endpoint, perhaps with a key that was refused.
    pub fn now(&self) -> Arc<Endpoint> {
        self.current().endpoint.clone()
    }

    /// The endpoint, with another key if the command can print one in place of a refused one.
    ///
    /// # Errors
    /// The command printed no key.
    pub async fn renewed(&self) -> Result<Arc<Endpoint>, Fault> {
        let _renewal = self.renewal.lock().await;
        let Current { endpoint, refused, .. } = self.current().clone();
        let Some((command, _)) = endpoint.key_command.clone().filter(|_| refused) else { return Ok(endpoint) };
        let runs = {
            let command = command.clone();
            tokio::task::spawn_blocking(move || command.renewed()).await
        };
        let printed = runs.unwrap_or_else(|error| Err(format!("the command for the key could not be run: {error}")));
        let printed = printed.map_err(|why| Fault::before_sending(Class::KeyRefused, Clean::new(&why)))?;
        let mut endpoint = Endpoint::clone(&endpoint);
        endpoint.has_key_of(&command, printed);
        *self.current() = Current::of(endpoint);
        Ok(self.now())
    }

    /// Takes note that the provider has accepted the key of this endpoint.
    pub fn accepted(&self, used: &Arc<Endpoint>) {
        let mut current = self.current();
        current.worked |= Arc::ptr_eq(used, &current.endpoint);
    }

    /// Takes note that an attempt with this endpoint has failed. If its key was refused after it had worked, or for its age, the
    /// fault is one after which another attempt has another key.
    pub fn failed(&self, used: &Arc<Endpoint>, fault: Fault) -> Fault {
        if fault.class != Class::KeyRefused {
            return fault;
        }
        let mut current = self.current();
        let Some((command, at)) = &used.key_command else { return fault };
        let is_renewed = !Arc::ptr_eq(used, &current.endpoint);
        let has_ended = current.worked || at.elapsed() >= YOUNG;
        current.refused |= !is_renewed;
        if !is_renewed && !has_ended {
            return fault;
        }
        let name = Clean::line(&used.profile.name);
        let what = format!("{name} no longer takes the key: api_key_cmd `{}` is run for another.", command.program());
        Fault { class: Class::KeyEnded, what: what.into(), ..fault }
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.locked()
    }
}

impl Current {
    fn of(endpoint: Endpoint) -> Current {
        Current { endpoint: Arc::new(endpoint), worked: false, refused: false }
    }
}
