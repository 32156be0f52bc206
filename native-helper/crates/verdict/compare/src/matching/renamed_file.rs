//! Functions whose module was renamed, by the renamed files that git reports.

use shared_map::HashMap;

use crate::erlang_name::ErlangName;
use crate::identity::{Catalogue, FunctionId};
use crate::sources::SourceTexts;

/// `shop:price/1` of `shop.erl` is `store:price/1` once git reports that the file is `store.erl`
/// now.
pub fn by_renamed_file(
    base: &Catalogue,
    base_left: &[FunctionId],
    new: &Catalogue,
    new_left: &[FunctionId],
    texts: &SourceTexts,
) -> Vec<(FunctionId, FunctionId)> {
    let mut found = Vec::new();
    if texts.renamed.is_empty() {
        return found;
    }
    let mut functions: HashMap<(&str, &str), Vec<FunctionId>> = HashMap::new();
    for id in new_left {
        let known = new.get(*id);
        let name = ErlangName::parse(&known.identity.name);
        if let (true, Some(name)) = (known.identity.is_erlang(), name) {
            let called = (name.function, name.arity);
            functions.entry(called).or_default().push(*id);
        }
    }
    for id in base_left {
        let known = base.get(*id);
        let name = ErlangName::parse(&known.identity.name);
        let (Some(file), Some(name)) = (texts.base_of(known), name) else {
            continue;
        };
        let candidates = functions.get(&(name.function, name.arity));
        let mut candidates = candidates.into_iter().flatten().filter(|other| {
            let same_file = texts.new_of(new.get(**other));
            same_file.is_some_and(|newer| texts.is_renamed(file, newer))
        });
        if let (Some(only), None) = (candidates.next(), candidates.next()) {
            found.push((*id, *only));
        }
    }
    found
}
