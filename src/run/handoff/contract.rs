//! Contracts: the parts a role takes and gives, checked before a handoff is sent, in both directions.

use super::{Outcome, Part, PartName, Payload};
use crate::id::Role;
use crate::team::Order;

/// The parts that a role takes and gives.
#[derive(Clone, Copy, Debug)]
pub struct Contract {
    /// Parts that have to be there.
    pub needs: &'static [PartName],
    /// Parts that may be there besides.
    pub may: &'static [PartName],
    /// Parts its report has to bring when its outcome is [`Outcome::Done`] or [`Outcome::Partial`].
    pub returns: &'static [PartName],
}

impl Contract {
    /// The contract of a role of the default team. A role this table does not know takes anything.
    pub fn of(role: &Role) -> Option<Contract> {
        use PartName::*;
        let contract = |needs, may, returns| Some(Contract { needs, may, returns });
        match role.as_str() {
            Role::SUPERVISOR => contract(&[Question, Length, Corpus], &[Named, Notes], &[Draft, Findings]),
            Role::PLANNER => contract(&[Question, Corpus], &[Named, Team, Plan, Flaws, Notes], &[Plan]),
            Role::RESEARCHER => contract(&[Question, Task], &[Named, Findings, Notes], &[Findings]),
            Role::AGENT => {
                let may = &[Task, Named, Plan, Findings, Draft, Verdicts, Shortfalls, Notes];
                contract(&[Question, Length], may, &[Findings, Draft])
            }
            Role::SURVEYOR => contract(&[Question, Corpus], &[Named, Team, Plan, Flaws, Notes], &[Plan]),
            Role::INSPECTOR => contract(&[Question, Task], &[Named, Findings, Notes], &[Findings]),
            Role::EDITOR => contract(&[Question, Plan], &[Named, Groups, Findings, Notes], &[Findings, Ends]),
            Role::MERGER => contract(&[Plan, Findings], &[Question], &[Findings]),
            Role::WRITER => {
                contract(&[Question, Plan, Findings, Length], &[Named, Draft, Verdicts, Shortfalls, Notes], &[Draft])
            }
            Role::GATES => {
                let may = &[Question, Named, Plan, Shortfalls, Searched, Withheld];
                contract(&[Draft, Findings, Passages, Length], may, &[Verdicts])
            }
            Role::REVIEWER => {
                let may = &[Named, Verdicts, Settled];
                contract(&[Question, Plan, Draft, Findings, Passages, Length], may, &[Verdicts])
            }
            Role::JUDGE => contract(&[Question, Briefs], &[], &[Preferences]),
            // A question alone asks for what is kept; with findings or shortfalls, memory is told what to keep.
            Role::MEMORY => contract(&[Question], &[Findings, Shortfalls], &[]),
            _ => None,
        }
    }

    /// The contract of a role in a team with this order: if two briefs are judged, the supervisor reports the preference.
    pub fn within(order: Order, role: &Role) -> Option<Contract> {
        use PartName::*;
        match (order, role.as_str()) {
            (Order::Judge, Role::SUPERVISOR) => {
                let (needs, may) = (&[Question, Briefs], &[Length, Corpus]);
                Some(Contract { needs, may, returns: &[Preferences] })
            }
            _ => Contract::of(role),
        }
    }

    /// Checks a payload on its way to the role. The error names each part that is missing, empty or not allowed.
    pub fn check_sent(&self, payload: &Payload) -> Result<(), String> {
        self.check_needed(self.needs, payload)?;
        // Parts that were left out may be known to everybody.
        let allowed =
            |name: &PartName| self.needs.contains(name) || self.may.contains(name) || *name == PartName::LeftOut;
        match payload.parts().map(Part::name).find(|name| !allowed(name)) {
            Some(name) => Err(format!("the payload carries `{name}`, which the receiver may not see")),
            None => Ok(()),
        }
    }

    /// Checks a report of the role.
    pub fn check_returned(&self, outcome: &Outcome, payload: &Payload) -> Result<(), String> {
        match outcome {
            Outcome::Done | Outcome::Partial(_) => self.check_needed(self.returns, payload),
            _ => Ok(()),
        }
    }

