// What a connector keeps of its server: how many tools agents may call, and how it is, each written where it changes.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../../test/support/embedded-db.ts';
import { SimulatedClock } from '../../../kernel/simulated-clock.ts';
import { createVault } from '../../../kernel/vault.ts';
import type { Db } from '../../../ports/db.ts';
import { createVersions, versionsSpec } from '../../../ports/versions.ts';
import type { PartBase } from '../../part.ts';
import { type ConnectorDoc, connectorRecord, endpointRecord } from '../record.ts';
import { createMcpBook, type McpBook } from './book.ts';
import { mcpToolRecord } from './record.ts';
import { connectorMcpService } from './service.ts';

const caller = { tenantId: 1 };
const draft = { name: 'Harbour', type: 'Mcp', mcpStatus: 'Connected', mcpToolCount: 2, mcpLastError: null };
const clock = new SimulatedClock();

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

async function openDb(): Promise<Db> {
  const db = openTestDb();
  await db.ensureIndexes([connectorRecord.spec, endpointRecord.spec, mcpToolRecord.spec, versionsSpec]);
  return db;
}

function openBook(db: Db, publish: (event: { type: string }) => void = () => {}): McpBook {
  let lastId = 0;
  return createMcpBook({
    ...{ db, clock, ids: { next: async () => ++lastId }, versions: createVersions({ db, clock }) },
    publisher: { publish: async (event: { type: string }) => publish(event) },
    outside: { vault: createVault({ secret: 'of a test, long enough to be one' }), door: {} },
  } as unknown as PartBase);
}

async function makeConnector(book: McpBook): Promise<ConnectorDoc> {
  const connector = await book.connectors.insert(caller, draft as unknown as ConnectorDoc);
  await take(book, connector, ['berth', 'crane']);
  return connector;
}

const take = (book: McpBook, connector: ConnectorDoc, names: string[]) =>
  book.takeIn(connector, names.map((name) => ({ name, description: '', inputSchema: {}, annotations: {} })) as never);

it('holds what the other one has decided meanwhile', async () => {
  let reads = 0;
  // The first read finds the connector; before the second, which is to keep its count, the other one decides.
  const book = openBook(watched(await openDb(), async () => ++reads === 2 && block('crane')));
  const { handlers } = connectorMcpService({ book, clock });
  const block = (name: string) => {
    const input = { caller, params: { id: connector._id, name }, body: { enabled: false } };
    return handlers.decide(input as unknown as Parameters<typeof handlers.decide>[0]);
  };
  const connector = await makeConnector(book);

  await block('berth');
  expect(reads).toBeGreaterThan(3);
  expect(await book.connectors.get(caller, connector._id)).toMatchObject({ mcpToolCount: 0, mcpStatus: 'Connected' });
});

it('writes and tells how a server is only where that has changed', async () => {
  let told: string[] = [];
  const book = openBook(await openDb(), ({ type }) => void told.push(type));
  const connector = await makeConnector(book);
  const tell = async (what: () => Promise<unknown>) => {
    const before = await book.connectors.get(caller, connector._id);
    told = [];
    await clock.advance(1000);
    await what();
    const { updatedAt, ...now } = await book.connectors.get(caller, connector._id);
    return { events: told.length, isWritten: updatedAt > before.updatedAt, now };
  };
  const [silent, heard] = [
    { events: 0, isWritten: false },
    { events: 1, isWritten: true },
  ];

  const tools = () => book.tellTools(caller, connector);
  expect(await tell(tools)).toMatchObject(silent);
  // A tool that waits for somebody: each call after the first finds nothing new.
  await take(book, connector, ['berth', 'crane', 'winch']);
  const degraded = { mcpStatus: 'Degraded', mcpToolCount: 2 };
  expect(await tell(tools)).toMatchObject({ ...heard, now: degraded });
  expect(await tell(tools)).toMatchObject({ ...silent, now: degraded });
  const fail = (error: string) => () => book.tell(caller, connector, 'Failed', error);
  expect(await tell(fail('No answer.'))).toMatchObject({ ...heard, now: { mcpStatus: 'Failed' } });
  expect(await tell(fail('No answer.'))).toMatchObject(silent);
  expect(await tell(fail('Refused.'))).toMatchObject({ ...heard, now: { mcpLastError: 'Refused.' } });
});
