// @ts-check
/** A board behind its tools, in a workspace in memory. */

import assert from "node:assert/strict";
import {
  BOARD,
  exposeBoard,
} from "../../../../browser_worker/demo/workspace/apps/board/board_tools.js";
import { Board } from "../../../../browser_worker/demo/workspace/apps/board/model/board.js";
import { createMemoryKernel } from "../../../../browser_worker/testing/memory_kernel.js";

/** @import { BoardPowers } from "../../../../browser_worker/demo/workspace/apps/board/board_tools.js" */

export function makeBoard() {
  let revision = 100;
  return new Board(() => ++revision);
}

/** The first bytes of a PNG, as far as they are looked at. @param {number} width @param {number} height */
export function pngBytes(width, height, length = 64) {
  const bytes = new Uint8Array(length);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  bytes.set([0x49, 0x48, 0x44, 0x52], 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return bytes;
}

/** @param {import("node:test").TestContext} t @param {Partial<BoardPowers>} [powers] */
export function openBoard(t, powers = {}) {
  const workspace = createMemoryKernel();
  t.after(() => workspace.close());
  const board = makeBoard();
  const { runtime, endpoint } = workspace.connect(BOARD);
  exposeBoard(runtime, board, {
    png: async (svg, width, height) =>
      new TextEncoder().encode(`PNG ${width} ${height} ${svg.length}`).slice().buffer,
    drawable: async () => true,
    ...powers,
  });
  /**
   * @param {string} name
   * @param {Record<string, unknown>} [args]
   * @param {ArrayBuffer} [attachment]
   * @returns {Promise<{ result: any, attachment: ArrayBuffer | undefined }>}
   */
  const call = (name, args = {}, attachment = undefined) =>
    workspace.kernel.call({
      target: endpoint.id,
      name,
      arguments: args,
      ...(attachment === undefined ? {} : { attachment }),
    });
  return { workspace, board, endpoint, runtime, call };
}

/**
 * @param {Promise<unknown>} call
 * @param {string} code
 * @param {string} [reason]
 */
export async function fails(call, code, reason) {
  await assert.rejects(call, (/** @type {any} */ error) => {
    assert.equal(error.code, code, error.message);
    if (reason !== undefined) assert.equal(error.data?.reason, reason);
    return true;
  });
}
