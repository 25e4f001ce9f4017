// @ts-check
/**
 * Keys as an app asks for them: made and removed by its focused tile, and derived from where its
 * manifest says, which a tray never is. Contract: bus, private actions.
 */

import { payloadReader, requireThere } from "./private_parts.js";

/** @import { KeyProvider } from "./key_provider.js" */
/** @import { PrivateKernel } from "./private_parts.js" */

const NAME = { type: "string", pattern: "^[a-z0-9][a-z0-9_.-]{0,59}$" };
const MIN_BYTES = 16;
const MAX_BYTES = 64;

const readList = payloadReader("vetkeys.list");
const readCreate = payloadReader("vetkeys.create", { name: NAME });
const readRemove = payloadReader("vetkeys.remove", { name: NAME });
const readDerive = payloadReader("vetkeys.derive", {
  name: NAME,
  context: { type: "string", maxLength: 1_024 },
  bytes: { type: "integer", minimum: MIN_BYTES, maximum: MAX_BYTES },
});

/**
 * @param {PrivateKernel} kernel
 * @param {{ keys: KeyProvider }} more
 */
export function addVetkeyActions(kernel, { keys }) {
  kernel.addKeeper({
    forgetApp: (app) => {
      // Another version of it keeps its keys; another app that comes to have the name gets none.
      if (kernel.apps().some(({ id }) => id === app)) return;
      void keys.forgetApp(app).catch(() => {});
    },
  });

  kernel.private.on("vetkeys.list", async (payload, { app }) => {
    readList(payload);
    return { keys: await keys.list(app) };
  });

  kernel.private.on("vetkeys.create", async (payload, { app }) => {
    const { name } = readCreate(payload);
    await keys.create(app, name);
    return { name };
  });

  kernel.private.on("vetkeys.remove", async (payload, { app }) => {
    const { name } = readRemove(payload);
    await keys.remove(app, name);
    return {};
  });

  kernel.private.on("vetkeys.derive", async (payload, source) => {
    const { name, context, bytes } = readDerive(payload);
    const derived = await keys.derive(source.app, name, context, bytes);
    requireThere(source, "nothing was given");
    return { key: base64url(derived) };
  });
}

/** @param {Uint8Array} bytes */
function base64url(bytes) {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
