//! Requests that idle servers have handed on: which process has each.
//!
//! The reference of the call is looked for in the processes that the server knows or has started. One that has it and is
//! idle, too, keeps the request, has handed it on in turn, or has only garbage of it: so those that this one knows come
//! next.

use std::collections::BTreeSet;

use attach::AttachError;
use shared_map::{HashMap, HashSet};
use vm_processes::{HeldReferences, Reference};

use super::calls::Idle;

/// How often a request is followed.
const MOST_LEVELS: usize = 8;
/// Servers whose requests are followed.
const MOST_SERVERS: usize = 100;
/// Of each, the processes that may have them; and all that are searched.
const MOST_WORKERS: usize = 1000;
const MOST_SEARCHED: usize = 2000;

/// A call whose server is idle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    /// Pid term of the process that waits.
    pub from: u64,
    /// That of the server.
    pub server: u64,
    /// The reference of the answer.
    pub reference: Reference,
}

/// The process to which a request was handed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Holder {
    /// Its pid term.
    pub id: u64,
    /// It has the request: that waits in its mailbox and no other one with it is at work, or of all that may have it this one
    /// alone is at work. Otherwise it has or had it.
    pub is_certain: bool,
}

/// Where the request of one call is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Followed {
    /// `None`: in no process that was searched, or in several.
    pub holder: Option<Holder>,
    /// Some process that may have the request was not searched, or in part only.
    pub is_partial: bool,
}

impl Followed {
    /// Whether it is not known who works on the request, or whether another one does. Where none of those that were
    /// searched has it, one that the server does not know may: by a registered name, a group or a table.
    pub fn is_not_known(&self) -> bool {
        self.is_partial || self.holder.is_none()
    }
}

/// Processes that may have the requests of a server.
#[derive(Debug, Clone, Default)]
pub(super) struct MayHave {
    /// Pid terms.
    pub ids: Vec<u64>,
    /// These are all that it knows or has started.
    pub are_all: bool,
}

/// The processes of a VM.
pub(super) trait Workers {
    /// Those that the process with this pid term knows or has started.
    fn known_to(&mut self, id: u64) -> Result<MayHave, AttachError>;
    /// Those of the references that one has.
    fn held(&mut self, id: u64, wanted: &HashSet<Reference>)
    -> Result<HeldReferences, AttachError>;
    /// Whether one waits for whatever comes.
    fn idle(&self, id: u64) -> Option<Idle>;
}

/// Follows the request of each call.
pub(super) fn follow(
    calls: &[Call],
    workers: &mut impl Workers,
) -> Result<Vec<Followed>, AttachError> {
    let mut search = Search {
        wanted: calls.iter().map(|it| it.reference).collect(),
        known: HashMap::new(),
        held: HashMap::new(),
        workers,
    };
    calls.iter().map(|call| search.follow(call)).collect()
}

/// The findings so far: each process is searched once, for all references.
struct Search<'w, W> {
    workers: &'w mut W,
    wanted: HashSet<Reference>,
    known: HashMap<u64, MayHave>,
    held: HashMap<u64, HeldReferences>,
}

impl<W: Workers> Search<'_, W> {
    fn follow(&mut self, call: &Call) -> Result<Followed, AttachError> {
        let mut followed = Followed::default();
        // Where it has been. The caller has the reference, too.
        let mut seen = HashSet::from([call.from, call.server]);
        let mut at = vec![call.server];
        // One that has it in its own data: then the message that waits in another one's mailbox may be a copy.
        let mut may_work = false;
        for _ in 0..MOST_LEVELS {
            let mut found = Found::default();
            for server in std::mem::take(&mut at) {
                self.read(server)?;
                followed.is_partial |= self.add(server, call.reference, &seen, &mut found);
            }
            may_work |= (found.own.iter()).any(|id| may_be_at_work(self.workers.idle(*id)));
            if !found.waiting.is_empty() {
                let one = only(found.waiting.iter().copied());
                let holder = one.map(|id| Holder {
                    id,
                    is_certain: !may_work,
                });
                followed.is_partial &= holder.is_none();
                followed.holder = holder.or(followed.holder);
                return Ok(followed);
            }
            let (holder, idle) = found.holder(|id| self.workers.idle(id));
            followed.holder = holder.or(followed.holder);
            if let Some(holder) = &mut followed.holder {
                holder.is_certain &= !followed.is_partial;
            }
            if idle.is_empty() {
                return Ok(followed);
            }
            seen.extend(&idle);
            at = idle;
        }
        followed.is_partial = true;
        Ok(followed)
    }

    /// Reads what the processes that one knows have.
    fn read(&mut self, server: u64) -> Result<(), AttachError> {
        if self.known.contains_key(&server) {
            return Ok(());
        }
        let mut known = match self.known.len() < MOST_SERVERS {
            true => self.workers.known_to(server)?,
            false => MayHave::default(),
        };
        known.are_all &= known.ids.len() <= MOST_WORKERS;
        known.ids.truncate(MOST_WORKERS);
        for id in &known.ids {
            if !self.held.contains_key(id) && self.held.len() < MOST_SEARCHED {
                let held = self.workers.held(*id, &self.wanted)?;
                self.held.insert(*id, held);
            }
        }
        self.known.insert(server, known);
        Ok(())
    }

    /// Adds those that one knows and that have the reference. True if there may be others.
    fn add(
        &self,
        server: u64,
        reference: Reference,
        seen: &HashSet<u64>,
        found: &mut Found,
    ) -> bool {
        let Some(known) = self.known.get(&server) else {
            return true;
        };
        let mut is_partial = !known.are_all;
        for id in known.ids.iter().filter(|id| !seen.contains(id)) {
            let Some(held) = self.held.get(id) else {
                is_partial = true;
                continue;
            };
            if held.waiting.contains(&reference) {
                found.waiting.insert(*id);
            } else if held.own.contains(&reference) {
                found.own.insert(*id);
            } else {
                is_partial |= !held.is_whole;
            }
        }
        is_partial
    }
}

