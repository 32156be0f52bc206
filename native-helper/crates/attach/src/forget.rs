//! For tests only: what attaching is to pretend not to know, so that a VM that is known can stand
//! for one that is not. A helper that is shipped is built without the feature `test-forget`, and
//! then nothing can be forgotten: `native-helper/crates/cli/Cargo.toml` and
//! `scripts/build-helper.mjs` say how the other one is built.

use vm_layout::rows::ROWS;
use vm_layout::vm_version::VmVersion;
use vm_layout::{VmLayout, rows_for};

/// Where a test says what to forget. Words with commas between: `layouts`, `symbols`, `row=27` (the
/// row of that release whatever the VM is, which has to be refused). Anything else is ignored.
#[cfg(feature = "test-forget")]
const VARIABLE: &str = "EXTROSPECT_TEST_FORGET";
/// What an emulator exports that hides what it can, as OTP 29 does.
const ALWAYS_EXPORTED: [&str; 3] = ["enif_", "driver_", "erl_drv_"];

/// What is forgotten; nothing unless a test asks for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Forget {
    layouts: bool,
    symbols: bool,
    wrong_row: Option<u32>,
}

impl Forget {
    /// Nothing is forgotten by a helper that is shipped.
    #[cfg(not(feature = "test-forget"))]
    pub(crate) fn asked() -> Self {
        Self::default()
    }

    /// What the test asks for.
    #[cfg(feature = "test-forget")]
    pub(crate) fn asked() -> Self {
        let asked = std::env::var(VARIABLE).unwrap_or_default();
        let has = |what| asked.split(',').any(|word| word == what);
        Self {
            layouts: has("layouts"),
            symbols: has("symbols"),
            wrong_row: asked
                .split(',')
                .find_map(|word| word.strip_prefix("row=")?.parse().ok()),
        }
    }

    /// The symbol, unless it is forgotten.
    pub(crate) fn symbol(self, name: &str, find: impl Fn() -> Option<u64>) -> Option<u64> {
        let hidden = self.symbols
            && !ALWAYS_EXPORTED
                .iter()
                .any(|prefix| name.starts_with(prefix));
        if hidden { None } else { find() }
    }

    /// The rows for a release, unless rows are forgotten.
    pub(crate) fn rows(self, version: &VmVersion) -> Vec<&'static VmLayout> {
        if let Some(release) = self.wrong_row {
            let row = ROWS.iter().find(|row| row.otp_release == release);
            return row.into_iter().collect();
        }
        rows_for(version).filter(|_| !self.layouts).collect()
    }
}
