// What pages about the inside of a VM have in common: which VM it is, what it is like as a whole, and why it cannot be looked at.

import type { NodeResult } from "../protocol.generated.js";

/** The VM that a page shows. Names are cut and made visible by the host. */
export interface VmHead {
  readonly pid: number;
  /** Node name; empty when it is no node. */
  readonly node: string;
  readonly otp: string;
  readonly flavor: string;
  /** The host it runs on, as people call it; empty for this machine. */
  readonly host: string;
}

/**
 * A VM as a page keeps it with itself, for a window that is restored. Names are as the VM says them and are not shown by the page. What comes
 * back of it was in the hands of others: `extension/src/inside/known-vm.ts` checks it.
 */
export interface KeptVm {
  readonly pid: number;
  /** Address of the host it runs on; null for this machine. */
  readonly host: object | null;
  /** Null when it is no node, or when nobody has attached to it yet. */
  readonly node: string | null;
  readonly otp: string;
  readonly flavor: string;
  /** Tells its process from a later one with the same id; null when nobody has attached to it yet. */
  readonly startTicks: number | null;
}

/** What the page is to keep from now on. */
export interface KeepVm {
  readonly type: "keep";
  readonly vm: KeptVm;
}

/** What the VM is like as a whole. */
export interface NodeFigures {
  readonly type: "node";
  readonly node: NodeResult;
}

/**
 * - `vmEnded`: the VM is not there any more.
 * - `notPermitted`: whoever asks may not read it.
 * - `helperGone`: the helper, or the connection to it, ended.
 */
export type InsideProblemKind = "vmEnded" | "notPermitted" | "helperGone" | "other";

/** Why the VM, or something in it, cannot be looked at. Texts are made fit to be shown. */
export interface InsideProblem {
  readonly kind: InsideProblemKind;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  /** The shell command that mends it; empty when there is none. */
  readonly command: string;
}
