// Three VMs that are one Erlang cluster, with a name service of their own: nothing of the machine's is used, and nothing is left.

import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { freePort } from "../../../scripts/free-port.mjs";

/** The work that each node does all the time, with sleeps in between so that three fit on one machine. */
const WORK = {
  sorter: "lists:sort([erlang:phash2(I) || I <- lists:seq(1, 20000)])",
  coder: "[binary_to_term(term_to_binary(lists:seq(1, 2000))) || _ <- lists:seq(1, 20)]",
  both: "begin lists:sort([erlang:phash2(I) || I <- lists:seq(1, 10000)]), [term_to_binary(lists:seq(1, 2000)) || _ <- lists:seq(1, 10)] end",
} as const;

export interface ClusterNode {
  readonly name: string;
  readonly pid: number;
  kill(): void;
}

export interface ErlangCluster {
  readonly nodes: readonly ClusterNode[];
  stop(): void;
}

export async function startCluster(): Promise<ErlangCluster> {
  const port = await freePort();
  const started: ChildProcess[] = [];
  const stop = () => {
    for (const child of started.reverse()) child.kill("SIGKILL");
  };
  try {
    started.push(spawn("epmd", ["-port", String(port), "-address", "127.0.0.1"], { stdio: "ignore" }));
    const nodes: ClusterNode[] = [];
    for (const [name, work] of Object.entries(WORK)) {
      const node = `${name}@127.0.0.1`;
      const [first] = nodes;
      // The others connect to a new node by themselves, a moment after the first has.
      const isJoined = `net_adm:ping('${first?.name ?? node}') =:= pong andalso length(nodes()) =:= ${String(nodes.length)}`;
      const join =
        first === undefined ? "" : `true = lists:any(fun(_) -> timer:sleep(100), ${isJoined} end, lists:seq(1, 600)), `;
      const program = `spawn(fun() -> io:get_line(""), halt() end), ${join}spawn(fun() -> F = fun G() -> ${work}, timer:sleep(150), G() end, F() end), io:format("~s ~b~n", [os:getpid(), length(nodes())]).`;
      // Ends with its input, so with the process that runs the tests.
      const child = spawn(
        "erl",
        [
          "-noshell",
          "+sbwt",
          "none",
          "-name",
          node,
          "-setcookie",
          "extrospect",
          "-start_epmd",
          "false",
          "-kernel",
          "inet_dist_use_interface",
          "{127,0,0,1}",
          "-eval",
          program,
        ],
        {
          env: { ...process.env, ERL_EPMD_PORT: String(port) },
          stdio: ["pipe", "pipe", "inherit"],
        },
      );
      started.push(child);
      nodes.push({ name: node, pid: await readyPid(child, nodes.length), kill: () => child.kill("SIGKILL") });
    }
    return { nodes, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** @param others how many nodes it must have joined */
async function readyPid(child: ChildProcess, others: number): Promise<number> {
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    const [, pid, connected] = /^(\d+) (\d+)$/.exec(line) ?? [];
    if (pid === undefined) continue;
    assert.equal(Number(connected), others, "it is in the cluster");
    return Number(pid);
  }
  throw new Error("a node ended before it was ready");
}
