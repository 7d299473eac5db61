//! Stories of the person's approvals: plan and findings, and the brief from them.

use super::{QUESTION, Terminal};

#[test]
fn a_person_corrects_the_findings_and_reads_the_brief() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    let (all, of) = person.wait_for_kept(|kept, of| kept == of);
    person.press(" ");
    person.wait_for_kept(|kept, _| kept == all - 1);
    person.press("aOur own servers are in Finland.\r");
    person.wait_for_kept(|kept, now| kept == all && now == of + 1);
    person.press("/Finland\r");
    person.wait_for(&format!("1 of {}", of + 1));
    person.press("\x1b");
    person.wait_for("[ ] ");
    person.approve_and_read();
    person.press("n\r");
    person.wait_for("finding of");
    person.press("q1");
    person.wait_for("✓ writer");
    person.press("i\r");
    person.wait_for("handoff #");
    person.press("t");
    person.wait_for("\"payload\"");
    person.press("q3G");
    person.wait_for("you wrote it, without a source");
    person.press("Q");
    assert!(person.end_and_given_back().success());
    assert!(person.screen.screen().contents().contains("masthead export"), "what to do next is said");
}

#[test]
fn a_person_goes_through_many_findings_by_section_and_is_told_what_goes_before_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    let (all, of) = person.wait_for_kept(|kept, of| kept == of);
    person.press("t");
    let (left, _) = person.wait_for_kept(|kept, _| kept < all);
    person.press("z");
    person.wait_for("▸ [ ] ");
    person.press("A");
    person.wait_for(&format!("{left} go to the writer: {} dropped", of - left));
    person.press("n");
    person.wait_for("space toggle");
    person.press("u");
    person.wait_for_kept(|kept, _| kept == all);
    person.press("Z");
    person.wait_for("▾ [x] ");
    person.press("n");
    person.wait_for("≠ ");
    person.wait_for("findings of");
    person.press("q/Qdrant\r");
    person.wait_for(&format!(" of {of}"));
    person.press("T");
    person.wait_for_kept(|kept, _| kept < all);
    person.press("A");
    person.wait_for("The filter hides ");
    person.press("n");
    person.wait_for("space toggle");
    // A change stays undoable after more was asked for.
    person.press("um\t\t\t\r");
    person.wait_for_kept(|_, now| now > of);
    person.takes_keys();
    person.press("Q");
    person.end_and_given_back();
}

#[test]
fn a_contradiction_is_gone_to_and_shows_both_sides_with_both_passages() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    let both = |person: &mut Terminal| {
        person.wait_for("≠ 40 here, 100 there");
        person.wait_for("pgvector/tuning.md:14 · HNSW settings");
        person.wait_for("≠ 100 here, 40 there");
        person.wait_for("notes/old-tuning-notes.txt:21 · Settings");
    };
    person.press("n");
    both(&mut person);
    // There is no other one: it stays.
    person.press("n");
    person.draws_anew();
    both(&mut person);
    person.press("q");
    person.wait_for("space toggle");
    person.press("Q");
    person.end_and_given_back();
}

#[test]
fn words_of_the_person_are_marked_as_theirs_in_the_brief_its_evidence_and_its_exports() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::brief(dir.path(), 45, 160, &[]);
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    person.press("e");
    person.wait_for("the claim in other words");
    person.press(" Or so we think.\r");
    person.wait_for("✎ your wording");
    person.approve_and_read();
    person.wait_for("┌ evidence ");
    person.wait_for("marked ✎: these are yours");
    person.press("G");
    person.wait_for("In your words");
    person.wait_for("the source says: [");
    person.press("Q");
    assert!(person.end_and_given_back().success());
    let export = |format: &str| {
        let mut command = crate::masthead(dir.path());
        let (code, out, err) = kit::run(command.args(["export", "last", "--format", format]));
        assert_eq!(code, 0, "{err}");
        out
    };
    let brief = export("md");
    assert!(brief.lines().any(|line| line.contains("Or so we think. ✎ [")), "the claim is in the brief: {brief}");
    assert!(brief.contains("Or so we think.” The source says: ["), "{brief}");
    let json: serde_json::Value = serde_json::from_str(&export("json")).unwrap();
    let yours = &json["brief"]["in_your_words"][0];
    let (words, original) = (yours["words"].as_str().unwrap(), yours["original"].as_str().unwrap());
    assert!(words.ends_with("Or so we think.") && !original.contains("Or so we think"), "{yours}");
    let sentences = json["brief"]["sentences"].as_array().unwrap();
    assert!(sentences.iter().any(|one| one["in_your_words"] == true));
    assert!(sentences.iter().any(|one| one["in_your_words"] == false));
}

