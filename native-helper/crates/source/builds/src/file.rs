//! A file of a workspace, as it was found.

/// A module, a source or a project's description.
#[derive(Debug, Clone, Copy)]
pub struct WorkspaceFile<'a> {
    /// Path below the workspace, with slashes.
    pub path: &'a str,
    /// When it was changed, milliseconds since 1970.
    pub modified_ms: u64,
    /// Its bytes, for modules that the capture names ([`is_read`](crate::matching::is_read)) and
    /// descriptions of projects.
    pub content: Option<&'a [u8]>,
}
