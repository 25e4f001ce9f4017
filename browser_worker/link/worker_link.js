// @ts-check
/**
 * The link as it runs in the worker: one state, carried by long polling or by a channel. Whichever is
 * the newest takes the results; the calls come over either, and the page knows no difference.
 *
 * Composes the parts; what each decides is theirs. Contract: delivery, liveness, channel.
 */

import { BRIDGE_LIMITS } from "../contract/limits.js";
import { ackFrame, resultFrame, resultFrames } from "./channel_frames.js";
import { ChannelKeeper } from "./channel_keeper.js";
import { LinkState } from "./link_state.js";
import { makePollLoop } from "./poll_loop.js";

/** @import { BridgeApi } from "./bridge_api.js" */
/** @import { MakeSocket } from "./channel.js" */
/** @import { Clock, SetTimer } from "./powers.js" */
/** @import { Result } from "./result_outbox.js" */
/** @import { Transport, TransportEvents } from "./transport.js" */

/**
 * @typedef {object} WorkerLinkPowers
 * @property {BridgeApi} api
 * @property {string} url The bridge's address.
 * @property {string} app
 * @property {MakeSocket | null} makeSocket null: the app wants no channel.
 * @property {SetTimer} setTimer
 * @property {Clock} clock
 * @property {() => number} random
 */

/**
 * @typedef {object} WorkerLinkExtras
 * @property {(results: readonly { id: string, response: string | null }[]) => void} postResults Several
 *   at once, which go up the channel together.
 * @property {() => void} blockedByPolicy The browser reports that the worker's policy stopped the
 *   WebSocket.
 */

const MAX_FRAME_BYTES = BRIDGE_LIMITS.maxBodyBytes;

/**
 * @param {WorkerLinkPowers & TransportEvents} powers
 * @returns {Transport & WorkerLinkExtras}
 */
export function makeWorkerLink(powers) {
  const { clock } = powers;
  /** What was announced last. */
  let announced = "";

  const state = new LinkState({ ...powers, onEnded }, (seq) =>
    channel.send(ackFrame(state.ack, seq), state.ack),
  );
  const channel = new ChannelKeeper({
    ...powers,
    ack: () => state.ack,
    onOpen() {
      announce();
      state.outbox.openChannel(push);
      state.markLive();
      loop.hurry();
    },
    onItems: (frame) => state.pushed(frame, clock()),
    onRefused: ({ id, code }) => state.outbox.refused(id, code),
    onAlive: () => state.outbox.forgetOld(),
    onEnd() {
      announce();
      state.outbox.closeChannel();
    },
    onNote: () => {
      if (announced !== "") announce();
    },
  });
  const loop = makePollLoop({ ...powers, state, channel, onPolling: announce });

  /** @param {Result[]} results */
  function push(results) {
    const { ack } = state;
    const [only] = results;
    if (results.length === 1 && only !== undefined) {
      // The usual case is not measured: the page has done so, and one response fits any frame.
      channel.send(resultFrame(only, ack), ack);
      return;
    }
    for (const frame of resultFrames(results, ack, MAX_FRAME_BYTES)) {
      if (!channel.send(frame, ack)) return;
    }
  }

  function announce() {
    if (state.stopped) return;
    const carrier = channel.isOpen ? "channel" : "polling";
    const now = `${carrier} ${channel.note}`;
    if (now === announced) return;
    announced = now;
    powers.onCarrier(carrier, channel.note);
  }

  /** @param {import("./attachment_cause.js").Cause} cause */
  function onEnded(cause) {
    channel.leave();
    powers.onEnded(cause);
  }

  return {
    start(client, offer) {
      state.client = client;
      if (offer !== undefined) channel.offered(offer);
      void loop.run();
    },
    stop() {
      state.stop();
      channel.leave();
      loop.hurry();
    },
    postResult(id, response) {
      this.postResults([{ id, response }]);
    },
    postResults(results) {
      for (const { id } of results) state.taken.done(id);
      if (!state.stopped) state.outbox.post(results);
    },
    begun(id, seq) {
      if (!state.stopped && state.outbox.expects(id)) state.taken.begun(id, seq);
    },
    setPageState(pageState) {
      state.pageState = pageState;
    },
    blockedByPolicy: () => channel.blockedByPolicy(),
  };
}
