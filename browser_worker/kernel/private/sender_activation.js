// @ts-check
/**
 * Whether the frame that sent a message was itself clicked. A browser that knows puts its own word on the
 * event, if the sender asks for it, and nothing in the message says or changes it. That binds no message to an
 * endpoint: who a frame is, is its port. Contract: bus, private actions.
 */

/**
 * @typedef {object} SenderActivation
 * @property {boolean} fresh A click or a key in that frame, or in one within it, is fresh.
 * @property {boolean} ever There has been one since its document was loaded.
 */

/** In a browser that tells, a sender that does not ask for it was not clicked. */
const NOT_ASKED = Object.freeze({ fresh: false, ever: false });

/**
 * @param {{ userActivation?: { isActive: boolean, hasBeenActive: boolean } | null }} event As the browser made
 *   it: whether it can tell is read off it here, and is no word of an app's.
 * @returns {SenderActivation | null} Null where the browser cannot tell, as Firefox cannot.
 */
export function senderActivation({ userActivation }) {
  if (userActivation === undefined) return null;
  if (userActivation === null) return NOT_ASKED;
  return { fresh: userActivation.isActive, ever: userActivation.hasBeenActive };
}
