// The editor as a user has it, each capability once: one code-server and one browser, a scene for each kind of work.
import { describe } from "node:test";
import { comparing } from "./scenes/comparing.mjs";
import { fixedCapture } from "./scenes/fixed-capture.mjs";
import { liveCapture } from "./scenes/live-capture.mjs";
import { untrusted } from "./scenes/untrusted.mjs";
import { insideVms } from "./scenes/inside-vms.mjs";
import { SharedEditor } from "./shared-editor.mjs";

describe("the editor", () => {
  const editor = new SharedEditor();
  for (const scene of [fixedCapture, comparing, liveCapture, insideVms, untrusted]) scene(editor);
});
