// "Open Capture from a Store…": what a store has of a service becomes a capture of this workspace.

import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import * as vscode from "vscode";
import type { ActivationContext } from "../activation-context.js";
import { appendUser } from "../captures/append-facts.js";
import { captureFileName, freeName } from "../captures/capture-file.js";
import { folderForCapture } from "../captures/capture-folder.js";
import type { CaptureStore } from "../captures/capture-store.js";
import { UnreadableCapture } from "../captures/open-capture.js";
import { registerReadingCommand } from "../captures/register-command.js";
import { COMMANDS, SETTINGS } from "../contributions.js";
import { showInputBox, showManyPick, showQuickPick } from "../messages/pickers.js";
import { withCancellableProgress } from "../messages/show-message.js";
import { setting } from "../settings.js";
import { isCpu, labelsThatDiffer, measuredBy, servicesOf, type StoredService } from "./store-answers.js";
import { storeAddress, storeHeaders, type StoreHeaders } from "./store-address.js";
import { StoreClient, StoreError } from "./store-client.js";
import { labelSelector, timeRange, type LabelChoice, type TimeRange } from "./store-query.js";

const LAST_ADDRESS = "store.lastAddress";
const HEADERS_VARIABLE = "EXTROSPECT_STORE_HEADERS";
const RANGES = ["15m", "1h", "1d"] as const;

/** The arguments of a task or key binding; the user is prompted for absent ones. */
interface Given {
  readonly url?: string;
  readonly service?: string;
  readonly range?: string;
  /** Values by label; with `{}` all profiles of the service. */
  readonly labels?: Readonly<Record<string, string | readonly string[]>>;
}

export function registerProfileStore({
  context,
  log,
  captures,
}: ActivationContext & { readonly captures: CaptureStore }): void {
  const store = new ProfileStore(context, captures);
  context.subscriptions.push(
    registerReadingCommand(log, COMMANDS.openFromStore, (given) =>
      store.open(typeof given === "object" && given !== null ? given : {}),
    ),
  );
}

class ProfileStore {
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly captures: CaptureStore,
  ) {}

  async open(given: Given): Promise<{ uri: vscode.Uri } | undefined> {
    const l10n = vscode.l10n;
    const address = await this.#address(given.url);
    if (address === undefined) return undefined;
    const range = await chosenRange(given.range);
    if (range === undefined) return undefined;
    const series = await this.#answerOf(address, l10n.t("Querying {0}…", address), (store, signal) =>
      store.series(range, signal),
    );
    if (series === undefined) return undefined;
    const services = servicesOf(series).filter(
      ({ service }) => given.service === undefined || service === given.service,
    );
    if (services.length === 0) {
      throw new UnreadableCapture(
        l10n.t("{0} has nothing to open", address),
        l10n.t("there are no profiles in that time"),
        l10n.t("Choose a longer time, or send profiles with extrospect record --push."),
      );
    }
    const chosen = await pickedService(services, given);
    if (chosen === undefined) return undefined;
    const labels = await pickedLabels(chosen, given);
    if (labels === undefined) return undefined;
    const selector = labelSelector(new Map([["service_name", [chosen.service]], ...labels]));
    const message = await this.#answerOf(
      address,
      l10n.t("Fetching profiles of {0}…", chosen.service),
      (store, signal) => store.merged(chosen.profileType, selector, range, signal),
    );
    if (message === undefined) return undefined;
    if (message.length === 0)
      throw new UnreadableCapture(
        l10n.t("{0} has nothing to open", address),
        l10n.t("there are no profiles with these labels"),
        l10n.t("Choose a longer time, or send profiles with extrospect record --push."),
      );
    const uri = await this.#save(chosen.service, message);
    const [from, until] = [range.startMs, range.endMs].map((ms) => new Date(ms).toLocaleString(vscode.env.language));
    await appendUser(
      uri,
      {
        note: l10n.t("From {0}: {1}, {2} to {3}", address, selector, from ?? "", until ?? ""),
        tags: [],
        pinned: false,
      },
      this.captures,
    );
    await vscode.commands.executeCommand(COMMANDS.openCapture, { uri });
    return { uri };
  }

  async #address(given: string | undefined): Promise<string | undefined> {
    const l10n = vscode.l10n;
    const known = given ?? setting(SETTINGS.storeUrl);
    if (known !== "") {
      const parsed = storeAddress(known, l10n);
      if ("address" in parsed) return parsed.address;
      throw new UnreadableCapture(
        l10n.t("{0} is not the address of a store", known),
        parsed.refusal,
        l10n.t("Check the address (setting extrospect.store.url), and that the store runs."),
      );
    }
    const typed = await showInputBox({
      title: l10n.t("Open Capture from a Store"),
      prompt: l10n.t("Address of a Pyroscope; the setting extrospect.store.url keeps one"),
      value: this.context.globalState.get<string>(LAST_ADDRESS) ?? "http://localhost:4040",
      ignoreFocusOut: true,
      validate: (text) => {
        const parsed = storeAddress(text, l10n);
        return "refusal" in parsed ? parsed.refusal : undefined;
      },
    });
    const parsed = typed === undefined ? undefined : storeAddress(typed, l10n);
    if (parsed === undefined || "refusal" in parsed) return undefined;
    await this.context.globalState.update(LAST_ADDRESS, parsed.address);
    return parsed.address;
  }

  /** Queries a store, again with credentials when it requires them. Undefined: the user cancelled. */
  async #answerOf<T>(
    address: string,
    title: string,
    ask: (store: StoreClient, signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const l10n = vscode.l10n;
    const secret = `store.headers ${address}`;
    let headers = headersOf(process.env[HEADERS_VARIABLE]) ?? headersOf(await this.context.secrets.get(secret)) ?? {};
    for (let isFirst = true; ; isFirst = false) {
      const store = new StoreClient(address, headers, l10n);
      try {
        return await withCancellableProgress(title, (token) => cancellable(token, (signal) => ask(store, signal)));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        const refused = new UnreadableCapture(l10n.t("{0} returns no profile", address), error.why, error.fix);
        if (!error.wantsCredentials || !isFirst) throw refused;
        const typed = await showInputBox({
          title: l10n.t("Sign In to {0}", address),
          prompt: l10n.t("An HTTP header such as Authorization: Bearer …; the editor stores it as a secret"),
          isSecret: true,
          ignoreFocusOut: true,
          validate: (text) =>
            storeHeaders(text) === undefined ? l10n.t("Not a header such as Authorization: Bearer …") : undefined,
        });
        if (typed === undefined) return undefined;
        headers = headersOf(typed) ?? {};
        await this.context.secrets.store(secret, typed);
      }
    }
  }

  async #save(service: string, message: Uint8Array): Promise<vscode.Uri> {
    const folder = await folderForCapture(this.context);
    const taken = new Set(await readdir(folder));
    const name = freeName(captureFileName(service, 0, new Date()), (candidate) => taken.has(candidate));
    const path = join(folder, name);
    await writeFile(path, await promisify(gzip)(message), { flag: "wx", mode: 0o600 });
    return vscode.Uri.file(path);
  }
}

