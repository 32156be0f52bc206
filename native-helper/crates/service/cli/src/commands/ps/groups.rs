//! `ps --by`: processes of one kind together, with the unused part and the garbage of their heaps.
//!
//! How much of a heap is garbage is known after all of its live terms were followed, which costs more than to read the
//! process. So of each of the largest groups some processes are inspected, spread from its largest heap to its
//! smallest, and their share of garbage is taken for that of the group: an estimate, unless all were inspected.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use capture::visible::visible_json;
use protocol::processes::{ProcessRow, RejectedEntries};
use sampling_process::{Sampler, questions};
use serde::Serialize;
use shared_map::HashMap;
use shared_sort::SharedSort;

use super::{SHOWN_ROWS, at_least, each_page, left_out_line};
use crate::arguments::inside::{ProcessGroups, Ps};
use crate::circumstances::Circumstances;
use crate::failure::Failure;
use crate::progress::ProgressLine;
use crate::table::{Align, render};
use crate::terminal::{print_line, print_lines};

/// Groups of which heaps are inspected, those with the most heap.
const LOOKED_INTO_GROUPS: usize = 20;
/// Limits of all of that together.
const LONGEST: Duration = Duration::from_secs(10);
const MOST_WORDS: u64 = (512 << 20) / 8;
const NOT_KNOWN: &str = "?";
const NO_LABEL: &str = "-";

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Printed {
    groups: Vec<Group>,
    rejected: RejectedEntries,
    circumstances: Circumstances,
}

/// Processes of one kind.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Group {
    /// Null for those that have no label, and for those of which it is not known.
    name: Option<String>,
    /// False for the latter.
    name_known: bool,
    processes: u64,
    memory: u64,
    /// There may be more.
    memory_at_least: bool,
    heap_words: u64,
    /// Of these, words in no term: what the heaps have in reserve.
    unused_words: u64,
    /// Of these, garbage: an estimate by the processes that were inspected. Null where none was.
    garbage_words: Option<u64>,
    /// All of them were inspected, with all of their messages, so that it is no estimate.
    garbage_is_exact: bool,
    /// There may be less: not all messages of those that were inspected were followed.
    garbage_at_most: bool,
    looked_into: LookedInto,
    #[serde(skip)]
    members: Vec<Member>,
}

/// The processes of a group whose heaps were inspected.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct LookedInto {
    processes: u64,
    /// Words of their terms.
    used_words: u64,
    /// Of these, what a collection of all would leave.
    live_words: u64,
    /// There may be more: not all of their messages were followed.
    live_words_at_least: bool,
}

#[derive(Debug, PartialEq, Eq)]
struct Member {
    pid: String,
    heap_words: u64,
    used_words: u64,
    is_at_work: bool,
}

/// Prints the groups.
pub fn run(sampler: &mut Sampler, arguments: &Ps, by: ProcessGroups) -> Result<(), Failure> {
    let mut groups: HashMap<(Option<String>, bool), Group> = HashMap::new();
    let rejected = each_page(sampler, super::PAGE, &|| false, |page| {
        for row in &page {
            let name = name_of(row, by);
            let name_known = name.is_some() || has_no_label(row, by);
            let key = (name.clone(), name_known);
            let group = groups.entry(key).or_insert_with(|| Group {
                name,
                name_known,
                ..Group::default()
            });
            group.add(row);
        }
        Ok(())
    })?;
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.shared_sort_by(|one, other| {
        let key = |it: &Group| (Reverse(it.heap_words), it.name.clone(), it.name_known);
        key(one).cmp(&key(other))
    });
    look_into(sampler, &mut groups, arguments.look_into);
    let circumstances = Circumstances::of(sampler);
    let all = groups.len();
    match arguments.rows {
        Some(0) => {}
        Some(rows) => groups.truncate(rows),
        None if arguments.json => {}
        None => groups.truncate(SHOWN_ROWS),
    }
    if arguments.json {
        let text = serde_json::to_string(&Printed {
            groups,
            rejected,
            circumstances,
        });
        let text = text.map_err(std::io::Error::other)?;
        return Ok(print_line(&visible_json(&text))?);
    }
    circumstances.print()?;
    print_lines(render(
        &COLUMNS,
        &groups.iter().map(cells).collect::<Vec<_>>(),
    ))?;
    print_line(&format!("{} of {all} groups", groups.len()))?;
    print_lines(left_out_line(rejected))?;
    Ok(print_line(
        "unused: reserve of heaps, in no term; garbage: what a full collection frees, ~ by the processes that were \
         inspected, ≤ where not all of their messages were followed",
    )?)
}

impl Group {
    fn add(&mut self, row: &ProcessRow) {
        let sum = |of: &mut u64, more: u64| *of = of.saturating_add(more);
        sum(&mut self.processes, 1);
        sum(&mut self.memory, row.memory);
        self.memory_at_least |= row.memory_at_least;
        sum(&mut self.heap_words, row.heap_words);
        let unused = row.heap_words.saturating_sub(row.heap_used_words);
        sum(&mut self.unused_words, unused);
        self.members.push(Member {
            pid: row.pid.clone(),
            heap_words: row.heap_words,
            used_words: row.heap_used_words,
            is_at_work: ["running", "garbage_collecting", "exiting"].contains(&&*row.status),
        });
    }

