// The lint of words: the text that it takes for prose, its findings there, and that counts may only fall.
import "../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { addedLines, areaOf, compareCounts } from "../../scripts/check-words.mjs";
import { commitSubjects } from "../../scripts/lint/commit-subjects.mjs";
import { proseOf } from "../../scripts/lint/prose.mjs";
import { rustMessages } from "../../scripts/lint/rust-texts.mjs";
import { findings, identifierFindings, PATTERNS } from "../../scripts/lint/words.mjs";
import { ROOT } from "../../scripts/project.mjs";

/** @param {string} text */
const words = (text) => findings(text).map(({ word }) => word);

/** @param {string} file @param {string} text */
const found = (file, text) => findings(proseOf(file, text)).map(({ line, word }) => `${line}: ${word}`);

test("identifiers of the same dialect are found as whole words, and in their own case", () => {
  const text = "enum Said {}\nlet said = x.hear(TOLD_ROWS);\ntype HeapTold = NotToldApart;\nfn shear() {}";
  const found = (/** @type {string} */ file, /** @type {string} */ of) =>
    identifierFindings(file, of).map(({ line, word }) => `${line}: ${word}`);
  assert.deepEqual(found("a.rs", text), ["1: Said", "2: hear", "2: TOLD_ROWS", "3: HeapTold", "2: said"]);
  const parts = "struct AnswerPatience {}\nconst MOST_TOLD: u32 = FOUND_NO_LIMIT_TOLD + TOLD;\nstruct Impatience_s;";
  assert.deepEqual(found("a.rs", parts), ["1: AnswerPatience", "2: MOST_TOLD", "2: FOUND_NO_LIMIT_TOLD", "2: TOLD"]);
  // Of Rust the names alone, and no sentences of titles.
  const rust = 'fn tell_end(is_told: bool) { self.told(); } // it is told\n"told {said}"; fn a_fault_is_told() {}';
  assert.deepEqual(found("a.rs", rust), ["1: tell_end", "1: is_told", "1: told"]);
  // Those of TypeScript are more.
  const script = "const said = samplesSaid;\ntoldOf(told); // cannot be told apart\nnot_told_apart";
  assert.deepEqual(found("a.ts", script), ["1: said", "1: samplesSaid", "2: toldOf", "2: told"]);
  const verbs = 'tellEnd(#stopAskedUnixMs);\nlet one: AskedVm; case "askedFor": // it cannot tell';
  assert.deepEqual(found("a.ts", verbs), ["1: tellEnd", "1: stopAskedUnixMs", "2: AskedVm"]);
});

describe("words to avoid", () => {
  for (const [text, word] of /** @type {const} */ ([
    ["the command that mends it", "mends"],
    ["The VMs Meanwhile", "Meanwhile"],
    ["{0} is watched no more.", "no more"],
    ["takes no more until the other side reads", "no more"],
    ["Branches are told by git", "told"],
    ["the kernel says so", "says"],
    ["the helper is asked", "asked"],
    ["captures are held against {0}", "held against"],
    ["holds the manifest against the code", "holds the manifest against"],
    ["what views go by", "go by"],
    ["its target went away", "went away"],
    ["shows what is missing", "what is"],
    ["nobody else's", "nobody"],
    ["the VM to look into", "look into"],
    ["{0} wants to know who asks", "who asks"],
    ["is read more seldom", "seldom"],
    ["rights that its caller has not, the", "has not"],
    ["the debug file has not the name", "has not"],
    ["all but for one", "but for"],
    ["a process of ours", "of ours"],
    ["refused for want of rights", "for want of"],
    ["nothing is sent unasked", "unasked"],
  ])) {
    test(`"${word}" is found in "${text}"`, () => assert.deepEqual(words(text), [word]));
  }

  test("what plain English has stays", () => {
    for (const text of [
      "at most 64 and no more than 2 GiB",
      "no more captures fit",
      "which has not ended yet",
      "two VMs that cannot be told apart",
      "a recommendation",
      "said-so",
      "a question of what to do",
      "What does the VM use its memory for?",
    ])
      assert.deepEqual(words(text), [], text);
  });

  test("the line is that of the word, also where white space breaks the pattern", () => {
    assert.deepEqual(
      findings("one\ntwo looked\n  into\nnobody").map(({ line, word }) => [line, word]),
      [
        [2, "looked into"],
        [4, "nobody"],
      ],
    );
  });

  test("each has a replacement, and docs/glossary.md lists them all", () => {
    const glossary = readFileSync(join(ROOT, "docs/glossary.md"), "utf8");
    const listed = glossary.split("## Patterns to avoid")[1]?.match(/^\| .* \|$/gm) ?? [];
    assert.deepEqual(
      listed.slice(2),
      PATTERNS.map(({ name, write }) => `| ${name} | ${write} |`),
    );
  });
});

