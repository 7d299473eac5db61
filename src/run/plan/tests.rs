use proptest::prelude::*;

use super::*;
use crate::budget::Cap;
use crate::handoff::Colleague;
use text::Named;

fn bounds(who: &[(&str, &str)]) -> Bounds {
    let colleague =
        |(role, description): &(&str, &str)| Colleague { role: Role::new(role), description: (*description).into() };
    let researcher = Colleague { role: Role::new(Role::RESEARCHER), description: "Searches and reads.".into() };
    Bounds {
        most: 10,
        colleagues: std::iter::once(researcher).chain(who.iter().map(colleague)).collect(),
        ..Bounds::default()
    }
}

fn of(tasks: Vec<Task>) -> Plan {
    Plan { shape: Shape::Overview, tasks, why: "".into() }
}

/// Tasks that differ in everything but their dependencies.
fn waiting(edges: &[(u32, &[u32])]) -> Plan {
    let names = ["dogs", "cats", "birds", "fish", "bees", "worms"];
    let task = |(n, (id, after)): (usize, &(u32, &[u32]))| Task {
        after: after.iter().map(|n| TaskId(*n)).collect(),
        ..Task::new(TaskId(*id), names[n].into(), format!("What do {} eat?", names[n]).into())
    };
    of(edges.iter().enumerate().map(task).collect())
}

fn asking(questions: &[(&str, &str)]) -> Plan {
    let task = |((title, question), n): (&(&str, &str), u32)| Task::new(TaskId(n), (*title).into(), (*question).into());
    of(questions.iter().zip(1..).map(task).collect())
}

fn flaws_of(plan: &Plan, bounds: &Bounds) -> Vec<String> {
    plan.check(bounds).iter().map(ToString::to_string).collect()
}

