// Why nothing of a VM runs, or that this is not known, as pages show it.

export interface Standstill {
  /** The code of the reason: `vmStopped`, `vmTraced`, `vmFrozen`; {@link STANDSTILL_UNKNOWN}. */
  readonly code: string;
  /** The command that resumes the VM, made fit to be shown; empty when there is none. */
  readonly command: string;
}

/** The code where it is not known whether anything of it runs. */
export const STANDSTILL_UNKNOWN = "whetherHaltedUnknown";
