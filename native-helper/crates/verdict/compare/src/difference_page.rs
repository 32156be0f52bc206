//! A comparison as one HTML file: the changes, and the flame graph of the difference.

use std::io;

use capture::flame_page::{FlamePage, Markup, Script};
use capture::visible::visible;
use serde::Serialize;

use crate::answer::Comparison;
use crate::composition::Composition;
use crate::difference_tree::{DifferenceTree, TreeFrame, TreeNode};
use crate::frame_change::FrameChange;
use crate::gate::Gate;
use crate::markdown::{counts, figure, method, sign, titles};
use crate::measure::Measure;
use crate::shown_rows::{ShownRow, ShownRows, shown_changes};
use crate::side::Side;
use crate::tracks::track_lines;
use crate::whole::whole_line;

/// Hands the tree to the graph.
const SCRIPT: Script = Script {
    text: include_str!("difference_page/difference.js"),
    hash: "sha256-vfdAssnr9tYuUbaZNz8MIFLn3me7ifjHSMDzZ0ojAto=",
};

const COLUMNS: &str = "<tr><th scope=\"col\">Touched</th><th scope=\"col\">Verdict</th><th scope=\"col\">Function</th><th scope=\"col\">Column</th>\
     <th scope=\"col\">Before</th><th scope=\"col\">After</th><th scope=\"col\">Change</th>\
     <th scope=\"col\">95 % interval, %</th></tr>\n";
const LEGEND: &str = "<p class=\"legend\"><span class=\"more s3\">▲ more time</span> <span class=\"less s3\">▼ less time</span> \
     <span class=\"new s4\">✚ new</span> <span class=\"gone s4\">✖ gone</span> <span class=\"none\">no significant change</span></p>\n\
     <p class=\"facts\">A frame is as wide as it is after. The stronger the colour, the larger the change. \
     A frame is coloured as more or less only if the table is certain of its function.</p>\n";
const VANISHED: &str = "<button id=\"vanished\" type=\"button\" aria-pressed=\"false\" \
     title=\"Show stacks that are gone, with their former width\">Vanished stacks</button>\n";
/// Names of the nodes that are no function, before those of functions.
const ALL: u32 = 0;
const FOLDED: u32 = 1;
const FIRST_NAME: u32 = 2;

/// The data for the script. A node's parent comes before it; node 0 is the root.
#[derive(Debug, Serialize)]
struct Data {
    names: Vec<String>,
    parents: Vec<u32>,
    functions: Vec<u32>,
    /// Without the frames below it.
    base: Vec<f64>,
    new: Vec<f64>,
    /// The class of its frame.
    changes: Vec<&'static str>,
    strengths: Vec<u8>,
    /// Stands after a figure.
    unit: &'static str,
}

/// The content of a page beside the graph.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The comparison of the two sides.
    pub comparison: &'a Comparison,
    /// Conditions that were judged.
    pub gates: &'a [Gate],
    /// The rows of its table.
    pub shown: &'a ShownRows<'a>,
}

/// The page of the comparison of these sides.
///
/// # Errors
/// Where the data has no form in JSON.
pub fn difference_page((base, new): (&Side<'_>, &Side<'_>), page: &Page<'_>) -> io::Result<String> {
    let comparison = page.comparison;
    let Composition { base, new, .. } = Composition::of(base, new);
    let tree = DifferenceTree::of(&base, &new, comparison);
    let (old_name, new_name) = titles(comparison);
    let title = format!("CPU: {old_name} → {new_name}");
    let mut tools = Markup::default();
    tools.raw(VANISHED);
    let page = FlamePage {
        title: &title,
        facts: &summary(comparison),
        above: above(page, &tree),
        tools,
        data: &data(comparison.measure, tree),
        script: SCRIPT,
    };
    page.html()
}

/// How many functions changed, and how.
fn summary(comparison: &Comparison) -> String {
    let parts: Vec<_> = counts(&shown_changes(comparison))
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    match parts.is_empty() {
        true => "No change that the samples can show.".to_owned(),
        false => format!("{}.", parts.join(", ")),
    }
}