function headersOf(text: string | undefined): StoreHeaders | undefined {
  return text === undefined || text === "" ? undefined : storeHeaders(text);
}

async function cancellable<T>(
  token: vscode.CancellationToken,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController();
  const listening = token.onCancellationRequested(() => controller.abort());
  try {
    return await work(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) return undefined;
    throw error;
  } finally {
    listening.dispose();
  }
}

async function chosenRange(given: string | undefined): Promise<TimeRange | undefined> {
  const l10n = vscode.l10n;
  if (given !== undefined) {
    const range = timeRange(given, Date.now());
    if (range === undefined)
      throw new UnreadableCapture(
        l10n.t("“{0}” is not a time", given),
        l10n.t("it is neither 15m, 6h or 2d nor a beginning and an end"),
        l10n.t("Enter 15m, or 2026-11-22 14:00 to 2026-11-22 15:30."),
      );
    return range;
  }
  const labels = { "15m": l10n.t("Last 15 minutes"), "1h": l10n.t("Last hour"), "1d": l10n.t("Last day") };
  const rows = [
    ...RANGES.map((range) => ({ label: labels[range], range })),
    { label: l10n.t("Another time…"), range: undefined },
  ];
  const picked = await showQuickPick(rows, {
    title: l10n.t("Open Capture from a Store"),
    placeHolder: l10n.t("Profiles of which time?"),
    ignoreFocusOut: true,
  });
  if (picked === undefined) return undefined;
  const text =
    picked.range ??
    (await showInputBox({
      title: l10n.t("Open Capture from a Store"),
      prompt: l10n.t("15m, 6h or 2d until now, or 2026-11-22 14:00 to 2026-11-22 15:30; at most 31 days"),
      value: "6h",
      validate: (typed) =>
        timeRange(typed, Date.now()) === undefined
          ? l10n.t("Enter 15m, or 2026-11-22 14:00 to 2026-11-22 15:30.")
          : undefined,
    }));
  return text === undefined ? undefined : timeRange(text, Date.now());
}

async function pickedService(services: readonly StoredService[], given: Given): Promise<StoredService | undefined> {
  const l10n = vscode.l10n;
  if (given.service !== undefined) return services[0];
  const rows = services.map((stored) => ({
    label: stored.service,
    description: isCpu(stored) ? l10n.t("CPU time") : measuredBy(stored.profileType),
    stored,
  }));
  return (
    await showQuickPick(rows, {
      title: l10n.t("Open Capture from a Store"),
      placeHolder: l10n.t("Profiles of what?"),
      ignoreFocusOut: true,
    })
  )?.stored;
}

async function pickedLabels({ series, service }: StoredService, given: Given): Promise<LabelChoice | undefined> {
  const l10n = vscode.l10n;
  if (given.labels !== undefined)
    return new Map(
      Object.entries(given.labels).map(([name, value]) => [name, typeof value === "string" ? [value] : value]),
    );
  const rows = [...labelsThatDiffer(series)].flatMap(([name, values]) =>
    values.map((value) => ({ label: `${name}: ${value}`, name, value })),
  );
  if (rows.length === 0 || given.service !== undefined) return new Map();
  const picked = await showManyPick(rows, {
    title: l10n.t("Open Capture from a Store"),
    placeHolder: l10n.t("Only profiles with these labels; without a label, all of {0}", service),
    ignoreFocusOut: true,
  });
  if (picked === undefined) return undefined;
  const choice = new Map<string, string[]>();
  for (const { name, value } of picked) choice.set(name, [...(choice.get(name) ?? []), value]);
  return choice;
}
