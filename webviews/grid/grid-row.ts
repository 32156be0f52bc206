// A row in the form that the grid needs. Nothing of a document in here.

export interface GridRow {
  /** Names the row for as long as it is the same thing. */
  readonly key: string;
  readonly marked?: boolean;
  /** Its first cell takes the whole row. */
  readonly isHead?: boolean;
  /** In trees: 1 for the top. */
  readonly level?: number;
  readonly position?: number;
  readonly siblings?: number;
  readonly expandable?: boolean;
  readonly expanded?: boolean;
}
