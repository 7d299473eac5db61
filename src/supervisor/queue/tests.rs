use proptest::prelude::*;

use super::*;

/// One assignment of a schedule that is played without a run: it arrives, needs some turns, and is given them.
#[derive(Clone, Debug)]
struct Job {
    priority: Priority,
    deadline: Option<u64>,
    arrives: u64,
    turns: u32,
    taken: u32,
    /// The time at which the turn under way comes back.
    back: Option<u64>,
    ready: u64,
    waited: u64,
}

impl Job {
    fn new(priority: Priority, arrives: u64, turns: u32) -> Job {
        Job { priority, deadline: None, arrives, turns, taken: 0, back: None, ready: arrives, waited: 0 }
    }

    fn is_done(&self) -> bool {
        self.taken == self.turns && self.back.is_none()
    }

    fn rank(&self, n: usize, now: u64) -> Rank {
        Rank {
            below: std::cmp::Reverse(level(self.priority, self.waited + (now - self.ready))),
            fresh: self.taken == 0,
            deadline: self.deadline.unwrap_or(u64::MAX),
            id: AssignmentId::nth(n as u32),
        }
    }
}

/// The course of a schedule.
#[derive(Debug, Default)]
struct Played {
    /// The time at which each job was done.
    done: Vec<u64>,
    /// The assignments that took a turn, in order.
    turns: Vec<usize>,
    /// The number of times that the second went on in the place of the first, which had begun.
    changes: BTreeMap<(usize, usize), u64>,
    /// The time that each waited in all.
    waited: Vec<u64>,
}

/// Each turn takes `turn` ms of work; `slots` work at a time.
fn play(jobs: &mut [Job], slots: usize, turn: u64) -> Played {
    let mut played = Played { done: vec![u64::MAX; jobs.len()], ..Played::default() };
    let mut now = 0;
    for _ in 0..200_000 {
        for (n, job) in jobs.iter_mut().enumerate() {
            if job.back.is_some_and(|back| back <= now) {
                (job.back, job.ready) = (None, now);
                if job.is_done() {
                    played.done[n] = now;
                }
            }
        }
        let busy = jobs.iter().filter(|job| job.back.is_some()).count();
        let waiting: Vec<usize> = (0..jobs.len())
            .filter(|n| jobs[*n].arrives <= now && jobs[*n].back.is_none() && !jobs[*n].is_done())
            .collect();
        let places = Places { free: slots - busy, of: BTreeMap::new() };
        let chosen = choose(waiting.clone(), places, |n| jobs[*n].rank(*n, now), |_| None);
        assert!(busy + chosen.len() == slots || chosen.len() == waiting.len(), "a place is empty, and somebody waits");
        // One that has just had a turn gives its place up to those that had none, not to those that go on beside it.
        let had_a_place = |n: &usize| jobs[*n].ready == now && jobs[*n].taken > 0;
        for passed in waiting.iter().filter(|n| !chosen.contains(n) && had_a_place(n)) {
            for by in chosen.iter().filter(|by| !had_a_place(by)) {
                *played.changes.entry((*passed, *by)).or_default() += 1;
            }
        }
        for n in chosen {
            let job = &mut jobs[n];
            job.waited += now - job.ready;
            (job.ready, job.taken, job.back) = (now, job.taken + 1, Some(now + turn));
            played.turns.push(n);
        }
        if jobs.iter().all(Job::is_done) {
            played.waited = jobs.iter().map(|job| job.waited).collect();
            return played;
        }
        let backs = jobs.iter().filter_map(|job| job.back);
        let arrivals = jobs.iter().map(|job| job.arrives).filter(|arrives| *arrives > now);
        now = backs.chain(arrivals).min().expect("something happens next");
    }
    panic!("it comes to no end");
}

#[test]
fn who_comes_first_is_a_matter_of_priority_then_of_having_begun_then_of_the_deadline_then_of_the_order() {
    let rank = |priority, waited, fresh, deadline: Option<u64>, id| Rank {
        below: std::cmp::Reverse(level(priority, waited)),
        fresh,
        deadline: deadline.unwrap_or(u64::MAX),
        id: AssignmentId::nth(id),
    };
    use Priority::{High, Low, Normal};
    for (first, second, why) in [
        (rank(High, 0, true, None, 9), rank(Normal, 0, false, Some(1), 1), "a higher priority"),
        (rank(Normal, 0, false, None, 9), rank(Normal, 0, true, Some(1), 1), "it has begun"),
        (rank(Normal, 0, true, Some(5), 9), rank(Normal, 0, true, Some(6), 1), "an earlier deadline"),
        (rank(Normal, 0, true, Some(5), 9), rank(Normal, 0, true, None, 1), "a deadline at all"),
        (rank(Normal, 0, true, None, 1), rank(Normal, 0, true, None, 9), "opened first"),
        (rank(Low, AGEING, true, None, 1), rank(Normal, 0, true, None, 9), "it has waited a span"),
        (rank(Low, 3 * AGEING, true, None, 9), rank(High, 0, false, Some(1), 1), "it has waited three spans"),
        (rank(High, 0, true, None, 9), rank(Normal, AGEING - 1, false, None, 1), "the other has not waited enough"),
    ] {
        assert!(first < second, "{why}");
    }
}

