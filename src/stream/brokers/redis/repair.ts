// Repair after a node's death: events that are in Redis but not yet in the store.
import type { Redis } from 'ioredis';
import type { StoredEvent } from '../../../ports/event-store.ts';
import type { DurableWriter } from './durable.ts';
import { namesOf, unstoredName } from './names.ts';
import { readRow, type StreamRow } from './wire.ts';

/** Events stored per step. */
const step = 200;

interface Deps {
  commands: Redis;
  prefix: string;
  writer: DurableWriter;
}

/** Stores durable events of a tenant (named by any of its topics' keys) that were appended before a time (ms). */
export async function completeUnstored(deps: Deps, tenantKey: string, before: number): Promise<void> {
  const members = await deps.commands.zrangebyscore(unstoredName(deps.prefix, tenantKey), 0, before, 'LIMIT', 0, step);
  await complete(deps, members);
}

/** Stores durable events of one topic, whichever node appended them; concurrent stores of one event give one row. */
export async function completeTopic(deps: Deps, key: string): Promise<void> {
  const members = await deps.commands.zrange(unstoredName(deps.prefix, key), '0', '-1');
  await complete(
    deps,
    members.filter((member) => member.startsWith(`${key}|`)),
  );
}

async function complete({ commands, prefix, writer }: Deps, members: readonly string[]): Promise<void> {
  for (const member of members) {
    const [key = '', gen, seq] = member.split('|');
    const id = `${gen}-${seq}`;
    const [row] = (await commands.xrange(namesOf(prefix, key).stream, id, id)) as StreamRow[];
    if (row) {
      const { type, at, body, ...place } = readRow(row);
      const stored: StoredEvent = { key, gen: place.gen, seq: place.seq, type, at, body };
      await writer.write([stored]);
    }
    await commands.zrem(unstoredName(prefix, key), member);
  }
}
