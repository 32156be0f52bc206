/** The defect in the bytes of a capture. */
export type CaptureProblem =
  | "empty" // no bytes
  | "notGzip" // what follows the gzip header is damaged
  | "notAProfile" // something else than a pprof profile
  | "damaged" // was one, but its bytes make no sense
  | "badReference" // an id or index points nowhere
  | "difference" // values below zero, as the difference of two profiles has them
  | "tooLarge" // more bytes than are read
  | "notTogether" // makes sense, but not together with the others
  | "tooMany"; // more of something than is kept

/** A capture, or an increment of one, that cannot be read. The data from before it is unchanged. */
export class CaptureError extends Error {
  override readonly name = "CaptureError";

  /** @param why one clause without a full stop: `there is no function 17` */
  constructor(
    readonly problem: CaptureProblem,
    readonly why: string,
  ) {
    super(`The capture cannot be read: ${why}.`);
  }
}

export function noSuch(what: string, id: number): CaptureError {
  return new CaptureError("badReference", `there is no ${what} ${id}`);
}

export function tooMany(what: string, limit: number): CaptureError {
  return new CaptureError("tooMany", `it holds more than ${limit} ${what}`);
}

export function damaged(what: string): CaptureError {
  return new CaptureError("damaged", `${what} is damaged`);
}
