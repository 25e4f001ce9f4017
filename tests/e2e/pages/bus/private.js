// @ts-check
/**
 * A trusted page with two tiles, a background and the private actions. It tells a test by its console
 * what happens: to be looked at would count as a click of the person's.
 */

import { ConsentQueue } from "/kernel/consent/consent_queue.js";
import { FrameHandshake } from "/kernel/frames/frame_handshake.js";
import { Kernel } from "/kernel/kernel.js";
import { pagePowers } from "/kernel/kernel_powers.js";
import { MountedFrame } from "/kernel/frames/mounted_frame.js";
import { ActivationWatch } from "/kernel/private/activation_watch.js";
import { addClipboardAction } from "/kernel/private/clipboard_action.js";
import { addConnectionActions } from "/kernel/private/connection_actions.js";
import { enteredCredentials } from "/kernel/private/entered_credentials.js";
import { WebCryptoKeys } from "/kernel/private/key_provider.js";
import { storedKeys } from "/kernel/private/key_stores.js";
import { pageAttention } from "/kernel/private/page_attention.js";
import { addTrayActions } from "/kernel/private/tray_actions.js";
import { addVetkeyActions } from "/kernel/private/vetkey_actions.js";
import { addWalletActions } from "/kernel/private/wallet_actions.js";
import { pageWalletEvents } from "/kernel/private/wallet_directory.js";

/** @param {string} what @param {unknown} [more] */
function tell(what, more = null) {
  console.info(`told ${JSON.stringify([what, more])}`);
}

const attack = new URLSearchParams(location.search).get("board");
const powers = pagePowers();
const frames = new Map();
const watch = new ActivationWatch({
  view: pageAttention(window),
  frames: (element) => frames.get(element)?.endpoint ?? null,
  powers,
});
const declares = {
  tray: true,
  wallets: true,
  connections: ["mail"],
  vetkeys: ["tile"],
};
const apps = ["notes", "board"].map((id) => ({ id, name: id, version: "1", declares }));
const kernel = new Kernel({
  powers,
  apps: () => apps,
  attention: {
    focusedEndpoint: () => watch.focusedEndpoint(),
    activation: () => {
      const { active, moved } = watch.activation();
      tell("looked", { focused: watch.focusedEndpoint(), active, moved });
      return { active, moved };
    },
  },
});

const consent = new ConsentQueue(powers);
const dialog = /** @type {HTMLDialogElement} */ (document.querySelector("#asked"));
const entered = /** @type {HTMLInputElement} */ (document.querySelector("#entered"));
/** Who had the keyboard. @type {HTMLElement | null} */
let before = null;
consent.onChange(() => {
  const { current } = consent;
  if (current === null || dialog.open) return;
  document.querySelector("#title").textContent = current.prompt.title;
  before = /** @type {HTMLElement} */ (document.activeElement);
  dialog.showModal();
  tell("asked", current.prompt.title);
});
/** @param {boolean} allow */
function answer(allow) {
  const { current } = consent;
  // Closed first: the tile has the keyboard again when it is answered.
  dialog.close();
  // Not every browser gives it back to a frame.
  before?.focus();
  if (current === null) return;
  const [choice] = current.prompt.choices;
  consent.answer(
    current.id,
    allow ? { allow, choice: choice.id, value: entered.value } : { allow },
  );
}
document.querySelector("#allow")?.addEventListener("click", () => answer(true));
document.querySelector("#deny")?.addEventListener("click", () => answer(false));

/** What it signs with never leaves it. */
const wallet = {
  secret: "the wallet's own key",
  request: async ({ method, params }) => {
    tell("wallet", [method, params]);
    if (method === "eth_requestAccounts") return [`0x${"ab".repeat(20)}`];
    return method === "eth_chainId" ? "0x1" : "0x5161";
  },
};
const info = {
  uuid: "350670db",
  name: "Test Wallet",
  rdns: "test.wallet",
  icon: "data:image/png;,",
};
addEventListener("eip6963:requestProvider", () => {
  const detail = Object.freeze({ info, provider: wallet });
  dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
});

addClipboardAction(kernel, {
  consent,
  attention: watch,
  writeText: async (text) => {
    await navigator.clipboard.writeText(text);
    tell("written", text);
  },
});
addTrayActions(kernel, {
  onBadge: (app, badge) => tell("badge", [app, badge]),
  onDismiss: (_app, endpoint) => {
    for (const { frame } of frames.values()) if (frame.endpoint === endpoint) frame.unmount();
    tell("dismissed", endpoint);
  },
  powers,
});
addConnectionActions(kernel, { consent, providers: enteredCredentials(), powers });
addWalletActions(kernel, { consent, events: pageWalletEvents(window), powers });
addVetkeyActions(kernel, {
  keys: new WebCryptoKeys({
    subtle: crypto.subtle,
    fillRandom: (bytes) => crypto.getRandomValues(bytes),
    store: storedKeys(indexedDB),
    wallNow: powers.wallNow,
  }),
});

const parts = {
  kernel,
  powers,
  handshake: new FrameHandshake(
    {
      addEventListener: (type, listener) => addEventListener(type, listener),
      removeEventListener: (type, listener) => removeEventListener(type, listener),
      makeChannel: () => new MessageChannel(),
    },
    powers,
  ),
};

/** @param {string} app @param {"tile" | "background" | "tray"} kind */
function mount(app, kind) {
  return new Promise((resolve) => {
    const place = { app, kind };
    if (kind === "tile") Object.assign(place, { tile: "main", instance: "1" });
    if (kind === "tray") Object.assign(place, { instance: "1" });
    const frame = new MountedFrame(
      document.body,
      {
        place,
        url: "./apps/private.html",
        title: `${app} ${kind}`,
        onState: (state) => {
          if (state === "connected") resolve(frame);
          if (kind === "tray") tell("tray", state);
        },
      },
      parts,
    );
    if (kind === "tile") frame.element.id = app;
    else frame.element.hidden = true;
    const entry = {
      frame,
      get endpoint() {
        return frame.endpoint;
      },
    };
    frames.set(frame.element, entry);
  });
}

/** @param {string} app @param {string} name @param {string} [kind] @param {any} [given] */
async function run(app, name, kind = "tile:main:instance:1", given = {}) {
  const target = `app:${app}:${kind}`;
  try {
    const { result } = await kernel.call({ target, name, arguments: given, timeoutSeconds: 60 });
    tell(`${app} ${name}`, result);
    return result;
  } catch (error) {
    tell(`${app} ${name}`, { failed: error.code, message: error.message });
    return null;
  }
}

await Promise.all([mount("notes", "tile"), mount("board", "tile"), mount("notes", "background")]);
Object.assign(window, { kernel, run, mount, consent });

let active = true;
const quiet = async () => {
  const { isActive } = navigator.userActivation;
  if (active && !isActive) {
    // It has to see for itself that the click is over.
    watch.activation();
    tell("quiet", document.activeElement?.id);
  }
  active = isActive;
  setTimeout(quiet, 50);
};
// Before anybody has clicked, a tile asks by itself.
const wait = () =>
  new Promise((resolve) => {
    const look = () => (navigator.userActivation.isActive ? setTimeout(look, 50) : resolve(null));
    look();
  });
await wait();
await run("notes", "copy_now");
if (attack === "guard") await run("board", "guard");
if (attack === "steal") void run("board", "steal");
await wait();
await quiet();
