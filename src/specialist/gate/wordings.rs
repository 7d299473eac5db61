//! Good and bad sentences over the same quotes, as models write them: the gates pass the first and refuse the second.

use std::collections::BTreeSet;

use super::paraphrase::{is_covered, unknown};
use super::subject::Quoted;

/// The text above every quote.
const ABOVE: &str = "Ferrobox 3 overview overview.md";

const QUEUE: &str = "A queue holds at most 50,000 jobs.";
const PAYLOAD: &str = "A job's payload may be up to 256 KB.";
const DISK: &str = "Jobs larger than 64 KB are stored on disk instead of in memory.";
const WORKER: &str =
    "Each worker processes up to 8 jobs in parallel, except on the free plan, where it processes one job at a time.";
const SPEED: &str =
    "In our tests on a four-core machine, Ferrobox handled 1,200 jobs per second with payloads of 1 KB.";
const SLOW: &str = "With payloads of 64 KB it handled 310 jobs per second.";
const LATENCY: &str = "Latency rose in weeks in which customers used the scheduler heavily. We have not found out whether the scheduler is the cause.";
const RETRY: &str = "A failed job is retried up to five times, with a delay that doubles from 10 seconds.";
const DEAD: &str = "Jobs that fail for the last time go to the dead-letter queue, where they stay for 14 days.";
const ONCE: &str = "Retries are not available for jobs marked once.";
const LOST: &str = "A job marked once may be lost if its worker crashes.";
const DELIVERY: &str = "Ferrobox guarantees at-least-once delivery for durable queues only.";
const MOST: &str = "Most jobs are delivered within 40 milliseconds, but jobs over 64 KB can take up to 2 seconds.";
const SNAPSHOTS: &str = "Snapshots are written every 6 hours by default.";
const RESTORE: &str = "Restoring a snapshot of 10 GB took about 25 minutes in our test.";
const BACKUPS: &str = "Backups do not include the dead-letter queue.";
const ENCRYPTION: &str = "Payloads are encrypted at rest on the team plan only.";
const SLA: &str = "The team plan has a service level agreement of 99.9 % per month. It does not cover maintenance windows announced 72 hours in advance.";
const SURVEY: &str = "In a survey of 2023, 61 % of the customers said they had migrated within a week.";
const QUEUES: &str = "The free plan allows three queues; the pro plan allows 40 queues.";
const VERSION: &str = "Version 2 is supported until 30 June 2025.";
const RELEASE: &str = "Version 3.0 was released on 4 March 2024.";
const FULL: &str = "New jobs are rejected with error QUEUE_FULL. Existing jobs are never dropped.";
const RUBY: &str = "The Ruby client is maintained by the community and does not support batches.";
const REGION: &str = "Replication works within one region and needs at least three nodes.";

const NIGHT: &str = "Writes are forbidden from 22:00 to 06:00.";
const UNKNOWN: &str = "The test lasted two days, so that the effect of the scheduler on latency is unknown.";
const ADVICE: &str = "The team advises against replication over slow lines.";
const CHECK: &str = "The copy must be checked before it is restored.";
const KEYS: &str = "By default, the server does not save its keys.";
const FIELDS: &str =
    "Ferrobox does not index job fields automatically, so each field used in a filter should be indexed explicitly.";
