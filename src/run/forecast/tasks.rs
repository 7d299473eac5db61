//! The number of tasks that a question is probably cut into, before there is a plan: one for each thing that it names, as the
//! planner by rule cuts it.

use super::usual::{Three, work};
use crate::event::Opening;
use crate::id::Role;
use crate::team::Order;
use text::Named;
use text::named::asks;

/// At the least, probably, and at the most; the usual number for work that is not planned.
pub(super) fn tasks_before(opening: &Opening) -> Three {
    let usual = work(&Role::new(opening.team.order.looks())).assignments;
    if opening.team.order != Order::Brief {
        return usual;
    }
    let most = u64::from(opening.team.most_tasks).max(1);
    let named = named(&opening.question).clamp(1, most);
    [named, named, usual[2].clamp(named, most)]
}

/// The parts that a question names: of a list its questions, else things, else sides of one thing, else its clauses.
fn named(question: &str) -> u64 {
    let Named { questions, things, number, sides, .. } = Named::read(question);
    let things = things.len().max(number.unwrap_or(0) as usize);
    let parts = [questions.len(), things, sides.len()].into_iter().find(|parts| *parts > 1);
    parts.unwrap_or_else(|| clauses(question)) as u64
}

/// The clauses that ask something: "what is X and when do I need it" has two.
fn clauses(question: &str) -> usize {
    let lower = question.to_lowercase();
    let pieces = lower.split(['?', ',', ';', '.']).map(|piece| piece.trim().trim_start_matches("and "));
    pieces.flat_map(|piece| piece.split(" and ")).filter(|piece| asks(piece)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_cut_into_what_it_names() {
        for (question, parts) in [
            ("Compare the trade-offs of pgvector, Qdrant and Pinecone", 3),
            ("What are the limits of pgvector, Qdrant, Pinecone, Weaviate and Milvus?", 5),
            ("Compare three vector databases", 3),
            ("1. What is a lock?\n2. What is a latch?\n3. What is a pin?\n4. What is a page?", 4),
            ("What is a checkpoint and when does it run?", 2),
            ("How do I install it, and what does it cost?", 2),
            ("What should a small team know about vector databases before it chooses one?", 1),
            ("?", 0),
        ] {
            assert_eq!(named(question), parts, "{question}");
        }
    }
}
