// Why nothing of a VM runs, as pages show it.

export interface Standstill {
  /** The code of the reason: `vmStopped`, `vmTraced`, `vmFrozen`. */
  readonly code: string;
  /** The command that resumes the VM, made fit to be shown; empty when there is none. */
  readonly command: string;
}