const DAILY: &str = "Do not send more than 40 reports in 24 hours.";
const AHEAD: &str = "Upgrades must be announced at least three days ahead.";
const DELAY: &str = "With replication the delay must not exceed 10 ms.";
const SECOND: &str = "If the first call fails, a second call may be made, but not earlier than two minutes after it.";
const GUESTS: &str = "Guests may not read the audit log.";
const HALF: &str = "About half of the errors came from the scheduler.";
const USERS: &str = "Most users are in favour of shorter names.";
const HEAT: &str = "Disks should be kept below 45 °C.";
const TREND: &str = "Latency rose from 40 ms in 2022 to 55 ms in 2023.";
const ROTATE: &str = "Keys may be rotated once a year.";
const CONSENT: &str = "A queue may be deleted with the written consent of its owner.";
const EXTEND: &str = "The licence may be extended by a year if both sides agree.";
const DESK: &str = "The help desk is open from 06:00 to 21:00 except on Sundays.";
const POOL: &str = "Guests are not allowed in the worker pool, except auditors.";
const ADMINS: &str = "Only admins may delete a queue.";
const RESTART: &str = "Ferrobox usually restarts a worker within two seconds.";
const THINKS: &str = "The maintainer thinks that the new disk played a part.";
const BOARD: &str = "The request of Mr. Okafor to drop batches was rejected by the board.";
const PRICE: &str = "A migration costs about 3,500 euros.";
const PAYDAY: &str = "The fee is due on the third working day of each month.";
const WEIGHT: &str = "A disk weighs 40 g.";
const START: &str = "The contract begins on 1 March 2023.";
const PLANNED: &str = "3.9.0 final: Monday, 2020-10-05";
const LARGE: &str = "Files larger than 50 MB are rejected.";

