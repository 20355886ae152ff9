// What came in at the endpoints of a connector that listens, newest first.
import type { ConnectorDeliveryDto } from '../../../client/index.ts';
import { formatDate, formatNumber, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';

export function Deliveries({ connectorId }: { connectorId: number }) {
  const list = useKept(
    useResource(`connector deliveries ${connectorId}`, () =>
      client.connectors.listDeliveries({ params: { id: connectorId }, query: { pageSize: 50 } }),
    ),
  );
  useReloadOn(useNews('connectors'), list.reload);
  return (
    <section className="stack" aria-label={t('Deliveries')}>
      <h2>{t('Deliveries')}</h2>
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('Nothing came in yet')}>
              {t('What the other system sends is verified, taken once, and wakes routines that wait for it.')}
            </Empty>
          ) : (
            <Table rows={items} keyOf={({ id }) => id} columns={columns} />
          )
        }
      </Loaded>
    </section>
  );
}

const columns: Column<ConnectorDeliveryDto>[] = [
  { head: t('Event type'), className: 'wide', cell: ({ eventType }) => <code>{eventType}</code> },
  { head: t('Received'), cell: ({ createdAtUtc }) => formatDate(createdAtUtc) },
  { head: t('Told'), cell: ({ publishedAtUtc }) => (publishedAtUtc ? formatDate(publishedAtUtc) : t('not yet')) },
  { head: t('Bytes'), num: true, cell: ({ bytes }) => formatNumber(bytes) },
];
