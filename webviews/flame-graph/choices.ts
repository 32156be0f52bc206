// The user's choices for the graph: the webview's side of the options and the filter, which the extension host answers
// with a graph.

import type { SampleFilter } from "../../contract/capture-answers.js";
import type { GroupBy } from "../../contract/flame-data.js";
import {
  DEFAULT_OPTIONS,
  restricts,
  type BuildOptions,
  type BuildSwitch,
  type BuiltWith,
  type ToHost,
} from "../../contract/messages/flame-graph.js";

export class Choices {
  options: BuildOptions = DEFAULT_OPTIONS;
  filter: SampleFilter = {};
  #revision = 0;
  #answered = 0;

  constructor(
    private readonly send: (message: ToHost) => void,
    private readonly changed: () => void,
  ) {}

  /** Requested and not yet answered. */
  get pending(): boolean {
    return this.#answered < this.#revision;
  }

  restore(options: BuildOptions | undefined, filter: SampleFilter | undefined): void {
    this.options = { ...DEFAULT_OPTIONS, ...options };
    this.filter = filter ?? {};
  }

  groupBy(groupBy: GroupBy): void {
    if (groupBy === this.options.groupBy) return;
    this.options = { ...this.options, groupBy };
    this.#ask();
  }

  switchOption(name: BuildSwitch): void {
    this.options = { ...this.options, [name]: !this.options[name] };
    this.#ask();
  }

  /** `undefined` takes a restriction back. */
  restrict(part: { readonly [K in keyof SampleFilter]: SampleFilter[K] | undefined }): void {
    const next = { ...this.filter, ...part };
    const kept = Object.entries(next).filter(
      ([, value]) => value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0),
    );
    const filter = Object.fromEntries(kept) as SampleFilter;
    if (sameFilter(filter, this.filter)) return;
    this.filter = filter;
    this.#ask();
  }

  clear(): void {
    if (!restricts(this.filter)) return;
    this.filter = {};
    this.#ask();
  }

  /** The host may have taken choices back (another capture, a function they hid). An answer to an older question does not count. */
  answered({ options, filter, revision }: BuiltWith): void {
    if (revision < this.#revision) return;
    this.#answered = this.#revision;
    this.options = options;
    this.filter = filter;
    this.changed();
  }

  #ask(): void {
    this.#revision++;
    this.changed();
    this.send({ type: "view", options: this.options, filter: this.filter, revision: this.#revision });
  }
}

function sameFilter(one: SampleFilter, other: SampleFilter): boolean {
  const text = (filter: SampleFilter) => JSON.stringify(Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1)));
  return text(one) === text(other);
}
