use super::*;
use crate::graph::team::Back;
use proptest::prelude::*;
use run::TaskId;

fn node(label: &str) -> Node {
    Node { label: label.into(), key: Key::Role(label.into()), note: "waiting".into(), ..Node::default() }
}

fn task(n: usize) -> Node {
    Node { key: Key::Task(TaskId(n as u32)), is_task: true, ..node(&format!("task {n}")) }
}

/// A team over this many tasks; `after` says which task waits for which, from 0.
fn graph(tasks: usize, after: &[(usize, usize)]) -> Graph {
    let mut graph = Graph { nodes: vec![node("supervisor"), node("planner")], edges: vec![(0, 1)], ..Graph::default() };
    let first = 2;
    graph.nodes.extend((0..tasks).map(task));
    let you = graph.nodes.len();
    for n in 0..tasks {
        if !after.iter().any(|(_, to)| *to == n) {
            graph.edges.push((1, first + n));
        }
        if !after.iter().any(|(from, _)| *from == n) {
            graph.edges.push((first + n, you));
        }
    }
    graph.edges.extend(after.iter().map(|(from, to)| (first + from, first + to)));
    graph.nodes.extend([node("you"), node("writer"), node("gates"), node("review")]);
    graph.edges.extend([(you, you + 1), (you + 1, you + 2), (you + 2, you + 3)]);
    graph.chains = vec![(you + 1, you + 3)];
    graph
}

/// The layout as text: lines, and labels in their places.
fn picture(graph: &Graph, width: u16, height: u16) -> String {
    let boxes = layout(graph, width, height).unwrap();
    let mut rows: Vec<Vec<String>> =
        (0..boxes.height).map(|y| (0..boxes.width).map(|x| boxes.symbol(x, y).to_string()).collect()).collect();
    for (x, y, symbol) in &boxes.back {
        rows[usize::from(*y)][usize::from(*x)] = (*symbol).into();
    }
    let mut write = |x: u16, y: u16, text: &str| {
        for (n, c) in text.chars().enumerate() {
            rows[usize::from(y)][usize::from(x) + n] = c.into();
        }
    };
    if let Some((x, y, words)) = &boxes.back_words {
        write(*x, *y, words);
    }
    for placed in &boxes.nodes {
        let x = placed.area.x + if placed.is_label { 0 } else { 2 };
        write(x, placed.area.y, &placed.node.label);
    }
    rows.iter().map(|row| format!("{}\n", row.concat().trim_end())).collect()
}

#[test]
fn a_supervisor_fans_out_to_its_tasks() {
    insta::assert_snapshot!(picture(&graph(3, &[]), 60, 30));
}

#[test]
fn a_task_that_waits_for_another_stands_below_it() {
    insta::assert_snapshot!(picture(&graph(4, &[(0, 3), (1, 3)]), 90, 45));
}

#[test]
fn edges_that_cross_pass_over_one_another() {
    insta::assert_snapshot!(picture(&graph(5, &[(0, 3), (0, 4), (1, 4), (2, 3)]), 90, 45));
}

#[test]
fn what_is_sent_back_leads_back_to_the_writer() {
    let mut graph = graph(2, &[]);
    let review = graph.nodes.len() - 1;
    graph.back = Some(Back { from: review, to: review - 2, words: "revise: 1 issue".into() });
    insta::assert_snapshot!(picture(&graph, 60, 30));
    insta::assert_snapshot!("what_is_sent_back_leads_back_below_labels", picture(&graph, 44, 30));
}

#[test]
fn what_is_noted_in_a_box_moves_none() {
    let places = |graph: &Graph| -> Vec<Rect> {
        layout(graph, 100, 40).unwrap().nodes.iter().map(|placed| placed.area).collect()
    };
    let before = graph(4, &[(0, 3)]);
    let mut after = before.clone();
    for node in &mut after.nodes {
        node.note = "steps were refused again and again, and nobody knows why".into();
        node.mark = Mark::Failed;
        node.times = "↺2".into();
        node.elapsed = Some(5_000_000);
        node.spend = "4.8k tok · $0.02 · a-model-with-a-long-name".into();
    }
    assert_eq!(places(&before), places(&after));
}

#[test]
fn a_label_that_would_be_cut_makes_rows_unless_what_tells_it_apart_fits() {
    let mut graph = graph(3, &[]);
    for n in 2..5 {
        graph.nodes[n].label = format!("How does system {n} handle its limits?").as_str().into();
    }
    assert!(layout(&graph, 100, 40).is_none());
    for n in 2..5 {
        graph.nodes[n].short = format!("…system {n}").as_str().into();
    }
    assert!(layout(&graph, 100, 40).is_some());
}

#[test]
fn boxes_grow_with_the_room() {
    let graph = graph(3, &[]);
    let of = |width, height| layout(&graph, width, height).unwrap().nodes[2].area;
    let (small, large) = (of(54, 24), of(110, 60));
    assert!(large.width > small.width && large.height > small.height, "{small:?} {large:?}");
}

proptest! {
    #[test]
    fn nodes_stay_in_bounds_and_never_overlap(
        tasks in 1usize..11,
        after in prop::collection::vec((0usize..11, 0usize..11), 0..8),
        wide in 0u16..300,
        high in 0u16..60,
    ) {
        let after: Vec<(usize, usize)> = after.into_iter().filter(|(a, b)| a < b && *b < tasks).collect();
        let graph = graph(tasks, &after);
        if let Some(boxes) = layout(&graph, wide, high) {
            prop_assert!(boxes.height <= high);
            prop_assert_eq!(boxes.nodes.len(), graph.nodes.len());
            for (n, one) in boxes.nodes.iter().enumerate() {
                prop_assert!(one.area.right() <= wide && one.area.bottom() <= high);
                for other in &boxes.nodes[n + 1..] {
                    prop_assert!(!one.area.intersects(other.area));
                }
            }
            for route in &boxes.routes {
                prop_assert!(route.cells.iter().all(|(x, y)| *x < wide && *y < boxes.height));
            }
        }
    }
}
