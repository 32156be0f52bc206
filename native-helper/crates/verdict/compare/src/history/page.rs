//! A history as one HTML file: a chart, the steps and a table for each series. It runs no script and loads nothing.

use capture::flame_page::Markup;

use super::answer::{History, Series};
use super::condition::HistoryGate;

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
     <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
     style-src 'sha256-4r3FkFhGuK569u6JEr42a5mzjrzvjOm6fNj+zj+oAo4='; base-uri 'none'; form-action 'none'\">\n\
     <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>";
const STYLE: &str = include_str!("page/page.css");
const COLUMNS: &str = "<table>\n<thead><tr><th scope=\"col\">Commit</th><th scope=\"col\">Date</th>\
     <th scope=\"col\">Captures</th><th scope=\"col\">Value</th><th scope=\"col\">95 % interval</th></tr></thead>\n<tbody>\n";

const HEIGHT: f64 = 240.0;
/// Above the highest interval, for the figures of steps.
const TOP: f64 = 34.0;
const BOTTOM: f64 = 12.0;
/// Width of a chart with few commits.
const WIDTH: f64 = 900.0;
const NARROWEST_STEP: f64 = 12.0;
const WIDEST_STEP: f64 = 60.0;

/// The page of a history, whole. `gates`: conditions that were judged.
pub fn history_page(history: &History, gates: &[HistoryGate]) -> String {
    let title = title(history);
    let mut page = Markup::default();
    page.raw(HEAD)
        .raw(STYLE)
        .raw("</style>\n<title>")
        .text(&title);
    page.raw("</title>\n</head>\n<body>\n<main>\n<h1>")
        .text(&title)
        .raw("</h1>\n");
    for gate in gates {
        page.raw("<p>").raw(gate.answer.sign());
        page.raw(" ").text(&gate.text()).raw("</p>\n");
    }
    for series in &history.series {
        section(&mut page, history, series);
    }
    if !history.skipped.is_empty() || !history.notes.is_empty() {
        page.raw("<ul>\n");
        for skipped in &history.skipped {
            page.raw("<li>").text(&skipped.capture);
            page.raw(" is left out: ")
                .text(&skipped.text)
                .raw("</li>\n");
        }
        for note in &history.notes {
            page.raw("<li>").text(&note.text).raw("</li>\n");
        }
        page.raw("</ul>\n");
    }
    page.raw("</main>\n</body>\n</html>\n");
    page.html()
}

/// `CPU over 12 commits: ab12cd3 to ef45ab6`.
pub fn title(history: &History) -> String {
    let commits = &history.commits;
    match (commits.first(), commits.last()) {
        (Some(first), Some(last)) if commits.len() > 1 => {
            format!(
                "CPU over {} commits: {} to {}",
                commits.len(),
                first.name,
                last.name
            )
        }
        (Some(only), _) => format!("CPU of {}", only.name),
        (None, _) => "CPU over 0 commits".to_owned(),
    }
}

fn section(page: &mut Markup, history: &History, series: &Series) {
    page.raw("<section>\n<h2>").text(&series.title());
    page.raw("</h2>\n<p class=\"facts\">")
        .text(&series.unit)
        .raw("</p>\n");
    chart(page, history, series);
    page.raw("<ul>\n");
    for step in &series.steps {
        page.raw("<li>")
            .text(&history.step_line(step))
            .raw("</li>\n");
    }
    if series.steps.is_empty() {
        page.raw("<li>the captures show no step</li>\n");
    }
    if let Some(line) = history.newest_line(series) {
        page.raw("<li>").text(&line).raw("</li>\n");
    }
    page.raw("</ul>\n<details><summary>Commits</summary>\n")
        .raw(COLUMNS);
    for (commit, point) in history.commits.iter().zip(&series.points) {
        page.raw("<tr><th scope=\"row\">").text(&commit.name);
        let figures = [
            commit.day(),
            commit.captures.len().to_string(),
            format!("{:.2}", point.value),
            format!("{:.2} … {:.2}", point.low, point.high),
        ];
        page.raw("</th>");
        for figure in figures {
            page.raw("<td>").text(&figure).raw("</td>");
        }
        page.raw("</tr>\n");
    }
    page.raw("</tbody>\n</table>\n</details>\n</section>\n");
}

