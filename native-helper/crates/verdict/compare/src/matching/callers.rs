//! C code without a name, once it is known what its callers are on the other side.

use shared_map::HashMap;

use crate::identity::{Catalogue, FunctionId};

/// Pairs of unnamed code of `base_left` and `new_left`: inside of the same function, or, where no
/// function of the stack has a name, of the same object.
pub fn by_caller(
    base: &Catalogue,
    base_left: &[FunctionId],
    new: &Catalogue,
    new_left: &[FunctionId],
    callers: &HashMap<FunctionId, FunctionId>,
) -> Vec<(FunctionId, FunctionId)> {
    let of_new = new_left.iter();
    let inside: HashMap<FunctionId, FunctionId> = of_new
        .filter_map(|id| Some((new.get(*id).inside?, *id)))
        .collect();
    let pair = |id: FunctionId| {
        let known = base.get(id);
        let newer = match known.inside {
            Some(caller) => inside.get(callers.get(&caller)?).copied(),
            None => new.find(&known.identity),
        };
        Some((id, newer?))
    };
    let unnamed = base_left
        .iter()
        .filter(|id| base.get(**id).identity.is_unnamed());
    unnamed.filter_map(|id| pair(*id)).collect()
}
