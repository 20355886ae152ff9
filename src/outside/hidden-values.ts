// Takes secrets out of what the other side answered: a server may say back what it was shown.

const hidden = '[hidden]';
/** Shorter values are words that stand in harmless text, too. */
const shortest = 5;

/** Replaces secret values in a text, also as they stand in URLs, in JSON and in base64. */
export function hideValues(text: string, values: readonly string[]): string {
  const forms = values
    .filter((value) => value.length >= shortest)
    .flatMap((value) => [
      value,
      encodeURIComponent(value),
      JSON.stringify(value).slice(1, -1),
      Buffer.from(value).toString('base64'),
    ]);
  const unique = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return unique.reduce((safe, value) => safe.replaceAll(value, hidden), text);
}
