// A RabbitMQ broker with a consumer that is stuck: a user's conclusions from node, ps, waits, binaries and heap have to
// be true. One consumer does not read its socket, one takes its messages and acknowledges none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { helperJson, runHelper } from "../e2e/helper.mjs";
import { releasesOf } from "../nightly.mjs";
import { until } from "../until.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { MESSAGES, PREFETCH, startStuckConsumer, UNSENT } from "../vms/rabbitmq-stuck.mjs";

/** The process that writes to a connection, and the one that reads from it and owns its socket. */
const WRITER = /^rabbit_writer/;
const READER = /^rabbit_reader/;

/**
 * Its function: up to RabbitMQ 3 it sends by hand and is suspended, later by gen_tcp, which waits for the port's
 * answer.
 */
const WRITES = {
  25: { status: "suspended", current: "erts_internal:port_command/3" },
  later: { status: "waiting", current: "prim_inet:send/4" },
};

/** The title of a process in lists. @param {any} process */
const called = ({ name, label, initial_call }) => name ?? label ?? initial_call;

for (const release of releasesOf(OTP_RELEASES, "27")) {
  const { status, current } = release === "25" ? WRITES[25] : WRITES.later;
  test(`OTP ${release}: a consumer that does not read: its port is busy, who writes to it is suspended, the queue keeps what comes`, async (t) => {
    const { broker, client } = await startStuckConsumer(t, await prepareOtp(release), "unread");
    const said = await client.report();
    assert.equal(said.confirmed, MESSAGES, "the broker has taken all of them");

    // The header of the Processes panel: one port is busy, and its owner.
    const { port_queues: ports } = await helperJson(["node", broker.pid]);
    const busy = ports.longest.filter((/** @type {any} */ port) => port.busy);
    assert.equal(busy.length, 1, JSON.stringify(ports));
    assert.ok(busy[0].name === "tcp_inet" && busy[0].queue_bytes > 0, JSON.stringify(busy));
    const { processes } = await helperJson(["ps", broker.pid]);
    const owner = processes.find((/** @type {any} */ process) => process.pid === busy[0].owner);
    assert.match(called(owner), READER);

    // Its list: one process writes all the time, with the messages that the queue has handed out and not seen written.
    const writing = processes.filter((/** @type {any} */ process) => process.current === current);
    assert.equal(writing.length, 1, JSON.stringify(writing));
    const [writer] = writing;
    assert.match(called(writer), WRITER);
    assert.equal(writer.status, status);
    const suspended = processes.filter((/** @type {any} */ process) => process.status === "suspended");
    assert.deepEqual(
      suspended.map((/** @type {any} */ { pid }) => pid),
      status === "suspended" ? [writer.pid] : [],
    );
    assert.ok(writer.mailbox > 0);
    assert.equal(
      writer.mailbox,
      Math.max(...processes.map((/** @type {any} */ process) => process.mailbox)),
      "the longest mailbox",
    );

    // The graph: that process waits for that port, and no process waits for it.
    const { waits, waits_for: graph } = await helperJson(["waits", broker.pid, "-d", "1"]);
    const edges = graph.edges.filter((/** @type {any} */ edge) => edge.pids.includes(writer.pid));
    assert.deepEqual(
      edges.map((/** @type {any} */ { target, call, processes: many }) => [target, call, many]),
      [[{ pid: busy[0].port, name: "tcp_inet", node: null }, current, 1]],
    );
    const end = graph.ends.find((/** @type {any} */ { process }) => process.pid === busy[0].port);
    assert.deepEqual(
      [end.direct, end.all, end.status, end.port.owner.pid, end.port.bytes],
      [1, 1, "busy", owner.pid, busy[0].queue_bytes],
    );
    const at = waits.find((/** @type {any} */ { stack }) => stack[0] === current);
    assert.ok(
      at.stack.some((/** @type {string} */ frame) => frame.startsWith("rabbit_writer:internal_flush")),
      at.stack.join(" < "),
    );
    assert.equal(at.processes, 1);

    // Its mailbox: deliveries, and the port's answers to those that it took.
    const { messages } = await helperJson(["heap", broker.pid, writer.pid]);
    const [deliveries, ...others] = messages.shapes;
    assert.match(deliveries.shape, /basic\.deliver/);
    assert.ok(deliveries.count <= UNSENT, `${deliveries.count} deliveries`);
    for (const { shape } of others) assert.equal(shape, "{inet_reply, _, _}");

    // The rest is with the queue. Later ones keep messages of this length on disk.
    const { processes: holders } = await helperJson(["binaries", broker.pid]);
    if (release === "25")
      assert.ok(
        holders[0].name === "rabbit_prequeue:init/1" && holders[0].references >= said.ready,
        JSON.stringify([holders[0], said]),
      );
    assert.ok(said.ready < MESSAGES && said.ready > MESSAGES / 2, `${said.ready} are left`);

    const table = await runHelper(["waits", broker.pid, "-d", "1"]);
    assert.ok(
      table.stdout.includes(
        `1 process waits for ${busy[0].port} tcp_inet, a port that is busy: ${busy[0].queue_bytes} bytes wait to be written, its owner is ${owner.pid} `,
      ),
      table.stdout,
    );
    t.diagnostic(JSON.stringify({ said, writer: writer.mailbox, bytes: busy[0].queue_bytes }));
  });
}

// By day it is OTP 25 here and a later one above, whose RabbitMQ writes in another way; test/editor/stuck-consumer has OTP 25 for that.
for (const release of releasesOf(OTP_RELEASES, "25")) {
  test(`OTP ${release}: a consumer that acknowledges nothing: nothing is busy, no process waits for another, the queue keeps its messages`, async (t) => {
    const { broker, client } = await startStuckConsumer(t, await prepareOtp(release), "unacked");
    const said = await until("it has as many as it requested", async () => {
      const now = await client.report();
      return now.got === PREFETCH && now;
    });
    assert.deepEqual([said.confirmed, said.ready], [MESSAGES, MESSAGES - PREFETCH]);
    const { port_queues: ports } = await helperJson(["node", broker.pid]);
    assert.deepEqual(
      ports.longest.filter((/** @type {any} */ port) => port.busy),
      [],
    );
    const { processes } = await helperJson(["ps", broker.pid]);
    assert.deepEqual(
      processes.filter((/** @type {any} */ process) => process.status === "suspended"),
      [],
    );
    const { waits_for: graph } = await helperJson(["waits", broker.pid, "-d", "1"]);
    assert.ok(!graph.ends.some((/** @type {any} */ { port }) => port !== null), JSON.stringify(graph.ends));
    t.diagnostic(JSON.stringify({ said }));
  });
}
