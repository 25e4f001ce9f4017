// @ts-check
/**
 * A workspace in which apps, terminals and agents do what a test says, and a book of its own of what the
 * owner has allowed: whatever the kernel lets through is held against it.
 */

import assert from "node:assert/strict";

import { BusError } from "../../../browser_worker/contract/bus_error.js";
import { makeOwnedKernel } from "./owned_kernel.js";
import { OwnersBook } from "./owners_book.js";
import { appRoot, terminalRoot, turnRoot } from "./roots.js";

/** @import { Root } from "../../../browser_worker/kernel/calls/invocations.js" */
/** @import { Request } from "./owners_book.js" */

export const PLACES = /** @type {const} */ ([
  ["notes", "background"],
  ["board", "background"],
  ["board", "tile"],
  ["writer", "background"],
]);
const NAMES = [
  "app:notes:background",
  "app:board:background",
  "app:board:tile:main:instance:1",
  "app:writer:background",
];
const APPS = ["notes", "board", "writer"];
const TERMINALS = ["external:bridge:s", "external:bridge:t"];

export class ProvenanceModel {
  /**
   * @param {Record<string, number>} reached Counts, so that the test knows that there was something to see.
   */
  constructor(reached) {
    this.reached = reached;
    this.made = makeOwnedKernel();
    this.tags = 0;
    /** @type {Map<number, Request>} */
    this.requests = new Map();
    this.book = new OwnersBook();
    /** Of each run: for which request, where. @type {{ token: string, at: number, request: Request, message: any, app: any }[]} */
    this.runs = [];
    /** @type {{ root: Root, stop: AbortController }[]} */
    this.turns = [];
    /** Who never was answered fails the test. @type {{ app: any, id: number }[]} */
    this.asked = [];
    /** @type {Promise<unknown>[]} */
    this.promises = [];
    /** What should not have been. @type {string[]} */
    this.faults = [];
    /** @type {(ReturnType<typeof this.made.connect> | null)[]} */
    this.live = PLACES.map(() => null);
    this.made.kernel.turns = { admit: (call) => this.admit(call), count: () => null };
    const { ports } = this.made;
    const add = ports.add.bind(ports);
    // What the kernel sends is looked at when it is sent: until then it can be taken back.
    ports.add = (message) => {
      const { action: name, payload, invocation } = message.data.payload ?? {};
      if (name === "tools.invoke") this.runs.push(this.run(payload, invocation, message));
      if (name === "tools.describe" && payload.name === undefined) this.look(message.port);
      add(message);
    };
    for (let at = 0; at < PLACES.length; at++) this.connect(at);
  }

  /** @param {{ source: any, target: any, tool: string }} call */
  admit({ source, target, tool: name }) {
    if (name !== "agent_run") return null;
    if (source.app !== target.place.app || source.invocation !== null) {
      return Promise.resolve({ refusal: new BusError("OWNER_REQUIRED", "not a turn") });
    }
    const stop = new AbortController();
    const session = `turn${this.turns.length}`;
    const root = { ...turnRoot(session, stop.signal), version: this.versionOf("board") };
    this.turns.push({ root, stop });
    return Promise.resolve({ root, ended: () => this.endTurn(root, stop) });
  }

  /**
   * @param {Root} root
   * @param {AbortController} stop
   */
  endTurn(root, stop) {
    this.book.drop(({ turn }) => turn !== null && turn === root.session);
    stop.abort(new BusError("AGENT_MODE_REVOKED", "the turn is over"));
  }

  /** @param {string} app */
  versionOf(app) {
    return this.made.summaries.find(({ id }) => id === app)?.version ?? null;
  }

  /** @param {number} at */
  connect(at) {
    const [app, kind] = /** @type {typeof PLACES[number]} */ (PLACES[at]);
    if (this.live[at]) return;
    const connected = this.made.connect(app, kind);
    connected.app.expose({ work: {}, draw: {}, agent_run: {} });
    this.live[at] = connected;
  }

  /** @param {number} at */
  disconnect(at) {
    const connected = this.live[at];
    if (!connected) return;
    this.live[at] = null;
    this.made.kernel.disconnect(connected.endpoint);
  }

  /**
   * @param {Omit<Request, "tag">} request
   * @returns {Request}
   */
  note(request) {
    const noted = { ...request, tag: ++this.tags };
    this.requests.set(noted.tag, noted);
    return noted;
  }

