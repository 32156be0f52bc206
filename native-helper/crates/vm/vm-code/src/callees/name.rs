//! The names that the roles give on one VM.

use std::collections::BTreeMap;

use arch::{Call, MAX_CODE_BYTES, calls_through_words, direct_calls, last_calls};
use shared_map::HashMap;
use target_memory::{TargetMemory, u64_at};

use super::roles::{Caller, ROLES, Role};
use crate::blob::ModuleCode;
use crate::range_names::{RangeName, parse_range_name};

/// Where code is, according to the VM's binaries.
pub trait CodeOfVm {
    /// Where the exported function of that name starts.
    fn exported(&self, name: &str) -> Option<u64>;
    /// Where the C function of a built-in function starts.
    fn bif(&self, name: &str) -> Option<u64>;
    /// Start and end of the C function that holds `address`.
    fn bounds(&self, address: u64) -> Option<(u64, u64)>;
    /// True when the VM was started without flags that choose other allocator functions.
    fn has_usual_allocators(&self) -> bool;
}

/// A name that follows from callers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalleeName {
    /// Name in the source.
    pub function: &'static str,
    /// The caller, as shown to users.
    pub caller: String,
    /// Callers that agree.
    pub callers: usize,
}

impl CalleeName {
    /// As shown: `erts_schedule (called by global::process_main)`.
    pub fn shown(&self) -> String {
        format!("{} (called by {})", self.function, self.caller)
    }
}

/// Names of C functions by where they start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CalleeNames {
    names: BTreeMap<u64, CalleeName>,
    /// Roles whose callers contradict each other, or that name a function another role names.
    pub contradicted: Vec<&'static str>,
}

impl CalleeNames {
    /// Reads the callers' code and follows the roles. `fragments` are the JIT's, `fragment_code`
    /// their bytes.
    pub fn derive(
        memory: &impl TargetMemory,
        code: &impl CodeOfVm,
        fragments: &ModuleCode,
        fragment_code: &[u8],
    ) -> Self {
        let mut look = Look {
            memory,
            code,
            fragments: fragment_calls(fragments, fragment_code),
            functions: HashMap::new(),
        };
        let mut names = Self::default();
        let mut taken: BTreeMap<u64, Vec<&'static str>> = BTreeMap::new();
        for role in ROLES {
            match look.follow(role) {
                Ok(Some((address, name))) => {
                    taken.entry(address).or_default().push(role.function);
                    names.names.insert(address, name);
                }
                Ok(None) => {}
                Err(Contradiction) => names.contradicted.push(role.function),
            }
        }
        // One function cannot be two: which one it is, is not known then.
        for (address, roles) in taken.into_iter().filter(|(_, roles)| roles.len() > 1) {
            names.names.remove(&address);
            names.contradicted.extend(roles);
        }
        names
    }

    /// The name of the function that starts at `address`.
    pub fn name_of(&self, address: u64) -> Option<&CalleeName> {
        self.names.get(&address)
    }

    /// Where the function of that name starts.
    pub fn address_of(&self, function: &str) -> Option<u64> {
        self.iter()
            .find(|(_, name)| name.function == function)
            .map(|(address, _)| address)
    }

    /// All names with their addresses.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &CalleeName)> {
        self.names.iter().map(|(address, name)| (*address, name))
    }

    /// Number of functions named.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True when nothing is named.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// The calls of each fragment by its name.
fn fragment_calls(fragments: &ModuleCode, code: &[u8]) -> HashMap<Box<str>, Vec<Call>> {
    let word_at = |address: u64| {
        let offset = usize::try_from(address.checked_sub(fragments.base)?).ok()?;
        u64_at(code, offset)
    };
    let calls = |(name, bytes, address)| (name, calls_through_words(bytes, address, word_at));
    named_fragments(fragments, code).map(calls).collect()
}

/// Name, code and address of each fragment. `code` is that of all of them.
pub(super) fn named_fragments<'c>(
    fragments: &ModuleCode,
    code: &'c [u8],
) -> impl Iterator<Item = (Box<str>, &'c [u8], u64)> {
    fragments.ranges.iter().filter_map(move |range| {
        let RangeName::Fragment(name) = parse_range_name(fragments.range_name(range), true) else {
            return None;
        };
        let bytes = code.get(range.start as usize..range.end as usize)?;
        let address = fragments.base.checked_add(u64::from(range.start))?;
        Some((name, bytes, address))
    })
}

struct Contradiction;

struct Look<'a, M, C> {
    memory: &'a M,
    code: &'a C,
    fragments: HashMap<Box<str>, Vec<Call>>,
    /// Calls of C functions by where they start.
    functions: HashMap<u64, Vec<Call>>,
}

