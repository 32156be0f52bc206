//! The groups of native functions that questions are asked about, as data.
//!
//! Names are those of emulator functions, of BIFs (`ets:lookup/2`) and of shared JIT fragments.
//! Static functions are named too: builds that are not stripped have them. Which names a VM really
//! has differs by release, so a group or an old name answers with the symbols it matched.

use crate::reader::FunctionView;
use crate::sample::{FrameKind, SampleClass};

/// How a name is matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// The whole name.
    Exact(&'static str),
    /// The start of the name.
    Prefix(&'static str),
}

/// Functions that do one kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeGroup {
    /// As written in a question: `copy`.
    pub name: &'static str,
    /// The class of a sample in it.
    pub class: SampleClass,
    /// The functions.
    pub patterns: &'static [Pattern],
}

use Pattern::{Exact, Prefix};

/// All groups.
pub const GROUPS: &[NativeGroup] = &[
    NativeGroup {
        name: "copy",
        class: SampleClass::Copy,
        patterns: &[
            Prefix("copy_struct"),
            Prefix("copy_shallow"),
            Prefix("copy_shared_"),
            Prefix("copy_object"),
            Prefix("size_object"),
            Prefix("size_shared"),
            Exact("erts_copy_one_frag"),
        ],
    },
    NativeGroup {
        name: "gc",
        class: SampleClass::Gc,
        patterns: &[
            Prefix("erts_garbage_collect"),
            // Not all of erts_gc_*: erts_gc_update_map_assoc and its like only build maps.
            Prefix("erts_gc_after_bif_call"),
            Exact("erts_deallocate_young_generation"),
            Exact("erts_copy_literals_gc"),
            Exact("garbage_collect"),
            Exact("global::garbage_collect"),
            Exact("do_minor"),
            Exact("major_collection"),
            Exact("minor_collection"),
            Exact("full_sweep_heaps"),
            Exact("collect_live_heap_frags"),
            Prefix("sweep"),
            Exact("erlang:garbage_collect/0"),
            Exact("erlang:garbage_collect/1"),
            Exact("erts_internal:garbage_collect/1"),
        ],
    },
    NativeGroup {
        name: "compare",
        class: SampleClass::Compare,
        patterns: &[
            Exact("eq"),
            Exact("erts_cmp"),
            Exact("erts_cmp_compound"),
            Exact("erts_cmp_atoms"),
            Exact("erts_cmp_bits"),
            Exact("erts_cmp_flatmap_keys"),
            Exact("cmp_partly_bound"),
            Exact("hashmap_key_hash_cmp"),
            Exact("erts_internal:cmp_term/2"),
        ],
    },
    NativeGroup {
        name: "ets",
        class: SampleClass::Ets,
        patterns: &[
            Prefix("db_"),
            Prefix("erts_db_"),
            Prefix("ets_"),
            Prefix("ets:"),
        ],
    },
    NativeGroup {
        name: "lock",
        class: SampleClass::Lock,
        patterns: &[
            Prefix("ethr_mutex_"),
            Prefix("ethr_rwmutex_"),
            Prefix("ethr_spin_"),
            Prefix("ethr_read_"),
            Prefix("ethr_write_"),
            Prefix("ethr_cond_"),
            Prefix("ethr_event_"),
            Prefix("rwmutex_"),
            Prefix("erts_proc_lock"),
            Prefix("erts_proc_unlock"),
            Exact("erts_proc_safelock"),
            Prefix("enif_mutex_"),
            Prefix("enif_rwlock_"),
            Exact("enif_cond_wait"),
            Prefix("erl_drv_mutex_"),
            Prefix("erl_drv_rwlock_"),
            Prefix("driver_pdl_"),
            Prefix("pthread_mutex_"),
            Prefix("pthread_rwlock_"),
            Prefix("__lll_lock_"),
        ],
    },
    NativeGroup {
        name: "alloc",
        class: SampleClass::Alloc,
        patterns: &[
            Prefix("erts_alcu_"),
            Prefix("erts_alloc"),
            Prefix("erts_realloc"),
            Prefix("erts_sys_alloc"),
            Prefix("erts_sys_aligned"),
            Prefix("erts_sys_free"),
            Prefix("erts_sys_realloc"),
            Prefix("erts_mseg_"),
            Prefix("erts_sspa_"),
            Prefix("mbc_"),
            Prefix("aoff_"),
            Exact("enif_alloc"),
            Exact("enif_free"),
            Exact("enif_realloc"),
            Exact("driver_alloc"),
            Exact("driver_free"),
            Exact("driver_realloc"),
            Exact("malloc"),
            Exact("free"),
            Exact("calloc"),
            Exact("realloc"),
            Exact("mmap"),
            Exact("munmap"),
        ],
    },
    NativeGroup {
        name: "binary",
        class: SampleClass::Binary,
        patterns: &[
            Prefix("erts_bs_"),
            Prefix("erts_new_bs_"),
            Prefix("beam_jit_bs_"),
            Exact("erts_copy_bits"),
            Exact("erts_cmp_bits"),
            Prefix("erts_term_to_binary"),
            Prefix("erts_binary"),
            Prefix("erts_encode_ext"),
            Prefix("erts_decode_ext"),
            Prefix("term_to_binary_"),
            Prefix("binary_"),
            Prefix("list_to_binary_"),
            Prefix("iolist_"),
            Prefix("erts_iolist_"),
            Exact("erts_new_mso_binary"),
            Exact("erts_extract_sub_binary"),
            Exact("enc_term"),
            Exact("enc_term_int"),
            Exact("dec_term"),
            Prefix("enif_make_binary"),
            Prefix("enif_term_to_binary"),
            Prefix("enif_binary_to_term"),
            Prefix("erlang:term_to_binary/"),
            Prefix("erlang:term_to_iovec/"),
            Prefix("erlang:binary_"),
            Prefix("erlang:list_to_binary/"),
            Prefix("erlang:iolist_"),
            Prefix("erlang:split_binary/"),
            Prefix("erlang:external_size/"),
            Prefix("binary:"),
            Prefix("unicode:characters_to_binary"),
            Prefix("bs_"),
            Prefix("global::bs_"),
        ],
    },
];