const GOOD: &[(&str, &[&str])] = &[
    ("Writes are forbidden from 10 p.m. to 6 a.m., so that no writes happen then.", &[NIGHT]),
    ("From October to May the disks need heating.", &["From October to May the disks need heating of some kind."]),
    ("Many of the errors came from the scheduler.", &[HALF]),
    ("It is not known whether the scheduler is the cause of the latency.", &[LATENCY]),
    ("Nothing is known about the effect of the scheduler on latency.", &[UNKNOWN]),
    ("The team does not recommend replication over slow lines.", &[ADVICE]),
    ("A copy is not safe to be restored unless it was checked.", &[CHECK]),
    ("Let the server save its keys.", &[KEYS]),
    ("The server should save its keys.", &[KEYS]),
    ("This speaks for an index on the job, since each field used in a filter should be indexed explicitly.", &[FIELDS]),
    ("The daily limit is 40 reports.", &[DAILY]),
    ("The most reports that may be sent in 24 hours are 40.", &[DAILY]),
    ("Announce upgrades three days ahead or earlier.", &[AHEAD]),
    ("With replication the delay is limited to 10 ms.", &[DELAY]),
    ("A second call may follow after two minutes, if the first call fails.", &[SECOND]),
    ("The audit log is off limits for guests.", &[GUESTS]),
    ("Nobody who is a guest may read the audit log.", &[GUESTS]),
    ("Roughly 50 % of the errors came from the scheduler.", &[HALF]),
    ("Users are usually in favour of shorter names.", &[USERS]),
    ("The majority of users is in favour of shorter names.", &[USERS]),
    ("Latency rose by 15 ms between 2022 and 2023.", &[TREND]),
    ("A queue may be deleted if its owner agrees in writing.", &[CONSENT]),
    ("If both sides agree, the licence may be extended by 12 months.", &[EXTEND]),
    ("The help desk is closed on Sundays.", &[DESK]),
    ("From 6 a.m. to 9 p.m. the help desk is open, but not on Sundays.", &[DESK]),
    ("Guests, with the exception of auditors, are banned from the worker pool.", &[POOL]),
    ("Nobody but admins may delete a queue.", &[ADMINS]),
    ("As a rule, Ferrobox restarts a worker within 2 seconds.", &[RESTART]),
    ("According to the maintainer, the new disk played a part.", &[THINKS]),
    ("The board did not approve the request of Mr. Okafor to drop batches.", &[BOARD]),
    ("A migration is not free: it costs roughly 3,500 euros.", &[PRICE]),
    ("The fee is due on the 3rd working day of the month.", &[PAYDAY]),
    ("The contract starts on March 1, 2023.", &[START]),
    (
        "The planner relies on statistics that an analysis collects.",
        &["If an analysis has not been run, the planner does not have statistics to rely on."],
    ),
    ("The default is 4 MB.", &["The default value is four megabytes (4MB)."]),
    (
        "Don't shrink a queue that will grow again.",
        &["Although a purge can shrink a queue, there is not much point in this if it will grow again."],
    ),
    ("A full snapshot cannot be rescued.", &["A full snapshot is dropped."]),
    (
        "Content is written to disk in the end.",
        &["A shared page may be read but not written. In the end content goes to disk."],
    ),
    ("Call no. 40 if it fails.", &["The number to call if it fails is 40."]),
    ("It has to be reported no later than 48 hours after it occurs.", &["It must be reported within 48 hours."]),
    ("Queues are capped at 50,000 jobs.", &[QUEUE]),
    ("Payloads are limited to 256 KB.", &[PAYLOAD]),
    ("At most 256 KB fit into a payload.", &[PAYLOAD]),
    ("Workers handle up to eight jobs at a time; the free plan allows only one.", &[WORKER]),
    ("On the free plan, workers handle one job at a time.", &[WORKER]),
    ("Throughput was 1,200 jobs per second at 1 KB, and 310 at 64 KB.", &[SPEED, SLOW]),
    ("Throughput fell from 1,200 to 310 jobs per second when payloads grew from 1 KB to 64 KB.", &[SPEED, SLOW]),
    ("Larger payloads were slower in the tests: 310 instead of 1,200 jobs per second.", &[SPEED, SLOW]),
    ("Whether the scheduler causes the higher latency is not known.", &[LATENCY]),
    ("Failing jobs get up to five retries, and the wait doubles, beginning with ten seconds.", &[RETRY]),
    ("By contrast, jobs marked once get no retries.", &[ONCE]),
    ("Unless a queue is durable, at-least-once delivery is not guaranteed.", &[DELIVERY]),
    ("Only durable queues get at-least-once delivery.", &[DELIVERY]),
    ("Delivery usually takes under 40 ms, but up to two seconds for jobs above 64 KB.", &[MOST]),
    ("A 10 GB snapshot was restored in about 25 minutes.", &[RESTORE]),
    ("Nothing in the dead-letter queue is backed up.", &[BACKUPS]),
    ("Encryption at rest is limited to the team plan.", &[ENCRYPTION]),
    ("Uptime of 99.9 % per month is promised on the team plan, except for announced maintenance.", &[SLA]),
    ("Sixty-one percent of customers surveyed in 2023 said they had migrated within a week.", &[SURVEY]),
    ("Support for version 2 ends on June 30, 2025.", &[VERSION]),
    ("Full queues reject new jobs (`QUEUE_FULL`) but keep existing ones.", &[FULL]),
    ("Ruby users cannot use batches.", &[RUBY]),
    ("Because retries are unavailable, a job marked once can be lost in a crash.", &[ONCE, LOST]),
    ("A queue holds at most 50000 jobs, and new jobs are rejected with `QUEUE_FULL` when it is full.", &[FULL, QUEUE]),
    ("Jobs over 64 KB go to disk rather than memory.", &[DISK]),
    ("A worker runs up to 8 jobs at once, but only one at a time on the free plan.", &[WORKER]),
    ("Ferrobox retries a failed job up to five times.", &[RETRY]),
    ("Most jobs arrive within 40 milliseconds, although those above 64 KB can need up to 2 seconds.", &[MOST]),
    ("Delivery is at least once, but only for durable queues.", &[DELIVERY]),
    ("Jobs marked once are not retried and may be lost when their worker crashes.", &[ONCE, LOST]),
    ("Payloads are encrypted at rest only on the team plan.", &[ENCRYPTION]),
    ("According to the documents, each worker processes up to 8 jobs in parallel, except on the free plan.", &[WORKER]),
    ("A queue is limited to 50k jobs.", &[QUEUE]),
    ("A queue can hold up to fifty thousand jobs.", &[QUEUE]),
    ("A failed job is retried up to 5 times; the delay starts at 10 s and doubles.", &[RETRY]),
    ("Jobs that fail for the last time stay in the dead-letter queue for two weeks.", &[DEAD]),
    ("However, at-least-once delivery is guaranteed for durable queues only.", &[DELIVERY]),
    ("Unlike retries, at-least-once delivery is guaranteed for durable queues only.", &[DELIVERY]),
    ("The pro plan allows more queues than the free plan.", &[QUEUES]),
    ("The free plan allows three queues, the pro plan 40.", &[QUEUES]),
    ("The free plan has 3 queues; on the pro plan there are 40 queues.", &[QUEUES]),
    ("The SLA of the team plan is 99.9 % per month and excludes announced maintenance windows.", &[SLA]),
    ("About three in five customers of a 2023 survey said they migrated within a week.", &[SURVEY]),
    ("61 percent of the surveyed customers migrated within one week.", &[SURVEY]),
    ("Limits: A queue holds at most 50,000 jobs.", &[QUEUE]),
    (
        "Overall, Ferrobox limits queues to at most 50,000 jobs and guarantees at-least-once delivery for durable queues only.",
        &[QUEUE, DELIVERY],
    ),
    ("In short, a job marked once may be lost if its worker crashes.", &[LOST]),
    ("A queue holds at most 50,000 jobs, and a payload may be up to 256 KB.", &[QUEUE, PAYLOAD]),
    (
        "In tests on a 4-core machine, Ferrobox handled 1,200 jobs per second with payloads of 1 KB, and 310 with payloads of 64 KB.",
        &[SPEED, SLOW],
    ),
    ("With payloads of 64 KB, speed was about a quarter of that with 1 KB.", &[SPEED, SLOW]),
    ("Some jobs take up to 2 seconds.", &[MOST]),
    ("Most jobs are delivered within 40 milliseconds.", &[MOST]),
    ("Snapshots are written every six hours by default.", &[SNAPSHOTS]),
    ("Version 2 is not supported after June 2025.", &[VERSION]),
    ("The delivery guarantee holds for durable queues only.", &[DELIVERY]),
    ("Replication stays within a region and takes three or more nodes.", &[REGION]),
    ("A queue never holds more than 50,000 jobs.", &[QUEUE]),
    ("One queue holds at most 50,000 jobs.", &[QUEUE]),
    ("A crash of its worker can lose a job marked once.", &[LOST]),
    ("The two plans allow three and 40 queues.", &[QUEUES]),
    ("Support runs until June 30, 2025 for version 2.", &[VERSION]),
    ("The final release was planned for October 5, 2020.", &[PLANNED]),
    ("The final release was planned for October 2020.", &[PLANNED]),
    ("It was created in June 2019.", &["Created: 04-Jun-2019"]),
    ("The contract runs until 31 December 2027.", &["The contract runs until 31.12.2027."]),
    (
        "The contract runs until the end of December 2027.",
        &["The contract runs until the end of December: 31.12.2027."],
    ),
    ("The contract begins on 2023-03-01.", &[START]),
    ("Only files up to 50 MB are accepted.", &[LARGE]),
    ("Files smaller than 50 MB are accepted.", &[LARGE]),
    ("A value of 0 disables the limit.", &["Setting this to zero disables the limit."]),
    (
        "The company pays the other 75 % of the premium.",
        &["You pay a quarter of the premium, and the company pays the rest."],
    ),
];