impl<M: TargetMemory, C: CodeOfVm> Look<'_, M, C> {
    /// The address on which all callers of a role agree; `None` when this VM has no caller that
    /// gives it.
    fn follow(&mut self, role: &Role) -> Result<Option<(u64, CalleeName)>, Contradiction> {
        let mut found: Option<(u64, CalleeName)> = None;
        for caller in role.callers {
            if let Caller::AmongExported(function) = caller {
                let Some(start) = self.code.exported(function) else {
                    continue;
                };
                if let Some((address, name)) = &mut found {
                    let calls = self.calls_of(start);
                    if !calls.is_empty() && !calls.iter().any(|call| call.target == *address) {
                        return Err(Contradiction);
                    }
                    name.callers += 1;
                }
                continue;
            }
            let Some(target) = self.target(*caller) else {
                continue;
            };
            match &mut found {
                Some((address, _)) if *address != target => return Err(Contradiction),
                Some((_, name)) => name.callers += 1,
                None => {
                    let name = CalleeName {
                        function: role.function,
                        caller: caller.name(),
                        callers: 1,
                    };
                    found = Some((target, name));
                }
            }
        }
        Ok(found)
    }

    /// Where a caller calls to; only the start of a C function is an answer.
    fn target(&mut self, caller: Caller) -> Option<u64> {
        let plain = |calls: &[Call], nth: usize| {
            calls
                .iter()
                .filter(|call| !call.is_tail)
                .nth(nth)
                .map(|call| call.target)
        };
        let tail = |calls: &[Call]| {
            let mut tails = calls.iter().filter(|call| call.is_tail);
            let first = tails.next()?;
            tails.next().is_none().then_some(first.target)
        };
        let target = match caller {
            Caller::Fragment(name, nth) => plain(self.fragments.get(name)?, nth),
            Caller::FragmentForProcess(name) => {
                let mut giving = self
                    .fragments
                    .get(name)?
                    .iter()
                    .filter(|call| call.gives_process);
                let first = giving.next()?;
                giving.next().is_none().then_some(first.target)
            }
            Caller::Exported(name, nth) => {
                let start = self.code.exported(name)?;
                let calls = self.calls_of(start);
                // A cover that ends in a jump makes its only call that way.
                plain(calls, nth).or_else(|| (nth == 0).then(|| tail(calls)).flatten())
            }
            Caller::ExportedLast(name) => {
                let start = self.code.exported(name)?;
                let (first, bytes) = self.bytes_of(start)?;
                // Two possible last calls do not show which is the right one.
                match *last_calls(&bytes, first).as_slice() {
                    [target] => Some(target),
                    _ => None,
                }
            }
            Caller::ExportedTail(name) => {
                let start = self.code.exported(name)?;
                tail(self.calls_of(start))
            }
            Caller::ExportedToAllocator(name) => {
                if !self.code.has_usual_allocators() {
                    return None;
                }
                let (start, bytes) = self.bytes_of(self.code.exported(name)?)?;
                let word_at = |address| self.memory.read_u64(address).ok();
                tail(&calls_through_words(&bytes, start, word_at))
            }
            Caller::BifTail(name) => {
                let start = self.code.bif(name)?;
                tail(self.calls_of(start))
            }
            Caller::AmongExported(_) => None,
        }?;
        (self.code.bounds(target)?.0 == target).then_some(target)
    }

    /// Calls of the C function at `start` to starts of C functions; stubs of other libraries are
    /// none.
    fn calls_of(&mut self, start: u64) -> &[Call] {
        if !self.functions.contains_key(&start) {
            let calls = self.bytes_of(start).map(|(first, bytes)| {
                let mut calls = direct_calls(&bytes, first);
                calls.retain(|call| {
                    self.code
                        .bounds(call.target)
                        .is_some_and(|(start, _)| start == call.target)
                });
                calls
            });
            self.functions.insert(start, calls.unwrap_or_default());
        }
        self.functions.get(&start).map_or(&[], Vec::as_slice)
    }

    /// Start and bytes of the C function that starts there.
    fn bytes_of(&self, start: u64) -> Option<(u64, Vec<u8>)> {
        let (first, end) = self
            .code
            .bounds(start)
            .filter(|(first, _)| *first == start)?;
        let len_bytes = usize::try_from(end.checked_sub(first)?).ok()?;
        let bytes = self
            .memory
            .read_vec(first, len_bytes, MAX_CODE_BYTES)
            .ok()?;
        Some((first, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::super::roles::ROLES;
    use super::*;
    use crate::blob::tests::module_blob;
    use crate::blob::{Blob, parse_blob};
    use target_memory::SnapshotMemory;

    /// Functions of 0x100 bytes from 0x1000 on; exported and built-in ones by name.
    struct Code(Vec<(&'static str, u64)>);

    impl CodeOfVm for Code {
        fn exported(&self, name: &str) -> Option<u64> {
            self.bif(name)
        }

        fn bif(&self, name: &str) -> Option<u64> {
            self.0
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, at)| *at)
        }

        fn bounds(&self, address: u64) -> Option<(u64, u64)> {
            let start = address & !0xff;
            (0x1000..0x9000)
                .contains(&address)
                .then_some((start, start + 0x100))
        }

        fn has_usual_allocators(&self) -> bool {
            self.bif("+Mea").is_none()
        }
    }

    /// A function at `at` that calls the targets, the last one by a jump when `tail`.
    fn function(at: u64, targets: &[u64], tail: bool) -> Vec<u8> {
        let mut code = Vec::new();
        for (index, target) in targets.iter().enumerate() {
            let is_jump = tail && index + 1 == targets.len();
            code.push(if is_jump { 0xe9 } else { 0xe8 });
            let next = at + code.len() as u64 + 4;
            code.extend(((*target).wrapping_sub(next) as u32).to_le_bytes());
        }
        code.push(0xc3);
        code.resize(0x100, 0xcc);
        code
    }

    fn derive(memory: &SnapshotMemory, code: &Code) -> CalleeNames {
        // One fragment, `garbage_collect`, that calls 0x3000 through the word after it.
        let mut bytes = vec![0xff, 0x15, 0x02, 0, 0, 0, 0xc3, 0xcc];
        bytes.extend(0x3000u64.to_le_bytes());
        let blob = module_blob(
            "global",
            0x50_0000,
            16,
            &[(0, 8, "global::garbage_collect", &[])],
        );
        let Ok(Blob::Module(fragments)) = parse_blob(&blob) else {
            panic!("a module");
        };
        CalleeNames::derive(memory, code, &fragments, &bytes)
    }

    #[test]
    fn fragments_exported_functions_and_bifs_name_their_callees() {
        let mut memory = SnapshotMemory::new();
        memory
            .map(0x1000, function(0x1000, &[0x4000, 0x4100, 0x4200], false))
            .map(0x1100, function(0x1100, &[0x4200, 0x4000], false))
            .map(0x1200, function(0x1200, &[0x5000], true));
        let code = Code(vec![
            ("enif_make_copy", 0x1000),
            ("enif_send", 0x1100),
            ("erlang:send/2", 0x1200),
        ]);
        let names = derive(&memory, &code);
        let shown: Vec<(u64, String)> = names.iter().map(|(at, name)| (at, name.shown())).collect();
        assert_eq!(
            shown,
            [
                (
                    0x3000,
                    "erts_garbage_collect_nobump (called by global::garbage_collect)".into()
                ),
                (0x4000, "size_object_x (called by enif_make_copy)".into()),
                (0x4200, "copy_struct_x (called by enif_make_copy)".into()),
                (0x5000, "erl_send (called by erlang:send/2)".to_owned()),
            ]
        );
        assert_eq!(names.name_of(0x4200).unwrap().callers, 2);
        assert!(names.contradicted.is_empty());
    }

    #[test]
    fn the_allocator_behind_a_word_is_known_unless_another_is_wanted() {
        let mut memory = SnapshotMemory::new();
        let mut code = vec![0xff, 0x25, 0xfa, 0x6f, 0, 0]; // jmp [0x8000]
        code.resize(0x100, 0xcc);
        memory.map(0x1000, code).map_words(0x8000, &[0x6000]);
        let names = derive(&memory, &Code(vec![("enif_alloc", 0x1000)]));
        let name = names.name_of(0x6000).map(CalleeName::shown);
        let expected = "erts_alcu_alloc_thr_pref (called by enif_alloc)";
        assert_eq!(name.as_deref(), Some(expected));
        let other = Code(vec![("enif_alloc", 0x1000), ("+Mea", 0x1100)]);
        assert!(derive(&memory, &other).name_of(0x6000).is_none());
    }

    #[test]
    fn callers_that_disagree_name_nothing() {
        let mut memory = SnapshotMemory::new();
        memory
            .map(0x1000, function(0x1000, &[0x4000, 0x4200], false))
            .map(0x1100, function(0x1100, &[0x4000, 0x4300], false));
        let code = Code(vec![("enif_make_copy", 0x1000), ("enif_send", 0x1100)]);
        let names = derive(&memory, &code);
        assert_eq!(names.contradicted, ["copy_struct_x"]);
        assert!(names.name_of(0x4200).is_none() && names.name_of(0x4000).is_some());
    }

    #[test]
    fn one_function_is_not_two() {
        let mut memory = SnapshotMemory::new();
        memory.map(0x1000, function(0x1000, &[0x4000], false));
        let names = derive(&memory, &Code(vec![("enif_make_copy", 0x1000)]));
        assert!(names.name_of(0x4000).is_none());
        assert_eq!(names.contradicted.len(), 2);
    }

    #[test]
    fn a_call_into_the_middle_of_a_function_is_no_callee() {
        let mut memory = SnapshotMemory::new();
        memory.map(0x1000, function(0x1000, &[0x4010], false));
        let names = derive(&memory, &Code(vec![("enif_is_identical", 0x1000)]));
        assert!(names.iter().all(|(_, name)| name.function != "eq"));
    }

    #[test]
    fn each_function_has_one_role() {
        let mut functions: Vec<_> = ROLES.iter().map(|role| role.function).collect();
        functions.sort_unstable();
        functions.dedup();
        assert_eq!(functions.len(), ROLES.len());
    }
}
