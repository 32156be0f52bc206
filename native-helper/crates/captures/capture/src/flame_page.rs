//! The frame of a page with a flame graph: one HTML file that opens without a network, and in which
//! nothing of a capture is markup.

use std::fmt::Write;
use std::io;

use serde::Serialize;

use crate::visible::{visible, visible_json};

const STYLE: &str = include_str!("flame_page/page.css");
/// `flameGraph(model)`, which draws the graph, and answers mouse, keyboard and search; its comment is here, since every
/// page would have it. Of the model: `parents` of each node (a parent comes before its children, and node 0 is the root),
/// and by node `nameOf` (what a node is searched by), `labelOf` (the text in its frame), `textOf` (one line about it),
/// `classOf` (the class of its frame); `foundText` names a part of the whole, by width, that a search has found. It
/// returns `{ setWidths(widths), find(text) }`: nothing is drawn before there are widths, of each node with all below it.
const GRAPH: &str = include_str!("flame_page/graph.js");
/// The hashes by which the browser knows [`STYLE`] and [`GRAPH`]; a test of the pages prints new
/// ones.
const STYLE_HASH: &str = "sha256-VkySEFJLXKkDglKh5UUrbUEQ2FuKnZDabAHBBXc7vpc=";
const GRAPH_HASH: &str = "sha256-wg14ZLbEWs1Qh/rOBcOkqYM1HK3+Ka3V1dNjLmc/Qes=";

/// A page about to be written.
#[derive(Debug)]
pub struct FlamePage<'a, D> {
    /// Title and heading.
    pub title: &'a str,
    /// One line of facts about its content.
    pub facts: &'a str,
    /// More above the graph.
    pub above: Markup,
    /// Controls beside the search.
    pub tools: Markup,
    /// The data of the capture, for the script.
    pub data: &'a D,
    /// The script that calls `flameGraph` with the data.
    pub script: Script,
}

/// A script that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct Script {
    /// Its text.
    pub text: &'static str,
    /// The hash by which the browser knows it: `sha256-…`. It runs no other.
    pub hash: &'static str,
}

/// HTML in which all text is escaped.
#[derive(Debug, Clone, Default)]
pub struct Markup(String);

impl Markup {
    /// Adds HTML that the program itself contains.
    pub fn raw(&mut self, html: &'static str) -> &mut Self {
        self.0.push_str(html);
        self
    }

    /// Adds text of a capture. It may stand between elements or in a quoted attribute.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.0.push_str(&escaped(text));
        self
    }

    /// The HTML.
    pub fn html(self) -> String {
        self.0
    }
}

impl<D: Serialize> FlamePage<'_, D> {
    /// The whole file.
    ///
    /// # Errors
    /// Where the data has no form in JSON.
    pub fn html(&self) -> io::Result<String> {
        let json = serde_json::to_string(self.data).map_err(io::Error::from)?;
        let json = within_script(&json);
        let title = escaped(self.title);
        let mut html = String::with_capacity(json.len() + STYLE.len() + GRAPH.len() + 16_384);
        // Writing into a string cannot fail.
        let _ = write!(
            html,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n\
             <h1>{title}</h1>\n<p class=\"facts\">{facts}</p>\n{above}<div class=\"tools\">\n\
             <label for=\"search\">Search</label>\n<input id=\"search\" type=\"search\" autocomplete=\"off\">\n\
             <button id=\"out\" type=\"button\">Show all</button>\n{tools}</div>\n\
             <p class=\"keys\">Arrow keys move, Enter zooms in, Backspace one out, Escape shows all, / searches, n goes to the next match.</p>\n\
             <div id=\"graph\" role=\"tree\" aria-label=\"Flame graph, callers above the functions that they call\"></div>\n\
             <p id=\"status\" role=\"status\"></p>\n</main>\n\
             <script type=\"application/json\" id=\"data\">{json}</script>\n\
             <script>{GRAPH}</script>\n<script>{script}</script>\n</body>\n</html>\n",
            policy = self.policy(),
            facts = escaped(self.facts),
            above = self.above.0,
            tools = self.tools.0,
            script = self.script.text,
        );
        Ok(html)
    }

    /// The policy on what the page loads and runs: only its own content.
    fn policy(&self) -> String {
        format!(
            "default-src 'none'; style-src '{STYLE_HASH}'; script-src '{GRAPH_HASH}' '{own}'; \
             base-uri 'none'; form-action 'none'",
            own = self.script.hash,
        )
    }
}

/// For text and quoted attributes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// JSON inside an element `script`: whatever a function is called, it neither ends the element nor
/// begins a comment, and no program that shows the text of the page obeys anything in it. These
/// characters are in strings only.
fn within_script(json: &str) -> String {
    visible_json(json)
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_capture_is_markup() {
        let hostile = "</script><script>\"'&\u{202e}";
        let mut above = Markup::default();
        above.raw("<p title=\"").text(hostile).raw("\"></p>\n");
        let page = FlamePage {
            title: hostile,
            facts: hostile,
            above,
            tools: Markup::default(),
            data: &[hostile, "<!--", "\u{2028}"],
            script: Script {
                text: "",
                hash: "sha256-x",
            },
        };
        let html = page.html().unwrap();
        let ours = 3;
        assert_eq!(html.matches("</script>").count(), ours);
        assert_eq!(html.matches("<script").count(), ours);
        assert_eq!(html.matches("<!--").count(), 0);
        assert!(!html.contains(['\u{202e}', '\u{2028}']));
        assert!(
            html.contains("<p title=\"&lt;/script&gt;&lt;script&gt;&quot;&#39;&amp;\\u{202e}\">")
        );
    }
}