#[test]
fn a_citation_leads_to_its_evidence_beside_the_brief_and_on_to_the_call_that_found_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::brief(dir.path(), 45, 160, &[]);
    person.wait_for("approve what the writer may use");
    person.approve_and_read();
    person.wait_for("evidence ─");
    person.wait_for("found by  researcher · ");
    person.press("n\r");
    // It opens at the quote, with the passage unfolded.
    person.wait_for("call 11 of ");
    person.wait_for("/The trade-off");
    person.press("\x1b");
    person.wait_for("evidence ─");
    // Narrower, the evidence is a key before the call.
    person.resize(24, 80);
    person.wait_for("Enter passage");
    person.press("\r");
    person.wait_for("finding of");
    person.press("\r");
    person.wait_for("call 11 of ");
    person.press("Q");
    assert!(person.end_and_given_back().success());
}

#[test]
fn a_person_changes_the_plan_and_the_brief_follows_it() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["brief", QUESTION, "--sources", "examples/vector-databases", "--check-plan"];
    let mut person = Terminal::start(dir.path(), &args, 40, 120, &[]);
    person.wait_for("3 tasks · approve what is to be worked on");
    // The last task goes; the first is asked and called something else.
    person.takes_keys();
    person.press("Gd");
    person.wait_for("2 tasks · approve");
    person.press("gt");
    person.wait_for("the title of the task");
    person.press(&"\x7f".repeat(30));
    person.press("Filters of Qdrant\r");
    person.wait_for("1  Filters of Qdrant");
    person.press("e");
    person.wait_for("the question of the task");
    person.press(&"\x7f".repeat(90));
    person.press("\r");
    person.wait_for("“Filters of Qdrant” asks nothing");
    person.press("How does Qdrant filter?\r");
    person.wait_for("How does Qdrant filter?  ");
    // One edit too many is taken back.
    person.press("d");
    person.wait_for("1 task · approve");
    person.press("u");
    person.wait_for("2 tasks · approve");
    person.press("A");
    person.wait_for("approve what the writer may use");
    person.wait_for("Filters of Qdrant");
    person.approve_and_read();
    person.wait_for("Filters of Qdrant");
    person.press("4");
    person.wait_for("2 tasks · approved");
    person.press("Q");
    assert!(person.end_and_given_back().success());
}

#[test]
fn a_sentence_in_the_persons_words_outlives_a_revision_of_the_rest() {
    let home = tempfile::tempdir().unwrap();
    let asks = ["brief", QUESTION, "--sources", "examples/vector-databases", "--check-draft"];
    let mut terminal = Terminal::start(home.path(), &asks, 40, 120, &[]);
    terminal.wait_for("approve what the writer may use");
    terminal.approve();
    terminal.wait_for("sentence 1 of");
    terminal.takes_keys();
    terminal.press("e");
    terminal.wait_for("in your words; it keeps what it cites");
    terminal.press("\x01\x0bWe have run pgvector for 7 years.\r");
    terminal.wait_for("We have run pgvector for 7 years.");
    terminal.wait_for("1 changed");
    terminal.press("jm");
    terminal.wait_for("a remark, which the writer r");
    terminal.press("this is not so\r");
    terminal.wait_for("1 remark");
    terminal.press("S");
    terminal.wait_until_gone("1 remark");
    // The draft comes back: without the remarked sentence, and with the person's sentence as they wrote it.
    terminal.wait_for("sentence 1 of");
    terminal.wait_for("We have run pgvector for 7 years.");
    terminal.takes_keys();
    terminal.press("A");
    terminal.wait_for("3 brief");
    terminal.wait_for("Changed by you: 1 sentence.");
    terminal.takes_keys();
    terminal.press("Q");
    terminal.end_and_given_back();
    let (_, brief, _) = kit::run(crate::masthead(home.path()).args(["export", "last"]));
    assert!(brief.contains("We have run pgvector for 7 years. ✎"), "it cites nobody: {brief}");
    assert!(brief.contains("but those marked ✎: these are yours."), "{brief}");
    assert!(brief.contains("- “We have run pgvector for 7 years.” The source says: [1] “"), "{brief}");
    let (_, json, _) = kit::run(crate::masthead(home.path()).args(["export", "last", "--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let sentences = json["brief"]["sentences"].as_array().unwrap();
    let own = sentences.iter().find(|one| one["text"] == "We have run pgvector for 7 years.").unwrap();
    assert!(own["in_your_words"] == true && own["citations"] == serde_json::json!([]), "{own}");
}

#[test]
fn a_run_that_is_approved_for_the_person_still_takes_their_keys() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["brief", QUESTION, "--sources", "examples/vector-databases", "--yes", "--break", "handoff:writer"];
    let mut person = Terminal::start(dir.path(), &args, 40, 120, &[]);
    // The findings are approved, and the breakpoint is for the person alone.
    person.wait_for("nothing has crossed");
    person.takes_keys();
    person.press("A");
    person.wait_for(" citations ─");
    person.takes_keys();
    person.press("Q");
    assert!(person.end_and_given_back().success());
}
