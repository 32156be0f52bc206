// Programs that end with this process, even when it is killed and has no more to say.
import { findProgram } from "./find-program.mjs";

const SETPRIV = findProgram("setpriv");

/**
 * The start of a command that is to get a signal once this process has ended. The pid is the command's. A program that it
 * becomes keeps that, a process that it starts or a change of its user does not. Linux looks at the thread that started it:
 * Node's main thread, which lives as long as Node.
 * @param {"TERM" | "KILL"} signal   KILL ends one that is stopped, too
 * @returns {string[]} empty where that cannot be
 */
export const boundToThis = (signal) => (SETPRIV === null ? [] : [SETPRIV, "--pdeathsig", signal, "--"]);

/** The shell waits, so that the signal reaches it at once. It is the leader of the group, and ends after all others. */
const GROUP = `trap 'trap "" TERM; kill -TERM 0; wait; exit 143' TERM; "$@" & wait $!`;

/**
 * The start of a command that ends with this process together with the programs that it starts, as cargo and its compilers.
 * It needs a process group of its own, and gets SIGTERM, at which all of that group get it. The pid is the shell's.
 * @returns {string[]}
 */
export const boundWithChildren = () => [...boundToThis("TERM"), "/bin/sh", "-c", GROUP, "group"];
