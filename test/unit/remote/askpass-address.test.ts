// The socket for ssh's questions is where a socket can be, however long the path of the folder for temporary files is.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { AskpassServer } from "../../../extension/src/remote/askpass-server.js";

test("a question is answered below a folder whose path is too long for a socket", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-long-"));
  const before = process.env["TMPDIR"];
  t.after(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    rmSync(folder, { recursive: true, force: true });
  });
  const long = join(folder, "ü".repeat(50));
  mkdirSync(long);
  process.env["TMPDIR"] = long;
  const server = await AskpassServer.listening(({ text }) => Promise.resolve(`answer to ${text}`));
  t.after(() => {
    server.close();
  });
  const { EXTROSPECT_ASK_ADDRESS: address = "", ...env } = server.environment("/ask", "/main");
  assert.ok(statSync(address).isSocket(), "it is at its stated place, not at the start of its path");
  assert.equal(statSync(dirname(address)).mode & 0o777, 0o700);
  const socket = connect(address).setEncoding("utf8");
  const question = { word: env["EXTROSPECT_ASK_WORD"], connection: env["EXTROSPECT_ASK_FOR"], text: "code", kind: "" };
  socket.write(`${JSON.stringify(question)}\n`);
  assert.deepEqual(await once(socket, "data"), ['{"answer":"answer to code"}\n']);
});
