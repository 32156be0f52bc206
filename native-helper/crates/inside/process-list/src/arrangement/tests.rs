use proptest::prelude::*;
use protocol::inside::{ProcessAlarms, ProcessColumn, ProcessGrouping, ProcessLine, ProcessQuery};
use shared_map::HashSet;
use vm_processes::{Priority, Status};

use super::*;
use crate::listed::Place;

fn process(number: u64) -> ListedProcess {
    ListedProcess {
        pid: format!("<0.{number}.0>").into(),
        number,
        id: number,
        parent: None,
        name: None,
        label: None,
        is_label_known: true,
        initial_call: Some("shop:init/1".into()),
        current: Place::default(),
        status: Status::Waiting,
        priority: Priority::Normal,
        mailbox: 0,
        is_mailbox_at_least: false,
        memory_bytes: 0,
        is_memory_at_least: false,
        message_bytes: 0,
        heap_words: 10,
        heap_used_words: 5,
        reductions: 0,
        minor_gcs: 0,
        binary_bytes: None,
        reductions_per_second: None,
        collections_per_second: None,
        supervisor: None,
        application: None,
    }
}

#[test]
fn a_process_whose_label_is_not_known_is_in_no_group_by_name() {
    let mut all: Vec<ListedProcess> = (1..=3).map(process).collect();
    all[1].is_label_known = false;
    all[2].is_label_known = false;
    all[2].name = Some("shop".into());
    let by = |grouping| ProcessQuery {
        grouping,
        ..query()
    };
    let titles = |grouping| {
        let groups = lines(&all, &by(grouping)).into_iter();
        let mut titles: Vec<_> = groups
            .map(|it| (it.group.unwrap_or_default(), it.count))
            .collect();
        titles.sort();
        titles
    };
    let of = |title: &str, count| (title.to_owned(), count);
    assert_eq!(
        titles(ProcessGrouping::Name),
        [of("", 1), of("shop", 1), of("shop:init/1", 1)]
    );
    assert_eq!(titles(ProcessGrouping::InitialCall), [of("shop:init/1", 3)]);
}

#[test]
fn a_sum_with_a_part_that_may_be_more_may_be_more() {
    let mut all: Vec<ListedProcess> = (1..=3).map(process).collect();
    (all[0].memory_bytes, all[0].message_bytes) = (100, 60);
    (all[1].memory_bytes, all[1].is_memory_at_least) = (50, true);
    let by_call = ProcessQuery {
        grouping: ProcessGrouping::InitialCall,
        ..query()
    };
    let group = &lines(&all, &by_call)[0];
    assert_eq!((group.memory, group.message_bytes), (150, 60));
    assert_eq!(
        (group.memory_at_least, group.mailbox_at_least),
        (true, false)
    );
    let each = lines(&all, &query());
    let at_least: Vec<bool> = each.iter().map(|line| line.memory_at_least).collect();
    assert_eq!(at_least, [false, true, false]);
    all[2].is_mailbox_at_least = true;
    assert!(lines(&all, &by_call)[0].mailbox_at_least);
}

fn query() -> ProcessQuery {
    ProcessQuery {
        sort: ProcessColumn::Memory,
        descending: true,
        filter: String::new(),
        grouping: ProcessGrouping::None,
        open: Vec::new(),
        alarms: ProcessAlarms::default(),
        only_alarming: false,
    }
}

fn lines(processes: &[ListedProcess], query: &ProcessQuery) -> Vec<ProcessLine> {
    let list = Arrangement::of(processes, query);
    list.window(0..usize::MAX, processes, query, |id| format!("<0.{id}.0>"))
}

fn keys(processes: &[ListedProcess], query: &ProcessQuery) -> Vec<String> {
    let lines = lines(processes, query);
    lines.into_iter().map(|line| line.key).collect()
}

