// The graph in sight as a picture, on the clipboard or for a file: pull requests and chats take such pictures, and no SVG.

import { nodeColours } from "../graph/colour.js";
import { charWidthPx, FONT_PX, paint, ROW_PX } from "../graph/renderer.js";
import { PICTURE_WIDTH_PX, type Picture } from "./export-file.js";
import { S } from "./strings.js";

const TITLE_PX = 28;
/** Names stay readable where a page shows the picture smaller. */
const SCALE = 2;
/** Pages cut or shrink a taller picture. The rows at the root are in it. */
const MOST_ROWS = 120;

export function drawnPicture(
  { layout, span, orientation, palette }: Picture,
  title: string,
  fontFamily: string,
): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  const contentPx = layout.rowCount * ROW_PX;
  const heightPx = Math.min(layout.rowCount, MOST_ROWS) * ROW_PX;
  canvas.width = PICTURE_WIDTH_PX * SCALE;
  canvas.height = (TITLE_PX + heightPx) * SCALE;
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  const font = `${FONT_PX}px ${fontFamily}`;
  context.scale(SCALE, SCALE);
  context.fillStyle = palette.background;
  context.fillRect(0, 0, PICTURE_WIDTH_PX, TITLE_PX);
  context.font = font;
  context.textBaseline = "middle";
  context.fillStyle = palette.foreground;
  context.fillText(title, 6, TITLE_PX / 2, PICTURE_WIDTH_PX - 12);
  context.translate(0, TITLE_PX);
  context.beginPath();
  context.rect(0, 0, PICTURE_WIDTH_PX, heightPx);
  context.clip();
  paint(context, {
    layout,
    colourOf: nodeColours(layout.data),
    palette,
    span,
    widthPx: PICTURE_WIDTH_PX,
    heightPx,
    scrollPx: orientation === "icicle" ? 0 : contentPx - heightPx,
    orientation,
    matches: null,
    selected: -1,
    hovered: -1,
    focused: false,
    font,
    charPx: charWidthPx(context),
  });
  return canvas;
}

const PNG_DATA = "data:image/png;base64,";

/** In base64. Undefined where it is too large for a picture. */
export function pngOf(canvas: HTMLCanvasElement): string | undefined {
  const data = canvas.toDataURL("image/png");
  return data.startsWith(PNG_DATA) ? data.slice(PNG_DATA.length) : undefined;
}

/** @throws {Error} the editor refuses the clipboard */
export async function copyPicture(canvas: HTMLCanvasElement): Promise<void> {
  const png = new Promise<Blob>((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error(S.pictureTooLarge));
    }, "image/png");
  });
  // The clipboard gets the promise: it is open only while the user's action is handled.
  await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
}
