// @ts-check
/**
 * When a yes is a person's own: only after the question has been before them, with the keyboard in it
 * and at rest, for as long as it takes to see it. A click that was meant for something else comes
 * sooner. Knows no elements: it is told what happens to the dialog.
 */

/** Longer than the pause within a double click, and than it takes to notice that the page changed. */
export const ARM_MS = 600;

/** @typedef {{ now: () => number, setTimer: (ms: number, callback: () => void) => () => void }} GuardPowers */

export class DialogGuard {
  /**
   * @param {GuardPowers} powers
   * @param {() => void} onChange Told when a yes becomes possible, or no longer is.
   */
  constructor(powers, onChange) {
    this._powers = powers;
    this._onChange = onChange;
    this._shown = false;
    this._attended = false;
    this._restsSince = 0;
    /** A click ends what a press began: both have to come late enough. */
    this._pressedEarly = false;
    this._wasArmed = false;
    this._cancelTimer = () => {};
  }

  /** Whether a yes would be taken now. */
  get armed() {
    // The clock decides, not the timer, which may come early.
    return this._shown && this._attended && this._powers.now() - this._restsSince >= ARM_MS;
  }

  /**
   * A question was put up.
   *
   * @param {boolean} attended Whether the dialog is seen and has the keyboard.
   */
  show(attended) {
    this._shown = true;
    this._attended = attended;
    this._pressedEarly = false;
    this.disturb();
  }

  /** The question was taken away. */
  hide() {
    this._shown = false;
    this._cancelTimer();
    this._tell();
  }

  /** Whether the dialog is seen and has the keyboard, each time it changes. @param {boolean} attended */
  attend(attended) {
    if (attended === this._attended) return;
    this._attended = attended;
    this.disturb();
  }

  /** The dialog was moved, sized anew, or what is in it has changed: it has to rest again. */
  disturb() {
    this._restsSince = this._powers.now();
    this._wait();
    this._tell();
  }

  /** A pointer or a key goes down anywhere in the dialog. Too early, it begins the wait anew. */
  press() {
    this._pressedEarly = !this.armed;
    if (this._pressedEarly) this.disturb();
  }

  /**
   * A click on what says yes.
   *
   * @param {{ isTrusted: boolean, detail: number }} event `detail`: how many clicks there were at that
   *   place in a row.
   * @returns {boolean} Whether the person can have meant it.
   */
  accepts({ isTrusted, detail }) {
    const early = this._pressedEarly;
    this._pressedEarly = false;
    return isTrusted && !early && detail < 2 && this.armed;
  }

  _wait() {
    this._cancelTimer();
    if (!this._shown || !this._attended) return;
    const left = this._restsSince + ARM_MS - this._powers.now();
    this._cancelTimer = this._powers.setTimer(Math.max(1, left), () => {
      if (this.armed) this._tell();
      else this._wait();
    });
  }

  _tell() {
    const { armed } = this;
    if (armed === this._wasArmed) return;
    this._wasArmed = armed;
    this._onChange();
  }
}
