// How many tools of a connector agents may call, when two people decide at the same time.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../../test/support/embedded-db.ts';
import { SimulatedClock } from '../../../kernel/simulated-clock.ts';
import { createVault } from '../../../kernel/vault.ts';
import type { Db } from '../../../ports/db.ts';
import { createVersions, versionsSpec } from '../../../ports/versions.ts';
import type { PartBase } from '../../part.ts';
import { type ConnectorDoc, connectorRecord, endpointRecord } from '../record.ts';
import { createMcpBook } from './book.ts';
import { mcpToolRecord } from './record.ts';
import { connectorMcpService } from './service.ts';

const caller = { tenantId: 1 };

/** A store that calls `beforeRead` before each read of a connector. */
function watched(db: Db, beforeRead: () => Promise<unknown>): Db {
  const collection = (spec: { name: string }) => {
    const inner = db.collection(spec as never);
    if (spec.name !== connectorRecord.spec.name) return inner;
    const findOne = async (...args: Parameters<typeof inner.findOne>) => {
      await beforeRead();
      return inner.findOne(...args);
    };
    return new Proxy(inner, { get: (target, name) => (name === 'findOne' ? findOne : target[name as never]) });
  };
  return { ...db, collection } as Db;
}

it('holds what the other one has decided meanwhile', async () => {
  const stored = openTestDb();
  await stored.ensureIndexes([connectorRecord.spec, endpointRecord.spec, mcpToolRecord.spec, versionsSpec]);
  let reads = 0;
  const clock = new SimulatedClock();
  // The first read finds the connector; before the second, which is to keep its count, the other one decides.
  const db = watched(stored, async () => ++reads === 2 && block('crane'));
  let lastId = 0;
  const book = createMcpBook({
    ...{ db, clock, ids: { next: async () => ++lastId }, versions: createVersions({ db, clock }) },
    publisher: { publish: async () => undefined },
    outside: { vault: createVault({ secret: 'of a test, long enough to be one' }), door: {} },
  } as unknown as PartBase);
  const { handlers } = connectorMcpService({ book, clock });
  const block = (name: string) => {
    const input = { caller, params: { id: connector._id, name }, body: { enabled: false } };
    return handlers.decide(input as unknown as Parameters<typeof handlers.decide>[0]);
  };
  const draft = { name: 'Harbour', type: 'Mcp', mcpStatus: 'Connected', mcpToolCount: 2, mcpLastError: null };
  const connector = await book.connectors.insert(caller, draft as unknown as ConnectorDoc);
  const definition = { description: '', inputSchema: {}, annotations: {} };
  await book.takeIn(connector, ['berth', 'crane'].map((name) => ({ ...definition, name })) as never);

  await block('berth');
  expect(reads).toBeGreaterThan(3);
  expect(await book.connectors.get(caller, connector._id)).toMatchObject({ mcpToolCount: 0, mcpStatus: 'Connected' });
});
