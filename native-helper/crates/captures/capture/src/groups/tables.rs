//! Which functions do what, by name.

use super::pattern::Pattern::{self, Exact, Prefix, Suffix};
use crate::sample::SampleClass;

/// How the name of a driver's callback ends: `tcp_inet:outputv (driver)`.
pub(super) const CALLBACK: &str = " (driver)";
/// How the frame begins that names the port of a task: `[port tcp_inet of shop]`.
pub(crate) const PORT_MARKER: &str = "[port ";
/// How the frame begins that names the type of resources whose destructor a scheduler calls: `[destructor of img:png]`.
pub(super) const DESTRUCTOR_MARKER: &str = "[destructor of ";
/// The frame that names the cause of [`LITERAL_FUNCTIONS`] that run for no process.
pub(super) const LITERALS_MARKER: &str = "[persistent_term or purged code]";
/// Functions that search a process for literals that will be freed, or collect it because it has some: those of
/// persistent terms that were replaced or erased, and of purged code.
pub(super) const LITERAL_FUNCTIONS: &[Pattern] = &[
    Prefix("erts_check_copy_literals_gc_need"),
    Exact("erts_copy_literals_gc"),
    Exact("erts_garbage_collect_literals"),
];

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
    // Calls of a driver, by a process or as a task of a scheduler. Not erts_port_task_*, which picks the next task.
    NativeGroup {
        name: "port",
        class: SampleClass::Port,
        patterns: &[
            Exact("erts_internal:open_port/2"),
            Exact("erts_internal:port_call/3"),
            Exact("erts_internal:port_close/1"),
            Exact("erts_internal:port_command/3"),
            Exact("erts_internal:port_connect/2"),
            Exact("erts_internal:port_control/3"),
            Prefix("erts_port_call"),
            Prefix("erts_port_command"),
            Prefix("erts_port_control"),
            Prefix("erts_port_output"),
            Prefix("call_driver_"),
            Suffix(CALLBACK),
        ],
    },
];

/// Names of older VMs and their successors. The first column holds the names in queries.
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

/// Functions in which a scheduler that waits goes to sleep, sleeps and wakes up, or polls the kernel for
/// events: those of [`IDLE`] that do not spin.
pub(crate) const SLEEPING: &[Pattern] = &[
    Prefix("erts_poll_wait"),
    Prefix("erts_check_io"),
    Prefix("ethr_event_"),
    Exact("epoll_wait"),
    Exact("epoll_pwait"),
    Exact("poll"),
    Exact("ppoll"),
    Exact("select"),
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
