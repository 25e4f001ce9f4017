// @ts-check
/** What the document's actions need of the browser: a canvas, and a pause that no tab makes long. */

/** @import { Font, Picture } from "../document/page_layout.js" */
/** @import { HostPowers } from "../document/document_host.js" */
/** @import { TaskTable } from "../../dispatcher/task_table.js" */

/**
 * @param {() => TaskTable} tasks
 * @returns {HostPowers}
 */
export function pagePowers(tasks) {
  const ruler = drawing(1, 1).context;
  let shown = "";
  return {
    tasks,
    pause: pauses(),
    measure(text, font) {
      // Setting a font is what costs.
      const name = fontName(font);
      if (name !== shown) ruler.font = shown = name;
      return ruler.measureText(text).width;
    },
    png,
  };
}

/** A timer of a tab that nobody looks at may take a minute; a message comes after what waits now. */
function pauses() {
  const { port1, port2 } = new MessageChannel();
  /** @type {(() => void)[]} */
  const waiting = [];
  port1.onmessage = () => waiting.shift()?.();
  return (/** @type {() => void} */ callback) => {
    waiting.push(callback);
    port2.postMessage(null);
  };
}

/**
 * @param {Picture} picture
 * @returns {Uint8Array}
 */
function png({ width, height, background, items }) {
  const { canvas, context } = drawing(width, height);
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
  for (const item of items) {
    context.fillStyle = item.colour;
    if (item.kind === "box") {
      context.fillRect(item.x, item.y, item.width, item.height);
    } else {
      context.font = fontName(item.font);
      context.fillText(item.text, item.x, item.y);
    }
  }
  // The canvas holds nothing but our own text, so that its bytes may be read.
  const encoded = canvas.toDataURL("image/png").replace(/^data:image\/png;base64,/, "");
  return Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
}

/**
 * @param {number} width
 * @param {number} height
 */
function drawing(width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("the browser gives no canvas");
  return { canvas, context };
}

/** @param {Font} font */
function fontName({ family, size, weight, italic }) {
  return `${italic ? "italic " : ""}${weight} ${size}px ${family}`;
}
