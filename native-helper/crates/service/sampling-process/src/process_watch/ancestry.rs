//! Whose processes they are, by the ancestors that `proc_lib` notes.

use std::rc::Rc;

use attach::AttachedVm;
use erlang_terms::Term;
use shared_map::HashMap;
use vm_tables::atoms::quoted;
use vm_tables::pids::PidFormat;

use super::texts::Texts;
use super::watched::Watched;

/// The first ancestor, and the last one that has a name.
type Ancestry = (Option<Rc<str>>, Option<Rc<str>>);

/// Looks up the names of the ancestors that were read: many processes have the same.
pub(super) fn note_ancestors(
    vm: &mut AttachedVm,
    pids: PidFormat,
    watched: &mut Watched,
    texts: &mut Texts,
) {
    let names: HashMap<u64, Rc<str>> = watched
        .processes()
        .iter()
        .filter_map(|process| Some((process.id, process.name.clone()?)))
        .collect();
    let mut known: HashMap<Vec<u64>, Ancestry> = HashMap::new();
    for (kept, process) in watched.each_mut() {
        let Some(ancestors) = kept.ancestors.take() else {
            continue;
        };
        let found = known.entry(ancestors).or_insert_with_key(|ancestors| {
            let mut name = |term: &u64| match Term::of(*term) {
                Term::Atom(atom) => {
                    let name = vm.atoms.name(&vm.memory, atom).ok()?;
                    Some(texts.shared(&quoted(name)))
                }
                Term::Pid(pid) => names.get(&pid).cloned(),
                _ => None,
            };
            let named = ancestors.iter().rev().find_map(&mut name);
            let first = ancestors.first().and_then(|term| {
                let pid = || match Term::of(*term) {
                    Term::Pid(pid) => Some(pids.text(pid).into()),
                    _ => None,
                };
                name(term).or_else(pid)
            });
            (first, named)
        });
        (process.supervisor, process.application) = found.clone();
    }
}
