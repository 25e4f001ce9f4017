// @ts-check
/** What of an object or array was looked at, for the `unevaluated` keywords. */
export class Marks {
  constructor() {
    this.allNames = false;
    /** @type {Set<string>} */
    this.names = new Set();
    this.allItems = false;
    this.itemsBelow = 0;
    /** @type {Set<number>} */
    this.items = new Set();
  }

  /** @param {Marks} other */
  add(other) {
    this.allNames ||= other.allNames;
    for (const name of other.names) this.names.add(name);
    this.allItems ||= other.allItems;
    this.itemsBelow = Math.max(this.itemsBelow, other.itemsBelow);
    for (const item of other.items) this.items.add(item);
  }
}
