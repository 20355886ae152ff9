// Bots: identities with a face of their own in chats, and which of them anybody may talk to.
import '../../styles/people.css';
import { useState } from 'react';
import type { BotProfileDto } from '../../../client/index.ts';
import { allOr, formatNumber, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Chip } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { BotDialog } from './bot-dialog.tsx';

const pageSize = 50;
const states = ['published', 'unpublished'] as const;

export function BotsPage() {
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const state = states.find((one) => one === query.get('state')) ?? null;
  const page = pageIn(query);
  const which = { ...(q ? { q } : {}), ...(state ? { isPublished: state === 'published' } : {}) };
  const list = useKept(
    useResource(`bots ${JSON.stringify(which)} ${page}`, () =>
      client.botProfiles.list({ query: { pageSize, page, ...which } }),
    ),
  );
  useReloadOn(useNews('identities'), list.reload);
  const [making, setMaking] = useState(false);
  const isNarrowed = q !== '' || state !== null;
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Bots')}</h1>
        {may('IdentitiesWrite') && (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {t('New bot')}
          </Button>
        )}
      </div>
      <div className="filters">
        <SearchField label={t('Search bots')} q={q} onSearch={(text) => patchQuery({ q: text, page: null })} />
        <UrlChoice label={t('State')} name="state" chosen={state ?? ''} options={allOr(states)} />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={isNarrowed ? t('No bot matches') : t('No bots yet')}>
              {isNarrowed
                ? t('Choose another state, or search for other words.')
                : t(
                    'A bot is an identity with a greeting, instructions and a model of its own; published, anybody may talk to it.',
                  )}
            </Empty>
          ) : (
            <>
              <Table rows={found.items} keyOf={({ identityId }) => identityId} columns={columns()} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {making && <BotDialog onClose={() => setMaking(false)} />}
    </div>
  );
}

const columns = (): Column<BotProfileDto>[] => [
  {
    head: t('Bot'),
    className: 'wide',
    cell: ({ identityId, displayName, tagline }) => (
      <>
        <a href={`#/bots/${identityId}`}>
          <strong>{displayName}</strong>
        </a>
        {tagline && <div className="small muted clamp">{tagline}</div>}
      </>
    ),
  },
  {
    head: t('Identity'),
    cell: ({ identityId, identityName }) => <a href={`#/identities/${identityId}`}>{identityName}</a>,
  },
  { head: t('State'), cell: (bot) => <Publication bot={bot} /> },
  {
    head: t('Tokens of visitors today'),
    num: true,
    cell: ({ tokensToday, tokensPerDay }) => `${formatNumber(tokensToday)} / ${formatNumber(tokensPerDay)}`,
  },
];

/** Whether anybody may talk to it; a published one whose identity is not active answers nobody. */
export function Publication({ bot: { isPublished, publicUrl } }: { bot: BotProfileDto }) {
  if (publicUrl)
    return (
      <Chip shape="flow" tone="good">
        {t('published')}
      </Chip>
    );
  return (
    <Chip shape="hollow" tone="plain">
      {isPublished ? t('its identity is not active') : t('not published')}
    </Chip>
  );
}
