//! Rights that it takes to look at a process, apart from all else that is done meanwhile.

/// What it takes to read a process's folder of `/proc` and to follow the links in it, beyond what the
/// thread may do anyway.
pub trait ProcRights: Clone + Send + 'static {
    /// Does that with these rights. No path that the process chose is opened within.
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
