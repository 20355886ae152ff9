// Two answers without what is different in each, to hold one against the other.

/** A name like this one that nobody has: `run:999999999` for `run:5`. */
export const unknownLike = (name: string) =>
  name.replace(/[^:]*$/, () => (/:\d+$/.test(name) ? '999999999' : 'nobody'));

/** An answer without what is different in each. */
export const comparable = (text: string, ids: readonly (string | number)[]) =>
  // The longest first: an id may be a part of a name.
  [...ids]
    .sort((a, b) => String(b).length - String(a).length)
    .reduce<string>((said, id) => said.replaceAll(String(id), '#').replaceAll(encodeURIComponent(id), '#'), text)
    .replaceAll(/"requestId":"[^"]*"/g, '"requestId":""');
