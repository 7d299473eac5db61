//! Approved findings that did not fit into what the writer is handed: its draft need not tell of them, and the brief names what
//! only they tell of.

use std::collections::BTreeSet;

use super::Progress;
use run::brief::Draft;
use run::coverage::Point;
use run::handoff::PartName;
use run::id::{FindingId, Role};
use run::transcript::Sent;
use run::{Finding, Payload};
use text::count;

/// The number of findings that did not fit into what a writer was handed.
fn left_out(handed: &Payload) -> usize {
    handed.left_out().iter().find(|left| left.of == PartName::Findings).map_or(0, |left| left.items as usize)
}

impl Progress<'_> {
    /// The points of the question that only approved findings tell of which this writer was not handed.
    pub(super) fn withheld(&self, writer: &Sent) -> Vec<Point> {
        let handed = &writer.handoff.payload;
        let Some(coverage) = self.coverage().filter(|_| left_out(handed) > 0) else { return Vec::new() };
        let known: BTreeSet<FindingId> = handed.findings().iter().map(|finding| finding.id).collect();
        let approved = self.approved();
        let others: Vec<&Finding> = approved.iter().filter(|finding| !known.contains(&finding.id)).collect();
        let (handed, others) = (coverage.reads(handed.findings().iter()), coverage.reads(others.into_iter()));
        let is_withheld =
            |point: &&Point| coverage.about(point, &handed).is_empty() && !coverage.about(point, &others).is_empty();
        coverage.points().filter(is_withheld).cloned().collect()
    }

    /// Takes out the gaps that name what the writer of a draft was not handed: it could not know.
    pub(super) fn forget_what_was_withheld(&self, draft: &mut Draft) {
        let (Some(writer), Some(coverage)) = (self.drafts().last(), self.coverage()) else { return };
        let withheld = self.withheld(writer);
        if !withheld.is_empty() {
            draft.gaps.retain(|gap| !coverage.named_in(gap).iter().any(|point| withheld.contains(point)));
        }
    }

    /// The number of approved findings that did not fit into the writer's input, and the setting that bounds it; None if all did.
    pub(super) fn unseen_by_the_writer(&self) -> Option<String> {
        let role = Role::new(self.order().writes());
        let written = self.transcript.sent().rfind(|sent| sent.role == role)?;
        let unseen = left_out(&written.handoff.payload);
        let of_team = self.team.members.get(&role).and_then(|member| member.payload_tokens);
        let takes_in = self.team.takes_in(&role, written.worker);
        let setting =
            of_team.filter(|most| takes_in == Some(*most)).map(|most| format!(" (`payload_tokens` = {most})"));
        let setting = setting.unwrap_or_default();
        (unseen > 0).then(|| {
            format!("{} did not fit into what the writer can take in{setting}", count(unseen, "approved finding"))
        })
    }
}
