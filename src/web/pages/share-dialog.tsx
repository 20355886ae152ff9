// Makes links by which anybody reads one run or chat, shows those there are, and revokes them.
import { useState } from 'react';
import type { NewShareDto, ShareDto } from '../../client/index.ts';
import { formatDate, t } from '../base/i18n.ts';
import { client } from '../state/app.ts';
import { useResource } from '../state/resource.ts';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { CheckField, SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Loaded } from '../ui/states.tsx';
import { say } from '../ui/toast.tsx';
import { useAction } from '../ui/use-action.ts';
import { Secret } from './identities/secret.tsx';

const spans = ['24', '168', '720', '2160'] as const;
type Span = (typeof spans)[number];
type About = { runId: number } | { chatSessionId: number };

export function ShareDialog({ about, onClose }: { about: About; onClose: () => void }) {
  const [hours, setHours] = useState<Span>('168');
  const [includeFiles, setIncludeFiles] = useState(false);
  const [sites, setSites] = useState('');
  const [made, setMade] = useState<NewShareDto | null>(null);
  const list = useResource(`shares ${JSON.stringify(about)}`, () => client.shares.list({ query: about }));
  const isRun = 'runId' in about;
  const create = async () => {
    const embedOrigins = sites.split(/[\s,]+/).filter(Boolean);
    const body = { ...about, expiresInHours: Number(hours), includeFiles, embedOrigins };
    setMade(await client.shares.create({ body }));
    list.reload();
  };
  return (
    <FormDialog
      title={isRun ? t('Share the run') : t('Share the chat')}
      action={t('Make a link')}
      keepOpen
      {...{ onClose }}
      onSubmit={create}
    >
      <p className="muted">
        {isRun
          ? t(
              'Whoever has the link reads this run and its steps, as they happen, without signing in. Known secrets are redacted. Steps may quote files.',
            )
          : t('Whoever has the link reads this chat, as it goes on, without signing in. Known secrets are redacted.')}
      </p>
      <SelectField
        label={t('It expires after')}
        value={hours}
        onChange={setHours}
        options={[
          ['24', t('a day')],
          ['168', t('a week')],
          ['720', t('30 days')],
          ['2160', t('90 days')],
        ]}
      />
      {isRun && (
        <CheckField label={t('Show the files of the run too')} checked={includeFiles} onChange={setIncludeFiles} />
      )}
      <TextField
        name="embedOrigins"
        label={t('Sites that may embed it')}
        value={sites}
        onChange={setSites}
        placeholder="https://example.com"
        hint={t('Origins, by spaces. No other page can show it in a frame.')}
      />
      {made && <Secret text={made.url} onHide={() => setMade(null)} />}
      {made?.embedUrl && (
        <Code title={t('On those sites')} text={snippet(made, isRun ? 'rivulet-run' : 'rivulet-chat')} />
      )}
      <Loaded resource={list}>
        {({ items }) => (
          <ul className="plain-list stack" aria-label={t('Links')}>
            {items.map((one) => (
              <Link key={one.id} share={one} onRevoked={list.reload} />
            ))}
          </ul>
        )}
      </Loaded>
    </FormDialog>
  );
}

const snippet = ({ embedUrl, url }: NewShareDto, element: string) =>
  `<script src="${new URL('embed.js', url).href}"></script>\n<${element} src="${embedUrl}"></${element}>`;

function Link({ share, onRevoked }: { share: ShareDto; onRevoked: () => void }) {
  const { busy, act } = useAction();
  const revoke = async () => {
    await client.shares.remove({ params: { id: share.id } });
    say(t('Revoked'), t('It shows nothing any more.'));
    onRevoked();
  };
  return (
    <li className="row wrap">
      <span className="mono">…{share.last4}</span>
      <span className="small muted grow">
        {share.embedOrigins.length > 0 && `${share.embedOrigins.join(' ')} · `}
        {t('by {name}, until {date}', { name: share.createdByName, date: formatDate(share.expiresAtUtc) })}
      </span>
      <Button size="small" kind="danger" disabled={busy} onClick={() => void act(revoke)}>
        {t('Revoke')}
      </Button>
    </li>
  );
}
