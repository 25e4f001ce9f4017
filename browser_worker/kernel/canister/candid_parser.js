// @ts-check
/**
 * Reads an interface description in Candid: type definitions and one service. Nothing is fetched, so a
 * description imports none. What is read is bounded, and bound: no name in it is unknown.
 */

import { checkDefinitions } from "./candid_checks.js";
import { CANDID_LIMITS, CandidError, tokensOf } from "./candid_lexer.js";
import { fieldNumber, isPrimitive } from "./candid_types.js";

/** @import { Token } from "./candid_lexer.js" */
/** @import { CandidService, CandidType, Field, FuncMode, FuncType, Parameter } from "./candid_types.js" */

export { CandidError };

/** @typedef {ReadonlyMap<object, Token>} Places Where each name and definition stands. */

const MAX_FIELD_NUMBER = 2 ** 32 - 1;
/** Words that begin a type, or a description; none can be a definition's name. */
const RESERVED = new Set(
  "type import service func opt vec record variant blob query composite_query oneway".split(" "),
);
/** @type {readonly FuncMode[]} */
const MODES = ["query", "composite_query", "oneway"];

/**
 * @param {string} source
 * @returns {CandidService}
 * @throws {CandidError}
 */
export function parseCandid(source) {
  return new Parser(tokensOf(source)).program();
}

class Parser {
  /** @param {Token[]} tokens */
  constructor(tokens) {
    this._tokens = tokens;
    this._at = 0;
    this._depth = 0;
    /** @type {Map<string, CandidType>} */
    this._types = new Map();
    /** @type {Map<object, Token>} */
    this._places = new Map();
  }

  program() {
    while (this._isWord("type") || this._isWord("import")) {
      this._definition();
      if (!this._takeMark(";")) break;
    }
    const place = this._next;
    const actor = this._actor();
    this._takeMark(";");
    if (this._next.kind !== "end") throw this._unexpected("nothing more");
    return checkDefinitions(this._types, actor, this._places, place);
  }

  _definition() {
    if (this._isWord("import")) {
      throw this._wrong("another description cannot be imported: write its types here");
    }
    this._step();
    const place = this._next;
    const name = this._id("a name for the type");
    if (isPrimitive(name) || RESERVED.has(name)) {
      throw new CandidError(`${name} is a word of the language, and no name for a type`, place);
    }
    if (this._types.has(name)) throw new CandidError(`a second type ${name}`, place);
    if (this._types.size >= CANDID_LIMITS.maxTypes) {
      throw new CandidError(`there are more than ${CANDID_LIMITS.maxTypes} types`, place);
    }
    this._requireMark("=");
    const type = this._type();
    this._types.set(name, type);
    this._places.set(type, place);
  }

  /** @returns {CandidType} */
  _actor() {
    if (!this._isWord("service")) throw this._unexpected("type or service");
    this._step();
    if (this._next.kind === "id") this._step();
    this._requireMark(":");
    if (this._isMark("(")) {
      // What it was installed with is nobody's business any more, but has to be well formed.
      this._parameters();
      this._requireMark("->");
    }
    return this._isMark("{") ? this._service() : this._named();
  }

  /** @returns {CandidType} */
  _type() {
    if (this._depth >= CANDID_LIMITS.maxDepth) {
      throw this._wrong(`types are nested deeper than ${CANDID_LIMITS.maxDepth}`);
    }
    this._depth += 1;
    const type = this._shape();
    this._depth -= 1;
    return type;
  }

  /** @returns {CandidType} */
  _shape() {
    const { kind, value } = this._next;
    if (kind !== "id") throw this._unexpected("a type");
    switch (value) {
      case "opt":
      case "vec":
        this._step();
        return this._placed({ kind: value, of: this._type() });
      case "blob":
        this._step();
        return { kind: "blob" };
      case "record":
        this._step();
        return this._record();
      case "variant":
        this._step();
        return { kind: "variant", fields: this._fields((place) => this._case(place)) };
      case "func":
        this._step();
        return this._func();
      case "service":
        this._step();
        return this._service();
      default:
        return this._named();
    }
  }

  /** @returns {CandidType} */
  _named() {
    const place = this._next;
    const name = this._id("a type");
    if (isPrimitive(name)) return { kind: "primitive", name };
    if (RESERVED.has(name)) throw new CandidError(`${name} is no type`, place);
    return this._placed({ kind: "name", name }, place);
  }

  /** @returns {CandidType} */
  _record() {
    let next = 0;
    let tuple = true;
    const fields = this._fields(() => {
      const label = this._label();
      if (label === null) return { number: next++, name: null, type: this._type() };
      if (label.name !== null || label.number !== next) tuple = false;
      next = label.number + 1;
      return { ...label, type: this._type() };
    });
    return { kind: "record", fields, tuple: tuple && fields.length > 0 };
  }

  /** @param {Token} place */
  _case(place) {
    const label = this._label();
    if (label !== null) return { ...label, type: this._type() };
    /** @type {CandidType} */
    const type = { kind: "primitive", name: "null" };
    if (place.kind === "number") return { number: this._number(), name: null, type };
    const name = this._name("a case of the variant");
    return { number: fieldNumber(name), name, type };
  }