#[test]
fn a_high_one_takes_the_place_of_a_begun_low_one_at_its_turn_boundary_and_gives_it_back() {
    let mut jobs = vec![Job::new(Priority::Low, 0, 4), Job::new(Priority::High, 500, 2)];
    let played = play(&mut jobs, 1, 1_000);
    assert_eq!(played.turns, [0, 1, 1, 0, 0, 0], "the turn under way came back first, and nothing was done twice");
    assert_eq!(played.changes, BTreeMap::from([((0, 1), 1)]));
}

#[test]
fn equals_do_not_take_each_others_place_before_they_have_waited_a_span() {
    let mut jobs: Vec<Job> = (0..20).map(|_| Job::new(Priority::Normal, 0, 3)).collect();
    let played = play(&mut jobs, 4, 1_000);
    assert!(played.changes.is_empty(), "{:?}", played.changes);
    // In the order in which they were opened.
    assert!(played.done.is_sorted(), "{:?}", played.done);
}

#[test]
fn a_low_one_is_not_starved_by_high_ones_that_keep_coming() {
    let mut jobs = vec![Job::new(Priority::Low, 0, 2)];
    // One every second, each of which takes three: without ageing the first would be the last.
    jobs.extend((0..2_000).map(|n| Job::new(Priority::High, n * 1_000, 3)));
    let played = play(&mut jobs, 1, 1_000);
    let last_before = played.turns.iter().take_while(|n| **n != 0).max().copied().unwrap();
    assert!(jobs[last_before].arrives < 3 * AGEING, "{last_before} came later, and began before it");
    assert!(played.done[0] < played.done[1_000]);
}

fn priority() -> impl Strategy<Value = Priority> {
    prop_oneof![Just(Priority::Low), Just(Priority::Normal), Just(Priority::High)]
}

fn jobs(most: usize) -> impl Strategy<Value = Vec<Job>> {
    let job = (priority(), 0..600_000u64, 1..6u32, proptest::option::of(0..900_000u64));
    let job =
        job.prop_map(|(priority, arrives, turns, deadline)| Job { deadline, ..Job::new(priority, arrives, turns) });
    proptest::collection::vec(job, 1..most)
}

proptest! {
    #[test]
    fn everyone_is_done_in_the_end_and_no_place_is_left_empty_that_somebody_waits_for(
        mut jobs in jobs(40), slots in 1..5usize, turn in 1_000..50_000u64,
    ) {
        let work = |job: &Job| u64::from(job.turns) * turn;
        let longest = jobs.iter().map(work).max().unwrap_or(0);
        let shared = jobs.iter().map(work).sum::<u64>().div_ceil(slots as u64);
        let last = jobs.iter().map(|job| job.arrives).max().unwrap_or(0);
        let played = play(&mut jobs, slots, turn);
        prop_assert!(played.done.iter().all(|done| *done <= last + shared + longest));
    }

    #[test]
    fn the_same_two_change_places_at_most_once_and_once_more_for_each_span_that_the_first_has_waited(
        mut jobs in jobs(12), turn in 1_000..100_000u64,
    ) {
        // Of one place: where there are more, one may come back to a place that a third one has left.
        let played = play(&mut jobs, 1, turn);
        for ((first, second), changes) in &played.changes {
            let most = 1 + played.waited[*first] / AGEING + played.waited[*second] / AGEING;
            prop_assert!(*changes <= most, "{first} made way for {second} {changes} times, the most is {most}");
        }
    }

    #[test]
    fn nobody_waits_longer_than_those_take_who_came_before_and_within_three_spans_after(
        mut jobs in jobs(30), turn in 1_000..20_000u64,
    ) {
        let all = jobs.clone();
        let played = play(&mut jobs, 1, turn);
        for (n, job) in all.iter().enumerate() {
            // Time at work is not waited: who comes while it works may go before it once more.
            let own = u64::from(job.turns) * turn;
            let ahead = all.iter().filter(|other| other.arrives <= job.arrives + 3 * AGEING + own);
            let work: u64 = ahead.map(|other| u64::from(other.turns) * turn).sum();
            // The turn of another may be under way when it comes.
            prop_assert!(played.done[n] <= job.arrives + work + turn, "{n} was done at {}", played.done[n]);
        }
    }
}
