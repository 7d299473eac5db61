//! `--plain`: a run as lines that are only ever appended, for screen readers and slow lines. Checkpoints are numbered
//! questions on standard input.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::input;
use run::checkpoint::{self, Answer, Edit, findings};
use run::event::DoubtAnswer;
use run::finding::WordsOf;
use run::plan::PlanEdit;
use run::state::Asks;
use run::{Checkpoint, CheckpointId, Command, Finding, FindingId, Notice, Run, Subject, TaskId};
use text::locked::Locked;
use text::{Clean, count};

/// The time from a change of the run to the question that it waits with: several changes may come together.
const LOOKS: Duration = Duration::from_millis(200);

/// The result of a question to the person.
pub enum Said {
    /// Commands to the desk; none if nothing changes.
    Commands(Vec<Command>),
    /// The run is left as it is.
    Leave,
}

/// Puts the question that a run waits for before the person, and sends their answer.
pub struct Asking<R, W> {
    lines: R,
    out: W,
}

impl<R: BufRead, W: Write> Asking<R, W> {
    pub fn new(lines: R, out: W) -> Asking<R, W> {
        Asking { lines, out }
    }

    fn say(&mut self, text: &str) {
        // Standard output that is gone ends the input soon as well.
        let _ = writeln!(self.out, "{text}").and_then(|()| self.out.flush());
    }

    /// The next line of the person; None at the end of the input.
    fn line(&mut self, prompt: &str) -> Option<String> {
        let _ = write!(self.out, "{prompt} ").and_then(|()| self.out.flush());
        let line = input::line(&mut self.lines).ok()??;
        Some(Clean::line(&line).trim().to_owned())
    }

    /// A number from 1 to `most`; None at the end of the input.
    fn number(&mut self, prompt: &str, most: usize) -> Option<usize> {
        loop {
            let line = self.line(prompt)?;
            match line.parse() {
                Ok(n) if (1..=most).contains(&n) => return Some(n),
                _ => self.say(&format!("Write a number from 1 to {most}.")),
            }
        }
    }

    /// Numbers of a list, as in `2 5 7`; None at the end of the input.
    fn numbers(&mut self, prompt: &str, most: usize) -> Option<Vec<usize>> {
        loop {
            let line = self.line(prompt)?;
            let read: Result<Vec<usize>, _> =
                line.split([' ', ',']).filter(|word| !word.is_empty()).map(str::parse).collect();
            match read {
                Ok(all) if all.iter().all(|n| (1..=most).contains(n)) => return Some(all),
                _ => self.say(&format!("Write numbers from 1 to {most}, with spaces between.")),
            }
        }
    }

    /// A choice from a numbered list.
    fn choose(&mut self, choices: &[String]) -> Option<usize> {
        for (n, choice) in choices.iter().enumerate() {
            self.say(&format!("  {}. {choice}", n + 1));
        }
        self.number("Your choice:", choices.len()).map(|n| n - 1)
    }

    /// Asks the question that the run waits for. The end of the input leaves it.
    pub fn ask(&mut self, run: &Run, asks: &Asks<'_>) -> Said {
        let said = match asks {
            Asks::Checkpoint(checkpoint) => self.checkpoint(run, checkpoint),
            Asks::Doubt(call) => {
                self.say("");
                self.say(&format!(
                    "Question: the outcome of a {} is unknown. What becomes of it?",
                    run.kind_of_doubts()
                ));
                let choices =
                    ["Make it again; it may be paid twice.", "Treat it as failed.", "Leave the run as it is."];
                self.choose(&choices.map(String::from)).map(|choice| match choice {
                    0 => settle(*call, DoubtAnswer::Retry),
                    1 => settle(*call, DoubtAnswer::Skip),
                    _ => Said::Leave,
                })
            }
            Asks::Latch(latch) => {
                self.say("");
                self.say(&format!("Question: {latch} refuses every call: {}", latch.why));
                let choices = ["It is mended: try again.", "Stop the run for good.", "Leave the run as it is."];
                self.choose(&choices.map(String::from)).map(|choice| match choice {
                    0 => Said::Commands(vec![Command::Continue]),
                    1 => Said::Commands(vec![Command::Cancel]),
                    _ => Said::Leave,
                })
            }
        };
        said.unwrap_or(Said::Leave)
    }

