// A host that wants a one-time code after the key: a real sshd with PAM, on a machine whose PAM prompts for one.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AskpassServer } from "../../../extension/src/remote/askpass-server.js";
import { FarMachine } from "../../hosts/far-machine.mjs";
import { Sshd } from "../../hosts/sshd.mjs";
import { ASK_MAIN, ASK_PROGRAM, connected, needsRoot, refusal } from "./connected-host.js";

test(
  "after the key a one-time code is requested; a wrong one is requested again, and none ends it",
  needsRoot,
  async (t) => {
    const machine = await FarMachine.start(t, "far-vault");
    const sshd = await Sshd.start(t, { machine, asksCode: true });
    const check = join(sshd.folder, "check-code");
    // PAM hands over the typed text with a zero behind it.
    writeFileSync(check, '#!/bin/sh\nread -r code || true\n[ "$(printf %s "$code" | tr -d "\\000")" = 314159 ]\n', {
      mode: 0o755,
    });
    machine.ownEtc();
    machine.writeEtc(
      "pam.d/sshd",
      `auth requisite pam_exec.so quiet expose_authtok ${check}\nauth required pam_permit.so\naccount required pam_permit.so\nsession required pam_permit.so\n`,
    );
    const asked: string[] = [];
    let answers: (string | undefined)[] = ["271828", "314159"];
    const server = await AskpassServer.listening(({ kind, text }) => {
      asked.push(`${kind}: ${text}`);
      return Promise.resolve(answers.shift());
    });
    t.after(() => {
      server.close();
    });
    const environment = server.environment(ASK_PROGRAM, ASK_MAIN);
    const { piped, steps } = await connected(t, sshd, { environment });
    assert.deepEqual(steps, ["connecting", "sending", "starting"]);
    await piped.request("extrospect/list", {});
    assert.equal(asked.length, 2);
    for (const question of asked) assert.match(question, /^secret: .*Password: ?$/s);
    // ssh would prompt three times.
    answers = [undefined, "314159"];
    const again = server.environment(ASK_PROGRAM, ASK_MAIN);
    await assert.rejects(
      connected(t, sshd, { environment: again }),
      refusal(/^No connection to far/, /Permission denied/),
    );
    assert.equal(asked.length, 3);
  },
);
