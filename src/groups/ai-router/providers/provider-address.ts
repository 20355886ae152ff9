// What a provider's address and headers may be.
import { isServerAddress, literalAddress } from '../../../kernel/addresses.ts';
import { Fault } from '../../../kernel/fault.ts';
import { jsonObject } from '../../../kernel/json-object.ts';

/** A name of a cloud's metadata service; what other names lead to is seen when they are called. */
const metadataName = /^metadata\.google\.internal\.?$/i;

/** @throws Fault VALIDATION_FAILED for an address with credentials in it or of a cloud's metadata service */
export function checkAddress(baseUrl: string | null | undefined): void {
  if (!baseUrl) return;
  const url = new URL(baseUrl);
  if (url.username || url.password) {
    throw new Fault('VALIDATION_FAILED', 'The address of a provider must not hold credentials.', {
      hint: 'Give them as apiKey or headersJson; those are kept sealed.',
    });
  }
  const address = literalAddress(url);
  if (metadataName.test(url.hostname) || (address !== null && !isServerAddress(address))) {
    throw new Fault('VALIDATION_FAILED', 'This address belongs to the cloud, not to a model provider.', {
      hint: 'Give the base URL of the model server, such as http://127.0.0.1:11434/v1.',
    });
  }
}

/** Headers that the connection itself needs. */
const ownHeaders = new Set(['host', 'content-length', 'content-type', 'transfer-encoding', 'connection', 'upgrade']);

/** Parses `headersJson`. @throws Fault VALIDATION_FAILED */
export function parseHeaders(json: string): Record<string, string> {
  const headers = parseObject(json);
  for (const [name, value] of Object.entries(headers)) {
    const sane = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof value === 'string' && !/[\r\n\0]/.test(value);
    if (!sane || ownHeaders.has(name.toLowerCase())) {
      throw new Fault('VALIDATION_FAILED', `headersJson: "${name.slice(0, 50)}" is not a header that can be set.`, {
        hint: 'Give an object of header name to text.',
      });
    }
  }
  return headers as Record<string, string>;
}

function parseObject(json: string): Record<string, unknown> {
  const value = jsonObject(json);
  if (value) return value;
  throw new Fault('VALIDATION_FAILED', 'headersJson is not a JSON object.', {
    hint: 'Give an object of header name to text.',
  });
}
