//! A few threads for blocking work, one piece after another, first come, first served.
//!
//! A thread that finishes a piece takes the next one, because waking another costs as much as a short piece of work.
//! The threads belong to the runtime, and return to it when no work is left.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use text::locked::Locked;

use tokio::sync::oneshot;

type Work = Box<dyn FnOnce() + Send>;

#[derive(Clone)]
pub(super) struct Threads {
    most: usize,
    queue: Arc<Mutex<Queue>>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Work>,
    at_work: usize,
}

impl Threads {
    /// At most this many threads at once.
    pub fn new(most: usize) -> Threads {
        Threads { most, queue: Arc::default() }
    }

    /// The result of this work; None if it panics. Work that nobody waits for any more is not started.
    pub async fn outcome_of<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (sender, receiver) = oneshot::channel();
        self.queue_up(Box::new(move || {
            if !sender.is_closed() {
                let _ = sender.send(work());
            }
        }));
        receiver.await.ok()
    }

    fn queue_up(&self, work: Work) {
        let mut queue = self.queue();
        queue.waiting.push_back(work);
        if queue.at_work < self.most {
            queue.at_work += 1;
            let threads = self.clone();
            tokio::task::spawn_blocking(move || {
                while let Some(work) = threads.next() {
                    // Work in the queue must not wait for ever.
                    if catch_unwind(AssertUnwindSafe(work)).is_err() {
                        tracing::error!("a tool stopped with a fault");
                    }
                }
            });
        }
    }

    /// The next piece of work for a thread; None ends the thread.
    fn next(&self) -> Option<Work> {
        let mut queue = self.queue();
        let next = queue.waiting.pop_front();
        queue.at_work -= usize::from(next.is_none());
        next
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.locked()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;
    use std::task::{Context, Waker};

    use super::*;

    #[tokio::test]
    async fn work_that_panics_has_no_outcome_and_keeps_nothing_else_waiting() {
        let threads = Threads::new(1);
        let broken = threads.outcome_of(|| panic!("a fault"));
        let whole = threads.outcome_of(|| 1);
        assert_eq!(tokio::join!(broken, whole), (None::<u8>, Some(1)));
        assert_eq!(threads.outcome_of(|| 2).await, Some(2));
    }

    #[tokio::test]
    async fn work_that_is_given_up_while_it_waits_is_not_begun() {
        let threads = Threads::new(1);
        let (let_go, is_let_go) = mpsc::channel::<()>();
        let mut first = Box::pin(threads.outcome_of(move || is_let_go.recv().is_ok()));
        let begun = Arc::new(AtomicBool::new(false));
        let begins = begun.clone();
        let mut given_up = Box::pin(threads.outcome_of(move || begins.store(true, Ordering::SeqCst)));
        let mut context = Context::from_waker(Waker::noop());
        assert!(first.as_mut().poll(&mut context).is_pending());
        assert!(given_up.as_mut().poll(&mut context).is_pending());
        drop(given_up);
        let_go.send(()).unwrap();
        assert_eq!(first.await, Some(true));
        assert_eq!(threads.outcome_of(|| 3).await, Some(3));
        assert!(!begun.load(Ordering::SeqCst), "nobody waited for it");
    }
}
