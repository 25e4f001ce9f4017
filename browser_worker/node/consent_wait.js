// @ts-check
/**
 * A call for which the page asks its owner first: followed until that has been decided on. The app says so
 * by the progress of the deferred task, `{ reason: "consent" }`. Contract: deferred calls.
 */

import { setTimeout as wait } from "node:timers/promises";

import { ActionError, BasculeError, CallAborted, DeadlineExceeded } from "./bascule_error.js";

/** @import { CallLimits, CallResult, JsonObject, Task } from "./app_client.js" */

/** @typedef {(method: string, params: JsonObject, limits: CallLimits) => Promise<JsonObject>} Send */

const ENDED_STATES = new Set(["completed", "failed", "cancelled"]);
const FIRST_LOOK_MS = 25;
const LAST_LOOK_MS = 400;
/** A call that was let in late is waited for as long as any other is. */
const RUNNING_MS = 5_000;

/** Whether nothing more becomes of a task. @param {Task} task */
export function hasEnded({ state }) {
  return ENDED_STATES.has(state);
}

/**
 * Whether a task waits for the owner of the page.
 *
 * @param {Task | null} task
 */
export function asksOwner(task) {
  return task !== null && !hasEnded(task) && task.progress?.["reason"] === "consent";
}

/**
 * Waits for the owner's answer, and for the call's end where that comes soon after.
 *
 * @param {string} id The task's.
 * @param {Send} send
 * @param {{ until: number, signal: AbortSignal | undefined }} limits `until`: Unix milliseconds, `Infinity`
 *   for as long as the page lets its owner take.
 * @returns {Promise<CallResult>}
 * @throws {BasculeError} The call's own error, a no of the owner's too. Whatever else fails leaves the
 *   question with the owner: the outcome is unknown.
 */
export async function afterConsent(id, send, { until, signal }) {
  let decidedAt = Infinity;
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(2 * lookMs, LAST_LOOK_MS)) {
    const { task, revision = null } = await look(id, send, { until, signal });
    if (task.state === "completed") {
      return { status: "completed", output: task.output, task: null, revision };
    }
    if (task.state === "failed") throw errorOf(task);
    if (!asksOwner(task)) {
      if (decidedAt === Infinity) [decidedAt, lookMs] = [Date.now(), FIRST_LOOK_MS];
      if (hasEnded(task) || Date.now() - decidedAt >= RUNNING_MS) {
        return { status: "deferred", output: undefined, task, revision };
      }
    }
    if (Date.now() + lookMs >= until) throw tooLate(id, decidedAt !== Infinity);
    await wait(lookMs, undefined, { signal }).catch(() => {
      throw new CallAborted(signal?.reason, "unknown");
    });
  }
}

/**
 * @param {string} id
 * @param {Send} send
 * @param {{ until: number, signal: AbortSignal | undefined }} limits
 * @returns {Promise<JsonObject>}
 */
async function look(id, send, { until, signal }) {
  const timed = until === Infinity ? {} : { timeoutMs: Math.max(1, until - Date.now()) };
  try {
    return await send("tasks/get", { id }, { ...timed, signal });
  } catch (error) {
    // To ask for the task failed: that tells nothing of the call, which may begin yet.
    if (error instanceof BasculeError) Object.assign(error, { outcome: "unknown" });
    throw error;
  }
}

/** @param {Task} task */
function errorOf({ error }) {
  const { code, message, data } = error ?? {};
  return new ActionError(Number(code), String(message), data ?? {});
}

/**
 * @param {string} id
 * @param {boolean} decided
 */
function tooLate(id, decided) {
  const text = decided
    ? "The call that the page's owner allowed has not ended by the deadline; it goes on."
    : "The page's owner has not answered by the deadline; a yes still lets the call run.";
  return new DeadlineExceeded("DEADLINE_EXCEEDED", text, {
    outcome: "unknown",
    hint: `waitTask("${id}") waits for it, cancelTask("${id}") takes it back.`,
  });
}
