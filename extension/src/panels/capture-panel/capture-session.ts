// What all panels of a capture have in common: they build their data when it is time, and show a text when there is no data or building it failed.
// Knows no editor: its surroundings are handed in.

import type { CaptureRemark, EmptyPage } from "../../../../contract/messages/any-page.js";
import { errorText } from "../../text/error-text.js";
import { RefreshSchedule, type Clock } from "./refresh-schedule.js";
import { emptyPage, failedPage, type CaptureTexts, type ShownCapture } from "./shown-capture.js";

/** The function that is selected in all views of the capture. */
export interface SelectedFunction {
  /** Its index in the capture; undefined for none. */
  current(): number | undefined;
  select(functionIndex: number): void;
}

export interface CaptureSessionHost<ToWebview> extends Clock {
  readonly texts: CaptureTexts;
  /** Undefined: the selection is the page's own. */
  readonly selected?: SelectedFunction;
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
  /** The function that the page has selected, as far as it is known, and of which capture. */
  #marked = "";

  constructor(host: SessionHost) {
    this.host = host;
    this.schedule = new RefreshSchedule(host, () => this.#build());
  }

  /** Messages about what to show; the others are none of its business. */
  abstract receive(message: ToHost): void;

  /** Sends what the page shows of a capture that has samples. */
  protected abstract build(shown: ShownCapture): void;

  /** Selects a function in the page without taking the focus. Absent: the page selects no functions. */
  protected mark?(functionIndex: number, shown: ShownCapture): void;

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

  /** Another function of the capture was selected, in this page or elsewhere. */
  selectionChanged(): void {
    if (this.mark === undefined) return;
    if (!this.schedule.isInSight) return this.schedule.soon();
    const shown = this.host.current();
    if (shown) this.#mark(shown);
  }

  dispose(): void {
    this.schedule.dispose();
  }

  /** The page listens, and knows nothing yet. */
  protected pageReady(): void {
    this.#marked = "";
    this.schedule.pageReady();
  }

  /** The reader has selected a function in the page. */
  protected select(functionIndex: number): void {
    const shown = this.host.current();
    if (shown === undefined || functionIndex < 0) return;
    this.#marked = markOf(functionIndex, shown);
    this.host.selected?.select(functionIndex);
  }

  #mark(shown: ShownCapture): void {
    const functionIndex = this.host.selected?.current();
    if (functionIndex === undefined || this.#marked === markOf(functionIndex, shown)) return;
    this.#marked = markOf(functionIndex, shown);
    this.mark?.(functionIndex, shown);
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
      else {
        this.build(shown);
        this.#mark(shown);
      }
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

function markOf(functionIndex: number, { uri }: ShownCapture): string {
  return `${String(functionIndex)} ${uri}`;
}
