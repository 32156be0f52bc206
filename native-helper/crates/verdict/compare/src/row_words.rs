//! The words beside the figures of a row, for people.

use crate::answer::FunctionChange;
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
}

impl ShownRow<'_> {
    /// `collections moved; and 7 callers with the same change`; empty where there are none.
    pub fn beside(&self) -> String {
        let remark = self.row.remark.map(|remark| remark.text().to_owned());
        let callers = callers(self.row, self.callers);
        let parts: Vec<String> = remark.into_iter().chain(callers).collect();
        parts.join("; ")
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