const BAD: &[(&str, &[&str])] = &[
    ("Writes are allowed from 22:00 to 06:00.", &[NIGHT]),
    ("The free plan has no backups.", &[QUEUES]),
    ("The second region is not closed.", &["The second region is closed."]),
    ("A shared page may be written.", &["A shared page may be read but not written."]),
    ("There is no monitoring.", &[TREND]),
    ("Ruby has no such plan.", &["On the other hand, the Ruby client writes out each plan."]),
    ("The default is 4 GB.", &["The default value is four megabytes (4MB)."]),
    (
        "If the first call has no effect, make a second call at once.",
        &["If the first call has no effect, do not make a second call at once."],
    ),
    ("Most of the errors came from the scheduler.", &[HALF]),
    ("The scheduler is not the cause of the latency.", &[LATENCY]),
    ("From May to October the disks need heating.", &["From October to May the disks need heating."]),
    ("The contract may be prolonged once.", &["The contract may be prolonged once, by a year, if both sides agree."]),
    ("Snow may lie below 1,600 m until July.", &["Snow may lie above 1,600 m until July."]),
    ("Writes are forbidden from 10 a.m. to 6 p.m.", &[NIGHT]),
    ("The scheduler has no effect on latency.", &[UNKNOWN]),
    ("Replication over slow lines is not allowed.", &[ADVICE]),
    ("The copy must not be checked before it is restored.", &[CHECK]),
    ("The server saves its keys.", &[KEYS]),
    ("Ferrobox indexes job fields automatically.", &[FIELDS]),
    ("Send at least 40 reports in 24 hours.", &[DAILY]),
    ("Upgrades must be announced at most three days ahead.", &[AHEAD]),
    ("With replication the delay must be more than 10 ms.", &[DELAY]),
    ("With replication the delay must be at least 10 ms.", &[DELAY]),
    ("A second call may be made after one minute if the first call fails.", &[SECOND]),
    ("A second call may be made two minutes after it.", &[SECOND]),
    ("Guests may read the audit log.", &[GUESTS]),
    ("Two thirds of the errors came from the scheduler.", &[HALF]),
    ("Users are in favour of shorter names.", &[USERS]),
    ("Disks should be kept above 45 °C.", &[HEAT]),
    ("Latency fell from 40 ms in 2022 to 55 ms in 2023.", &[TREND]),
    ("Latency rose from 55 ms in 2022 to 40 ms in 2023.", &[TREND]),
    ("Keys may be rotated every month.", &[ROTATE]),
    ("Keys may be rotated twice a year.", &[ROTATE]),
    ("A queue may be deleted.", &[CONSENT]),
    ("The licence may be extended by a year.", &[EXTEND]),
    ("The help desk is open from 06:00 to 21:00.", &[DESK]),
    ("Guests are never allowed in the worker pool.", &[POOL]),
    ("Only guests may delete a queue.", &[ADMINS]),
    ("Guests may delete a queue.", &[ADMINS]),
    ("Ferrobox restarts a worker within two seconds.", &[RESTART]),
    ("The new disk played a part.", &[THINKS]),
    ("The request of Mr. Wexler to drop batches was rejected by the board.", &[BOARD]),
    ("The request of Mr. Okafor to drop batches was approved by the board.", &[BOARD]),
    ("A migration costs 3,500 euros.", &[PRICE]),
    ("The fee is due on the first working day of each month.", &[PAYDAY]),
    ("The fee is due on the third working day of each week.", &[PAYDAY]),
    ("A disk weighs 40 mg.", &[WEIGHT]),
    ("The contract begins on 1 May 2023.", &[START]),
    ("The contract ends on 1 March 2023.", &[START]),
    ("A queue holds at least 50,000 jobs.", &[QUEUE]),
    ("A queue holds more than 50,000 jobs.", &[QUEUE]),
    ("A queue holds exactly 50,000 jobs.", &[QUEUE]),
    ("A queue holds up to 60k jobs.", &[QUEUE]),
    ("Kafka's QueueManager holds at most 50,000 jobs.", &[QUEUE]),
    ("A queue of Kafka holds at most 50,000 jobs.", &[QUEUE]),
    ("PostgreSQL queues hold at most 50,000 jobs.", &[QUEUE]),
    ("See [the page](https://example.com/docs) for queues of at most 50,000 jobs.", &[QUEUE]),
    ("Each worker processes up to 8 jobs in parallel, also on the free plan.", &[WORKER]),
    ("Each worker processes up to ten jobs in parallel, except on the free plan.", &[WORKER]),
    ("Ferrobox handles 310 jobs per second with payloads of 1 KB.", &[SPEED, SLOW]),
    ("The scheduler is the cause of the latency.", &[LATENCY]),
    ("A failed job is retried five times every 10 seconds.", &[RETRY]),
    ("A failed job is always retried up to five times.", &[RETRY]),
    ("A failed job is retried up to three times.", &[RETRY]),
    ("Ferrobox retries a failed job at least five times.", &[RETRY]),
    ("A failed job may be retried at least five times.", &[RETRY]),
    ("A failed job is retried up to four times, with a delay that doubles from 10 minutes.", &[RETRY]),
    ("Jobs marked once may be retried.", &[ONCE]),
    ("A job marked once will be lost if its worker crashes.", &[LOST]),
    ("Jobs marked once are lost because they are not retried.", &[ONCE, LOST]),
    ("Ferrobox guarantees exactly-once delivery for durable queues.", &[DELIVERY]),
    ("Ferrobox guarantees at-least-once delivery.", &[DELIVERY]),
    ("All jobs are delivered within 40 milliseconds, and jobs over 64 KB within 2 seconds.", &[MOST]),
    ("Few jobs are delivered within 40 milliseconds.", &[MOST]),
    ("Backups include the dead-letter queue.", &[BACKUPS]),
    ("Payloads are encrypted at rest.", &[ENCRYPTION]),
    ("The service level agreement of 99.9 % covers maintenance windows.", &[SLA]),
    ("The free plan allows 40 queues; the pro plan allows three queues.", &[QUEUES]),
    ("The pro plan allows three queues and the free plan 40.", &[QUEUES]),
    ("Version 2 is supported from 30 June 2025.", &[VERSION]),
    ("Version 3.0 came out on 3 April 2024.", &[RELEASE]),
    ("Existing jobs are dropped if a queue is full.", &[FULL]),
    ("The Ruby client does support batches.", &[RUBY]),
    ("Jobs larger than 64 KB are stored in memory instead of on disk.", &[DISK]),
    ("Ferrobox replication works across regions.", &[REGION]),
    ("Replication needs at most three nodes.", &[REGION]),
    ("Restoring a snapshot of 10 GB took about 25 hours.", &[RESTORE]),
    ("Snapshots are never written.", &[SNAPSHOTS]),
    ("In a survey of 2022, 61 % of the customers said they had migrated within a week.", &[SURVEY]),
    ("Retries make Ferrobox the most reliable queue.", &[RETRY]),
    ("The final release was planned for 2020-05-10.", &[PLANNED]),
    ("The final release was planned for May 10, 2020.", &[PLANNED]),
    ("The final release was planned for 5 May 2020.", &[PLANNED]),
    ("The final release was planned for November 5, 2020.", &[PLANNED]),
    ("The contract begins on 2023-01-03.", &[START]),
    ("Files smaller than 50 MB are rejected.", &[LARGE]),
    ("Requests shorter than 30 seconds are aborted.", &["Requests longer than 30 seconds are aborted."]),
    ("Files larger than 50 MB are accepted.", &[LARGE]),
];

