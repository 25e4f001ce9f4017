// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { AttachLinkError, readAttachLink } from "../../../browser_worker/link/attach_link.js";

const TOKEN = "0123456789abcdefghijklmnopqrstuvwxyz-_ABCDE";
const GOOD = { url: "http://127.0.0.1:4567", token: TOKEN };

/** @param {unknown} value */
const encode = (value) => encodeText(JSON.stringify(value));

/** @param {string} text */
const encodeText = (text) => Buffer.from(text, "utf8").toString("base64url");

/** @param {string} hash */
function page(hash) {
  /** @type {unknown[][]} */
  const replaced = [];
  const powers = {
    location: { hash, href: `https://app.example/editor?doc=7${hash}` },
    history: {
      state: { router: "state" },
      /** @param {unknown[]} args */
      replaceState: (...args) => void replaced.push(args),
    },
  };
  return { powers, replaced };
}

test("a good link is read and removed from the address bar, and the app's history state stays", () => {
  const { powers, replaced } = page(`#bascule=${encode(GOOD)}`);
  assert.deepEqual(readAttachLink(powers), GOOD);
  assert.deepEqual(replaced, [[{ router: "state" }, "", "https://app.example/editor?doc=7"]]);
});

test("a page without a link is left alone", () => {
  for (const hash of ["", "#", "#section", "#x&bascule=abc", "#Bascule=abc"]) {
    const { powers, replaced } = page(hash);
    assert.equal(readAttachLink(powers), null);
    assert.deepEqual(replaced, []);
  }
});

test("a link is removed whatever the page's base address and path are", () => {
  for (const address of ["https://app.example//evil.example/x", "https://app.example/?q=%23"]) {
    const hash = `#bascule=${encode(GOOD)}`;
    const { powers, replaced } = page(hash);
    powers.location.href = address + hash;
    assert.deepEqual(readAttachLink(powers), GOOD);
    // As browsers do it: relative to the page's own <base>, which may name another origin.
    const url = new URL(String(replaced[0]?.[2]), "https://cdn.example/");
    assert.equal(url.href, address);
  }
});

test("a closing slash of the address is accepted and dropped", () => {
  const { powers } = page(`#bascule=${encode({ ...GOOD, url: "http://127.0.0.1:4567/" })}`);
  assert.deepEqual(readAttachLink(powers), GOOD);
});

const HOSTILE_ADDRESSES = [
  "http://evil.com:4567",
  "http://127.0.0.1.evil:4567",
  "http://user@127.0.0.1:4567",
  "http://127.0.0.1:4567@evil.com",
  "http://127.0.0.1:80@evil.com:4567/",
  "http://127.0.0.1:4567/path",
  "http://127.0.0.1:4567?x",
  "http://127.0.0.1:4567#x",
  "http://127.0.0.1:4567\\@evil.com",
  "http://127.0.0.1",
  "http://127.0.0.1:",
  "http://127.0.0.1:0",
  "http://127.0.0.1:00080",
  "http://127.0.0.1:65536",
  "http://127.0.0.1:4567 ",
  " http://127.0.0.1:4567",
  "http://127.0.0.1:4567\n",
  "https://127.0.0.1:4567",
  "HTTP://127.0.0.1:4567",
  "//127.0.0.1:4567",
  "ws://127.0.0.1:4567",
  "javascript:alert(1)//127.0.0.1:4567",
  "http://127.1:4567",
  "http://2130706433:4567",
  "http://0x7f000001:4567",
  "http://0.0.0.0:4567",
  "http://127.0.0.2:4567",
  "http://[::1]:4567",
  "http://localhost:4567",
  "http://[::ffff:127.0.0.1]:4567",
  "http://127.0.0.1:\uff14567",
  "",
  null,
  4567,
  ["http://127.0.0.1:4567"],
];

const HOSTILE_LINKS = [
  ...HOSTILE_ADDRESSES.map((url) => encode({ ...GOOD, url })),
  encode({ ...GOOD, extra: 1 }),
  encode({ ...GOOD, zone: 1 }),
  encode({ url: GOOD.url }),
  encode({ token: TOKEN }),
  encode({ ...GOOD, token: "" }),
  encode({ ...GOOD, token: "short" }),
  encode({ ...GOOD, token: "with space 0123456789" }),
  encode({ ...GOOD, token: `${TOKEN}\r\nX-Evil: 1` }),
  encode({ ...GOOD, token: 5 }),
  encode({ ...GOOD, token: "a".repeat(513) }),
  encode([GOOD.url, TOKEN]),
  encode(null),
  encode("text"),
  encodeText("{"),
  encodeText(""),
  encodeText(`{"__proto__":{"url":"${GOOD.url}","token":"${TOKEN}"}}`),
  `${encode(GOOD)}=`,
  `${encode(GOOD)} `,
  `${encode(GOOD)}%20`,
  encode(GOOD).replace(/^./, "+"),
  encode(GOOD).replace(/^./, "/"),
  encode(GOOD).slice(0, -3),
  "A",
  Buffer.from(JSON.stringify(GOOD), "latin1").subarray(1).toString("base64url"),
  Buffer.from([0xff, 0xfe, 0x7b]).toString("base64url"),
  encodeText(JSON.stringify(GOOD) + " ".repeat(4_096)),
];

test("a hostile or damaged link is refused, and removed all the same", () => {
  for (const link of HOSTILE_LINKS) {
    const { powers, replaced } = page(`#bascule=${link}`);
    assert.throws(() => readAttachLink(powers), AttachLinkError, link);
    assert.equal(replaced.length, 1);
  }
});

test("what a refusal says does not hold the token", () => {
  const { powers } = page(`#bascule=${encode({ ...GOOD, extra: 1 })}`);
  assert.throws(
    () => readAttachLink(powers),
    (error) => error instanceof Error && !error.message.includes(TOKEN.slice(0, 8)),
  );
});

test("a link of the longest size is read, and one a character longer is not", () => {
  const padded = JSON.stringify(GOOD);
  const longest = encodeText(padded + " ".repeat(3_072 - padded.length));
  assert.equal(longest.length, 4_096);
  assert.deepEqual(readAttachLink(page(`#bascule=${longest}`).powers), GOOD);
  assert.throws(() => readAttachLink(page(`#bascule=${longest}A`).powers), /too long/);
});
