// @ts-check
/** A tool that runs on and on, so that a test can call others in the name of whoever called it. */

/** @import { RawApp } from "./raw_app.js" */

/**
 * Has an app expose the tool `work`, which answers nothing.
 *
 * @param {RawApp} app
 */
export function holdWork(app) {
  /** @type {string | undefined} */
  let held;
  app.expose({
    work: {
      handler: (_args, message) => {
        held = message.payload.invocation;
        return undefined;
      },
    },
  });
  return {
    /** What it was invoked under last. */
    get invocation() {
      if (held === undefined) throw new Error("nobody has called it");
      return held;
    },
  };
}
