//! Functions by their shown names, where one side knows only those: other tools name no objects of
//! C functions, and closures as people read them.

use std::collections::BTreeMap;

use capture::export::folded::folded_name;

use crate::identity::{Catalogue, FunctionId};

/// Functions of the same name.
#[derive(Debug, Default)]
pub struct SameShown {
    pub pairs: Vec<(FunctionId, FunctionId)>,
    /// Of several on a side it is not known which is which.
    pub unclear: (Vec<FunctionId>, Vec<FunctionId>),
}

#[derive(Debug, Default)]
struct Called {
    base: Vec<FunctionId>,
    new: Vec<FunctionId>,
    is_known_as_shown: bool,
}

/// Those of `base_left` and `new_left` that are shown as the same, where one is known by that alone.
pub fn by_shown_name(
    base: &Catalogue,
    base_left: Vec<FunctionId>,
    new: &Catalogue,
    new_left: Vec<FunctionId>,
) -> SameShown {
    let mut called: BTreeMap<String, Called> = BTreeMap::new();
    let all_base = base_left.into_iter().map(|id| (base, id, true));
    let all_new = new_left.into_iter().map(|id| (new, id, false));
    for (catalogue, id, is_base) in all_base.chain(all_new) {
        let known = catalogue.get(id);
        if known.identity.is_unnamed() {
            continue;
        }
        let entry = called.entry(folded_name(&known.shown)).or_default();
        entry.is_known_as_shown |= known.is_known_as_shown();
        match is_base {
            true => entry.base.push(id),
            false => entry.new.push(id),
        }
    }
    let mut same = SameShown::default();
    for each in called.into_values().filter(|each| each.is_known_as_shown) {
        match (each.base.as_slice(), each.new.as_slice()) {
            ([], _) | (_, []) => {}
            ([base], [new]) => same.pairs.push((*base, *new)),
            (base, new) => {
                same.unclear.0.extend(base);
                same.unclear.1.extend(new);
            }
        }
    }
    same
}