    fn check_needed(&self, needed: &[PartName], payload: &Payload) -> Result<(), String> {
        for name in needed {
            let Some(part) = payload.parts().find(|part| part.name() == *name) else {
                return Err(format!("the payload has no `{name}`"));
            };
            let empty = match part {
                Part::Question(text) => text.trim().is_empty(),
                Part::Findings(findings) => findings.is_empty(),
                Part::Plan(plan) => plan.tasks.is_empty(),
                Part::Verdicts(verdicts) => verdicts.is_empty(),
                Part::Briefs(briefs) => briefs.iter().any(|brief| brief.trim().is_empty()),
                Part::Preferences(preferences) => preferences.is_empty(),
                _ => false,
            };
            if empty {
                return Err(format!("the `{name}` of the payload is empty"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::brief::Draft;
    use crate::evidence::Corpus;
    use crate::plan::{Plan, Shape};

    #[test]
    fn a_writer_without_findings_is_an_error_and_not_a_prompt() {
        let contract = Contract::of(&Role::new(Role::WRITER)).unwrap();
        let mut payload = Payload { question: Some("why?".into()), length: Some(500), ..Payload::default() };
        assert_eq!(contract.check_sent(&payload).unwrap_err(), "the payload has no `plan`");
        payload.plan = Some(Plan { shape: Shape::Overview, tasks: vec![], why: "".into() });
        assert_eq!(contract.check_sent(&payload).unwrap_err(), "the `plan` of the payload is empty");
    }

    #[test]
    fn a_researcher_may_not_see_a_draft() {
        let contract = Contract::of(&Role::new(Role::RESEARCHER)).unwrap();
        assert_eq!(contract.check_sent(&sample("question task")), Ok(()));
        let refused = "the payload carries `draft`, which the receiver may not see";
        assert_eq!(contract.check_sent(&sample("question task draft")).unwrap_err(), refused);
    }

    #[test]
    fn each_role_sees_the_parts_of_its_contract_and_no_others() {
        // A capital letter has to be there, a small one may be, and a dot may not: in the order of the heading.
        let heading = "question named corpus task team plan flaws groups draft findings passages length verdicts \
                       shortfalls ends searched withheld settled briefs notes left_out";
        let fields: Vec<&str> = heading.split_whitespace().collect();
        for (role, row) in [
            (Role::SUPERVISOR, "QnC........L.......nl"),
            (Role::PLANNER, "QnC.tpf............nl"),
            (Role::RESEARCHER, "Qn.T.....f.........nl"),
            (Role::AGENT, "Qn.t.p..df.Lvs.....nl"),
            (Role::SURVEYOR, "QnC.tpf............nl"),
            (Role::INSPECTOR, "Qn.T.....f.........nl"),
            (Role::EDITOR, "Qn...P.g.f.........nl"),
            (Role::MERGER, "q....P...F..........l"),
            (Role::WRITER, "Qn...P..dF.Lvs.....nl"),
            (Role::GATES, "qn...p..DFPL.s.sw...l"),
            (Role::REVIEWER, "Qn...P..DFPLv....s..l"),
            (Role::JUDGE, "Q.................B.l"),
            (Role::MEMORY, "Q........f...s......l"),
        ] {
            let contract = Contract::of(&Role::new(role)).unwrap();
            let marks: Vec<char> = row.chars().collect();
            assert_eq!(marks.len(), fields.len(), "{role}");
            let needed = || marks.iter().zip(&fields).filter(|(mark, _)| mark.is_uppercase()).map(|(_, field)| *field);
            let least = needed().collect::<Vec<_>>().join(" ");
            assert_eq!(contract.check_sent(&sample(&least)), Ok(()), "{role}");
            for (mark, field) in marks.iter().zip(&fields) {
                if mark.is_uppercase() {
                    let without = needed().filter(|needed| needed != field).collect::<Vec<_>>().join(" ");
                    let missing = Err(format!("the payload has no `{field}`"));
                    assert_eq!(contract.check_sent(&sample(&without)), missing, "{role}");
                } else {
                    let seen = contract.check_sent(&sample(&format!("{least} {field}"))).is_ok();
                    assert_eq!(seen, *mark != '.', "{role} and `{field}`");
                }
            }
        }
    }

    #[test]
    fn every_part_of_the_table_is_kept_under_its_field_and_in_its_order() {
        let all = sample(
            "question named corpus task team plan flaws groups draft findings passages length verdicts shortfalls ends \
             searched withheld settled briefs preferences notes left_out",
        );
        let names: Vec<Value> = all.parts().map(|part| serde_json::to_value(part.name()).unwrap()).collect();
        let written = serde_json::to_value(&all).unwrap();
        assert!(names.iter().all(|name| written.get(name.as_str().unwrap()).is_some()), "{names:?}");
        assert_eq!(names.len(), written.as_object().unwrap().len());
        assert_eq!(serde_json::from_value::<Payload>(written).unwrap(), all);
        assert_eq!(serde_json::to_string(&Payload::default()).unwrap(), "{}");
    }

    /// A payload with these fields.
    fn sample(fields: &str) -> Payload {
        let task = json!({ "id": 1, "title": "all", "question": "why?", "role": "researcher", "topic": [] });
        let value = |field| match field {
            "question" => json!("why?"),
            "corpus" => json!(Corpus::default()),
            "task" => json!({ "task": task, "shape": "overview" }),
            "plan" => json!({ "shape": "overview", "tasks": [task], "why": "" }),
            "draft" => json!(Draft::default()),
            "findings" => json!([crate::handoff::room::tests::finding(1, 0)]),
            "length" => json!(500),
            "named" => json!({}),
            "briefs" => json!(["one", "other"]),
            _ => json!([]),
        };
        let fields: Map<String, Value> = fields.split_whitespace().map(|field| (field.into(), value(field))).collect();
        serde_json::from_value(Value::Object(fields)).unwrap()
    }
}
