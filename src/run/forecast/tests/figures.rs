//! The figures by which runs are forecast, beside the real cost of runs of a scripted model: three searches and a report a task.

use super::*;
use crate::forecast;

const COMPARED: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";
const PLAIN: &str = "What should a small team know about vector databases before it chooses one?";

fn listed(number: usize) -> String {
    (1..=number).map(|n| format!("{n}. What does pgvector say about limit {n}?\n")).collect()
}

/// Three dollars a million tokens in and fifteen out, and a tenth of a dollar and four tenths.
const DEAR: (u64, u64) = (3_000_000, 15_000_000);
const CHEAP: (u64, u64) = (100_000, 400_000);

/// A run of the default team by one model, with the answer limits of its prompts.
fn run_on(question: &str, words: u32, (input, output): (u64, u64), cap: Option<f64>) -> Opening {
    let rates = Some(Rates { cache_read: input, ..rates(input, output) });
    let roles = [("planner", 1_500), ("researcher", 3_000), ("writer", 4_000), ("reviewer", 3_000)];
    let cap = cap.map(|dollars| Money::micros((dollars * 1e6) as u64));
    let mut opening = Opening { words, ..opening(&roles.map(|(role, _)| (role, rates.clone())), cap) };
    opening.question = question.into();
    opening.team.most_tasks = 40;
    for (role, most) in roles {
        let member = opening.team.members.get_mut(&Role::new(role)).unwrap();
        member.lands = matches!(role, "writer" | "reviewer");
        member.model.as_mut().unwrap().max_tokens = most;
    }
    opening
}

fn think(opening: &mut Opening, effort: Effort, limit: u32) {
    for model in opening.team.members.values_mut().filter_map(|member| member.model.as_mut()) {
        (model.thinking.effort, model.thinking.limit, model.thinking_room) = (Some(effort), Some(limit), limit);
    }
}

fn member<'a>(opening: &'a Opening, role: &'a str) -> (Role, &'a Member) {
    let role = Role::new(role);
    let member = &opening.team.members[&role];
    (role, member)
}

fn dollars(money: Money) -> f64 {
    money.0 as f64 / 1e12
}

#[test]
fn a_run_is_forecast_at_half_to_twice_what_it_costs() {
    let high = Some(Effort::High);
    for (question, words, rates, effort, cost) in [
        (COMPARED, 500, DEAR, None, 0.1684),
        (COMPARED, 500, CHEAP, None, 0.0054),
        (PLAIN, 500, DEAR, None, 0.0638),
        ("What are the limits of pgvector, Qdrant, Pinecone, Weaviate and Milvus?", 500, DEAR, None, 0.2596),
        (&listed(10), 1_000, DEAR, None, 0.5008),
        (&listed(10), 1_000, CHEAP, None, 0.0164),
        (&listed(40), 4_000, DEAR, None, 1.9722),
        (&listed(40), 4_000, CHEAP, None, 0.0644),
        (COMPARED, 2_000, DEAR, None, 0.1684),
        // 1,500 and 3,000 tokens of thinking before each answer.
        (COMPARED, 500, DEAR, high, 0.5287),
        (&listed(10), 1_000, DEAR, high, 2.4816),
    ] {
        let mut opening = run_on(question, words, rates, None);
        effort.into_iter().for_each(|effort| think(&mut opening, effort, 4_000));
        let forecast = before(&opening).unwrap();
        let ratio = dollars(forecast.likely) / cost;
        assert!((0.5..=2.0).contains(&ratio), "{question:.40}, {rates:?}: {} for {cost}: {ratio:.2}", forecast.likely);
        assert!(dollars(forecast.high) > 5.0 * cost, "{question:.40}: {forecast:?}");
    }
}

