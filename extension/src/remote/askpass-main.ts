// What ssh starts to ask: it hands the question to the editor and prints the answer. A program of its own.

import { connect } from "node:net";

const {
  EXTROSPECT_ASK_ADDRESS: address = "",
  EXTROSPECT_ASK_WORD: word = "",
  EXTROSPECT_ASK_FOR: connection = "",
  SSH_ASKPASS_PROMPT: kind = "",
} = process.env;
const socket = connect(address);
const ssh = process.ppid;
/** So often it looks whether ssh still waits for an answer. */
const LOOK_MS = 500;
let text = "";
const giveUp = () => {
  process.exit(1);
};
// When ssh has ended, its question is obsolete.
setInterval(() => {
  if (process.ppid !== ssh) giveUp();
}, LOOK_MS).unref();
socket
  .setEncoding("utf8")
  .on("connect", () => {
    socket.write(`${JSON.stringify({ word, connection, kind, text: process.argv.slice(2).join(" ") })}\n`);
  })
  .on("data", (chunk: string) => {
    text += chunk;
  })
  .on("error", giveUp)
  .on("end", () => {
    try {
      const { answer } = JSON.parse(text) as { answer?: unknown };
      if (typeof answer !== "string") giveUp();
      else process.stdout.write(`${answer}\n`);
    } catch {
      giveUp();
    }
  });
