/**
 * Emulator flags: a scheduler without work sleeps at once. Programs that time the whole VM have the time of their work alone (gt_cpu);
 * and programs that rest now and then get their share of a busy machine: a scheduler that spins gives way again and again, and
 * such a VM had a fiftieth of a processor beside four busy loops on two processors, a quarter with these flags.
 */
export const IDLE_SLEEPS = ["+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none"];
