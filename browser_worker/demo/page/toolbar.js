// @ts-check
/** A toolbar as ARIA wants it: one stop for Tab, arrow keys within. Knows nothing of what its items do. */

/** @param {HTMLElement} toolbar */
export function bindToolbar(toolbar) {
  /** @returns {HTMLElement[]} */
  const items = () => [...toolbar.querySelectorAll(/** @type {"button"} */ ("button, select"))];
  /** @param {HTMLElement} item */
  const makeStop = (item) => {
    for (const each of items()) each.tabIndex = each === item ? 0 : -1;
  };
  toolbar.addEventListener("focusin", ({ target }) => {
    const item = items().find((each) => each === target);
    if (item !== undefined) makeStop(item);
  });
  toolbar.addEventListener("keydown", (event) => {
    const all = items();
    const now = all.indexOf(/** @type {HTMLElement} */ (event.target));
    if (now === -1 || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: all.length - 1 };
    if (!Object.hasOwn(steps, event.key)) return;
    const next = steps[/** @type {keyof typeof steps} */ (event.key)];
    event.preventDefault();
    all[(next + all.length) % all.length]?.focus();
  });
  const [first] = items();
  if (first !== undefined) makeStop(first);
}

/**
 * Says that a button can do nothing now, and leaves it where the keyboard finds it.
 *
 * @param {HTMLButtonElement} button
 * @param {boolean} enabled
 */
export function setEnabled(button, enabled) {
  button.setAttribute("aria-disabled", String(!enabled));
}
