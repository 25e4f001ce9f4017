/** Runs the vectors of the control protocol in this browser. */

import { readVectors, runVector } from "/tests/javascript/support/vector_runner.js";

/**
 * @param {string} file
 * @returns {Promise<{ ran: number, failed: string[] }>}
 */
globalThis.runVectors = async (file) => {
  const vectors = readVectors(await (await fetch(`/tests/vectors/${file}`)).text());
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
