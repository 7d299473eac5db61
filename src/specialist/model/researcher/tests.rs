use super::claim::{Checked, Row, stands_alone};
use super::found::hit_of;
use super::*;
use crate::model::located::Read;
use crate::sample::{assigned, block, source};
use run::finding::{Finding, WordsOf};
use run::{AssignmentId, FindingId};

/// Reads a claim with its quote from a page on the limits of Pinecone, in a run on pgvector and Qdrant.
fn found(claim: &str, quote: &str) -> Finding {
    const TEXT: &str = "Qdrant accepts up to 65,535 dimensions. pgvector has no limit of its own, as metadata is columns. Pinecone has no joins.";
    let (source, block) = (source("Pinecone limits"), Arc::new(block(TEXT)));
    let read = [Read { source: &source, block: &block }];
    let id = FindingId::new(AssignmentId::nth(1), 1);
    let checked = Checked { read: &read, things: &["pgvector".into(), "Qdrant".into()], question: "" };
    checked.finding(id, None, Row { claim: claim.into(), quote, source: "" }).0
}

fn handoff(notes: Option<Vec<Clean>>) -> Arc<run::handoff::Handoff> {
    asked("What is it?", notes)
}

fn asked(question: &str, notes: Option<Vec<Clean>>) -> Arc<run::handoff::Handoff> {
    let task = Task::new(run::TaskId(1), "Qdrant".into(), question.into());
    let task = run::handoff::PlannedTask { task, shape: run::plan::Shape::Overview };
    Arc::new(run::handoff::Handoff {
        no: run::HandoffNo(1),
        from: None,
        to: None,
        names: ("supervisor".into(), "researcher".into()),
        title: "Qdrant".into(),
        payload: Payload { question: Some("What is it?".into()), task: Some(task), notes, ..Payload::default() },
    })
}

/// The result of a report on a page, and its flaws.
fn read(rows: Value, gaps: Value) -> Made {
    const TEXT: &str = "Jobs over 64 KB are slow. Backups do not include the queue. Version 3.0 was released on 4 March 2024 and needs Linux 5.";
    read_in(TEXT, rows, gaps)
}

/// The result of a report on a page of this text.
fn read_in(text: &str, rows: Value, gaps: Value) -> Made {
    let (transcript, handoff) = (read_before(text), handoff(None));
    let report = Report::Json(json!({ "findings": rows, "gaps": gaps }));
    Researcher.read(&report, &assigned(&handoff), &transcript).unwrap()
}

/// A transcript in which a page of this text was read.
fn read_before(text: &str) -> Transcript {
    let mut transcript = Transcript::new(handoff(None));
    let excerpt = run::evidence::Excerpt { source: source("Limits"), blocks: vec![Arc::new(block(text))], of: 1 };
    let request = Arc::new(builtin::Read { source: excerpt.source.id.clone(), from: 0, to: 1 }.into());
    let end = run::transcript::CallEnd::Returned(run::ToolResult::Excerpt(excerpt).into());
    let call = run::transcript::Call::new(run::CallId::new(AssignmentId::nth(1), 1), request, end);
    let did = run::transcript::Did::Tools(vec![call]);
    transcript.turns.push(Arc::new(run::transcript::Turn { stage: Conversation::Tools.into(), why: "".into(), did }));
    transcript
}

fn row(claim: &str, quote: &str) -> Value {
    json!({ "claim": claim, "quote": quote, "source": "limits" })
}

#[test]
fn a_quote_that_is_not_found_is_told_with_the_nearest_words() {
    let good = row("Jobs over 64 KB are slow.", "jobs over `64 KB` are slow");
    let made = read(json!([good, row("Backups leave out the queue.", "Backups don't include the queue.")]), json!(""));
    let lacks = made.lacks.unwrap().to_string();
    assert!(
        lacks.starts_with("1 quote is in no passage") && lacks.contains("\nBackups do not include the queue."),
        "{lacks}"
    );
    assert_eq!((made.payload.findings().len(), &*made.title), (2, "2 findings, 1 without a quote in a source"));
    assert!(read(json!([good]), json!("")).lacks.is_none());
}

