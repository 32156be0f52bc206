//! The words beside the figures of a row, for people.

use crate::answer::FunctionChange;
use crate::matching::MatchedBy;
use crate::shown_rows::ShownRow;

impl FunctionChange {
    /// The first column of each table: whether the commit touched it; empty where that is not known.
    pub fn touched_word(&self) -> &'static str {
        match self.touched {
            Some(true) => "yes",
            Some(false) => "no",
            None => "",
        }
    }

    /// How it was matched, after its older name; none where that is the same. The editor has the same words (`matchedBy` of
    /// `webviews/compare/strings.ts`).
    pub fn how_matched(&self) -> Option<&'static str> {
        match self.matched_by? {
            MatchedBy::Name => None,
            MatchedBy::Caller => Some(", matched by its caller"),
            MatchedBy::Closure => Some(", matched as the same fun"),
            MatchedBy::RenamedFile => Some(", file was renamed"),
            MatchedBy::Body => Some(", matched by its body"),
            MatchedBy::Position => Some(", matched by its place in the source"),
            MatchedBy::Arity => Some(", arity changed"),
        }
    }
}

impl ShownRow<'_> {
    /// `changed by collections alone, and 7 callers with the same change`; empty where there are none.
    pub fn beside(&self) -> String {
        let remark = self.row.remark.map(|remark| remark.text().to_owned());
        let callers = callers(self.row, self.callers);
        let parts: Vec<String> = remark.into_iter().chain(callers).collect();
        parts.join(", ")
    }
}

fn callers(row: &FunctionChange, callers: usize) -> Option<String> {
    let same = match row.headline_column().0 {
        "total" => "change",
        _ => "total",
    };
    match callers {
        0 => None,
        1 => Some(format!("and 1 caller with the same {same}")),
        _ => Some(format!("and {callers} callers with the same {same}")),
    }
}
