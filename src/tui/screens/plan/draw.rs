//! Draws the plan page: the tasks with their forecasts, and the details of the selected one.

use crate::prelude::*;
use run::plan::{Bounds, Flaw};
use run::{Amounts, Cap, Checkpoint, Plan, Task, forecast};

pub fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Some((checkpoint, plan)) = select::plan_page(run) else { return Seen::default() };
    let border = theme.style(if checkpoint.answer.is_none() { Scope::Focus } else { Scope::Border });
    let title = theme.span("plan", Scope::Title);
    let inner = paint::panel(buf, area, title, status(checkpoint, plan, theme), border);
    if inner.is_empty() {
        return Seen::default();
    }
    let selected = select::task(ui, plan).unwrap_or(0);
    let flaws = run.opening.as_ref().map(|opening| plan.check(&Bounds::of(&opening.team))).unwrap_or_default();
    let detail = plan.tasks.get(selected).map(|task| detail(run, plan, task, &flaws, Pen::new(inner.width, theme)));
    let detail = detail.unwrap_or_default();

    // The list takes the room it needs, up to three fifths; the task has the rest.
    let room = inner.height.saturating_sub(1);
    let wanted = u16::try_from(plan.tasks.len().max(1)).unwrap_or(u16::MAX);
    let above = if inner.height >= 8 { wanted.min(room * 3 / 5) } else { room };
    let [head, list, below] = paint::rows(inner, [1, above, room - above]);
    paint::line(buf, head, &Line::from(fit(outlook(run, plan, theme), usize::from(head.width))));
    let columns = Columns::of(run, plan, usize::from(list.width));
    let seen = paint::list(buf, list, plan.tasks.len(), paint::reveal(list, selected), |buf, row, at| {
        let task = &plan.tasks[at];
        let doubted = flaws.iter().any(|flaw| flaw.is_about(task.id));
        columns.draw(
            buf,
            row,
            &TaskRow { place: at, task, is_selected: at == selected, is_doubted: doubted },
            run,
            theme,
        );
    });
    if below.height > 1 {
        let edge = Rect { x: area.x, y: below.y, width: area.width, height: 1 };
        let title = format!("task {} of {}", selected + 1, plan.tasks.len());
        paint::edge(buf, edge, paint::ACROSS, theme.span(title, Scope::Title), "", border);
        let [_, text] = paint::rows(below, [1, below.height - 1]);
        paint::scrolled(buf, text, &detail, 0, theme.style(Scope::Dim));
    }
    seen
}

fn status(checkpoint: &Checkpoint, plan: &Plan, theme: &Theme) -> Vec<Span<'static>> {
    let tasks = count(plan.tasks.len(), "task");
    let (mark, said) = select::answered(checkpoint);
    vec![
        theme.span(format!("{tasks} · "), Scope::Dim),
        theme.span(said.unwrap_or("approve what is to be worked on"), mark),
    ]
}

fn outlook(run: &Run, plan: &Plan, theme: &Theme) -> Vec<Span<'static>> {
    let dim = theme.style(Scope::Dim);
    let label = Span::styled("forecast  ", dim);
    let all = plan.tasks.iter().fold(Amounts::default(), |sum, task| sum.plus(forecast::task(run, task)));
    let research = format!("{} tool calls, {} tokens of research", short(all.get(Cap::ToolCalls)), short(all.tokens()));
    // Tasks that do not fit are reported before facts that are merely of interest: the line may be cut.
    let reach = forecast::reach(run, plan).map(|reach| theme.span(format!("   {reach}"), Scope::Warning));
    let cap = run.ledger.run().limits.money();
    let (cost, research) = match forecast::of_plan(run, Some(plan)).filter(|forecast| forecast.high.0 > 0) {
        Some(forecast) => {
            let forecast = forecast.within(cap);
            let cost = vec![
                label,
                Span::styled(format!("{} low", forecast.low), dim),
                Span::raw(format!(" · {} likely · ", forecast.likely)),
                Span::styled(format!("{} high", forecast.high), dim),
            ];
            (cost, format!("   {research}"))
        }
        None => (vec![label, Span::raw("nothing to pay")], format!("   about {research}")),
    };
    cost.into_iter().chain(reach).chain([Span::styled(research, dim)]).collect()
}

struct Columns {
    number: usize,
    title: usize,
    role: usize,
    takes: usize,
}

/// A task in the list.
struct TaskRow<'a> {
    /// Its place in the plan, from 0.
    place: usize,
    task: &'a Task,
    is_selected: bool,
    /// Whether a check of the plan has something against it.
    is_doubted: bool,
}

