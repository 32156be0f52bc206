//! The list as it is shown: which lines there are, and windows of them.

use std::ops::Range;

use protocol::inside::{ProcessGrouping, ProcessLine, ProcessQuery};
use protocol::processes::ProcessRow;
use shared_map::HashSet;

use crate::group::{Group, Sums};
use crate::groups::groups;
use crate::listed::ListedProcess;
use crate::order;
use crate::tree::tree;

/// What a line is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    /// A group, by its place.
    Group(usize),
    /// A process, by its place.
    Process(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    of: Of,
    level: u32,
    position: u64,
    siblings: u64,
    open: Option<bool>,
    count: u64,
}

/// Processes in the requested order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arrangement {
    lines: Vec<Line>,
    groups: Vec<Group>,
    /// How many processes fit.
    pub matching: u64,
    /// How many lines have no known value in the sorted column.
    pub without_value: u64,
    /// How many of all are alarming.
    pub alarming: u64,
    /// Of how many others that is not known.
    pub may_alarm: u64,
}

impl Arrangement {
    /// Puts processes in order.
    pub fn of(processes: &[ListedProcess], query: &ProcessQuery) -> Self {
        let filter = query.filter.trim().to_lowercase();
        let fits = |process: &ListedProcess| {
            (filter.is_empty() || process.has(&filter))
                && (!query.only_alarming || process.alarms(query.alarms))
        };
        let mut places: Vec<usize> = (0..processes.len()).collect();
        if query.grouping != ProcessGrouping::Tree {
            places.retain(|place| fits(&processes[*place]));
        }
        order::sort(&mut places, processes, query.sort, query.descending);
        let alarming = processes
            .iter()
            .filter(|it| it.alarms(query.alarms))
            .count();
        let may_alarm = processes.iter().filter(|it| it.may_alarm(query.alarms));
        let mut arrangement = Self {
            matching: places.len() as u64,
            alarming: alarming as u64,
            may_alarm: may_alarm.count() as u64,
            ..Self::default()
        };
        let open: HashSet<&str> = query.open.iter().map(String::as_str).collect();
        match query.grouping {
            ProcessGrouping::None => arrangement.put_processes(&places, 1),
            ProcessGrouping::Tree => {
                let is_narrowed = !filter.is_empty() || query.only_alarming;
                arrangement.put_tree(processes, &places, fits, |key| {
                    is_narrowed || open.contains(key)
                });
            }
            _ => arrangement.put_groups(groups(processes, &places, query), &open),
        }
        let is_unknown = |line: &&Line| match line.of {
            Of::Group(at) => order::of_group(query.sort, &arrangement.groups[at]).is_none(),
            Of::Process(at) => order::of_process(query.sort, &processes[at]).is_none(),
        };
        arrangement.without_value = arrangement.lines.iter().filter(is_unknown).count() as u64;
        arrangement
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether nothing fits.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// A window of the lines, as far as there are any. `parent` returns the text of a pid term. The list was
    /// made of `processes` and `query`.
    pub fn window(
        &self,
        range: Range<usize>,
        processes: &[ListedProcess],
        query: &ProcessQuery,
        parent: impl Fn(u64) -> String,
    ) -> Vec<ProcessLine> {
        let end = range.end.min(self.lines.len());
        let lines = self.lines.get(range.start..end).unwrap_or_default();
        let shown = lines.iter().filter_map(|line| match line.of {
            Of::Group(place) => Some(line.of_group(self.groups.get(place)?)),
            Of::Process(place) => Some(line.of_process(processes.get(place)?, query, &parent)),
        });
        shown.collect()
    }

    /// The places of the processes of a window, groups left out.
    pub fn places(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let end = range.end.min(self.lines.len());
        let lines = self.lines.get(range.start..end).unwrap_or_default();
        lines.iter().filter_map(|line| match line.of {
            Of::Group(_) => None,
            Of::Process(place) => Some(place),
        })
    }

    fn put_processes(&mut self, places: &[usize], level: u32) {
        let siblings = places.len() as u64;
        self.lines
            .extend(places.iter().zip(1..).map(|(place, position)| Line {
                of: Of::Process(*place),
                level,
                position,
                siblings,
                open: None,
                count: 1,
            }));
    }

    fn put_groups(&mut self, groups: Vec<Group>, open: &HashSet<&str>) {
        let siblings = groups.len() as u64;
        for (at, group) in groups.iter().enumerate() {
            let is_open = open.contains(group.key().as_str());
            self.lines.push(Line {
                of: Of::Group(at),
                level: 1,
                position: at as u64 + 1,
                siblings,
                open: Some(is_open),
                count: group.members.len() as u64,
            });
            if is_open {
                self.put_processes(&group.members, 2);
            }
        }
        self.groups = groups;
    }

    fn put_tree(
        &mut self,
        processes: &[ListedProcess],
        places: &[usize],
        fits: impl Fn(&ListedProcess) -> bool,
        is_open: impl Fn(&str) -> bool,
    ) {
        let nodes = tree(processes, places, &fits);
        let tops = nodes
            .iter()
            .filter(|it| it.above.is_none() && it.wanted > 0);
        let tops = tops.count() as u64;
        self.matching = places.iter().filter(|it| fits(&processes[**it])).count() as u64;
        // Of each node, how many of those below it have been put; `None` when it is not open.
        let mut put_below: Vec<Option<u64>> = vec![None; nodes.len()];
        let mut put_tops = 0;
        for (at, node) in nodes.iter().enumerate().filter(|(_, it)| it.wanted > 0) {
            let (count, siblings) = match node.above {
                None => (Some(&mut put_tops), tops),
                Some(above) => (put_below[above].as_mut(), nodes[above].children),
            };
            let Some(count) = count else { continue };
            *count += 1;
            let position = *count;
            let open = (node.children > 0).then(|| is_open(&processes[node.place].pid));
            if open == Some(true) {
                put_below[at] = Some(0);
            }
            self.lines.push(Line {
                of: Of::Process(node.place),
                level: node.level,
                position,
                siblings,
                open,
                count: node.wanted,
            });
        }
    }
}

impl Line {
    fn without_details(&self, key: String, sums: Sums, alarming: bool) -> ProcessLine {
        ProcessLine {
            key,
            level: self.level,
            position: self.position,
            siblings: self.siblings,
            open: self.open,
            group: None,
            count: self.count,
            mailbox: sums.mailbox,
            mailbox_at_least: sums.is_mailbox_at_least,
            memory: sums.memory_bytes,
            memory_at_least: sums.is_memory_at_least,
            message_bytes: sums.message_bytes,
            heap_words: sums.heap_words,
            heap_used_words: sums.heap_used_words,
            binary_bytes: sums.binary_bytes,
            reductions_per_second: sums.reductions_per_second,
            collections_per_second: sums.collections_per_second,
            alarming,
            process: None,
            in_c: None,
            supervisor: None,
            application: None,
        }
    }

