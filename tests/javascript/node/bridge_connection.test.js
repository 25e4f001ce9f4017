// @ts-check
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { test } from "node:test";

import { BridgeConnection } from "../../../browser_worker/node/bridge_connection.js";

/** @import { RequestListener, Server } from "node:http" */
/** @import { AddressInfo, Server as SocketServer, Socket } from "node:net" */

const TOKEN = "a-token-of-a-test-with-enough-characters";

/** @param {Server | SocketServer} server */
async function listening(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`;
}

/**
 * @param {number} status
 * @param {string} body
 * @returns {RequestListener}
 */
function answering(status, body) {
  return (_request, response) => {
    response.statusCode = status;
    response.end(body);
  };
}

/**
 * @param {RequestListener} answer
 * @param {(connection: BridgeConnection, server: Server) => Promise<void>} body
 */
async function withServer(answer, body) {
  const server = createServer(answer);
  const connection = new BridgeConnection({ url: await listening(server), token: TOKEN });
  try {
    await body(connection, server);
  } finally {
    connection.close();
    server.closeAllConnections();
    server.close();
  }
}

/**
 * @param {BridgeConnection} connection
 * @param {number} [deadlineMs]
 */
function ask(connection, deadlineMs = 10_000) {
  return connection.exchange("POST", "/rpc", "{}", { deadlineMs });
}

test("calls one after another go over one connection, with the token and no origin", async () => {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  /** @type {import("node:http").IncomingHttpHeaders[]} */
  const heads = [];
  await withServer(
    (request, response) => {
      sockets.add(request.socket);
      heads.push(request.headers);
      response.end('{"n":9007199254740993}');
    },
    async (connection) => {
      for (let n = 0; n < 5; n++) {
        assert.deepEqual(await ask(connection), { status: 200, value: { n: 9007199254740993n } });
      }
    },
  );
  assert.equal(sockets.size, 1);
  assert.equal(heads.length, 5);
  assert.equal(heads[0]?.authorization, `Bearer ${TOKEN}`);
  assert.equal(heads[0]?.origin, undefined);
  assert.equal(heads[0]?.["content-type"], "application/json");
});

test("a connection that nobody uses is closed, and one that waits for its answer is not", async () => {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    setTimeout(() => response.end("{}"), 120);
  });
  const url = await listening(server);
  const connection = new BridgeConnection({ url, token: TOKEN }, { idleMs: 40 });
  try {
    assert.equal((await ask(connection)).status, 200);
    const [first] = sockets;
    if (first && !first.closed) await once(first, "close");
    assert.equal((await ask(connection)).status, 200);
    assert.equal(sockets.size, 2);
  } finally {
    connection.close();
    server.closeAllConnections();
    server.close();
  }
});

test("a redirect is not followed", async () => {
  let asked = 0;
  await withServer(
    (_request, response) => {
      asked++;
      response.writeHead(307, { Location: "/elsewhere", "Content-Length": 0 }).end();
    },
    (connection) => assert.rejects(ask(connection), { code: "NOT_A_BRIDGE", outcome: "unknown" }),
  );
  assert.equal(asked, 1);
});

for (const [what, reason, answer] of /** @type {[string, RegExp, RequestListener][]} */ ([
  ["without a length", /no length/, (_request, response) => void response.write("{}")],
  [
    "of too many bytes",
    /too large/,
    (_request, response) =>
      void response.writeHead(200, { "Content-Length": 2_000_000 }).write("{"),
  ],
  ["that is no strict JSON", /no strict JSON/, answering(200, '{"a":1,"a":2}')],
  ["that refuses without a reason", /no reason/, answering(400, '{"error":{}}')],
])) {
  test(`an answer ${what} is none of a bridge`, async () => {
    await withServer(answer, (connection) =>
      assert.rejects(ask(connection), {
        code: "NOT_A_BRIDGE",
        outcome: "unknown",
        message: reason,
      }),
    );
  });
}

test("what the bridge says of an outcome is told, and what it leaves open may have run", async () => {
  /** @type {Record<string, unknown>[]} */
  const errors = [
    { code: "QUEUE_FULL", message: "Full.", outcome: "not_delivered", hint: "Wait." },
    { code: "TIMEOUT", message: "Late.", outcome: "unknown" },
    { code: "NEW_CODE", message: "Later." },
    { code: "TOO_LARGE", message: "Large." },
  ];
  await withServer(
    (request, response) =>
      answering(500, JSON.stringify({ error: errors.shift() }))(request, response),
    async (connection) => {
      const found = [];
      for (let n = 0; n < 4; n++) {
        const { name, code, outcome, message } = await ask(connection).catch((error) => error);
        found.push([name, code, outcome, message]);
      }
      assert.deepEqual(found, [
        ["BridgeFailure", "QUEUE_FULL", "not_delivered", "Full. Wait."],
        ["DeadlineExceeded", "TIMEOUT", "unknown", "Late."],
        ["BridgeFailure", "NEW_CODE", "unknown", "Later."],
        ["BridgeFailure", "TOO_LARGE", null, "Large."],
      ]);
    },
  );
});

test("the deadline bounds the whole answer, however slowly it comes", async () => {
  await withServer(
    (_request, response) => void response.writeHead(200, { "Content-Length": 10 }).write("{"),
    (connection) =>
      assert.rejects(ask(connection, 100), { code: "DEADLINE_EXCEEDED", outcome: "unknown" }),
  );
});

test("a connection that breaks off in a call leaves its outcome unknown", async () => {
  await withServer(
    (request) => void request.socket.destroy(),
    (connection) =>
      assert.rejects(ask(connection), { code: "CONNECTION_LOST", outcome: "unknown" }),
  );
});

test("an answer that ends too early is lost", async () => {
  const server = createSocketServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"));
  });
  const connection = new BridgeConnection({ url: await listening(server), token: TOKEN });
  await assert.rejects(ask(connection), { code: "CONNECTION_LOST", outcome: "unknown" });
  connection.close();
  server.close();
});

test("who speaks no HTTP is no bridge", async () => {
  const server = createSocketServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end("220 mail\r\n"));
  });
  const connection = new BridgeConnection({ url: await listening(server), token: TOKEN });
  await assert.rejects(ask(connection), { code: "NOT_A_BRIDGE", outcome: "unknown" });
  connection.close();
  server.close();
});

test("where nobody listens nothing was delivered", async () => {
  const server = createSocketServer();
  const url = await listening(server);
  server.close();
  await once(server, "close");
  const connection = new BridgeConnection({ url, token: TOKEN });
  await assert.rejects(ask(connection), { code: "UNREACHABLE", outcome: "not_delivered" });
});

test("an error never shows the token", async () => {
  await withServer(answering(500, "no"), async (connection) => {
    const error = await ask(connection).catch((failure) => failure);
    assert.equal(error.code, "NOT_A_BRIDGE");
    const { inspect } = await import("node:util");
    const shown = inspect(error, { depth: 9, showHidden: true });
    assert.match(shown, /not a bridge/);
    assert.doesNotMatch(shown, new RegExp(TOKEN));
  });
});
