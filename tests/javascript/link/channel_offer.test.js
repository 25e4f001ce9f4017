// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { readChannelOffer } from "../../../browser_worker/link/channel_offer.js";

const TICKET = "abcDEF123_-abcDEF123";

test("a path of the bridge's own and a ticket are an offer", () => {
  const offer = { path: "/channel", ticket: TICKET };
  assert.deepEqual(readChannelOffer({ ...offer, more: 1 }), offer);
  assert.deepEqual(readChannelOffer({ path: "/v2/channel", ticket: TICKET })?.path, "/v2/channel");
});

test("what would lead elsewhere, or cannot be a sub-protocol, is none", () => {
  for (const path of [
    "",
    "/",
    "channel",
    "@evil.example/channel",
    ":80/channel",
    ".evil.example",
    "//evil.example/channel",
    "/channel?x=1",
    "/channel#x",
    "/chan nel",
    `/${"a".repeat(65)}`,
    5,
  ]) {
    assert.equal(readChannelOffer({ path, ticket: TICKET }), null, String(path));
  }
  for (const ticket of [
    "",
    "short",
    `${TICKET},x`,
    `${TICKET} x`,
    `${TICKET}\n`,
    "é".repeat(20),
    5,
  ]) {
    assert.equal(readChannelOffer({ path: "/channel", ticket }), null, String(ticket));
  }
  for (const value of [null, undefined, "x", 5, [], {}]) {
    assert.equal(readChannelOffer(value), null);
  }
});
