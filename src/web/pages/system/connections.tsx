// Who watches now, what they follow, and how far behind each is.
import { useNow } from '../../base/clock.ts';
import { formatBytes, formatDuration, formatNumber, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useNews } from '../../state/news.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';

/** As they are called elsewhere. */
const transports: Record<string, string> = { Sse: 'SSE', SocketIo: 'Socket.IO' };
const topicsShown = 6;

export function Connections() {
  const now = useNow();
  const list = useResource('connections', () => client.webSocket.connections({ query: { pageSize: 200 } }));
  useReloadOn(
    useNews('system', ({ type }) => type.startsWith('connection.')),
    list.reload,
  );
  useEvery(list.reload);
  return (
    <Loaded resource={list}>
      {({ items }) => (
        <Table
          rows={items}
          keyOf={(one) => one.id}
          columns={[
            {
              head: t('Signed in as'),
              cell: (one) => (
                <>
                  {one.principalName} <span className="faint small">{one.remoteIp}</span>
                </>
              ),
            },
            { head: t('Transport'), cell: (one) => transports[one.transport] ?? one.transport },
            {
              head: t('Topics'),
              className: 'small muted',
              cell: ({ topics }) =>
                topics.slice(0, topicsShown).join(', ') +
                (topics.length > topicsShown ? ` +${topics.length - topicsShown}` : ''),
            },
            { head: t('Events sent'), num: true, cell: (one) => formatNumber(one.messagesOut) },
            { head: t('Sent'), num: true, cell: (one) => formatBytes(one.bytesOut) },
            { head: t('Waiting'), num: true, cell: (one) => formatBytes(one.bufferedBytes) },
            { head: t('Duration'), num: true, cell: (one) => formatDuration(now - Date.parse(one.connectedAtUtc)) },
          ]}
        />
      )}
    </Loaded>
  );
}
