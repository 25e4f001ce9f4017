// @ts-check
/**
 * What carries calls to the page and results away, as its owner sees it. Types only.
 *
 * `worker_link.js` does the work in the worker; `worker_transport.js` stands for it in the page.
 */

/** @import { Cause } from "./attachment_cause.js" */
/** @import { PageState } from "./bridge_api.js" */
/** @import { ChannelOffer } from "./channel_offer.js" */
/** @import { ConnectAnswer } from "./connect_answer.js" */
/** @import { Reading } from "./deadlines.js" */
/** @import { TransportNote } from "./transport_note.js" */

/**
 * @typedef {object} DeliveredItem One thing to do, as it is handed to the page.
 * @property {string} id
 * @property {number} seq
 * @property {string} session
 * @property {number} remainingMs Until its deadline, at `receivedAt`.
 * @property {string | null} request JSON text, or null: close the session.
 */

/** @typedef {"channel" | "polling"} Carrier What carries the calls at present. */

/**
 * @typedef {object} TransportEvents What a transport tells its owner.
 * @property {(items: DeliveredItem[], receivedAt: Reading) => void} onItems
 * @property {(answer: ConnectAnswer) => void} onConnected It had to connect anew: the bridge knows
 *   nothing of what it delivered before.
 * @property {() => void} onLive
 * @property {(cause: Cause) => void} onLost It is trying to come back.
 * @property {() => void} onUnreached Nothing is there: it was killed, say, or the way to it is cut. Whoever made
 *   a call was told that this page is gone, unless the bridge knows nothing of the cut yet. It may still come back.
 * @property {(carrier: Carrier, note: TransportNote) => void} onCarrier The first time and on every
 *   change; the note says why it is not the channel.
 * @property {(cause: Cause) => void} onEnded It has given up for good, and the token is wiped.
 */

/**
 * @typedef {object} Transport
 * @property {(client: string, offer: ChannelOffer | null | undefined) => void} start
 *   The offer that came with the client; undefined where it is too old to be used.
 * @property {() => void} stop Nothing is sent or told afterwards.
 * @property {(id: string, response: string | null) => void} postResult Null: it is too large.
 * @property {(id: string, seq: number) => void} begun The page's main thread has begun an item.
 * @property {(state: PageState) => void} setPageState
 */

export {};
