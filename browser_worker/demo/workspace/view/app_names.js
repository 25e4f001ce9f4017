// @ts-check
/** Apps as a person reads of them. */

/** Several names as one would say them. @param {readonly string[]} names @returns {string} */
export function listed(names) {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

/**
 * One app: two may have one name, and a name may look like anything. So where it is not the id in other letters, the
 * id comes first, which is the page's own word.
 *
 * @param {string} app
 * @param {readonly { id: string, name: string }[]} apps
 */
export function appWords(app, apps) {
  const name = apps.find(({ id }) => id === app)?.name ?? app;
  return name.toLowerCase() === app ? name : `${app} (“${name}”)`;
}
