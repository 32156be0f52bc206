//! Rights needed to read a process, separate from all other work.

/// The rights needed to read a process's folder of `/proc` and to follow the links in it, beyond
/// those that the thread has anyway.
pub trait ProcRights: Clone + Send + 'static {
    /// Runs `look` with these rights. No path that the process chose is opened within.
    fn within<T>(&self, look: impl FnOnce() -> T) -> T;
}

/// None beyond those.
#[derive(Debug, Clone, Copy)]
pub struct NoMoreRights;

impl ProcRights for NoMoreRights {
    fn within<T>(&self, look: impl FnOnce() -> T) -> T {
        look()
    }
}