    fn checkpoint(&mut self, run: &Run, checkpoint: &Checkpoint) -> Option<Said> {
        match &*checkpoint.subject {
            Subject::Findings(all) => self.findings(run, checkpoint.id, all),
            Subject::Plan(plan) => {
                self.say("");
                self.say(&format!("Question: the plan has {}.", count(plan.tasks.len(), "task")));
                for (n, task) in plan.tasks.iter().enumerate() {
                    self.say(&format!(
                        "  Task {}: {}. {}",
                        n + 1,
                        Clean::line(&task.title),
                        Clean::line(&task.question)
                    ));
                }
                let choices = ["Approve the plan.", "Take a task out.", "Undo.", "Leave the run as it is."];
                let choice = self.choose(&choices.map(String::from))?;
                let edit = match choice {
                    0 => return Some(Said::Commands(vec![Command::Approve { checkpoint: checkpoint.id }])),
                    1 => {
                        let n = self.number("Which task?", plan.tasks.len())?;
                        let task: TaskId = plan.tasks.get(n - 1)?.id;
                        Edit::Plan(PlanEdit::Drop { task })
                    }
                    2 => Edit::Undo,
                    _ => return Some(Said::Leave),
                };
                Some(self.edit(run, checkpoint, edit))
            }
            Subject::Stop(stop) => {
                self.say("");
                self.say(&format!(
                    "Question: the run stands at a breakpoint: {}.",
                    Clean::line(&checkpoint.subject.asked())
                ));
                let refuse = match stop.refusal_ends(run, checkpoint.by) {
                    true => "Refuse it, and end with what there is.",
                    false => "Refuse it back, with a message.",
                };
                let choices = ["Send on what stands.", refuse, "Leave the run as it is."];
                match self.choose(&choices.map(String::from))? {
                    0 => Some(Said::Commands(vec![Command::Approve { checkpoint: checkpoint.id }])),
                    1 => {
                        let why = Clean::from(self.line("Your message:")?);
                        let answer = Answer::Stop(checkpoint::stop::Answer::Refuse { why });
                        Some(self.answer(run, checkpoint, answer))
                    }
                    _ => Some(Said::Leave),
                }
            }
            other => {
                self.say("");
                self.say(&format!("Question: {}", Clean::line(&other.asked())));
                let options = other.options();
                let mut words: Vec<String> =
                    options.iter().map(|option| other.said(option).unwrap_or_default()).collect();
                if !words.is_empty() && checkpoint.takes_words(run) {
                    words.push("In your own words.".into());
                }
                let chosen = if words.is_empty() { 0 } else { self.choose(&words)? };
                let answer = match options.into_iter().nth(chosen) {
                    Some(option) => option,
                    None => other.in_words(Clean::from(self.line("Your answer:")?))?,
                };
                Some(self.answer(run, checkpoint, answer))
            }
        }
    }

    fn findings(&mut self, run: &Run, id: CheckpointId, all: &[Finding]) -> Option<Said> {
        let checkpoint = run.checkpoint(id)?;
        self.say("");
        self.say(&format!("Question: {} to approve.", count(all.len(), "finding")));
        for (n, finding) in all.iter().enumerate() {
            self.say(&format!("  Finding {}: {}", n + 1, one(finding)));
        }
        let kept = all.iter().filter(|finding| finding.usable()).count();
        let choices = [
            format!("Approve: {kept} of {} go to the writer.", all.len()),
            "Take findings out.".into(),
            "Take findings back in.".into(),
            "Hear the passage of a finding.".into(),
            "Put a finding into other words.".into(),
            "Add a fact of your own.".into(),
            "Ask for more research.".into(),
            "Undo.".into(),
            "Leave the run as it is.".into(),
        ];
        let named = |numbers: Vec<usize>| -> Vec<FindingId> {
            numbers.into_iter().filter_map(|n| all.get(n - 1)).map(|finding| finding.id).collect()
        };
        let edit = match self.choose(&choices)? {
            0 => return Some(Said::Commands(vec![Command::Approve { checkpoint: id }])),
            1 => findings::Edit::Set { findings: named(self.numbers("Which findings?", all.len())?), keep: false },
            2 => findings::Edit::Set { findings: named(self.numbers("Which findings?", all.len())?), keep: true },
            3 => {
                let n = self.number("Which finding?", all.len())?;
                let finding = all.get(n - 1)?;
                let stored = finding.place.as_ref().and_then(|place| run.stored(place));
                match stored {
                    Some(block) => self.say(&format!("  The passage: {}", Clean::line(&block.text))),
                    None => self.say("  It stands in no source."),
                }
                return Some(Said::Commands(Vec::new()));
            }
            4 => {
                let n = self.number("Which finding?", all.len())?;
                let claim = Clean::from(self.line("In your words:")?);
                findings::Edit::Reword { finding: all.get(n - 1)?.id, claim }
            }
            5 => findings::Edit::Add { task: None, claim: Clean::from(self.line("Your fact:")?) },
            6 => {
                let wish = Clean::from(self.line("What is missing?")?);
                let answer = Answer::Findings(findings::Answer::More { task: None, wish });
                return Some(self.answer(run, checkpoint, answer));
            }
            7 => {
                if let Some(undoing) = checkpoint.undoing() {
                    let claim = undoing.claim.map_or_else(String::new, |claim| format!(": {}", Clean::line(&claim)));
                    self.say(&format!("Taken back: {}{claim}", undoing.says));
                }
                return Some(self.edit(run, checkpoint, Edit::Undo));
            }
            _ => return Some(Said::Leave),
        };
        Some(self.edit(run, checkpoint, Edit::Findings(edit)))
    }

