// A person at an OpenID provider of tests, who lets in whoever asks, and the browser that brings the answer back.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';

/** Answers what the provider asks its person: all of it is agreed to. */
export async function agree(
  provider: Provider,
  asked: IncomingMessage,
  response: ServerResponse,
  accountId = 'ada',
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(asked, response);
  if (prompt.name === 'login') return provider.interactionFinished(asked, response, { login: { accountId } });
  const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params.client_id) });
  grant.addOIDCScope(String(params.scope));
  if (typeof params.resource === 'string') grant.addResourceScope(params.resource, String(params.scope));
  return provider.interactionFinished(asked, response, { consent: { grantId: await grant.save() } });
}

/** Follows redirects with its cookies, as a browser does, until it is sent to a page of the dashboard. */
export class Browser {
  readonly #server: { publicUrl: string; url: string };
  readonly #jar = new Map<string, string>();

  /** Knows where a server really is that is said to be at its public URL. */
  constructor(server: { publicUrl: string; url: string }) {
    this.#server = server;
  }

  /** The query of the page that it ends at. */
  async go(from: string): Promise<URLSearchParams> {
    for (let url = from, left = 12; left > 0; left--) {
      const next = await this.step(url);
      if (next.hash) return new URLSearchParams(next.hash.split('?')[1]);
      url = next.href.replace(this.#server.publicUrl, this.#server.url);
    }
    throw new Error('it never came back');
  }

  /** Keeps cookies that a host has set. */
  keep(host: string, cookies: readonly string[]): void {
    for (const set of cookies) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split(/=(.*)/s);
      this.#jar.set(`${host} ${name}`, value);
    }
  }

  /** One request; where it is sent to. */
  async step(url: string): Promise<URL> {
    const host = new URL(url).host;
    const own = [...this.#jar].filter(([name]) => name.startsWith(host));
    const cookie = own.map(([name, value]) => `${name.split(' ')[1]}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie, accept: 'text/html' } });
    this.keep(host, answer.headers.getSetCookie());
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`${answer.status} ${await answer.text()}`);
    return new URL(location, url);
  }
}
