// @ts-check
/** The tray of a test's app, which closes itself. */

import { tray } from "../../../../app/index.js";

const dismiss = /** @type {HTMLButtonElement} */ (document.getElementById("dismiss"));
dismiss.addEventListener("click", () => void tray.dismiss());
// Nobody presses it before it is heard.
dismiss.disabled = false;