    /// Some of its processes, spread from the largest heap to the smallest. One that works would have to be waited for.
    fn spread(&mut self, most: usize) -> Vec<&Member> {
        self.members.shared_sort_by_key(|it| Reverse(it.heap_words));
        let resting = self.members.iter().filter(|it| !it.is_at_work);
        let resting: Vec<&Member> = resting.collect();
        let many = most.min(resting.len());
        let place = |index: usize| match many {
            0 | 1 => resting.len() / 2,
            many => index * (resting.len() - 1) / (many - 1),
        };
        (0..many)
            .filter_map(|index| resting.get(place(index)).copied())
            .collect()
    }

    /// From its processes that were inspected to all of them.
    fn estimate(&mut self) {
        let LookedInto {
            processes,
            used_words,
            live_words,
            live_words_at_least,
        } = self.looked_into;
        self.garbage_at_most = live_words_at_least;
        self.garbage_is_exact = processes == self.processes && !live_words_at_least;
        let used = self.heap_words.saturating_sub(self.unused_words);
        let dead = used_words.saturating_sub(live_words);
        let of_all = u128::from(used) * u128::from(dead) / u128::from(used_words.max(1));
        self.garbage_words = match (processes, self.garbage_is_exact) {
            (0, _) => None,
            (_, true) => Some(dead),
            (_, false) => Some(u64::try_from(of_all).unwrap_or(u64::MAX)),
        };
    }
}

/// Reads heaps of the first groups. One that cannot be read is not among those that were inspected.
fn look_into(sampler: &mut Sampler, groups: &mut [Group], most: usize) {
    let began = Instant::now();
    let mut words_left = MOST_WORDS;
    let mut line = ProgressLine::new();
    for (index, group) in groups.iter_mut().take(LOOKED_INTO_GROUPS).enumerate() {
        line.show(&format!("heaps of group {}", index + 1));
        let mut looked_into = LookedInto::default();
        for member in group.spread(most) {
            if began.elapsed() > LONGEST || member.used_words > words_left {
                continue;
            }
            words_left -= member.used_words;
            // It may have ended, or work by now.
            let process = member.pid.clone();
            if let Ok(heap) = sampler.ask(questions::Heap { process }, &|| false) {
                looked_into.processes += 1;
                looked_into.used_words = looked_into.used_words.saturating_add(heap.used_words);
                looked_into.live_words = looked_into.live_words.saturating_add(heap.live_words);
                looked_into.live_words_at_least |= heap.live_words_at_least;
            }
        }
        group.looked_into = looked_into;
        group.estimate();
    }
    line.clear();
}

/// What those of one group have in common.
fn name_of(row: &ProcessRow, by: ProcessGroups) -> Option<String> {
    // A label that could not be read would put one process into two groups from look to look.
    let label = || match row.label_known {
        true => row.label.clone(),
        false => None,
    };
    match by {
        ProcessGroups::Name => {
            let name = row.name.clone().or_else(label);
            name.or_else(|| row.initial_call.clone().filter(|_| row.label_known))
        }
        ProcessGroups::Label => label(),
        ProcessGroups::InitialCall => row.initial_call.clone().filter(|_| row.label_known),
    }
}

/// Whether it is known that there is nothing that those of its group could be called by.
fn has_no_label(row: &ProcessRow, by: ProcessGroups) -> bool {
    matches!(by, ProcessGroups::Label) && row.label_known && row.label.is_none()
}

const COLUMNS: [(&str, Align); 7] = [
    ("group", Align::Left),
    ("processes", Align::Right),
    ("KiB", Align::Right),
    ("heaps KiB", Align::Right),
    ("unused KiB", Align::Right),
    ("garbage KiB", Align::Right),
    ("inspected", Align::Right),
];

