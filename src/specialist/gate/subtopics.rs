//! The gate that keeps sub-topics in: each task with approved findings is cited somewhere.

use run::brief::{Draft, Wording};
use run::handoff::Payload;
use run::id::FindingId;
use run::verdict::{Check, Concern, Issue, Verdict};
use text::count;

/// Checks that a draft in a writer's own words cites something on each task that has findings. Issues of the verdict on findings
/// are not repeated.
pub(super) fn cited(draft: &Draft, payload: &Payload, verdict: &mut Verdict) {
    let Some(plan) = payload.plan.as_ref().filter(|_| draft.wording == Wording::Reworded) else { return };
    let cites: Vec<FindingId> = draft.cited().collect();
    let (mut covered, mut all) = (0, 0);
    for task in &plan.tasks {
        let usable = payload.findings().iter().filter(|finding| finding.usable());
        let own: Vec<FindingId> =
            usable.filter(|finding| finding.task == Some(task.id)).map(|finding| finding.id).collect();
        if own.is_empty() {
            continue;
        }
        all += 1;
        if own.iter().any(|id| cites.contains(id)) {
            covered += 1;
            continue;
        }
        let is_told =
            |issue: &Issue| issue.concern == Concern::Coverage && issue.findings.iter().any(|id| own.contains(id));
        if !verdict.issues.iter().any(is_told) {
            let what = format!("nothing on “{}” is cited, though {} approved", task.title, are_of(own.len()));
            verdict.issues.push(Issue::new(Concern::Coverage, what, None, own));
        }
    }
    if all > 0 {
        verdict.checks.push(Check::counted(Concern::Coverage, covered, all, "sub-topics with findings are cited"));
    }
}

/// "1 finding on it is", "3 findings on it are".
fn are_of(findings: usize) -> String {
    format!("{} on it {}", count(findings, "finding"), if findings == 1 { "is" } else { "are" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::brief::{Piece, Section, Sentence};
    use run::finding::Finding;
    use run::id::TaskId;
    use run::plan::{Plan, Shape, Task};

    #[test]
    fn each_task_with_findings_is_cited_and_one_without_any_need_not_be() {
        let of_task = |n: u32, task: u32| Finding {
            task: Some(TaskId(task)),
            ..crate::sample::finding(n, "Widget", "Widget supports joins.")
        };
        let task = |(n, title): (u32, &str)| Task::new(TaskId(n), title.into(), format!("What of {title}?").into());
        let tasks = [(1, "Limits"), (2, "Delivery"), (3, "Prices")].map(task).to_vec();
        let findings = vec![of_task(1, 1), of_task(2, 2), of_task(3, 2)];
        let missing = |cites: &[usize], wording: Wording, told: Verdict| {
            let cites = cites.iter().map(|at| findings[*at].id).collect();
            let pieces = vec![Piece::Paragraph { sentences: vec![Sentence { text: "It does.".into(), cites }] }];
            let sections = vec![Section { heading: "".into(), pieces }];
            let draft = Draft { sections, wording, ..Draft::default() };
            let plan = Some(Plan { shape: Shape::Facets, tasks: tasks.clone(), why: "".into() });
            let payload = Payload { plan, findings: Some(findings.clone()), ..Payload::default() };
            let (mut verdict, before) = (told.clone(), told.issues.len());
            cited(&draft, &payload, &mut verdict);
            verdict.issues.drain(..before);
            verdict.issues.into_iter().map(|issue| issue.what.to_string()).collect::<Vec<_>>()
        };
        let none = Verdict::default();
        let delivery = "nothing on “Delivery” is cited, though 2 findings on it are approved";
        assert_eq!(missing(&[0], Wording::Reworded, none.clone()), [delivery]);
        assert_eq!(missing(&[0, 2], Wording::Reworded, none.clone()), [""; 0], "one of its findings is enough");
        assert_eq!(missing(&[0], Wording::Quoted, none), [""; 0], "the rules that write choose by themselves");
        let known = Issue::new(Concern::Coverage, "Delivery is asked for", None, vec![findings[1].id]);
        let told = Verdict { issues: vec![known], checks: vec![] };
        assert_eq!(missing(&[0], Wording::Reworded, told), [""; 0], "it is told already");
    }
}