#[test]
fn findings_that_are_incomplete_or_too_many_are_told_and_lists_of_texts_are_read() {
    let good = row("Jobs over 64 KB are slow.", "Jobs over 64 KB are slow.");
    let made = read(json!([good, { "claim": "Jobs are slow." }]), json!(["No price.", "No date."]));
    assert_eq!(made.lacks.unwrap().what, "1 finding is without a claim or a quote");
    assert_eq!(made.title, "1 finding, 1 incomplete left out");
    assert_eq!(made.payload.notes(), ["No price. No date."]);
    let many: Vec<Value> = (0..14).map(|_| good.clone()).collect();
    let made = read(json!(many), json!(""));
    assert_eq!(made.lacks.unwrap().what, "2 findings are beyond the 12 that are read");
    let made =
        read(json!([{ "claim": "Jobs over 64 KB are slow.", "quote": ["Jobs over 64 KB are slow."] }]), json!(""));
    assert!(made.lacks.is_none() && made.payload.findings()[0].place.is_some());
}

#[test]
fn a_claim_that_begins_with_a_pronoun_becomes_its_quote_and_one_fact_of_one_place_is_one_finding() {
    let quote = "Version 3.0 was released on 4 March 2024 and needs Linux 5.";
    let claims = |rows: &[(&str, &str)]| {
        let rows: Vec<Value> = rows.iter().map(|(claim, quote)| row(claim, quote)).collect();
        read(json!(rows), json!("")).payload.findings().iter().map(|f| f.claim.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(claims(&[("It was released on 4 March 2024.", quote)]), [quote]);
    let (first, other) = ("Version 3.0 was released on 4 March 2024.", "Version 3.0 needs Linux 5.");
    let short = "Version 3.0 was released in March 2024.";
    assert_eq!(claims(&[(short, quote), (first, quote), (first, quote)]), [first]);
    assert_eq!(claims(&[(first, quote), (other, quote)]), [first, other]);
}

#[test]
fn a_sentence_that_nothing_was_found_is_a_report_without_findings() {
    for text in [
        "Nothing found.",
        "I could not find anything on the price. The documents are general.",
        "No results were found.",
    ] {
        assert_eq!(Researcher.of_prose(text), Some(json!({ "findings": [], "gaps": text })), "{text}");
    }
    for text in [
        "I will search for the price.",
        "Jobs over 64 KB are slow.",
        "Nothing is faster than Widget.",
        "My findings from the documents: the rent includes heating but not electricity. The deposit is paid at once.",
        "The documents do not say everything in one place, so I will search for the laundry next.",
        "The documents do not say it for all, but large jobs are slow.",
        "{'findings': [{'claim': 'No job is slow.', 'quote': 'No job is slow.', 'source': 'limits'}]}",
    ] {
        assert_eq!(Researcher.of_prose(text), None, "{text}");
    }
}

#[test]
fn a_claim_beyond_its_quote_is_told_where_the_quote_cannot_be_understood_alone() {
    let (claim, quote) = ("Backups of version 3 are slow.", "It is slow");
    let made = read_in("Backups take a day. It is slow.", json!([row(claim, quote)]), json!(""));
    assert_eq!(made.payload.findings()[0].claim, "It is slow.");
    let lacks = made.lacks.unwrap();
    assert_eq!(lacks.what, "1 claim says more than the quote of its finding");
    assert!(lacks.to_string().contains("“Backups of version 3 are slow.”: "), "{lacks}");
    let made = read(json!([row("Jobs over 64 KB fail.", "Jobs over 64 KB are slow.")]), json!(""));
    assert!(made.lacks.is_none(), "the quote says what it is about");
}

#[test]
fn a_sentence_that_stands_in_for_a_claim_is_told_back_unless_it_names_what_the_claim_names() {
    let things = ["git reset".into(), "lzma".into()];
    let claim = "smtpd_relay_restrictions are access restrictions for relay control.";
    for (sentence, claim, is_alone) in [
        ("Access restrictions for mail relay control that the server applies.", claim, false),
        ("smtpd_relay_restrictions has access restrictions.", claim, true),
        ("If you do not give the level, it will use level 6.", "The level of lzma is 6 by default.", false),
        ("If you do not give the level, lzma will use level 6.", "The level of lzma is 6 by default.", true),
        ("waits a few seconds", "The server waits a few seconds at most.", false),
        ("$ gitk --not --all", "A list shows all of them.", false),
        ("Take care with these alternatives as both will discard changes.", "Both discard all changes.", false),
        ("Again, you should never do that.", "One should never ever do that.", false),
        ("The following sequence switches to it.", "A sequence switches.", false),
        ("Jobs over 64 KB are slow.", "Jobs over 64 KB fail.", true),
        ("Rows are kept for a day.", "Rows are kept for two days.", true),
    ] {
        assert_eq!(stands_alone(sentence, claim, &things), is_alone, "{sentence}");
    }
}

#[test]
fn a_sentence_that_does_not_name_its_subject_gets_it_from_the_heading_that_the_claim_names_too() {
    let title = "smtpd_relay_restrictions (default: empty)";
    let claimed = |title: &str, text: &str, claim: &str| {
        let (source, block) = (source(title), Arc::new(block(text)));
        let read = [Read { source: &source, block: &block }];
        let id = FindingId::new(AssignmentId::nth(1), 1);
        let row = Row { claim: claim.into(), quote: text, source: "" };
        let (found, why) = Checked { read: &read, things: &[], question: "" }.finding(id, None, row);
        let passages = [run::handoff::Passage { source: source.clone(), block: block.clone() }];
        assert_eq!(crate::gate::support::strict(&found, &passages, &[], ""), Ok(()));
        (found.claim.to_string(), why.is_some())
    };
    let said = "Access restrictions for mail relay control.";
    let named = "smtpd_relay_restrictions holds 7 access restrictions for mail relay control.";
    assert_eq!(claimed(title, said, named), (format!("[smtpd_relay_restrictions]: {said}"), true));
    assert_eq!(claimed("Relays", said, named), (said.to_owned(), true), "nothing above it has the name");
    let other = "Pinecone restricts the access of clients.";
    assert_eq!(claimed(title, other, "smtpd_relay_restrictions restricts 7 clients.").0, other, "it names another");
}

#[test]
fn an_answer_to_what_a_report_lacks_mends_that_and_what_held_stands() {
    const TEXT: &str = "Jobs over 64 KB are slow. Backups do not include the queue. It is slow at night.";
    let (transcript, handoff) = (read_before(TEXT), handoff(None));
    let good = row("Jobs over 64 KB are slow.", "Jobs over 64 KB are slow.");
    let bad = row("Backups leave out the queue.", "Backups don't include the queue.");
    let leaning = row("Backups of version 3 are slow at night.", "It is slow at night.");
    let mended = row("Backups do not include the queue.", "Backups do not include the queue.");
    let claims = |answer: Value| {
        let first =
            super::found(&json!({ "findings": [good, bad, leaning] }), 9, &assigned(&handoff), &transcript).unwrap();
        let lacks = lacks(&first, &transcript).unwrap().to_string();
        assert!(lacks.contains("1 finding stands and need not come again"), "{lacks}");
        let found = first.mended(&json!({ "findings": answer }), &assigned(&handoff), &transcript).unwrap();
        let ids: BTreeSet<FindingId> = found.findings.iter().map(|finding| finding.id).collect();
        assert_eq!(ids.len(), found.findings.len(), "each has a number of its own");
        found.findings.iter().map(|finding| finding.claim.to_string()).collect::<Vec<_>>()
    };
    let [held, source, new] =
        ["Jobs over 64 KB are slow.", "It is slow at night.", "Backups do not include the queue."];
    assert_eq!(claims(json!([])), [held, source]);
    assert_eq!(claims(json!([good, mended])), [held, new], "what was said again is there once");
}

#[test]
fn what_a_task_leaves_out_is_not_searched_for() {
    let question = "How does Qdrant filter? Leave quantization out. Do not look at sharding.";
    assert_eq!(rare_words(question, "", 6), ["Qdrant", "filter"]);
}

#[test]
fn a_passage_that_several_findings_quote_is_read_once() {
    let hit = |title: &str| run::evidence::Hit {
        source: source(title),
        block: 0,
        headings: [].into(),
        columns: None,
        snippet: format!("{title} is told of here at some length.").as_str().into(),
        score: 1,
    };
    let hits = run::evidence::Hits { hits: ["One", "Two"].map(hit).into(), ..Default::default() };
    let (transcript, handoff) = (searched(hits), handoff(None));
    let row = |title: &str| json!({ "claim": "It is told.", "quote": format!("{title} is told of here at some length. And more."), "source": "" });
    let rows = ["One", "Two", "One"].map(row);
    let report = json!({ "findings": rows });
    let found = super::found(&report, 9, &assigned(&handoff), &transcript).unwrap();
    assert_eq!((found.findings.len(), found.unread.len()), (3, 2));
}

#[test]
fn a_quote_is_looked_for_whole_and_in_the_named_source_first() {
    let hit = |title: &str, snippet: &str| run::evidence::Hit {
        source: source(title),
        block: 7,
        headings: [].into(),
        columns: None,
        snippet: snippet.into(),
        score: 1,
    };
    let quote = "The recommended recovery method is to drop the index and try again.";
    let begins = "The recommended recovery method is another one here.";
    let hits = vec![hit("First", begins), hit("Second", begins), hit("Third", quote)];
    let transcript = searched(run::evidence::Hits { hits, ..Default::default() });
    for (quote, named, found) in [
        (quote, "third", "third"),
        (quote, "", "third"),
        (quote, "second", "second"),
        ("The recommended recovery method is unknown.", "", "first"),
        ("Nothing of the kind is said.", "second", "second"),
    ] {
        let call = hit_of(quote, named, &transcript).unwrap().of::<builtin::Read>().unwrap();
        assert_eq!(&*call.source.0, found, "{quote} of {named}");
    }
}

/// A transcript in which a search has found this.
fn searched(hits: run::evidence::Hits) -> Transcript {
    let request = Arc::new(builtin::Search::new("told", 2).into());
    let end = run::transcript::CallEnd::Returned(run::ToolResult::Hits(hits).into());
    let call = run::transcript::Call::new(run::CallId::new(AssignmentId::nth(1), 1), request, end);
    let mut transcript = Transcript::new(handoff(None));
    let did = run::transcript::Did::Tools(vec![call]);
    let stage = run::stage::Conversation::LookUp.into();
    transcript.turns.push(Arc::new(run::transcript::Turn { stage, why: Clean::default(), did }));
    transcript
}

#[test]
fn what_the_person_asks_for_is_searched_for_first() {
    let searched = |notes: Option<Vec<Clean>>| Researcher.first(&assigned(&handoff(notes)));
    let search = |query: &str| vec![builtin::Search::new(Clean::from(query), builtin::Search::HITS_OF_MODEL).into()];
    assert_eq!(searched(None), search("Qdrant"));
    assert_eq!(searched(Some(vec!["How does it filter?".into()])), search("Qdrant filter"));
    let wish = "Does it log when it steps the clock?";
    assert_eq!(searched(Some(vec![wish.into()])), search("log steps clock"));
}

#[test]
fn the_first_search_has_the_rare_words_of_a_question_in_its_order() {
    let searched = |question: &str| Researcher.first(&assigned(&asked(question, None)));
    let search = |query: &str| vec![builtin::Search::new(Clean::from(query), builtin::Search::HITS_OF_MODEL).into()];
    assert_eq!(
        searched("How does Qdrant quantize vectors, and what does quantization cost?"),
        search("Qdrant quantize vectors cost")
    );
    let long = "Why would a query that many people would call good not use my bitmap index, which settings of the planner \
                and which statistics, collations, operators or casts keep it from doing so, and how do I see that?";
    let Some(first) = searched(long).pop() else { panic!("a search") };
    let query = first.of::<builtin::Search>().unwrap().query;
    assert_eq!(query.split(' ').count(), 1 + MOST_WORDS, "{query}");
    assert!(query.contains("bitmap") && !query.contains("people"), "{query}");
}

#[test]
fn a_task_that_is_the_question_itself_is_told_once() {
    let told = |question: &str| Researcher.task(&assigned(&asked(question, None)));
    let same = told("What is it?");
    assert_eq!((same.matches("What is it?").count(), same.contains("others")), (1, false), "{same}");
    let part = told("What does it cost?");
    assert!(part.contains("Your part of it: Qdrant\n<task>\nWhat does it cost?"), "{part}");
}

#[test]
fn a_claim_that_its_quote_bears_out_stays_in_the_model_s_words() {
    let found = found("Qdrant takes vectors of up to 65,535 dimensions.", "Qdrant accepts up to 65,535 dimensions");
    assert_eq!((&*found.claim, found.words_of), ("Qdrant takes vectors of up to 65,535 dimensions.", WordsOf::Model));
}

#[test]
fn a_claim_that_tells_of_one_thing_what_the_source_says_of_another_is_replaced_by_whole_sentences_of_the_source() {
    for (claim, quote, expected) in [
        ("Qdrant has no joins.", "Pinecone has no joins", "Pinecone has no joins."),
        (
            "pgvector has no limit, but Qdrant does, of 65,535 dimensions.",
            "pgvector has no limit of its own, as",
            "pgvector has no limit of its own, as metadata is columns.",
        ),
        (
            "pgvector has a limit of 65,535.",
            "pgvector has no limit of its own",
            "pgvector has no limit of its own, as metadata is columns.",
        ),
    ] {
        let found = found(claim, quote);
        assert_eq!((&*found.claim, &*found.quote, found.words_of), (expected, expected, WordsOf::Source));
    }
}
