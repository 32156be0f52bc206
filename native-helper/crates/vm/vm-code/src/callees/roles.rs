//! Which callee of which known caller is which function.
//!
//! A role may be added when it holds on every release that exports the function's symbol and has
//! the caller (OTP 25.2.3 and 27.3.4: `doctor` compares each with the symbol, and a test does on
//! live VMs). Callers that a release does not have do not count; callers that disagree make the
//! role void.

/// A caller of the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// The nth call (from 0) of a shared fragment through a word.
    Fragment(&'static str, usize),
    /// The call of a shared fragment whose result becomes the current process.
    FragmentForProcess(&'static str),
    /// The nth call (from 0) of an exported function.
    Exported(&'static str, usize),
    /// The only call after which an exported function may return without another.
    ExportedLast(&'static str),
    /// The only jump out of an exported function.
    ExportedTail(&'static str),
    /// The only jump of an exported function through a word: into the allocator that the emulator
    /// chose when it started, which is known unless a flag chose another one.
    ExportedToAllocator(&'static str),
    /// The only jump out of a built-in function.
    BifTail(&'static str),
    /// Some call of an exported function: confirms the address, but does not give it.
    AmongExported(&'static str),
}

impl Caller {
    /// The name shown to users.
    pub fn name(self) -> String {
        match self {
            Self::Fragment(name, _) | Self::FragmentForProcess(name) => format!("global::{name}"),
            Self::Exported(name, _)
            | Self::ExportedLast(name)
            | Self::ExportedTail(name)
            | Self::ExportedToAllocator(name)
            | Self::BifTail(name)
            | Self::AmongExported(name) => name.to_owned(),
        }
    }
}

/// A function and its callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// Its name in the source.
    pub function: &'static str,
    /// The callers; the first one names it for users.
    pub callers: &'static [Caller],
}

use Caller::{
    AmongExported, BifTail, Exported, ExportedLast, ExportedTail, ExportedToAllocator, Fragment,
    FragmentForProcess,
};

const fn role(function: &'static str, callers: &'static [Caller]) -> Role {
    Role { function, callers }
}

/// All roles.
pub const ROLES: &[Role] = &[
    // Memory.
    role(
        "erts_garbage_collect_nobump",
        &[Fragment("garbage_collect", 0)],
    ),
    role(
        "erts_gc_after_bif_call_lhf",
        &[Fragment("call_light_bif_shared", 0)],
    ),
    role(
        "size_object_x",
        &[Exported("enif_make_copy", 0), AmongExported("enif_send")],
    ),
    role(
        "copy_struct_x",
        &[ExportedLast("enif_make_copy"), AmongExported("enif_send")],
    ),
    role(
        "erts_alcu_alloc_thr_pref",
        &[
            ExportedToAllocator("enif_alloc"),
            ExportedToAllocator("driver_alloc"),
        ],
    ),
    role(
        "erts_alcu_free_thr_pref",
        &[
            ExportedToAllocator("enif_free"),
            ExportedToAllocator("driver_free"),
        ],
    ),
    role(
        "erts_alcu_realloc_thr_pref",
        &[
            ExportedToAllocator("enif_realloc"),
            ExportedToAllocator("driver_realloc"),
        ],
    ),
    // Scheduling and messages.
    role("erts_schedule", &[FragmentForProcess("process_main")]),
    role("erl_send", &[BifTail("erlang:send/2")]),
    role(
        "erts_proc_sig_receive_helper",
        &[Fragment("i_loop_rec_shared", 0)],
    ),
    role("beam_jit_decode_dist", &[Fragment("i_loop_rec_shared", 1)]),
    role(
        "erts_get_scheduler_data",
        &[
            Exported("enif_is_process_alive", 0),
            Exported("enif_consume_timeslice", 0),
        ],
    ),
    role("erts_pid2proc_opt", &[Exported("enif_is_process_alive", 1)]),
    role(
        "erts_port_output_async",
        &[ExportedTail("enif_port_command")],
    ),
    // Calls.
    role("beam_jit_call_bif", &[Fragment("call_bif_shared", 0)]),
    role("beam_jit_call_nif", &[Fragment("call_nif_shared", 0)]),
    role("erts_call_nif_early", &[Fragment("call_nif_early", 0)]),
    role("beam_jit_load_nif", &[Fragment("i_load_nif_shared", 0)]),
    role(
        "beam_jit_handle_unloaded_fun",
        &[Fragment("unloaded_fun", 0)],
    ),
    role(
        "call_error_handler",
        &[Fragment("export_trampoline", 0), Fragment("debug_bp", 0)],
    ),
    role(
        "handle_error",
        &[
            Fragment("raise_exception_shared", 0),
            Fragment("process_exit", 0),
        ],
    ),
    role("add_stacktrace", &[Fragment("catch_end_shared", 0)]),
    role(
        "erts_generic_breakpoint",
        &[
            Fragment("generic_bp_local", 0),
            Fragment("generic_bp_global", 0),
        ],
    ),
    // Terms.
    role("eq", &[Exported("enif_is_identical", 0)]),
    role(
        "erts_cmp_compound",
        &[
            Fragment("arith_eq_shared", 0),
            Fragment("is_ge_lt_shared", 0),
            Exported("enif_compare", 0),
        ],
    ),
    role("make_hash2", &[Exported("enif_hash", 0)]),
    role("erts_atom_put", &[Exported("enif_make_atom_len", 0)]),
    role(
        "erts_trapping_length_1",
        &[Fragment("i_length_guard_shared", 0)],
    ),
    // Maps.
    role(
        "get_map_element",
        &[Fragment("i_get_map_element_shared", 0)],
    ),
    role("erts_maps_get", &[Exported("enif_get_map_value", 0)]),
    role(
        "erts_maps_put",
        &[
            Fragment("update_map_single_assoc_shared", 0),
            Exported("enif_make_map_put", 0),
        ],
    ),
    role(
        "erts_maps_update",
        &[
            Fragment("update_map_single_exact_body_shared", 0),
            Exported("enif_make_map_update", 0),
        ],
    ),
    role("erts_maps_take", &[Exported("enif_make_map_remove", 0)]),
    role("erts_gc_new_map", &[Fragment("new_map_shared", 0)]),
    role(
        "erts_gc_update_map_assoc",
        &[Fragment("update_map_assoc_shared", 0)],
    ),
    role(
        "erts_gc_update_map_exact",
        &[
            Fragment("update_map_exact_body_shared", 0),
            Fragment("update_map_exact_guard_shared", 0),
        ],
    ),
    // Arithmetic.
    role(
        "erts_mixed_plus",
        &[
            Fragment("plus_body_shared", 0),
            Fragment("plus_guard_shared", 0),
        ],
    ),
    role(
        "erts_mixed_minus",
        &[
            Fragment("minus_body_shared", 0),
            Fragment("minus_guard_shared", 0),
        ],
    ),
    role(
        "erts_mixed_times",
        &[
            Fragment("times_body_shared", 0),
            Fragment("mul_add_guard_shared", 0),
        ],
    ),
    role(
        "erts_unary_minus",
        &[Fragment("unary_minus_body_shared", 0)],
    ),
    role(
        "erts_int_div_rem",
        &[
            Fragment("int_div_rem_body_shared", 0),
            Fragment("int_div_rem_guard_shared", 0),
        ],
    ),
    role(
        "erts_band",
        &[
            Fragment("i_band_body_shared", 0),
            Fragment("i_band_guard_shared", 0),
        ],
    ),
    role(
        "erts_bor",
        &[
            Fragment("i_bor_body_shared", 0),
            Fragment("i_bor_guard_shared", 0),
        ],
    ),
    role(
        "erts_bxor",
        &[
            Fragment("i_bxor_body_shared", 0),
            Fragment("i_bxor_guard_shared", 0),
        ],
    ),
    role(
        "erts_bnot",
        &[
            Fragment("i_bnot_body_shared", 0),
            Fragment("i_bnot_guard_shared", 0),
        ],
    ),
    role(
        "erts_bsl",
        &[
            Fragment("i_bsl_body_shared", 0),
            Fragment("i_bsl_guard_shared", 0),
        ],
    ),
    role(
        "erts_bsr",
        &[
            Fragment("i_bsr_body_shared", 0),
            Fragment("i_bsr_guard_shared", 0),
        ],
    ),
    // Binaries.
    role(
        "beam_jit_bs_init_bits",
        &[Fragment("bs_init_bits_shared", 0)],
    ),
    role(
        "erts_encode_ext_size",
        &[Exported("enif_term_to_binary", 0)],
    ),
    role("erts_encode_ext", &[Exported("enif_term_to_binary", 1)]),
    role(
        "erts_decode_ext_size",
        &[Exported("enif_binary_to_term", 0)],
    ),
    role("erts_decode_ext", &[Exported("enif_binary_to_term", 2)]),
    role(
        "erts_iolist_size",
        &[Exported("enif_inspect_iolist_as_binary", 0)],
    ),
    role(
        "erts_iolist_to_buf",
        &[Exported("enif_inspect_iolist_as_binary", 1)],
    ),
    // Locks.
    role(
        "ethr_rwmutex_rlock",
        &[ExportedTail("erl_drv_rwlock_rlock")],
    ),
    role(
        "ethr_rwmutex_runlock",
        &[ExportedTail("erl_drv_rwlock_runlock")],
    ),
    role(
        "ethr_rwmutex_rwlock",
        &[ExportedTail("erl_drv_rwlock_rwlock")],
    ),
    role(
        "ethr_rwmutex_rwunlock",
        &[ExportedTail("erl_drv_rwlock_rwunlock")],
    ),
    role("ethr_cond_wait", &[Exported("erl_drv_cond_wait", 0)]),
    role("ethr_cond_signal", &[ExportedTail("erl_drv_cond_signal")]),
];
