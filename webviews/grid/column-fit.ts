// How wide the columns of a table are, and which of them there is no room for. Nothing of a document in here.

export const NARROWEST_PX = 40;
export const WIDEST_PX = 2000;

/** Pixels by column, of those that the reader has changed. */
export type ColumnWidths = Readonly<Record<string, number>>;

export interface FittingColumn {
  readonly id: string;
  readonly numeric: boolean;
  /** Width as CSS grid wants it, and the least of it. */
  readonly track: string;
  readonly leastPx: number;
  /** Columns are left out until it has this; without: its least. */
  readonly wantsPx?: number;
  /** Columns with a place are left out where there is no room, the highest first. */
  readonly leftOut?: number;
}

export interface Fit {
  readonly shown: ReadonlySet<string>;
  /** Of those that are shown, as CSS grid wants them. */
  readonly tracks: string;
  /** Sum of the least widths of those that are shown. */
  readonly leastPx: number;
}

/**
 * @param roomPx 0 for a table that is not in sight
 * @param kept columns that stay whatever room there is
 */
export function fitColumns(
  columns: readonly FittingColumn[],
  widths: ColumnWidths,
  roomPx: number,
  kept: ReadonlySet<string>,
): Fit {
  const wants = ({ id, leastPx, wantsPx = leastPx }: FittingColumn) => widths[id] ?? wantsPx;
  const shown = new Set(columns);
  const candidates = columns
    .filter(({ id, leftOut }) => leftOut !== undefined && !kept.has(id))
    .sort((a, b) => (b.leftOut ?? 0) - (a.leftOut ?? 0));
  let sum = columns.reduce((all, column) => all + wants(column), 0);
  for (const column of candidates) {
    if (roomPx === 0 || sum <= roomPx) break;
    // Names alone do not show heat.
    if (column.numeric && [...shown].filter(({ numeric }) => numeric).length === 1) continue;
    shown.delete(column);
    sum -= wants(column);
  }
  const left = [...shown];
  return {
    shown: new Set(left.map(({ id }) => id)),
    tracks: tracksOf(left, widths).join(" "),
    leastPx: left.reduce((all, { id, leastPx }) => all + (widths[id] ?? leastPx), 0),
  };
}

/** Whether the column takes the room that the others leave. */
export function grows({ track }: Pick<FittingColumn, "track">): boolean {
  return track.includes("fr");
}

/** Widths of a state that another version may have kept. */
export function readWidths(saved: unknown): ColumnWidths {
  if (typeof saved !== "object" || saved === null) return {};
  const entries = Object.entries(saved).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number" && Number.isFinite(entry[1]),
  );
  return Object.fromEntries(entries.map(([id, px]) => [id, boundedWidth(px)]));
}

export function boundedWidth(px: number): number {
  return Math.min(Math.max(Math.round(px), NARROWEST_PX), WIDEST_PX);
}

/** Where every column that grows has a width of its own, the last text takes the room that is left. */
function tracksOf(columns: readonly FittingColumn[], widths: ColumnWidths): string[] {
  const set = ({ id }: FittingColumn) => widths[id] !== undefined;
  const last = columns.at(-1);
  const takesRest = !columns.some((column) => grows(column) && !set(column)) && last?.numeric === false ? last : null;
  return columns.map((column) => {
    const { id, track, leastPx } = column;
    if (column === takesRest) return `minmax(${widths[id] ?? leastPx}px, 1fr)`;
    return set(column) ? `${widths[id]}px` : track;
  });
}
