// @ts-check
/** Asks at each press of the pointer, and takes the keyboard as often as it is told to. */

const field = /** @type {HTMLInputElement} */ (document.getElementById("field"));

addEventListener("pointerdown", () => parent.postMessage({ ask: true }, "*"));
addEventListener("keydown", ({ key }) => parent.postMessage({ typed: key }, "*"));
addEventListener("message", ({ data }) => {
  if (data.steal === "once") take();
  if (data.steal === "always") setInterval(take, 20);
});

function take() {
  window.focus();
  field.blur();
  field.focus();
  parent.postMessage({ stole: true }, "*");
}
