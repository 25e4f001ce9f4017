// @ts-check
/** Arrow keys, Home and End move between the buttons of a group; Tab still reaches each. */

/** @type {Readonly<Record<string, (at: number, last: number) => number>>} */
const MOVES = {
  ArrowDown: (at, last) => (at === last ? 0 : at + 1),
  ArrowRight: (at, last) => (at === last ? 0 : at + 1),
  ArrowUp: (at, last) => (at === 0 ? last : at - 1),
  ArrowLeft: (at, last) => (at === 0 ? last : at - 1),
  Home: () => 0,
  End: (_at, last) => last,
};

/** @param {HTMLElement} group */
export function bindArrowKeys(group) {
  group.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    if (move === undefined || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    const buttons = [...group.querySelectorAll("button")].filter(
      (button) => !button.disabled && button.checkVisibility(),
    );
    const at = buttons.findIndex((button) => button === event.target);
    if (at < 0) return;
    event.preventDefault();
    buttons[move(at, buttons.length - 1)]?.focus();
  });
}
