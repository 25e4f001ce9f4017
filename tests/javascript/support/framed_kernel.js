// @ts-check
/** A kernel and its frames in a page that a test holds in its hand. */

import { FrameHandshake } from "../../../browser_worker/kernel/frames/frame_handshake.js";
import { MountedFrame } from "../../../browser_worker/kernel/frames/mounted_frame.js";
import { FakePage } from "./fake_page.js";
import { RawApp } from "./raw_app.js";
import { makeKernel } from "./test_kernel.js";

export function makeFrames() {
  const { kernel, time, powers } = makeKernel();
  const page = new FakePage();
  const handshake = new FrameHandshake(page.window, powers);
  const parts = { kernel, handshake, powers };
  /** @type {[string, string][]} */
  const states = [];
  let instances = 0;
  /** @param {{ place?: any, onState?: (state: string, reason: string) => void, parent?: any }} [options] */
  const mount = ({
    place = { app: "notes", kind: "tile", tile: "main", instance: `${++instances}` },
    onState = (state, reason) => void states.push([state, reason]),
    parent = page.body,
  } = {}) => {
    const frame = new MountedFrame(parent, { place, url: "/app", title: "Notes", onState }, parts);
    const element = /** @type {any} */ (frame.element);
    const { contentWindow } = element;
    /** Loads the frame's first document, which asks for its port. */
    const start = () => {
      element.dispatch("load");
      return new RawApp(contentWindow.answer());
    };
    return { frame, element, window: contentWindow, start };
  };
  return { kernel, time, powers, page, handshake, parts, states, mount };
}
