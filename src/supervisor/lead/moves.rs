//! The tools of a model that leads, and the meaning of its calls.
//!
//! The schema of a hand-off has only the parts that the model must write. The rest of the receiver's contract (question, findings,
//! draft, length, passages) is filled in from the run.

use serde_json::{Value, json};

use run::checkpoint::question::{Question, Wants};
use run::handoff::{Contract, PartName};
use run::model::{Arguments, Offer};
use run::stage::Leading;
use run::team::Team;
use run::{Reply, Role};
use specialist::model::{calls_in, line_of, object, without_thoughts};
use text::{Clean, nearest};

/// The prefix of every hand-off tool.
pub(super) const HANDOFF: &str = "handoff_to_";
/// The tool that puts a question to the person.
pub(super) const ASK: &str = "ask_person";
/// The tool that ends the run.
pub(super) const FINALIZE: &str = "finalize";

/// The longest title of a task.
const LONGEST_TITLE: usize = 60;
/// The most choices of a question to the person.
const MOST_CHOICES: usize = 6;

/// The meaning of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Hand a task to a role that takes tasks.
    Task { role: Role, title: Clean, question: Clean },
    /// Ask the planner for a plan.
    Plan { note: Option<Clean> },
    /// Ask the writer for a draft.
    Write { note: Option<Clean> },
    /// Have the draft checked.
    Check { role: Role },
    /// Hand work to a role of which only the description is known.
    Hand { role: Role, title: Clean, work: Clean },
    /// Ask the person.
    Ask(Question),
    /// End with this draft, or the last one.
    Finalize { draft: Option<usize> },
}

impl Move {
    /// The stage of the turn that carries it out.
    pub(super) fn stage(&self) -> Leading {
        match self {
            Move::Task { .. } | Move::Hand { .. } => Leading::Research,
            Move::Plan { .. } => Leading::Plan,
            Move::Write { .. } => Leading::Write,
            Move::Check { .. } | Move::Finalize { .. } => Leading::Check,
            Move::Ask(_) => Leading::Ask,
        }
    }
}

/// A call of the model.
pub(super) struct Called {
    /// The model's id of the call; None where it wrote the call into its text.
    pub(super) id: Option<Clean>,
    /// The name of the tool.
    pub(super) name: Clean,
    /// Its meaning; the error is for the model.
    pub(super) wants: Result<Move, String>,
}

/// The members that a model may hand work to, with the kind of hand-off. Merging is excluded: rules merge before the
/// findings go to the person.
fn hands(team: &Team) -> impl Iterator<Item = (&Role, &Clean, Hand)> {
    let is_led = |role: &Role| role.as_str() != Role::SUPERVISOR && team.may_be_led(role);
    let led = team.members.iter().filter(move |(role, _)| is_led(role));
    led.filter_map(|(role, member)| Some((role, &member.description, Hand::of(role, team)?)))
}

/// The kind of a hand-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hand {
    Task,
    Plan,
    Write,
    Check,
    Other,
}

impl Hand {
    /// The kind that fits the contract of a role.
    fn of(role: &Role, team: &Team) -> Option<Hand> {
        let Some(contract) = Contract::of(role) else {
            if team.members.get(role).is_some_and(|member| member.gate.is_some()) {
                return Some(Hand::Check);
            }
            let researches = team.members.get(role).is_some_and(|member| member.researches(role));
            return Some(if researches { Hand::Task } else { Hand::Other });
        };
        let (needs, returns) = (|part| contract.needs.contains(&part), |part| contract.returns.contains(&part));
        match () {
            () if needs(PartName::Task) => Some(Hand::Task),
            () if returns(PartName::Plan) => Some(Hand::Plan),
            () if returns(PartName::Draft) => Some(Hand::Write),
            () if returns(PartName::Verdicts) => Some(Hand::Check),
            () => None,
        }
    }

    fn schema(self) -> Value {
        let text = |description: &str| json!({ "type": "string", "description": description });
        let note = |description: &str| json!({ "note": text(description) });
        object(match self {
            Hand::Task => json!({
                "title": text("what it is about, in one to four words: a heading"),
                "question": text("what is to be found out, understandable without anything else"),
            }),
            Hand::Plan => note("what to mind in planning; empty if nothing"),
            Hand::Write => note("what to mind in writing; empty if nothing"),
            Hand::Check => json!({}),
            Hand::Other => json!({
                "title": text("what it is, in one to four words"),
                "work": text("what is to be done, understandable without anything else"),
            }),
        })
    }

    fn besides(self) -> &'static str {
        match self {
            Hand::Task => "Several of these in one turn are worked on at the same time.",
            Hand::Plan => "It brings tasks, which you hand out as you see fit.",
            Hand::Write => "It is given all findings, once the person has approved them.",
            Hand::Check => "It is given the last draft with its findings.",
            Hand::Other => "It sees only what you write here.",
        }
    }
}

