// @ts-check
/** A kernel with an owner's questions, whose clock, focus and answers a test holds in its hand. */

import { ConsentQueue } from "../../../../browser_worker/kernel/consent/consent_queue.js";
import { makeKernel } from "../../support/test_kernel.js";

/** @import { RawApp } from "../../support/raw_app.js" */

/** @param {Record<string, any>} [declares] What the app `notes` declares. */
export function makePrivateKernel(declares = {}) {
  const apps = [
    { id: "notes", name: "Notes\u202e", version: "1", declares },
    { id: "board", name: "Board", version: "1", declares },
  ];
  const attention = { focused: "", active: false, moved: false };
  const made = makeKernel({
    apps: () => apps,
    attention: {
      focusedEndpoint: () => attention.focused,
      activation: () => ({ active: attention.active, moved: attention.moved }),
    },
  });
  const { ports, powers } = made;
  const consent = new ConsentQueue(powers);

  /** The tile has the focus and a fresh click. @param {string} id @param {boolean} [moved] */
  const clicked = (id, moved = false) => {
    Object.assign(attention, { focused: id, active: true, moved });
  };
  /**
   * Asks, and gives the response as far as there is one by now.
   *
   * @param {RawApp} app
   * @param {string} action
   * @param {any} [payload]
   */
  const ask = async (app, action, payload = {}) => {
    const id = app.ask(action, payload);
    await ports.settle();
    return app.response(id);
  };
  /** The owner's yes to the question that is shown. @param {string} [value] */
  const allow = (value = undefined) => {
    const shown = consent.current;
    if (shown === null) throw new Error("the owner is asked nothing");
    const choice = shown.prompt.choices[0]?.id ?? "";
    const taken = consent.answer(shown.id, {
      allow: true,
      choice,
      ...(value === undefined ? {} : { value }),
    });
    if (!taken) throw new Error("the answer was not taken");
    return shown.prompt;
  };
  const deny = () => consent.answer(consent.current?.id ?? "", { allow: false });
  /**
   * Asks, has the owner say yes, and gives the response.
   *
   * @param {RawApp} app
   * @param {string} action
   * @param {any} [payload]
   * @param {string} [value] What the owner enters.
   */
  const asked = async (app, action, payload = {}, value = undefined) => {
    const id = app.ask(action, payload);
    await ports.settle();
    const prompt = allow(value);
    await ports.settle();
    return { response: app.response(id), prompt };
  };
  return { ...made, apps, attention, consent, clicked, ask, allow, deny, asked };
}
