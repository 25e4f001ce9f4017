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
exposeTool("guest_connect", { description: "Opens the vault." }, async () => {
  const { connection } = await connections.request({ provider: "vault", reason: "To open it." });
  const { credential } = await connections.credential({ connection });
  return { length: credential.length };
});
