//! Raising a cap of the run, where it needs the person.

use super::{Effect, may_not_change};
use crate::field::{Field, Lines};
use crate::stage::Command;
use crate::ui::{Overlay, Ui};
use run::raise::Unraised;
use run::{Cap, Limits, Run};
use text::Clean;

/// Opens the box: money first where money is capped.
pub(super) fn open(ui: &mut Ui, run: &Run) {
    if let Some((cap, is)) = run.ledger.run().limits.caps().next() {
        ui.overlay = Overlay::Raising { cap, field: Field::new("", Lines::One).with_placeholder(&cap.written(is)) };
    }
}

/// Another of the caps there are; what was typed stays.
pub(super) fn next(ui: &mut Ui, run: &Run) {
    let Overlay::Raising { cap, field } = &mut ui.overlay else { return };
    let caps: Vec<(Cap, u64)> = run.ledger.run().limits.caps().collect();
    let at = caps.iter().position(|(other, _)| other == cap).map_or(0, |at| at + 1);
    if let Some((other, is)) = caps.get(at).or(caps.first()) {
        *cap = *other;
        *field = std::mem::replace(field, Field::new("", Lines::One)).with_placeholder(&other.written(*is));
    }
}

/// Asks the desk for what was typed; what is not right is said, and stays to be put right.
pub(super) fn submit(ui: &mut Ui, run: &Run) -> Vec<Effect> {
    let Overlay::Raising { cap, field } = &ui.overlay else { return Vec::new() };
    match asked(run, *cap, field) {
        Ok(to) => {
            ui.overlay = Overlay::None;
            vec![Effect::Send(Command::RaiseCap(to))]
        }
        Err(why) => {
            ui.status = Some(Clean::line(&why));
            Vec::new()
        }
    }
}

fn asked(run: &Run, cap: Cap, field: &Field) -> Result<Limits, String> {
    if field.is_blank() {
        let is = run.ledger.run().limits.cap(cap).map_or_else(String::new, |is| cap.written(is));
        return Err(format!("write the new {cap}, more than {is}; Esc leaves it as it is"));
    }
    let asked = cap.read(&field.text())?;
    run.raised(Limits::of(cap, asked)).map_err(|why| why.to_string())
}

/// Why no cap can be raised now, for the person.
pub(super) fn why_not(ui: &Ui, run: &Run) -> Option<Clean> {
    may_not_change(ui, run).or_else(|| match run.raised(Limits::default()) {
        Err(Unraised::Nothing) if run.ledger.run().limits.caps().next().is_some() => None,
        Err(Unraised::Nothing) => Some("this run has no cap: there is nothing to raise".into()),
        Err(why) => Some(Clean::line(&why.to_string())),
        Ok(_) => None,
    })
}