  /**
   * @param {(place: Token) => { number: number, name: string | null, type: CandidType }} read
   * @returns {Field[]} In the order of their numbers, as the type has them.
   */
  _fields(read) {
    /** @type {Map<number, Field>} */
    const fields = new Map();
    /** @type {Set<string>} */
    const names = new Set();
    this._list("{", ";", "}", () => {
      const place = this._next;
      const { number, name, type } = read(place);
      const told = name ?? `_${number}_`;
      if (number > MAX_FIELD_NUMBER) throw new CandidError("a field's number is too large", place);
      if (fields.has(number) || names.has(told)) {
        throw new CandidError("two fields have the same name or number", place);
      }
      names.add(told);
      fields.set(number, { name: told, type });
    });
    return [...fields].sort(([one], [other]) => one - other).map(([, field]) => field);
  }

  /** A name or a number with a colon after it, if there is one. */
  _label() {
    const after = this._tokens[this._at + 1];
    if (after?.kind !== "mark" || after.value !== ":") return null;
    const isNumber = this._next.kind === "number";
    const name = isNumber ? null : this._name("a field");
    const number = name === null ? this._number() : fieldNumber(name);
    this._step();
    return { number, name };
  }

  /** @returns {FuncType} */
  _func() {
    const place = this._next;
    const args = this._parameters();
    this._requireMark("->");
    const results = this._parameters();
    /** @type {FuncMode} */
    let mode = "update";
    for (;;) {
      const word = MODES.find((each) => this._isWord(each));
      if (word === undefined) break;
      if (mode !== "update") throw this._wrong("a method has one such word at most");
      this._step();
      mode = word;
    }
    if (mode === "oneway" && results.length > 0) {
      throw new CandidError("a oneway method has no results", place);
    }
    return { kind: "func", args, results, mode };
  }

  /** @returns {Parameter[]} */
  _parameters() {
    /** @type {Parameter[]} */
    const parameters = [];
    this._list("(", ",", ")", () => {
      const place = this._next;
      const after = this._tokens[this._at + 1];
      let name = `arg${parameters.length}`;
      if (after?.kind === "mark" && after.value === ":") {
        name = this._name("an argument");
        this._step();
      }
      if (parameters.some((each) => each.name === name)) {
        throw new CandidError(`a second argument ${JSON.stringify(name)}`, place);
      }
      parameters.push({ name, type: this._type() });
    });
    return parameters;
  }

  /** @returns {CandidType} */
  _service() {
    /** @type {Map<string, CandidType>} */
    const methods = new Map();
    this._list("{", ";", "}", () => {
      const place = this._next;
      const name = this._name("a method");
      if (methods.has(name)) throw new CandidError("a second method of this name", place);
      this._requireMark(":");
      methods.set(name, this._isMark("(") ? this._func() : this._named());
    });
    return { kind: "service", methods };
  }

  /**
   * @param {string} open
   * @param {string} between May stand after the last one, too.
   * @param {string} close
   * @param {() => void} read
   */
  _list(open, between, close, read) {
    this._requireMark(open);
    for (let count = 0; !this._takeMark(close); count += 1) {
      if (count >= CANDID_LIMITS.maxMembers) {
        throw this._wrong(`there are more than ${CANDID_LIMITS.maxMembers} of one`);
      }
      read();
      if (this._takeMark(between)) continue;
      this._requireMark(close);
      return;
    }
  }

  /** @param {string} what */
  _name(what) {
    if (this._next.kind !== "text" && this._next.kind !== "id") throw this._unexpected(what);
    return this._step().value;
  }

  /** @param {string} what */
  _id(what) {
    if (this._next.kind !== "id") throw this._unexpected(what);
    return this._step().value;
  }

  _number() {
    return Number(this._step().value);
  }

  get _next() {
    return /** @type {Token} */ (this._tokens[this._at]);
  }

  _step() {
    const token = this._next;
    if (token.kind !== "end") this._at += 1;
    return token;
  }

  /** @param {string} word */
  _isWord(word) {
    return this._next.kind === "id" && this._next.value === word;
  }

  /** @param {string} mark */
  _isMark(mark) {
    return this._next.kind === "mark" && this._next.value === mark;
  }

  /** @param {string} mark */
  _takeMark(mark) {
    if (!this._isMark(mark)) return false;
    this._step();
    return true;
  }

  /** @param {string} mark */
  _requireMark(mark) {
    if (!this._takeMark(mark)) throw this._unexpected(mark);
  }

  /**
   * @template {CandidType} T
   * @param {T} type
   * @param {Token} [place]
   * @returns {T}
   */
  _placed(type, place = this._next) {
    this._places.set(type, place);
    return type;
  }

  /** @param {string} expected */
  _unexpected(expected) {
    const { kind, value } = this._next;
    const found = kind === "end" ? "the end" : JSON.stringify(value.slice(0, 40));
    return this._wrong(`${expected} is expected, not ${found}`);
  }

  /** @param {string} message */
  _wrong(message) {
    return new CandidError(message, this._next);
  }
}
