// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { TRANSPORT_NOTES, textOfNote } from "../../../browser_worker/link/transport_note.js";

const place = { url: "http://127.0.0.1:4567", origin: "https://app.example" };

test("every note but none is a sentence of its own", () => {
  const texts = TRANSPORT_NOTES.map((note) => textOfNote(note, place));
  assert.equal(texts[0], "");
  assert.equal(new Set(texts).size, TRANSPORT_NOTES.length);
  for (const text of texts.slice(1)) assert.match(text, /^[A-Z].*\.$/);
});

test("a policy that is in the way is named with what to add to it", () => {
  const text = textOfNote("blocked-by-csp", place);
  assert.match(text, /connect-src/);
  assert.match(text, /ws:\/\/127\.0\.0\.1:4567 /);
  assert.match(text, /ws:\/\/127\.0\.0\.1:\*/);
});
