// A helper in a container that only a command leads into: real namespaces and a real Podman where they run, and the texts
// when it fails.
import assert from "node:assert/strict";
import { test } from "node:test";
import { refusedInContainer } from "../../../extension/src/remote/container-rights.js";
import { startNamespaces } from "../../hosts/namespaces.mjs";
import { ownPodman, whyNoPodman } from "../../hosts/podman.mjs";
import { until } from "../../until.mjs";
import { ENGLISH } from "../recording/fakes.js";
import { recordingOf } from "../recording/piped-helper.js";

import { capturedInside, connected, needsRoot, refusal } from "./container.js";

test(
  "a container, by nsenter: the helper is sent once, and its VM is captured by the process id that it has there",
  needsRoot,
  (t) => capturedInside(t, false),
);

test("missing rights of a container are named, with the remedy in words of that command", needsRoot, async (t) => {
  const noexec = await startNamespaces(t, { homeOptions: "noexec" });
  await assert.rejects(
    connected(t, "nsenter", { pid: String(noexec.pid) }),
    refusal(/^No helper can run on nsenter \d+$/, /noexec/, /XDG_CACHE_HOME=\/tmp \/bin\/sh/),
  );
  // The remedy works: a copy of the preset that follows it.
  const mended = await connected(
    t,
    ["nsenter", "--target={pid}", "--mount", "--pid", "--", "/usr/bin/env", "XDG_CACHE_HOME=/tmp", "/bin/sh"],
    { pid: String(noexec.pid) },
  );
  assert.equal((await mended.piped.request("extrospect/list", {})).beams.length, 1);
  const full = await startNamespaces(t, { homeOptions: "size=1M" });
  await assert.rejects(
    connected(t, "nsenter", { pid: String(full.pid) }),
    refusal(/No helper can run/, /could not be written/, /XDG_CACHE_HOME/),
  );
  const distroless = await startNamespaces(t, { hasShell: false });
  await assert.rejects(
    connected(t, "nsenter", { pid: String(distroless.pid) }),
    refusal(/No shell answers in nsenter/, /\/bin\/sh: No such file/, /no shell: use `kubectl debug`/),
  );
});

test(
  "a container of Podman: with two capabilities its VM is captured; as it comes the message names the obstacle",
  whyNoPodman() === undefined ? {} : { skip: whyNoPodman() },
  async (t) => {
    const { program, start } = ownPodman(t);
    // The preset, with the options of this Podman in front.
    const command = [...program, ...["exec", "--interactive", "{container}", "/bin/sh"]];
    const allowed = await start(
      "--cap-drop=ALL",
      "--cap-add=PERFMON,SYS_PTRACE",
      "--security-opt=seccomp=unconfined",
      "--security-opt=no-new-privileges",
    );
    const { piped } = await connected(t, command, { container: allowed });
    const { recording, ended } = recordingOf(t, piped, 1, 0, true);
    await recording.start();
    await until("more than 100 samples", () => recording.capture.totals.samples > 100);
    void recording.stop();
    assert.deepEqual(await ended, { reason: "stopped", problem: null });
    const usual = await start();
    const refused = recordingOf(t, (await connected(t, command, { container: usual })).piped, 1, 0, true);
    await assert.rejects(refused.recording.start(), (error: unknown) => {
      const address = { command: "podman", values: { container: usual } };
      assert.equal(refusedInContainer(error, { ssh: "podman" }, ENGLISH), error);
      return refusal(
        /not allowed/,
        /seccomp/,
        /CAP_PERFMON and CAP_SYS_PTRACE, and a seccomp profile/,
      )(refusedInContainer(error, address, ENGLISH));
    });
    await assert.rejects(
      connected(t, command, { container: "extrospect-none" }),
      refusal(/No shell answers in mine extrospect-none/, /no such container/, /choose again/),
    );
  },
);
