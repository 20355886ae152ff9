// The contract of packed events, for every store: every process reads what it read before.
import { expect } from 'vitest';
import type { EventQuery, RunStore } from '../../../runtime/ports.ts';
import type { AgentEvent, ChangeEvent, RunRecord } from '../../../runtime/records.ts';
import type { DeclareTest } from '../known.ts';

/** A store that writes its logs later can be waited for. */
type Waited = RunStore & { drain?(): Promise<void> };

interface Setting {
  store: Waited;
  other: Waited;
  add(more?: Partial<RunRecord>): Promise<RunRecord>;
}

const queries: EventQuery[] = [
  { limit: 1000 },
  { limit: 1000, descending: true },
  { limit: 3, afterSeq: 60 },
  { limit: 70, beforeSeq: 90, descending: true },
  { limit: 1000, types: ['ToolCallStarted'] },
  { limit: 2, types: ['RunCreated', 'Log'], descending: true },
  { limit: 1000, types: ['RunFailed'] },
  { limit: 1000, minLevel: 'Warning', afterSeq: 10 },
];

const told = (count: number): ChangeEvent[] =>
  Array.from({ length: count }, (_, at) => ({
    type: at % 3 ? 'Log' : 'ToolCallStarted',
    title: `„${at}“ \u0001`,
    level: at % 10 ? 'Information' : 'Warning',
    ...(at % 7 ? {} : { movedTo: 'Running' as const, payload: { at } }),
  }));

export function packsContract(test: DeclareTest, setting: () => Setting): void {
  const readAll = async (where: RunStore, id: number) => {
    const answers: [AgentEvent[], string][] = [];
    for (const query of queries)
      answers.push([await where.runs.events(id, query), await where.runs.eventTexts(id, query)]);
    return answers;
  };
  /** Once nothing else is written to the run: FerretDB loses updates that come at once. */
  const tell = async (where: Waited, id: number, count: number, set: Partial<RunRecord> = {}) => {
    await where.drain?.();
    return where.runs.update(id, ({ eventCount }) => ({
      set: { status: 'Completed', publishedSeq: eventCount + count, ...set },
      events: told(count),
    }));
  };
  /** Packs once what was written is in the log, which is so a moment later where each document is written by itself. */
  const packedBy = async (where: RunStore, id: number, count: number) => {
    await expect.poll(() => where.runs.packEvents(id)).toBe(count);
  };

  test('events of a run that has ended are packed once, and read as before by every process', async () => {
    const { store, other, add } = setting();
    const { id } = await add();
    await tell(store, id, 150);
    const before = await readAll(other, id);
    expect(before[0]?.[0]).toHaveLength(151);
    await packedBy(store, id, 151);
    for (const where of [store, other]) {
      expect(await where.runs.packEvents(id)).toBe(0);
      expect(await readAll(where, id)).toEqual(before);
    }
  });

  test('a run that goes on after its events were packed tells more behind them', async () => {
    const { store, other, add } = setting();
    const { id } = await add();
    await tell(store, id, 70);
    await packedBy(other, id, 71);
    await tell(store, id, 5, { status: 'Running' });
    expect(await store.runs.packEvents(id)).toBe(0);
    const seqs = async (query: EventQuery) => (await store.runs.events(id, query)).map(({ seq }) => seq);
    expect(await seqs({ limit: 100 })).toEqual(Array.from({ length: 76 }, (_, at) => at + 1));
    expect(await seqs({ limit: 8, descending: true })).toEqual([76, 75, 74, 73, 72, 71, 70, 69]);
    await tell(store, id, 60);
    const before = await readAll(other, id);
    await packedBy(other, id, 65);
    expect(await readAll(store, id)).toEqual(before);
  });

  test('events of a run that is at work, has something to tell, or is another server’s, are not packed', async () => {
    const { store, add } = setting();
    for (const more of [{ status: 'Paused' }, { publishedSeq: 3 }, { importedAt: 1 }] satisfies Partial<RunRecord>[]) {
      const { id } = await add();
      await tell(store, id, 3, more);
      // By then they are in the log wherever they are written.
      await tell(store, id, 0, more);
      expect(await store.runs.packEvents(id)).toBe(0);
    }
    expect(await store.runs.packEvents(999_999)).toBe(0);
  });

  test('several processes pack a run at once, and nothing is lost or there twice', async () => {
    const { store, other, add } = setting();
    const { id } = await add();
    await tell(store, id, 300);
    const before = await readAll(store, id);
    const packing = [store, other, store, other].map(({ runs }) => runs.packEvents(id));
    const reading = [store, other, store, other].map((where) => readAll(where, id));
    await Promise.all(packing);
    for (const answers of await Promise.all(reading)) expect(answers).toEqual(before);
    await expect.poll(() => other.runs.packEvents(id)).toBe(0);
    expect(await readAll(other, id)).toEqual(before);
  });

  test('packed events go with their run', async () => {
    const { store, other, add } = setting();
    const { id } = await add();
    await tell(store, id, 70);
    await packedBy(store, id, 71);
    await other.runs.remove(id);
    expect(await store.runs.events(id, { limit: 100 })).toEqual([]);
    expect(await other.runs.eventTexts(id, { limit: 100 })).toBe('[]');
  });
}
