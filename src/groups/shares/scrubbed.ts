// Takes secrets out of what links show: by their look, by the names they stand under, and those of the run's environment.
import { redact, scan } from '../../scrub/scrub.ts';

export type Scrub = ReturnType<typeof createScrub>;

/** Shorter values of variables are words that stand everywhere. */
const shortestSecret = 6;

/** @param known - values that are secret whatever they look like */
export function createScrub(known: readonly string[] = []) {
  const secrets = known.filter((one) => one.length >= shortestSecret).sort((a, b) => b.length - a.length);
  const text = (given: string): string =>
    redact(
      secrets.reduce((all, secret) => all.replaceAll(secret, '[secret]'), given),
      'Secret',
    );

  /** A text of JSON stays one: the values in it are scrubbed, each with its name. */
  const ofText = (given: string): string => {
    const parsed = /^\s*[[{]/.test(given) ? parse(given) : undefined;
    return parsed === undefined ? text(given) : JSON.stringify(ofValue(parsed));
  };
  const ofNamed = (name: string, value: unknown): unknown => {
    if (typeof value !== 'string') return ofValue(value);
    const scrubbed = ofText(value);
    const isSecretByName = scrubbed === value && scan(`${JSON.stringify(name)}: ${JSON.stringify(value)}`, 'Secret')[0];
    return isSecretByName ? '[secret]' : scrubbed;
  };
  const ofValue = (value: unknown): unknown => {
    if (typeof value === 'string') return ofText(value);
    if (Array.isArray(value)) return value.map(ofValue);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [text(name), ofNamed(name, one)]));
  };
  return {
    text,
    maybe: (given: string | null): string | null => (given === null ? null : ofText(given)),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
