// @ts-check
/**
 * Where keys of apps are kept: in the browser's database, which keeps a key without ever giving out its
 * bytes, or in memory. Contract: bus, private actions.
 */

/** @import { KeptKey, KeyStore } from "./key_provider.js" */

const KEYS = "keys";
const BY_APP = "app";

/** Keeps them as long as the page lives. @returns {KeyStore} */
export function memoryKeys() {
  /** @type {Map<string, KeptKey>} */
  const kept = new Map();
  const idOf = (/** @type {string} */ app, /** @type {string} */ name) => `${app} ${name}`;
  return {
    all: async (app) => [...kept.values()].filter((each) => each.app === app),
    get: async (app, name) => kept.get(idOf(app, name)),
    add: async (key) => {
      const id = idOf(key.app, key.name);
      if (kept.has(id)) return false;
      kept.set(id, key);
      return true;
    },
    remove: async (app, name) => void kept.delete(idOf(app, name)),
  };
}

/**
 * Keeps them in the browser, for all pages of this origin. The database is opened at the first use.
 *
 * @param {IDBFactory} factory
 * @param {string} [database]
 * @returns {KeyStore}
 */
export function storedKeys(factory, database = "bascule-keys") {
  /** @type {Promise<IDBDatabase> | null} */
  let opened = null;
  const open = () => {
    opened ??= openDatabase(factory, database).catch((error) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  return {
    all: async (app) =>
      resultOf((await open()).transaction(KEYS).objectStore(KEYS).index(BY_APP).getAll(app)),
    get: async (app, name) =>
      resultOf((await open()).transaction(KEYS).objectStore(KEYS).get([app, name])),
    add: async (key) => {
      const transaction = (await open()).transaction(KEYS, "readwrite");
      try {
        await resultOf(transaction.objectStore(KEYS).add(key));
      } catch (error) {
        // Another page of this origin may have been first.
        if (error instanceof DOMException && error.name === "ConstraintError") return false;
        throw error;
      }
      await ended(transaction);
      return true;
    },
    remove: async (app, name) => {
      const transaction = (await open()).transaction(KEYS, "readwrite");
      transaction.objectStore(KEYS).delete([app, name]);
      await ended(transaction);
    },
  };
}

/**
 * @param {IDBFactory} factory
 * @param {string} name
 * @returns {Promise<IDBDatabase>}
 */
async function openDatabase(factory, name) {
  const request = factory.open(name, 1);
  request.onupgradeneeded = () => {
    const store = request.result.createObjectStore(KEYS, { keyPath: ["app", "name"] });
    store.createIndex(BY_APP, "app");
  };
  return resultOf(request);
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = (event) => {
      // Told here: it is no failure of the page's own.
      event.preventDefault();
      reject(request.error);
    };
  });
}

/**
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>} When what it did is kept.
 */
function ended(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}