/// The tools of the model that leads this team.
pub(super) fn offers(team: &Team) -> Vec<Offer> {
    let of_member = |(role, description, hand): (&Role, &Clean, Hand)| Offer {
        name: format!("{HANDOFF}{role}").into(),
        description: format!("{description} {}", hand.besides()).into(),
        schema: hand.schema().into(),
    };
    let text = |description: &str| json!({ "type": "string", "description": description });
    let ask = Offer {
        name: ASK.into(),
        description: "Ask the person, only where the work would go wrong without an answer.".into(),
        schema: object(json!({
            "question": text("the question, in a sentence"),
            "choices": {
                "type": "array",
                "items": { "type": "string" },
                "description": "answers to choose from, the most likely first; empty if words are wanted",
            },
        }))
        .into(),
    };
    let finalize = Offer {
        name: FINALIZE.into(),
        description:
            "End with a draft of the writer. Gates, and the reviewer if there is one, look at it first: what they find \
                      comes back to you. Called again with the same draft, it ends with that as it is."
                .into(),
        schema: object(json!({ "draft": text("which one, as in: draft 2; or: last") })).into(),
    };
    // A draft is not handed to the members that check it: that is done before the end.
    hands(team).filter(|(.., hand)| *hand != Hand::Check).map(of_member).chain([ask, finalize]).collect()
}

/// The calls of an answer: its tool calls, or a call that the model wrote into its text as JSON, as weak models do.
pub(super) fn calls(reply: &Reply, team: &Team) -> Vec<Called> {
    let called = |(id, name, arguments): (&Clean, &Clean, &Arguments)| Called {
        id: Some(id.clone()),
        name: name.clone(),
        wants: match arguments {
            Arguments::Whole(value) => read(name, value, team),
            Arguments::Broken(_) => Err("the arguments are not whole JSON; nothing was done; call it again".into()),
        },
    };
    let calls: Vec<Called> = reply.calls().map(called).collect();
    if !calls.is_empty() {
        return calls;
    }
    written(&reply.text(), team).into_iter().collect()
}

fn written(text: &str, team: &Team) -> Option<Called> {
    let (name, arguments) = calls_in(without_thoughts(text)).into_iter().next()?;
    let wants = read(&name, &arguments, team);
    Some(Called { id: None, name, wants })
}

fn read(name: &str, arguments: &Value, team: &Team) -> Result<Move, String> {
    let text = |key: &str| line_of(&arguments[key]).ok_or_else(|| format!("`{key}` is missing: it has to be a text"));
    match name {
        ASK => {
            let words = arguments["choices"].as_array().into_iter().flatten().filter_map(line_of);
            let mut choices: Vec<Clean> = Vec::new();
            words.take(MOST_CHOICES).for_each(|choice| {
                if !choices.contains(&choice) {
                    choices.push(choice);
                }
            });
            Ok(Move::Ask(Question {
                title: "the supervisor asks".into(),
                text: text("question")?,
                about: None,
                wants: match choices.first().cloned() {
                    Some(likely) if choices.len() > 1 => Wants::OneOf { choices, likely },
                    // A single choice is no choice.
                    _ => Wants::Words,
                },
            }))
        }
        FINALIZE => Ok(Move::Finalize { draft: draft(&arguments["draft"])? }),
        _ => {
            let known = hands(team).find(|(role, ..)| name.strip_prefix(HANDOFF) == Some(role.as_str()));
            let Some((role, _, hand)) = known else { return Err(unknown(name, team)) };
            let role = role.clone();
            let note = || line_of(&arguments["note"]);
            Ok(match hand {
                Hand::Task => {
                    let title: String = text("title")?.chars().take(LONGEST_TITLE).collect();
                    Move::Task { role, title: title.into(), question: text("question")? }
                }
                Hand::Plan => Move::Plan { note: note() },
                Hand::Write => Move::Write { note: note() },
                Hand::Check => Move::Check { role },
                Hand::Other => Move::Hand { role, title: text("title")?, work: text("work")? },
            })
        }
    }
}

/// Parses the number of a draft: "draft 2", "2" or 2; None for "last" or nothing.
fn draft(value: &Value) -> Result<Option<usize>, String> {
    let written = match value {
        Value::Number(n) => n.to_string(),
        Value::String(text) => text.trim().to_lowercase(),
        _ => String::new(),
    };
    match written.trim_start_matches("draft").trim() {
        "" | "last" => Ok(None),
        n => match n.parse() {
            Ok(n) if n > 0 => Ok(Some(n)),
            _ => Err(format!("there is no draft “{}”: say `draft 1`, or `last`", Clean::line(n))),
        },
    }
}