fn cells(group: &Group) -> Vec<String> {
    let kib = |words: u64| words.saturating_mul(8).div_ceil(1024);
    let garbage = group.garbage_words.map(kib);
    let garbage = garbage.map(|kib| {
        let is_estimated = group.looked_into.processes < group.processes;
        let estimated = if is_estimated { "~" } else { "" };
        let at_most = if group.garbage_at_most { "≤" } else { "" };
        format!("{estimated}{at_most}{kib}")
    });
    let unnamed = match group.name_known {
        true => NO_LABEL,
        false => NOT_KNOWN,
    };
    vec![
        group.name.clone().unwrap_or_else(|| unnamed.to_owned()),
        group.processes.to_string(),
        at_least(group.memory.div_ceil(1024), group.memory_at_least),
        kib(group.heap_words).to_string(),
        kib(group.unused_words).to_string(),
        garbage.unwrap_or_else(|| NOT_KNOWN.to_owned()),
        group.looked_into.processes.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pid: u32, heap_words: u64, status: &str) -> ProcessRow {
        ProcessRow {
            pid: format!("<0.{pid}.0>"),
            label_known: true,
            heap_words,
            heap_used_words: heap_words / 2,
            status: status.to_owned(),
            ..ProcessRow::default()
        }
    }

    #[test]
    fn garbage_is_estimated_by_the_share_of_those_looked_into_and_null_without_any() {
        let mut group = Group::default();
        for pid in 0..10 {
            group.add(&row(pid, 1000, "waiting"));
        }
        group.estimate();
        assert_eq!((group.garbage_words, group.garbage_is_exact), (None, false));
        assert_eq!(cells(&group)[5], "?");
        group.looked_into = LookedInto {
            processes: 2,
            used_words: 1000,
            live_words: 250,
            live_words_at_least: false,
        };
        group.estimate();
        assert_eq!(
            (group.garbage_words, group.garbage_is_exact),
            (Some(3750), false)
        );
        assert_eq!(cells(&group)[5], "~30");
        group.looked_into.processes = 10;
        group.estimate();
        assert_eq!(
            (group.garbage_words, group.garbage_is_exact),
            (Some(750), true)
        );
        assert_eq!(cells(&group)[5], "6");
    }

    #[test]
    fn words_of_messages_that_were_not_followed_are_no_garbage_for_sure() {
        let mut group = Group::default();
        group.add(&row(1, 1000, "waiting"));
        group.looked_into = LookedInto {
            processes: 1,
            used_words: 500,
            live_words: 244,
            live_words_at_least: true,
        };
        group.estimate();
        assert_eq!(group.garbage_words, Some(256));
        assert!(group.garbage_at_most && !group.garbage_is_exact);
        assert_eq!(cells(&group)[5], "≤2");
        // And the share of some is only an estimate of that of all.
        group.add(&row(2, 1000, "waiting"));
        group.estimate();
        assert_eq!(group.garbage_words, Some(512));
        assert_eq!(cells(&group)[5], "~≤4");
    }

    #[test]
    fn processes_that_are_in_no_group_are_counted() {
        assert_eq!(left_out_line(RejectedEntries::default()), None);
        let some = RejectedEntries { freed: 2, torn: 1 };
        assert_eq!(
            left_out_line(some).as_deref(),
            Some("left out: 2 that ended during the reading, 1 that contradicted themselves")
        );
    }

    #[test]
    fn those_looked_into_are_spread_over_all_sizes_and_none_of_them_works() {
        let mut group = Group::default();
        for pid in 0..9 {
            group.add(&row(pid, u64::from(pid) * 10, "waiting"));
        }
        group.add(&row(9, 5000, "running"));
        let pids = |most, group: &mut Group| -> Vec<String> {
            let spread = group.spread(most);
            spread.into_iter().map(|it| it.pid.clone()).collect()
        };
        assert_eq!(pids(3, &mut group), ["<0.8.0>", "<0.4.0>", "<0.0.0>"]);
        assert_eq!(pids(1, &mut group), ["<0.4.0>"]);
        assert_eq!(pids(99, &mut group).len(), 9);
        assert!(pids(0, &mut group).is_empty());
        assert!(Group::default().spread(3).is_empty());
    }

    #[test]
    fn processes_without_a_label_are_not_those_of_which_it_is_not_known() {
        let mut one = row(1, 10, "waiting");
        assert!(has_no_label(&one, ProcessGroups::Label));
        assert!(!has_no_label(&one, ProcessGroups::InitialCall));
        let first_cell = |name_known| {
            let group = Group {
                name_known,
                ..Group::default()
            };
            cells(&group)[0].clone()
        };
        assert_eq!((&*first_cell(true), &*first_cell(false)), ("-", "?"));
        one.label_known = false;
        assert!(!has_no_label(&one, ProcessGroups::Label));
        (one.label_known, one.label) = (true, Some("cart".to_owned()));
        assert!(!has_no_label(&one, ProcessGroups::Label));
    }

    #[test]
    fn a_process_without_a_known_label_is_in_no_group_by_name() {
        let mut one = row(1, 10, "waiting");
        one.initial_call = Some("proc_lib:init_p/5".to_owned());
        one.label_known = false;
        for by in [
            ProcessGroups::Name,
            ProcessGroups::Label,
            ProcessGroups::InitialCall,
        ] {
            assert_eq!(name_of(&one, by), None);
        }
        one.label_known = true;
        one.label = Some("cart".to_owned());
        assert_eq!(name_of(&one, ProcessGroups::Name).as_deref(), Some("cart"));
        let initial = name_of(&one, ProcessGroups::InitialCall);
        assert_eq!(initial.as_deref(), Some("proc_lib:init_p/5"));
        one.name = Some("shop".to_owned());
        assert_eq!(name_of(&one, ProcessGroups::Name).as_deref(), Some("shop"));
    }
}
