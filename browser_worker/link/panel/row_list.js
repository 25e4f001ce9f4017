// @ts-check
/**
 * Keeps the children of a list in step with rows: an element is made once for each key and drawn again
 * only when its row is another object, so that scrolling, selection and focus stay where they were.
 */

/**
 * @template {{ readonly key: string | number }} Row
 */
export class RowList {
  /** @type {Map<string | number, { element: HTMLElement, row: Row }>} */
  #shown = new Map();
  #list;
  #draw;

  /**
   * @param {HTMLElement} list
   * @param {(element: HTMLElement, row: Row) => void} draw
   */
  constructor(list, draw) {
    this.#list = list;
    this.#draw = draw;
  }

  /** @param {readonly Row[]} rows */
  show(rows) {
    const keys = new Set(rows.map((row) => row.key));
    for (const [key, { element }] of this.#shown) {
      if (keys.has(key)) continue;
      element.remove();
      this.#shown.delete(key);
    }
    /** @type {ChildNode | null} */
    let next = this.#list.firstChild;
    for (const row of rows) {
      const element = this.#element(row);
      if (element === next) next = element.nextSibling;
      else this.#list.insertBefore(element, next);
    }
  }

  /** @param {Row} row */
  #element(row) {
    const known = this.#shown.get(row.key);
    if (known?.row === row) return known.element;
    const element = known?.element ?? this.#list.ownerDocument.createElement("li");
    this.#draw(element, row);
    this.#shown.set(row.key, { element, row });
    return element;
  }
}
