/** Runs the vectors of the control protocol in this browser. */

import { readVectors, runVector } from "/tests/javascript/support/vector_runner.js";

/**
 * @param {string} file
 * @returns {Promise<{ ran: number, failed: string[] }>}
 */
globalThis.runVectors = async (file) => {
  const read = async (name) => (await fetch(`/tests/vectors/${name}`)).text();
  const vectors = readVectors(await read(file), await read("mcp_catalog.json"));
  const failed = [];
  for (const vector of vectors) {
    try {
      await runVector(vector);
    } catch (error) {
      failed.push(`${vector.name}: ${error}`);
    }
  }
  return { ran: vectors.length, failed };
};

/** @param {object} vector @returns {Promise<string>} Why it does not hold. */
globalThis.whyWrong = (vector) =>
  runVector(vector).then(
    () => "",
    (error) => String(error),
  );

document.getElementById("state").textContent = "ready";
