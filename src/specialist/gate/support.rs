//! The strict support check: a claim must be its quote after logged edits, and nothing else.
//!
//! It is not enough that the words of a claim occur in its passage: a negated claim passes such a check 98 times in
//! 100.

use run::evidence::Place;
use run::finding::{Announced, Finding, WordsOf, apply};
use run::handoff::Passage;

use super::edits::{Around, check_edit};
use super::paraphrase::{Objection, objection};
use super::subject::Quoted;
use super::terms::unknown_term;
use text::Clean;

/// Checks that a claim is its quote after logged edits, each within its rule; a claim in a model's words must be about
/// the one of `things` that the quote is about, and may have the names of the question. Claims in the person's own words pass: the person
/// answers for them.
pub(crate) fn strict(
    finding: &Finding,
    passages: &[Passage],
    things: &[Clean],
    question: &str,
) -> Result<(), Objection> {
    if finding.words_of.is_of_person() {
        return Ok(());
    }
    // The count was verified when it was reported; here only its line is checked.
    if finding.words_of == WordsOf::Tool {
        return quoted(finding, passages).map_err(Objection::certain);
    }
    let passage = passage_of(finding, passages);
    if finding.words_of == WordsOf::Model {
        let quoted = Quoted::new(&finding.quote, finding.place.as_ref(), passage.map(|passage| &*passage.block));
        let quoted = quoted.announcing(&finding.announced).answering(question, things);
        return of_model(&finding.claim, quoted, things).map_or(Ok(()), Err);
    }
    let around = passage.map(|passage| Around { title: &passage.source.title, block: &passage.block });
    for edit in &finding.edits {
        check_edit(edit, &finding.quote, around.as_ref()).map_err(Objection::certain)?;
    }
    match apply(&finding.quote, &finding.edits) {
        Some(claim) if claim == finding.claim.as_str() => Ok(()),
        Some(_) => Err(Objection::certain("the claim is not what its edits make of the quote".into())),
        None => Err(Objection::certain("an edit does not fit the quote".into())),
    }
}

/// The objection to a claim in a model's words: words beyond its quote, or a term of program text that is not there.
pub(crate) fn of_model(claim: &str, quoted: Quoted, things: &[Clean]) -> Option<Objection> {
    let quoted = [quoted];
    let of_term = || {
        let term = unknown_term(claim, false, &quoted, things)?;
        Some(Objection::certain(format!("“{term}” stands in none of the quotes")))
    };
    objection(claim, &quoted, things).or_else(of_term)
}

/// Checks that the quote is verbatim in the stored passage at the finding's place.
pub(crate) fn quoted(finding: &Finding, passages: &[Passage]) -> Result<(), String> {
    let Some(place) = &finding.place else {
        return if finding.words_of == WordsOf::Person { Ok(()) } else { Err("it names no place".into()) };
    };
    let Some(passage) = passage_of(finding, passages) else {
        return Err(format!("its passage ({place}) is not among those that this run has read"));
    };
    match place.words(&passage.block) {
        found if found == finding.quote.as_str() && !found.is_empty() => {}
        _ => return Err(format!("{place} does not hold the quote to the letter")),
    }
    let stands = |one: &&Announced| {
        stored(&one.place, passages).is_some_and(|passage| one.place.words(&passage.block) == one.text.as_str())
    };
    match finding.announced.iter().find(|one| !stands(one)) {
        None => Ok(()),
        Some(one) => Err(format!("{} does not hold to the letter what the quote announces", one.place)),
    }
}

/// The stored passage that a finding quotes.
pub(super) fn passage_of<'a>(finding: &Finding, passages: &'a [Passage]) -> Option<&'a Passage> {
    stored(finding.place.as_ref()?, passages)
}

