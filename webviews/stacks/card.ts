// One thread and its stack.

import type { StackFrame, StackThread } from "../../contract/messages/stacks.js";
import { element, nameText } from "../elements/dom.js";
import { KIND_WORDS } from "../words/frame-kinds.js";
import { classStyle, classWords } from "../words/sample-classes.js";
import { threadTitle } from "./stacks-text.js";
import { STRINGS } from "./strings.js";

/** @param openSource called with the number of the frame */
export function stackCard(thread: StackThread, openSource: (frame: number) => void): HTMLElement {
  const title = threadTitle(thread);
  const words = classWords(thread.sampleClass);
  const head = element(
    "div",
    { class: "card-head" },
    element("h2", {}, nameText(title)),
    nameText(thread.process === "" ? STRINGS.noProcess : thread.process, "process"),
  );
  if (thread.sampleClass !== null)
    head.append(
      element(
        "span",
        { class: "tag", title: words.help },
        element("span", { class: `swatch ${classStyle(thread.sampleClass)}`, "aria-hidden": "true" }),
        words.label,
      ),
    );
  if (thread.sleepsInCSeconds !== null)
    head.append(element("span", { class: "tag", title: STRINGS.sleepsHelp }, STRINGS.sleeps(thread.sleepsInCSeconds)));
  const trust = thread.trust === null ? undefined : STRINGS.trust[thread.trust];
  if (trust && trust.label !== "") head.append(element("span", { class: "tag", title: trust.help }, trust.label));
  const frames = thread.frames.map((frame, index) => frameLine(frame, () => openSource(index)));
  if (thread.leftOut > 0) frames.push(element("li", { class: "quiet frame" }, STRINGS.leftOut(thread.leftOut)));
  const list =
    frames.length > 0
      ? element("ol", { "aria-label": STRINGS.framesOf(title) }, ...frames)
      : element("p", { class: "quiet" }, STRINGS.noFrames);
  return element("article", { class: "card", "aria-label": title, "data-thread": String(thread.threadId) }, head, list);
}

function frameLine(frame: StackFrame, open: () => void): HTMLLIElement {
  const kind = element(
    "span",
    { class: "frame-kind" },
    element("span", { class: `kind kind-${frame.kind}`, "aria-hidden": "true" }),
    KIND_WORDS[frame.kind],
  );
  const where = nameText(frame.place !== "" ? frame.place : frame.object, "quiet where");
  if (!frame.hasSource) return element("li", { class: "frame" }, kind, nameText(frame.name), where);
  const press = element(
    "button",
    { type: "button", class: "link", title: STRINGS.goTo(frame.place) },
    nameText(frame.name),
  );
  press.addEventListener("click", open);
  return element("li", { class: "frame" }, kind, press, where);
}
