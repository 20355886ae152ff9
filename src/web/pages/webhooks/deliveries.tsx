// Deliveries of a webhook: what became of each, what the receiver answered, and how to send one again.
import { useState } from 'react';
import type { DeliveryStatus, WebhookDeliveryDto, WebhookDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { allOr, formatAgo, formatDate, formatDuration, plural, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Code, Json } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FactGrid } from '../../ui/fact-grid.tsx';
import { SelectField } from '../../ui/field.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Delivery } from './marks.tsx';

const pageSize = 50;
const statuses = ['Pending', 'Delivering', 'Delivered', 'Retrying', 'Failed', 'Dropped'] as const;

interface Props {
  webhook: WebhookDto;
  news: string;
  onChange: () => void;
}

export function Deliveries({ webhook, news, onChange }: Props) {
  const { id } = webhook;
  const { query } = useLocation();
  const page = pageIn(query);
  const status = statuses.find((one) => one === query.get('status')) ?? null;
  const list = useKept(
    useResource(`deliveries ${id} ${status} ${page}`, () =>
      client.webhooks.listDeliveries({ params: { id }, query: { page, pageSize, ...(status ? { status } : {}) } }),
    ),
  );
  useReloadOn(news, list.reload);
  const [openId, setOpen] = useState<number | null>(null);
  const open = list.data?.items.find((one) => one.id === openId) ?? null;
  return (
    <section className="stack" aria-label={t('Deliveries')}>
      <div className="row wrap">
        <h2 className="grow">{t('Deliveries')}</h2>
        <SelectField<DeliveryStatus | ''>
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
                : t('Nothing has been sent yet. A test shows whether it arrives.')}
            </p>
          ) : (
            <>
              <p className="small muted num">{plural(found.totalCount, '{n} delivery', '{n} deliveries')}</p>
              <DeliveryTable deliveries={found.items} onOpen={setOpen} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {open && <OneDelivery webhook={webhook} delivery={open} onChange={onChange} onClose={() => setOpen(null)} />}
    </section>
  );
}

function DeliveryTable({
  deliveries,
  onOpen,
}: {
  deliveries: readonly WebhookDeliveryDto[];
  onOpen: (id: number) => void;
}) {
  const now = useNow();
  return <Table rows={deliveries} keyOf={({ id }) => id} columns={columns(now, onOpen)} />;
}

/** The status of the answer, and how long it took. */
const answerOf = ({ responseStatus, durationMs }: WebhookDeliveryDto): string =>
  [responseStatus === null ? null : String(responseStatus), durationMs === null ? null : formatDuration(durationMs)]
    .filter((one) => one !== null)
    .join(' · ');

const columns = (now: number, onOpen: (id: number) => void): Column<WebhookDeliveryDto>[] => [
  {
    head: t('Event'),
    cell: ({ eventType, createdAtUtc }) => (
      <>
        <code>{eventType}</code>
        <div className="small muted">{formatAgo(createdAtUtc, now)}</div>
      </>
    ),
  },
  { head: t('Status'), cell: ({ status }) => <Delivery status={status} /> },
  {
    head: t('Attempts'),
    num: true,
    cell: ({ attempt, maxAttempts }) => t('{n} of {most}', { n: attempt, most: maxAttempts }),
  },
  { head: t('Answer'), num: true, className: 'nowrap', cell: answerOf },
  {
    head: t('What came of it'),
    className: 'wide',
    cell: ({ error, responseExcerpt, nextAttemptAtUtc, status }) => (
      <>
        {error && <div>{error}</div>}
        {responseExcerpt && <div className="small muted clamp">{responseExcerpt}</div>}
        {status === 'Retrying' && nextAttemptAtUtc && (
          <div className="small muted">{t('Next attempt: {when}', { when: formatDate(nextAttemptAtUtc) })}</div>
        )}
      </>
    ),
  },
  {
    head: '',
    cell: ({ id, eventType }) => (
      <Button
        size="small"
        tip={t('What was sent of {type}, and the answer', { type: eventType })}
        onClick={() => onOpen(id)}
      >
        {t('Look')}
      </Button>
    ),
  },
];

interface OneProps {
  webhook: WebhookDto;
  delivery: WebhookDeliveryDto;
  onChange: () => void;
  onClose: () => void;
}

const factsOf = (delivery: WebhookDeliveryDto): (readonly [string, string])[] => [
  [t('Message id'), delivery.messageId],
  [t('Made'), formatDate(delivery.createdAtUtc)],
  [t('Attempts'), t('{n} of {most}', { n: delivery.attempt, most: delivery.maxAttempts })],
  ...(delivery.nextAttemptAtUtc && !isOver(delivery)
    ? [[t('Next attempt'), formatDate(delivery.nextAttemptAtUtc)] as const]
    : []),
];

const isOver = ({ status }: WebhookDeliveryDto) => ['Delivered', 'Failed', 'Dropped'].includes(status);

function OneDelivery({ webhook, delivery, onChange, onClose }: OneProps) {
  const { busy, act } = useAction();
  const resend = async () => {
    await client.webhooks.send({ params: { id: webhook.id }, body: { deliveryId: delivery.id } });
    say(t('It is sent again, under the same id'));
    onChange();
    onClose();
  };
  const maySend = may('WebhooksWrite') && webhook.enabled && isOver(delivery) && delivery.requestBody !== null;
  return (
    <Dialog
      wide
      title={t('Delivery of {type}', { type: delivery.eventType })}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          {maySend && (
            <Button kind="primary" icon="refresh" disabled={busy} onClick={() => void act(resend)}>
              {t('Send again')}
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        <div className="row wrap">
          <Delivery status={delivery.status} />
          <span className="muted num">{answerOf(delivery)}</span>
        </div>
        {delivery.error && <p>{delivery.error}</p>}
        <FactGrid facts={factsOf(delivery)} />
        <h3>{t('What is sent')}</h3>
        {delivery.requestBody === null ? (
          <p className="muted">{t('It is too large to be sent, or of an event that you may not see.')}</p>
        ) : (
          <Json value={delivery.requestBody} />
        )}
        {delivery.responseExcerpt !== null && (
          <>
            <h3>{t('What was answered')}</h3>
            <Code text={delivery.responseExcerpt || t('Nothing')} />
          </>
        )}
      </div>
    </Dialog>
  );
}
