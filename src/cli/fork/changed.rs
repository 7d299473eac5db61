//! The changes of a fork, as they are asked for: its models, prompts and caps, and an event in another form. It starts nothing.

use std::path::Path;

use super::{Wanted, id_of};
use crate::args::{EditedPayload, Thinking};
use crate::exit::Failure;
use crate::models;
use crate::output::shown;
use crate::place::Places;
use crate::recording::Recording;
use run::event::{Event, Opening};
use run::fork::{self, Edited};
use run::team::{AssignedModel, Kind};
use run::{Cap, Finding, Limits, Money, Role, Run, Seq, Team};
use text::difference::{self, Difference};

/// The team and the caps of a fork.
pub(super) struct Changed {
    pub(super) team: Team,
    /// The caps that are others.
    pub(super) limits: Limits,
    /// The changes, in words.
    pub(super) says: Vec<String>,
}

/// The team of the parent with the models, prompts and caps that are wanted instead.
pub(super) fn changed_team(
    places: &Places,
    wanted: &Wanted<'_>,
    run: &Run,
    opening: &Opening,
) -> Result<Changed, Failure> {
    let mut team = opening.team.clone();
    team.check_plan |= wanted.check_plan;
    team.check_draft |= wanted.check_draft;
    let mut says = new_models(places, wanted, &mut team)?;
    says.extend(new_prompts(wanted, &mut team)?);
    let limits = new_limits(run, wanted, &team)?;
    if limits != Limits::default() {
        says.push(format!("caps: {}", limits.in_words()));
    }
    Ok(Changed { team, limits, says })
}

/// An event of the parent in another form.
pub(super) struct EditedEvent {
    pub(super) event: Event,
    /// Its payload, if that differs from the parent's.
    pub(super) instead: Option<fork::Instead>,
    /// The change, in words.
    pub(super) says: String,
}

/// The event at which a fork begins, changed.
pub(super) fn edited_event(parent: &Recording, run: &Run, at: Seq, change: Edited) -> Result<EditedEvent, Failure> {
    let name = id_of(&parent.run)?;
    let was = parent.events.iter().find(|event| event.seq == at).map(|event| &event.event);
    let was = was.ok_or_else(|| Failure::Usage(format!("run {name} has no event {}", at.0)))?;
    let (event, what) =
        fork::edited(run, was, change).map_err(|why| Failure::Usage(format!("event {} of run {name}: {why}", at.0)))?;
    Ok(EditedEvent { instead: fork::instead(was, &event), event, says: what.to_string() })
}

pub(super) fn changed_in_words(changed: &[String]) -> String {
    if changed.is_empty() { ", with nothing changed".into() } else { format!(", changed: {}", changed.join("; ")) }
}

pub(super) fn change(wanted: &Wanted<'_>) -> Result<Option<Edited>, Failure> {
    fn read<T, E: ToString>(what: &str, path: &Path, of: impl Fn(&str) -> Result<T, E>) -> Result<T, Failure> {
        let unreadable = |why: String| Failure::Usage(format!("the {what} in {} cannot be read: {why}", shown(path)));
        let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
        let json = text::utf8(bytes).map_err(unreadable)?;
        of(&json).map_err(|error| unreadable(error.to_string()))
    }
    Ok(match (wanted.payload, wanted.findings, wanted.plan) {
        (Some(EditedPayload { of, file }), _, _) => {
            Some(Edited::Payload(*of, Box::new(read("payload", file, run::Payload::read)?)))
        }
        (_, Some(file), _) => Some(Edited::Findings(read("findings", file, findings_of)?)),
        (_, _, Some(file)) => Some(Edited::Plan(Box::new(read("plan", file, |json| serde_json::from_str(json))?))),
        (None, None, None) => None,
    })
}

fn findings_of(json: &str) -> Result<Vec<Finding>, String> {
    match json.trim_start().starts_with('[') {
        true => serde_json::from_str(json).map_err(|error| error.to_string()),
        false => Err("it has to be a list, as `findings` of a payload is".into()),
    }
}

/// Gives roles other models; says for each what is changed.
fn new_models(places: &Places, wanted: &Wanted<'_>, team: &mut Team) -> Result<Vec<String>, Failure> {
    let Wanted { thinking, .. } = wanted;
    if thinking.models.is_empty() {
        return match thinking.prices.is_empty() {
            true => Ok(Vec::new()),
            false => Err(Failure::Usage("--price is the price of a model that --model names: name one".into())),
        };
    }
    let mut prompts = models::prompts(places, &team.name, team, &[])?.of;
    // Roles that do not change stay: the prompts are those of the run.
    for (role, member) in &team.members {
        if let (Some(prompt), Some(model)) = (prompts.get_mut(role), &member.model) {
            prompt.text.clone_from(&model.prompt);
        }
    }
    let is_meant = |role: &Role| thinking.models.iter().any(|arg| arg.role.as_ref().is_none_or(|of| of == role));
    let mut prompted = models::prompted(team, &prompts);
    let chosen = models::for_new(places, thinking, &prompted)?.chosen;
    prompted.retain(|prompted| is_meant(&prompted.role));
    let mut changed = Vec::new();
    for choice in chosen.map(|chosen| chosen.choices).unwrap_or_default() {
        let (role, id) = (choice.role.clone(), choice.model.id.clone());
        if !prompted.iter().any(|one| one.role == role) {
            continue;
        }
        let before: Option<AssignedModel> = team.members.get(&role).and_then(|member| member.model.clone());
        team::assign_models(team, &prompts, [(choice.role, choice.model, choice.fallbacks)]);
        match before {
            Some(before) if before.id == id => {}
            Some(before) => changed.push(format!("the {role} asks {id} instead of {}", before.id)),
            None => changed.push(format!("the {role} asks {id} instead of working by rule")),
        }
    }
    changed.extend(by_rule(thinking, team)?);
    if changed.is_empty() {
        return Err(Failure::Usage("--model: every role that it names has that model already".into()));
    }
    Ok(changed)
}

