// What all panels of a capture have in common: they build their data when it is time, and show a text when there is no data or building it failed.
// Knows no editor: its surroundings are handed in.

import type { CaptureRemark, EmptyPage } from "../../../../contract/messages/any-page.js";
import { errorText } from "../../text/error-text.js";
import { RefreshSchedule, type Clock } from "./refresh-schedule.js";
import { emptyPage, failedPage, type CaptureTexts, type ShownCapture } from "./shown-capture.js";

export interface CaptureSessionHost<ToWebview> extends Clock {
  readonly texts: CaptureTexts;
  current(): ShownCapture | undefined;
  post(message: ToWebview | EmptyPage | CaptureRemark): void;
  problem(error: unknown): void;
}

export abstract class CaptureSession<
  ToHost,
  ToWebview,
  SessionHost extends CaptureSessionHost<ToWebview> = CaptureSessionHost<ToWebview>,
> {
  protected readonly host: SessionHost;
  protected readonly schedule: RefreshSchedule;
  /** File of the capture in the page; of a restored page, the file that it had. Empty before there was one. */
  protected uri = "";
  #remark = "";

  constructor(host: SessionHost) {
    this.host = host;
    this.schedule = new RefreshSchedule(host, () => this.#build());
  }

  /** Messages about what to show; the others are none of its business. */
  abstract receive(message: ToHost): void;

  /** Sends what the page shows of a capture that has samples. */
  protected abstract build(shown: ShownCapture): void;

  /** A choice for one capture may mean nothing in another. */
  protected forgetCapture?(): void;

  setVisible(visible: boolean): void {
    this.schedule.setVisible(visible);
  }

  /** Another capture is in view, or none. */
  captureChanged(): void {
    this.schedule.now();
  }

  /** The capture grew or ended. */
  captureUpdated(): void {
    this.schedule.soon();
  }

  dispose(): void {
    this.schedule.dispose();
  }

  #build(): void {
    const { texts, post } = this.host;
    try {
      const shown = this.host.current();
      if (shown) {
        if (this.uri !== "" && this.uri !== shown.uri) this.forgetCapture?.();
        this.uri = shown.uri;
      }
      this.#say(shown === undefined ? "" : texts.remark(shown.capture.facts));
      if (!shown || shown.capture.totals.samples === 0) post(emptyPage(shown, texts));
      else this.build(shown);
    } catch (error) {
      this.host.problem(error);
      post(failedPage(errorText(error), texts));
    }
  }

  /** Again with each answer: the page may be another one by now. */
  #say(text: string): void {
    if (text !== "" || this.#remark !== "") this.host.post({ type: "captureRemark", text });
    this.#remark = text;
  }
}
