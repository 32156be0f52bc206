// Which rows of a long list are in the document.

export const ROW_PX = 22;
export const HEAD_PX = 26;
const SPARE_ROWS = 4;
/** Browsers draw nothing beyond this; longer lists end there. */
export const MOST_ROWS = 1_000_000;

export interface RowWindow {
  readonly first: number;
  /** One behind the last. */
  readonly end: number;
}

export function visibleRows(scrollTop: number, heightPx: number, count: number): RowWindow {
  const first = Math.max(Math.floor(scrollTop / ROW_PX) - SPARE_ROWS, 0);
  const end = Math.min(Math.ceil((scrollTop + heightPx) / ROW_PX) + SPARE_ROWS, count);
  return { first: Math.min(first, Math.max(end, 0)), end: Math.max(end, 0) };
}

/** The nearest scroll position that shows a row below the header. */
export function scrollTo(index: number, scrollTop: number, heightPx: number): number {
  const top = index * ROW_PX;
  const room = Math.max(heightPx - HEAD_PX, ROW_PX);
  if (top < scrollTop) return top;
  return top + ROW_PX > scrollTop + room ? top + ROW_PX - room : scrollTop;
}

/** How many rows Page Up and Page Down go. */
export function pageRows(heightPx: number): number {
  return Math.max(Math.floor((heightPx - HEAD_PX) / ROW_PX) - 1, 1);
}
