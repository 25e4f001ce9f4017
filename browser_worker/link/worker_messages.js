// @ts-check
/**
 * What the page and its worker say to each other: flat records of strings and numbers that the link
 * made itself. No value of an app is ever posted, so none can fail to be cloned.
 *
 * Types only; the two ends are `worker_transport.js` and `worker_service.js`.
 */

/** @import { Cause } from "./attachment_cause.js" */
/** @import { PageState } from "./bridge_api.js" */
/** @import { Reading } from "./deadlines.js" */
/** @import { DeliveredItem } from "./poll_loop.js" */

/**
 * @typedef {{ type: "start", url: string, token: string, app: string, client: string, pageState: PageState }} StartMessage
 * @typedef {{ type: "result", id: string, response: string | null }} ResultMessage
 * @typedef {{ type: "begun", id: string, seq: number }} BegunMessage
 * @typedef {{ type: "page", state: PageState }} PageStateMessage
 * @typedef {{ type: "stop" }} StopMessage
 * @typedef {StartMessage | ResultMessage | BegunMessage | PageStateMessage | StopMessage} ToWorker
 */

/**
 * @typedef {{ type: "started", at: Reading }} StartedMessage
 * @typedef {{ type: "items", items: DeliveredItem[], at: Reading }} ItemsMessage
 * @typedef {{ type: "connected", client: string, maxMessageBytes: number }} ConnectedMessage
 * @typedef {{ type: "live" }} LiveMessage
 * @typedef {{ type: "lost", cause: Cause }} LostMessage
 * @typedef {{ type: "ended", cause: Cause }} EndedMessage
 * @typedef {StartedMessage | ItemsMessage | ConnectedMessage | LiveMessage | LostMessage | EndedMessage} ToPage
 */

export {};
