// What went through a channel, both ways: what was said, and what became of it.
import type { ChannelDeliveryDto, ChannelDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { allOr, formatAgo, formatDate, formatDuration, plural, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { MarkdownLine } from '../../ui/markdown.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Delivery } from '../webhooks/marks.tsx';

const pageSize = 50;
const statuses = ['Pending', 'Delivering', 'Delivered', 'Retrying', 'Failed', 'Dropped', 'Received'] as const;

interface Props {
  channel: ChannelDto;
  news: string;
  onChange: () => void;
}

export function Traffic({ channel, news, onChange }: Props) {
  const { id } = channel;
  const { query } = useLocation();
  const page = pageIn(query);
  const status = statuses.find((one) => one === query.get('status')) ?? null;
  const list = useKept(
    useResource(`traffic ${id} ${status} ${page}`, () =>
      client.channels.listDeliveries({ params: { id }, query: { page, pageSize, ...(status ? { status } : {}) } }),
    ),
  );
  useReloadOn(news, list.reload);
  return (
    <section className="stack" aria-label={t('Deliveries')}>
      <div className="row wrap">
        <h2 className="grow">{t('Deliveries')}</h2>
        <SelectField<(typeof statuses)[number] | ''>
          label={t('Status')}
          value={status ?? ''}
          onChange={(one) => patchQuery({ status: one || null, page: null })}
          options={allOr(statuses)}
        />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <p className="muted">
              {status
                ? t('No delivery is like that.')
                : t('Nothing went through yet. A test shows whether it arrives.')}
            </p>
          ) : (
            <>
              <p className="small muted num">{plural(found.totalCount, '{n} delivery', '{n} deliveries')}</p>
              <TrafficTable channel={channel} deliveries={found.items} onChange={onChange} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

interface TableProps extends Omit<Props, 'news'> {
  deliveries: readonly ChannelDeliveryDto[];
}

function TrafficTable({ channel, deliveries, onChange }: TableProps) {
  const now = useNow();
  const { busy, act } = useAction();
  const resend = async (deliveryId: number) => {
    await client.channels.resend({ params: { id: channel.id }, body: { deliveryId } });
    say(t('It is sent again'));
    onChange();
  };
  const maySend = may('ChannelsSend') && channel.enabled && channel.direction !== 'Inbound';
  const again: Column<ChannelDeliveryDto> = {
    head: '',
    cell: ({ id, direction, status }) =>
      direction === 'Outbound' &&
      ['Failed', 'Dropped'].includes(status) && (
        <Button size="small" icon="refresh" disabled={busy} onClick={() => void act(() => resend(id))}>
          {t('Send again')}
        </Button>
      ),
  };
  return <Table rows={deliveries} keyOf={({ id }) => id} columns={[...columns(now), ...(maySend ? [again] : [])]} />;
}

const columns = (now: number): Column<ChannelDeliveryDto>[] => [
  {
    head: t('What'),
    cell: ({ direction, eventType, createdAtUtc }) => (
      <>
        {direction === 'Inbound' ? t('Came in') : eventType ? <code>{eventType}</code> : t('Sent')}
        <div className="small muted">{formatAgo(createdAtUtc, now)}</div>
      </>
    ),
  },
  { head: t('Status'), cell: ({ status }) => <Delivery status={status} /> },
  {
    head: t('Text'),
    className: 'wide',
    cell: ({ direction, text, chatSessionId, messageId, runId }) => (
      <>
        <div className="clamp">
          {text === null && <span className="muted">{t('of an event that you may not see')}</span>}
          {/* What goes out is Markdown; what people write elsewhere is as they wrote it. */}
          {text !== null && (direction === 'Outbound' ? <MarkdownLine text={text} /> : text)}
        </div>
        <div className="row wrap small">
          {chatSessionId !== null && <a href={`#/chat/${chatSessionId}`}>{t('Chat')}</a>}
          {messageId !== null && <a href="#/inbox">{t('Inbox')}</a>}
          {runId !== null && <a href={`#/runs/${runId}`}>{t('Run {id}', { id: runId })}</a>}
        </div>
      </>
    ),
  },
  {
    head: t('Attempts'),
    num: true,
    cell: ({ attempt, durationMs }) => (
      <>
        {attempt}
        {durationMs !== null && <div className="small muted">{formatDuration(durationMs)}</div>}
      </>
    ),
  },
  {
    head: t('What came of it'),
    cell: ({ error, nextAttemptAtUtc, status }) => (
      <>
        {error && <div>{error}</div>}
        {status === 'Retrying' && nextAttemptAtUtc && (
          <div className="small muted">{t('Next attempt: {when}', { when: formatDate(nextAttemptAtUtc) })}</div>
        )}
      </>
    ),
  },
];
