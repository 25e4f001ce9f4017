// @ts-check
/**
 * Values that may be there now or later. A synchronous host stays synchronous all the way; an
 * asynchronous one makes promises of the same code. Whatever calls itself a promise is made a
 * real one first, so that it settles once and never throws from `then`.
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
  return isPromiseLike(value) ? Promise.resolve(value).then(next) : next(value);
}

/**
 * Tells how it ended, then gives the same value or failure.
 *
 * @template T
 * @param {() => Eventually<T>} start
 * @param {(value: T) => void} done
 * @param {(error: unknown) => void} failed
 * @returns {Eventually<T>}
 */
export function watched(start, done, failed) {
  /** @type {Eventually<T>} */
  let value;
  try {
    value = start();
  } catch (error) {
    failed(error);
    throw error;
  }
  if (!isPromiseLike(value)) {
    done(value);
    return value;
  }
  return Promise.resolve(value).then(
    (settled) => {
      done(settled);
      return settled;
    },
    (error) => {
      failed(error);
      throw error;
    },
  );
}
