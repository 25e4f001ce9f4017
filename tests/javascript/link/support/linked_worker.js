// @ts-check
/** The link of a worker with a scripted bridge, sockets and time. */

import { makeBridgeApi } from "../../../../browser_worker/link/bridge_api.js";
import { makeWorkerLink } from "../../../../browser_worker/link/worker_link.js";
import { FakeSockets } from "./fake_sockets.js";
import { FakeTime } from "./fake_time.js";
import { ScriptedBridge, TOKEN, URL_OF_BRIDGE } from "./scripted_bridge.js";

/** @import { ChannelOffer } from "../../../../browser_worker/link/channel_offer.js" */
/** @import { DeliveredItem } from "../../../../browser_worker/link/transport.js" */

export const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"agent/info"}';

/**
 * @param {string} [ticket]
 * @returns {ChannelOffer}
 */
export const offer = (ticket = "ticket-0123456789") => ({ path: "/channel", ticket });

/**
 * @param {object} [options]
 * @param {ChannelOffer | null} [options.first] what came with the client
 * @param {boolean} [options.channel] false: the app wants none
 * @param {boolean} [options.forbidden] the constructor throws
 */
export function startLink({ first = offer(), channel = true, forbidden = false } = {}) {
  const time = new FakeTime();
  const bridge = new ScriptedBridge();
  const sockets = new FakeSockets();
  sockets.forbidden = forbidden;
  /** @type {string[]} */
  const told = [];
  /** @type {DeliveredItem[]} */
  const items = [];
  const link = makeWorkerLink({
    api: makeBridgeApi({ fetch: bridge.fetch, url: URL_OF_BRIDGE, token: TOKEN }),
    url: URL_OF_BRIDGE,
    app: "Editor",
    makeSocket: channel ? sockets.make : null,
    setTimer: time.setTimer,
    clock: time.clock,
    random: () => 0.5,
    onItems: (more) => void items.push(...more),
    onConnected: (answer) => void told.push(`connected ${answer.client}`),
    onLive: () => void told.push("live"),
    onLost: (cause) => void told.push(`lost ${cause}`),
    onUnreached: () => void told.push("unreached"),
    onCarrier: (carrier, note) => void told.push(`${carrier} ${note}`),
    onEnded: (cause) => void told.push(`ended ${cause}`),
  });
  link.start("client-1", first);
  return { time, bridge, sockets, told, items, link };
}

/** A link whose channel is open. */
export async function openLink() {
  const link = startLink();
  await link.sockets.last.open();
  return link;
}

/**
 * A poll's answer, or a frame, that offers a channel.
 *
 * @param {string} answer
 * @param {ChannelOffer | null} [given]
 */
export function offering(answer, given = offer()) {
  return answer.replace(/\}$/, `,"channel":${JSON.stringify(given)}}`);
}
