// A person at an OpenID provider of tests, who lets in whoever asks, and the browser that brings the answer back.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';

/** Answers what the provider asks its person: all of it is agreed to. */
export async function agree(provider: Provider, asked: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(asked, response);
  if (prompt.name === 'login') return provider.interactionFinished(asked, response, { login: { accountId: 'ada' } });
  const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params.client_id) });
  grant.addOIDCScope(String(params.scope));
  if (typeof params.resource === 'string') grant.addResourceScope(params.resource, String(params.scope));
  return provider.interactionFinished(asked, response, { consent: { grantId: await grant.save() } });
}

/** Follows redirects with its cookies, as a browser does, until it is sent to the page that ends a sign-in. */
export async function browseBack(
  from: string,
  { publicUrl, url: ownUrl }: { publicUrl: string; url: string },
): Promise<URLSearchParams> {
  const jar = new Map<string, string>();
  for (let url = from, left = 10; left > 0; left--) {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie, accept: 'text/html' } });
    for (const set of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split(/=(.*)/s);
      jar.set(name, value);
    }
    const next = new URL(answer.headers.get('location') ?? '', url);
    if (next.hash) return new URLSearchParams(next.hash.split('?')[1]);
    url = next.href.replace(publicUrl, ownUrl);
  }
  throw new Error('it never came back');
}
