// Rules for the test files that `npm test` runs: nothing in them may depend on how busy the machine is. docs/testing.md has the reasons.

/** @typedef {NonNullable<ReturnType<import("eslint").SourceCode["getNodeByRangeIndex"]>>} Node */
/** @typedef {import("eslint").Rule.RuleContext} Context */
/** @typedef {import("eslint").Rule.Node} RuleNode */
/** @typedef {import("eslint").Rule.RuleModule} Rule */

/** Looks at a page of which each shows one moment. */
const LOOKS = new Set([
  "allInnerTexts",
  "allTextContents",
  "count",
  "evaluate",
  "evaluateAll",
  "getAttribute",
  "innerHTML",
  "innerText",
  "inputValue",
  "isChecked",
  "isDisabled",
  "isEnabled",
  "isHidden",
  "isVisible",
  "textContent",
]);
const RELATIONS = new Set(["<", "<=", ">", ">="]);
/** Verdicts of a comparison, as the helper and the pages say them. */
const VERDICT = /\b(slower|faster|no certain change|no_change|too_few)\b/;

/** The name that is called: `until`, and `until` of `wait.until` too. @param {Node} callee */
function calledName(callee) {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "MemberExpression" && !callee.computed && callee.property.type === "Identifier")
    return callee.property.name;
  return undefined;
}

/** `assert(…)`, `assert.equal(…)`. @param {Node} node @returns {node is Extract<Node, {type: "CallExpression"}>} */
function isAssertion(node) {
  if (node.type !== "CallExpression") return false;
  const { callee } = node;
  if (callee.type === "Identifier") return callee.name === "assert";
  return (
    callee.type === "MemberExpression" &&
    callee.object.type === "Identifier" &&
    callee.object.name === "assert" &&
    // It has no condition.
    calledName(callee) !== "fail"
  );
}

/** All nodes of a subtree. @param {Context} context @param {Node} root @returns {Generator<Node>} */
function* within(context, root) {
  const keysOf = context.sourceCode.visitorKeys;
  const waiting = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    yield node;
    for (const key of keysOf[node.type] ?? []) {
      const child = /** @type {any} */ (node)[key];
      if (Array.isArray(child)) waiting.push(...child.filter(Boolean));
      else if (child) waiting.push(child);
    }
  }
}

/** Whether it is inside of a function that is given to a call of one of these. @param {RuleNode} node @param {readonly string[]} names */
function isGivenTo(node, names) {
  for (let at = node; at.parent; at = /** @type {RuleNode} */ (at.parent)) {
    const { parent } = at;
    if (
      (at.type === "ArrowFunctionExpression" || at.type === "FunctionExpression") &&
      parent.type === "CallExpression" &&
      names.includes(calledName(parent.callee) ?? "")
    )
      return true;
  }
  return false;
}

/** @param {string} message @param {(context: Context, report: (node: Node) => void) => import("eslint").Rule.RuleListener} create @returns {Rule} */
const rule = (message, create) => ({
  meta: { type: "problem", schema: [], messages: { found: message } },
  create: (context) => create(context, (node) => context.report({ node, messageId: "found" })),
});

const ownLimit = rule(
  "no limit of a test's own: a busy machine takes ten times as long. Wait without one, the file has a limit",
  (_, report) => ({
    CallExpression(node) {
      const name = calledName(node.callee);
      if (name === "until" && node.arguments.length > 2) report(/** @type {Node} */ (node.arguments[2]));
      if (name === "setDefaultTimeout" || name === "setDefaultNavigationTimeout") report(node);
      if (
        name === "timeout" &&
        node.callee.type === "MemberExpression" &&
        node.callee.object.type === "Identifier" &&
        node.callee.object.name === "AbortSignal"
      )
        report(node);
    },
    "CallExpression > ObjectExpression > Property[key.name='timeout'][value.value!=0]": report,
  }),
);

