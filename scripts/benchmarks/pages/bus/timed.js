/**
 * Times work: the clock of a page is coarse, so a sample is the mean of several in a row.
 *
 * @param {number} samples
 * @param {number} each Calls of one sample.
 * @param {() => Promise<unknown>} work
 * @returns {Promise<number[]>} Milliseconds of one call.
 */
export async function timed(samples, each, work) {
  const taken = [];
  for (let sample = 0; sample < samples; sample++) {
    const start = performance.now();
    for (let call = 0; call < each; call++) await work();
    taken.push((performance.now() - start) / each);
  }
  return taken;
}
