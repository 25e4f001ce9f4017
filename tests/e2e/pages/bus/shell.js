// @ts-check
/**
 * A trusted page with the kernel and nothing else. Counts what it holds, notes every window message that
 * reaches it, whoever sends it, and lets a test turn the clock on.
 */

import { BackgroundFrames } from "/kernel/frames/background_frames.js";
import { FrameHandshake } from "/kernel/frames/frame_handshake.js";
import { Kernel } from "/kernel/kernel.js";
import { pagePowers } from "/kernel/kernel_powers.js";
import { MountedFrame } from "/kernel/frames/mounted_frame.js";

const real = pagePowers();
let ahead = 0;
/** @type {Set<{ due: number, callback: () => void }>} */
const timers = new Set();

const powers = {
  ...real,
  now: () => real.now() + ahead,
  setTimer: (ms, callback) => {
    const timer = { due: powers.now() + ms, callback: () => {} };
    const cancel = real.setTimer(ms, () => timer.callback());
    timer.callback = () => {
      cancel();
      if (timers.delete(timer)) callback();
    };
    timers.add(timer);
    return () => {
      cancel();
      timers.delete(timer);
    };
  },
};

/** Turns the clock on: what is due then runs now, in its order. */
function pass(ms) {
  ahead += ms;
  for (const timer of [...timers].sort((a, b) => a.due - b.due)) {
    if (timer.due <= powers.now()) timer.callback();
  }
}

const held = { ports: 0, listeners: 0 };

/** The window of this page, with a count of its listeners and of the kernel's ends of channels. */
const page = {
  addEventListener(type, listener) {
    held.listeners += 1;
    addEventListener(type, listener);
  },
  removeEventListener(type, listener) {
    held.listeners -= 1;
    removeEventListener(type, listener);
  },
  makeChannel() {
    const channel = new MessageChannel();
    held.ports += 1;
    const { port1 } = channel;
    const close = port1.close.bind(port1);
    port1.close = () => {
      held.ports -= 1;
      close();
    };
    return channel;
  },
};

const APPS = ["notes", "board"].map((id) => ({ id, name: id, version: "1" }));
const kernel = new Kernel({ powers, apps: () => APPS });
const handshake = new FrameHandshake(page, powers);
const parts = { kernel, handshake, powers };

/** What reached this window, before anybody judged it. */
const heard = [];
addEventListener("message", ({ data, source }) => {
  const frame = [...frames].find(([, { element }]) => element.contentWindow === source);
  if (heard.length < 500) heard.push({ data, from: frame?.[0] ?? "a stranger" });
});

const frames = new Map();
let mounts = 0;

/**
 * @param {string} url
 * @param {{ app?: string, kind?: string }} [options]
 * @returns {string} A key by which a test finds it again.
 */
function mount(url, { app = "notes", kind = "tile" } = {}) {
  const key = `frame${++mounts}`;
  const place =
    kind === "background"
      ? { app, kind }
      : kind === "tile"
        ? { app, kind, tile: "main", instance: `${mounts}` }
        : { app, kind, instance: `${mounts}` };
  const states = [];
  const frame = new MountedFrame(
    window.shell.mountIn ?? document.body,
    { place, url, title: key, onState: (state, reason) => states.push([state, reason]) },
    parts,
  );
  frame.element.id = key;
  frames.set(key, { frame, element: frame.element, states });
  return key;
}

/** Calls a tool and gives how it ended, and after how many milliseconds. */
async function call(request) {
  const begun = performance.now();
  try {
    const { result, attachment } = await kernel.call(request);
    return { ok: result, bytes: attachment?.byteLength, ms: performance.now() - begun };
  } catch (error) {
    return {
      code: error.code,
      message: error.message,
      data: error.data,
      ms: performance.now() - begun,
    };
  }
}

let pressed = 0;
document.querySelector("#press")?.addEventListener("click", () => {
  const output = document.querySelector("#pressed");
  if (output) output.textContent = String(++pressed);
});

Object.assign(window, {
  shell: {
    BackgroundFrames,
    kernel,
    handshake,
    parts,
    powers,
    page,
    frames,
    heard,
    held,
    timers,
    mount,
    call,
    pass,
    state: (key) => frames.get(key)?.frame.state,
    states: (key) => frames.get(key)?.states,
    endpoint: (key) => frames.get(key)?.frame.endpoint,
    unmount: (key) => frames.get(key)?.frame.unmount(),
    holds: () => ({
      ...held,
      timers: timers.size,
      offers: handshake.waiting,
      observers: kernel._registry._observers.size,
      frames: document.querySelectorAll("iframe").length,
      calls: kernel._broker._inFlight.size,
    }),
  },
});
