// A real program that is not part of this project and that no release of Extrospect was made for: ejabberd, with its
// NIFs for XML, strings and TLS, mnesia and a thousand short-lived processes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readProfile } from "../pprof-reader.mjs";
import { startEjabberd, startXmppLoad } from "../vms/ejabberd.mjs";
import { assertCountsAddUp, assertExact, assertNamed, qualityOf, recordUntil, sayRates } from "../e2e/enough.mjs";
import { helperJson, temporaryFolder } from "../e2e/helper.mjs";
import { assertOwned } from "../e2e/owned.mjs";

test("OTP 27: ejabberd under load", async (t) => {
  const ejabberd = await startEjabberd("27");
  const cleanUp = [() => ejabberd.stop()];
  t.after(async () => {
    for (const step of cleanUp.toReversed()) await step();
  });
  const load = await startXmppLoad(ejabberd.port);
  cleanUp.push(async () => void (await load.stop()));
  const folder = temporaryFolder(t);
  for (const engine of /** @type {const} */ (["bpf", "readv"])) {
    const file = join(folder, `${engine}.pb.gz`);
    const quality = await qualityOf(ejabberd.pid, { seconds: 2, hz: 499, file, engine }, { erlang: 20, native: 100 });
    assertOwned(t, file, quality, `ejabberd, ${engine}`);
    sayRates(t, quality, `ejabberd, ${engine}`);
    // Rarely, a part of a stack cannot be read at its sample, for an unknown reason; such a stack is marked as cut.
    if (engine === "bpf") assertExact(quality, { erlang: 0.9 });
    else assertCountsAddUp(quality);
    assertNamed(quality);
  }
  const { rows } = await helperJson(["doctor", ejabberd.pid]);
  const ofVm = rows.slice(rows.findIndex((/** @type {any} */ row) => row.check === "attach"));
  assert.ok(ofVm.length > 10);
  // Debian's emulator has no symbols, and doctor reports that.
  const notWell = ofVm.filter((/** @type {any} */ row) => row.status !== "ok" && row.check !== "names of C functions");
  assert.deepEqual(notWell, []);

  const file = join(folder, "bpf.pb.gz");
  const known = ["xmpp_stream_in:handle_info/2", "fxml_stream:parse/2", "mnesia_tm:doit_loop/1"];
  const namesIn = () => new Set(readProfile(file).samples.flatMap(({ frames }) => frames.map(({ name }) => name)));
  await recordUntil(
    ejabberd.pid,
    { seconds: 2, hz: 499, file, engine: "bpf" },
    known.join(", "),
    () => known.filter((name) => !namesIn().has(name)),
    (missing) => missing.length === 0,
  );
  const { callers } = await helperJson(["blame", "copy", file]);
  assert.ok(
    callers.some((/** @type {any} */ row) => /^(ejabberd|mnesia)_\w+:\w+\/\d+$/.test(row.function) && row.line > 0),
    JSON.stringify(callers),
  );
});
