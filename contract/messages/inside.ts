// Common to the pages about the inside of a VM: its identity, its general figures, and the reason why it cannot be
// read.

import type { NodeResult } from "../protocol.generated.js";

/** The VM that a page shows. Names are cut and made visible by the host. */
export interface VmHead {
  readonly pid: number;
  /** Node name; empty when it is no node. */
  readonly node: string;
  /** As *Targets* names it: its node, else the release or application of its command line, else its process id. */
  readonly name: string;
  readonly otp: string;
  readonly flavor: string;
  /** The host it runs on, as people call it; empty for this machine. */
  readonly host: string;
}

/**
 * A VM as a page keeps it, for a window that is restored. Names are exactly as the VM reports them, and the page does
 * not show them. Others have access to the kept data, so `extension/src/inside/known-vm.ts` checks it on its return.
 */
export interface KeptVm {
  readonly pid: number;
  /** Address of the host it runs on; null for this machine. */
  readonly host: object | null;
  /** Null when it is not a node, or before the first attach. */
  readonly node: string | null;
  /** What its command line names; absent when it is a node, and when that is not known. */
  readonly name?: string;
  readonly otp: string;
  readonly flavor: string;
  /** Distinguishes its process from a later one with the same id; null before the first attach. */
  readonly startTicks: number | null;
}

/** The VM that the page is to keep from now on. */
export interface KeepVm {
  readonly type: "keep";
  readonly vm: KeptVm;
}

/** The figures of the VM as a whole. */
export interface NodeFigures {
  readonly type: "node";
  readonly node: NodeResult;
}

/**
 * - `vmEnded`: the VM is not there any more.
 * - `notPermitted`: the user may not read it.
 * - `helperGone`: the helper, or the connection to it, ended.
 */
export type InsideProblemKind = "vmEnded" | "notPermitted" | "helperGone" | "other";

/** Why the VM, or something in it, cannot be read. Texts are made fit to be shown. */
export interface InsideProblem {
  readonly kind: InsideProblemKind;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  /** The shell command that fixes it; empty when there is none. */
  readonly command: string;
}
