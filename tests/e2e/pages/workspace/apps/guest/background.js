// @ts-check
/** The part of a test's app that is not seen: its badge, its connection. */

import { connections, exposeTool, tray } from "../../../../app/index.js";

exposeTool(
  "guest_badge",
  {
    description: "Shows a number in the tray.",
    inputSchema: { type: "object", properties: { badge: {} }, required: ["badge"] },
  },
  ({ badge }) => tray.setState({ badge }),
);

/** The connection that was made last. */
let connection = "";

exposeTool("guest_connect", { description: "Opens the vault." }, async () => {
  ({ connection } = await connections.request({ provider: "vault", reason: "To open it." }));
  const { credential } = await connections.credential({ connection });
  return { length: credential.length };
});
exposeTool("guest_credential", { description: "Opens the vault by that again." }, () =>
  connections.credential({ connection }).then(
    ({ credential }) => ({ length: credential.length }),
    ({ code, data }) => ({ refused: code, data }),
  ),
);
