// Numbers as people read them.

/** Formats shares and counts in one language. */
export class Figures {
  readonly #share: Intl.NumberFormat;
  readonly #count: Intl.NumberFormat;

  constructor(language: string) {
    this.#share = numberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    this.#count = numberFormat(language, {});
  }

  /** `12.3 %` */
  percent(part: number, whole: number): string {
    return `${this.#share.format(whole > 0 ? (part / whole) * 100 : 0)} %`;
  }

  count(value: number): string {
    return this.#count.format(value);
  }
}

function numberFormat(language: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat(language, options);
  } catch {
    return new Intl.NumberFormat("en", options); // Editors name languages the runtime may not know.
  }
}
