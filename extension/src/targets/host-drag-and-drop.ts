// Moving hosts and groups in their view by the mouse.

import * as vscode from "vscode";
import { VIEWS } from "../contributions.js";
import type { RememberedHosts } from "../remote/remembered-hosts.js";
import { placeOf } from "./host-place.js";
import type { HostRow } from "./host-rows.js";

/** What the editor wants a view's own rows to be called. */
const TYPE = `application/vnd.code.tree.${VIEWS.hosts.toLowerCase()}`;

export class HostDragAndDrop implements vscode.TreeDragAndDropController<HostRow> {
  readonly dragMimeTypes = [TYPE];
  readonly dropMimeTypes = [TYPE];

  constructor(private readonly remembered: RememberedHosts) {}

  handleDrag([row]: readonly HostRow[], data: vscode.DataTransfer): void {
    if (row?.kind === "host" || row?.kind === "group") data.set(TYPE, new vscode.DataTransferItem(row));
  }

  async handleDrop(onto: HostRow | undefined, data: vscode.DataTransfer): Promise<void> {
    const what = placeOf(data.get(TYPE)?.value);
    if (what !== undefined) await this.remembered.drop(what, placeOf(onto));
  }
}