/// Takes the models of the roles that are to work by rule, as in `--model writer=none`; says so for each.
fn by_rule(thinking: &Thinking, team: &mut Team) -> Result<Vec<String>, Failure> {
    let asked = |role: &Role| {
        let own = thinking.models.iter().rfind(|arg| arg.role.as_ref() == Some(role));
        own.or_else(|| thinking.models.iter().rfind(|arg| arg.role.is_none()))
    };
    let is_by_rule = |role: &Role| asked(role).is_some_and(|arg| !arg.asks_for_one());
    let roles: Vec<Role> = team.members.keys().filter(|role| is_by_rule(role)).cloned().collect();
    let mut changed = Vec::new();
    for role in roles {
        let (has_rules, member) = (team.has_rules(&role), team.members.get_mut(&role));
        let Some((member, before)) = member.and_then(|member| member.model.take().map(|before| (member, before)))
        else {
            continue;
        };
        if !has_rules {
            return Err(Failure::Usage(format!("--model: the {role} has no rules, and cannot work without a model")));
        }
        member.kind = Kind::Extractive;
        member.fallbacks.clear();
        changed.push(format!("the {role} works by rule instead of asking {}", before.id));
    }
    Ok(changed)
}

/// Gives roles other prompts; says for each where it differs first.
fn new_prompts(wanted: &Wanted<'_>, team: &mut Team) -> Result<Vec<String>, Failure> {
    let Some(folder) = wanted.prompts else { return Ok(Vec::new()) };
    if !folder.is_dir() {
        let folder = shown(folder);
        return Err(Failure::Usage(format!(
            "--with-prompts: the folder of prompts {folder} cannot be read: it is not there, or no folder"
        )));
    }
    let found = team::prompts_in(folder, |role| team.members.contains_key(role)).map_err(Failure::usage)?;
    let roles = team.members.keys().map(Role::as_str).collect::<Vec<_>>().join(", ");
    if found.is_empty() {
        return Err(Failure::Usage(format!(
            "there is no prompt in {}: a prompt is a file called after its role, as in writer.md; there are: {roles}",
            shown(folder)
        )));
    }
    let mut changed = Vec::new();
    for (role, prompt) in &found {
        let Some(member) = team.members.get(role) else {
            return Err(Failure::Usage(format!(
                "--with-prompts: there is no {role} in the team of that run; there are: {roles}"
            )));
        };
        let Some(model) = &member.model else {
            return Err(Failure::Usage(format!(
                "--with-prompts: the {role} of that run works by rule and reads no prompt: --model {role}=PROVIDER/MODEL gives it a model"
            )));
        };
        let text = difference::of(model.prompt.lines(), prompt.text.lines());
        changed.extend(text.map(|Difference { line, first, second }| {
            format!("the prompt of the {role}: line {line} said {first}, and now says {second}")
        }));
        let room = prompt.answer_tokens.filter(|room| *room != model.max_tokens);
        changed
            .extend(room.map(|room| format!("answers of the {role}: at most {room} tokens, not {}", model.max_tokens)));
        let member = team.members.get_mut(role);
        for model in member.into_iter().flat_map(|member| member.model.iter_mut().chain(&mut member.fallbacks)) {
            model.prompt.clone_from(&prompt.text);
            model.max_tokens = prompt.answer_tokens.unwrap_or(model.max_tokens);
        }
    }
    if changed.is_empty() {
        return Err(Failure::Usage(format!("the prompts in {} are those that the run had", shown(folder))));
    }
    Ok(changed)
}

/// The caps that differ, not below the amounts already taken of them.
fn new_limits(run: &Run, wanted: &Wanted<'_>, team: &Team) -> Result<Limits, Failure> {
    let account = run.ledger.run();
    let mut limits = wanted.limits;
    if account.limits.money().is_none() && limits.money().is_none() && costs_anything(team) {
        limits = limits.with(Cap::Money, Some(models::DEFAULT_CAP.0));
    }
    let taken = account.committed();
    for (cap, asked) in limits.caps() {
        let gone = if cap == Cap::Time { run.worked(run.at) } else { taken.get(cap) };
        if asked < gone {
            return Err(Failure::Usage(format!(
                "the {cap} of {} is too low: the events that the fork keeps have used {} already, and that counts towards its caps",
                cap.written(asked),
                cap.written(gone)
            )));
        }
    }
    let is_other = |(cap, asked): &(Cap, u64)| account.limits.cap(*cap) != Some(*asked);
    Ok(limits.caps().filter(is_other).fold(Limits::default(), |all, (cap, asked)| all.with(cap, Some(asked))))
}

pub(super) fn costs_anything(team: &Team) -> bool {
    let models = team.members.values().filter(|member| member.kind == Kind::Model);
    let mut models = models.flat_map(|member| member.model.iter().chain(&member.fallbacks));
    models.any(|model| model.rates.as_ref().is_none_or(|rates| rates.most(1, 1) > Money::default()))
}
