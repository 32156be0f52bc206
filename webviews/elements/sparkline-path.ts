// The line of a sparkline as the path of an SVG. Nothing of a document in here.

export const [WIDTH, HEIGHT] = [56, 16];
const MARGIN = 1.5;

/** The least value that is drawn is 0, so that a value that does not change is a level line and never a saw. */
export function pathOf(
  points: readonly (readonly [place: number, value: number])[],
  last: number,
  places: number,
): string {
  const most = points.reduce((largest, [, value]) => Math.max(largest, value), 0);
  const x = (place: number) => WIDTH - MARGIN - ((last - place) / Math.max(places - 1, 1)) * (WIDTH - 2 * MARGIN);
  const y = (value: number) => HEIGHT - MARGIN - (most === 0 ? 0 : value / most) * (HEIGHT - 2 * MARGIN);
  return points
    .map(([place, value], index) => {
      const isJoined = index > 0 && points[index - 1]?.[0] === place - 1;
      // A point of its own is a line of no length, which round ends make a dot of.
      return `${isJoined ? "L" : "M"}${x(place).toFixed(1)} ${y(value).toFixed(1)}${isJoined || points[index + 1]?.[0] === place + 1 ? "" : "h0"}`;
    })
    .join("");
}
