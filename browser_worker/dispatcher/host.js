// @ts-check
/**
 * What an app puts behind a dispatcher. Types only.
 */

/** @import { ActionSpec } from "./action_spec.js" */
/** @import { Eventually } from "./eventually.js" */

/** @typedef {{ code: string, reason: string }} Unavailability Machine-readable code and explanation. */

/**
 * @typedef {object} CallContext What a handler is told besides its input.
 * @property {string | undefined} session The agent session that calls; undefined for a local call.
 * @property {() => boolean} cancelRequested True once somebody asked to cancel this call.
 * @property {(reason: string, message: string) => void} defer Says that the call waits for a person, or
 *   will take long. A caller outside is answered with a task at once, and the turn goes to the next
 *   call; the promise that was given completes the task. Said again, it changes the task's progress.
 * @property {(progress: Record<string, unknown>) => void} report Says how far the call is, at most 4 KiB
 *   of JSON. It makes no task of it: the last that was said is told with the task once there is one.
 */

/**
 * @typedef {object} Resource A part of something that the app has too much of for one answer.
 * @property {string} mimeType
 * @property {number} size Bytes of the whole resource.
 * @property {Uint8Array} data From the offset that was asked for, at most as many bytes as were asked
 *   for; empty only at the end.
 */

/**
 * @typedef {object} ListedResource Something that can be read, named before anybody asks for it.
 * @property {string} uri As `readResource` takes it.
 * @property {string} name For a person.
 * @property {string} [title]
 * @property {string} [description]
 * @property {string} [mimeType]
 * @property {number} [size] Bytes.
 */

/**
 * @typedef {object} ResourceTemplate How the names of many resources are made (RFC 6570).
 * @property {string} uriTemplate
 * @property {string} name For a person.
 * @property {string} [title]
 * @property {string} [description]
 * @property {string} [mimeType]
 */

/**
 * @typedef {object} Host
 * @property {() => Eventually<readonly ActionSpec[]>} actions All actions, in the app's own order. Names
 *   and command ids are unique. May be discovered anew at each call.
 * @property {(action?: string) => number | bigint | null} revision The state number of the app, or of the
 *   domain of one action; null where there is none. Moves only with a change of state.
 * @property {() => number | bigint} capabilities The bits that are held now.
 * @property {(action: string, input: any, context: CallContext) => unknown} execute Does it. Gives the
 *   output, a promise of it, or a `Task` (task_table.js) of the dispatcher's table for work that goes on.
 *   In an atomic batch only an output at once: a promise or a task there undoes the batch, and
 *   `cancelRequested` tells the handler, which must change nothing any more.
 * @property {(action: string) => Unavailability | null} [availability] Why an action cannot run now.
 * @property {(action: string) => Unavailability | null} [missing] Why an action that is not among
 *   `actions` cannot be looked for now: its part of the app is away. Null where there is none of its name.
 * @property {() => Unavailability | null} [modal] Why no action can run now: a dialog is open, say.
 * @property {(query: Record<string, unknown>) => Eventually<Record<string, unknown>>} [inspect] A bounded
 *   view of the app's state; what `query` means is the app's own.
 * @property {(domain: string) => boolean} [supportsTransaction] Whether a domain can be put back to what it
 *   was, its revision included. Without it, or unless it gives true, no atomic batch writes there.
 * @property {(domain: string) => void} [beginTransaction] Remembers the domain's state: its revision,
 *   selection and undo history too. Where it throws, nothing has begun. Like the two below it is done
 *   when it returns; a promise is a failure.
 * @property {(domain: string) => void} [commitTransaction] Keeps what was done since, as one step of undo.
 * @property {(domain: string) => void} [rollbackTransaction] Puts all of it back, the revision too. Called
 *   also where the commit failed. Where it fails, the dispatcher disables itself.
 * @property {(uri: string, offset: number, limit: number) => Eventually<Resource | null>} [readResource]
 *   At most `limit` bytes from `offset` of something that an action named, or null where there is no
 *   such thing. A `uri` is the app's own name for it, never a path of a file.
 * @property {() => Eventually<readonly ListedResource[]>} [resources] What can be read now, newest
 *   first say: without it an MCP client is shown none. What an action names need not be listed.
 * @property {() => Eventually<readonly ResourceTemplate[]>} [resourceTemplates]
 * @property {(session: string) => void} [sessionEnded] An agent session was closed, by whoever had it, by
 *   a detached page, or to make room: what the app keeps for it is of no use any more. Its calls that run
 *   end as they would have, unless the app ends them.
 * @property {(session: string) => void} [sessionUnreached] Whoever waits for an agent session's calls cannot be
 *   told anything now: nobody need be asked for their sake, and what only waits for that can fail, saying that
 *   nothing was done. The session goes on, and so does what runs: they may be back in a moment.
 * @property {boolean} [concurrent] Calls may overlap; without it they run one at a time.
 */

export {};
