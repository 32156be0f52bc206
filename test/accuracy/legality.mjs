// Is this stack possible? The test programs are small enough that every call in them is known: caller, callee and
// lines. A stack that holds any other pair is a wrong one.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const SOURCES = join(import.meta.dirname, "../vms/src");

/**
 * @typedef {import("../pprof-reader.mjs").Frame} Frame
 * @typedef {import("../pprof-reader.mjs").ProfileSample} ProfileSample
 *
 * @typedef {object} CallRules   the possible calls of a test program, functions as "module:name/arity"
 * @property {[callee: string, caller: string, text?: string][]} calls
 *   which function may stand directly under which; "bottom" for none. `text` is on the line of the call
 * @property {[names: string[], caller: string, text?: string][]} [leaves]
 *   C functions and the place, mostly the only one, that they are called from
 * @property {(sample: ProfileSample, erlang: Frame[]) => string | null} [more]
 *
 * @typedef {object} Checker
 * @property {(sample: ProfileSample) => {relevant: boolean, wrong: string | null}} check
 */

/** @param {CallRules} rules @returns {Checker} */
export function checkerOf(rules) {
  /** @type {Map<string, {caller: string, lines: Set<number> | null}[]>} */
  const callers = new Map();
  for (const [callee, caller, text] of rules.calls) {
    const known = callers.get(callee) ?? [];
    known.push({ caller, lines: text === undefined ? null : linesWith(caller, text) });
    callers.set(callee, known);
  }
  const leaves = (rules.leaves ?? []).map(([names, caller, text]) => ({
    names: new Set(names),
    caller,
    lines: text === undefined ? null : linesWith(caller, text),
  }));

  /** @param {Frame[]} frames */
  function wrongLeaf(frames) {
    const firstErlang = frames.findIndex((frame) => frame.kind === "erlang" || frame.kind === "marker");
    const inC = firstErlang < 0 ? frames : frames.slice(0, firstErlang);
    const under = frames[firstErlang];
    for (const frame of inC.toReversed()) {
      const known = leaves.filter(({ names }) => names.has(frame.name));
      if (known.length === 0) continue;
      if (under === undefined || under.kind === "marker") return null;
      const legal = known.filter(({ caller }) => caller === under.name);
      if (legal.length === 0) return `${frame.name} under ${under.name}`;
      const there = legal.some(({ lines }) => lines === null || lines.has(under.line));
      return there ? null : `${frame.name} at line ${under.line} of ${under.name}`;
    }
    return null;
  }

  /** @param {Frame[]} frames */
  function wrongPair(frames) {
    for (const [index, frame] of frames.entries()) {
      const legal = frame.kind === "erlang" ? callers.get(frame.name) : undefined;
      const under = frames[index + 1];
      if (legal === undefined || under?.kind === "marker") continue;
      const name = under?.name ?? "bottom";
      const pairs = legal.filter(({ caller }) => caller === name);
      if (pairs.length === 0) return `${frame.name} under ${name}`;
      if (pairs.every(({ lines }) => lines !== null && !lines.has(under?.line ?? 0))) {
        return `${frame.name} called at line ${under?.line} of ${name}`;
      }
    }
    return null;
  }

  /** The line a function runs at, or was called at, is one of its own. @param {Frame[]} frames */
  function wrongLine(frames) {
    for (const frame of frames) {
      if (frame.kind !== "erlang" || !callers.has(frame.name) || frame.line === 0) continue;
      const own = spanOf(frame.name);
      if (!own.some(([first, last]) => first <= frame.line && frame.line <= last))
        return `${frame.name} at line ${frame.line}`;
    }
    return null;
  }

  return {
    check(sample) {
      const erlang = sample.frames.filter((frame) => frame.kind === "erlang");
      const relevant = erlang.some((frame) => callers.has(frame.name));
      if (!relevant) return { relevant, wrong: null };
      const { frames } = sample;
      return {
        relevant,
        wrong: wrongLeaf(frames) ?? wrongPair(frames) ?? wrongLine(frames) ?? rules.more?.(sample, erlang) ?? null,
      };
    },
  };
}

/** @type {Map<string, string[]>} */
const sources = new Map();

/** @param {string} mfa @returns {string[]} the lines of the module's source */
function sourceOf(mfa) {
  const module = mfa.slice(0, mfa.indexOf(":"));
  let lines = sources.get(module);
  if (lines === undefined) {
    lines = readFileSync(join(SOURCES, `${module}.erl`), "utf8").split("\n");
    sources.set(module, lines);
  }
  return lines;
}

/** Lines (from 1) of a function that hold a text. @param {string} mfa @param {string} text */
function linesWith(mfa, text) {
  const lines = sourceOf(mfa);
  const found = spanOf(mfa)
    .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index))
    .filter((line) => lines[line - 1]?.includes(text));
  if (found.length === 0) throw new Error(`no line of ${mfa} holds ${text}`);
  return new Set(found);
}

/** @type {Map<string, [number, number][]>} */
const spans = new Map();

/** First and last lines of the clauses of all functions of that name. @param {string} mfa @returns {[number, number][]} */
function spanOf(mfa) {
  let known = spans.get(mfa);
  if (known === undefined) {
    known = findSpan(mfa);
    spans.set(mfa, known);
  }
  return known;
}

/** @param {string} mfa @returns {[number, number][]} */
function findSpan(mfa) {
  const lines = sourceOf(mfa);
  const name = mfa.slice(mfa.indexOf(":") + 1, mfa.lastIndexOf("/"));
  const heads = lines.flatMap((text, index) => {
    const head = /^([a-z]\w*)\(/.exec(text)?.[1];
    return head === undefined ? [] : [{ head, line: index + 1 }];
  });
  return heads.flatMap(({ head, line }, index) =>
    head === name ? [/** @type {[number, number]} */ ([line, (heads[index + 1]?.line ?? lines.length + 1) - 1])] : [],
  );
}
