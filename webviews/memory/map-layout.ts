// Where each carrier is in its allocator's part of the map: strips as long as carriers are large, in lines. No page in here.

/** One strip, in pixels from the corner of its allocator's part. */
export interface Strip {
  /** Which of the carriers that were laid out. */
  readonly index: number;
  readonly x: number;
  readonly line: number;
  readonly widthPx: number;
}

export const STRIP_PX = 16;
export const LINE_PX = 19;
const GAP_PX = 1;
/** A smaller carrier can be neither seen nor hit. */
const LEAST_PX = 4;
/** So many lines hold all carriers, if small ones do not take more than their share. */
const WANTED_LINES = 12;

/** How many bytes a pixel is: the largest carrier fits into a line, and all of them into some lines. */
export function bytesPerPixel(bytesOfAll: readonly number[], widthPx: number): number {
  const width = Math.max(widthPx, 1);
  const largest = bytesOfAll.reduce((most, bytes) => Math.max(most, bytes), 0);
  const all = bytesOfAll.reduce((sum, bytes) => sum + bytes, 0);
  return Math.max(largest / width, all / (width * WANTED_LINES), 1);
}

/** Carriers one behind the other, a new line where one does not fit. */
export function strips(bytesOfAll: readonly number[], widthPx: number, scale: number): Strip[] {
  let [x, line] = [0, 0];
  return bytesOfAll.map((bytes, index) => {
    const stripPx = Math.min(Math.max(Math.round(bytes / scale), LEAST_PX), Math.max(widthPx, LEAST_PX));
    if (x > 0 && x + stripPx > widthPx) [x, line] = [0, line + 1];
    const strip = { index, x, line, widthPx: stripPx };
    x += stripPx + GAP_PX;
    return strip;
  });
}

/** The strip at a point; undefined where there is none. */
export function stripAt(all: readonly Strip[], x: number, y: number): Strip | undefined {
  const line = Math.floor(y / LINE_PX);
  if (y - line * LINE_PX > STRIP_PX) return undefined;
  return all.find((strip) => strip.line === line && x >= strip.x && x < strip.x + strip.widthPx);
}

/** The strip that is nearest in the line above or below; the same where there is no such line. */
export function stripBeside(all: readonly Strip[], from: Strip, lines: 1 | -1): Strip {
  const middle = from.x + from.widthPx / 2;
  const distance = (strip: Strip) => Math.abs(strip.x + strip.widthPx / 2 - middle);
  const there = all.filter(({ line }) => line === from.line + lines);
  return (
    there.reduce<Strip | undefined>(
      (best, strip) => (best === undefined || distance(strip) < distance(best) ? strip : best),
      undefined,
    ) ?? from
  );
}
