// The list of keys.

import { button } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import { KEY_HELP, S } from "./strings.js";

export function helpDialog(): HTMLDialogElement {
  const list = element("dl", {});
  for (const [keys, what] of KEY_HELP)
    list.append(element("dt", {}, element("kbd", {}, keys)), element("dd", {}, what));
  const dialog = element(
    "dialog",
    { "aria-labelledby": "keys-title" },
    element("h2", { id: "keys-title" }, S.keys[0]),
    list,
    button(...S.closeKeys, () => dialog.close()),
  );
  return dialog;
}
