// @ts-check
/** Reads what a server answers, and no more of it than is wanted. */

/**
 * @param {Pick<Response, "body">} response
 * @param {number} maxBytes
 * @returns {Promise<string | null>} Null where there is more, which is not read. Rejects where it breaks off.
 */
export async function readBounded({ body }, maxBytes) {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      // Whether the rest is given up in time changes nothing of the answer.
      reader.cancel().catch(() => {});
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}
