// @ts-check
/**
 * Values that may be there now or later. A synchronous host stays synchronous all the way; an
 * asynchronous one makes promises of the same code.
 */

/**
 * @template T
 * @typedef {T | PromiseLike<T>} Eventually
 */

/**
 * @param {unknown} value
 * @returns {value is PromiseLike<unknown>}
 */
export function isPromiseLike(value) {
  return (
    value !== null &&
    (typeof value === "object" || typeof value === "function") &&
    typeof (/** @type {{ then?: unknown }} */ (value).then) === "function"
  );
}

/**
 * Goes on with a value at once, or when it is there.
 *
 * @template T, U
 * @param {Eventually<T>} value
 * @param {(value: T) => Eventually<U>} next
 * @returns {Eventually<U>}
 */
export function andThen(value, next) {
  return isPromiseLike(value) ? value.then(next) : next(value);
}

/**
 * Runs `last` when the value is there or failed, whichever comes.
 *
 * @template T
 * @param {() => Eventually<T>} start
 * @param {() => void} last
 * @returns {Eventually<T>}
 */
export function andFinally(start, last) {
  /** @type {Eventually<T>} */
  let value;
  try {
    value = start();
  } catch (error) {
    last();
    throw error;
  }
  if (!isPromiseLike(value)) {
    last();
    return value;
  }
  return value.then(
    (settled) => {
      last();
      return settled;
    },
    (error) => {
      last();
      throw error;
    },
  );
}
