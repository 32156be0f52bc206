// A program that is installed on a host in place of a helper: it lies, in the way that a file beside it names. It is
// separate, without any part of Extrospect.

/** Ways to lie; each connection reads the file anew. @typedef {"older" | "frame" | "noise" | "notices" | "rows" | "kinds" | "names"} Lie */

/**
 * A link that would run a command, an icon, a line of its own, letters that turn the reading direction, and sequences
 * that a terminal obeys.
 */
export const TRICK =
  "[click](command:workbench.action.terminal.new)$(error)\n\u202eback\u202c\u001b[31m\u001b]0;title\u0007<img src=x onerror=alert(1)>";
/** The part of it that a user sees first, wherever text is shown. */
export const SHOWN_TRICK = "[click] (command:workbench.action.terminal.new)";
/** A command that would run in a terminal as soon as it is pasted. */
export const COMMAND = "true\ntouch /tmp/extrospect-hostile\n\u001b[2J";

/**
 * The program's text.
 * @param {{version: string, protocolVersion: number, lieFile: string}} facts
 *   the version that it reports; the file that names the way
 */
export function hostileHelper({ version, protocolVersion, lieFile }) {
  const facts = JSON.stringify({ version, protocolVersion, lieFile, trick: TRICK, command: COMMAND });
  return `#!${process.execPath}\n(${program.toString()})(${facts}, require("node:fs"));\n`;
}

/** Runs there, so it knows nothing but its arguments. @param {any} facts @param {any} fs */
function program({ version, protocolVersion, lieFile, trick, command }, fs) {
  if (process.argv[2] === "--version") {
    console.log(version);
    return;
  }
  const lie = fs.readFileSync(lieFile, "utf8").trim();
  const out = process.stdout;
  const frame = (/** @type {number} */ kind, /** @type {Buffer} */ rest, length = rest.length) => {
    const head = Buffer.alloc(5);
    head.writeUInt8(kind);
    head.writeUInt32BE(length, 1);
    return Buffer.concat([head, rest]);
  };
  const say = (/** @type {unknown} */ message) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", .../** @type {object} */ (message) }));
    const bytes = Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
    const parts = [];
    for (let at = 0; at < bytes.length; at += 65536) parts.push(frame(2, bytes.subarray(at, at + 65536)));
    return out.write(Buffer.concat(parts));
  };
  const endlessly = (/** @type {() => boolean} */ once) => {
    while (once());
    out.once("drain", () => endlessly(once));
  };
  out.on("error", () => process.exit(0));
  out.write(frame(1, Buffer.concat([Buffer.of(1), Buffer.alloc(8)])));

  const row = (/** @type {object} */ more) => ({
    pid: 4242,
    otp: "25",
    erts: "13",
    flavor: "jit",
    node: "shop@far",
    attachable: true,
    reason: null,
    command: "beam.smp",
    schedulers: 2,
    container: null,
    uid: 0,
    cpuPct: 1,
    ...more,
  });
  const rows = () => {
    if (lie === "rows")
      return Array.from({ length: 60_000 }, (_, index) => row({ pid: index + 1, node: `shop${index}@far` }));
    if (lie === "kinds")
      return [
        row({ node: { toString: 7 }, command: 7, pid: "x", container: [] }),
        null,
        7,
        row({ node: "honest@far" }),
      ];
    return [
      row({
        node: `${trick}@far`,
        command: `beam.smp -sname ${trick}`,
        container: trick,
        otp: trick,
        flavor: trick,
        erts: trick,
      }),
      row({ pid: 4243, attachable: false, reason: trick, node: null, command: `/${trick}/bin` }),
    ];
  };
  const problem = {
    code: -32001,
    message: trick,
    data: { what: `process 4242: ${trick}`, why: trick, fix: `mend ${trick}`, exitCode: 4, command },
  };
  const answers = /** @type {Record<string, () => object>} */ ({
    initialize: () => ({
      result: {
        serverInfo: { name: "extrospect", version: "0" },
        protocolVersion: lie === "older" ? protocolVersion - 1 : protocolVersion,
        capabilities: {
          experimental: { maxFrequencyHz: 999, kernelFrames: false, pstack: true, maxMessageBytes: 1 << 24 },
        },
      },
    }),
    "extrospect/list": () => ({ result: { beams: rows() } }),
    "extrospect/doctor": () => ({
      result: { rows: [{ check: trick, status: "fail", found: trick, needed: trick, fix: trick, command }] },
    }),
    "extrospect/detached/list": () => ({
      result: {
        captures: [
          { name: "../../escape", state: "recording", fileBytes: 1e300, facts: null },
          {
            name: "night",
            state: "ended",
            fileBytes: 1e300,
            facts: { targetPid: 1, node: trick, begunUnixMs: -1, end: "failed", problem: { what: trick } },
          },
        ],
      },
    }),
  });
  const answer = (/** @type {{id?: number, method: string}} */ { id, method }) => {
    if (id === undefined) return;
    say({ id, ...(answers[method]?.() ?? { error: problem }) });
    if (method === "initialize" && lie === "notices") {
      const params = { captureId: 9, sequence: 0, gzipBase64: "A".repeat(4 << 20), fileBytes: 1e300, quality: {} };
      endlessly(() => say({ method: "extrospect/capture/increment", params }));
    }
  };
  if (lie === "frame") out.write(frame(2, Buffer.alloc(0), 0xffff_ffff));
  if (lie === "noise") endlessly(() => out.write(frame(2, Buffer.alloc(65536, "x"))));

  let link = Buffer.alloc(0);
  let said = Buffer.alloc(0);
  process.stdin.on("end", () => process.exit(0));
  process.stdin.on("data", (/** @type {Buffer} */ bytes) => {
    link = Buffer.concat([link, bytes]);
    while (link.length >= 5 && link.length >= 5 + link.readUInt32BE(1)) {
      const end = 5 + link.readUInt32BE(1);
      if (link[0] === 2) said = Buffer.concat([said, link.subarray(5, end)]);
      if (link[0] === 4) process.exit(0);
      link = link.subarray(end);
    }
    for (;;) {
      const at = said.indexOf("\r\n\r\n");
      const length = Number(/content-length: *(\d+)/i.exec(said.subarray(0, Math.max(0, at)).toString())?.[1] ?? NaN);
      if (at < 0 || !(said.length >= at + 4 + length)) return;
      const message = JSON.parse(said.subarray(at + 4, at + 4 + length).toString());
      said = said.subarray(at + 4 + length);
      answer(message);
    }
  });
}
