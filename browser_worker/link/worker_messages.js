// @ts-check
/**
 * What the page and its worker say to each other: flat records of strings and numbers that the link
 * made itself. No value of an app is ever posted, so none can fail to be cloned.
 *
 * Types only; the two ends are `worker_transport.js` and `worker_service.js`.
 */

/** @import { Cause } from "./attachment_cause.js" */
/** @import { PageState } from "./bridge_api.js" */
/** @import { ChannelOffer } from "./channel_offer.js" */
/** @import { ConnectAnswer } from "./connect_answer.js" */
/** @import { Reading } from "./deadlines.js" */
/** @import { Carrier, DeliveredItem } from "./transport.js" */
/** @import { TransportNote } from "./transport_note.js" */

/**
 * @typedef {object} Start
 * @property {string} url
 * @property {string} token
 * @property {string} app
 * @property {string} client
 * @property {PageState} pageState
 * @property {boolean} channel Whether the app wants one.
 * @property {ChannelOffer | null} offer The one that came with `client`.
 * @property {number} offeredWallMs
 */

/**
 * @typedef {Start & { type: "start" }} StartMessage
 * @typedef {{ type: "result", id: string, response: string | null }} ResultMessage
 * @typedef {{ type: "begun", id: string, seq: number }} BegunMessage
 * @typedef {{ type: "page", state: PageState }} PageStateMessage
 * @typedef {{ type: "stop" }} StopMessage
 * @typedef {{ type: "batch", messages: (BegunMessage | ResultMessage)[] }} BatchMessage In their order.
 * @typedef {StartMessage | BatchMessage | PageStateMessage | StopMessage} ToWorker
 */

/**
 * @typedef {{ type: "started", at: Reading }} StartedMessage
 * @typedef {{ type: "items", items: DeliveredItem[], at: Reading }} ItemsMessage
 * @typedef {{ type: "connected", answer: ConnectAnswer }} ConnectedMessage
 * @typedef {{ type: "live" }} LiveMessage
 * @typedef {{ type: "lost", cause: Cause }} LostMessage
 * @typedef {{ type: "unreached" }} UnreachedMessage
 * @typedef {{ type: "ended", cause: Cause }} EndedMessage
 * @typedef {{ type: "carrier", carrier: Carrier, note: TransportNote }} CarrierMessage
 * @typedef {StartedMessage | ItemsMessage | ConnectedMessage | LiveMessage | LostMessage | UnreachedMessage | EndedMessage | CarrierMessage} ToPage
 */

export {};
