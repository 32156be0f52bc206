//! A function that has another arity now: the only one of its name, on both sides.

use std::collections::BTreeMap;

use crate::code::Code;
use crate::erlang_name::ErlangName;
use crate::identity::{Catalogue, FunctionId};

/// The functions of a name that are left on a side, each with its arity.
type Left<'n> = BTreeMap<(&'n str, &'n str), Vec<(u8, FunctionId)>>;

/// Pairs of the only functions of a name that are left, unless the code of a side has a function with
/// the other's arity: that one was only not sampled.
pub fn by_arity(
    base: &Catalogue,
    base_left: &[FunctionId],
    new: &Catalogue,
    new_left: &[FunctionId],
    code: &Code<'_>,
) -> Vec<(FunctionId, FunctionId)> {
    let of_new = left(new, new_left);
    let mut found = Vec::new();
    for (name, older) in left(base, base_left) {
        let (&[(old_arity, older)], Some(&[(new_arity, newer)])) =
            (older.as_slice(), of_new.get(&name).map(Vec::as_slice))
        else {
            continue;
        };
        let of_base = code.base_family(&BTreeMap::from([(old_arity, older)]), name.1);
        let of_new = code.new_family(&BTreeMap::from([(new_arity, newer)]), name.1);
        let mut of_base = of_base.into_iter().flatten();
        let mut of_new = of_new.into_iter().flatten();
        let exists = of_base.any(|it| it.arity == new_arity)
            || of_new.any(|it| it.arity == old_arity)
            || code.is_same_base(base.get(older))
            || code.is_same_new(new.get(newer));
        if !exists {
            found.push((older, newer));
        }
    }
    found
}

fn left<'n>(catalogue: &'n Catalogue, ids: &[FunctionId]) -> Left<'n> {
    let mut left = Left::new();
    for id in ids {
        let known = catalogue.get(*id);
        let name = ErlangName::parse(&known.identity.name).filter(|_| known.identity.is_erlang());
        if let Some(name) = name
            && let Ok(arity) = name.arity.parse()
        {
            let functions = left.entry((name.module, name.function)).or_default();
            functions.push((arity, *id));
        }
    }
    left
}
