/* global addEventListener, document, location */
/** The peer's page of the benchmarks: one tool that gives its input back, as its README says. */

navigator.modelContext.registerTool({
  name: "bench_echo",
  description: "Gives its input back",
  inputSchema: { type: "object", properties: {} },
  execute: async (input) => ({ content: [{ type: "text", text: JSON.stringify(input) }] }),
});
// Its port is known only at run time; the relay's own script reads it from an attribute.
addEventListener("DOMContentLoaded", () => {
  const embed = document.createElement("script");
  embed.src = "../relay/webmcp-local-relay/dist/browser/embed.js";
  embed.dataset.relayPort = location.hash.slice(1);
  document.body.append(embed);
});
