// One session for each VM: shared, counted, opened anew after the end of the VM or of the helper.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ErrorCodes, type Requests } from "../../../contract/protocol.generated.js";
import type {
  Cancellation,
  CaptureListener,
  HelperConnection,
  HelperMethod,
} from "../../../extension/src/helper/helper-connection.js";
import { Cancelled, HelperError } from "../../../extension/src/helper/helper-error.js";
import { InsideVms, isEndOfVm } from "../../../extension/src/inside/inside-vm.js";
import { TARGET } from "../recording/fakes.js";

/** Counts sessions as the helper does, and answers requests when the test lets it. */
class CountingHelper implements HelperConnection {
  readonly asked: string[] = [];
  readonly listeners = new Set<CaptureListener>();
  opened = 0;
  failure: Error | undefined;
  holds = false;

  request<M extends HelperMethod>(
    method: M,
    params: Requests[M]["params"],
    token?: Cancellation,
  ): Promise<Requests[M]["result"]> {
    const { insideId } = params as { insideId?: number };
    this.asked.push(
      `${method.replace("extrospect/inside/", "")}${insideId === undefined ? "" : ` ${String(insideId)}`}`,
    );
    if (method === "extrospect/inside/open") this.opened += 1;
    const answers: Record<string, unknown> = {
      "extrospect/inside/open": { insideId: this.opened, target: TARGET },
      "extrospect/inside/close": null,
    };
    return new Promise((resolve, reject) => {
      token?.onCancellationRequested(() => reject(new Cancelled()));
      if (this.failure !== undefined && method !== "extrospect/inside/close") reject(this.failure);
      else if (!this.holds)
        resolve((method in answers ? answers[method] : { heard: insideId }) as Requests[M]["result"]);
    });
  }

  listen(listener: CaptureListener): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  end(why: string): void {
    this.opened = 0;
    for (const listener of this.listeners) listener.helperGone(why);
  }
}

const HERE = { pid: 4242, host: undefined };
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("panels of one VM share a session, which ends with the last of them", async () => {
  const helper = new CountingHelper();
  const vms = new InsideVms();
  const [first, second, other] = [
    vms.open(HERE, helper),
    vms.open({ ...HERE }, helper),
    vms.open({ pid: 1, host: undefined }, helper),
  ];
  await Promise.all([first.node(100), second.memory()]);
  assert.deepEqual(helper.asked, ["open", "node 1", "memory 1"]);
  assert.equal(first.target?.node, "shop@localhost");
  await other.node(100);
  first.close();
  first.close();
  await settled();
  await second.node(100);
  second.close();
  other.close();
  await settled();
  assert.deepEqual(helper.asked.slice(3), ["open", "node 2", "node 1", "close 1", "close 2"]);
  assert.equal(helper.listeners.size, 0);
  await assert.rejects(second.node(100), Cancelled);
  await vms.open(HERE, helper).node(100);
  assert.equal(helper.asked.at(-1), "node 3");
});

test("a VM that has ended is opened anew by the next question", async () => {
  const helper = new CountingHelper();
  const vm = new InsideVms().open(HERE, helper);
  await vm.node(100);
  helper.failure = new HelperError("refused", "process 4242 has ended", "", "", ErrorCodes.targetGone);
  await assert.rejects(vm.node(100), isEndOfVm);
  await settled();
  assert.equal(helper.asked.at(-1), "close 1");
  helper.failure = undefined;
  await vm.node(100);
  assert.deepEqual(helper.asked.slice(-2), ["open", "node 2"]);
});

test("looks at the waits of a VM that has ended can still be finished, and then it is opened anew", async () => {
  const helper = new CountingHelper();
  const vm = new InsideVms().open(HERE, helper);
  await vm.lookAtWaits();
  const ended = new HelperError("refused", "process 4242 has ended", "", "", ErrorCodes.targetGone);
  helper.failure = ended;
  await assert.rejects(vm.lookAtWaits(), isEndOfVm);
  helper.failure = undefined;
  await vm.finishWaits();
  await settled();
  assert.deepEqual(helper.asked, ["open", "waits/look 1", "waits/look 1", "waits/finish 1", "close 1"]);
  await vm.lookAtWaits();
  assert.deepEqual(helper.asked.slice(5), ["open", "waits/look 2"]);
  // Looks that are never finished do not keep it.
  helper.failure = ended;
  await assert.rejects(vm.lookAtWaits(), isEndOfVm);
  await assert.rejects(vm.lookAtWaits(), isEndOfVm);
  await settled();
  assert.equal(helper.asked.at(-1), "close 2");
});

test("another refusal keeps the session; one of opening is tried again", async () => {
  const helper = new CountingHelper();
  const vm = new InsideVms().open(HERE, helper);
  helper.failure = new HelperError("refused", "not permitted", "", "", ErrorCodes.notPermitted);
  await assert.rejects(vm.node(100), (error) => error === helper.failure);
  await assert.rejects(vm.node(100), (error) => error === helper.failure);
  assert.deepEqual(helper.asked, ["open", "open"]);
  helper.failure = undefined;
  await vm.node(100);
  helper.failure = new HelperError("refused", "no such process", "", "", ErrorCodes.failed);
  await assert.rejects(vm.heap("<0.1.0>"), (error) => error === helper.failure);
  helper.failure = undefined;
  await vm.node(100);
  assert.deepEqual(helper.asked.slice(2), ["open", "node 3", "heap 3", "node 3"]);
});

test("each panel receives the end of the helper once; only then is it queried again, and no old number is used", async () => {
  const helper = new CountingHelper();
  const vms = new InsideVms();
  const [first, second] = [vms.open(HERE, helper), vms.open(HERE, helper)];
  await first.node(100);
  helper.end("it was stopped");
  await assert.rejects(
    first.node(100),
    (error) => error instanceof HelperError && error.problem === "ended" && error.what === "it was stopped",
  );
  assert.deepEqual(helper.asked, ["open", "node 1"]);
  // It had no answer of the one that ended.
  await second.node(100);
  assert.deepEqual(helper.asked.slice(2), ["open", "node 1"]);
  // A caller that learns of the end by the missing answer does not learn of it twice.
  helper.failure = new HelperError("ended", "The helper ended before it answered", "", "");
  await assert.rejects(second.node(100), (error) => error === helper.failure);
  helper.failure = undefined;
  helper.end("it crashed");
  await second.node(100);
  assert.deepEqual(helper.asked.slice(4), ["node 1", "open", "node 1"]);
});

test("a panel that goes waits for nothing: its questions are cancelled, also while the VM is attached to", async () => {
  const helper = new CountingHelper();
  const vms = new InsideVms();
  const [gone, stays] = [vms.open(HERE, helper), vms.open(HERE, helper)];
  await stays.node(100);
  helper.holds = true;
  const waiting = gone.memory();
  await settled();
  gone.close();
  await assert.rejects(waiting, Cancelled);
  const attaching = vms.open({ pid: 7, host: undefined }, helper);
  const asked = attaching.node(100);
  attaching.close();
  await assert.rejects(asked, Cancelled);
  await settled();
  assert.deepEqual(helper.asked, ["open", "node 1", "memory 1", "open"]);
});
