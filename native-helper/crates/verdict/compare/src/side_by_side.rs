//! The two sides of a comparison at once, where there are threads: WebAssembly has none.

use std::thread::{Builder, scope};

/// Both results. The first is worked out on a thread of its own if there can be one.
pub fn side_by_side<A: Send, B>(one: impl Fn() -> A + Sync, other: impl FnOnce() -> B) -> (A, B) {
    scope(|scope| match Builder::new().spawn_scoped(scope, &one) {
        Ok(beside) => {
            let other = other();
            match beside.join() {
                Ok(one) => (one, other),
                Err(panicked) => std::panic::resume_unwind(panicked),
            }
        }
        Err(_) => (one(), other()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_come_back_in_their_places() {
        let text = "before".to_owned();
        assert_eq!(side_by_side(|| text.len(), || text.as_str()), (6, "before"));
    }
}
