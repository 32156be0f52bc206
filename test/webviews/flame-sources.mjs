// Flame graphs for tests: from folded stacks of a real capture, and made up to a size. Both run in Node and in a page.

/**
 * @param {string} folded  lines "a;b;c 12"
 * @param {number} [sequence]
 */
export function flameFromFolded(folded, sequence = 1) {
  /** @typedef {{name: string, total: number, self: number, children: Map<string, Tree>}} Tree */
  /** @type {Tree} */
  const root = { name: "all", total: 0, self: 0, children: new Map() };
  for (const line of folded.split("\n")) {
    const cut = line.lastIndexOf(" ");
    if (cut < 0) continue;
    const count = Number(line.slice(cut + 1));
    let at = root;
    at.total += count;
    for (const name of line.slice(0, cut).split(";")) {
      let next = at.children.get(name);
      if (!next) at.children.set(name, (next = { name, total: 0, self: 0, children: new Map() }));
      next.total += count;
      at = next;
    }
    at.self += count;
  }
  const names = new Map([["all", 0]]);
  /** @type {number[][]} */
  const rows = [];
  /** @type {{tree: Tree, parent: number, depth: number, start: number}[]} */
  const open = [{ tree: root, parent: -1, depth: 0, start: 0 }];
  for (let job = open.pop(); job; job = open.pop()) {
    const { tree, parent, depth, start } = job;
    const node = rows.length;
    if (!names.has(tree.name)) names.set(tree.name, names.size);
    rows.push([/** @type {number} */ (names.get(tree.name)), parent, depth, start, tree.total, tree.self]);
    const children = [...tree.children.values()].sort((a, b) => b.total - a.total);
    let from = start;
    const jobs = children.map((child) => ({
      tree: child,
      parent: node,
      depth: depth + 1,
      start: (from += child.total) - child.total,
    }));
    open.push(...jobs.reverse());
  }
  const kindOf = (/** @type {string} */ name) =>
    name === "all" || /^\[(?!kernel)/.test(name)
      ? 6
      : name.startsWith("[kernel]")
        ? 5
        : /^erlang:|^ets:|^lists:(keyfind|member|reverse)/.test(name)
          ? 1
          : /^[a-z']\S*:.+\/\d+$/.test(name) || /^'?Elixir/.test(name)
            ? 0
            : /beam_jit|^beam_/.test(name)
              ? 2
              : 3;
  const column = (/** @type {number} */ at) => rows.map((row) => /** @type {number} */ (row[at]));
  const functionNames = [...names.keys()];
  return {
    sequence,
    totalSamples: root.total,
    periodNs: 2_004_008,
    groupedBy: /** @type {const} */ ("none"),
    functionNames,
    functionKinds: Uint8Array.from(functionNames, kindOf),
    functionIsOwn: new Uint8Array(functionNames.length),
    functionFiles: functionNames.map((name) => /^(demo_\w+):/.exec(name)?.[1]?.concat(".erl") ?? ""),
    functionHeadLines: Uint32Array.from(functionNames, (name) => (name.startsWith("demo_") ? 10 : 0)),
    nodeFunction: Uint32Array.from(column(0)),
    nodeParent: Int32Array.from(column(1)),
    nodeDepth: Uint16Array.from(column(2)),
    nodeStart: Uint32Array.from(column(3)),
    nodeTotal: Uint32Array.from(column(4)),
    nodeSelf: Uint32Array.from(column(5)),
    nodeLine: Uint32Array.from(rows, () => 0),
    nodeLevels: new Uint16Array(rows.length).fill(1),
  };
}

/**
 * A graph of exactly `size` nodes, the same for the same size: bushy, with long tails of narrow frames.
 * @param {number} size
 */
export function syntheticFlame(size) {
  let state = 12345;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const nodeFunction = new Uint32Array(size);
  const nodeParent = new Int32Array(size);
  const nodeDepth = new Uint16Array(size);
  const nodeStart = new Uint32Array(size);
  const nodeTotal = new Uint32Array(size);
  const nodeSelf = new Uint32Array(size);
  const functions = 4000;
  let made = 0;
  // Each job is a node with the number of nodes under it; samples are shared out by nodes, so that siblings shrink.
  /** @type {{parent: number, depth: number, nodes: number}[]} */
  const open = [{ parent: -1, depth: 0, nodes: size }];
  for (let job = open.pop(); job; job = open.pop()) {
    const node = made++;
    nodeParent[node] = job.parent;
    nodeDepth[node] = job.depth;
    nodeFunction[node] = job.parent < 0 ? 0 : 1 + Math.floor(random() * (functions - 1));
    nodeTotal[node] = job.nodes;
    let left = job.nodes - 1;
    /** @type {number[]} */
    const shares = [];
    const branches = job.depth > 120 ? 1e9 : 1 + Math.floor(random() * 4);
    for (let branch = 1; left > 0; branch++) {
      const share = branch >= branches && job.depth <= 120 ? left : Math.max(1, Math.floor(left * random()));
      shares.push(share);
      left -= share;
    }
    shares.sort((a, b) => a - b);
    for (const nodes of shares) open.push({ parent: node, depth: job.depth + 1, nodes });
  }
  for (let node = 0, end = new Map(); node < size; node++) {
    const parent = /** @type {number} */ (nodeParent[node]);
    const start = parent < 0 ? 0 : (end.get(parent) ?? nodeStart[parent]);
    nodeStart[node] = start;
    end.set(parent, start + /** @type {number} */ (nodeTotal[node]));
    nodeSelf[node] = 1;
  }
  const functionNames = Array.from({ length: functions }, (_, at) =>
    at === 0 ? "all" : `module_${at % 97}:function_${at}/${at % 5}`,
  );
  return {
    sequence: 1,
    totalSamples: size,
    periodNs: 2_004_008,
    groupedBy: /** @type {const} */ ("none"),
    functionNames,
    functionKinds: Uint8Array.from(functionNames, (_, at) => (at === 0 ? 6 : at % 6)),
    functionIsOwn: new Uint8Array(functionNames.length),
    functionFiles: functionNames.map(() => ""),
    functionHeadLines: new Uint32Array(functions),
    nodeFunction,
    nodeParent,
    nodeDepth,
    nodeStart,
    nodeTotal,
    nodeSelf,
    nodeLine: new Uint32Array(size),
    nodeLevels: new Uint16Array(size).fill(1),
  };
}
