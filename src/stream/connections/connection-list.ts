// List of the connections of all nodes: each node filters and sorts its own, and the asking node merges the answers.
import type { Clock } from '../../kernel/clock.ts';
import type { ConnectionQuery } from '../../ports/stream.ts';
import type { Broker } from '../brokers/broker.ts';
import type { Nodes } from '../brokers/nodes.ts';
import { type ConnectionDto, connectionDto } from './connection-dto.ts';
import type { Connections } from './connections.ts';

export interface ConnectionPage {
  items: ConnectionDto[];
  total: number;
}

export interface ConnectionList {
  /** A page of all nodes' connections; a node that does not answer within a second is left out. */
  page(query: ConnectionQuery): Promise<ConnectionPage>;
  stop(): void;
}

interface Deps {
  connections: Connections;
  broker: Broker;
  nodes: Nodes;
  clock: Clock;
  nodeId: string;
}

const answerWithinMs = 1000;

export function createConnectionList({ connections, broker, nodes, clock, nodeId }: Deps): ConnectionList {
  const waiting = new Map<string, (from: string, page: ConnectionPage) => void>();
  let next = 1;

  const local = (query: ConnectionQuery): ConnectionPage => {
    const found: ConnectionDto[] = [];
    for (const connection of connections.list()) {
      if (connection.caller.tenantId !== query.tenantId) continue;
      const dto = connectionDto(connection, nodeId);
      if (fits(dto, query)) found.push(dto);
    }
    return { total: found.length, items: found.sort(orderOf(query)).slice(0, query.skip + query.take) };
  };

  const ask = (query: ConnectionQuery, others: readonly string[]) =>
    new Promise<ConnectionPage[]>((resolve) => {
      const id = `${nodeId}:${(next++).toString(36)}`;
      const missing = new Set(others);
      const pages: ConnectionPage[] = [];
      const end = () => {
        stopTimer();
        waiting.delete(id);
        resolve(pages);
      };
      const stopTimer = clock.after(answerWithinMs, end);
      waiting.set(id, (from, page) => {
        if (missing.delete(from)) pages.push(page);
        if (missing.size === 0) end();
      });
      broker.signal({ kind: 'connections.ask', from: nodeId, id, query });
    });

  const stopSignals = broker.onSignal(({ kind, from, to, id, query, page }) => {
    if (kind === 'connections.ask' && from !== nodeId)
      broker.signal({ kind: 'connections.told', to: from, from: nodeId, id, page: local(query as ConnectionQuery) });
    else if (kind === 'connections.told' && to === nodeId)
      waiting.get(String(id))?.(String(from), page as ConnectionPage);
  });

  return {
    page: async (query) => {
      const others = nodes.others();
      const pages = others.length > 0 ? await ask(query, others) : [];
      const all = [local(query), ...pages];
      const items = all.flatMap((one) => one.items).sort(orderOf(query));
      return {
        items: items.slice(query.skip, query.skip + query.take),
        total: all.reduce((sum, one) => sum + one.total, 0),
      };
    },
    stop: stopSignals,
  };
}

function fits(connection: ConnectionDto, { transport, identityId, userId, topic, nodeId }: ConnectionQuery): boolean {
  return (
    (transport === undefined || connection.transport === transport) &&
    (identityId === undefined || connection.identityId === identityId) &&
    (userId === undefined || connection.userId === userId) &&
    (topic === undefined || connection.topics.includes(topic)) &&
    (nodeId === undefined || connection.nodeId === nodeId)
  );
}

/** Order by time, then by id, so that pages do not overlap. */
function orderOf({ sortBy, descending }: ConnectionQuery) {
  const sign = descending ? -1 : 1;
  return (a: ConnectionDto, b: ConnectionDto) =>
    sign * (a[sortBy].localeCompare(b[sortBy]) || a.id.localeCompare(b.id, undefined, { numeric: true }));
}
