// @ts-check
/** A line that tells a person something, with what they can do about it; it stays until they have. */

/** @typedef {{ label: string, run: () => void }} Choice */

/** One place for notices. A newer one takes the place of an older. */
export class Notices {
  /** @param {HTMLElement} place A live region. */
  constructor(place) {
    this._place = place;
  }

  /**
   * @param {string} words
   * @param {readonly Choice[]} [choices] Without any it can be dismissed.
   */
  show(words, choices = [{ label: "Dismiss", run: () => {} }]) {
    const text = document.createElement("span");
    text.textContent = words;
    const buttons = choices.map(({ label, run }) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.addEventListener("click", () => {
        this.clear();
        run();
      });
      return button;
    });
    this._place.replaceChildren(text, ...buttons);
    this._place.hidden = false;
  }

  clear() {
    this._place.hidden = true;
    this._place.replaceChildren();
  }
}
