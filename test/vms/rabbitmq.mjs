// A real RabbitMQ broker for the tests: loopback only, an epmd of its own on a port of its
// own, all files in a temporary folder, no service manager. And load for it.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { boundToThis } from "../../scripts/bound-process.mjs";
import { freePort } from "../../scripts/free-port.mjs";
import { openPath } from "../../scripts/temporary-folder.mjs";
import { runErl } from "./vm.mjs";

/**
 * @typedef {object} Broker
 * @property {number} pid    of the broker's beam.smp, as this machine counts
 * @property {number} port   of AMQP on 127.0.0.1
 * @property {string} metrics   address of its page of metrics; it has one only on request
 * @property {() => Promise<void>} stop   orderly; its epmd goes too
 */

/** A broker that hangs is given up then; one that is slow since its machine is busy is waited for. */
const UP_WITHIN_MS = 600_000;

/** @type {Set<() => void>} the programs to kill if this process ends early */
const leftovers = new Set();
process.on("exit", () => {
  for (const kill of leftovers) kill();
});

/**
 * @param {import("./otp.mjs").OtpInstallation} otp
 * @param {{withMetrics?: boolean, config?: string[]}} [options]   with its plugin rabbitmq_prometheus; more lines of rabbitmq.conf
 * @returns {Promise<Broker>}
 */
export async function startRabbitmq(otp, { withMetrics = false, config = [] } = {}) {
  if (otp.rabbitmqHome === null) {
    throw new Error(`rabbitmq-server is missing under ${otp.root}: run \`apt-get install rabbitmq-server\``);
  }
  const [port = 0, distributionPort, epmdPort, metricsPort] = await Promise.all(Array.from({ length: 4 }, freePort));
  const folder = openPath("rabbitmq");
  const folderHere = otp.hostPath(folder);
  mkdirSync(folderHere, { recursive: true, mode: 0o700 });
  mkdirSync(join(folderHere, "mnesia"));
  mkdirSync(join(folderHere, "log"));
  const metrics = withMetrics ? `prometheus.tcp.ip = 127.0.0.1\nprometheus.tcp.port = ${metricsPort}\n` : "";
  writeFileSync(
    join(folderHere, "rabbitmq.conf"),
    `listeners.tcp.1 = 127.0.0.1:${port}\ndisk_free_limit.absolute = 50MB\n${metrics}${config.map((line) => `${line}\n`).join("")}`,
  );
  writeFileSync(join(folderHere, "enabled_plugins"), withMetrics ? "[rabbitmq_prometheus].\n" : "[].\n");
  const env = {
    PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
    LANG: "C.UTF-8",
    HOME: folder,
    ERL_EPMD_ADDRESS: "127.0.0.1",
    ERL_EPMD_PORT: String(epmdPort),
    RUNNING_UNDER_SYSTEMD: "true", // the script then becomes the VM instead of waiting for it
    RABBITMQ_NODENAME: "rabbit_under_test@localhost",
    RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distributionPort),
    RABBITMQ_CONFIG_FILE: `${folder}/rabbitmq`,
    RABBITMQ_MNESIA_BASE: `${folder}/mnesia`,
    RABBITMQ_LOG_BASE: `${folder}/log`,
    RABBITMQ_LOGS: "-",
    RABBITMQ_ENABLED_PLUGINS_FILE: `${folder}/enabled_plugins`,
    RABBITMQ_PID_FILE: `${folder}/broker.pid`,
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1}",
  };
  const epmd = startChild(otp, ["/usr/bin/epmd"], env);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const broker = startChild(otp, [`${otp.rabbitmqHome}/bin/rabbitmq-server`], env);
  const stop = async () => {
    await broker.end();
    await epmd.end();
    rmSync(folderHere, { recursive: true, force: true });
  };
  try {
    await broker.says(/completed with \d+ plugins|Starting broker\.\.\. completed|startup complete/, UP_WITHIN_MS);
    const pid = Number(readFileSync(join(folderHere, "broker.pid"), "utf8").trim());
    return { pid, port, metrics: `http://127.0.0.1:${metricsPort}/metrics`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * @param {import("./otp.mjs").OtpInstallation} otp   of the client
 * @param {Broker} broker
 * @param {{seconds: number, pairs?: number, bytes?: number, restMs?: number}} load
 *   `restMs`: of the publisher, after each hundred messages
 */
export function startRabbitmqLoad(otp, broker, { seconds, pairs = 4, bytes = 512, restMs = 0 }) {
  return runErl({
    otp,
    module: "rmq_load",
    args: [broker.port, seconds, pairs, bytes, restMs],
    env: { ERL_LIBS: otp.rabbitmqPlugins ?? "" },
  });
}

/**
 * @param {import("./otp.mjs").OtpInstallation} otp
 * @param {import("./otp.mjs").Argv} argv
 * @param {Record<string, string>} env
 */
function startChild(otp, argv, env) {
  const [command = "", ...args] = [...boundToThis("KILL"), ...otp.wrap(argv)];
  const child = spawn(command, args, { cwd: "/", env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  /** @type {Set<() => void>} */
  const listeners = new Set();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output = (output + chunk).slice(-200_000);
      for (const listener of listeners) listener();
    });
  }
  let over = false;
  const ended = new Promise((resolve) => {
    child.once("close", () => {
      over = true;
      leftovers.delete(kill);
      for (const listener of listeners) listener();
      resolve(undefined);
    });
    child.once("error", () => resolve(undefined));
  });
  /** @param {NodeJS.Signals} signal */
  const signal = (signal) => {
    if (over || child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal); // its own process group, made by `detached`
    } catch {
      // already gone
    }
  };
  const kill = () => signal("SIGKILL");
  leftovers.add(kill);
  return {
    /**
     * @param {RegExp} pattern
     * @param {number} withinMs
     */
    says: (pattern, withinMs) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (pattern.test(output)) settle(() => resolve(undefined));
          else if (over) settle(() => reject(new Error(`${argv[0]} ended early:\n${output.slice(-2000)}`)));
        };
        const timer = setTimeout(
          () => settle(() => reject(new Error(`${argv[0]} was not up in ${withinMs} ms:\n${output.slice(-2000)}`))),
          withinMs,
        );
        /** @param {() => void} act */
        const settle = (act) => {
          clearTimeout(timer);
          listeners.delete(check);
          act();
        };
        listeners.add(check);
        check();
      }),
    end: async () => {
      signal("SIGTERM");
      const patience = setTimeout(kill, 20_000);
      await ended;
      clearTimeout(patience);
    },
  };
}
