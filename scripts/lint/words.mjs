// Words and patterns that plain English does without: docs/glossary.md lists them for writers, check-words.mjs counts them.
import { rustCode } from "./rust-texts.mjs";

/**
 * @typedef {object} Pattern
 * @property {string} name     as docs/glossary.md lists it
 * @property {RegExp} found    a space in it stands for any white space
 * @property {string} write    the replacement, or how to find it
 *
 * @typedef {object} Finding
 * @property {number} line     from 1
 * @property {string} word     as it is in the text
 * @property {string} write
 */

/** @param {string} name @param {string} words a regular expression between word boundaries @param {string} write @returns {Pattern} */
const pattern = (name, words, write) => ({
  name,
  found: new RegExp(`(?<![\\w-])(?:${words.replaceAll(" ", "\\s+")})(?![\\w-])`, "gi"),
  write,
});

/** Verbs that make a clause of "what" where a noun belongs. */
const CLAUSE = "is|are|was|were|has|have|had|can|cannot|could|may|it|they|came|comes|goes|went|lies|stands|waits|else";

/** @type {Pattern[]} */
export const PATTERNS = [
  pattern("mend", "mend(?:s|ed|ing)?", "fix, remedy"),
  pattern("meanwhile", "meanwhile", "name the period: during the capture, since then"),
  pattern("no more (no longer)", "no more(?= (?:until|is|are)\\b|\\s*[.,;:)])", "no longer; stop"),
  // *Cannot tell* is an answer of gates.
  pattern(
    "tell, told (but: cannot tell)",
    "(?<!cannot )tell(?:s|ing)?(?! apart)|told(?! apart)",
    "report, show, pass; state",
  ),
  pattern("say, said", "says|said", "report, show, state, contain"),
  pattern("ask, asked", "asks|asked", "query, request, prompt; call"),
  pattern("hear", "hears?|heard|deaf|mute", "receive"),
  pattern("hold against", "(?:held|holds?|holding)(?: \\S+){0,4}? against", "compare with"),
  pattern("go by", "(?:go|goes|going|went) by(?! (?:in|so|ssh)\\b)", "use, depend on"),
  pattern("go away", "(?:go|goes|going|went|gone) away", "exit, disconnect"),
  pattern("what is, what has", `what (?:${CLAUSE})`, "a noun: the missing package, not: what is missing"),
  pattern("nobody, somebody", "nobody|somebody|anybody", "the user, no process, a condition"),
  pattern("look into", "look(?:s|ed|ing)? into", "inspect, read, profile"),
  pattern("who asks", "who (?:is|has|asks|asked)|whom|whoever", "the actor: the caller, the user"),
  pattern("seldom", "seldom", "rarely, less often"),
  pattern(
    "has not (no helping verb)",
    "(?:has|have) not(?= (?:the|a|an|any|it|them|its|their)\\b|\\s*[.,;])",
    "does not have",
  ),
  pattern("but for", "but for", "except"),
  pattern("of ours", "of ours|of theirs", "our, their, or the owner's name"),
  pattern("for want of", "for want of", "without, for lack of"),
  pattern("unasked", "unasked", "without a prompt"),
];

/** Identifiers of the same dialect; case counts. @type {Pattern[]} */
const IDENTIFIERS = [
  { name: "Said", found: /\bSaid\b/g, write: "a name of its content: Received, ProgramOutput" },
  {
    name: "Told",
    found: /\b(?:Heap)?Told\b(?! apart)/g,
    write: "a name of its content: DictionaryFacts, ReadProgress",
  },
  { name: "TOLD", found: /\b(?:[A-Z]+_)*TOLD(?:_[A-Z]+)*\b/g, write: "SHOWN_, REPORT_" },
  { name: "Nonsense", found: /\bNonsense\b/g, write: "the error's name" },
  { name: "Endurance", found: /\bEndurance\b/g, write: "FailureLimit" },
  { name: "Patience", found: /\b[A-Za-z]*Patience\b/g, write: "RunLimits, WaitLimit" },
  { name: "hear", found: /\bhear(?=\()/g, write: "receive" },
  { name: "breathe", found: /\bbreathe(?=\()/g, write: "pause_when_due" },
];
/** In TypeScript also as a part of a name. @type {Pattern[]} */
const SCRIPT_IDENTIFIERS = [
  {
    name: "said, told",
    found: /\b(?:said|told)(?:[A-Z]\w*|\b)(?! apart)|\b[a-z]\w*(?:Said|Told)\b/g,
    write: "a name of its content: output, answer, onProgress",
  },
  {
    // Words of the protocol, such as `askedFor`, are the helper's.
    name: "tell, asked",
    found: /\btell[A-Z]\w*|\bAsked(?:[A-Z]\w*|\b)|\b[a-z]\w*Asked(?:[A-Z]\w*|\b)/g,
    write: "show, report; requested",
  },
  { name: "heard", found: /\bheard\b/g, write: "received, answered" },
];

/** In Rust, where comments and texts are no names. @type {Pattern[]} */
const RUST_IDENTIFIERS = [
  {
    name: "said, told, tell",
    // Sentences of titles are longer than a word and one of these.
    found: /\b(?:is_)?(?:said|told|tell)(?:_\w+)?\b|\b[a-z]+_(?:said|told)\b|\buntold\b/g,
    write: "a name of its content: message, output, reported; show, report, send",
  },
];
/** @param {string} file @param {string} text of it, Rust or TypeScript @returns {Finding[]} */
export function identifierFindings(file, text) {
  if (file.endsWith(".ts")) return findings(text, [...IDENTIFIERS, ...SCRIPT_IDENTIFIERS]);
  return [...findings(text, IDENTIFIERS), ...findings(rustCode(text), RUST_IDENTIFIERS)];
}

/**
 * @param {string} text with all that is no prose hidden
 * @param {readonly Pattern[]} [patterns]
 * @returns {Finding[]} in the order of the text, none within another
 */
export function findings(text, patterns = PATTERNS) {
  const found = patterns
    .flatMap(({ found: words, write }) =>
      [...text.matchAll(words)].map((match) => ({ at: match.index, word: match[0], write })),
    )
    .sort((one, other) => one.at - other.at);
  let line = 1;
  let counted = 0;
  let end = 0;
  return found.flatMap(({ at, word, write }) => {
    if (at < end) return [];
    end = at + word.length;
    for (; counted < at; counted++) if (text[counted] === "\n") line++;
    return [{ line, word: word.replace(/\s+/g, " "), write }];
  });
}