/// Four processes: 1 started 2 and 3, 3 started 4.
fn family() -> Vec<ListedProcess> {
    let mut all: Vec<ListedProcess> = (1..=4).map(process).collect();
    (all[1].parent, all[2].parent, all[3].parent) = (Some(1), Some(1), Some(3));
    for (one, memory_bytes) in all.iter_mut().zip([10, 40, 20, 30]) {
        one.memory_bytes = memory_bytes;
    }
    all[3].initial_call = Some("cart:init/1".into());
    all
}

#[test]
fn the_most_come_first_and_what_is_not_known_last() {
    let mut all = family();
    assert_eq!(
        keys(&all, &query()),
        ["<0.2.0>", "<0.4.0>", "<0.3.0>", "<0.1.0>"]
    );
    all[1].binary_bytes = Some(7);
    all[3].binary_bytes = Some(9);
    let by_binaries = |descending| ProcessQuery {
        sort: ProcessColumn::Binaries,
        descending,
        ..query()
    };
    assert_eq!(
        keys(&all, &by_binaries(true)),
        ["<0.4.0>", "<0.2.0>", "<0.1.0>", "<0.3.0>"]
    );
    assert_eq!(
        keys(&all, &by_binaries(false)),
        ["<0.2.0>", "<0.4.0>", "<0.1.0>", "<0.3.0>"]
    );
    let without_value = |query: &ProcessQuery| Arrangement::of(&all, query).without_value;
    assert_eq!(without_value(&by_binaries(false)), 2, "both are counted");
    assert_eq!(without_value(&query()), 0);
}

#[test]
fn a_filter_looks_at_who_and_where() {
    let mut all = family();
    all[0].name = Some("Basket".into());
    all[1].current.function = Some("gen_server:loop/7".into());
    let fitting = |filter: &str| {
        let filter = filter.to_owned();
        keys(&all, &ProcessQuery { filter, ..query() })
    };
    assert_eq!(fitting(" baSK"), ["<0.1.0>"]);
    assert_eq!(fitting("LOOP/7"), ["<0.2.0>"]);
    assert_eq!(fitting("cart"), ["<0.4.0>"]);
    assert_eq!(fitting("0.3.0"), ["<0.3.0>"]);
    assert!(fitting("nowhere").is_empty());
}

#[test]
fn groups_have_the_sums_of_their_processes_and_open() {
    let all = family();
    let grouped = ProcessQuery {
        grouping: ProcessGrouping::InitialCall,
        open: vec!["group:cart:init/1".to_owned()],
        ..query()
    };
    let lines = lines(&all, &grouped);
    let shown: Vec<_> = lines
        .iter()
        .map(|it| (it.key.as_str(), it.level, it.open, it.count, it.memory))
        .collect();
    assert_eq!(
        shown,
        [
            ("group:shop:init/1", 1, Some(false), 3, 70),
            ("group:cart:init/1", 1, Some(true), 1, 30),
            ("<0.4.0>", 2, None, 1, 30),
        ]
    );
    assert_eq!((lines[1].position, lines[1].siblings), (2, 2));
}

#[test]
fn a_tree_opens_below_those_that_are_open() {
    let all = family();
    let tree = |open: &[&str]| ProcessQuery {
        grouping: ProcessGrouping::Tree,
        open: open.iter().map(|key| (*key).to_owned()).collect(),
        ..query()
    };
    assert_eq!(keys(&all, &tree(&[])), ["<0.1.0>"]);
    assert_eq!(lines(&all, &tree(&[]))[0].count, 4);
    assert_eq!(
        keys(&all, &tree(&["<0.1.0>"])),
        ["<0.1.0>", "<0.2.0>", "<0.3.0>"]
    );
    // One that is open below one that is closed is not seen.
    assert_eq!(keys(&all, &tree(&["<0.3.0>"])), ["<0.1.0>"]);
    let filtered = ProcessQuery {
        filter: "cart".to_owned(),
        ..tree(&[])
    };
    assert_eq!(keys(&all, &filtered), ["<0.1.0>", "<0.3.0>", "<0.4.0>"]);
    let list = Arrangement::of(&all, &filtered);
    assert_eq!((list.matching, list.len()), (1, 3));
}

