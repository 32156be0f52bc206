// A helper on another machine or in a container: ssh or another command connects, the host's shell finds or takes the program, then JSON-RPC runs over the same connection. No vscode in here.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { PassThrough, Readable } from "node:stream";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { plainText, type Words } from "../../../contract/plain-text.js";
import { startProgram } from "../child-program.js";
import { complaintOf } from "../helper/complaint.js";
import { HelperError } from "../helper/helper-error.js";
import { INSTALLED_PROGRAM } from "../helper/privileged-helper.js";
import type { RunningProgram } from "../helper/running-program.js";
import { errorText } from "../text/error-text.js";
import { adviceForHost } from "./host-advice.js";
import { HostAnswers, TooMuchNoise, type HostAnswer } from "./host-answers.js";
import type { HostWay } from "./host-way.js";
import { startScript, type HelperForHost, type HostSession } from "./start-script.js";

/** The program for hosts, and its facts. */
export interface HelperProgram extends HelperForHost {
  readonly compressed: Buffer;
}

/** How far it is: `connecting`, `sending` with bytes, `starting`. */
export interface HostProgress {
  readonly step: "connecting" | "sending" | "starting";
  readonly sentBytes?: number;
  readonly ofBytes?: number;
}

export interface HostWish {
  /** What people call the host. */
  readonly destination: string;
  /** What leads to a shell there. */
  readonly way: HostWay;
  /** The helper for x86-64 Linux; undefined when this package has none. */
  readonly helper: HelperProgram | undefined;
  /** What an installed helper's `--version` must print. */
  readonly version: string;
  /** For questions of ssh: passphrases, host keys, codes. */
  readonly environment: NodeJS.ProcessEnv;
  readonly onProgress: (progress: HostProgress) => void;
  /** The conversation that is begun or gone on with; undefined for one that ends with this connection. */
  readonly session?: HostSession;
  readonly signal?: AbortSignal;
}

/** A helper that runs on a host. */
export interface HostProgram extends RunningProgram {
  /** It is the copy that root installed there; else the one that was sent. */
  readonly isInstalled: boolean;
}

/** Time for a connection that is no longer wanted to end. */
const END_PATIENCE_MS = 2_000;
/** A helper is far smaller. */
const LARGEST_PROGRAM_BYTES = 1 << 26;
/** Size of the pieces in which it is sent, so that progress can be shown. */
const SENT_AT_ONCE_BYTES = 64 * 1024;

/** Compresses the program. @param version what its `--version` prints */
export async function helperForHosts(program: Buffer, version: string): Promise<HelperProgram> {
  const compressed = await promisify(gzip)(program);
  return {
    version,
    sha256: createHash("sha256").update(program).digest("hex"),
    compressedBytes: compressed.length,
    compressed,
  };
}

/** Of the program as it is sent: a package for other machines has nothing else. @param version what its `--version` prints */
export async function compressedHelperForHosts(compressed: Buffer, version: string): Promise<HelperProgram> {
  const program = await promisify(gunzip)(compressed, { maxOutputLength: LARGEST_PROGRAM_BYTES });
  return {
    version,
    sha256: createHash("sha256").update(program).digest("hex"),
    compressedBytes: compressed.length,
    compressed,
  };
}

/**
 * Connects and starts. Once it is cancelled by `signal` it fails at once, and the program that was started here ends.
 * @throws {HelperError} with the remedy
 */
