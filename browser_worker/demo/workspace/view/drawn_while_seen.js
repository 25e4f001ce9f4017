// @ts-check
/** When a part is drawn that may change by the hundred: once in a frame, and only while it is seen. */

export class DrawnWhileSeen {
  /** @param {() => void} draw */
  constructor(draw) {
    this._draw = draw;
    this._waits = false;
    this._visible = false;
  }

  /** @param {boolean} visible */
  setVisible(visible) {
    this._visible = visible;
    this.soon();
  }

  /** Draws with the next frame, however often that is asked for. */
  soon() {
    if (this._waits || !this._visible) return;
    this._waits = true;
    requestAnimationFrame(() => {
      this._waits = false;
      if (this._visible) this._draw();
    });
  }
}
