// Webhooks: URLs that events are sent to, with whether each is on and how its last delivery ended.
import '../../styles/people.css';
import { useState } from 'react';
import type { WebhookDto, WebhookWriteResult } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { allOr, formatAgo, formatNumber, t } from '../../base/i18n.ts';
import { go, patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { Delivery, Standing } from './marks.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

const pageSize = 50;
const states = ['enabled', 'disabled'] as const;

export function WebhooksPage() {
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const state = states.find((one) => one === query.get('state')) ?? null;
  const page = pageIn(query);
  const which = { ...(q ? { q } : {}), ...(state ? { enabled: state === 'enabled' } : {}) };
  const list = useKept(
    useResource(`webhooks ${JSON.stringify(which)} ${page}`, () =>
      client.webhooks.list({ query: { pageSize, page, ...which } }),
    ),
  );
  useReloadOn(useNews('webhooks'), list.reload);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<WebhookWriteResult | null>(null);
  const isNarrowed = q !== '' || state !== null;
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Webhooks')}</h1>
        {may('WebhooksWrite') && (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {t('New webhook')}
          </Button>
        )}
      </div>
      <div className="filters">
        <SearchField label={t('Search webhooks')} q={q} onSearch={(text) => patchQuery({ q: text, page: null })} />
        <UrlChoice label={t('State')} name="state" chosen={state ?? ''} options={allOr(states)} />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={isNarrowed ? t('No webhook matches') : t('No webhooks yet')}>
              {isNarrowed
                ? t('Choose another state, or search for other words.')
                : t('A webhook sends events to a URL of yours as they happen, signed, and tries again for a day.')}
            </Empty>
          ) : (
            <>
              <WebhookTable webhooks={found.items} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {making && <WebhookDialog onClose={() => setMaking(false)} onDone={setMade} />}
      {made && <SecretDialog result={made} onClose={() => go(`/webhooks/${made.webhook.id}`)} />}
    </div>
  );
}

function WebhookTable({ webhooks }: { webhooks: readonly WebhookDto[] }) {
  const now = useNow();
  return <Table rows={webhooks} keyOf={({ id }) => id} columns={columns(now)} />;
}

const columns = (now: number): Column<WebhookDto>[] => [
  {
    head: t('Webhook'),
    className: 'wide',
    cell: ({ id, name, url }) => (
      <>
        <a href={`#/webhooks/${id}`}>
          <strong>{name}</strong>
        </a>
        <div className="small muted clamp">{url}</div>
      </>
    ),
  },
  {
    head: t('Events'),
    cell: ({ eventTypes }) => (
      <ul className="plain-list">
        {eventTypes.slice(0, 3).map((one) => (
          <li key={one}>
            <code>{one}</code>
          </li>
        ))}
        {eventTypes.length > 3 && <li className="small muted">{t('and {n} more', { n: eventTypes.length - 3 })}</li>}
      </ul>
    ),
  },
  {
    head: t('State'),
    cell: (webhook) => (
      <>
        <Standing {...webhook} />
        {webhook.disabledReason && <div className="small muted">{webhook.disabledReason}</div>}
      </>
    ),
  },
  {
    head: t('Last delivery'),
    cell: ({ lastStatus, lastDeliveryAtUtc }) =>
      lastStatus ? (
        <span className="row wrap">
          <Delivery status={lastStatus} />
          {lastDeliveryAtUtc && <span className="small muted">{formatAgo(lastDeliveryAtUtc, now)}</span>}
        </span>
      ) : (
        t('none yet')
      ),
  },
  { head: t('Delivered'), num: true, cell: ({ successCount }) => formatNumber(successCount) },
  { head: t('Failed'), num: true, cell: ({ failureCount }) => formatNumber(failureCount) },
];