export async function startOnHost(wish: HostWish, l10n: Words): Promise<HostProgram> {
  const { way, onProgress, signal } = wish;
  const given = () => way.ended(l10n.t("the connection was ended"), null);
  if (signal?.aborted === true) throw given();
  onProgress({ step: "connecting" });
  const child = startProgram(way.program, way.arguments, { env: { ...process.env, ...wish.environment } });
  const complaint = complaintOf(child);
  // A write to a connection that has ended is reported by its end.
  child.stdin.on("error", () => {});
  let abort = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    abort = () => reject(given());
    signal?.addEventListener("abort", abort);
  });
  try {
    return await Promise.race([talk(child, wish, complaint, l10n), givenUp]);
  } catch (error) {
    end(child);
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** Ends it, even if it ignores the request to end. */
function end(child: ChildProcessWithoutNullStreams): void {
  child.kill();
  // Another program that still has its pipes open keeps nothing alive here.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  const timer = setTimeout(() => child.kill("SIGKILL"), END_PATIENCE_MS).unref();
  child.once("exit", () => clearTimeout(timer));
}

function talk(
  child: ChildProcessWithoutNullStreams,
  wish: HostWish,
  complaint: () => string,
  l10n: Words,
): Promise<HostProgram> {
  const { destination, helper, version, way, onProgress } = wish;
  const word = `extrospect-${randomBytes(12).toString("hex")}`;
  const answers = new HostAnswers(word);
  return new Promise((resolve, reject) => {
    const fail = (error: HelperError) => {
      child.stdout.off("data", onOutput);
      reject(error);
    };
    const take = (answer: HostAnswer) => {
      switch (answer.kind) {
        case "need":
          if (helper !== undefined) Readable.from(pieces(helper, onProgress)).pipe(child.stdin, { end: false });
          return;
        case "start": {
          onProgress({ step: "starting" });
          child.stdout.off("data", onOutput);
          const output = new PassThrough();
          output.write(answer.rest);
          child.stdout.pipe(output);
          const endedEarly = (how: string) =>
            new HelperError(
              "unreachable",
              l10n.t("The helper on {0} did not start", destination),
              complaint() || how,
              l10n.t("Check the log, then try again."),
            );
          const gone = (how: string) => l10n.t("the connection to {0} ended ({1})", destination, complaint() || how);
          const { isInstalled } = answer;
          resolve({
            child,
            gone,
            input: child.stdin,
            output,
            name: l10n.t("the helper on {0}", destination),
            isInstalled,
            advice: adviceForHost(isInstalled, l10n),
            endedEarly,
          });
          return;
        }
        default:
          fail(refusal(answer, destination, way, l10n));
      }
    };
    const onOutput = (bytes: Buffer) => {
      try {
        for (const answer of answers.feed(bytes)) take(answer);
      } catch (error) {
        const why =
          error instanceof TooMuchNoise
            ? l10n.t("it prints endless output instead of the expected answer")
            : errorText(error);
        fail(
          new HelperError(
            "unreachable",
            l10n.t("{0} does not answer as a shell does", destination),
            why,
            way.noShellFix,
          ),
        );
      }
    };
    child.stdout.on("data", onOutput);
    child.once("error", (error) => {
      fail(way.cannotStart(error.message));
    });
    child.once("close", (code) => {
      const why =
        complaint() ||
        (code === null ? l10n.t("the connection was ended") : l10n.t("it ended with exit code {0}", code));
      fail(way.ended(why, code));
    });
    child.stdin.write(startScript({ word, helper, version, startBy: way.startBy, session: wish.session }));
  });
}

/** The program in pieces, with progress reports. */
function* pieces({ compressed }: HelperProgram, onProgress: HostWish["onProgress"]): Generator<Buffer> {
  for (let sentBytes = 0; sentBytes < compressed.length; sentBytes += SENT_AT_ONCE_BYTES) {
    onProgress({ step: "sending", sentBytes, ofBytes: compressed.length });
    yield compressed.subarray(sentBytes, sentBytes + SENT_AT_ONCE_BYTES);
  }
}

/** Why the host starts no helper, and what to do. */
function refusal(
  answer: Exclude<HostAnswer, { kind: "need" | "start" }>,
  host: string,
  way: HostWay,
  l10n: Words,
): HelperError {
  const what = l10n.t("No helper can run on {0}", host);
  const byRoot = l10n.t("Have root install the helper there: `extrospect install`.");
  const refused = (why: string, fix: string) =>
    new HelperError("unreachable", what, why, (answer.kind === "failed" ? way.fixOf(answer.step) : undefined) ?? fix);
  if (answer.kind === "unfit")
    return refused(
      l10n.t("it is {0}, and the helper is for x86-64 Linux", plainText(answer.machine)),
      l10n.t("Choose a host with x86-64 Linux."),
    );
  if (answer.kind === "none")
    return refused(
      l10n.t("this package contains none, and there is none of this version at {0}", INSTALLED_PROGRAM),
      byRoot,
    );
  const detail = plainText(answer.detail);
  switch (answer.step) {
    case "folder":
      return refused(
        l10n.t("{0} is not a writable folder of your own", detail),
        `${l10n.t("Make it a folder that you own and can write to, or set XDG_CACHE_HOME there.")} ${byRoot}`,
      );
    case "checksums":
      return refused(l10n.t("it has neither sha256sum nor openssl, so the transfer could not be verified"), byRoot);
    case "write":
      return refused(
        l10n.t("the helper could not be written to {0}: the disk is full, or gzip or head is missing", detail),
        `${l10n.t("Free some space there.")} ${byRoot}`,
      );
    case "damaged":
      return refused(l10n.t("the received data differs from the data that was sent"), l10n.t("Try again."));
    case "execute":
      return refused(
        l10n.t("programs in {0} may not be executed (noexec)", detail),
        `${l10n.t("Set XDG_CACHE_HOME there to a folder on another file system.")} ${byRoot}`,
      );
    case "lend":
      return refused(
        l10n.t("{0} does not start it: {1}", way.startBy, detail),
        l10n.t("Have root add a rule that needs no password, or set `extrospect.remote.startBy` to `itself`."),
      );
  }
}