const fixedWait = rule(
  "no fixed wait: wait for the state that is wanted (`until`), or for a later one that shows that nothing came",
  (_, report) => {
    /** Names of the waits of `node:timers/promises` in this file. */
    const waits = new Set(["sleep", "waitForTimeout"]);
    return {
      ImportDeclaration(node) {
        if (!/^(node:)?timers\/promises$/.test(String(node.source.value))) return;
        for (const { local } of node.specifiers) if (local.name !== "setTimeout") waits.add(local.name);
      },
      CallExpression(node) {
        const name = calledName(node.callee) ?? "";
        if (waits.has(name)) report(node);
        if (name !== "setTimeout") return;
        // Zero lets others run first, as `setImmediate`.
        if (!node.arguments.some((argument) => argument.type === "Literal" && argument.value === 0)) report(node);
      },
    };
  },
);

const measuredTime = rule(
  "no assertion on a time or rate: it depends on the machine. Report it with `measured`; bench/wanted.mjs has its limits",
  (context, report) => {
    const isClock = (/** @type {Node} */ node) =>
      node.type === "CallExpression" &&
      node.callee.type === "MemberExpression" &&
      node.callee.object.type === "Identifier" &&
      ["performance", "Date", "process"].includes(node.callee.object.name) &&
      ["now", "hrtime", "cpuUsage"].includes(calledName(node.callee) ?? "");
    /** Whether it was made of a time of a clock. @param {Node} root @param {number} [depth] @returns {boolean} */
    function isOfClock(root, depth = 0) {
      for (const node of within(context, root)) {
        if (isClock(node)) return true;
        if (node.type !== "Identifier" || depth > 3) continue;
        const scope = context.sourceCode.getScope(/** @type {RuleNode} */ (node));
        const found = scope.references.find(({ identifier }) => identifier === node)?.resolved;
        for (const { node: definition } of found?.defs ?? [])
          if (definition.type === "VariableDeclarator" && definition.init && !isFunction(definition.init))
            if (isOfClock(definition.init, depth + 1)) return true;
      }
      return false;
    }
    return {
      CallExpression(node) {
        if (!isAssertion(node)) return;
        for (const argument of node.arguments.slice(0, 1))
          for (const part of within(context, argument)) {
            if (part.type !== "BinaryExpression" || !RELATIONS.has(part.operator)) continue;
            if (isOfClock(part.left) || isOfClock(part.right)) return report(node);
          }
      },
    };
  },
);

/** @param {Node} node */
const isFunction = (node) => node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression";

/** Where something is recorded: what starts or names a recording in tests. */
const RECORDS = /^record$|^record(ed|ing)?[A-Z]/;

const recordedVerdict = rule(
  "no verdict of statistics on what this file has just recorded: it depends on chance. Assert it on a committed capture (fixtures)",
  (context, report) => {
    /** @type {Node[]} */
    const verdicts = [];
    let records = false;
    return {
      CallExpression(node) {
        if (RECORDS.test(calledName(node.callee) ?? "")) records = true;
        const first = node.arguments.at(0);
        // runHelper(["record", …])
        if (first?.type === "ArrayExpression" && first.elements[0]?.type === "Literal")
          if (first.elements[0].value === "record") records = true;
        if (!isAssertion(node)) return;
        for (const part of within(context, node)) {
          const isVerdict =
            (part.type === "Identifier" && /verdict/i.test(part.name)) ||
            (part.type === "Literal" && VERDICT.test(String(part.value)));
          if (isVerdict) {
            verdicts.push(node);
            return;
          }
        }
      },
      "Program:exit"() {
        if (records) for (const node of verdicts) report(node);
      },
    };
  },
);

const singleLook = rule(
  "one look at what may come later: put the look and its assertion in `until`",
  (context, report) => ({
    CallExpression(node) {
      if (!isAssertion(node) || isGivenTo(node, ["until", "comesTrue"])) return;
      for (const argument of node.arguments.slice(0, 2))
        for (const part of within(context, argument)) {
          if (part.type !== "AwaitExpression") continue;
          for (const call of within(context, part.argument))
            if (call.type === "CallExpression" && call.callee.type === "MemberExpression")
              if (LOOKS.has(calledName(call.callee) ?? "")) return report(node);
        }
    },
  }),
);

export const GATE_RULES = {
  "own-limit": ownLimit,
  "fixed-wait": fixedWait,
  "measured-time": measuredTime,
  "recorded-verdict": recordedVerdict,
  "single-look": singleLook,
};