fn above(page: &Page<'_>, tree: &DifferenceTree) -> Markup {
    let Page {
        comparison,
        gates,
        shown,
    } = page;
    let mut above = Markup::default();
    for gate in *gates {
        above.raw("<p class=\"gate\">").raw(gate.answer.sign());
        above.raw(" ").text(&gate.text()).raw("</p>\n");
    }
    if let Some(whole) = &comparison.whole {
        above.raw("<p>").text(&whole_line(whole)).raw("</p>\n");
    }
    for moved in &comparison.moved {
        above.raw("<p>Moved: ").text(&moved.text).raw("</p>\n");
    }
    if !shown.rows.is_empty() {
        above.raw("<table class=\"changes\">\n<thead>").raw(COLUMNS);
        above.raw("</thead>\n<tbody>\n");
        for shown in &shown.rows {
            table_row(&mut above, comparison.measure, shown);
        }
        above.raw("</tbody>\n</table>\n<p class=\"facts\">Figures: ");
        above.text(&comparison.unit).raw(".</p>\n");
    }
    if let Some(rest) = shown.not_shown() {
        above
            .raw("<p class=\"facts\">Not shown: ")
            .text(&rest)
            .raw(".</p>\n");
    }
    above.raw("<details><summary>Method and caveats</summary>\n<ul>\n");
    let notes = comparison.notes.iter().map(|note| note.text.clone());
    for line in notes
        .chain(track_lines(&comparison.tracks))
        .chain([method(comparison)])
    {
        above.raw("<li>").text(&line).raw("</li>\n");
    }
    above.raw("</ul>\n</details>\n").raw(LEGEND);
    if let Some(line) = folded_line(tree) {
        above.raw("<p class=\"facts\">").text(&line).raw("</p>\n");
    }
    above
}

fn table_row(above: &mut Markup, measure: Measure, shown: &ShownRow<'_>) {
    let row = shown.row;
    let (column, change) = row.headline_column();
    let percent = change.change_pct.map(|pct| format!("{pct:+.1} %"));
    above.raw("<tr><td>").text(row.touched_word());
    above.raw("</td><td>").text(sign(change.verdict));
    above.raw("</td><th scope=\"row\"><button type=\"button\" class=\"find\" title=\"Find it in the graph\">");
    above.text(&row.function).raw("</button>");
    if let Some(path) = row.path.as_deref().filter(|_| row.line > 0) {
        above.raw(" <span class=\"was\">").text(path);
        above.text(&format!(":{}", row.line)).raw("</span>");
    }
    if let (Some(was), Some(how)) = (&row.base_function, row.how_matched()) {
        above.raw(" <span class=\"was\">was ").text(was).text(how);
        above.raw("</span>");
    }
    let beside = shown.beside();
    if !beside.is_empty() {
        above
            .raw(" <span class=\"was\">")
            .text(&beside)
            .raw("</span>");
    }
    above.raw("</th><td>").text(column);
    let figures = [
        figure(measure, change.base),
        figure(measure, change.new),
        percent.unwrap_or_default(),
        change.interval_text(),
    ];
    for text in figures {
        above.raw("</td><td>").text(&text);
    }
    above.raw("</td></tr>\n");
}

/// How much of the graph is not told apart; none where everything is.
fn folded_line(tree: &DifferenceTree) -> Option<String> {
    let (after, before) = tree.folded_pct();
    (after > 0.0 || before > 0.0).then(|| {
        format!(
            "Frames with less than 0.1 % of both sides are folded into … below their caller: {after:.1} % of the time after, {before:.1} % before."
        )
    })
}

fn data(measure: Measure, tree: DifferenceTree) -> Data {
    let nodes = &tree.nodes;
    let own = |of: fn(&TreeNode) -> f64| {
        let mut own: Vec<f64> = nodes.iter().map(of).collect();
        for node in nodes.iter().skip(1) {
            own[node.parent as usize] -= of(node);
        }
        own.into_iter().map(short).collect::<Vec<_>>()
    };
    let function = |node: &TreeNode| match node.frame {
        TreeFrame::All => ALL,
        TreeFrame::Folded => FOLDED,
        TreeFrame::Function(name) => name + FIRST_NAME,
    };
    let mut names = vec!["all".to_owned(), "…".to_owned()];
    names.extend(tree.names.iter().map(|name| visible(name).into_owned()));
    Data {
        names,
        parents: nodes.iter().map(|node| node.parent).collect(),
        functions: nodes.iter().map(function).collect(),
        base: own(|node| node.base),
        new: own(|node| node.new),
        changes: nodes.iter().map(|node| class_of(node.change)).collect(),
        strengths: nodes
            .iter()
            .map(|node| node.change.strength(node.base, node.new))
            .collect(),
        unit: match measure {
            Measure::Share | Measure::Cpu => "%",
            Measure::Work => "µs",
        },
    }
}

/// Six digits are more than the page shows. A remainder of rounding is nothing.
fn short(value: f64) -> f64 {
    if value < 1e-9 {
        return 0.0;
    }
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn class_of(change: FrameChange) -> &'static str {
    match change {
        FrameChange::None => "none",
        FrameChange::More => "more",
        FrameChange::Less => "less",
        FrameChange::New => "new",
        FrameChange::Gone => "gone",
    }
}
