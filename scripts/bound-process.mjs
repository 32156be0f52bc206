// Programs that end with this process, even when it is killed and has no more to say.
import { findProgram } from "./command.mjs";

const SETPRIV = findProgram("setpriv");

/**
 * The start of a command that is to get a signal once this process has ended. The pid is the command's. A program that it
 * becomes keeps that, a process that it starts or a change of its user does not. Linux looks at the thread that started it:
 * Node's main thread, which lives as long as Node.
 * @param {"TERM" | "KILL"} signal   KILL ends one that is stopped, too
 * @returns {string[]} empty where that cannot be
 */
export const boundToThis = (signal) => (SETPRIV === null ? [] : [SETPRIV, "--pdeathsig", signal, "--"]);
