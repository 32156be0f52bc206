// speedscope's file format, one sampled profile: https://www.speedscope.app/file-format-schema.json

import type { FlameData } from "../../contract/flame-data.js";

export function toSpeedscope(data: FlameData, title: string): string {
  const frames = data.functionNames.map((name, index) => {
    const file = data.functionFiles[index] ?? "";
    const line = data.functionHeadLines[index] ?? 0;
    return { name, ...(file === "" ? {} : { file }), ...(line === 0 ? {} : { line }) };
  });
  const samples: number[][] = [];
  const weights: number[] = [];
  const stack: number[] = [];
  let samplesSeen = 0;
  for (let node = 1; node < data.nodeFunction.length; node++) {
    stack.length = (data.nodeDepth[node] as number) - 1;
    stack.push(data.nodeFunction[node] as number);
    const self = data.nodeSelf[node] as number;
    if (self === 0) continue;
    samples.push([...stack]);
    weights.push(self * data.periodNs);
    samplesSeen += self;
  }
  return JSON.stringify({
    $schema: "https://www.speedscope.app/file-format-schema.json",
    name: title,
    exporter: "extrospect",
    activeProfileIndex: 0,
    shared: { frames },
    profiles: [
      {
        type: "sampled",
        name: title,
        unit: "nanoseconds",
        startValue: 0,
        endValue: samplesSeen * data.periodNs,
        samples,
        weights,
      },
    ],
  });
}
