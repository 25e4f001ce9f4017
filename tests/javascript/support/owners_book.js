// @ts-check
/** What an owner has allowed, in a test's own words: it knows no more than what was shown, and the answer. */

/** @import { Root } from "../../../browser_worker/kernel/calls/invocations.js" */

/**
 * @typedef {object} Request What somebody has asked for.
 * @property {number} tag
 * @property {string | null} app Of the caller.
 * @property {Root | null} root For whom it is: null for whoever uses what was another's.
 * @property {boolean} own By a client of the caller's own.
 * @property {string} target An app.
 * @property {string | null} tool
 */

/** @typedef {{ subject: string, turn: string | null, by: string | null, target: string | null, tool: string | null, only: number | null }} Leave */

export class OwnersBook {
  constructor() {
    /** @type {Leave[]} */
    this._leaves = [];
  }

  /**
   * The owner has said yes.
   *
   * @param {Request & { root: Root }} request
   * @param {string} choice
   */
  allow({ root, app, target, tool, tag }, choice) {
    this._leaves.push({
      subject: root.subject,
      turn: root.kind === "agent" ? root.session : null,
      by: app === root.app ? null : app,
      target: choice === "every" ? null : target,
      tool: choice === "every" || choice === "app" ? "*" : tool,
      only: choice === "once" ? tag : null,
    });
  }

  /** @param {(leave: Leave) => boolean} which Holds no longer. */
  drop(which) {
    this._leaves = this._leaves.filter((leave) => !which(leave));
  }

  /**
   * @param {Request} request
   * @returns {string | null} How it is allowed.
   */
  allowed({ app, root, target, tool, tag }) {
    if (root === null) return null;
    if (app === target) return "in-app";
    const by = app === root.app ? null : app;
    const leave = this._leaves.find(
      (each) =>
        each.subject === root.subject &&
        (each.turn === null || each.turn === root.session) &&
        each.by === by &&
        (each.target === null || each.target === target) &&
        (each.tool === "*" || each.tool === tool) &&
        (each.only === null || each.only === tag),
    );
    if (leave === undefined) return null;
    return `${root.kind} ${leave.only === null ? "lasting" : "once"}`;
  }
}