    fn of_group(&self, group: &Group) -> ProcessLine {
        ProcessLine {
            group: Some(group.title.clone().unwrap_or_default()),
            ..self.without_details(group.key(), group.sums, group.alarming)
        }
    }

    fn of_process(
        &self,
        process: &ListedProcess,
        query: &ProcessQuery,
        parent: impl Fn(u64) -> String,
    ) -> ProcessLine {
        let text = |text: &Option<std::rc::Rc<str>>| text.as_deref().map(str::to_owned);
        let row = ProcessRow {
            pid: process.pid.to_string(),
            name: text(&process.name),
            label: text(&process.label),
            label_known: process.is_label_known,
            initial_call: text(&process.initial_call),
            current: text(&process.current.function),
            file: text(&process.current.file),
            line: process.current.line,
            status: process.status.name().to_owned(),
            priority: process.priority.name().to_owned(),
            mailbox: process.mailbox,
            mailbox_at_least: process.is_mailbox_at_least,
            memory: process.memory_bytes,
            memory_at_least: process.is_memory_at_least,
            message_bytes: process.message_bytes,
            heap_words: process.heap_words,
            heap_used_words: process.heap_used_words,
            reductions: process.reductions,
            minor_gcs: process.minor_gcs.into(),
            binary_bytes: process.binary_bytes,
            parent: process.parent.map(parent),
        };
        let sums = Sums::of(std::iter::once(process));
        ProcessLine {
            process: Some(row),
            supervisor: text(&process.supervisor),
            application: text(&process.application),
            ..self.without_details(process.pid.to_string(), sums, process.alarms(query.alarms))
        }
    }
}

#[cfg(test)]
mod tests;
