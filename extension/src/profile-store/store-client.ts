// Lists the contents of a Pyroscope and downloads profiles from it. Bounded in bytes and time. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { Deadline } from "../deadline.js";
import { errorText } from "../text/error-text.js";
import { seriesOf, type Series } from "./store-answers.js";
import type { StoreHeaders } from "./store-address.js";
import { mergeRequest, type TimeRange } from "./store-query.js";

const MOST_BYTES = 256 * 1024 * 1024;
const PATIENCE_MS = 60_000;
const LONGEST_REPLY = 300;
const JSON_TYPE = "application/json";
const PROTO_TYPE = "application/proto";

/** Why a store gives nothing: what, why and what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";

  constructor(
    readonly why: string,
    readonly fix: string,
    /** It requires credentials. */
    readonly wantsCredentials = false,
  ) {
    super(why);
  }
}

export interface StoreBounds {
  readonly bytes: number;
  readonly ms: number;
}

export class StoreClient {
  constructor(
    readonly address: string,
    private readonly headers: StoreHeaders,
    private readonly l10n: Words,
    private readonly bounds: StoreBounds = { bytes: MOST_BYTES, ms: PATIENCE_MS },
  ) {}

  /** What there is in a time. @throws {StoreError} */
  async series({ startMs, endMs }: TimeRange, signal: AbortSignal): Promise<Series[]> {
    const body = JSON.stringify({ start: Math.floor(startMs), end: Math.ceil(endMs) });
    const answer = await this.#ask("Series", JSON_TYPE, body, signal);
    try {
      return seriesOf(JSON.parse(new TextDecoder().decode(answer)));
    } catch {
      throw this.#noStore();
    }
  }

  /** All profiles of a type in a time as one: a pprof message, empty when there is none. @throws {StoreError} */
  merged(profileType: string, selector: string, range: TimeRange, signal: AbortSignal): Promise<Uint8Array> {
    return this.#ask(
      "SelectMergeProfile",
      PROTO_TYPE,
      Uint8Array.from(mergeRequest(profileType, selector, range)),
      signal,
    );
  }

  async #ask(
    method: string,
    type: string,
    body: string | Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const deadline = new Deadline(this.bounds.ms);
    try {
      const answer = await fetch(`${this.address}/querier.v1.QuerierService/${method}`, {
        method: "POST",
        headers: { ...this.headers, "content-type": type, accept: type },
        body,
        // The queried host itself has to answer: credentials go to no other host.
        redirect: "error",
        signal: AbortSignal.any([signal, deadline.signal]),
      });
      const bytes = await this.#read(answer);
      if (!answer.ok) throw this.#refusal(answer.status, bytes);
      if (!(answer.headers.get("content-type") ?? "").startsWith(type)) throw this.#noStore();
      return bytes;
    } catch (error) {
      if (error instanceof StoreError || signal.aborted) throw error;
      if (deadline.isOver)
        throw new StoreError(
          this.l10n.t("it does not answer within {0} seconds", String(this.bounds.ms / 1000)),
          this.l10n.t("Choose a shorter time or fewer labels."),
        );
      const { cause } = error as { cause?: unknown };
      throw new StoreError(
        errorText(cause ?? error),
        this.l10n.t("Check the address (setting extrospect.store.url), and that the store runs."),
      );
    } finally {
      deadline.dispose();
    }
  }

  /** The body, as far as it is allowed to be large. */
  async #read(answer: Response): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of answer.body ?? []) {
      length += part.length;
      if (length > this.bounds.bytes)
        throw new StoreError(
          this.l10n.t("it answers with more than {0} bytes", String(this.bounds.bytes)),
          this.l10n.t("Choose a shorter time or fewer labels."),
        );
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  #refusal(status: number, body: Uint8Array): StoreError {
    const reply = new TextDecoder().decode(body.subarray(0, LONGEST_REPLY)).trim();
    const why = this.l10n.t("it answers {0}: {1}", String(status), reply);
    if (status === 401 || status === 403)
      return new StoreError(
        why,
        this.l10n.t("Enter the HTTP header that gives you access, or set EXTROSPECT_STORE_HEADERS."),
        true,
      );
    if (status === 404) return this.#noStore();
    return new StoreError(why, this.l10n.t("Choose a shorter time or fewer labels."));
  }

  #noStore(): StoreError {
    return new StoreError(
      this.l10n.t("the server there is not a Pyroscope"),
      this.l10n.t("Check the address (setting extrospect.store.url), and that the store runs."),
    );
  }
}
