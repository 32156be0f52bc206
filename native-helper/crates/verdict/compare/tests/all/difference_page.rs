//! The page of a comparison: the content of the file.
#![allow(clippy::unwrap_used)]

use crate::simulated::{Program, side};
use capture::reader::Capture;
use compare::answer::Comparison;
use compare::{Choice, Options, Page, compare, difference_page, shown_rows};

fn page(base: &[Capture], new: &[Capture]) -> String {
    page_after(base, new, |_| {})
}

/// The page of a comparison after this change of it.
fn page_after(base: &[Capture], new: &[Capture], change: impl Fn(&mut Comparison)) -> String {
    let (base, new) = (side("base", base), side("new", new));
    let mut comparison = compare(&base, &new, &Options::default()).unwrap();
    change(&mut comparison);
    let choice = Choice {
        all: true,
        most: Some(5),
    };
    let page = Page {
        comparison: &comparison,
        gates: &[],
        shown: &shown_rows(&comparison, choice),
    };
    difference_page((&base, &new), &page).unwrap()
}

fn captures(program: &Program, seeds: std::ops::Range<u64>) -> Vec<Capture> {
    seeds.map(|seed| program.capture(seed)).collect()
}

/// The data that the script reads.
fn data(page: &str) -> &str {
    let (_, after) = page.split_once("id=\"data\">").unwrap();
    after.split_once("</script>").unwrap().0
}

#[test]
fn a_renamed_function_has_its_newer_name_alone() {
    let before = Program::ordinary();
    let after = before.clone().rename(0, "shop:work_0/2");
    let page = page(&captures(&before, 0..2), &captures(&after, 10..12));
    assert!(data(&page).contains("\"shop:work_0/2\""));
    assert!(!data(&page).contains("\"shop:work_0/1\""));
    assert!(data(&page).contains("\"shop:work_1/1\""));
}

#[test]
fn what_the_commit_touched_is_the_first_column() {
    let program = Program::ordinary();
    let (base, new) = (captures(&program, 0..2), captures(&program, 10..12));
    let page = page_after(&base, &new, |comparison| {
        for (number, row) in comparison.functions.iter_mut().enumerate() {
            row.touched = [Some(true), Some(false), None][number % 3];
        }
    });
    assert!(page.contains("<tr><th scope=\"col\">Touched</th><th scope=\"col\">Verdict</th>"));
    let (_, rows) = page.split_once("<tbody>\n").unwrap();
    let firsts = rows.lines().take(3).map(|row| row.split_once("</td>"));
    let firsts: Vec<&str> = firsts.map(|first| first.unwrap().0).collect();
    assert_eq!(firsts, ["<tr><td>yes", "<tr><td>no", "<tr><td>"]);
}

#[test]
fn names_are_text_wherever_they_stand() {
    let evil = "</script><img src=x onerror=alert(1)>'\"";
    let before = Program::ordinary();
    let after = before.clone().rename(0, evil);
    let page = page(&captures(&before, 0..2), &captures(&after, 10..12));
    assert!(page.contains("&lt;/script&gt;&lt;img src=x"));
    assert!(!page.contains("<img"));
    let of_the_page = 3;
    assert_eq!(page.matches("</script>").count(), of_the_page);
}

#[test]
fn the_page_sends_no_request() {
    let same = captures(&Program::ordinary(), 0..2);
    let page = page(&same, &captures(&Program::ordinary(), 10..12));
    assert!(page.contains("default-src 'none'"));
    assert!(!page.contains("unsafe") && !page.contains("http://") && !page.contains("https://"));
}