    fn edit(&mut self, run: &Run, checkpoint: &Checkpoint, edit: Edit) -> Said {
        let sent = checkpoint.accepts(&edit, run).map(|()| Command::Edit { checkpoint: checkpoint.id, edit });
        self.sent(sent)
    }

    fn answer(&mut self, run: &Run, checkpoint: &Checkpoint, answer: Answer) -> Said {
        let sent = checkpoint.allows(&answer, run).map(|()| Command::Answer { checkpoint: checkpoint.id, answer });
        self.sent(sent)
    }

    fn sent(&mut self, command: Result<Command, String>) -> Said {
        match command {
            Ok(command) => Said::Commands(vec![command]),
            Err(why) => {
                self.say(&format!("That is not possible: {}.", Clean::line(&why)));
                Said::Commands(Vec::new())
            }
        }
    }
}

fn settle(call: run::CallId, answer: DoubtAnswer) -> Said {
    Said::Commands(vec![Command::Settle { call, answer }])
}

/// A finding in a sentence: whether it is kept, its claim, its place, the remarks on it.
fn one(finding: &Finding) -> String {
    let kept = if finding.usable() { "kept" } else { "out" };
    let place = match (&finding.place, finding.words_of) {
        (_, WordsOf::Person) => "your words".to_owned(),
        (Some(place), WordsOf::PersonEdited) => format!("your wording of {place}"),
        (Some(place), _) => place.to_string(),
        (None, _) => "no place".to_owned(),
    };
    let disputed = if finding.conflicts.is_empty() { "" } else { ", contradicts another" };
    format!("{kept}: {} ({}{disputed})", Clean::line(&finding.claim), Clean::line(&place))
}

/// Follows a run until its desk stops: passes on all notices, and asks the run's questions. True if the person has left it.
pub fn follow<R: BufRead, W: Write>(
    told: &Receiver<Notice>,
    mut tell: impl FnMut(&Notice),
    mut run: Run,
    send: impl Fn(Command),
    mut asking: Asking<R, W>,
) -> bool {
    let mut asked = None;
    // The time of the next look at the run: soon after it has changed, also while other news is told.
    let mut due = Some(Instant::now() + LOOKS);
    loop {
        let left = due.map(|due| due.saturating_duration_since(Instant::now()));
        let notice = match left {
            None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(Duration::ZERO) => Err(RecvTimeoutError::Timeout),
            Some(left) => told.recv_timeout(left),
        };
        match notice {
            Ok(Notice::Stopped(_)) | Err(RecvTimeoutError::Disconnected) => return false,
            Ok(notice) => {
                tell(&notice);
                match notice {
                    Notice::Committed(events) => events.iter().for_each(|envelope| run.apply(envelope)),
                    // Nothing has come of the answer: the question stands.
                    Notice::Refused(_) => asked = None,
                    _ => continue,
                }
                due = Some(Instant::now() + LOOKS);
                continue;
            }
            Err(RecvTimeoutError::Timeout) => due = None,
        }
        if run.ended().is_some() {
            return false;
        }
        let Some(asks) = run.asks() else { continue };
        // The same question is put again only once something has changed, or nothing was said to it.
        if asked == Some(run.seq) {
            continue;
        }
        match asking.ask(&run, &asks) {
            Said::Leave => return true,
            Said::Commands(commands) if commands.is_empty() => due = Some(Instant::now()),
            Said::Commands(commands) => {
                asked = Some(run.seq);
                commands.into_iter().for_each(&send);
            }
        }
    }
}

