//! Guards refuse steps before they are recorded: a handoff that breaks its contract, goes too deep or is already in its
//! own chain; calls of tools that the specialist does not have, or repeated calls.
//!
//! Each refusal gives its reason, for the person and for the specialist. Costs are not checked here.

use run::checkpoint::findings::check_approved;
use run::handoff::{Contract, Part, PartName};
use run::transcript::{Call, CallEnd, Did, Transcript};
use run::{Assignment, Payload, Run, Team, ToolCall, ToolName};
use specialist::Sending;
use text::Clean;

/// Checks whether a handoff may be sent; the error is the reason for the refusal.
pub(super) fn check_sending(run: &Run, team: &Team, from: &Assignment, sending: &Sending) -> Result<(), String> {
    let name = &sending.role;
    let refused = |why: String| Err(format!("a handoff to `{name}` was not sent: {why}"));
    if !team.members.contains_key(name) {
        return refused(format!("there is no `{name}` in the team"));
    }
    // The sender, its parent, and so on up to the root.
    let line: Vec<&Assignment> =
        std::iter::successors(Some(from), |assignment| run.assignment(assignment.parent()?)).take(16).collect();
    let handed =
        line.iter().filter(|above| above.role == *name && is_same(&above.transcript.handoff.payload, &sending.payload));
    if let Some(first) = handed.clone().next_back()
        && handed.count() >= team.same_handoff.max(1) as usize
    {
        return refused(format!(
            "rejected: the same handoff is already in this chain ({})",
            first.transcript.handoff.no
        ));
    }
    // The root is at level 0. An assignment that hands out work needs a level below its own.
    let most = team.depth.clamp(1, Team::MOST_DEPTH) as usize;
    if line.len() > most {
        return refused(format!("it would be level {}, the most is {most}", line.len()));
    }
    if team.delegates(name) && line.len() == most {
        return refused(format!("it would hand out work at level {most}, and no level is allowed below that"));
    }
    let kept = Contract::of(name).map_or(Ok(()), |contract| contract.check_sent(&sending.payload));
    kept.and_then(|()| check_approved(run, name, &sending.payload)).or_else(refused)
}

/// Whether two payloads are equal, passages aside: those are filled in when a payload is sent.
fn is_same(sent: &Payload, now: &Payload) -> bool {
    let asked = |part: &Part<'_>| part.name() != PartName::Passages;
    sent.parts().filter(asked).eq(now.parts().filter(asked))
}

/// The number of times that the same calls may fail: a server that was down may be up again.
const MOST_FAILURES: usize = 3;

/// Checks that the specialist has these tools and has not made the same calls before; the error is the reason.
pub(super) fn check_calls(
    team: &Team,
    transcript: &Transcript,
    tools: &[ToolName],
    requests: &[ToolCall],
) -> Result<(), Clean> {
    if requests.is_empty() {
        return Err("a step that uses tools named none".into());
    }
    if let Some(request) = requests.iter().find(|request| !tools.contains(&request.name)) {
        return Err(format!("`{}` is not among the tools of this specialist", request.name).into());
    }
    if let Some(request) = requests.iter().find(|request| team.tool(&request.name).is_none()) {
        return Err(format!("`{}` is not registered in this run", request.name).into());
    }
    let is_same = |calls: &[Call]| {
        calls.len() == requests.len() && calls.iter().zip(requests).all(|(call, request)| *call.request == *request)
    };
    let made = transcript.turns.iter().filter_map(|turn| match &turn.did {
        Did::Tools(calls) if is_same(calls) => Some(calls),
        _ => None,
    });
    let has_failed = |calls: &&Vec<Call>| calls.iter().any(|call| matches!(call.end, CallEnd::Failed(_)));
    let (failed, came_back): (Vec<_>, Vec<_>) = made.partition(has_failed);
    match () {
        () if !came_back.is_empty() => Err("the same calls were made before: their results stand above".into()),
        () if failed.len() >= MOST_FAILURES => Err(format!("the same calls have failed {MOST_FAILURES} times").into()),
        () => Ok(()),
    }
}
