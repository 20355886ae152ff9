// Tells texts in Latin letters from others.

/** Whether at least half of a text's letters are Latin; a text without letters has none. */
export function isMostlyLatin(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return letters > 0 && latin * 2 >= letters;
}
