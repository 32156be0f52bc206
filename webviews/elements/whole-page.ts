// While a page is written as a document, parts that keep only rows in sight in it have all of them there.

const CHANGED = "extrospect-whole-page";

export function onWholePage(show: (isWhole: boolean) => void): void {
  addEventListener(CHANGED, (event) => {
    show((event as CustomEvent<boolean>).detail);
  });
}

export function whileWhole<T>(read: () => T): T {
  const show = (isWhole: boolean) => dispatchEvent(new CustomEvent(CHANGED, { detail: isWhole }));
  show(true);
  try {
    return read();
  } finally {
    show(false);
  }
}