fn unknown(name: &str, team: &Team) -> String {
    let names: Vec<String> = offers(team).into_iter().map(|offer| offer.name.to_string()).collect();
    // The prefix that most tools share makes no two of them alike.
    let own = |tool: &str| tool.strip_prefix(HANDOFF).unwrap_or(tool).to_owned();
    let known: Vec<String> = names.iter().map(|tool| own(tool)).collect();
    let meant = nearest(&own(name), known.iter().map(String::as_str));
    let meant = names.iter().find(|tool| meant.is_some_and(|meant| own(tool) == meant));
    let meant = meant.map(|meant| format!("; did you mean `{meant}`?"));
    let (name, meant) = (Clean::line(name), meant.unwrap_or_else(|| ".".into()));
    format!("there is no tool `{name}`{meant} The tools are: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team() -> Team {
        team::embedded()
    }

    #[test]
    fn a_tool_that_is_not_there_is_named_with_those_that_are() {
        let message = unknown("xyzzyxyzzy", &team());
        assert!(message.starts_with("there is no tool `xyzzyxyzzy`. The tools are: "), "{message}");
        let message = unknown("handoff_to_analyst", &team());
        assert!(message.starts_with("there is no tool `handoff_to_analyst`. The tools are: "), "{message}");
        let message = unknown("handoff_to_riter", &team());
        assert!(message.contains("; did you mean `handoff_to_writer`? The tools are: "), "{message}");
    }

    #[test]
    fn each_member_is_a_tool_whose_schema_has_what_only_the_model_can_say() {
        let offers = offers(&team());
        let fields = |name: &str| -> Vec<String> {
            let offer = offers.iter().find(|offer| offer.name.as_str() == name).unwrap_or_else(|| panic!("{name}"));
            assert!(offer.description.len() > 20);
            offer.schema["properties"].as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(fields("handoff_to_researcher"), ["question", "title"]);
        assert_eq!(fields("handoff_to_writer"), ["note"]);
        assert_eq!(fields(ASK), ["choices", "question"]);
        assert_eq!(offers.len(), 5, "planner, researcher, writer, ask_person, finalize");
    }

    #[test]
    fn a_refusal_names_what_can_be_done() {
        let team = team();
        for (name, arguments, expected) in [
            ("handoff_to_archivist", json!({}), "handoff_to_researcher"),
            ("handoff_to_reseacher", json!({}), "did you mean `handoff_to_researcher`?"),
            ("handoff_to_supervisor", json!({}), "no tool"),
            ("handoff_to_merger", json!({}), "no tool"),
            ("handoff_to_researcher", json!({ "title": "x" }), "`question` is missing"),
            ("handoff_to_researcher", json!({ "title": 3, "question": "why?" }), "`title` is missing"),
            ("handoff_to_researcher", json!("why?"), "`title` is missing"),
            ("ask_person", json!({ "question": "  " }), "`question` is missing"),
            ("finalize", json!({ "draft": "the best" }), "say `draft 1`, or `last`"),
            ("finalize", json!({ "draft": 0 }), "no draft"),
        ] {
            let why = read(name, &arguments, &team).unwrap_err();
            assert!(why.contains(expected), "{name} {arguments}: {why}");
        }
        for (arguments, draft) in [
            (json!({}), None),
            (json!({ "draft": "last" }), None),
            (json!({ "draft": "Draft 2" }), Some(2)),
            (json!({ "draft": 1 }), Some(1)),
        ] {
            assert_eq!(read(FINALIZE, &arguments, &team), Ok(Move::Finalize { draft }));
        }
    }

    #[test]
    fn a_single_choice_is_no_choice() {
        let ask = |choices: Value| match read(ASK, &json!({ "question": "Which?", "choices": choices }), &team()) {
            Ok(Move::Ask(question)) => run::Subject::Question(question).options().len(),
            other => panic!("{other:?}"),
        };
        assert_eq!((ask(json!(["a"])), ask(json!(["a", "a"])), ask(json!(["a", "b"]))), (0, 0, 2));
        assert_eq!((ask(json!("a")), ask(json!([1, {}]))), (0, 0));
    }

    #[test]
    fn a_call_that_stands_in_the_text_is_read() {
        let team = team();
        let text = "I will:\n```json\n{\"name\": \"finalize\", \"arguments\": {\"draft\": \"last\"}}\n```";
        let called = written(text, &team).unwrap();
        assert_eq!((called.id, called.wants), (None, Ok(Move::Finalize { draft: None })));
        assert!(written("{\"name\": \"dance\"}", &team).unwrap().wants.is_err());
        assert!(written("I would rather talk.", &team).is_none() && written("{\"a\": 1}", &team).is_none());
    }
}
