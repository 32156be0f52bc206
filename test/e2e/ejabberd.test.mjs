// A real program that nobody here wrote and no release of this was made for: ejabberd, with its NIFs for
// XML, strings and TLS, mnesia and a thousand short-lived processes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readProfile } from "../pprof-reader.mjs";
import { startEjabberd, startXmppLoad } from "../vms/ejabberd.mjs";
import { helperJson, record, sleep, temporaryFolder } from "./helper.mjs";

/** Shares of the samples in C code for a process: what each engine has to know. */
const LEAST_COMPLETE = { bpf: 0.98, readv: 0.9 };

test("OTP 27: ejabberd under load", async (t) => {
  const ejabberd = await startEjabberd("27");
  const cleanUp = [() => ejabberd.stop()];
  t.after(async () => {
    for (const step of cleanUp.toReversed()) await step();
  });
  const load = await startXmppLoad(ejabberd.port);
  cleanUp.push(async () => void (await load.stop()));
  await sleep(1_000);
  const folder = temporaryFolder(t);
  for (const engine of /** @type {const} */ (["bpf", "readv"])) {
    const { quality } = await record(ejabberd.pid, { seconds: 3, hz: 499, file: join(folder, `${engine}.pb.gz`), engine });
    const { erlang, native_in_process: native } = quality;
    t.diagnostic(
      `${engine}: ${quality.samples} samples; Erlang ${erlang.complete}/${erlang.samples} complete; native in a process ` +
        `${native.complete}/${native.samples} complete, ${native.unproven} unproven; ${quality.unresolved_frames}/${quality.frames} frames unresolved`,
    );
    assert.ok(erlang.samples > 20 && native.samples > 100, JSON.stringify(quality));
    assert.ok(erlang.complete >= 0.98 * erlang.samples, JSON.stringify(quality));
    assert.ok(native.complete >= LEAST_COMPLETE[engine] * native.samples, JSON.stringify(quality));
    assert.ok(quality.unresolved_frames < 0.005 * quality.frames, JSON.stringify(quality));
  }
  const { rows } = await helperJson(["doctor", ejabberd.pid]);
  const ofVm = rows.slice(rows.findIndex((/** @type {any} */ row) => row.check === "attach"));
  assert.ok(ofVm.length > 10);
  assert.deepEqual(ofVm.filter((/** @type {any} */ row) => row.status !== "ok"), []);

  const file = join(folder, "bpf.pb.gz");
  const names = new Set(readProfile(file).samples.flatMap(({ frames }) => frames.map(({ name }) => name)));
  for (const known of ["xmpp_stream_in:handle_info/2", "fxml_stream:parse/2", "mnesia_tm:doit_loop/1"]) assert.ok(names.has(known), known);
  const { callers } = await helperJson(["blame", "copy", file]);
  assert.ok(callers.some((/** @type {any} */ row) => /^(ejabberd|mnesia)_\w+:\w+\/\d+$/.test(row.function) && row.line > 0), JSON.stringify(callers));
});
