//! A result as one HTML file: the table, the judge's verdict in each order, and the briefs, folded. No script, and no
//! external resources.

use std::fmt::Write as _;

use crate::against::{Against, Is};
use crate::report::{HEAD, cells, total_cells};
use crate::results::{Answer, Results, Row};
use export::escaped;
use run::preference::Better;

/// The style: a wide table that scrolls by itself, readable in dark mode and on paper.
const STYLE: &str = "
:root { color-scheme: light dark; --dim: #6b7280; --line: #d1d5db; --soft: #f3f4f6; --good: #15803d; --bad: #b91c1c; }
@media (prefers-color-scheme: dark) { :root { --dim: #9ca3af; --line: #374151; --soft: #1f2937; --good: #4ade80; --bad: #f87171; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { line-height: 1.2; } h2 { margin-top: 2rem; } .dim { color: var(--dim); font-size: .9rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2), th:last-child, td:last-child { text-align: left; }
td:last-child { white-space: normal; } tr.all td { font-weight: bold; }
details { margin: .4rem 0; } summary { cursor: pointer; } pre { white-space: pre-wrap; background: var(--soft); padding: .8rem; }
.better { color: var(--good); } .worse { color: var(--bad); }
";

/// The result as a standalone page.
pub fn page(results: &Results, against: Option<&Against>) -> String {
    let title = format!("{}: {}", results.set.name, results.team.name);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        title = escaped(&title)
    );
    let mut lines = vec![format!("<p>Team: {}.</p>", escaped(&results.team.in_words()))];
    lines
        .extend(results.baseline.iter().map(|baseline| format!("<p>Baseline: {}.</p>", escaped(&baseline.in_words()))));
    lines.extend(results.gaps().iter().map(|gap| format!("<p class=\"worse\">Not whole: {}.</p>", escaped(gap))));
    lines.extend(table(results));
    lines.extend(judged(results));
    lines.extend(against.into_iter().flat_map(compared));
    lines.push("<h2>Questions</h2>".into());
    lines.extend(results.questions.iter().map(|row| question(row, &results.team.name, baseline_name(results))));
    lines.push(format!(
        "<p class=\"dim\">{} of set {} · briefs of about {} words · masthead {}</p>\n</body>\n</html>",
        text::count(results.questions.len(), "question"),
        escaped(&results.set.digest),
        results.words,
        escaped(&results.program)
    ));
    for line in lines {
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// The name of the baseline; empty if there is none.
fn baseline_name(results: &Results) -> &str {
    results.baseline.as_ref().map_or("", |baseline| baseline.name.as_str())
}

/// A row for each answer, then the totals.
fn table(results: &Results) -> Vec<String> {
    let head: String = HEAD.iter().map(|name| format!("<th>{name}</th>")).collect();
    let mut lines = vec![format!("<div class=\"wide\"><table>\n<tr>{head}</tr>")];
    let (team, baseline) = (results.team.name.as_str(), baseline_name(results));
    for row in &results.questions {
        lines.push(tr("", &row.id, team, &cells(row, &row.team)));
        lines.extend(row.baseline.iter().map(|answer| tr("", "", baseline, &cells(row, answer))));
    }
    lines.push(tr(" class=\"all\"", "all (means and sums)", team, &total_cells(&results.totals())));
    let totals = results.baseline_totals();
    lines.extend(totals.map(|totals| tr(" class=\"all\"", "", baseline, &total_cells(&totals))));
    lines.push("</table></div>".into());
    lines
}

fn tr(class: &str, question: &str, by: &str, cells: &[String; 10]) -> String {
    let rest: String = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
    format!("<tr{class}><td>{}</td><td>{}</td>{rest}</tr>", escaped(question), escaped(by))
}

/// The preference of the judge; empty if there was none.
fn judged(results: &Results) -> Vec<String> {
    let (Some(judge), Some(totals)) = (&results.judge, results.judged_totals()) else { return Vec::new() };
    let by = format!("{} by the rubric {}, against {}", judge.model, judge.rubric, judge.opponent);
    let mut lines = vec![format!("<h2>Judge</h2>\n<p>{}: {}.</p>", escaped(&by), escaped(&totals.in_words()))];
    lines.extend(judge.notes.iter().map(|note| format!("<p class=\"dim\">{}</p>", escaped(note))));
    lines.push("<p class=\"dim\">What a judge prefers is a model's opinion. The share of pairs in which it says the same in both orders tells how far to believe it.</p>".into());
    lines
}

/// The comparison with an earlier result.
fn compared(against: &Against) -> Vec<String> {
    let mut lines = vec![format!("<h2>Against {}</h2>\n<ul>", escaped(&against.earlier))];
    lines.extend(against.differs.iter().map(|difference| format!("<li>{}</li>", escaped(difference))));
    for change in against.questions.iter().filter(|change| change.is != Is::Same) {
        let class = if change.is == Is::Better { "better" } else { "worse" };
        lines.push(format!("<li class=\"{class}\">{class}: {} {}</li>", escaped(&change.id), escaped(&change.what)));
    }
    lines.push("</ul>".into());
    let losses = against.worse.iter();
    lines.extend(losses.map(|loss| format!("<p class=\"worse\">Worse than is tolerated: {}.</p>", escaped(loss))));
    if against.worse.is_empty() {
        lines.push("<p class=\"better\">Nothing is worse than is tolerated.</p>".into());
    }
    lines
}

fn question(row: &Row, team: &str, baseline: &str) -> String {
    let mut out = format!("<h3>{}</h3>\n<p>{}</p>\n", escaped(&row.id), escaped(&row.ask));
    let missing: Vec<&str> =
        row.team.measures.facts.iter().filter(|fact| !fact.covered).map(|fact| fact.name.as_str()).collect();
    if !missing.is_empty() && !row.unanswerable {
        let _ = writeln!(out, "<p class=\"dim\">Not in the team's brief: {}</p>", escaped(&missing.join("; ")));
    }
    if let Some(judged) = &row.judged {
        let _ = writeln!(out, "<p>Judge: {}. {}</p>\n<ul>", judged.winner.in_words(), escaped(&judged.why));
        for verdict in &judged.orders {
            let read = if verdict.swapped { "the other one read first, as A" } else { "the team's read first, as A" };
            let prefers = match verdict.better {
                Better::First => "the team's",
                Better::Second => "the other",
                Better::Tie => "neither",
            };
            let _ = writeln!(out, "<li>{read}: {prefers}. <span class=\"dim\">{}</span></li>", escaped(&verdict.why));
        }
        out.push_str("</ul>\n");
    }
    for (name, answer) in [(team, Some(&row.team)), (baseline, row.baseline.as_ref())] {
        out.push_str(&answer.map_or_else(String::new, |answer| brief(name, answer)));
    }
    out
}

fn brief(name: &str, answer: &Answer) -> String {
    let run = answer.run.as_ref().map_or_else(String::new, |run| format!(", run {run}"));
    if !answer.has_brief() {
        return format!("<p class=\"dim\">{}{}: {}</p>\n", escaped(name), escaped(&run), escaped(&answer.outcome));
    }
    format!(
        "<details><summary>{}{}</summary>\n<pre>{}</pre></details>\n",
        escaped(name),
        escaped(&run),
        escaped(&answer.brief)
    )
}