#[test]
fn what_cannot_be_worked_is_named_with_the_tasks_it_is_about() {
    type Edges<'a> = &'a [(u32, &'a [u32])];
    let table: &[(Edges<'_>, &[&str])] = &[
        (&[(1, &[]), (2, &[1]), (3, &[1, 2])], &[]),
        (&[], &["the plan has no task"]),
        (&[(1, &[1])], &["“dogs” waits for itself"]),
        (&[(1, &[2]), (2, &[1])], &["“dogs” and “cats” need each other's results: they are one task"]),
        (
            &[(1, &[3]), (2, &[1]), (3, &[2]), (4, &[3])],
            &["“dogs”, “cats” and “birds” wait for each other, so none of them could begin"],
        ),
        (
            &[(1, &[2]), (2, &[1]), (3, &[2, 4]), (4, &[5]), (5, &[3])],
            &[
                "“dogs” and “cats” need each other's results: they are one task",
                "“birds”, “fish” and “bees” wait for each other, so none of them could begin",
            ],
        ),
        (&[(1, &[9])], &["“dogs” waits for task 9, which is not in the plan"]),
        (&[(1, &[]), (1, &[])], &["“cats” has the number of a task before it, 1"]),
    ];
    for (edges, says) in table {
        assert_eq!(flaws_of(&waiting(edges), &bounds(&[])), *says, "{edges:?}");
    }
}

#[test]
fn what_one_task_waits_for_in_vain_is_told_in_one_line() {
    let plan = waiting(&[(1, &[7, 8, 9]), (2, &[9]), (3, &[3])]);
    let mended = plan.clone().noting_mended(&plan.check(&bounds(&[])));
    let told = "Mended by rule: “dogs” waits for tasks 7, 8, 9, which are not in the plan; \
                “cats” waits for task 9, which is not in the plan; “birds” waits for itself.";
    assert!(mended.why.ends_with(told), "{}", mended.why);
}

#[test]
fn a_plan_has_as_many_tasks_as_the_team_takes() {
    let plan = waiting(&[(1, &[]), (2, &[]), (3, &[])]);
    let two = Bounds { most: 2, ..bounds(&[]) };
    assert_eq!(flaws_of(&plan, &two), ["the plan has 3 tasks, and this team takes at most 2"]);
    assert_eq!(plan.mended(&two).unwrap().tasks.len(), 2);
}

#[test]
fn whoever_is_missing_is_named_with_who_comes_nearest() {
    let team = bounds(&[("lawyer", "Reads statutes.")]);
    for (role, says) in [
        ("lawyers", "no `lawyers` takes tasks; `lawyer` comes nearest"),
        ("statistician", "no `statistician` takes tasks; `researcher` comes nearest"),
        ("writer", "no `writer` takes tasks; `researcher` comes nearest"),
    ] {
        let mut plan = asking(&[("dogs", "What do dogs eat?")]);
        plan.tasks[0].role = Role::new(role);
        assert_eq!(flaws_of(&plan, &team), [format!("no member of the team can do “dogs”: {says}")]);
        assert!(says.contains(plan.mended(&team).unwrap().tasks[0].role.as_str()));
        let nobody = Bounds { colleagues: vec![], ..team.clone() };
        assert!(flaws_of(&plan, &nobody)[0].ends_with("neither does any other member"));
        assert_eq!(plan.mended(&nobody), None, "nobody takes tasks");
    }
}

#[test]
fn tasks_that_ask_the_same_are_one_and_tasks_that_do_not_are_not() {
    let same = "asks what";
    for (tasks, twice) in [
        ([("Costs", "What does Pinecone cost?"), ("Pricing", "What does Pinecone cost?")], true),
        (
            [("Limits", "What are the limits of pgvector?"), ("More limits", "What are the main limits of pgvector?")],
            true,
        ),
        ([("Qdrant", "Qdrant: cost"), ("Pinecone", "Pinecone: cost")], false),
        ([("3.10", "asyncio: what changed in 3.10"), ("3.11", "asyncio: what changed in 3.11")], false),
        // Each title is another part of the question of both.
        ([("Layout", "How do I set layout and language?"), ("Language", "How do I set layout and language?")], false),
        ([("a", "?"), ("b", "?")], false),
        ([("Qdrant", "What is Qdrant?"), ("Filters", "How does Qdrant filter?")], false),
    ] {
        let plan = asking(&tasks);
        let flaws = flaws_of(&plan, &bounds(&[]));
        assert_eq!(flaws.iter().any(|flaw| flaw.contains(same)), twice, "{tasks:?}: {flaws:?}");
        assert_eq!(plan.mended(&bounds(&[])).unwrap().tasks.len(), if twice { 1 } else { 2 });
    }
    let mut sides = asking(&[("a", "What of it?"), ("b", "What of it?")]);
    sides.tasks[1].aspects = vec!["cost".into()];
    assert_eq!(flaws_of(&sides, &bounds(&[])), [""; 0], "sides tell tasks apart");
}

#[test]
fn what_is_compared_has_a_task_each() {
    let comparing = bounds(&[]).naming(Named::read("Compare pgvector and Qdrant"));
    let whole = asking(&[("the question", "Compare pgvector and Qdrant")]);
    assert_eq!(
        flaws_of(&whole, &comparing),
        ["“the question” is too coarse: it holds pgvector and Qdrant, which are compared; each is a task of its own"]
    );
    let titles = |plan: &Plan| plan.tasks.iter().map(|task| task.title.to_string()).collect::<Vec<_>>();
    assert_eq!(titles(&whole.mended(&comparing).unwrap()), ["pgvector", "Qdrant"]);
    let each = asking(&[("pgvector", "What is pgvector, unlike Qdrant?"), ("Qdrant", "What is Qdrant?")]);
    assert_eq!(flaws_of(&each, &comparing), [""; 0], "one may name the other");
    let sides =
        asking(&[("speed", "How fast are pgvector and Qdrant?"), ("cost", "What do pgvector and Qdrant cost?")]);
    assert_eq!(flaws_of(&sides, &comparing).len(), 2);
    assert_eq!(titles(&sides.mended(&comparing).unwrap()), ["pgvector", "Qdrant", "pgvector: cost", "Qdrant: cost"]);
}

#[test]
fn a_plan_that_its_planner_has_confirmed_is_not_split() {
    let comparing = bounds(&[]).naming(Named::read("Compare pgvector and Qdrant"));
    let whole = asking(&[("the question", "Compare pgvector and Qdrant")]);
    let confirmed = Bounds { confirmed: true, ..comparing };
    assert_eq!(flaws_of(&whole, &confirmed), [""; 0]);
    assert_eq!(whole.mended(&confirmed), Some(whole.clone()));
    let mut flawed = whole;
    flawed.tasks[0].role = Role::new("archivist");
    assert_eq!(flawed.mended(&confirmed).unwrap().tasks.len(), 1, "what cannot be worked is mended all the same");
}

#[test]
fn a_task_that_crosses_domains_is_cut_by_domain() {
    let team = bounds(&[("lawyer", "Reads statutes and judgments."), ("chemist", "Reads about solvents.")]);
    let mut plan =
        asking(&[("solvents", "Which solvents do the statutes forbid?"), ("taxes", "What do statutes say?")]);
    plan.tasks[1].role = Role::new("lawyer");
    let flaws = flaws_of(&plan, &team);
    assert_eq!(
        flaws,
        ["“solvents” is too coarse: it crosses the domains of lawyer and chemist; each is a task of its own"]
    );
    let mended = plan.mended(&team).unwrap();
    let who: Vec<&str> = mended.tasks.iter().map(|task| task.role.as_str()).collect();
    assert_eq!(who, ["lawyer", "chemist", "lawyer"]);
    assert_eq!(flaws_of(&mended, &team), [""; 0]);
}

#[test]
fn small_change_is_not_handed_over_where_there_is_room_for_it() {
    let room = |tokens| Bounds { room: Some(tokens), ..bounds(&[]) };
    let mut plan =
        asking(&[("dogs", "What do dogs eat?"), ("cats", "What do cats eat?"), ("bees", "Where do bees live?")]);
    for (task, tokens) in plan.tasks.iter_mut().zip([900, 800, 90_000]) {
        task.estimate = Some(Amounts::of(Cap::Tokens, tokens));
    }
    assert_eq!(flaws_of(&plan, &bounds(&[])), [""; 0], "a supervisor without a model has no room");
    assert_eq!(flaws_of(&plan, &room(10_000)), [""; 0]);
    let flaws = flaws_of(&plan, &room(20_000));
    assert!(flaws.len() == 2 && flaws[0].starts_with("“dogs” is too fine: about 900 tokens"), "{flaws:?}");
    let mended = plan.mended(&room(20_000)).unwrap();
    assert_eq!(mended.tasks[0].title, "dogs and cats");
    assert_eq!(mended.tasks.len(), 2);
}

#[test]
fn what_was_merged_waits_for_what_its_parts_waited_for() {
    let plan = waiting(&[(1, &[2, 4]), (2, &[1, 3]), (3, &[]), (4, &[]), (5, &[2])]);
    let mended = plan.mended(&bounds(&[])).unwrap();
    assert_eq!(mended.tasks[0].title, "dogs and cats");
    assert_eq!(mended.tasks[0].after, [TaskId(4), TaskId(3)]);
    assert_eq!(mended.tasks[3].after, [TaskId(1)], "whoever waited for either waits for both");
}

#[test]
fn a_plan_of_before_estimates_is_still_read_and_written_as_it_was() {
    let old = r#"{"id":1,"title":"t","question":"q","role":"researcher","topic":[]}"#;
    let task: Task = serde_json::from_str(old).unwrap();
    assert_eq!((task.estimate, &task.acceptance), (None, &None));
    assert_eq!(serde_json::to_string(&task).unwrap(), old);
}

#[test]
fn what_is_cut_wrongly_is_cut_anew_and_every_other_task_keeps_its_number() {
    let named = Named::read("Compare the licence and the cost of pgvector and Qdrant");
    let things = [("pgvector", "What is the licence of pgvector?"), ("Qdrant", "What is the licence of Qdrant?")];
    let others = [("cost", "What is the cost?"), ("history", "When did they begin?")];
    let plan = asking(&[things, others].concat());
    assert!(matches!(&plan.cut_flaws(&named)[..], [Flaw::SideAlone { .. }]), "{:?}", plan.cut_flaws(&named));
    let recut = plan.recut(&named);
    assert_eq!(
        recut.tasks.iter().map(|task| (task.id.0, &*task.title)).collect::<Vec<_>>(),
        [(1, "pgvector"), (2, "Qdrant"), (4, "history")]
    );
    assert!(recut.tasks[..2].iter().all(|task| task.question.contains("cost")), "{:?}", recut.tasks);
    assert_eq!((recut.cut_flaws(&named), recut.recut(&named)), (vec![], recut));
    let whole = asking(&things);
    assert_eq!(whole.recut(&named), whole, "what is left out is not its concern");
}

#[test]
fn a_task_is_told_with_its_title_once() {
    for (title, question, told) in [
        ("What are the limits of SQLite", "What are the limits of SQLite?", "What are the limits of SQLite?"),
        ("pgvector", "pgvector: what it is", "pgvector: what it is"),
        ("Which of the …", "Which of the many limits are there?", "Which of the many limits are there?"),
        ("Cost", "pgvector: what it costs", "Cost: pgvector: what it costs"),
        ("pg", "pgvector: what it is", "pg: pgvector: what it is"),
    ] {
        assert_eq!(titled(title, question), told);
    }
}

#[test]
fn tasks_that_ask_the_same_ask_it_once_when_they_are_joined() {
    let named = Named::read("Compare the licence and the cost of pgvector and Qdrant");
    let question = "What is the licence of pgvector?";
    let plan = asking(&[("The licence of pgvector", question), ("Licence, pgvector", question), ("Qdrant", "Qdrant")]);
    let recut = plan.recut(&named);
    assert_eq!(recut.tasks[0].question.matches("What is the licence").count(), 1, "{:?}", recut.tasks);
}

#[test]
fn what_was_mended_is_said() {
    let plan = Plan { why: "It is so.".into(), ..asking(&[("a", "What?")]) };
    assert_eq!(plan.clone().noting_mended(&[]).why, "It is so.");
    assert_eq!(plan.noting_mended(&[Flaw::NoTask]).why, "It is so. Mended by rule: the plan has no task.");
}

fn plans() -> impl Strategy<Value = Plan> {
    let words =
        proptest::sample::select(vec!["dogs", "cats", "main dogs", "cats and dogs", "", "?", "statutes of solvents"]);
    let roles = proptest::sample::select(vec!["researcher", "lawyer", "lawyr", "writer", "x"]);
    let task = (
        0u32..9,
        words.clone(),
        words,
        roles,
        proptest::collection::vec(0u32..9, 0..4),
        proptest::option::of(0u64..9_000),
    );
    let task = task.prop_map(|(id, title, question, role, after, tokens)| Task {
        role: Role::new(role),
        after: after.into_iter().map(TaskId).collect(),
        estimate: tokens.map(|tokens| Amounts::of(Cap::Tokens, tokens)),
        ..Task::new(TaskId(id), title.into(), question.into())
    });
    proptest::collection::vec(task, 0..14).prop_map(of)
}

proptest! {
    /// For any plan of a model: a mended plan is workable, and it is None only if no task asks anything.
    #[test]
    fn what_is_mended_can_be_worked(plan in plans(), room in proptest::option::of(0u64..100_000)) {
        let team = bounds(&[("lawyer", "Reads statutes."), ("chemist", "Reads about solvents.")]);
        let bounds = Bounds { room, ..team }.naming(Named::read("Compare dogs and cats in terms of cost"));
        let asks = plan.tasks.iter().any(|task| !task.title.trim().is_empty() || !task.question.trim().is_empty());
        match plan.mended(&bounds) {
            None => prop_assert!(!asks),
            Some(mended) => {
                prop_assert_eq!(mended.blocking_flaws(&bounds), []);
                prop_assert_eq!(plan.mended(&bounds), Some(mended), "the same way each time");
            }
        }
    }

    /// A plan in which each task waits only for earlier ones has no cycle; with an edge back it has one.
    #[test]
    fn rounds_are_found_exactly_where_they_are(edges in proptest::collection::vec((0usize..30, 0usize..30), 0..80)) {
        let mut plan = of((0..30).map(|n| Task::new(TaskId(n), "t".into(), "q".into())).collect());
        for (from, to) in &edges {
            plan.tasks[*from].after.push(TaskId(*to as u32));
        }
        let mut reach = [[false; 30]; 30];
        for (from, to) in edges {
            reach[from][to] = true;
        }
        for via in 0..30 {
            for from in 0..30 {
                for to in 0..30 {
                    reach[from][to] |= reach[from][via] && reach[via][to];
                }
            }
        }
        let found: Vec<usize> = plan.rounds().into_iter().flatten().collect();
        for (at, reached) in reach.iter().enumerate() {
            prop_assert_eq!(found.contains(&at), reached[at], "task {}", at);
        }
        for round in plan.rounds() {
            prop_assert!(round.iter().all(|a| round.iter().all(|b| reach[*a][*b])));
        }
    }
}

#[test]
fn a_task_asks_the_same_as_one_before_it_also_in_other_words_and_a_part_of_it_asks_something_else() {
    let plan = asking(&[
        ("Retries", "How does Ferrobox retry failed jobs?"),
        ("Qdrant", "What are the limits, costs and trade-offs of Qdrant?"),
    ]);
    for (title, question, asked) in [
        ("Retries", "How does Ferrobox retry failed jobs?", Some("Retries")),
        ("Retry behaviour", "How are failed jobs of Ferrobox retried?", Some("Retries")),
        ("Job retries", "What happens with failed jobs of Ferrobox?", Some("Retries")),
        ("Qdrant", "Which trade-offs, costs and limits does Qdrant have?", Some("Qdrant")),
        ("Retries and pricing", "How does Ferrobox retry, and what does it cost?", None),
        ("Retries", "How many times does Ferrobox retry?", None),
        ("Costs", "What are the costs of Qdrant?", None),
        ("pgvector", "What are the limits, costs and trade-offs of pgvector?", None),
    ] {
        let found = plan.asks_already(&Role::new(Role::RESEARCHER), title, question);
        assert_eq!(found.map(|task| task.title.as_str()), asked, "{title}: {question}");
        assert!(
            plan.asks_already(&Role::new("analyst"), title, question).is_none(),
            "another specialist looks otherwise"
        );
    }
}

#[test]
fn a_task_that_shares_no_word_with_a_question_that_names_sides_is_told_of_and_then_left_out() {
    let question = "What are the limits, retries and plans of Ferrobox?";
    let asking_of = |question: &str| bounds(&[]).naming(Named::read(question)).asking(question.into());
    let tasks: &[(&str, &str)] = &[
        ("Limits", "Which limits does Ferrobox have?"),
        ("Retries", "How are failed jobs retried?"),
        ("Plans", "Which plans does Ferrobox have?"),
        ("Conclusion", "Write a conclusion."),
    ];
    let told = |plan: &Plan, bounds: &Bounds| {
        let flaws = plan.check(bounds).into_iter();
        flaws.filter(|flaw| matches!(flaw, Flaw::Unrelated { .. })).map(|flaw| flaw.to_string()).collect::<Vec<_>>()
    };
    let plan = asking(tasks);
    let named = asking_of(question);
    assert_eq!(told(&plan, &named), ["“Conclusion” shares no word with the question, which does not ask for it"]);
    let mended = plan.mended(&named).unwrap();
    assert_eq!(mended.tasks.iter().map(|task| task.title.as_str()).collect::<Vec<_>>(), ["Limits", "Retries", "Plans"]);
    // A thing at large has sides that the question does not name; and without the question nothing is held to it.
    assert_eq!(told(&plan, &asking_of("What should I know about Ferrobox?")), [""; 0]);
    assert_eq!(told(&plan, &bounds(&[]).naming(Named::read(question))), [""; 0]);
    // If no task shares a word, they are in another language, or in other words altogether.
    assert_eq!(told(&asking(&tasks[3..]), &named), [""; 0]);
}

#[test]
fn one_task_for_plans_that_are_compared_is_too_coarse() {
    let named = Named::read("Compare the free, pro and team plans of Ferrobox");
    let plan = asking(&[("Comparison of plans", "How do the free, pro and team plans of Ferrobox compare?")]);
    let flaws = flaws_of(&plan, &bounds(&[]).naming(named));
    assert!(flaws.iter().any(|flaw| flaw.contains("each is a task of its own")), "{flaws:?}");
}

#[test]
fn a_side_is_asked_for_in_any_form_of_its_word_and_one_of_which_nothing_is_said_is_left_out() {
    let named = Named::read("Compare the caches Alpha and Beta: memory and failures");
    assert_eq!((named.things.len(), named.sides.len()), (2, 2), "{named:?}");
    for (of_beta, lacks) in [
        ("How much memory does Beta take and how does it fail?", None),
        ("What are the memory and the failure modes of Beta?", None),
        ("How much memory does Beta take?", Some("failures")),
        ("How does Beta fail?", Some("memory")),
    ] {
        let plan = asking(&[("Alpha", "What are the memory and the failures of Alpha?"), ("Beta", of_beta)]);
        let flaws: Vec<String> = plan.coverage_flaws(&named).iter().map(ToString::to_string).collect();
        match lacks {
            None => assert_eq!(flaws, [""; 0], "{of_beta}"),
            Some(side) => assert!(flaws.len() == 1 && flaws[0].ends_with(side), "{of_beta}: {flaws:?}"),
        }
    }
}
