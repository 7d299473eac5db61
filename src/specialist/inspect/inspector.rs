//! Inspector: profiles the file of its task and reports problems, each with a line that shows it.

use std::collections::BTreeSet;

use crate::{Assigned, Specialist, Step};
use run::evidence::Place;
use run::finding::{Finding, FindingKind, WordsOf};
use run::profile::{Ailment, Form, Listed, Measure, Profile};
use run::stage::Inspection;
use run::tool::builtin::{ListFiles, ProfileFile};
use run::transcript::{Call, CallEnd, Transcript};
use run::{FindingId, Outcome, Payload, SourceId, Task, ToolCall, ToolResult};
use text::{Clean, count};

/// The most files of a task that names none by id.
const MOST_FILES: usize = 6;

pub(super) struct Inspector;

impl Specialist for Inspector {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let Some(task) = assigned.handoff.payload.task() else {
            return super::failed("the handoff lacks the task".into());
        };
        let calls: Vec<&Call> = transcript.calls().collect();
        let profiles: Vec<&Profile> = calls.iter().filter_map(|call| profile(call)).collect();
        let wanted: Vec<SourceId> = match (&task.within, calls.first().map(|call| &call.end)) {
            (Some(within), _) => vec![within.source.clone()],
            (None, None) if assigned.turns_left > 2 => {
                let (stage, why) = (Inspection::Files.into(), "first the file is looked for".into());
                return Step::Use { stage, why, requests: vec![ListFiles {}.into()] };
            }
            (None, Some(CallEnd::Returned(result))) => match &**result {
                ToolResult::Files(files) => meant(task, &files.files),
                _ => Vec::new(),
            },
            (None, _) => Vec::new(),
        };
        let asked: BTreeSet<SourceId> =
            calls.iter().filter_map(|call| call.request.of::<ProfileFile>()).map(|profile| profile.source).collect();
        let open: Vec<ToolCall> = wanted
            .into_iter()
            .filter(|source| !asked.contains(source))
            .map(|source| ProfileFile { source }.into())
            .collect();
        if !open.is_empty() && assigned.turns_left > 1 {
            let (stage, why) = (Inspection::Profile.into(), "the file is counted over as a whole".into());
            return Step::Use { stage, why, requests: open };
        }
        let failure = calls.iter().find_map(|call| match &call.end {
            CallEnd::Failed(why) => Some(Outcome::Failed(why.clone())),
            CallEnd::Refused(refusal) => Some(Outcome::OutOfBudget(format!("too little was left of {refusal}").into())),
            _ => None,
        });
        match (profiles.is_empty(), failure) {
            (true, Some(outcome)) => Step::Report { outcome, title: "failed".into(), payload: Payload::default() },
            (true, None) => nothing(format!("No file is called “{}”.", task.title)),
            (false, _) => report(&assigned, task, &profiles),
        }
    }
}

fn profile(call: &Call) -> Option<&Profile> {
    if let ToolResult::Profile(profile) = call.result()? { Some(profile) } else { None }
}

/// The files named in the words of a task that names none by id.
fn meant(task: &Task, files: &[Listed]) -> Vec<SourceId> {
    let words = format!("{} {}", task.title, task.question).to_lowercase();
    let named = |file: &&Listed| {
        let path = file.source.path.to_lowercase();
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        words.contains(&name) || name.split('.').next().is_some_and(|stem| stem.len() > 3 && words.contains(stem))
    };
    files.iter().filter(named).take(MOST_FILES).map(|file| file.source.id.clone()).collect()
}

fn report(assigned: &Assigned<'_>, task: &Task, profiles: &[&Profile]) -> Step {
    let known: BTreeSet<&Clean> = assigned.handoff.payload.findings().iter().map(|finding| &finding.claim).collect();
    let mut findings: Vec<Finding> = Vec::new();
    let mut uncounted = Vec::new();
    for profile in profiles {
        if profile.form == Form::Text {
            uncounted.push(profile.source.path.to_string());
        }
        for measure in profile.measures.iter().filter(|measure| !known.contains(&measure.says)) {
            let n = u32::try_from(findings.len() + 1).unwrap_or(u32::MAX);
            findings.push(finding(FindingId::new(assigned.id, n), task, profile, measure));
        }
    }
    let wrong = findings.iter().filter(|finding| finding.kind == FindingKind::Drawback).count();
    if findings.is_empty() {
        return match uncounted.is_empty() {
            true => nothing("Nothing more was counted.".into()),
            false => nothing(format!("{} is no table and no log: nothing can be counted of it.", uncounted.join(", "))),
        };
    }
    let cut = profiles.iter().find(|profile| profile.blocks < profile.of);
    let outcome = match cut {
        Some(profile) => Outcome::Partial(format!("{} of {} lines were looked at", profile.blocks, profile.of).into()),
        None => Outcome::Done,
    };
    let title = match wrong {
        0 => "nothing wrong".into(),
        n => format!("{} wrong", count(n, "thing")),
    };
    Step::Report { outcome, title: title.into(), payload: Payload { findings: Some(findings), ..Payload::default() } }
}

fn finding(id: FindingId, task: &Task, profile: &Profile, measure: &Measure) -> Finding {
    let line = &measure.line;
    Finding {
        task: Some(task.id),
        subtopic: profile.source.path.clone(),
        kind: if measure.ailment.is_none() { FindingKind::Fact } else { FindingKind::Drawback },
        // Within a kind, findings about more lines come first.
        score: measure.ailment.map_or(0, Ailment::weight) + i32::try_from(measure.count.min(19)).unwrap_or(0),
        quote: line.text.clone(),
        place: Some(Place::new(&profile.source, line, 0..line.text.len())),
        words_of: WordsOf::Tool,
        ..Finding::new(id, measure.says.clone())
    }
}

fn nothing(why: String) -> Step {
    Step::Report { outcome: Outcome::NothingFound, title: "nothing found".into(), payload: Payload::note(why) }
}
