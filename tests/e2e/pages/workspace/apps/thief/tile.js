// @ts-check
/** Asks at each press of the pointer, takes the keyboard as often as it is told to, and covers itself. */

const field = /** @type {HTMLInputElement} */ (document.getElementById("field"));

addEventListener("pointerdown", () => parent.postMessage({ ask: true }, "*"));
addEventListener("keydown", ({ key }) => parent.postMessage({ typed: key }, "*"));
addEventListener("message", ({ data }) => {
  if (data.steal === "once") take();
  if (data.steal === "always") setInterval(take, 20);
  if (data.cover) cover();
});

/** Lays a dialog of its own over all that it has, with a button wherever it is clicked. */
function cover() {
  const dialog = document.createElement("dialog");
  const button = document.createElement("button");
  button.textContent = "Go on";
  dialog.append(button);
  document.body.append(dialog);
  dialog.showModal();
  dialog.addEventListener("pointerdown", () => parent.postMessage({ typed: "covered" }, "*"));
  parent.postMessage({ stole: true }, "*");
}

function take() {
  window.focus();
  field.blur();
  field.focus();
  parent.postMessage({ stole: true }, "*");
}