/// The audience of a desk, and its notices.
pub fn audience() -> (Arc<dyn Fn(Notice) + Send + Sync>, Receiver<Notice>) {
    let (tell, told) = channel();
    let tell = std::sync::Mutex::new(tell);
    let audience = Arc::new(move |notice| {
        // The person may have left.
        let _ = tell.locked().send(notice);
    });
    (audience, told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::budget::Draws;
    use run::event::{Event, Opened, Opening};
    use run::handoff::Handoff;
    use run::stage::Leading;
    use run::{AssignmentId, At, Envelope, Role, Team};

    fn at_findings() -> (Run, CheckpointId) {
        let finding = |n: u32| Finding::new(FindingId::new(AssignmentId::nth(2), n), Clean::from(format!("Fact {n}.")));
        let mut run = Run::default();
        let id = CheckpointId(1);
        let subject = Arc::new(Subject::Findings(vec![finding(1), finding(2)]));
        run.checkpoints.push(Checkpoint::open(id, AssignmentId::ROOT, subject));
        (run, id)
    }

    fn says(input: impl AsRef<[u8]>) -> (Said, String) {
        let (run, id) = at_findings();
        let mut out = Vec::new();
        let said = Asking::new(input.as_ref(), &mut out).ask(&run, &Asks::Checkpoint(run.checkpoint(id).unwrap()));
        (said, String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_numbered_choice_is_a_command_and_a_wrong_number_is_asked_again() {
        let (said, out) = says("nine\n12\n1\n");
        assert!(matches!(said, Said::Commands(all) if matches!(all[..], [Command::Approve { .. }])), "{out}");
        assert!(
            out.contains("Finding 2: kept: Fact 2.") && out.matches("Write a number from 1 to 9").count() == 2,
            "{out}"
        );
        let (said, _) = says("2\n1 2\n");
        let Said::Commands(all) = said else { panic!("a command") };
        let [Command::Edit { edit: Edit::Findings(findings::Edit::Set { findings, keep: false }), .. }] = &all[..]
        else {
            panic!("{all:?}")
        };
        assert_eq!(findings.len(), 2);
    }

    #[test]
    fn bytes_that_are_no_text_are_a_wrong_answer_and_not_the_end_of_the_input() {
        let (said, out) = says(b"caf\xe9\n1\n");
        assert!(matches!(said, Said::Commands(all) if !all.is_empty()), "{out}");
        assert!(out.contains("Write a number from 1 to 9"), "{out}");
    }

    #[test]
    fn an_input_that_ends_approves_nothing_and_leaves_the_run() {
        for input in ["", "2\n", "5\n1\n"] {
            assert!(matches!(says(input).0, Said::Leave), "{input:?}");
        }
    }

    #[test]
    fn what_is_not_possible_is_said_and_changes_nothing() {
        let (said, out) = says("5\n1\n \n");
        assert!(matches!(said, Said::Commands(all) if all.is_empty()));
        assert!(out.contains("That is not possible: a claim needs words."), "{out}");
    }

    /// A run that waits with its findings, from its first event on.
    fn waiting() -> Run {
        let root = AssignmentId::ROOT;
        let handoff = Handoff {
            no: Default::default(),
            from: None,
            to: Some(root),
            names: ("you".into(), "supervisor".into()),
            title: "the question".into(),
            payload: Default::default(),
        };
        let role = Role::new(Role::SUPERVISOR);
        let opened = vec![Opened::new(root, role, Default::default(), Draws::Work, Arc::new(handoff))];
        let opening = Opening::new("7f3k".parse().unwrap(), "Why?".into(), Team::default());
        let (run, id) = at_findings();
        let subject = run.checkpoint(id).unwrap().subject.clone();
        let events = [
            Event::RunOpened(Arc::new(opening)),
            Event::HandedOff { by: None, stage: Leading::Open.into(), why: Clean::default(), opened },
            Event::CheckpointOpened { checkpoint: id, by: root, subject },
        ];
        let mut run = Run::default();
        for event in events {
            run.apply(&Envelope { seq: run.seq.next(), at: At(1), event });
        }
        assert!(run.misfits == 0 && run.asks().is_some());
        run
    }

    #[test]
    fn a_question_is_put_however_much_else_is_told() {
        let run = waiting();
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        let teller = std::thread::spawn(move || {
            let reading = || Notice::Reading { files_done: 1, files_total: 2 };
            while tell.send(reading()).is_ok() {}
        });
        let mut out = Vec::new();
        let mut heard = 0;
        let has_left = follow(&told, |_| heard += 1, run, |_| {}, Asking::new(&b""[..], &mut out));
        drop(told);
        teller.join().unwrap();
        assert!(has_left && heard > 0);
        assert!(String::from_utf8(out).unwrap().contains("Question: 2 findings to approve."));
    }

    #[test]
    fn all_that_is_told_is_passed_on() {
        let (tell, told) = channel();
        let call = run::CallId::new(AssignmentId::nth(2), 1);
        for notice in [
            Notice::Waiting { call, why: "rate limit".into(), until: None },
            Notice::Said("a word".into()),
            Notice::Stopped(None),
        ] {
            tell.send(notice).unwrap();
        }
        let mut heard = Vec::new();
        let tells = |notice: &Notice| heard.push(matches!(notice, Notice::Waiting { .. } | Notice::Said(_)));
        assert!(!follow(&told, tells, Run::default(), |_| {}, Asking::new(&b""[..], Vec::new())));
        assert_eq!(heard, [true, true]);
    }
}
