// @ts-check
/** Several names as one would say them. */

/** @param {readonly string[]} names @returns {string} */
export function listed(names) {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