#[test]
fn alarms_are_counted_and_shown_alone() {
    let mut all = family();
    all[0].mailbox = 1000;
    let alarmed = ProcessQuery {
        alarms: ProcessAlarms {
            mailbox: Some(1000),
            memory: Some(40),
        },
        only_alarming: true,
        ..query()
    };
    assert_eq!(keys(&all, &alarmed), ["<0.2.0>", "<0.1.0>"]);
    assert_eq!(Arrangement::of(&all, &alarmed).alarming, 2);
    // Of the first it is known all the same.
    (all[0].is_memory_at_least, all[3].is_mailbox_at_least) = (true, true);
    assert_eq!(Arrangement::of(&all, &alarmed).may_alarm, 1);
    let memory_alone = ProcessQuery {
        alarms: ProcessAlarms {
            mailbox: None,
            memory: Some(40),
        },
        ..alarmed.clone()
    };
    let list = Arrangement::of(&all, &memory_alone);
    assert_eq!((list.alarming, list.may_alarm), (1, 1));
    let never = ProcessQuery {
        alarms: ProcessAlarms::default(),
        ..alarmed
    };
    assert!(keys(&all, &never).is_empty());
}

fn any_processes() -> impl Strategy<Value = Vec<ListedProcess>> {
    let one = (
        0u64..40,
        0u64..3,
        prop::option::of(0u64..3),
        prop::option::of(0f64..9.0),
    );
    prop::collection::vec(one, 0..40).prop_map(|all| {
        let made = all
            .into_iter()
            .zip(1..)
            .map(|((parent, mailbox, name, rate), number)| {
                let mut one = process(number);
                one.parent = Some(parent);
                one.mailbox = mailbox;
                one.name = name.map(|name| format!("name {name}").into());
                one.reductions_per_second = rate;
                one
            });
        made.collect()
    })
}

fn any_query() -> impl Strategy<Value = ProcessQuery> {
    let columns = prop::sample::select(vec![
        ProcessColumn::Pid,
        ProcessColumn::Name,
        ProcessColumn::Mailbox,
        ProcessColumn::Reductions,
        ProcessColumn::Parent,
    ]);
    let groupings = prop::sample::select(vec![
        ProcessGrouping::None,
        ProcessGrouping::Name,
        ProcessGrouping::InitialCall,
        ProcessGrouping::Tree,
    ]);
    (columns, groupings, any::<bool>()).prop_map(|(sort, grouping, descending)| ProcessQuery {
        sort,
        grouping,
        descending,
        ..query()
    })
}

proptest! {
    /// Parents may lead anywhere, in circles too.
    #[test]
    fn with_all_open_every_process_is_there_once(all in any_processes(), asked in any_query()) {
        let pids = all.iter().map(|it| it.pid.to_string());
        let groups = keys(&all, &asked);
        let asked = ProcessQuery { open: pids.chain(groups).collect(), ..asked };
        let lines = lines(&all, &asked);
        let shown: Vec<&str> = lines.iter().filter(|it| it.process.is_some()).map(|it| it.key.as_str()).collect();
        prop_assert_eq!(shown.len(), all.len());
        prop_assert_eq!(shown.iter().collect::<HashSet<_>>().len(), all.len());
        for line in &lines {
            prop_assert!(line.position >= 1 && line.position <= line.siblings);
        }
    }

    #[test]
    fn windows_are_parts_of_the_whole(all in any_processes(), asked in any_query(), first in 0usize..50, length in 0usize..50) {
        let whole = lines(&all, &asked);
        let list = Arrangement::of(&all, &asked);
        prop_assert_eq!(list.len(), whole.len());
        let window = list.window(first..first + length, &all, &asked, |id| format!("<0.{id}.0>"));
        let expected: Vec<ProcessLine> = whole.into_iter().skip(first).take(length).collect();
        prop_assert_eq!(window, expected);
    }
}
