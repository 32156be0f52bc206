// Generated from native-helper/crates/captures/capture/src/groups.rs. Do not edit. To write it again, in native-helper/:
// cargo run -p capture --example generate-groups > ../extension/src/capture/answers/groups.generated.ts

import type { SampleClass } from "../../../../contract/protocol.generated.js";

/** Names of native functions: whole ones, or how they start or end. */
export interface NamePatterns {
  readonly exact: readonly string[];
  readonly prefixes: readonly string[];
  readonly suffixes: readonly string[];
}

export interface NativeGroup extends NamePatterns {
  readonly name: string;
  /** The class of a sample in it. */
  readonly sampleClass: SampleClass;
}

/** A name of older VMs with what it became. */
export interface NameAlias extends NamePatterns {
  readonly name: string;
}

export const NATIVE_GROUPS: readonly NativeGroup[] = [
  {
    name: "copy", sampleClass: "copy",
    exact: ["erts_copy_one_frag"],
    prefixes: ["copy_struct", "copy_shallow", "copy_shared_", "copy_object", "size_object", "size_shared"],
    suffixes: [],
  },
  {
    name: "gc", sampleClass: "gc",
    exact: ["erts_deallocate_young_generation", "erts_copy_literals_gc", "garbage_collect", "global::garbage_collect", "do_minor", "major_collection", "minor_collection", "full_sweep_heaps", "collect_live_heap_frags", "erlang:garbage_collect/0", "erlang:garbage_collect/1", "erts_internal:garbage_collect/1"],
    prefixes: ["erts_garbage_collect", "erts_gc_after_bif_call", "sweep"],
    suffixes: [],
  },
  {
    name: "compare", sampleClass: "compare",
    exact: ["eq", "erts_cmp", "erts_cmp_compound", "erts_cmp_atoms", "erts_cmp_bits", "erts_cmp_flatmap_keys", "cmp_partly_bound", "hashmap_key_hash_cmp", "erts_internal:cmp_term/2"],
    prefixes: [],
    suffixes: [],
  },
  {
    name: "ets", sampleClass: "ets",
    exact: [],
    prefixes: ["db_", "erts_db_", "ets_", "ets:"],
    suffixes: [],
  },
  {
    name: "lock", sampleClass: "lock",
    exact: ["erts_proc_safelock", "enif_cond_wait"],
    prefixes: ["ethr_mutex_", "ethr_rwmutex_", "ethr_spin_", "ethr_read_", "ethr_write_", "ethr_cond_", "ethr_event_", "rwmutex_", "erts_proc_lock", "erts_proc_unlock", "enif_mutex_", "enif_rwlock_", "erl_drv_mutex_", "erl_drv_rwlock_", "driver_pdl_", "pthread_mutex_", "pthread_rwlock_", "__lll_lock_"],
    suffixes: [],
  },
  {
    name: "alloc", sampleClass: "alloc",
    exact: ["enif_alloc", "enif_free", "enif_realloc", "driver_alloc", "driver_free", "driver_realloc", "malloc", "free", "calloc", "realloc", "mmap", "munmap"],
    prefixes: ["erts_alcu_", "erts_alloc", "erts_realloc", "erts_sys_alloc", "erts_sys_aligned", "erts_sys_free", "erts_sys_realloc", "erts_mseg_", "erts_sspa_", "mbc_", "aoff_"],
    suffixes: [],
  },
  {
    name: "binary", sampleClass: "binary",
    exact: ["erts_copy_bits", "erts_cmp_bits", "erts_new_mso_binary", "erts_extract_sub_binary", "enc_term", "enc_term_int", "dec_term"],
    prefixes: ["erts_bs_", "erts_new_bs_", "beam_jit_bs_", "erts_term_to_binary", "erts_binary", "erts_encode_ext", "erts_decode_ext", "term_to_binary_", "binary_", "list_to_binary_", "iolist_", "erts_iolist_", "enif_make_binary", "enif_term_to_binary", "enif_binary_to_term", "erlang:term_to_binary/", "erlang:term_to_iovec/", "erlang:binary_", "erlang:list_to_binary/", "erlang:iolist_", "erlang:split_binary/", "erlang:external_size/", "binary:", "unicode:characters_to_binary", "bs_", "global::bs_"],
    suffixes: [],
  },
  {
    name: "port", sampleClass: "port",
    exact: ["erts_internal:open_port/2", "erts_internal:port_call/3", "erts_internal:port_close/1", "erts_internal:port_command/3", "erts_internal:port_connect/2", "erts_internal:port_control/3"],
    prefixes: ["erts_port_call", "erts_port_command", "erts_port_control", "erts_port_output", "call_driver_"],
    suffixes: [" (driver)"],
  },
];

export const NAME_ALIASES: readonly NameAlias[] = [
  {
    name: "copy_struct",
    exact: [],
    prefixes: ["copy_struct"],
    suffixes: [],
  },
  {
    name: "copy_shallow",
    exact: [],
    prefixes: ["copy_shallow"],
    suffixes: [],
  },
  {
    name: "size_object",
    exact: [],
    prefixes: ["size_object"],
    suffixes: [],
  },
  {
    name: "copy_shared",
    exact: [],
    prefixes: ["copy_shared_"],
    suffixes: [],
  },
  {
    name: "erts_garbage_collect",
    exact: ["global::garbage_collect", "garbage_collect"],
    prefixes: ["erts_garbage_collect", "erts_gc_after_bif_call"],
    suffixes: [],
  },
  {
    name: "schedule",
    exact: ["erts_schedule", "schedule"],
    prefixes: [],
    suffixes: [],
  },
  {
    name: "cmp",
    exact: ["erts_cmp", "erts_cmp_compound"],
    prefixes: [],
    suffixes: [],
  },
  {
    name: "make_hash",
    exact: [],
    prefixes: ["make_hash", "make_internal_hash"],
    suffixes: [],
  },
  {
    name: "process_main",
    exact: ["process_main", "global::process_main"],
    prefixes: [],
    suffixes: [],
  },
  {
    name: "erts_poll_wait",
    exact: [],
    prefixes: ["erts_poll_wait"],
    suffixes: [],
  },
  {
    name: "send_message",
    exact: ["erts_send_message", "erts_queue_message"],
    prefixes: [],
    suffixes: [],
  },
];
