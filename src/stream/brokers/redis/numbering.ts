// How far a topic is numbered, as Redis keeps it.
import type { Redis } from 'ioredis';
import type { Position } from '../../../ports/event-store.ts';

export interface Numbering {
  /** The run of Redis in which it was started last; null where Redis knows nothing of it. */
  run: string | null;
  /** The generation as it is written there; empty where nothing is. */
  gen: string;
  /** The place of its last event. */
  place: Position;
}

export async function readNumbering(commands: Redis, meta: string): Promise<Numbering> {
  const [run = null, gen, seq] = await commands.hmget(meta, 'run', 'gen', 'seq');
  return { run, gen: gen ?? '', place: { gen: Number(gen), seq: Number(seq) } };
}
