//! Work on several things at once, where there are threads.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread::{Builder, available_parallelism, scope};

/// Works on each item, on as many threads as there are processors, and keeps their order. Where no thread
/// can be started it takes longer.
pub fn at_once<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let processors = available_parallelism().map_or(1, NonZero::get);
    let each = items.len().div_ceil(processors).max(1);
    let work_on = |part: &[T]| -> Vec<R> { part.iter().map(&work).collect() };
    scope(|scope| {
        let begun: Vec<_> = items
            .chunks(each)
            .map(|part| {
                let thread = Builder::new();
                (part, thread.spawn_scoped(scope, move || work_on(part)))
            })
            .collect();
        let results = begun.into_iter().flat_map(|(part, thread)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => work_on(part),
        });
        results.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_has_its_result_in_its_place() {
        for count in [0, 1, 2, 7, 100] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|item| 2 * item).collect();
            assert_eq!(at_once(&items, |item| 2 * item), doubled);
        }
    }
}
