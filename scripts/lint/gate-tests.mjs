// Rules for the test files that `npm test` runs: nothing in them may depend on how busy the machine is. docs/testing.md has the reasons.

/** @typedef {NonNullable<ReturnType<import("eslint").SourceCode["getNodeByRangeIndex"]>>} Node */
/** @typedef {import("eslint").Rule.RuleContext} Context */
/** @typedef {import("eslint").Rule.Node} RuleNode */
/** @typedef {import("eslint").Rule.RuleModule} Rule */

/** Looks at a page of which each shows one moment. */
const LOOKS = new Set([
  "$",
  "$$",
  "$$eval",
  "$eval",
  "all",
  "allInnerTexts",
  "allTextContents",
  "ariaSnapshot",
  "boundingBox",
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
/** Verdicts of a comparison and answers of its gates, as the helper and the pages say them. */
const VERDICT = /\b(slower|faster|no significant|no_change|too_few|cannot[ _]tell)\b/;

/** The name that is called: `until`, and `until` of `wait.until` too. @param {Node} callee */
function calledName(callee) {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "MemberExpression" && !callee.computed && callee.property.type === "Identifier")
    return callee.property.name;
  return undefined;
}

/**
 * `assert(…)`, `assert.equal(…)`, `t.assert.equal(…)`, and `equal(…)` of node:assert.
 * @param {Context} context @param {Node} node @returns {node is Extract<Node, {type: "CallExpression"}>}
 */
function isAssertion(context, node) {
  if (node.type !== "CallExpression") return false;
  const { callee } = node;
  if (callee.type === "Identifier") return callee.name === "assert" || isOfAssert(context, callee);
  // `assert.fail` has no condition.
  if (callee.type !== "MemberExpression" || calledName(callee) === "fail") return false;
  const { object } = callee;
  if (object.type === "Identifier") return object.name === "assert" || isOfAssert(context, object);
  return ["assert", "strict"].includes(calledName(object) ?? "");
}

/** @param {Context} context @param {Node} name */
const isOfAssert = (context, name) =>
  definitionsOf(context, name).some(
    ({ type, parent }) => type === "ImportBinding" && /^(node:)?assert(\/strict)?$/.test(String(parent?.source.value)),
  );

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

/** The declarations of a name. @param {Context} context @param {Node} identifier @returns {{type: string, node: any, parent?: any, name: any}[]} */
function definitionsOf(context, identifier) {
  if (identifier.type !== "Identifier") return [];
  const scope = context.sourceCode.getScope(/** @type {RuleNode} */ (identifier));
  return scope.references.find((reference) => reference.identifier === identifier)?.resolved?.defs ?? [];
}

/** What a variable is set to, anywhere. @param {Context} context @param {Node} identifier @returns {Node[]} */
function valuesOf(context, identifier) {
  if (identifier.type !== "Identifier") return [];
  const scope = context.sourceCode.getScope(/** @type {RuleNode} */ (identifier));
  const variable = scope.references.find((reference) => reference.identifier === identifier)?.resolved;
  return (variable?.references ?? []).flatMap(({ writeExpr }) => (writeExpr ? [/** @type {Node} */ (writeExpr)] : []));
}

/** What a function of this file returns. @param {Context} context @param {Node} callee @returns {Node[]} */
function returnsOf(context, callee) {
  return definitionsOf(context, callee).flatMap(({ node }) => {
    const made = node.type === "VariableDeclarator" ? node.init : node;
    if (!made || !/Function/.test(made.type)) return [];
    if (made.body.type !== "BlockStatement") return [made.body];
    return [...within(context, made.body)].flatMap((part) =>
      part.type === "ReturnStatement" && part.argument && innermostFunction(part) === made ? [part.argument] : [],
    );
  });
}

/** The innermost function around it, or the file. @param {Node} node @returns {Node} */
function innermostFunction(node) {
  let at = /** @type {RuleNode} */ (node);
  while (at.parent && !/Function/.test(at.type)) at = /** @type {RuleNode} */ (at.parent);
  return at;
}

/** Whether a condition ends the test: `if (…) throw …`, `if (…) assert.fail(…)`. @param {import("estree").IfStatement} node */
function isFailure({ consequent }) {
  const [only, ...others] = consequent.type === "BlockStatement" ? consequent.body : [consequent];
  if (others.length > 0) return false;
  if (only?.type === "ThrowStatement") return true;
  return (
    only?.type === "ExpressionStatement" &&
    only.expression.type === "CallExpression" &&
    calledName(only.expression.callee) === "fail"
  );
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

/** @param {string} message @param {(context: Context, report: (node: Node) => void) => import("eslint").Rule.RuleListener} create @param {object[]} [schema] @returns {Rule} */
const rule = (message, create, schema = []) => ({
  meta: { type: "problem", schema, messages: { found: message } },
  create: (context) => create(context, (node) => context.report({ node, messageId: "found" })),
});

/** Calls of Playwright that take 30 s at most unless they get another limit; so does each step of a page. */
const STARTS_OF_BROWSERS = new Set(["launch", "launchPersistentContext"]);
/** Names of options that are limits. */
const LIMIT = /^(timeout(Ms)?|limitMs|deadlineMs)$/;
/** Functions that start a program by its name. */
const STARTS_PROGRAMS = /^(spawn|exec|execFile)(Sync)?$|^(run|must)$/;
/** Those that return at its end: a program that sleeps beside the test is no wait. */
const WAITS_FOR_PROGRAM = /^(spawnSync|execSync|execFileSync|must)$/;
/** @param {import("estree").Property} property */
const keyOf = ({ key }) => (key.type === "Identifier" ? key.name : key.type === "Literal" ? String(key.value) : "");
/** Their callbacks get a longer time with each try. */
const TRIES = ["tried"];

const ownLimit = rule(
  "no limit of a test's own: a busy machine takes ten times as long. Wait without one, the file has a limit",
  (context, report) => {
    let hasPagesLimit = false;
    /** @type {Node[]} */
    const pages = [];
    /** None, the file's, or one that a loop of tries makes longer. @param {Node} limit @returns {boolean} */
    const isAllowed = (limit) =>
      limit.type === "ConditionalExpression"
        ? isAllowed(limit.consequent) && isAllowed(limit.alternate)
        : isLongEnough(limit);
    /** @param {Node} limit */
    const isLongEnough = (limit) =>
      (limit.type === "Literal" && limit.value === 0) ||
      [...within(context, limit)].some(
        (part) =>
          (part.type === "Identifier" && part.name === "Infinity") ||
          definitionsOf(context, part).some(
            ({ type, node, parent, name }) =>
              (type === "ImportBinding" && isFilesLimit(node, parent)) ||
              (type === "Parameter" && (name.name === "timeout" || isGivenTo(inside(node), TRIES))),
          ),
      );
    return {
      CallExpression(node) {
        const name = calledName(node.callee);
        const limits = [];
        if (name === "until") limits.push(...node.arguments.slice(2, 3));
        if (name === "setDefaultTimeout" || name === "setDefaultNavigationTimeout") limits.push(...node.arguments);
        // `click(options)`, too.
        for (const options of node.arguments.flatMap((argument) => [argument, ...valuesOf(context, argument)]))
          if (options.type === "ObjectExpression")
            for (const property of options.properties)
              if (property.type === "Property" && LIMIT.test(keyOf(property))) limits.push(property.value);
        // timeout(1)
        const [program] = node.arguments;
        if (program?.type === "Literal" && program.value === "timeout" && STARTS_PROGRAMS.test(name ?? ""))
          report(node);
        for (const limit of limits) if (!isAllowed(limit)) report(limit);
        if (name === "setDefaultTimeout") hasPagesLimit = true;
        if (name === "newPage") pages.push(node);
        if (STARTS_OF_BROWSERS.has(name ?? "") && limits.length === 0) report(node);
        if (
          name === "timeout" &&
          node.callee.type === "MemberExpression" &&
          node.callee.object.type === "Identifier" &&
          node.callee.object.name === "AbortSignal"
        )
          report(node);
      },
      "Program:exit"() {
        if (!hasPagesLimit) pages.forEach(report);
      },
    };
  },
);

/** `PATIENCE_MS` of `until.mjs`, for programs that need some limit. @param {any} specifier @param {any} declaration */
const isFilesLimit = (specifier, declaration) =>
  specifier.imported?.name === "PATIENCE_MS" && /(^|\/)until\.mjs$/.test(String(declaration?.source.value));

/** A node whose parent is the function. @param {any} callback @returns {RuleNode} */
const inside = (callback) => callback.body;

const fixedWait = rule(
  "no fixed wait: wait for the state that is wanted (`until`), or for a later one that shows that nothing came",
  (context, report) => {
    /** Waits of this file, and of `node:timers/promises`. */
    const waits = new Set(["sleep", "waitForTimeout"]);
    /** @type {import("estree").CallExpression[]} */
    const calls = [];

    /** Zero lets others run first, as `setImmediate`. The limit of the file only ends what hangs. @param {Node} node */
    const isNone = (node) =>
      (node.type === "Literal" && node.value === 0) ||
      definitionsOf(context, node).some(
        ({ type, node: specifier, parent }) => type === "ImportBinding" && isFilesLimit(specifier, parent),
      );
    /** Its callers choose it: their calls are looked at. @param {Node} node */
    const isOfCaller = (node) => definitionsOf(context, node).some(({ type }) => type === "Parameter");

    return {
      ImportDeclaration(node) {
        if (!/^(node:)?timers\/promises$/.test(String(node.source.value))) return;
        for (const { local } of node.specifiers) if (local.name !== "setTimeout") waits.add(local.name);
      },
      WhileStatement(node) {
        if (hasClock(context, node.test)) report(node);
      },
      ForStatement(node) {
        if (node.test && hasClock(context, node.test)) report(node);
      },
      CallExpression(node) {
        calls.push(node);
        const name = nameOfWait(context, node);
        if (name !== undefined) waits.add(name);
      },
      "Program:exit"() {
        for (const node of calls) {
          const name = calledName(node.callee) ?? "";
          if (waits.has(name) || isWaitOfOthers(node)) report(node);
          else if (name === "setTimeout") {
            // `setTimeout(ms)` of node:timers/promises, too.
            const ms = node.arguments[1] ?? node.arguments[0];
            if (ms && !isNone(ms) && !isOfCaller(ms)) report(node);
          }
        }
      },
    };
  },
);

/** `sleep(1)`, `promisify(setTimeout)`, `scheduler.wait(…)`, `Atomics.wait(…)`. @param {import("estree").CallExpression} node */
function isWaitOfOthers(node) {
  const { callee } = node;
  const name = calledName(callee) ?? "";
  const [first] = node.arguments;
  if (first?.type === "Literal" && WAITS_FOR_PROGRAM.test(name) && /^sleep( |$)/.test(String(first.value))) return true;
  if (name === "promisify") return first?.type === "Identifier" && first.name === "setTimeout";
  return (
    name === "wait" &&
    callee.type === "MemberExpression" &&
    callee.object.type === "Identifier" &&
    ["Atomics", "scheduler"].includes(callee.object.name)
  );
}

/** Whether it reads a clock: a loop with such a condition waits for a time. @param {Context} context @param {Node} condition */
const hasClock = (context, condition) => [...within(context, condition)].some((part) => isClock(context, part));

/** @param {Context} context @param {Node} node */
function isClock(context, node) {
  if (node.type === "NewExpression")
    return node.callee.type === "Identifier" && node.callee.name === "Date" && node.arguments.length === 0;
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return false;
  const { object } = node.callee;
  const name = calledName(node.callee) ?? "";
  // process.hrtime.bigint()
  if (object.type === "MemberExpression") return name === "bigint" && calledName(object) === "hrtime";
  return (
    object.type === "Identifier" &&
    ["now", "hrtime", "cpuUsage", "resourceUsage"].includes(name) &&
    (["performance", "Date", "process"].includes(object.name) ||
      definitionsOf(context, object).some(({ parent }) => /^(node:)?perf_hooks$/.test(String(parent?.source?.value))))
  );
}

/**
 * The name of the function `(ms) => new Promise((done) => setTimeout(done, ms))`, at its `setTimeout`.
 * @param {Context} context @param {import("estree").CallExpression} node
 */
function nameOfWait(context, node) {
  const [done, ms] = node.arguments;
  if (calledName(node.callee) !== "setTimeout" || !done || !ms) return undefined;
  const executor = definitionsOf(context, done).find(({ type }) => type === "Parameter")?.node;
  if (executor?.parent?.type !== "NewExpression") return undefined;
  const wait = definitionsOf(context, ms).find(({ type }) => type === "Parameter")?.node;
  const { id } = wait?.type === "FunctionDeclaration" ? wait : (wait?.parent ?? {});
  return /** @type {string | undefined} */ (id?.name);
}

const measuredTime = rule(
  "no assertion on a time or rate: it depends on the machine. Report it with `measured`; bench/wanted.mjs has its limits",
  (context, report) => {
    /** Whether it was made of a time of a clock. @param {Node} root @param {number} [depth] @returns {boolean} */
    function isOfClock(root, depth = 0) {
      for (const node of within(context, root)) {
        if (isClock(context, node)) return true;
        if (depth > 3) continue;
        const parts =
          node.type === "CallExpression"
            ? returnsOf(context, node.callee).filter(({ type }) => type !== "ObjectExpression")
            : valuesOf(context, node).filter((value) => !isFunction(value));
        if (parts.some((part) => isOfClock(part, depth + 1))) return true;
      }
      return false;
    }
    /** Whether it judges a time, or is one: the difference of two. @param {Node} root @param {number} [depth] @returns {boolean} */
    function isJudged(root, depth = 0) {
      for (const node of within(context, root)) {
        if (node.type === "BinaryExpression") {
          if (RELATIONS.has(node.operator) && (isOfClock(node.left) || isOfClock(node.right))) return true;
          if (node.operator === "-" && isOfClock(node.left) && isOfClock(node.right)) return true;
        }
        if (depth > 3) continue;
        if (valuesOf(context, node).some((value) => !isFunction(value) && isJudged(value, depth + 1))) return true;
      }
      return false;
    }
    return {
      IfStatement(node) {
        if (isFailure(node) && isJudged(node.test)) report(node);
      },
      CallExpression(node) {
        if (!isAssertion(context, node)) return;
        for (const argument of node.arguments.slice(0, 1)) if (isJudged(argument)) return report(node);
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
    /** @param {Node} root */
    const hasVerdict = (root) =>
      [...within(context, root)].some(
        (part) =>
          (part.type === "Identifier" && /verdict/i.test(part.name)) ||
          isVerdict(part) ||
          valuesOf(context, part).some(isVerdict),
      );
    /** @param {Node} value */
    const isVerdict = (value) =>
      value.type === "Literal" && (VERDICT.test(String(value.value)) || value.value === "verdict");
    return {
      CallExpression(node) {
        if (RECORDS.test(calledName(node.callee) ?? "")) records = true;
        // runHelper(["record", …]), spawn(HELPER, ["record", …]), extrospect("record", …)
        for (const argument of node.arguments)
          for (const word of argument.type === "ArrayExpression" ? argument.elements.slice(0, 1) : [argument])
            if (word?.type === "Literal" && word.value === "record") records = true;
        if (isAssertion(context, node) && hasVerdict(node)) verdicts.push(node);
      },
      IfStatement(node) {
        if (isFailure(node) && hasVerdict(node.test)) verdicts.push(node);
      },
      "Program:exit"() {
        if (records) for (const node of verdicts) report(node);
      },
    };
  },
);

/** Their callbacks look again and again. */
const WAITS = ["until", "tried", "comesTrue"];
/** A page is not complete at once after these. */
const OPENS = /^(open(ed)?|goto|reload)$/;
/** Waits, and input that our own pages answer before it returns. */
const SETTLES =
  /^(until|tried|waitFor\w*|click|dblclick|fill|press|type|hover|focus|check|selectOption|tell|tellData)$/;

const singleLook = rule(
  "one look at what may come later: put the look and its assertion in `until`",
  (context, report) => {
    // Our own pages answer a key before Chromium reports it as pressed: they are settled unless just opened.
    const isOwnPage = context.options[0]?.pages === "ours";

    /** Whether this, or the variables in it, have a look that is neither repeated nor settled. @param {Node} root @param {number} [depth] @returns {boolean} */
    function hasLook(root, depth = 0) {
      for (const node of within(context, root)) {
        if (isRepeated(/** @type {RuleNode} */ (node))) continue;
        if (
          node.type === "CallExpression" &&
          node.callee.type === "MemberExpression" &&
          isOfPage(/** @type {RuleNode} */ (node))
        )
          if (LOOKS.has(calledName(node.callee) ?? "")) return !isOwnPage || !isSettled(/** @type {RuleNode} */ (node));
        if (depth > 3) continue;
        const parts =
          node.type === "CallExpression"
            ? returnsOf(context, node.callee)
            : valuesOf(context, node).filter((value) => isAwaited(value));
        if (parts.some((part) => hasLook(part, depth + 1))) return true;
      }
      return false;
    }
    /** `await rows.all()`: others have a method of that name, too. @param {RuleNode} call */
    const isOfPage = (call) =>
      call.type === "CallExpression" &&
      (calledName(call.callee) !== "all" || (call.arguments.length === 0 && call.parent.type === "AwaitExpression"));
    /** @param {Node} node */
    const isAwaited = (node) => [...within(context, node)].some(({ type }) => type === "AwaitExpression");
    /** @param {RuleNode} node */
    const isRepeated = (node) => isGivenTo(node, WAITS);

    /** Whether nothing was opened before it in its function, or something was waited for since. @param {RuleNode} node */
    function isSettled(node) {
      const around = innermostFunction(node);
      let isOpening = false;
      const calls = [...within(context, around)].filter(
        (part) => part.type === "CallExpression" && (part.range?.[0] ?? 0) < (node.range?.[0] ?? 0),
      );
      for (const call of calls.toSorted((a, b) => (a.range?.[1] ?? 0) - (b.range?.[1] ?? 0))) {
        const { callee } = /** @type {import("estree").CallExpression} */ (call);
        const name = calledName(callee) ?? "";
        if (SETTLES.test(name) || (name === "evaluate" && mentionsTelling(call)) || settlesItself(callee))
          isOpening = false;
        else if (OPENS.test(name)) isOpening = true;
      }
      return !isOpening;
    }
    /** `opened` of this file, which waits itself. @param {Node} callee */
    const settlesItself = (callee) =>
      definitionsOf(context, callee).some(({ node: definition }) =>
        [...within(context, definition.init ?? definition)].some(
          (part) =>
            part.type === "CallExpression" &&
            (/^(until|tried|waitFor\w*)$/.test(calledName(part.callee) ?? "") || mentionsTelling(part)),
        ),
      );
    /** `page.evaluate("tell(…), painted()")`. @param {Node} call */
    const mentionsTelling = (call) => /\b(tellData|painted)\(/.test(context.sourceCode.getText(call));

    return {
      CallExpression(node) {
        if (!isAssertion(context, node) || isRepeated(node)) return;
        for (const argument of node.arguments.slice(0, 2)) if (hasLook(argument)) return report(node);
      },
    };
  },
  [{ type: "object", properties: { pages: { enum: ["ours"] } }, additionalProperties: false }],
);

export const GATE_RULES = {
  "own-limit": ownLimit,
  "fixed-wait": fixedWait,
  "measured-time": measuredTime,
  "recorded-verdict": recordedVerdict,
  "single-look": singleLook,
};
