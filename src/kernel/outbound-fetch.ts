// `fetch` to servers that the operator named: through the proxies of the process where there are some.
import { createSend, headerOf, isRedirect, type Send, signalOf, toResponse } from './http-send.ts';
import { outboundProxy } from './outbound-proxy.ts';

/** Redirects that a GET follows, as many as browsers do. */
const mostRedirects = 20;

let send: Send | undefined;

/** The same as `fetch`, but that behind a proxy a request with a body follows no redirect. */
export const outboundFetch: typeof fetch = async (input, init) => {
  const address = new URL(input instanceof Request ? input.url : input);
  if (outboundProxy(address) === null) return fetch(input, init);
  const request = new Request(input, init);
  const { method, redirect } = request;
  const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
  const sending = { method, headers: Object.fromEntries(request.headers), body, signal: signalOf(input, init) };
  send ??= createSend();
  let url = address;
  for (let left = mostRedirects; ; left--) {
    const answer = await send(url, sending);
    const location = isRedirect(answer) ? headerOf(answer, 'location') : null;
    if (location === null || redirect === 'manual') return toResponse(answer);
    answer.destroy();
    if (redirect === 'error' || body !== null || left === 0) throw new TypeError('fetch failed: it was redirected');
    const next = new URL(location, url);
    // Headers may be credentials.
    if (next.origin !== url.origin) sending.headers = {};
    url = next;
  }
};
