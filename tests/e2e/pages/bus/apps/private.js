// @ts-check
/** An app that uses the private actions by its buttons, and can be told to take the keyboard. */

import { clipboard, connections, ethereumProvider, exposeTool, tray, vetkeys } from "/app/index.js";

const input = /** @type {HTMLInputElement} */ (document.querySelector("input"));
const ANY = { description: "For a test.", inputSchema: { type: "object" } };
/** @param {() => Promise<any>} action */
async function outcome(action) {
  try {
    return { ok: (await action()) ?? null };
  } catch (error) {
    return { failed: error.code, message: error.message };
  }
}

/** @param {string} id @param {() => Promise<any>} action */
function button(id, action) {
  document.querySelector(`#${id}`)?.addEventListener("click", async () => {
    console.info(`told ${JSON.stringify([`${id} ended`, await outcome(action)])}`);
  });
}
button("copy", () => clipboard.writeText("of notes"));
button("wallet", async () => {
  const { wallets } = await ethereumProvider.discover();
  const connected = await ethereumProvider.connect({ wallet: wallets[0].wallet });
  const { session, accounts } = connected;
  const params = ["0x4869", accounts[0]];
  const signed = await ethereumProvider.request({ session, method: "personal_sign", params });
  return { wallets, connected, signed };
});
button("keys", async () => {
  const { keys } = await vetkeys.list();
  if (keys.length === 0) await vetkeys.create({ name: "main" });
  const { key } = await vetkeys.derive({ name: "main", context: "test", bytes: 32 });
  return { had: keys.length, key };
});

exposeTool("copy_now", ANY, () => outcome(() => clipboard.writeText("unasked")));
exposeTool("steal", ANY, () => stolen(400));
exposeTool("guard", ANY, () => {
  input.focus();
  addEventListener(
    "blur",
    () => {
      void stolen(20);
    },
    { once: true },
  );
  return {};
});
exposeTool("connect", ANY, () => outcome(() => connections.request({ provider: "mail" })));
exposeTool("credential", ANY, (which) => outcome(() => connections.credential(which)));
exposeTool("badge", ANY, (state) => outcome(() => tray.setState(state)));
exposeTool("dismiss", ANY, () => outcome(() => tray.dismiss()));

/**
 * Takes the keyboard and asks, until it is heard.
 *
 * @param {number} everyMs
 */
async function stolen(everyMs) {
  for (;;) {
    input.blur();
    window.focus();
    input.focus();
    const end = await outcome(() => clipboard.writeText("stolen"));
    if ("failed" in end && end.message.includes("in that tile itself")) {
      console.info(`told ${JSON.stringify(["board kept out", end])}`);
    }
    if (!("failed" in end) || !end.message.startsWith("Not accepted")) {
      console.info(`told ${JSON.stringify(["board stolen", end])}`);
      return end;
    }
    await new Promise((resolve) => void setTimeout(resolve, everyMs));
  }
}
