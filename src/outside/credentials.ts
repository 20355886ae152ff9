// Credentials as people give them, read into the parts that each method of authentication needs.
import type { AuthMethod } from '../contract/enums.ts';
import { Fault } from '../kernel/fault.ts';

/** Parts of credentials by name, e.g. `{ "clientId": "a", "clientSecret": "b" }`. */
export type Credentials = Readonly<Record<string, string>>;

interface Shape {
  needs: readonly string[];
  /** One of these is needed besides. */
  needsOneOf?: readonly string[];
  /** How a plain text is read; absent where only a JSON object says enough. */
  fromText?: (text: string) => Credentials;
}

const shapes: Partial<Record<AuthMethod, Shape>> = {
  ApiKey: { needs: ['key'], fromText: (key) => ({ key }) },
  BearerToken: { needs: ['token'], fromText: (token) => ({ token }) },
  Basic: {
    needs: ['username', 'password'],
    fromText: (text) => {
      const at = text.indexOf(':');
      return at < 0 ? {} : { username: text.slice(0, at), password: text.slice(at + 1) };
    },
  },
  OAuth2ClientCredentials: { needs: ['tokenUrl', 'clientId', 'clientSecret'] },
  OAuth2AuthorizationCode: { needs: ['tokenUrl', 'clientId'], needsOneOf: ['authorizationUrl', 'refreshToken'] },
  HmacSignature: { needs: ['secret'], fromText: (secret) => ({ secret }) },
  MutualTls: { needs: ['cert', 'key'] },
};
const ofStorage: Shape = { needs: ['accessKeyId', 'secretAccessKey'] };
/** Protocols that say themselves which parts they need. */
const free = new Set(['Email', 'MessageQueue', 'Custom', 'Database']);

/**
 * Reads the text of `credentials`: a JSON object of texts, or a plain text where the method needs one thing.
 *
 * @throws Fault VALIDATION_FAILED for what lacks a part; no message holds the text
 */
export function readCredentials(type: string, method: AuthMethod, text: string): Credentials {
  const shape = type === 'ObjectStorage' ? ofStorage : (shapes[method] ?? { needs: [] });
  const object = toObject(text);
  const read = object ?? shape.fromText?.(text.trim()) ?? {};
  const wrong = Object.entries(read).find(([, value]) => typeof value !== 'string');
  const lacking = free.has(type) ? [] : shape.needs.filter((name) => !read[name]);
  const { needsOneOf = [] } = shape;
  if (!free.has(type) && lacking.length === 0 && needsOneOf.length > 0 && !needsOneOf.some((name) => read[name]))
    lacking.push(needsOneOf.join(' or '));
  if (object === null && (!shape.fromText || free.has(type)))
    throw invalid('credentials has to be a JSON object', shape);
  if (wrong) throw invalid(`credentials: "${wrong[0].slice(0, 50)}" has to be a text`, shape);
  if (lacking.length > 0) throw invalid(`credentials lacks ${lacking.join(' and ')}`, shape);
  return read as Credentials;
}

function toObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

const invalid = (what: string, { needs }: Shape) =>
  new Fault('VALIDATION_FAILED', `${what}.`, {
    field: 'credentials',
    hint: `Give a JSON object of texts${needs.length > 0 ? ` with ${needs.join(', ')}` : ''}.`,
  });
