// @ts-check
/**
 * The exact text of the members of a JSON object, found without decoding the values.
 *
 * It keeps a caller's message byte for byte (`1e3` stays `1e3`) on its way through the envelope that
 * the bridge wrote around it. It is not a validator: what it hands out is still to be read strictly
 * by whoever uses it.
 */

const SPACE = /[\t\n\r ]*/y;
const SCALAR = /[^\t\n\r ,:{}[\]"]+/y;
const STRUCTURE = /["{}[\]]/g;

/**
 * @param {string} text one JSON object
 * @returns {Map<string, string>} decoded names and raw values, in order
 * @throws {SyntaxError} where the text is not the frame of one object, or a name occurs twice
 */
export function rawMembers(text) {
  /** @type {Map<string, string>} */
  const members = new Map();
  let at = expect(text, skipSpace(text, 0), "{");
  if (text[at] === "}") {
    finish(text, at + 1);
    return members;
  }
  for (;;) {
    const nameEnd = skipString(text, at);
    const name = JSON.parse(text.slice(at, nameEnd));
    if (members.has(name)) throw new SyntaxError("a member occurs twice");
    const start = expect(text, skipSpace(text, nameEnd), ":");
    const end = skipValue(text, start);
    members.set(name, text.slice(start, end));
    at = skipSpace(text, end);
    if (text[at] === "}") break;
    at = expect(text, at, ",");
  }
  finish(text, at + 1);
  return members;
}

/**
 * @param {string} text one JSON array
 * @returns {string[]} the raw elements
 * @throws {SyntaxError} where the text is not the frame of one array
 */
export function rawElements(text) {
  /** @type {string[]} */
  const elements = [];
  let at = expect(text, skipSpace(text, 0), "[");
  if (text[at] === "]") {
    finish(text, at + 1);
    return elements;
  }
  for (;;) {
    const end = skipValue(text, at);
    elements.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === "]") break;
    at = expect(text, at, ",");
  }
  finish(text, at + 1);
  return elements;
}

/**
 * @param {string} text
 * @param {number} at
 */
function skipSpace(text, at) {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/**
 * @param {string} text
 * @param {number} at
 * @param {string} mark
 * @returns {number} where the next token begins
 */
function expect(text, at, mark) {
  if (text[at] !== mark) throw new SyntaxError(`expected ${mark} at ${at}`);
  return skipSpace(text, at + 1);
}

/**
 * @param {string} text
 * @param {number} at
 */
function finish(text, at) {
  if (skipSpace(text, at) !== text.length) throw new SyntaxError(`unexpected text at ${at}`);
}

/**
 * @param {string} text
 * @param {number} at
 * @returns {number} where the string that begins there has ended
 */
function skipString(text, at) {
  if (text[at] !== '"') throw new SyntaxError(`expected a string at ${at}`);
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  throw new SyntaxError("a string has no end");
}

/**
 * @param {string} text
 * @param {number} at
 * @returns {number} where the value that begins there has ended
 */
function skipValue(text, at) {
  const first = text[at];
  if (first === '"') return skipString(text, at);
  if (first !== "{" && first !== "[") {
    SCALAR.lastIndex = at;
    if (!SCALAR.test(text)) throw new SyntaxError(`expected a value at ${at}`);
    return SCALAR.lastIndex;
  }
  let depth = 0;
  STRUCTURE.lastIndex = at;
  for (let match = STRUCTURE.exec(text); match !== null; match = STRUCTURE.exec(text)) {
    const mark = match[0];
    if (mark === '"') STRUCTURE.lastIndex = skipString(text, match.index);
    else if (mark === "{" || mark === "[") depth += 1;
    else if ((depth -= 1) === 0) return STRUCTURE.lastIndex;
  }
  throw new SyntaxError("a container has no end");
}