#[test]
fn so_many_tasks_fit_as_are_about_done_then() {
    for (question, words, cap, done, of) in [
        (COMPARED, 500, 0.101, 3, 3),
        (COMPARED, 500, 0.253, 3, 3),
        (COMPARED, 500, 0.505, 3, 3),
        (&listed(10), 1_000, 0.30, 9, 10),
        (&listed(10), 1_000, 0.75, 10, 10),
        (&listed(40), 4_000, 1.18, 25, 40),
        (&listed(40), 4_000, 2.96, 40, 40),
    ] {
        let reach = reach_before(&run_on(question, words, DEAR, Some(cap)));
        let fit = reach.map_or(of, |reach| reach.fit);
        assert!(fit * 2 >= done && fit <= done * 2, "{question:.40}, {cap}: {reach:?}, {done} are done");
        assert!(reach.is_none_or(|reach| reach.of == of), "{reach:?}");
        if done == of && cap > 0.2 {
            assert_eq!(reach, None, "{question:.40}, {cap}");
        }
    }
}

#[test]
fn the_shortest_useful_answer_is_shorter_than_the_longest_that_a_prompt_allows() {
    let opening = run_on(COMPARED, 500, DEAR, None);
    for (role, words, least) in [
        ("planner", 500, 500),
        ("researcher", 500, 800),
        ("writer", 500, 1_000),
        ("writer", 1_000, 2_000),
        ("writer", 9_000, 4_000),
        ("reviewer", 500, 600),
        ("reviewer", 1_000, 1_200),
    ] {
        let (role, member) = member(&opening, role);
        assert_eq!(least_room(&role, member.model.as_ref().unwrap(), words), least, "{role}, {words} words");
    }
}

#[test]
fn before_a_task_begins_there_has_to_be_room_for_a_short_piece_of_work() {
    let opening = run_on(COMPARED, 500, DEAR, None);
    let (role, researcher) = member(&opening, "researcher");
    let begins = dollars(to_begin(&role, researcher, 500).money());
    assert!((0.03..=0.05).contains(&begins), "{begins}");
}

#[test]
fn what_is_kept_for_landing_holds_a_call_of_the_writer_but_for_what_comes_before_it() {
    let kept = |cap: f64| {
        let opening = run_on(COMPARED, 500, DEAR, Some(cap));
        let ledger = crate::Ledger::new(opening.limits, forecast::for_landing(&opening));
        cap - dollars(Money(ledger.for_work().cap(Cap::Money).unwrap()))
    };
    for (cap, least, most) in [(0.04, 0.0039, 0.0041), (0.10, 0.03, 0.036), (0.20, 0.03, 0.036), (10.0, 1.0, 1.0001)] {
        assert!((least..=most).contains(&kept(cap)), "{cap}: {}", kept(cap));
    }
    let by_rule = Opening { team: Team { landing_percent: 0, ..Team::default() }, ..run_on(PLAIN, 500, DEAR, None) };
    assert_eq!(forecast::for_landing(&by_rule), Default::default());
}

#[test]
fn more_is_to_be_left_where_nothing_is_to_be_cut_short_than_where_work_is_to_begin() {
    let opening = run_on(COMPARED, 500, DEAR, None);
    let (role, researcher) = member(&opening, "researcher");
    let [begins, full] = [to_begin, in_full].map(|needs| needs(&role, researcher, 500).money());
    assert!(full > Money(begins.0 * 2), "{begins} {full}");
}

#[test]
fn a_cap_of_a_member_below_one_call_is_said_with_what_a_call_needs() {
    let mut opening = run_on(COMPARED, 500, DEAR, None);
    assert_eq!(below_a_call(&opening), []);
    let researcher = opening.team.members.get_mut(&Role::new("researcher")).unwrap();
    researcher.limits = Limits::of(Cap::Money, Money::micros(10_000).0);
    let said: Vec<String> = below_a_call(&opening).iter().map(ToString::to_string).collect();
    let [said] = &said[..] else { panic!("{said:?}") };
    assert!(said.contains("its own money cap is $0.010, and a call reserves about $0.03"), "{said}");
    assert!(said.contains("raise `max_cost` in its prompt file researcher.md"), "{said}");
}
