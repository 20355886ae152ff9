// Credentials as people give them, read into the parts that each method of authentication needs.
import { createSecureContext } from 'node:tls';
import type { AuthMethod } from '../contract/enums.ts';
import { Fault } from '../kernel/fault.ts';
import { jsonObject } from '../kernel/json-object.ts';

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
/** MCP servers say themselves who signs in; a client that was registered there by hand may be given. */
const ofMcpSignIn: Shape = { needs: [] };
const ofStorage: Shape = { needs: ['accessKeyId', 'secretAccessKey'] };
/** Protocols that say themselves which parts they need. */
const free = new Set(['Email', 'MessageQueue', 'Database']);

/**
 * Reads the text of `credentials`: a JSON object of texts, or a plain text where the method needs one thing.
 *
 * @throws Fault VALIDATION_FAILED for what lacks a part; no message holds the text
 */
export function readCredentials(type: string, method: AuthMethod, text: string): Credentials {
  const shape = shapeOf(type, method);
  const object = jsonObject(text);
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
  if (method === 'MutualTls' && !free.has(type)) requirePair(read as Credentials);
  return read as Credentials;
}

function shapeOf(type: string, method: AuthMethod): Shape {
  if (type === 'ObjectStorage') return ofStorage;
  if (type === 'Mcp' && method === 'OAuth2AuthorizationCode') return ofMcpSignIn;
  return shapes[method] ?? { needs: [] };
}

/** @throws Fault for what no handshake could show; no message holds any of it */
function requirePair({ cert = '', key = '', ca, passphrase }: Credentials): void {
  try {
    createSecureContext({ cert, key, ...(ca && { ca }), ...(passphrase && { passphrase }) });
  } catch {
    throw new Fault('VALIDATION_FAILED', 'credentials holds no certificate with the key that belongs to it.', {
      field: 'credentials',
      hint: 'Give cert and key as PEM, with line breaks; an encrypted key takes its passphrase.',
    });
  }
}

const invalid = (what: string, { needs }: Shape) =>
  new Fault('VALIDATION_FAILED', `${what}.`, {
    field: 'credentials',
    hint: `Give a JSON object of texts${needs.length > 0 ? ` with ${needs.join(', ')}` : ''}.`,
  });
