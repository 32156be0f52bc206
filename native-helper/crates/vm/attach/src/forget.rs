//! For tests only: the parts of its knowledge that attaching does without, so that a VM that is known can
//! stand for one that is not. Only a helper that is built with the feature `test-forget` of the crate `cli`
//! calls [`forget_for_tests`]; `scripts/build-helper.mjs` refuses to ship it. The feature is not one of this
//! crate, so that both helpers share everything but their last crate.

use std::sync::OnceLock;

use vm_layout::rows::ROWS;
use vm_layout::vm_version::VmVersion;
use vm_layout::{VmLayout, rows_for};

static FORGOTTEN: OnceLock<Forget> = OnceLock::new();

/// Makes every later attaching of this process do without some of its knowledge. `words` have commas between
/// them: `layouts`, `symbols`, `row=27` (the row of that release whatever the VM is, which has to be refused).
/// Other words are ignored, and so is a second call.
pub fn forget_for_tests(words: &str) {
    let has = |what| words.split(',').any(|word| word == what);
    let _ = FORGOTTEN.set(Forget {
        layouts: has("layouts"),
        symbols: has("symbols"),
        wrong_row: words
            .split(',')
            .find_map(|word| word.strip_prefix("row=")?.parse().ok()),
    });
}

/// Exports of an emulator that hides everything else, as OTP 29 does.
const ALWAYS_EXPORTED: [&str; 3] = ["enif_", "driver_", "erl_drv_"];

/// Facts that are forgotten; none unless a test wants it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Forget {
    layouts: bool,
    symbols: bool,
    wrong_row: Option<u32>,
}

impl Forget {
    /// The wish of a test; nothing in a helper that is shipped.
    pub(crate) fn asked() -> Self {
        FORGOTTEN.get().copied().unwrap_or_default()
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
