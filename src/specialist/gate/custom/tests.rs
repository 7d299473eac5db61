use super::*;
use run::Outcome;
use run::brief::{Piece, Section, Sentence};

fn draft(wording: Wording) -> Draft {
    let sentence = |text: &str| Sentence { text: text.into(), cites: vec![] };
    let sentences = vec![sentence("It is very fast."), sentence("One two three four five six seven.")];
    let pieces = vec![Piece::Paragraph { sentences }];
    Draft { sections: vec![Section { heading: "Costs and limits".into(), pieces }], wording, ..Draft::default() }
}

fn rule(set: impl FnOnce(&mut Rule)) -> Rule {
    let mut rule = Rule { why: "say how much".into(), ..Rule::default() };
    set(&mut rule);
    rule
}

#[test]
fn a_rule_names_what_breaks_it_and_vetoes_only_what_the_writer_can_mend() {
    for (what, rule, issues, veto_of_reworded, veto_of_quoted) in [
        ("a word", rule(|r| r.forbid = Some("Very".into())), 1, true, false),
        ("part of a word", rule(|r| r.forbid = Some("ver".into())), 0, false, false),
        ("words in a row", rule(|r| r.forbid = Some("very fast".into())), 1, true, false),
        ("words apart", rule(|r| r.forbid = Some("it fast".into())), 0, false, false),
        ("nothing", rule(|r| r.forbid = Some("".into())), 0, false, false),
        ("long sentences", rule(|r| r.sentence_words = Some(6)), 1, true, false),
        ("length", rule(|r| r.words = Some(5)), 1, true, true),
        ("a heading that is there", rule(|r| r.heading = Some("limits".into())), 0, false, false),
        ("a heading that is not", rule(|r| r.heading = Some("risks".into())), 1, true, true),
        ("advice", rule(|r| (r.words, r.advice) = (Some(5), true)), 1, false, false),
    ] {
        for (wording, vetoes) in [(Wording::Reworded, veto_of_reworded), (Wording::Quoted, veto_of_quoted)] {
            let verdict = judge(&draft(wording), std::slice::from_ref(&rule));
            assert_eq!((verdict.issues.len(), !verdict.passes()), (issues, vetoes), "{what} {wording:?}");
            assert!(verdict.issues.iter().all(|issue| issue.what.ends_with("say how much")), "{what}");
            assert_eq!(verdict.checks[0].holds, issues == 0, "{what}");
        }
    }
}

#[test]
fn what_a_program_says_becomes_issues_about_the_sentences_it_names() {
    let ran = |status, said: &str| {
        heard(&draft(Wording::Reworded), &Ran { status, said: said.into(), last_words: "".into() })
    };
    let verdict = |step: Step| match step {
        Step::Report { outcome: Outcome::Done, payload, .. } => payload.verdicts()[0].clone(),
        other => panic!("{other:?}"),
    };
    assert!(verdict(ran(0, "whatever it says")).passes());
    let found = verdict(ran(1, "“It is very fast.” — how fast?\n\nno figures at all\n"));
    assert_eq!(found.issues.len(), 2);
    assert_eq!(found.issues[0].sentence.as_deref(), Some("It is very fast."));
    assert_eq!((found.issues[1].sentence.as_ref(), found.passes()), (None, false));
    let many = "wrong\n".repeat(500);
    assert_eq!(verdict(ran(1, &many)).issues.len(), MOST_ISSUES);
    for (status, said) in [(1, ""), (2, "no such file"), (127, "")] {
        let step = ran(status, said);
        assert!(matches!(&step, Step::Report { outcome: Outcome::Failed(_), .. }), "{status} {step:?}");
    }
}
