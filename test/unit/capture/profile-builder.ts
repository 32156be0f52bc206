import { gzipSync } from "node:zlib";
import { PbfWriter } from "pbf";

export interface BuiltLabel {
  readonly key: number;
  readonly text?: number;
  readonly number?: number;
}

export interface BuiltSample {
  readonly locations: readonly number[];
  readonly values: readonly number[];
  readonly labels?: readonly BuiltLabel[];
  /** Write numbers one by one instead of packed, and labels first. */
  readonly unusual?: boolean;
}

/** Writes profile messages field by field, sense or nonsense. */
export class ProfileBuilder {
  readonly #pbf = new PbfWriter();
  readonly #strings: string[] = [];

  constructor() {
    this.string("");
  }

  /** The index of a string. */
  string(text: string): number {
    const known = this.#strings.indexOf(text);
    if (known >= 0) return known;
    this.#pbf.writeStringField(6, text);
    return this.#strings.push(text) - 1;
  }

  type(name: string, unit: string): this {
    return this.#numbers(1, { 1: this.string(name), 2: this.string(unit) });
  }

  periodType(name: string, unit: string, period: number): this {
    this.#numbers(11, { 1: this.string(name), 2: this.string(unit) });
    return this.scalar(12, period);
  }

  scalar(field: number, value: number): this {
    this.#pbf.writeVarintField(field, value);
    return this;
  }

  comment(text: string): this {
    return this.scalar(13, this.string(text));
  }

  /** The VM's own figures, a field that pprof does not have. */
  reading(atMs: number, runQueue?: number, more: Readonly<Record<number, number>> = {}): this {
    const write = (_: null, pbf: PbfWriter) => {
      pbf.writeVarintField(1, atMs);
      if (runQueue !== undefined) pbf.writeVarintField(2, runQueue);
      for (const [field, value] of Object.entries(more)) pbf.writeVarintField(Number(field), value);
    };
    this.#pbf.writeMessage(1000, write, null);
    return this;
  }

  /** A long collection or call, a field that pprof does not have, too. @param numbers and texts by field */
  stay(numbers: Readonly<Record<number, number>>, texts: Readonly<Record<number, string>> = {}): this {
    const write = (_: null, pbf: PbfWriter) => {
      for (const [field, value] of Object.entries(numbers)) pbf.writeVarintField(Number(field), value);
      for (const [field, text] of Object.entries(texts)) pbf.writeStringField(Number(field), text);
    };
    this.#pbf.writeMessage(1002, write, null);
    return this;
  }

  mapping(id: number, file: string): this {
    return this.#numbers(3, { 1: id, 5: this.string(file) });
  }

  /** `systemName` as in our files: `erlang!lists:sort/1`. */
  function(id: number, name: string, systemName = name, file = "", line = 0): this {
    return this.#numbers(5, { 1: id, 2: this.string(name), 3: this.string(systemName), 4: this.string(file), 5: line });
  }

  /** Lines are pairs of function id and line, the innermost first. */
  location(id: number, lines: readonly (readonly [number, number])[], { mapping = 0, address = 0 } = {}): this {
    this.#pbf.writeMessage(
      4,
      (_, pbf) => {
        pbf.writeVarintField(1, id);
        if (mapping > 0) pbf.writeVarintField(2, mapping);
        if (address > 0) pbf.writeVarintField(3, address);
        for (const [functionId, line] of lines) pbf.writeMessage(4, writeNumbers, { 1: functionId, 2: line });
      },
      null,
    );
    return this;
  }

  sample({ locations, values, labels = [], unusual = false }: BuiltSample): this {
    this.#pbf.writeMessage(
      2,
      (_, pbf) => {
        const writeLabels = () =>
          labels.forEach(({ key, text = 0, number = 0 }) =>
            pbf.writeMessage(3, writeNumbers, { 1: key, 2: text, 3: number }),
          );
        if (unusual) {
          writeLabels();
          for (const location of locations) pbf.writeVarintField(1, location);
          for (const value of values) pbf.writeVarintField(2, value);
        } else {
          pbf.writePackedVarint(1, [...locations]);
          pbf.writePackedVarint(2, [...values]);
          writeLabels();
        }
      },
      null,
    );
    return this;
  }

  raw(bytes: Uint8Array): this {
    for (const byte of bytes) {
      this.#pbf.realloc(1);
      this.#pbf.buf[this.#pbf.pos++] = byte;
    }
    return this;
  }

  message(): Buffer {
    return Buffer.from(this.#pbf.buf.slice(0, this.#pbf.pos));
  }

  gzip(): Buffer {
    return gzipSync(this.message());
  }

  #numbers(field: number, values: Record<number, number>): this {
    this.#pbf.writeMessage(field, writeNumbers, values);
    return this;
  }
}

function writeNumbers(values: Record<number, number>, pbf: PbfWriter): void {
  for (const [field, value] of Object.entries(values)) if (value !== 0) pbf.writeVarintField(Number(field), value);
}
