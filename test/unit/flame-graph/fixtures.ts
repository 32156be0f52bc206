import type { FlameData } from "../../../contract/flame-data.js";

/** A tree as text: two spaces a level, `name self [kind]`. */
export function flameOf(text: string): FlameData {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const base = Math.min(...lines.map((line) => line.search(/\S/)));
  const nodes = lines.map((line) => {
    const [name = "", self = "0", kind = "0"] = line.trim().split(" ");
    return {
      name,
      self: Number(self),
      kind: Number(kind),
      depth: (line.search(/\S/) - base) / 2,
      parent: -1,
      total: Number(self),
      start: 0,
    };
  });
  for (const [index, node] of nodes.entries()) {
    for (let before = index - 1; before >= 0 && node.depth > 0; before--) {
      if ((nodes[before]?.depth ?? 0) !== node.depth - 1) continue;
      node.parent = before;
      break;
    }
  }
  for (const node of [...nodes].reverse()) {
    const parent = nodes[node.parent];
    if (parent) parent.total += node.total;
  }
  const end = new Map<number, number>();
  for (const node of nodes) {
    const parent = nodes[node.parent];
    if (!parent) continue;
    node.start = end.get(node.parent) ?? parent.start;
    end.set(node.parent, node.start + node.total);
  }
  const names = [...new Set(nodes.map((node) => node.name))];
  return {
    sequence: 1,
    totalSamples: nodes[0]?.total ?? 0,
    periodNs: 1000,
    groupedBy: "none",
    functionNames: names,
    functionKinds: Uint8Array.from(names, (name) => nodes.find((node) => node.name === name)?.kind ?? 0),
    functionIsOwn: new Uint8Array(names.length),
    functionFiles: names.map((name) => (name.startsWith("m:") ? "m.erl" : "")),
    functionHeadLines: Uint32Array.from(names, (name) => (name.startsWith("m:") ? 7 : 0)),
    nodeFunction: Uint32Array.from(nodes, (node) => names.indexOf(node.name)),
    nodeParent: Int32Array.from(nodes, (node) => node.parent),
    nodeDepth: Uint16Array.from(nodes, (node) => node.depth),
    nodeStart: Uint32Array.from(nodes, (node) => node.start),
    nodeTotal: Uint32Array.from(nodes, (node) => node.total),
    nodeSelf: Uint32Array.from(nodes, (node) => node.self),
    nodeLine: new Uint32Array(nodes.length),
    nodeLevels: new Uint16Array(nodes.length).fill(1),
  };
}

export const SMALL = flameOf(`
  all
    m:run/1 2
      m:work/2 10
        copy_struct 6 3
        m:run/1 2
      ets:insert/2 5 1
    idle 3 3
`);
