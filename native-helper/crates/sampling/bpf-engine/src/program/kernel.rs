//! The kernel functions that the program calls.

// Helper functions of the kernel, by number (include/uapi/linux/bpf.h).
pub(super) const MAP_LOOKUP_ELEM: i32 = 1;
pub(super) const KTIME_GET_NS: i32 = 5;
pub(super) const GET_SMP_PROCESSOR_ID: i32 = 8;
pub(super) const GET_CURRENT_PID_TGID: i32 = 14;
pub(super) const PROBE_READ_USER: i32 = 112;
pub(super) const GET_NS_CURRENT_PID_TGID: i32 = 120;
pub(super) const RINGBUF_RESERVE: i32 = 131;
pub(super) const RINGBUF_SUBMIT: i32 = 132;
pub(super) const RINGBUF_DISCARD: i32 = 133;
pub(super) const RINGBUF_QUERY: i32 = 134;
pub(super) const GET_CURRENT_TASK_BTF: i32 = 158;
pub(super) const TASK_PT_REGS: i32 = 175;

pub(super) const RINGBUF_NO_WAKEUP: i32 = 1;
pub(super) const RINGBUF_FORCE_WAKEUP: i32 = 2;
