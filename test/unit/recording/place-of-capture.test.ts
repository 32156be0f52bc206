import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOfCapture } from "../../../extension/src/recording/place-of-capture.js";

const REMEMBERED = [
  { address: { ssh: "web" }, group: "", machine: "prod-7" },
  { address: { ssh: "me@web" }, group: "prod", machine: "prod-7" },
  { address: { ssh: "new" }, group: "", machine: "" },
  { address: { ssh: "twin" }, group: "", machine: "desk" },
];

test("a capture is looked for where it was taken: by the machine's name, here and on the hosts that are called so", () => {
  const place = (machine: string) => {
    const { isHere, hosts } = placeOfCapture(machine, "desk", REMEMBERED);
    return [isHere, ...hosts.map((host) => ("ssh" in host ? host.ssh : ""))];
  };
  assert.deepEqual(place("prod-7"), [false, "web", "me@web"]);
  assert.deepEqual(place("desk"), [true, "twin"]);
  // A capture without its place is of no host, nor is one whose machine's name is unknown.
  assert.deepEqual(place(""), [true]);
  assert.deepEqual(place("gone"), [false]);
});
