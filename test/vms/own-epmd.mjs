// A port mapper of a test's own, for nodes that connect to each other: that of the machine is neither started nor queried,
// and refuses a name that a VM of another run has. It ends with the process of the test, also when that is killed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { boundToThis } from "../../scripts/bound-process.mjs";
import { freePort } from "../../scripts/free-port.mjs";
import { until } from "../until.mjs";

/** The host of all nodes, and of the port mapper. */
export const HOST = "127.0.0.1";

/**
 * @typedef {object} OwnEpmd
 * @property {number} port
 * @property {Record<string, string>} env   of the nodes that have their names there
 * @property {() => void} stop
 */

/**
 * Starts one. Another program may have taken its port since it was chosen: then it is started with another one.
 * @param {{findPort?: () => Promise<number>, program?: string}} [options]
 * @returns {Promise<OwnEpmd>}
 */
export async function startEpmd({ findPort = freePort, program = "epmd" } = {}) {
  for (;;) {
    const port = await findPort();
    const [command = "", ...args] = [...boundToThis("KILL"), program, "-port", String(port), "-address", HOST];
    const child = spawn(command, args, { stdio: "ignore" });
    const goneAway = () => undefined;
    const ended = once(child, "exit").then(goneAway, goneAway);
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    let isUp = false;
    await until("epmd answers, or has ended", async () => {
      isUp = !hasEnded() && (await mapsPorts(port, ended));
      return isUp || hasEnded();
    });
    const env = { ERL_EPMD_PORT: String(port), ERL_EPMD_ADDRESS: HOST };
    if (isUp) return { port, env, stop: () => void child.kill("SIGKILL") };
    // It ends with 0 where the port is taken.
    const how = child.exitCode ?? child.signalCode;
    if (how !== 0) throw new Error(`${program} does not start: it ended with ${String(how)}`);
  }
}

/**
 * Whether a port mapper listens there: it is requested to list all names, and answers with its own port first. Another
 * program may never answer.
 * @param {number} port
 * @param {Promise<undefined>} ended   ends the wait
 */
async function mapsPorts(port, ended) {
  const socket = connect(port, HOST);
  try {
    await once(socket, "connect");
    socket.write(Buffer.from([0, 1, "n".charCodeAt(0)]));
    const answer = once(socket, "data").then(([bytes]) => /** @type {Buffer} */ (bytes));
    const closed = once(socket, "close").then(() => undefined);
    return (await Promise.race([answer, closed, ended]))?.readUInt32BE(0) === port;
  } finally {
    socket.destroy();
  }
}

/** Emulator flags of a node with that name. @param {string} name */
export const nodeFlags = (name) => [
  "-start_epmd",
  "false",
  "-name",
  `${name}@${HOST}`,
  "-setcookie",
  "extrospect-test",
];
