// @ts-check
/** What the fixture host of the vectors has to read, and what it lists of it. */

/** @param {string} text */
const utf8 = (text) => new TextEncoder().encode(text);

/** Bytes each of which is its place modulo 251. @param {number} size */
const numbered = (size) => Uint8Array.from({ length: size }, (_, at) => at % 251);

const IMAGE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10);
/** @type {ReadonlyMap<string, [string, Uint8Array]>} */
const RESOURCES = new Map([
  ["note:zeros", ["application/octet-stream", numbered(200_000)]],
  ["note:empty", ["text/plain", new Uint8Array()]],
  ["note:image", ["image/png", IMAGE]],
  ["note:slow", ["image/png", IMAGE]],
  ["note:drips", ["image/png", IMAGE]],
  ["note:json", ["application/json", utf8('{"a":1}')]],
  ["note:linked", ["application/ld+json", utf8("{}")]],
  ["note:drawn", ["image/svg+xml", utf8("<svg/>")]],
  ["note:charset", ["Text/HTML; charset=utf-8", utf8("ä😀\u2028\0")]],
  ["note:marked", ["text/plain", Uint8Array.of(0xef, 0xbb, 0xbf, 97)]],
  ["note:broken", ["text/plain", Uint8Array.of(97, 0xff)]],
  ["note:bare", ["application/octet-stream", utf8("abc")]],
]);

/**
 * @param {string} uri
 * @param {string} note
 * @returns {[string, Uint8Array] | undefined} The media type and all bytes of what has this name.
 */
export function findResource(uri, note) {
  if (uri === "note:text") return ["text/plain", utf8(note)];
  const sized = /^note:(bytes|letters|nulls|pixels)\/([0-9]{1,6})$/.exec(uri);
  if (sized === null) return RESOURCES.get(uri);
  const size = Number(sized[2]);
  const letter = { letters: 120, nulls: 0 }[/** @type {string} */ (sized[1])];
  if (letter !== undefined) return ["text/plain", new Uint8Array(size).fill(letter)];
  return [sized[1] === "pixels" ? "image/png" : "application/octet-stream", numbered(size)];
}

/**
 * @param {string} note
 * @param {number | bigint | string} listed So many parts after the first, or what is no list.
 * @returns {any} What is listed of the resources.
 */
export function listedResources(note, listed) {
  const first = {
    uri: "note:text",
    name: "Note",
    title: "The note",
    description: "What it holds.",
    mimeType: "text/plain",
    size: utf8(note).length,
  };
  const picture = { uri: "note:image", name: "Picture", mimeType: "image/png" };
  return entries([first, picture], "uri", (at) => `note:part/${at}`, listed);
}

/**
 * @param {number | bigint | string} listed
 * @returns {any} What is listed of the templates.
 */
export function listedTemplates(listed) {
  const first = {
    uriTemplate: "note:bytes/{size}",
    name: "Bytes",
    description: "So many bytes.",
    mimeType: "application/octet-stream",
  };
  return entries([first], "uriTemplate", (at) => `note:part/${at}/{at}`, listed);
}

/**
 * @param {any[]} first
 * @param {"uri" | "uriTemplate"} member
 * @param {(at: number) => string} form
 * @param {number | bigint | string} listed
 */
function entries(first, member, form, listed) {
  if (listed === "nameless") return [{ [member]: first[0][member] }];
  if (listed === "numbered") return [{ ...first[0], name: 1 }];
  if (listed === "single") return first[0];
  const wordy = listed === "wordy" ? { description: "n".repeat(12_000) } : undefined;
  if (typeof listed === "string" && !wordy) return first;
  const parts = Array.from({ length: wordy ? 30 : Number(listed) }, (_, at) => at);
  return [...first, ...parts.map((at) => ({ [member]: form(at), name: `Part ${at}`, ...wordy }))];
}
