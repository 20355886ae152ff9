// Text of addresses that people or programs have percent-encoded, perhaps wrongly.

/** A part of an address as it is meant; one that is not encoded well as it is written. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
