// What went wrong with the helper, in words for a person. No vscode in here.

import { ErrorCodes, type ErrorData } from "../../../contract/protocol.generated.js";

/** Reasons that are not in the protocol: the helper could not be asked at all. */
export type HelperProblem = "untrusted" | "unsupported" | "missing" | "notRunnable" | "versionMismatch" | "noAnswer" | "ended" | "tooManyRestarts" | "refused";

/** A request that did not work: what happened, why, and what to do. */
export class HelperError extends Error {
  override readonly name = "HelperError";

  constructor(
    readonly problem: HelperProblem,
    readonly what: string,
    readonly why: string,
    readonly fix: string,
    /** Code of the protocol's error, when the helper answered one. */
    readonly code?: number,
  ) {
    super(sentence(what, why));
  }
}

/** `what: why` on one line. */
export function sentence(what: string, why: string): string {
  return why === "" ? what : `${what}: ${why}`;
}

/** What the helper answered instead of a result; undefined when it is no answer of the helper. */
export function refusalOf(error: unknown): HelperError | undefined {
  if (typeof error !== "object" || error === null || !("code" in error) || typeof error.code !== "number") return undefined;
  const message = "message" in error && typeof error.message === "string" ? error.message : "";
  const data = "data" in error ? errorData(error.data) : undefined;
  const problem = error.code === ErrorCodes.versionMismatch ? "versionMismatch" : "refused";
  return new HelperError(problem, data?.what ?? message, data?.why ?? "", data?.fix ?? "", error.code);
}

/** Whether the request was cancelled, by whoever. */
export function isCancelled(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === ErrorCodes.requestCancelled;
}

/** The command for a shell in what the helper says to do, such as `or once: sudo setcap …`; undefined when there is none. */
export function commandIn(fix: string): string | undefined {
  const command = (/`([^`]+)`/.exec(fix)?.[1] ?? /(?:^|: )((?:sudo|chmod) .+)$/s.exec(fix)?.[1])?.trim();
  return command !== undefined && /^(?:sudo|chmod) \S/.test(command) ? command : undefined;
}

function errorData(data: unknown): ErrorData | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { what, why, fix, exitCode } = data as Partial<Record<keyof ErrorData, unknown>>;
  if (typeof what !== "string" || typeof why !== "string" || typeof fix !== "string") return undefined;
  return { what, why, fix, exitCode: typeof exitCode === "number" ? exitCode : 1 };
}

/** Nobody waits for the answer any more. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}
