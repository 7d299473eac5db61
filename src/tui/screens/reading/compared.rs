//! Two runs side by side, as a page to read.

use super::{Piece, Reading};
use crate::prelude::*;
use run::compare::{Comparison, In, Row as Found, Stage, Took};

/// The page for two compared runs.
pub fn compared(it: &Comparison) -> Reading {
    let [first, second] = &it.runs;
    let mut pieces = vec![beside(Some(first.came_to()), Some(second.came_to()), false)];
    match it.same_question {
        true => pieces.push(Piece::Text(first.question.clone())),
        false => {
            pieces.push(Piece::Text("they were asked different questions".into()));
            pieces.push(beside(Some(first.question.to_string()), Some(second.question.to_string()), false));
        }
    }
    pieces.push(Piece::Text(match &it.unlike {
        Some(one) => {
            Clean::line(&format!("the first request that differs: call {} of the {}: {}", one.nth(), one.role, one.how))
        }
        None => Clean::line(&it.requests_in_words()),
    }));
    for (name, rows) in it.parts() {
        pieces.push(Piece::Title(Clean::line(&format!("{name}: {}", it.in_numbers(rows)))));
        pieces.extend(rows.iter().map(found));
    }
    pieces.push(Piece::Title("measured".into()));
    for (name, first, second) in it.measures() {
        let said = |figure: &str| Some(format!("{name}: {figure}"));
        pieces.push(beside(said(&first), said(&second), first == second));
    }
    pieces.push(Piece::Title("cost and time by role".into()));
    for Stage { role, first, second } in &it.stages {
        let took = |took: &Option<Took>| took.as_ref().map(|took| format!("{role}  {}", took.in_words()));
        pieces.push(beside(took(first), took(second), false));
    }
    pieces.push(Piece::Text("Which of them is better is yours to judge: nothing here says so.".into()));
    let title = Clean::line(&format!("{} and {}", first.run, second.run));
    Reading { title, columns: Some((first.run.clone(), second.run.clone())), pieces, asks: false }
}

fn found(row: &Found) -> Piece {
    Piece::Beside { first: row.first.clone(), second: row.second.clone(), alike: row.is == In::Both }
}

fn beside(first: Option<String>, second: Option<String>, alike: bool) -> Piece {
    Piece::Beside { first: first.map(|text| Clean::line(&text)), second: second.map(|text| Clean::line(&text)), alike }
}
