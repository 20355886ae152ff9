// ntfy: a notification out, with buttons that call this server; they are known by their tokens.
import type { MessagePriority } from '../../contract/enums.ts';
import { cut } from './texts.ts';
import type { OutMessage, Service, Setup } from './types.ts';
import { forged, jsonOf, jsonOr, textAt } from './verify.ts';

/** Bytes of a message: a larger one becomes a file. */
const longest = 4096;
const priorities: Record<MessagePriority, number> = { Low: 2, Normal: 3, High: 4, Urgent: 5 };

export const ntfy: Service = {
  secrets: ['accessToken'],
  threadsBegin: false,
  cannotSend: ({ url, target }) =>
    url === null
      ? 'url is that of the server, e.g. https://ntfy.sh.'
      : target === null
        ? 'targetAddress is the topic.'
        : null,
  cannotReceive: ({ inboundUrl }) => (inboundUrl === null ? 'Buttons call this server: set RIVULET_PUBLIC_URL.' : null),
  hasButtons: ({ inboundUrl }) => inboundUrl !== null,
  call: ({ url, secrets, target, inboundUrl }: Setup, { title, text, priority, linkUrl, buttons }: OutMessage) => ({
    url: url ?? '',
    headers: secrets.accessToken === undefined ? {} : { authorization: `Bearer ${secrets.accessToken}` },
    body: {
      ...{ topic: target, message: fitting(text), markdown: true, priority: priorities[priority] },
      ...(title !== null && { title: cut(title, 200) }),
      ...(linkUrl !== null && { click: linkUrl }),
      ...(buttons.length > 0 && {
        // ntfy shows three.
        actions: buttons.slice(0, 3).map(({ label, token }) => ({
          ...{ action: 'http', label: cut(label, 60), url: inboundUrl, method: 'POST', clear: true },
          ...{ headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) },
        })),
      }),
    },
  }),
  said: (text) => ({ externalId: textAt(jsonOr(text), 'id'), error: null }),
  receive: ({ target }, { bytes }) => {
    const token = textAt(jsonOf(bytes), 'token');
    if (token === null) throw forged();
    const from = { id: 'ntfy', name: `somebody who reads the topic ${target}` };
    return { kind: 'pressed', id: `press:${token}`, token, from, threadKey: null, about: null };
  },
};

function fitting(text: string): string {
  let short = cut(text, longest);
  while (Buffer.byteLength(short) > longest) short = cut(short, Math.floor(short.length * 0.9));
  return short;
}
