//! Processes put together by something that they have in common.

use protocol::inside::ProcessQuery;
use shared_map::HashMap;
use shared_sort::SharedSort;

use crate::group::{Group, Sums};
use crate::listed::ListedProcess;
use crate::order;

/// The groups of these processes, in order; so are their members if `places` are.
pub(crate) fn groups(
    processes: &[ListedProcess],
    places: &[usize],
    query: &ProcessQuery,
) -> Vec<Group> {
    let mut by_title: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
    for place in places {
        let title = processes[*place].group(query.grouping);
        by_title.entry(title).or_default().push(*place);
    }
    let mut groups: Vec<Group> = by_title
        .into_iter()
        .map(|(title, members)| {
            let each = || members.iter().map(|place| &processes[*place]);
            Group {
                title: title.map(str::to_owned),
                sums: Sums::of(each()),
                alarming: each().any(|process| process.alarms(query.alarms)),
                members,
            }
        })
        .collect();
    groups.shared_sort_by(|a, b| {
        let value = |group| order::of_group(query.sort, group);
        let by_title = || (a.title.is_none(), &a.title).cmp(&(b.title.is_none(), &b.title));
        order::compare(value(a), value(b), query.descending).then_with(by_title)
    });
    groups
}