  /**
   * With which client an endpoint calls, and for whom that is.
   *
   * @param {number} at
   * @param {string} how
   * @param {number} which
   * @returns {{ token: string | undefined, root: Root | null }}
   */
  client(at, how, which) {
    const [app] = /** @type {typeof PLACES[number]} */ (PLACES[at]);
    const own = this.runs.filter((run) => run.at === at);
    const live = own.filter(
      ({ app: of, token }) => of === this.live[at]?.app && this.isLive(token),
    );
    const others = this.runs.filter((run) => run.at !== at);
    const from = { own: [], scoped: live, any: own, stolen: others }[how] ?? [];
    const run = from.at(-1 - (which % Math.max(1, from.length)));
    if (run !== undefined) {
      return { token: run.token, root: how === "stolen" ? null : run.request.root };
    }
    return {
      token: undefined,
      root: appRoot({ subject: `app:${app}`, app, version: this.versionOf(app) }),
    };
  }

  /** @param {string} token */
  isLive(token) {
    return this.made.kernel.invocations._live.has(token);
  }

  /**
   * @param {any} step
   * @param {string} name An action of the port.
   * @param {any} payload
   * @param {string | null} called
   */
  ask({ place: at, target, by: how, pick: which }, name, payload, called) {
    const connected = this.live[at];
    if (!connected) return;
    const [app] = /** @type {typeof PLACES[number]} */ (PLACES[at]);
    const { token, root } = this.client(at, how, which);
    const request = this.note({
      app,
      root,
      own: token === undefined || (root?.kind === "app" && root.app === app),
      target: /** @type {typeof PLACES[number]} */ (PLACES[target])[0],
      tool: called,
    });
    const id = 10_000 + request.tag;
    const told = payload(request.tag);
    connected.app.send({
      type: "exec",
      id,
      payload: {
        action: name,
        payload: told,
        ...(token === undefined ? {} : { invocation: token }),
      },
    });
    this.asked.push({ app: connected.app, id });
  }

  /** @param {any} step */
  do(step) {
    const { kernel, ports, time, consent, grants, summaries } = this.made;
    switch (step.type) {
      case "connect":
        return this.connect(step.place);
      case "disconnect":
        return this.disconnect(step.place);
      case "call": {
        const call = { target: NAMES[step.target], name: step.tool };
        const payload = (/** @type {number} */ tag) => ({ ...call, arguments: { tag } });
        return this.ask(step, "tools.call", payload, step.tool);
      }
      case "turn": {
        const call = { target: NAMES[1], name: "agent_run" };
        const payload = (/** @type {number} */ tag) => ({ ...call, arguments: { tag } });
        return this.ask({ ...step, target: 1, by: "own", pick: 0 }, "tools.call", payload, null);
      }
      case "list":
        return this.ask(step, "tools.list", () => ({ target: NAMES[step.target] }), null);
      case "request": {
        const payload = (/** @type {number} */ tag) => ({
          target: "kernel",
          name: "permissions.request",
          arguments: { target: NAMES[step.target], tools: ["draw"], reason: `tag ${tag}.` },
        });
        return this.ask(step, "tools.call", payload, "draw");
      }
      case "terminal": {
        const caller = TERMINALS[step.terminal] ?? "";
        const [target] = /** @type {typeof PLACES[number]} */ (PLACES[step.target]);
        const root = terminalRoot(caller);
        const { tag } = this.note({ app: null, root, own: true, target, tool: step.tool });
        const called = { caller, target: NAMES[step.target] ?? "", name: step.tool };
        const ended = () => {};
        this.promises.push(kernel.call({ ...called, arguments: { tag } }).then(ended, ended));
        return;
      }
      case "answer": {
        const run = this.runs.at(-1 - step.pick);
        if (run === undefined || run.app.port.closed) return;
        const error = { code: "TOOL_FAILED", message: "m" };
        const response = { type: "response", id: run.message.data.id };
        run.app.send({ ...response, ...(step.ok ? { ok: { result: {} } } : { error }) });
        return;
      }
      case "owner":
        return this.own(step);
      case "revoke": {
        const grant = grants.all().filter(({ scope }) => scope !== "call")[step.pick];
        if (step.pick === 7) {
          grants.revokeAll();
          this.book.drop(() => true);
        } else if (grant !== undefined) {
          grants.revoke(grant.id);
          this.book.drop(
            (leave) =>
              leave.only === null &&
              leave.subject === grant.subject &&
              leave.by === grant.by &&
              leave.target === grant.target &&
              leave.tool === grant.tool,
          );
        }
        return;
      }
      case "change": {
        const app = APPS[step.app] ?? "";
        const summary = summaries.find(({ id }) => id === app);
        if (summary !== undefined) summary.version += "x";
        this.book.drop(
          (leave) =>
            [leave.target, leave.by].includes(app) ||
            leave.subject === `app:${app}` ||
            leave.subject.startsWith(`agent:${app}:`),
        );
        return kernel.appChanged(app);
      }
      case "detach": {
        const subject = TERMINALS[step.pick] ?? "";
        this.book.drop((leave) => leave.subject === subject);
        return kernel.endSession(subject);
      }
      case "stop": {
        const turn = this.turns.at(-1 - step.pick);
        if (turn === undefined) return;
        this.book.drop((leave) => leave.turn === turn.root.session);
        return turn.stop.abort(new BusError("AGENT_MODE_REVOKED", "stopped"));
      }
      case "cancel": {
        const connected = this.live[step.place];
        const ids = this.asked.filter(({ app }) => app === connected?.app).map(({ id }) => id);
        const id = ids.at(-1 - step.pick);
        if (id === undefined) return;
        return connected?.app.send({ type: "cancel", id, payload: { reason: "r" } });
      }
      case "time":
        return time.pass(step.ms);
      case "settle":
        return ports.settle();
      case "deliver":
        for (let count = 0; count <= step.pick; count++) ports.deliver();
        return;
      case "lock":
        if (step.odds !== 0) return;
        kernel.lock();
        kernel.unlock();
        this.book.drop(() => true);
        this.live.fill(null);
        assert.equal(consent.current, null);
        assert.deepEqual(grants.all(), []);
    }
  }

