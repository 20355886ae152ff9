// Channels: places elsewhere that events go to and people answer from, with whether each is on and how its last delivery ended.
import '../../styles/people.css';
import { useState } from 'react';
import type { ChannelDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { allOr, formatAgo, t, words } from '../../base/i18n.ts';
import { goFromHere, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { say } from '../../ui/toast.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Delivery, Standing } from '../webhooks/marks.tsx';
import { ChannelDialog } from './channel-dialog.tsx';

const pageSize = 50;
const states = ['enabled', 'disabled'] as const;

export function ChannelsPage() {
  const { query } = useLocation();
  const state = states.find((one) => one === query.get('state')) ?? null;
  const page = pageIn(query);
  const which = state ? { enabled: state === 'enabled' } : {};
  const list = useKept(
    useResource(`channels ${state} ${page}`, () => client.channels.list({ query: { pageSize, page, ...which } })),
  );
  useReloadOn(useNews('channels'), list.reload);
  const [making, setMaking] = useState(false);
  const goOn = goFromHere();
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Channels')}</h1>
        {may('ChannelsWrite') && (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {t('New channel')}
          </Button>
        )}
      </div>
      <div className="filters">
        <UrlChoice label={t('State')} name="state" chosen={state ?? ''} options={allOr(states)} />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={state ? t('No channel matches') : t('No channels yet')}>
              {state
                ? t('Choose another state.')
                : t(
                    'A channel joins a place elsewhere, like a Slack room or a mail address: events go there, people answer, and decide what runs ask.',
                  )}
            </Empty>
          ) : (
            <>
              <ChannelTable channels={found.items} onChange={list.reload} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {making && <ChannelDialog onClose={() => setMaking(false)} onDone={({ id }) => goOn(`/channels/${id}`)} />}
    </div>
  );
}

function ChannelTable({ channels, onChange }: { channels: readonly ChannelDto[]; onChange: () => void }) {
  const now = useNow();
  return <Table rows={channels} keyOf={({ id }) => id} columns={columns(now, onChange)} />;
}

/** Deliveries in a row that fail before the server switches a channel off. */
const mostFailures = 5;

/** Whether the server has switched it off itself: nobody else does so after so many failures. */
export const hasGivenUp = ({ enabled, failureCount }: ChannelDto): boolean => !enabled && failureCount >= mostFailures;

/** Switches a channel on, which forgets its failures. */
export const enable = ({ id }: ChannelDto): Promise<void> =>
  client.channels.patch({ params: { id }, body: { enabled: true } }).then(() => say(t('Enabled')));

function EnableAgain({ channel, onChange }: { channel: ChannelDto; onChange: () => void }) {
  const { busy, act } = useAction();
  return (
    <Button icon="play" disabled={busy} onClick={() => void act(() => enable(channel).then(onChange))}>
      {t('Enable again')}
    </Button>
  );
}

const columns = (now: number, onChange: () => void): Column<ChannelDto>[] => [
  {
    head: t('Channel'),
    className: 'wide',
    cell: ({ id, name, targetSummary }) => (
      <>
        <a href={`#/channels/${id}`}>
          <strong>{name}</strong>
        </a>
        {targetSummary && <div className="small muted clamp">{targetSummary}</div>}
      </>
    ),
  },
  {
    head: t('Service'),
    cell: ({ kind, direction }) => (
      <>
        {words(kind)}
        <div className="small muted">{directionWords[direction]()}</div>
      </>
    ),
  },
  {
    head: t('State'),
    cell: (channel) => (
      <div className="stack tight">
        <div>
          <Standing {...channel} hasGivenUp={hasGivenUp(channel)} />
        </div>
        {channel.lastError && <div className="small muted">{channel.lastError}</div>}
        {hasGivenUp(channel) && may('ChannelsWrite') && (
          <div>
            <EnableAgain channel={channel} onChange={onChange} />
          </div>
        )}
      </div>
    ),
  },
  {
    head: t('Last delivery'),
    cell: ({ lastDeliveryStatus, lastDeliveryAtUtc }) =>
      lastDeliveryStatus ? (
        <span className="row wrap">
          <Delivery status={lastDeliveryStatus} />
          {lastDeliveryAtUtc && <span className="small muted">{formatAgo(lastDeliveryAtUtc, now)}</span>}
        </span>
      ) : (
        t('none yet')
      ),
  },
];

export const directionWords: Record<ChannelDto['direction'], () => string> = {
  Outbound: () => t('sends'),
  Inbound: () => t('listens'),
  Both: () => t('sends and listens'),
};
