// @ts-check
/**
 * What a panel shows in a situation: one function from facts to words and buttons. Knows no DOM, and no
 * name of an app or a session becomes part of a sentence here.
 */

/** @import { State } from "../attachment_state.js" */

/**
 * @typedef {object} Situation
 * @property {State} state The attachment's, or "detached" where there is none.
 * @property {string | null} cause
 * @property {string} attachmentMessage Empty where there is no attachment.
 * @property {boolean} enabled Whether the dispatcher takes calls.
 * @property {boolean} ready Whether the app has given the panel its dispatcher.
 * @property {string | null} offered The address of the bridge that an unused link names.
 * @property {string} trouble What is wrong with a link, or empty.
 * @property {"channel" | "polling" | null} transport
 * @property {string} transportNote
 * @property {number} running Calls that run now.
 * @property {string} origin The page's own.
 */

/**
 * @typedef {object} PanelState
 * @property {State} state
 * @property {"quiet" | "ask" | "wait" | "good" | "bad"} tone
 * @property {string} badge A word beside the state, or empty.
 * @property {string} message
 * @property {string} bridge The address that an offer names, or empty where nothing is offered.
 * @property {boolean} canAttach
 * @property {boolean} canDismiss
 * @property {"pause" | "resume" | null} switch
 * @property {boolean} canDetach
 * @property {boolean} takesLink Whether a link can be pasted.
 * @property {string} transport Empty where there is none.
 */

/** The states in which calls may still come, or come again. @type {ReadonlySet<State>} */
const LIVE = new Set(["connecting", "attached", "suspended"]);

/** @param {State} state */
export const isLive = (state) => LIVE.has(state);

/**
 * @param {Situation} situation
 * @returns {PanelState}
 */
export function panelState(situation) {
  const { state, enabled, offered } = situation;
  const live = isLive(state);
  const paused = live && !enabled;
  const asked = offered !== null;
  return {
    state,
    tone: tone(situation, paused),
    badge: badge(situation, paused),
    message: message(situation, paused),
    bridge: offered ?? "",
    canAttach: asked && situation.ready,
    canDismiss: asked,
    switch: live ? (paused ? "resume" : "pause") : null,
    canDetach: live,
    takesLink: !live && !asked,
    transport: live ? transportText(situation) : "",
  };
}

/**
 * @param {Situation} situation
 * @param {boolean} paused
 */
function badge({ offered, running }, paused) {
  if (offered !== null) return "asks to attach";
  if (paused) return "paused";
  return running > 0 ? `${running} running` : "";
}

/**
 * @param {Situation} situation
 * @param {boolean} paused
 * @returns {PanelState["tone"]}
 */
function tone({ state, cause, offered, trouble }, paused) {
  if (offered !== null && !isLive(state)) return "ask";
  if (state === "attached") return paused ? "wait" : "good";
  if (state === "connecting" || state === "suspended" || state === "elsewhere") return "wait";
  if (state === "refused" || trouble !== "") return "bad";
  return cause === null || cause === "by-request" ? "quiet" : "bad";
}

/**
 * @param {Situation} situation
 * @param {boolean} paused
 */
function message(situation, paused) {
  const { trouble, offered, state, ready, attachmentMessage, origin } = situation;
  if (trouble !== "") return trouble;
  if (offered !== null) {
    if (!ready)
      return "A terminal asks to use this page, but the app has not offered any actions yet.";
    return isLive(state)
      ? "Another terminal on this machine asks to use this page. Attaching it lets go of the present one."
      : "A terminal on this machine asks to use this page. Attach it?";
  }
  if (paused) {
    return "Paused: calls are refused until you resume. What had begun before runs to its end.";
  }
  if (attachmentMessage !== "") return attachmentMessage;
  if (origin === "null") {
    return "This page has no origin, as files and sandboxed frames have none. Serve it over http to use it from a terminal.";
  }
  return `Run “bascule browser-bridge --origin ${origin}” and open the link that it prints, or paste it here.`;
}

/** @param {Situation} situation */
function transportText({ transport, transportNote }) {
  if (transport === null) return "";
  const text = transport === "channel" ? "Connected by WebSocket." : "Connected by polling.";
  return transportNote === "" ? text : `${text} ${transportNote}`;
}