  /** The owner answers what is shown, and the test notes to whom. @param {{ allow: boolean, pick: number }} step */
  own({ allow, pick: which }) {
    const { consent } = this.made;
    const { current } = consent;
    if (current === null) return;
    const choice = current.prompt.choices[which % current.prompt.choices.length]?.id ?? "";
    if (!allow) {
      consent.answer(current.id, { allow: false });
      return;
    }
    const request = this.requestOf(current.prompt);
    const root = request?.root ?? null;
    if (request !== undefined && root !== null) {
      this.book.allow({ ...request, root }, choice);
    }
    consent.answer(current.id, { allow: true, choice });
  }

  /**
   * Which request a question is about: by its arguments, or the reason; of a list by who and whom.
   *
   * @param {import("../../../browser_worker/kernel/consent/consent_queue.js").Prompt} prompt
   */
  requestOf({ subject, quote, facts, title }) {
    const given = facts.find(({ label }) => label === "Arguments")?.value;
    if (given !== undefined) return this.requests.get(JSON.parse(given).tag);
    if (quote !== undefined) return this.requests.get(Number(/\d+/.exec(quote)?.[0]));
    return [...this.requests.values()]
      .reverse()
      .find(
        ({ root, tool: called, target, app }) =>
          called === null &&
          root?.subject === subject &&
          title.endsWith(`app ${target}?`) &&
          title.includes("by way of") === (app !== root.app) &&
          (app === root.app || title.includes(`by way of ${app},`)),
      );
  }

  /**
   * A tool is about to be run.
   *
   * @param {any} payload
   * @param {string} token
   * @param {any} message
   */
  run({ arguments: given, name }, token, message) {
    const request = /** @type {Request} */ (this.requests.get(given.tag));
    const at = this.live.findIndex((each) => each?.port === message.port);
    const app = this.live[at]?.app;
    const { invocations } = this.made.kernel;
    const how = this.book.allowed(request);
    if (how === null)
      this.faults.push(`${name} of ${request.target} for ${JSON.stringify(request)}`);
    else this.count(how);
    if (request.own && request.app !== null && request.app !== request.target) {
      const foreign = invocations.foreignTo(request.app);
      const since = this.runs.find((run) => run.token === foreign?.token);
      // It ran for another before it asked, and does still: what it asks is not its own.
      if (
        since !== undefined &&
        since.request.tag < request.tag &&
        since.message.sentAt < request.tag
      ) {
        this.faults.push(`${JSON.stringify(request)} in its own name`);
      }
    }
    if (name === "agent_run") request.root = invocations._live.get(token)?.root ?? null;
    message.sentAt = this.tags;
    return { token, at, request, message, app };
  }

  /** An app is about to be asked for all of its tools. @param {any} port */
  look(port) {
    const at = this.live.findIndex((each) => each?.port === port);
    const app = PLACES[at]?.[0];
    const how = [...this.requests.values()]
      .filter(({ tool: called, target }) => called === null && target === app)
      .map((request) => this.book.allowed(request))
      .find((each) => each !== null);
    if (how === undefined) this.faults.push(`a list of ${app}`);
    else this.count(`list ${how}`);
  }

  /** @param {string} how */
  count(how) {
    this.reached[how] = (this.reached[how] ?? 0) + 1;
  }
}