fn judged(sentence: &str, quotes: &[&str]) -> Result<(), String> {
    let quoted: Vec<Quoted> = quotes
        .iter()
        .map(|quote| Quoted {
            said: (*quote).into(),
            above: ABOVE.into(),
            passage: (*quote).into(),
            ..Quoted::default()
        })
        .collect();
    is_covered(sentence, &quoted, &[])?;
    unknown(sentence, &quoted, &BTreeSet::new()).map_or(Ok(()), Err)
}

#[test]
fn good_paraphrases_pass() {
    let refused: Vec<(&str, String)> =
        GOOD.iter().filter_map(|(sentence, quotes)| Some((*sentence, judged(sentence, quotes).err()?))).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn bad_paraphrases_are_refused() {
    let passed: Vec<&str> = BAD
        .iter()
        .filter(|(sentence, quotes)| judged(sentence, quotes).is_ok())
        .map(|(sentence, _)| *sentence)
        .collect();
    assert!(passed.is_empty(), "{passed:#?}");
}

#[test]
fn a_name_that_the_findings_have_is_one_at_the_beginning_of_a_sentence_too() {
    let names = super::paraphrase::names_of(["It runs on Kafka. Queues hold jobs.", "A queue of Kafka"].into_iter());
    let quoted = [Quoted { said: QUEUE.into(), ..Quoted::default() }];
    let unknown = |sentence: &str| unknown(sentence, &quoted, &names);
    assert_eq!(unknown("Kafka holds at most 50,000 jobs."), Some("Kafka".into()));
    assert_eq!(unknown("Throughput is at most 50,000 jobs."), None);
    assert_eq!(unknown("The Queues hold at most 50,000 jobs."), None);
}
