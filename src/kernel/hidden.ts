// Hides secrets in lines that are about to be logged: known values, and whatever stands where credentials stand.

const hidden = '[hidden]';

/** Shorter values are words that stand in harmless text, too. */
export const shortestValue = 8;

/** What is kept of a match, and the secret after it; a word may begin after the end of a line, which JSON writes as letters. */
const prefixed: readonly RegExp[] = [
  // User and password of a URL.
  /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s"\\/@?#]+@/gi,
  /((?:\b|(?<=\\[nrt]))(?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{6,}/gi,
  /([?&](?:token|ticket|key|code|secret|password|signature|sig|api[-_]?key|access[-_]?token|refresh[-_]?token)=)[^&\s"\\#]+/gi,
  /((?:\b|(?<=\\[nrt]))(?:set-)?cookie(?:\\?")?\s*[:=]\s*(?:\\?")?)[^"\\\r\n]{3,}/gi,
];

/** Values that are named as secrets: `"apiKey":"…"`, `password=…`. Numbers and words of JSON stay what they are. */
const named =
  /((?:pass(?:word|phrase|wd)?|pwd|secret|token|(?:api|access|private|raw|admin)[-_ ]?key|authori[sz]ation|credentials?|signature)(?:\\?")?\s*[:=]\s*(?:\\?")?)(?!\d+(?:\.\d+)?\b|true\b|false\b|null\b|\[|\{)([^\s"\\,;&{}[\]]{3,})/gi;

/**
 * Makes what replaces secrets in a line of the log, which stays JSON. What stands where credentials stand goes, whatever
 * it looks like: a log may lose a word too many.
 *
 * @param values - secrets that this process knows
 * @param redact - replaces what is a credential by its looks
 * @example createHider(['s3cret-value'])('{"msg":"uses s3cret-value"}') // '{"msg":"uses [hidden]"}'
 */
export function createHider(
  values: readonly string[] = [],
  redact: (text: string) => string = (text) => text,
): (line: string) => string {
  const known = [...new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))]
    .filter((value) => value.length >= shortestValue)
    .sort((a, b) => b.length - a.length);
  return (line) => {
    let safe = line;
    for (const value of known) if (safe.includes(value)) safe = safe.replaceAll(value, hidden);
    safe = safe.replace(prefixed[0] as RegExp, `$1${hidden}@`);
    for (const shape of prefixed.slice(1)) safe = safe.replace(shape, `$1${hidden}`);
    return asLine(redact(safe.replace(named, `$1${hidden}`)), line);
  };
}

/** What is left of a line, as JSON also where a secret reached over the end of its text. */
function asLine(safe: string, line: string): string {
  if (safe === line) return line;
  try {
    JSON.parse(safe);
    return safe;
  } catch {
    return `${JSON.stringify({ level: 40, time: Date.now(), msg: safe.trimEnd() })}\n`;
  }
}
