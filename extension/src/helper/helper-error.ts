// Problems of the helper, worded for the user. No vscode in here.

import { plainText, type Words } from "../../../contract/plain-text.js";
import { ErrorCodes, type ErrorData, type Message } from "../../../contract/protocol.generated.js";
import { errorInWords } from "../messages/helper-text.js";
import { asSentence } from "../text/as-sentence.js";

/** Reasons that are not in the protocol: the helper could not be reached at all. */
export type HelperProblem =
  | "untrusted"
  | "unsupported"
  | "missing"
  | "notRunnable"
  | "versionMismatch"
  | "noAnswer"
  | "ended"
  | "tooManyRestarts"
  | "refused"
  | "unreachable";

const LONGEST_COMMAND = 2000;
/** Of each part of an answer that refuses; a log has no other bound. */
const LONGEST_PART = 2000;
/** Characters of a sentence in a message. */
const LONGEST_CLAUSE = 700;

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
    /** The shell command that fixes it. Only this field is ever copied for a shell. */
    readonly command?: string,
  ) {
    super(sentence(what, why));
  }
}

/** `what: why` on one line. */
export function sentence(what: string, why: string): string {
  return why === "" ? what : `${what}: ${why}`;
}

/** The text of its message. Where there is no process, its remedy is a button. */
export function errorSentences({ what, why, fix, code }: HelperError): string {
  const todo = code === ErrorCodes.noSuchTarget ? "" : plainText(fix, 500);
  // The helper's clauses have neither a capital letter nor a full stop.
  const clauses = [what === "" ? why : sentence(what, why), todo].map((clause) => plainText(clause, LONGEST_CLAUSE));
  return clauses.map(asSentence).join(" ").trim();
}

/** What the helper answered instead of a result, in the user's language; undefined when it is no answer of the helper. */
export function refusalOf(error: unknown, l10n: Words): HelperError | undefined {
  if (typeof error !== "object" || error === null || !("code" in error) || typeof error.code !== "number")
    return undefined;
  const message = "message" in error && typeof error.message === "string" ? error.message : "";
  const data = "data" in error ? errorDataIn(error.data) : undefined;
  const problem = error.code === ErrorCodes.versionMismatch ? "versionMismatch" : "refused";
  // It goes into logs, which terminals show, too.
  const plain = (text: string) => plainText(text, LONGEST_PART);
  if (data === undefined) return new HelperError(problem, plain(message), "", "", error.code);
  const { what, why, fix } = errorInWords(data, l10n);
  return new HelperError(problem, plain(what), plain(why), plain(fix), error.code, data.command);
}

/** Whether the request was cancelled, by either side. */
export function isCancelled(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === ErrorCodes.requestCancelled;
}

/** The data of an error; undefined when they do not have the right form. */
export function errorDataIn(data: unknown): ErrorData | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { what, why, fix, exitCode, messages, command } = data as Partial<Record<keyof ErrorData, unknown>>;
  if (typeof what !== "string" || typeof why !== "string" || typeof fix !== "string") return undefined;
  return {
    what,
    why,
    fix,
    exitCode: typeof exitCode === "number" ? exitCode : 1,
    ...(isObject(messages) && { messages: messagesIn(messages) }),
    // It is pasted into a shell: a line end would run the text before it at once.
    ...(typeof command === "string" && { command: plainText(command, LONGEST_COMMAND) }),
  };
}

/** Those that have the form of a message. */
function messagesIn(members: Readonly<Record<string, unknown>>): Record<string, Message> {
  const entries = Object.entries(members).flatMap(([member, message]): [string, Message][] => {
    if (!isObject(message) || typeof message["code"] !== "string") return [];
    const values = isObject(message["arguments"]) ? Object.entries(message["arguments"]) : [];
    const texts = values.filter((entry): entry is [string, string] => typeof entry[1] === "string");
    return [[member, { code: message["code"], arguments: Object.fromEntries(texts) }]];
  });
  return Object.fromEntries(entries);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The caller no longer waits for the answer. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}
