// The programs below the ports of a VM at the top of its pages.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PortChildren, PortProgram } from "../../../contract/protocol.generated.js";
import { programsText } from "../../../webviews/words/programs-text.js";

const PROGRAM: PortProgram = {
  pid: 4712,
  port: "#Port<0.9>",
  name: "/usr/bin/convert",
  owner: "converter",
  cpu_ms: 3900,
  rss_bytes: 12_300_000,
  processes: 1,
};
const CHILDREN: PortChildren = {
  vm_cpu_ms: 120,
  cpu_ms: 3900,
  rss_bytes: 12_300_000,
  processes: 1,
  ended_cpu_ms: 0,
  programs: [PROGRAM],
  more: 0,
  uncounted: 0,
  beside_ports: { cpu_ms: 0, rss_bytes: 0, processes: 0 },
};

test("programs are named with port and owner, beside the processor time of the VM", () => {
  const text = programsText(CHILDREN);
  assert.equal(text?.value, "3.9 s of CPU time, 12.3 MB");
  assert.match(
    text.help,
    /The VM itself has used 0\.1 s\n4712 #Port<0\.9> \/usr\/bin\/convert of converter: 3\.9 s, 12\.3 MB$/,
  );
});

test("what is not known is no figure, and idle programs are one", () => {
  assert.equal(programsText(null), undefined);
  assert.equal(programsText({ ...CHILDREN, programs: [] }), undefined);
  const idle = { ...PROGRAM, port: null, name: null, owner: null, cpu_ms: 0 };
  const text = programsText({ ...CHILDREN, cpu_ms: 0, vm_cpu_ms: null, programs: [idle], more: 2 });
  assert.equal(text?.value, "0.0 s of CPU time, 12.3 MB");
  assert.match(text.help, /has used \? s\n4712 of \?: 0\.0 s, 12\.3 MB\n2 more programs$/);
});

test("children below no port are in the figure, with a line of their own", () => {
  const beside_ports = { cpu_ms: 1100, rss_bytes: 700_000, processes: 2 };
  const text = programsText({ ...CHILDREN, beside_ports });
  assert.equal(text?.value, "5.0 s of CPU time, 13.0 MB");
  assert.match(
    text.help,
    /\nChildren of the VM that belong to no port, including those that ended: 2 running, 1\.1 s, 700 kB$/,
  );
  const alone = programsText({ ...CHILDREN, cpu_ms: 0, rss_bytes: 0, programs: [], beside_ports });
  assert.equal(alone?.value, "1.1 s of CPU time, 700 kB");
  assert.equal(programsText({ ...CHILDREN, programs: [], beside_ports: null }), undefined);
});

test("names of a VM are made visible, and of many programs the first are listed", () => {
  const many = Array.from({ length: 9 }, () => ({ ...PROGRAM, owner: "\u202eevil" }));
  const help = programsText({ ...CHILDREN, programs: many })?.help ?? "";
  assert.equal(help.split("\n").length, 7);
  assert.match(help, /4 more programs$/);
  assert.doesNotMatch(help, /\u202e/);
});
