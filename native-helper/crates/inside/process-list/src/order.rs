//! Which process comes before which.

use std::cmp::Ordering;

use protocol::inside::ProcessColumn;
use shared_sort::SharedSort;

use crate::group::Group;
use crate::listed::ListedProcess;

/// The content of a column, as a value with an order. An unknown value comes last in either direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value<'p> {
    Number(u64),
    Text(&'p str),
}

/// Of a number that is not below zero, bits that have its order.
fn ordered(number: f64) -> Value<'static> {
    Value::Number(number.max(0.0).to_bits())
}

pub(crate) fn of_process(column: ProcessColumn, process: &ListedProcess) -> Option<Value<'_>> {
    match column {
        ProcessColumn::Pid => Some(Value::Number(process.number)),
        ProcessColumn::Name => process.called().map(Value::Text),
        ProcessColumn::Current => process.current.function.as_deref().map(Value::Text),
        ProcessColumn::Status => Some(Value::Text(process.status.name())),
        ProcessColumn::Mailbox => Some(Value::Number(process.mailbox)),
        ProcessColumn::Memory => Some(Value::Number(process.memory_bytes)),
        ProcessColumn::HeapUsed => Some(Value::Number(process.heap_used_words)),
        ProcessColumn::Binaries => process.binary_bytes.map(Value::Number),
        ProcessColumn::Reductions => process.reductions_per_second.map(ordered),
        ProcessColumn::Collections => process.collections_per_second.map(ordered),
        ProcessColumn::Parent => process.parent.map(Value::Number),
    }
}

/// The sum of a group, or its title where a column has no numbers.
pub(crate) fn of_group(column: ProcessColumn, group: &Group) -> Option<Value<'_>> {
    let (title, sums) = (group.title.as_deref(), &group.sums);
    match column {
        ProcessColumn::Pid
        | ProcessColumn::Name
        | ProcessColumn::Current
        | ProcessColumn::Status
        | ProcessColumn::Parent => title.map(Value::Text),
        ProcessColumn::Mailbox => Some(Value::Number(sums.mailbox)),
        ProcessColumn::Memory => Some(Value::Number(sums.memory_bytes)),
        ProcessColumn::HeapUsed => Some(Value::Number(sums.heap_used_words)),
        ProcessColumn::Binaries => sums.binary_bytes.map(Value::Number),
        ProcessColumn::Reductions => sums.reductions_per_second.map(ordered),
        ProcessColumn::Collections => sums.collections_per_second.map(ordered),
    }
}

/// The order of two values in a direction.
pub(crate) fn compare(a: Option<Value<'_>>, b: Option<Value<'_>>, descending: bool) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if descending => b.cmp(&a),
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

/// Puts places of processes in order; equal ones in the order they were made.
pub(crate) fn sort(
    places: &mut [usize],
    processes: &[ListedProcess],
    column: ProcessColumn,
    descending: bool,
) {
    places.shared_sort_by(|a, b| {
        let (a, b) = (&processes[*a], &processes[*b]);
        let values = (of_process(column, a), of_process(column, b));
        compare(values.0, values.1, descending).then(a.number.cmp(&b.number))
    });
}
