//! The sentences ranked by rule-based researchers, with their features: the training data for ranking weights.

use std::fmt::Write as _;

use crate::questions::Question;
use run::{Role, Run};
use specialist::extractive::{self, Ranking};

/// The sentences that a run's rule-based researchers ranked, one a line, with these tab-separated columns: question,
/// task, score, features, the numbers of the expected facts in it, 1 if it is on the topic, the share of the question
/// that the sources answer, path, block, claim, headings above it.
pub(crate) fn weighed(question: &Question, run: &Run, ranking: &Ranking) -> String {
    let mut out = String::new();
    for assignment in run.assignments().filter(|assignment| assignment.role.as_str() == Role::RESEARCHER) {
        let task = assignment.transcript.handoff.payload.task().map_or(0, |task| task.id.0);
        for sentence in extractive::weighed(&assignment.transcript, ranking) {
            let lower = sentence.claim.to_lowercase();
            let facts: Vec<String> = question
                .facts
                .iter()
                .zip(1..)
                .filter(|(fact, _)| fact.is_in(&lower))
                .map(|(_, n): (_, u32)| n.to_string())
                .collect();
            let features: Vec<String> = sentence.features.iter().map(|value| format!("{value:.3}")).collect();
            let (score, path, block, known) = (sentence.score, &sentence.path, sentence.block, sentence.known);
            let one_line = |text: &str| text.replace(['\t', '\n'], " ");
            let (claim, above) = (one_line(&sentence.claim), one_line(&sentence.above));
            let is_on = u8::from(question.is_on_topic(&format!("{claim} {above}")));
            let (id, features, facts) = (&question.id, features.join(" "), facts.join(" "));
            let _ = writeln!(
                out,
                "{id}\t{task}\t{score:.3}\t{features}\t{facts}\t{is_on}\t{known:.3}\t{path}\t{block}\t{claim}\t{above}"
            );
        }
    }
    out
}