/// Processes that have one reference.
#[derive(Debug, Default)]
struct Found {
    /// In a message that waits.
    waiting: BTreeSet<u64>,
    /// In their own data.
    own: BTreeSet<u64>,
}

impl Found {
    /// Of those that have it in their own data the one that has the request, if that is only one; and the idle ones,
    /// which may have handed it on: one that is at work did not.
    fn holder(&self, idle: impl Fn(u64) -> Option<Idle>) -> (Option<Holder>, Vec<u64>) {
        let may_work = self.own.iter().filter(|id| may_be_at_work(idle(**id)));
        let one = match may_work.copied().collect::<Vec<u64>>().as_slice() {
            [] => only(self.own.iter().copied()),
            [one] => Some(*one),
            _ => return (None, Vec::new()),
        };
        let holder = one.map(|id| Holder {
            id,
            is_certain: idle(id).is_none(),
        });
        let idle = match holder {
            Some(holder) if holder.is_certain => Vec::new(),
            _ => self.own.iter().copied().collect(),
        };
        (holder, idle)
    }
}

/// One that is idle by its name alone may be at work.
fn may_be_at_work(idle: Option<Idle>) -> bool {
    idle != Some(Idle::Known)
}

/// The one there is, if there is one and no other.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    all.next().filter(|_| all.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLER: u64 = 1;
    const SERVER: u64 = 2;
    const REFERENCE: Reference = [7, 8];
    const CALL: Call = Call {
        from: CALLER,
        server: SERVER,
        reference: REFERENCE,
    };

    /// Where a process has the request.
    #[derive(Clone, Copy, PartialEq)]
    enum Has {
        Nothing,
        Own,
        Waiting,
        /// It could not be read.
        Unread,
    }

    /// Processes by number: those that they know, their content, and whether they are idle.
    struct Vm {
        known: HashMap<u64, Vec<u64>>,
        each: HashMap<u64, (Has, Option<Idle>)>,
        searched: Vec<u64>,
    }

    impl Vm {
        fn new(known: &[(u64, &[u64])], each: &[(u64, Has, Option<Idle>)]) -> Self {
            let each = each.iter().map(|(id, has, idle)| (*id, (*has, *idle)));
            let known = known.iter().map(|(id, known)| (*id, known.to_vec()));
            Self {
                known: known.collect(),
                each: each.collect(),
                searched: Vec::new(),
            }
        }

        fn follow(&mut self) -> (Option<(u64, bool)>, bool) {
            let followed = follow(&[CALL], self).unwrap();
            let holder = followed[0].holder;
            (
                holder.map(|it| (it.id, it.is_certain)),
                followed[0].is_partial,
            )
        }
    }

    impl Workers for Vm {
        fn known_to(&mut self, id: u64) -> Result<MayHave, AttachError> {
            Ok(MayHave {
                ids: self.known.get(&id).cloned().unwrap_or_default(),
                are_all: true,
            })
        }

        fn held(
            &mut self,
            id: u64,
            wanted: &HashSet<Reference>,
        ) -> Result<HeldReferences, AttachError> {
            self.searched.push(id);
            let has = self.each.get(&id).map_or(Has::Nothing, |(has, _)| *has);
            let all = |is: Has| match has == is {
                true => wanted.clone(),
                false => HashSet::new(),
            };
            Ok(HeldReferences {
                own: all(Has::Own),
                waiting: all(Has::Waiting),
                is_whole: has != Has::Unread,
            })
        }

        fn idle(&self, id: u64) -> Option<Idle> {
            self.each.get(&id).and_then(|(_, idle)| *idle)
        }
    }

    const KNOWN: Option<Idle> = Some(Idle::Known);

    #[test]
    fn the_only_one_at_work_has_the_request() {
        let known: &[(u64, &[u64])] = &[(SERVER, &[CALLER, 3, 4, 5])];
        let own = |id, idle| (id, Has::Own, idle);
        let caller = own(CALLER, None);
        for (each, holder) in [
            (&[caller, own(4, None)][..], Some((4, true))),
            (&[own(3, KNOWN), own(4, None)][..], Some((4, true))),
            (&[own(3, None), own(4, None)][..], None),
            (&[own(3, KNOWN)][..], Some((3, false))),
            (&[own(3, KNOWN), own(4, KNOWN)][..], None),
            (&[own(3, Some(Idle::ByName))][..], Some((3, false))),
            (&[own(3, Some(Idle::ByName)), own(4, None)][..], None),
            (&[caller][..], None),
        ] {
            assert_eq!(Vm::new(known, each).follow(), (holder, false));
        }
    }

    #[test]
    fn a_request_in_a_mailbox_has_yet_to_be_taken_unless_another_one_is_at_work_on_it() {
        let known: &[(u64, &[u64])] = &[(SERVER, &[3, 4, 5])];
        let of = |has, idle| {
            let each = [
                (3, has, idle),
                (4, Has::Waiting, None),
                (5, Has::Unread, None),
            ];
            Vm::new(known, &each).follow()
        };
        assert_eq!(
            of(Has::Nothing, None),
            (Some((4, true)), false),
            "who else was not read does not count"
        );
        assert_eq!(of(Has::Own, KNOWN), (Some((4, true)), false));
        assert_eq!(of(Has::Own, None), (Some((4, false)), false));
        let by_name = Some(Idle::ByName);
        assert_eq!(of(Has::Own, by_name), (Some((4, false)), false));
        let each = [(3, Has::Waiting, None), (4, Has::Waiting, None)];
        assert_eq!(Vm::new(known, &each).follow(), (None, false), "two");
    }

    #[test]
    fn where_no_process_that_the_server_knows_has_the_request_it_is_not_known_who_works_on_it() {
        let known: &[(u64, &[u64])] = &[(SERVER, &[3, 4])];
        let is_not_known = |each: &[(u64, Has, Option<Idle>)]| {
            let followed = follow(&[CALL], &mut Vm::new(known, each)).unwrap();
            followed[0].is_not_known()
        };
        // 9 got it by its name, or from a table.
        assert!(is_not_known(&[(9, Has::Own, None)]));
        assert!(is_not_known(&[]));
        let two = [(3, Has::Own, None), (4, Has::Own, None)];
        assert!(is_not_known(&two), "one of both");
        assert!(is_not_known(&[(3, Has::Unread, None), two[1]]));
        assert!(!is_not_known(&[two[0], (9, Has::Own, None)]));
        assert!(!is_not_known(&[(3, Has::Own, KNOWN)]), "has or had it");
    }

    #[test]
    fn one_that_is_idle_too_has_handed_it_on_to_those_that_it_knows() {
        let known: &[(u64, &[u64])] = &[
            (SERVER, &[3]),
            (3, &[SERVER, 4, 5]),
            (4, &[3]),
            (5, &[3, SERVER, 6]),
        ];
        let idle = |id| (id, Has::Own, KNOWN);
        let busy = [idle(3), idle(5), (6, Has::Own, None)];
        assert_eq!(Vm::new(known, &busy).follow(), (Some((6, true)), false));
        let nobody = [idle(3), idle(5)];
        assert_eq!(
            Vm::new(known, &nobody).follow(),
            (Some((5, false)), false),
            "the last one that is known to have had it"
        );
    }

    #[test]
    fn a_circle_of_idle_ones_ends() {
        let known: &[(u64, &[u64])] = &[(SERVER, &[3]), (3, &[4]), (4, &[3, SERVER, CALLER])];
        let each = [(3, Has::Own, KNOWN), (4, Has::Own, KNOWN)];
        let mut vm = Vm::new(known, &each);
        assert_eq!(vm.follow(), (Some((4, false)), false));
        let once: HashSet<u64> = vm.searched.iter().copied().collect();
        assert_eq!(vm.searched.len(), once.len(), "each once");
    }

    #[test]
    fn who_was_not_searched_may_have_it() {
        let known: &[(u64, &[u64])] = &[(SERVER, &[3, 4])];
        let unread = (4, Has::Unread, None);
        assert_eq!(Vm::new(known, &[unread]).follow(), (None, true));
        let each = [(3, Has::Own, None), unread];
        assert_eq!(
            Vm::new(known, &each).follow(),
            (Some((3, false)), true),
            "not the only one"
        );
        // More than are searched.
        let many: Vec<u64> = (10..10 + MOST_WORKERS as u64 + 1).collect();
        let known: &[(u64, &[u64])] = &[(SERVER, &many[..])];
        let mut vm = Vm::new(known, &[]);
        assert_eq!(vm.follow(), (None, true));
        assert_eq!(vm.searched.len(), MOST_WORKERS);
        // Handed on more often than is followed.
        let next: Vec<[u64; 1]> = (0..20).map(|id| [id + 1]).collect();
        let known: Vec<(u64, &[u64])> = (0..).zip(next.iter().map(|it| &it[..])).collect();
        let each: Vec<(u64, Has, Option<Idle>)> = (3..20).map(|id| (id, Has::Own, KNOWN)).collect();
        let last = SERVER + MOST_LEVELS as u64;
        assert_eq!(Vm::new(&known, &each).follow(), (Some((last, false)), true));
    }
}