describe("prose", () => {
  test("of TypeScript is its comments, not its texts", () => {
    const text = [
      'const says = "nobody"; // it says so',
      "const path = `// told ${says /* asked */} told`;",
      "const pattern = /\\/\\/ told/; const address = 'http://mend';",
      "/** What",
      " * is here. `nobody` */",
      "let a = 1;",
    ].join("\n");
    assert.deepEqual(found("a.ts", text), ["1: says", "2: asked", "4: What is"]);
  });

  test("of Rust is its comments, nested ones among them", () => {
    const text = [
      '//! it says so, and "nobody" in quotes',
      'let told = "// nobody"; let c = \'"\'; // asked',
      'let raw = r#"// told "quoted" nobody"#;',
      "fn f<'a>(x: &'a str) {} /* told /* nobody */ seldom */ let nobody = 1;",
      "/// What",
      "/// is here",
      "let b = b'\\''; // mend",
    ].join("\n");
    assert.deepEqual(found("a.rs", text), [
      "1: says",
      "1: nobody",
      "2: asked",
      "4: told",
      "4: nobody",
      "4: seldom",
      "5: What is",
      "7: mend",
    ]);
  });

  test("of the messages in Rust is texts without values, up to the tests", () => {
    const text = [
      "// It says so",
      'let said = format!("nobody {told:?} `asked`");',
      '#[error(r#"it is asked"#)]',
      "fn f<'a>(told: &'a str) {}",
      "#[cfg(test)]",
      "mod tests {",
      '    const A: &str = "told";',
    ].join("\n");
    const messages = rustMessages(text);
    assert.equal(messages.length, text.length);
    assert.deepEqual(
      findings(messages).map(({ line, word }) => `${line}: ${word}`),
      ["2: nobody", "3: asked"],
    );
  });

  test("of two comments with code between them is two sentences", () => {
    assert.deepEqual(found("a.rs", "// What\nlet a = 1;\n// is here\n"), []);
  });

  test("of Markdown is all but code and addresses", () => {
    const text = "It says\n\n```\ntold\n```\n`nobody` and [asked](told.md)\n";
    assert.deepEqual(found("a.md", text), ["1: says", "6: asked"]);
  });

  test("of a bundle is the text that is shown, without its code", () => {
    const text = '{\n  "It says": "It says \\"told\\"",\n  "command.mend": "Run `nobody`\\nseldom"\n}\n';
    assert.deepEqual(found("l10n/bundle.l10n.json", text), ["2: says", "2: told", "3: seldom"]);
  });

  test("of a manual page has no requests", () => {
    assert.deepEqual(found("a.1", ".SH told\n\\fBit\\fR says\n"), ["2: says"]);
  });
});

describe("counts", () => {
  test("each file has one area or none", () => {
    assert.equal(areaOf("l10n/bundle.l10n.json"), "interface");
    assert.equal(areaOf("l10n/bundle.l10n.de.json"), undefined);
    assert.equal(areaOf("README.md"), "README");
    assert.equal(areaOf("docs/inside.md"), "documentation");
    assert.equal(areaOf("docs/glossary.md"), undefined);
    assert.equal(areaOf("media/walkthrough/again.md"), "documentation");
    assert.equal(areaOf("media/walkthrough/again.nls.de.md"), undefined);
    assert.equal(areaOf("packaging/man/extrospect-top.1"), "man pages");
    assert.equal(areaOf("native-helper/crates/service/cli/src/main.rs"), "comments");
    assert.equal(areaOf("contract/protocol.generated.ts"), undefined);
    assert.equal(areaOf("CHANGELOG.md"), undefined);
  });

  test("may neither rise nor stay behind what was reached", () => {
    const allowed = { interface: 3, README: 0, comments: 5 };
    assert.deepEqual(compareCounts(allowed, { interface: 3, README: 0, comments: 5 }), { risen: [], fallen: [] });
    assert.deepEqual(compareCounts(allowed, { interface: 4, README: 0, comments: 4 }), {
      risen: ["interface"],
      fallen: ["comments"],
    });
    assert.deepEqual(compareCounts({}, { "man pages": 1 }), { risen: ["man pages"], fallen: [] });
  });

  test("new lines are those that a difference adds", () => {
    const diff = "--- a/one.ts\n+++ b/one.ts\n@@ -1 +2,2 @@ x\n+a\n+b\n@@ -9,2 +10,0 @@\n-c\n@@ -20 +19 @@\n+d\n";
    assert.deepEqual([...addedLines(diff)], ["one.ts:2", "one.ts:3", "one.ts:19"]);
  });
});

test("of commits the subjects after a given one are read, of a shallow clone those that it has, elsewhere none", () => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-subjects-"));
  try {
    const origin = join(folder, "origin");
    mkdirSync(join(origin, "part"), { recursive: true });
    const user = ["-c", "user.name=Ada Lovelace", "-c", "user.email=ada@host", "-c", "commit.gpgsign=false"];
    /** @param {string} cwd @param {string[]} args */
    const git = (cwd, ...args) => execFileSync("git", [...user, ...args], { cwd, encoding: "utf8" }).trim();
    git(origin, "init", "--quiet", "--initial-branch=main");
    for (const subject of ["It says so", "`told` is a name", "The last one"])
      git(origin, "commit", "--quiet", "--allow-empty", "--message", subject);
    const first = git(origin, "rev-parse", "HEAD~2");
    const texts = (/** @type {string} */ root, since = first) => commitSubjects(root, since).map(({ text }) => text);
    assert.deepEqual(texts(origin), ["The last one", `${"\u0001".repeat(6)} is a name`]);
    assert.match(commitSubjects(origin, first)[0]?.commit ?? "", /^[0-9a-f]+$/);
    assert.deepEqual(texts(origin, "0".repeat(40)), []);
    assert.deepEqual(texts(join(origin, "part")), []);
    git(folder, "clone", "--quiet", "--depth", "1", `file://${origin}`, "shallow");
    assert.deepEqual(texts(join(folder, "shallow")), ["The last one"]);
    assert.deepEqual(texts(folder), []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