impl Columns {
    fn of(run: &Run, plan: &Plan, cells: usize) -> Columns {
        let widest = |of: &dyn Fn(&Task) -> usize| plan.tasks.iter().map(of).max().unwrap_or(0);
        let number = plan.tasks.len().to_string().len();
        // If there is hardly room for the question, it is read below.
        Columns {
            number,
            title: widest(&|task| width(&flat(&task.title))).min(cells * 3 / 10),
            role: if cells < 70 { 0 } else { widest(&|task| width(task.role.as_str())).min(18) },
            takes: if cells < 50 { 0 } else { widest(&|task| width(&takes(run, task))) },
        }
    }

    fn draw(&self, buf: &mut Buffer, at: Rect, row: &TaskRow<'_>, run: &Run, theme: &Theme) {
        let TaskRow { place, task, is_selected, is_doubted } = row;
        let base = theme.style(if *is_selected { Scope::Selected } else { Scope::Text });
        let look = |scope| if *is_selected { base } else { theme.style(scope) };
        let cells = usize::from(at.width);
        let Columns { number, title, role, takes: taken } = *self;
        let padded = |text: &str, cells: usize| {
            let text = cut(text, cells).into_owned();
            let gap = " ".repeat(cells.saturating_sub(width(&text)));
            format!("{text}{gap}")
        };
        let mut right = String::new();
        if role > 0 {
            right.push_str(&format!("  {}", padded(task.role.as_str(), role)));
        }
        if taken > 0 {
            right.push_str(&format!("  {:>taken$}", takes(run, task)));
        }
        let sign = if *is_doubted { "! " } else { "" };
        let after = if task.after.is_empty() { String::new() } else { format!("  after {}", after(run, task)) };
        let room = cells.saturating_sub(number + 2 + title + 2 + width(sign) + width(&after) + width(&right));
        let spans = vec![
            Span::styled(format!("{:>number$}  ", place + 1), look(Scope::Dim)),
            Span::styled(padded(&flat(&task.title), title), look(Scope::Title)),
            Span::styled("  ", base),
            Span::styled(sign, look(Scope::Warning)),
            Span::styled(padded(&flat(&task.question), room), base),
            Span::styled(after, look(Scope::Waiting)),
            Span::styled(right, look(Scope::Dim)),
        ];
        buf.set_style(at, base);
        paint::line(buf, at, &Line::from(fit(spans, cells)));
    }
}

fn takes(run: &Run, task: &Task) -> String {
    let estimate = forecast::task(run, task);
    match (estimate.money().0, estimate.get(Cap::Calls)) {
        (0, 0) => format!("{}  {} tok", count(estimate.get(Cap::ToolCalls), "call"), short(estimate.tokens())),
        (0, calls) => format!("{}  {} tok", count(calls, "ask"), short(estimate.tokens())),
        (_, calls) => format!("{}  {}", count(calls, "ask"), estimate.money()),
    }
}

fn after(run: &Run, task: &Task) -> String {
    let tasks = select::plan_page(run).map_or(&[][..], |(_, plan)| &plan.tasks);
    let place = |id| tasks.iter().position(|other| other.id == id).map(|at| (at + 1).to_string());
    task.after.iter().filter_map(|id| place(*id)).collect::<Vec<_>>().join(", ")
}

fn detail(run: &Run, plan: &Plan, task: &Task, flaws: &[Flaw], pen: Pen<'_>) -> Vec<Line<'static>> {
    let Pen { cells, theme } = pen;
    const NAME: usize = 13;
    let mut lines = rows(&flat(&task.question), cells, theme.style(Scope::Text), &[]);
    let mut fact = |name: &str, value: String, scope: Scope| {
        let wrapped = rows(&value, cells.saturating_sub(NAME), theme.style(scope), &[]);
        lines.extend(hanging(theme.span(format!("{name:<NAME$}"), Scope::Dim), wrapped));
    };
    for flaw in flaws.iter().filter(|flaw| flaw.is_about(task.id)) {
        fact("!", flat(&flaw.to_string()).into_owned(), Scope::Warning);
    }
    let member = run.opening.as_ref().and_then(|opening| opening.team.members.get(&task.role));
    let does = member.map(|member| format!(" · {}", flat(&member.description))).unwrap_or_default();
    fact("role", format!("{}{does}", task.role), Scope::Text);
    if !task.after.is_empty() {
        let titles: Vec<&str> = task.after.iter().filter_map(|id| Some(plan.task(*id)?.title.as_str())).collect();
        fact("waits for", flat(&titles.join(", ")).into_owned(), Scope::Text);
    }
    let estimate = forecast::task(run, task);
    let calls = match estimate.get(Cap::Calls) {
        0 => String::new(),
        calls => format!("{} of a model, ", count(calls as usize, "call")),
    };
    let money = if estimate.money().0 == 0 { String::new() } else { format!(", {}", estimate.money()) };
    let tools = count(estimate.get(Cap::ToolCalls) as usize, "tool call");
    fact("takes about", format!("{calls}{tools}, {} tokens{money}", short(estimate.tokens())), Scope::Text);
    if let Some(done) = &task.acceptance {
        fact("done when", flat(done).into_owned(), Scope::Text);
    }
    lines
}