/// Names of older VMs and what they became. The first column is what people ask for.
pub const ALIASES: &[(&str, &[Pattern])] = &[
    ("copy_struct", &[Prefix("copy_struct")]),
    ("copy_shallow", &[Prefix("copy_shallow")]),
    ("size_object", &[Prefix("size_object")]),
    ("copy_shared", &[Prefix("copy_shared_")]),
    (
        "erts_garbage_collect",
        &[
            Prefix("erts_garbage_collect"),
            Prefix("erts_gc_after_bif_call"),
            Exact("global::garbage_collect"),
            Exact("garbage_collect"),
        ],
    ),
    ("schedule", &[Exact("erts_schedule"), Exact("schedule")]),
    ("cmp", &[Exact("erts_cmp"), Exact("erts_cmp_compound")]),
    (
        "make_hash",
        &[Prefix("make_hash"), Prefix("make_internal_hash")],
    ),
    (
        "process_main",
        &[Exact("process_main"), Exact("global::process_main")],
    ),
    ("erts_poll_wait", &[Prefix("erts_poll_wait")]),
    (
        "send_message",
        &[Exact("erts_send_message"), Exact("erts_queue_message")],
    ),
];

/// Functions in which a scheduler waits for work.
pub(crate) const IDLE: &[Pattern] = &[
    Prefix("erts_poll_wait"),
    Prefix("ethr_event_"),
    Exact("scheduler_wait"),
    Exact("sched_spin_wait"),
    Exact("sched_cnd_wait"),
    Exact("epoll_wait"),
    Exact("epoll_pwait"),
    // Under a hidden ethr_event_wait the C library's own name is the only one left.
    Exact("syscall"),
];

/// Functions that pick what runs next.
pub(crate) const SCHEDULING: &[Pattern] = &[
    Exact("erts_schedule"),
    Exact("schedule"),
    Prefix("erts_port_task_"),
    Exact("process_main"),
    Prefix("global::process_main"),
    Prefix("global::context_switch"),
    Prefix("global::do_schedule"),
];

impl NativeGroup {
    /// The group with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        GROUPS.iter().find(|group| group.name == name)
    }

    /// Whether the function is one of the group's.
    pub fn contains(&self, function: &FunctionView<'_>) -> bool {
        can_be_blamed(function.kind) && matches_any(self.patterns, function.name)
    }
}

