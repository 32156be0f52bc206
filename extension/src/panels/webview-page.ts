// The page of a webview panel, and the only folder it may load from.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Parts } from "../parts.js";
import { webviewPage } from "../../../webviews/shared/page.js";

export function webviewFolder(parts: Parts): vscode.Uri {
  return vscode.Uri.joinPath(parts.context.extensionUri, "dist", "webviews");
}

export function webviewOptions(parts: Parts): vscode.WebviewOptions {
  return { enableScripts: true, localResourceRoots: [webviewFolder(parts)] };
}

/** @param name folder of webviews/ */
export function pageOf(webview: vscode.Webview, parts: Parts, name: string, title: string): string {
  const file = (fileName: string) => webview.asWebviewUri(vscode.Uri.joinPath(webviewFolder(parts), fileName)).toString();
  return webviewPage(title, { nonce: randomBytes(16).toString("base64url"), cspSource: webview.cspSource, scriptUri: file(`${name}.js`), styleUri: file(`${name}.css`) });
}
