// The commands that state above their output what takes a VM's time or limits its processors.

/** Their arguments, without `--json`. @param {number} pid @returns {(string | number)[][]} */
export const looksAt = (pid) => [
  ["ps", pid],
  ["ps", pid, "--by", "name"],
  ["heap", pid, "<0.0.0>"],
  ["memory", pid],
  ["binaries", pid],
  ["nodes", pid],
  ["waits", pid, "-d", 1],
  ["growth", pid, "-d", 1],
  ["stat", pid, "-d", 1],
];