/// What `blame` was asked for, ready to match functions.
#[derive(Debug, Clone)]
pub enum NativeQuery<'q> {
    /// A group.
    Group(&'static NativeGroup),
    /// An old name: itself, and the patterns of its successors.
    Alias(&'q str, &'static [Pattern]),
    /// A name.
    Symbol(&'q str),
    /// Frames of the NIF or driver library with this name in its file name.
    Nif(&'q str),
}

impl<'q> NativeQuery<'q> {
    /// Understands a group (`copy`), a library (`nif:crypto`), or a symbol (`copy_struct`).
    pub fn parse(text: &'q str) -> Self {
        if let Some(library) = text.strip_prefix("nif:") {
            Self::Nif(library)
        } else if let Some(group) = NativeGroup::named(text) {
            Self::Group(group)
        } else if let Some((_, patterns)) = ALIASES.iter().find(|(old, _)| *old == text) {
            Self::Alias(text, patterns)
        } else {
            Self::Symbol(text)
        }
    }

    /// Whether it asks for this function.
    pub fn matches(&self, function: &FunctionView<'_>) -> bool {
        if !can_be_blamed(function.kind) {
            return false;
        }
        match self {
            Self::Group(group) => group.contains(function),
            Self::Alias(old, patterns) => {
                base_name(function.name) == *old || matches_any(patterns, function.name)
            }
            Self::Symbol(name) => function.name == *name || base_name(function.name) == *name,
            Self::Nif(library) => {
                function.kind == FrameKind::Nif && function.object.contains(library)
            }
        }
    }
}

/// Erlang functions have the stack for a cause and need no `blame`.
fn can_be_blamed(kind: FrameKind) -> bool {
    !matches!(kind, FrameKind::Erlang | FrameKind::Marker)
}

pub(crate) fn matches_any(patterns: &[Pattern], name: &str) -> bool {
    let name = base_name(name);
    patterns.iter().any(|pattern| match pattern {
        Pattern::Exact(exact) => name == *exact,
        Pattern::Prefix(prefix) => name.starts_with(prefix),
    })
}

/// How names that follow from a caller go on, see the callees of `vm-tables`.
const CALLED_BY: &str = " (called by ";

/// The name in the source: without what compilers append (`copy_struct_x.part.0`), and out of a
/// plain mangled C++ name (`_Z26beam_jit_take_receive_lockP7process`).
pub(crate) fn base_name(name: &str) -> &str {
    let name = name.split_once(CALLED_BY).map_or(name, |(name, _)| name);
    // A dot or a colon inside an Erlang name is no suffix.
    let name = match name.split_once('.') {
        Some((base, _)) if !base.is_empty() && !name.contains([':', '!', '/']) => base,
        _ => name,
    };
    let Some(mangled) = name.strip_prefix("_Z") else {
        return name;
    };
    let digits = mangled.len()
        - mangled
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .len();
    let (length, rest) = mangled.split_at(digits);
    length
        .parse()
        .ok()
        .and_then(|length: usize| rest.get(..length))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(name: &str) -> FunctionView<'_> {
        FunctionView {
            name,
            raw_name: name,
            kind: FrameKind::Native,
            file: "",
            head_line: 0,
            object: "beam.smp",
        }
    }

    #[test]
    fn old_names_find_todays_symbols() {
        for (old, today) in [
            ("copy_struct", "copy_struct_x"),
            ("copy_struct", "copy_struct_x.part.0"),
            ("copy_shallow", "copy_shallow_x"),
            ("size_object", "size_object_x"),
            ("erts_garbage_collect", "erts_garbage_collect_nobump"),
            ("schedule", "erts_schedule"),
        ] {
            assert!(
                NativeQuery::parse(old).matches(&native(today)),
                "{old} -> {today}"
            );
        }
        assert!(!NativeQuery::parse("schedule").matches(&native("erts_schedule_bif")));
        assert!(!NativeQuery::parse("eq").matches(&native("eq2")));
    }

    #[test]
    fn building_a_map_is_no_garbage_collection() {
        let gc = NativeGroup::named("gc").unwrap();
        assert!(gc.contains(&native("erts_garbage_collect")));
        assert!(!gc.contains(&native("erts_gc_update_map_assoc")));
        let erlang = FunctionView {
            kind: FrameKind::Erlang,
            ..native("sweep:it/1")
        };
        assert!(!gc.contains(&erlang));
    }

    #[test]
    fn libraries_are_found_by_their_file() {
        let frame = FunctionView {
            kind: FrameKind::Nif,
            object: "crypto.so",
            ..native("hash_nif")
        };
        assert!(NativeQuery::parse("nif:crypto").matches(&frame));
        assert!(!NativeQuery::parse("nif:asn1rt").matches(&frame));
        assert!(!NativeQuery::parse("nif:beam").matches(&native("eq")));
    }

    #[test]
    fn mangled_names_are_taken_apart() {
        assert_eq!(
            base_name("_Z26beam_jit_take_receive_lockP7process"),
            "beam_jit_take_receive_lock"
        );
        assert_eq!(base_name("_Z99short"), "_Z99short");
        assert_eq!(
            base_name("copy_struct_x (called by enif_make_copy)"),
            "copy_struct_x"
        );
        assert_eq!(base_name("Enum.map/2"), "Enum.map/2");
        assert_eq!(base_name("beam.smp!fn@0x10"), "beam.smp!fn@0x10");
    }
}
