//! Where the program keeps its own values.

use crate::assembler::Register;

// Places in the program's own stack, from its frame pointer down.
pub(super) const PID: i16 = -8;
/// What the thread is known by, once its pid has been looked up.
pub(super) const THREAD: i16 = PID;
pub(super) const TIME: i16 = -16;
pub(super) const PROCESS: i16 = -24;
pub(super) const PORT: i16 = -32;
pub(super) const CALL_SLOT: i16 = -40;
pub(super) const SCHEDULER: i16 = -48;
pub(super) const REGISTERS: i16 = -56;
pub(super) const TID: i16 = -64;
pub(super) const STATUS: i16 = -72;
pub(super) const WANTED: i16 = -80;
pub(super) const USER_SP: i16 = -88;
pub(super) const USER_BP: i16 = -96;
pub(super) const STACK_POINTER: i16 = -104;
pub(super) const USER_DI: i16 = -112;
pub(super) const CODE_INDEX: i16 = -120;
pub(super) const LOOKED_AT: i16 = -128;
/// The ring of this CPU.
pub(super) const RING: i16 = -136;
/// Which of the samples of schedulers on this CPU it is.
pub(super) const SEQUENCE: i16 = -144;
pub(super) const FIELDS: i16 = -144;
/// The kernel gives a program 512 bytes of stack.
pub(super) const MAX_FIELDS_BYTES: usize = 368;

// Registers that calls keep.
pub(super) const CONTEXT: Register = 6;
pub(super) const RECORD: Register = 7;
pub(super) const LOW: Register = 8;
pub(super) const LEN: Register = 9;