/// Positions in a chart.
struct Scale {
    step: f64,
    low: f64,
    span: f64,
}

impl Scale {
    /// From 0 where the values come near it, otherwise around them, so that a step of some percent is visible.
    /// An interval that is much larger than any value is cut.
    fn of(series: &Series) -> Self {
        let points = &series.points;
        let most = points
            .iter()
            .fold(0.0, |most: f64, point| most.max(point.value));
        let highest = points.iter().fold(0.0, |highest: f64, point| {
            highest.max(point.high.min(most * 1.5))
        });
        let lowest = points
            .iter()
            .fold(highest, |lowest, point| lowest.min(point.low));
        let high = if highest > 0.0 { highest } else { 1.0 };
        let margin = (high - lowest) * 0.1;
        let (low, high) = match lowest > high / 2.0 {
            true => (lowest - margin, high + margin),
            false => (0.0, high * 1.05),
        };
        Self {
            step: (WIDTH / points.len().max(1) as f64).clamp(NARROWEST_STEP, WIDEST_STEP),
            low,
            span: (high - low).max(f64::MIN_POSITIVE),
        }
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - ((value - self.low) / self.span).clamp(0.0, 1.0) * (HEIGHT - TOP - BOTTOM)
    }
}

fn chart(page: &mut Markup, history: &History, series: &Series) {
    let scale = Scale::of(series);
    let width = scale.step * series.points.len().max(1) as f64;
    // It takes the focus, so that the arrow keys scroll a chart that is wider than the window.
    page.raw("<div class=\"chart\"><svg role=\"img\" tabindex=\"0\" aria-label=\"")
        .text(&series.title())
        .raw(": value of each commit with its interval, as in the table\"");
    attributes(page, &[("width", width), ("height", HEIGHT)]);
    page.raw(">\n");
    for (at, step) in series.steps.iter().enumerate() {
        let next = series.steps.get(at + 1);
        let to = scale.step * next.map_or(series.points.len(), |next| next.at) as f64;
        let edge = scale.step * step.at as f64;
        if at == 0 {
            mean(page, &scale, step.before, (0.0, edge));
        }
        mean(page, &scale, step.after, (edge, to));
        line(
            page,
            "<line class=\"step\"",
            (edge, TOP - 10.0),
            (edge, HEIGHT),
        );
        let text = format!("{:+.1} %", step.change_pct);
        attributes(page.raw("<text"), &[("x", edge), ("y", TOP / 2.0)]);
        page.raw(" text-anchor=\"middle\">")
            .text(&text)
            .raw("</text>\n");
    }
    for ((at, point), commit) in series.points.iter().enumerate().zip(&history.commits) {
        let x = scale.step * (at as f64 + 0.5);
        line(
            page,
            "<line class=\"interval\"",
            (x, scale.y(point.low)),
            (x, scale.y(point.high)),
        );
        attributes(
            page.raw("<circle"),
            &[("cx", x), ("cy", scale.y(point.value)), ("r", 3.5)],
        );
        let text = format!(
            "{}: {:.2}, {:.2} … {:.2}",
            commit.name, point.value, point.low, point.high
        );
        page.raw("><title>").text(&text).raw("</title></circle>\n");
    }
    page.raw("</svg></div>\n");
}

fn mean(page: &mut Markup, scale: &Scale, value: f64, (from, to): (f64, f64)) {
    line(
        page,
        "<line class=\"mean\"",
        (from, scale.y(value)),
        (to, scale.y(value)),
    );
}

fn line(page: &mut Markup, start: &'static str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    attributes(
        page.raw(start),
        &[("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)],
    );
    page.raw("/>\n");
}

fn attributes(page: &mut Markup, named: &[(&'static str, f64)]) {
    for (name, value) in named {
        page.raw(" ")
            .raw(name)
            .raw("=\"")
            .text(&format!("{value:.1}"))
            .raw("\"");
    }
}
