//! Remarks on a row beside its figures.

use serde::{Deserialize, Serialize};

/// A remark on a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// Neither its code changed nor its time beside collections: other collections fall into its time, and are not
    /// charged to it.
    CollectionsMoved,
    /// Collections alone make the change; whether its code changed is not known, or it did.
    CollectionsAlone,
    /// One side alone has samples of it, and the code of both has it.
    NotSampledThere,
}

impl Remark {
    /// For people; the editor has the same words (`rowRemarks` of `webviews/compare/strings.ts`).
    pub const fn text(self) -> &'static str {
        match self {
            Self::CollectionsMoved => "collections moved; its code did not change",
            Self::CollectionsAlone => "changed by collections alone",
            Self::NotSampledThere => "in the code of both sides, sampled on one",
        }
    }
}