/// The stored passage of a place.
fn stored<'a>(place: &Place, passages: &'a [Passage]) -> Option<&'a Passage> {
    passages.iter().find(|passage| passage.source.id == place.source.id && passage.block.no == place.block)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extractive::claim::claims;
    use crate::sample::{block, finding, source};

    #[test]
    fn what_a_quote_announces_stands_in_its_passage_to_the_letter() {
        let page = source("Drivers");
        let [first, second] = [(0, "Start the driver with this command:"), (1, "upsdrvctl start")]
            .map(|(no, text)| Block { no, ..block(text) });
        let mut finding = finding(0, "Drivers", &first.text);
        let place = Place::new(&page, &second, 0..second.text.len());
        let passages = [first, second].map(|block| Passage { source: page.clone(), block: Arc::new(block) });
        finding.announced = vec![Announced { text: "upsdrvctl start".into(), place: place.clone() }];
        assert_eq!(quoted(&finding, &passages), Ok(()));
        assert!(quoted(&finding, &passages[..1]).is_err(), "its passage is not there");
        finding.announced = vec![Announced { text: "upsdrvctl stop".into(), place }];
        assert!(quoted(&finding, &passages).is_err());
    }

    use run::evidence::{Block, BlockKind, SourceRef};
    use run::finding::{Edit, EditRule};

    /// Pages as in manuals and encyclopaedias, as sources of claims.
    const PAGES: &[(&str, &[&str])] = &[
        (
            "Qdrant overview",
            &[
                "Qdrant is an open-source vector search engine written in Rust. It is released under the Apache 2.0 license.",
                "Qdrant splits a collection into shards and can keep several replicas of each shard. The default replication factor is 1, so replication must be asked for.",
                "However, small segments are searched by full scan, and the optimizer is never faster than the disk (see section 4).",
                "Qdrant accepts dense vectors of up to 65,535 dimensions, and it also stores sparse vectors.",
            ],
        ),
        (
            "pgvector at a glance",
            &[
                "pgvector stores vectors in ordinary PostgreSQL tables. A backup of the database is also a backup of the embeddings.",
                "An HNSW index on the vector type accepts at most 2,000 dimensions. The limit for an index on halfvec is 4,000 dimensions.",
                "In addition, pgvector applies filters after the index scan, which can return too few rows.",
                "A higher ef_search improves recall and makes each query slower. Loading the rows first is faster than the reverse.",
            ],
        ),
        (
            "Pinecone limits",
            &[
                "Pinecone limits metadata to 40 KB per record. A query in Pinecone always targets a single namespace.",
                "Pinecone bills a serverless index for read units, write units and storage. Splitting tenants into namespaces lowers the cost of each query.",
                "Pinecone is eventually consistent, so fresh writes can be missing from results.",
            ],
        ),
        (
            "The Hanseatic League",
            &[
                "The Hanseatic League was a confederation of merchant guilds and market towns in Northern Europe. It dominated trade in the Baltic Sea for three centuries.",
                "Lübeck led the league, and Hamburg followed Lübeck in most decisions. The last formal diet met in 1669 with only 9 members.",
                "Moreover, the rise of Sweden weakened the league before the war with Denmark began in 1611.",
            ],
        ),
        (
            "Logging",
            &[
                "The default level is WARNING, which means that events below it are not tracked. Handlers send the records to their destinations.",
                "A logger with a higher level than the message drops the message. The root logger has no parent and is created by the module.",
            ],
        ),
        (
            "Virtual memory",
            &[
                "Virtual memory maps the addresses of a process to physical addresses. The page size is usually 4 KB on this hardware.",
                "A page fault always interrupts the process until the kernel has loaded the page. Larger pages increase throughput but waste more memory.",
                "The kernel evicts the oldest pages first, and the process waits for the disk.",
            ],
        ),
    ];

    struct Case {
        finding: Finding,
        passages: Vec<Passage>,
    }

    fn cases() -> Vec<Case> {
        let mut cases = Vec::new();
        for (title, paragraphs) in PAGES {
            let subject = title.split(' ').next().filter(|name| paragraphs[0].contains(&format!("{name} is")));
            for (no, text) in paragraphs.iter().enumerate() {
                let source = source(title);
                let block = Block { no: no as u32, ..block(text) };
                for claim in claims(&source, &block, subject) {
                    let mut finding = finding(no as u32, title, &text[claim.range.clone()]);
                    if let Some(place) = &mut finding.place {
                        (place.start, place.end) = (claim.range.start as u32, claim.range.end as u32);
                    }
                    finding.claim = claim.text.as_str().into();
                    finding.edits = claim.edits;
                    let passages = vec![Passage { source: source.clone(), block: Arc::new(block.clone()) }];
                    cases.push(Case { finding, passages });
                }
            }
        }
        cases
    }

    /// Replaces the claim of a finding, with edits that would produce it: a liar keeps a clean log.
    fn lie(finding: &Finding, claim: &str) -> Finding {
        let mut lying = finding.clone();
        lying.claim = claim.into();
        let (quote, old) = (finding.quote.as_str(), claim);
        let same = quote.bytes().zip(old.bytes()).take_while(|(a, b)| a == b).count();
        let mut same = same.min(quote.len()).min(old.len());
        while !quote.is_char_boundary(same) || !old.is_char_boundary(same) {
            same -= 1;
        }
        lying.edits = vec![Edit {
            rule: EditRule::Punctuation,
            at: same as u32,
            removed: quote[same..].into(),
            inserted: old[same..].into(),
        }];
        lying
    }

    fn replaced(claim: &str, pairs: &[(&str, &str)]) -> Option<String> {
        pairs.iter().find_map(|(from, to)| claim.contains(from).then(|| claim.replacen(from, to, 1)))
    }

    #[test]
    fn mutated_claims_are_caught_and_true_ones_pass() {
        let cases = cases();
        assert!(cases.len() >= 30, "{}", cases.len());
        let number = |claim: &str| {
            let at = claim.find(|c: char| c.is_ascii_digit())?;
            let digit = if &claim[at..=at] == "7" { "8" } else { "7" };
            Some(format!("{}{digit}{}", &claim[..at], &claim[at + 1..]))
        };
        let negated = |claim: &str| {
            replaced(
                claim,
                &[
                    (" is ", " is not "),
                    (" are ", " are not "),
                    (" can ", " cannot "),
                    (" was ", " was not "),
                    (" never ", " "),
                    (" always ", " never "),
                    (" no ", " a "),
                ],
            )
        };
        let antonym = |claim: &str| {
            replaced(
                claim,
                &[
                    ("higher", "lower"),
                    ("faster", "slower"),
                    ("first", "last"),
                    ("improves", "worsens"),
                    ("at most", "at least"),
                    ("increase", "reduce"),
                    ("lowers", "raises"),
                    ("below", "above"),
                    ("oldest", "newest"),
                    ("led", "left"),
                    ("before", "after"),
                    ("open-source", "closed-source"),
                ],
            )
        };
        let entity = |claim: &str| {
            replaced(
                claim,
                &[
                    ("Qdrant", "Pinecone"),
                    ("pgvector", "Qdrant"),
                    ("Pinecone", "pgvector"),
                    ("Lübeck", "Bremen"),
                    ("PostgreSQL", "MySQL"),
                    ("HNSW", "IVFFlat"),
                    ("Sweden", "Norway"),
                    ("WARNING", "ERROR"),
                    ("kernel", "user"),
                ],
            )
        };
        let swapped = |claim: &str| {
            let words: Vec<&str> = claim.trim_end_matches('.').split(' ').collect();
            let (a, b) = (words.first()?, words.last()?);
            (a != b && words.len() > 3).then(|| format!("{b} {} {a}.", words[1..words.len() - 1].join(" ")))
        };
        let invented = |claim: &str| Some(format!("{}, as experts agree.", claim.trim_end_matches('.')));
        type Mutation<'a> = (&'a str, Box<dyn Fn(&str) -> Option<String> + 'a>);
        let mutations: Vec<Mutation<'_>> = vec![
            ("number changed", Box::new(number)),
            ("invented clause", Box::new(invented)),
            ("negated", Box::new(negated)),
            ("antonym", Box::new(antonym)),
            ("entity swapped", Box::new(entity)),
            ("roles or order swapped", Box::new(swapped)),
        ];
        for (name, mutate) in &mutations {
            let (mut caught, mut all) = (0, 0);
            for case in &cases {
                let Some(mutated) = mutate(&case.finding.claim).filter(|m| *m != *case.finding.claim.as_str()) else {
                    continue;
                };
                let mut plain = case.finding.clone();
                plain.claim = mutated.as_str().into();
                for lying in [plain, lie(&case.finding, &mutated)] {
                    all += 1;
                    caught += usize::from(strict(&lying, &case.passages, &[], "").is_err());
                }
            }
            assert!(all >= 10, "{name}: only {all} claims could be mutated");
            assert!(caught * 100 >= all * 95, "{name}: {caught} of {all} caught");
        }
        // A citation swapped: the claim of one finding over the quote and place of another.
        let (mut caught, mut all) = (0, 0);
        for (at, case) in cases.iter().enumerate() {
            let other = &cases[(at + 1) % cases.len()];
            let mut swapped = other.finding.clone();
            swapped.claim = case.finding.claim.clone();
            all += 1;
            caught += usize::from(strict(&swapped, &other.passages, &[], "").is_err());
        }
        assert!(caught * 100 >= all * 95, "citation swapped: {caught} of {all} caught");
        let alarms = cases
            .iter()
            .filter(|c| strict(&c.finding, &c.passages, &[], "").is_err() || quoted(&c.finding, &c.passages).is_err());
        let alarms: Vec<_> = alarms.map(|c| c.finding.claim.to_string()).collect();
        assert!(alarms.len() * 100 <= cases.len() * 3, "false alarms: {alarms:?}");
    }

    #[test]
    fn a_bracket_may_only_name_what_stands_around_the_quote() {
        let page: SourceRef = source("Qdrant overview");
        let block = Block { kind: BlockKind::Paragraph, ..block("It is fast.") };
        let passages = [Passage { source: page, block: Arc::new(block) }];
        let mut finding = finding(0, "Qdrant overview", "It is fast.");
        for (name, holds) in [("Qdrant", true), ("Pinecone", false), ("Qdrant, which never fails,", false)] {
            let edit = Edit {
                rule: EditRule::NameReferent,
                at: 0,
                removed: "It".into(),
                inserted: format!("[{name}]").into(),
            };
            finding.claim = format!("[{name}] is fast.").into();
            finding.edits = vec![edit];
            assert_eq!(strict(&finding, &passages, &[], "").is_ok(), holds, "{name}");
        }
    }
}
