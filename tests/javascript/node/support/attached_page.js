// @ts-check
/** A page without a browser: attaches to a real bridge by long polling and answers by an endpoint. */

import { parse, stringify } from "../../../../browser_worker/contract/strict_json.js";
import { AgentEndpoint } from "../../../../browser_worker/dispatcher/agent_endpoint.js";

/** @import { Dispatcher } from "../../../../browser_worker/dispatcher/dispatcher.js" */
/** @import { BridgeProcess } from "../../../../browser_worker/node/bridge_process.js" */

/** @typedef {{ client: string, detach: () => Promise<void> }} AttachedPage */

/**
 * @param {BridgeProcess} bridge
 * @param {Dispatcher} dispatcher
 * @returns {Promise<AttachedPage>}
 */
export async function attachPage(bridge, dispatcher) {
  const endpoint = new AgentEndpoint(dispatcher);
  const stop = new AbortController();
  const headers = { Authorization: `Bearer ${bridge.token}`, Origin: bridge.origin };

  /** @param {string} path @param {unknown} body */
  const post = async (path, body) => {
    const answer = await fetch(bridge.url + path, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: stringify(body),
    });
    return answer.json();
  };
  const { client } = await post("/connect", { app: "Test" });

  /** @param {{ id: string, session: string, request: unknown, closeSession?: true }} item */
  const answer = async ({ id, session, request, closeSession }) => {
    if (closeSession) {
      endpoint.closeSession(session);
      return post("/result", { client, id, response: null });
    }
    const response = await endpoint.request(stringify(request), { session });
    return post("/result", { client, id, response: response && parse(response) });
  };
  const polling = (async () => {
    let ack = 0;
    while (!stop.signal.aborted) {
      const polled = await fetch(`${bridge.url}/poll?client=${client}`, {
        headers: { ...headers, "Bascule-Ack": String(ack) },
        signal: stop.signal,
      });
      if (polled.status !== 200) return;
      for (const item of parse(await polled.text()).requests) {
        if (item.seq <= ack) continue;
        ack = item.seq;
        void answer(item).catch(() => {});
      }
    }
  })().catch(() => {});
  return {
    client,
    async detach() {
      await post("/disconnect", { client }).catch(() => {});
      stop.abort();
      await polling;
    },
  };
}
