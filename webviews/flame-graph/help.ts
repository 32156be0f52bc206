// The list of keys.

import { button, element } from "./dom.js";
import { KEY_HELP } from "./keyboard.js";

export function helpDialog(): HTMLDialogElement {
  const list = element("dl", {});
  for (const [keys, what] of KEY_HELP) list.append(element("dt", {}, element("kbd", {}, keys)), element("dd", {}, what));
  const dialog = element("dialog", { "aria-labelledby": "keys-title" }, element("h2", { id: "keys-title" }, "Keys"), list, button("Close", "Close (Escape)", () => dialog.close()));
  return dialog;
}
