// A program asks for access: what it wants, where it goes from here, and what the person lets it do.
import '../../styles/settings.css';
import { useState } from 'react';
import type { OAuthAuthorizationRequestDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { useLocation } from '../../base/router.ts';
import { useStore } from '../../base/store.ts';
import { client, server } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';

export function ConsentPage() {
  const { query } = useLocation();
  const asked = { ...Object.fromEntries(query), client_id: query.get('client_id') ?? '' };
  const request = useResource(`consent ${query}`, () => client.oauthServer.authorize({ query: asked }));
  return (
    <div className="page narrow">
      <Loaded resource={request}>
        {(one) => (one.redirectUrl === null ? <Ask request={one} /> : <Refused request={one} to={one.redirectUrl} />)}
      </Loaded>
    </div>
  );
}

const leaveFor = (url: string) => window.location.assign(url);

/** The program asked for what there is not: it is told when the person goes back to it. */
function Refused({ request, to }: { request: OAuthAuthorizationRequestDto; to: string }) {
  const why = new URL(to).searchParams.get('error_description');
  return (
    <div className="stack">
      <h1>{t('{name} cannot be let in', { name: request.clientName })}</h1>
      <div className="banner" data-tone="bad" role="alert">
        {why}
      </div>
      <div>
        <Button kind="primary" onClick={() => leaveFor(to)}>
          {t('Go back to {host}', { host: request.redirectHost })}
        </Button>
      </div>
    </div>
  );
}

function Ask({ request }: { request: OAuthAuthorizationRequestDto }) {
  const { clientName, redirectHost, identities } = request;
  const user = useStore(server)?.principal.user;
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set());
  const [identity, setIdentity] = useState(String(identities[0]?.id ?? ''));
  const [gone, setGone] = useState(false);
  const { busy, error, act } = useAction('shown');
  const scopes = request.scopes.map(({ name }) => name).filter((name) => !refused.has(name));
  const answer = (approved: boolean) =>
    void act(async () => {
      const identityId = identity ? Number(identity) : null;
      const body = { requestId: request.requestId, approved, ...(approved && { scopes, identityId }) };
      const { redirectUrl } = await client.oauth.consent({ body });
      setGone(true);
      leaveFor(redirectUrl);
    });
  if (gone) return <p role="status">{t('You can close this page if {name} is open again.', { name: clientName })}</p>;
  return (
    <div className="stack consent">
      <h1>{t('Let {name} in?', { name: clientName })}</h1>
      <About request={request} />
      <fieldset className="stack">
        <legend>{t('It asks to')}</legend>
        {request.scopes.map(({ name, description, isDangerous }) => (
          <div key={name} className="row">
            <CheckField
              label={t(description)}
              checked={!refused.has(name)}
              onChange={(checked) => setRefused(changed(refused, name, checked))}
            />
            {isDangerous && (
              <span className="tag" data-tone="warn">
                {t('changes things')}
              </span>
            )}
          </div>
        ))}
      </fieldset>
      {identities.length > 1 && (
        <SelectField
          label={t('It acts as')}
          value={identity}
          onChange={setIdentity}
          options={identities.map(({ id, displayName }) => [String(id), displayName] as const)}
        />
      )}
      <p className="muted">
        {t('Signed in as {name}. It never gets more than you may do, and you can end it under Account, Sessions.', {
          name: user?.username ?? '',
        })}
      </p>
      {error && (
        <div className="banner" data-tone="bad" role="alert">
          {error.message} {error.hint}
        </div>
      )}
      <div className="row wrap">
        <Button kind="primary" disabled={busy || scopes.length === 0} onClick={() => answer(true)}>
          {t('Allow, and go to {host}', { host: redirectHost })}
        </Button>
        <Button disabled={busy} onClick={() => answer(false)}>
          {t('Refuse')}
        </Button>
      </div>
    </div>
  );
}

/** Who asks, as far as anybody knows. */
function About({ request }: { request: OAuthAuthorizationRequestDto }) {
  return (
    <>
      {!request.isVerified && (
        <div className="banner" data-tone="warn">
          {t('It registered itself under this name, which nobody has checked. Go on only if you just started it.')}
        </div>
      )}
      {request.alreadyGranted && <p>{t('You have let it in before.')}</p>}
      {request.clientUri && (
        <p>
          <a href={request.clientUri} target="_blank" rel="noreferrer noopener">
            {request.clientUri}
          </a>
        </p>
      )}
      {request.resource?.endsWith('/mcp') && (
        <p>{t('It connects by MCP: the tools of this server, and nothing else.')}</p>
      )}
    </>
  );
}

function changed(refused: ReadonlySet<string>, name: string, isAllowed: boolean): ReadonlySet<string> {
  const next = new Set(refused);
  if (isAllowed) next.delete(name);
  else next.add(name);
  return next;
}
