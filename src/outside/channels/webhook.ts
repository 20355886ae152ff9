// A webhook of one's own, out and in: JSON, signed both ways as Standard Webhooks says.
import { signedHeaders } from '../deliveries/signing.ts';
import type { Callback, OutMessage, Received, Service, Setup } from './types.ts';
import { at, forged, jsonOf, jsonOr, requireRecent, same, secretOf, textAt } from './verify.ts';

export const webhook: Service = {
  secrets: ['signingSecret'],
  threadsBegin: false,
  cannotSend: ({ url }) => (url === null ? 'Give the url that messages are sent to.' : null),
  cannotReceive: ({ secrets }) =>
    secrets.signingSecret === undefined ? 'Callbacks take a secret, whsec_ and base64, that both sides know.' : null,
  hasButtons: ({ secrets }) => secrets.signingSecret !== undefined,
  call: (
    { url, secrets }: Setup,
    { id, title, text, priority, linkUrl, threadKey, buttons }: OutMessage,
    now: number,
  ) => {
    const data = { title, text, priority, linkUrl, threadKey, buttons };
    const body = { type: 'channel.message', timestamp: new Date(now).toISOString(), data };
    const { signingSecret } = secrets;
    const unsigned = { 'webhook-id': id };
    const signed = () => signedHeaders({ id, at: now, body: JSON.stringify(body), secrets: [signingSecret as string] });
    return { url: url ?? '', headers: signingSecret === undefined ? unsigned : signed(), body };
  },
  said: (text) => ({ externalId: textAt(jsonOr(text), 'id'), error: null }),
  receive: receiveSigned,
};

/** A callback in the words of this server: `{ text, threadKey?, about?, from?: { id, name }, token? }`, perhaps in `data`. */
export function receiveSigned({ secrets }: Setup, callback: Callback): Received {
  const id = standardId(secretOf(secrets, 'signingSecret'), callback);
  const sent = jsonOf(callback.bytes);
  const data = at(sent, 'data') ?? sent;
  const name = textAt(data, 'from.name') ?? textAt(data, 'from');
  const person = textAt(data, 'from.id') ?? name ?? 'webhook';
  const event = {
    ...{ id, from: { id: person, name: name ?? person } },
    ...{ threadKey: textAt(data, 'threadKey'), about: textAt(data, 'about') },
  };
  const [token, text] = [textAt(data, 'token'), textAt(data, 'text')?.trim() ?? ''];
  if (token !== null) return { ...event, kind: 'pressed', token };
  return text === '' ? { kind: 'ignored', why: 'It has no text.' } : { ...event, kind: 'said', text };
}

/** The id of a callback whose signature holds: one of several is enough. */
export function standardId(secret: string, { header, bytes, now }: Callback): string {
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
  if (!id || !timestamp || !/^\d{1,12}$/.test(timestamp)) throw forged();
  const body = bytes.toString('utf8');
  const expected =
    signedHeaders({ id, at: Number(timestamp) * 1000, body, secrets: [secret] })['webhook-signature'] ?? '';
  const given = (header('webhook-signature') ?? '').split(' ').slice(0, 10);
  if (!given.map((one) => same(expected, one)).includes(true)) throw forged();
  requireRecent(timestamp, now);
  return id;
}
