// The contract of a RunStore, for every store.
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { EventQuery, RunStore } from '../../../runtime/ports.ts';
import type { RunRecord } from '../../../runtime/records.ts';
import type { EscalationRecord } from '../../../runtime/state/escalation.ts';
import { toolCallRecord as call, runRecord } from '../../../runtime/testing/samples.ts';
import { eventView } from '../../../runtime/views/run.ts';
import { type Deviations, testsWith } from '../known.ts';
import { listed } from './listed.ts';
import { packsContract } from './packs.ts';
import { treesContract } from './trees.ts';

export interface StoreUnderTest {
  name: string;
  deviations?: Deviations;
  open(): Promise<{
    store: RunStore;
    /** A second process on the same data. */
    other: RunStore;
    close(): Promise<void>;
  }>;
}

/** Runs the contract on one store. */
export function runStoreContract(under: StoreUnderTest): void {
  describe(`run store: ${under.name}`, () => {
    const test = testsWith(under.deviations);
    let store: RunStore;
    let other: RunStore;
    let close: (() => Promise<void>) | undefined;
    let nextId = 1;
    const add = async (more: Partial<RunRecord> = {}) => {
      const id = nextId++;
      const { run } = await store.runs.insert(runRecord({ id, rootRunId: id, ...more }), {
        events: [{ type: 'RunCreated', title: 'Created' }],
      });
      return run;
    };

    beforeAll(async () => {
      ({ store, other, close } = await under.open());
    });
    afterAll(() => close?.());

    test('a run is stored whole and read by every process', async () => {
      const run = await add({
        goal: 'Straße "quoted" 漢字',
        inbox: [{ key: 'k', kind: 'message', text: 't', from: null, at: 1 }],
      });
      expect(run).toMatchObject({ version: 1, eventCount: 1 });
      expect(await other.runs.get(run.id)).toEqual(run);
      expect(await store.runs.get(999_999)).toBeNull();
      expect((await store.runs.many([run.id, 999_999])).map((one) => one.id)).toEqual([run.id]);
    });

    test('an id or an idempotency key exists once', async () => {
      const run = await add({ idempotencyKey: 'once' });
      const again = await other.runs.insert(runRecord({ id: nextId++, idempotencyKey: 'once' }), {});
      expect(again).toMatchObject({ existed: true, run: { id: run.id } });
      const elsewhere = await store.runs.insert(runRecord({ id: nextId++, tenantId: 2, idempotencyKey: 'once' }), {});
      expect(elsewhere.existed).toBe(false);
      expect((await store.runs.insert(runRecord({ id: run.id }), {})).existed).toBe(true);
    });

    test('a change appends to the logs in order and everything is seen at once', async () => {
      const run = await add();
      for (let turn = 1; turn <= 5; turn++) {
        await store.runs.update(run.id, (now) => ({
          set: { iterationsUsed: now.iterationsUsed + 1 },
          events: [
            { type: 'IterationStarted', title: `turn ${turn}`, movedTo: 'Running' },
            { type: 'ModelCallStarted', title: 'm', level: 'Warning', payload: { turn } },
          ],
          messages: [
            { role: 'assistant', content: `a${turn}`, toolCalls: [{ id: 'x', name: 'look', argumentsJson: '{}' }] },
            { role: 'tool', toolCallId: 'x', toolName: 'look', content: '…' },
          ],
          toolCalls: [call(`${now.messageCount}.0`), call(`${now.messageCount}.1`)],
        }));
      }
      for (const reader of [store, other]) {
        const events = await reader.runs.events(run.id, { limit: 100 });
        expect(events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        expect(new Set(events.map((event) => event.id)).size).toBe(11);
        const messages = await reader.runs.messages(run.id, 0);
        expect(messages.map((entry) => entry.index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        expect(messages[2]).toMatchObject({ iteration: 2, message: { content: 'a2', toolCalls: [{ id: 'x' }] } });
        expect((await reader.runs.messages(run.id, 8)).length).toBe(2);
        expect((await reader.runs.messages(run.id, 2, 4)).map((entry) => entry.index)).toEqual([2, 3]);
        expect((await reader.runs.toolCalls(run.id, 4)).map((one) => one.key)).toEqual(['4.0', '4.1']);
        const twoTypes: EventQuery = { types: ['RunCreated', 'Log'], limit: 3 };
        for (const query of [{ descending: true, limit: 100 }, twoTypes])
          expect(JSON.parse(await reader.runs.eventTexts(run.id, query))).toEqual(
            (await reader.runs.events(run.id, query)).map(eventView),
          );
        expect((await reader.runs.events(run.id, { afterSeq: 9, limit: 1 })).map((event) => event.seq)).toEqual([10]);
        expect(
          (await reader.runs.events(run.id, { beforeSeq: 4, descending: true, limit: 2 })).map((event) => event.seq),
        ).toEqual([3, 2]);
        expect(await reader.runs.events(run.id, { minLevel: 'Warning', limit: 100 })).toHaveLength(5);
        expect(await reader.runs.events(run.id, { types: ['RunCreated'], limit: 100 })).toHaveLength(1);
      }
    });

    test('the journal keeps the newest state of a call', async () => {
      const run = await add();
      await store.runs.update(run.id, () => ({ toolCalls: [call('0.0'), call('0.1')] }));
      await store.runs.update(run.id, () => ({ toolCalls: [call('0.1', { state: 'Succeeded', result: 'r' })] }));
      await other.runs.update(run.id, () => ({ toolCalls: [call('0.0', { state: 'Failed', result: 'f' })] }));
      for (const reader of [store, other]) {
        expect((await reader.runs.toolCalls(run.id, 0)).map((one) => one.result)).toEqual(['f', 'r']);
      }
    });

    test('concurrent changes of two processes all count, and refusals change nothing', async () => {
      const run = await add();
      const bump = (where: RunStore) =>
        where.runs.update(run.id, (now) => ({
          set: { tokensUsed: now.tokensUsed + 1 },
          events: [{ type: 'Log', title: 'n' }],
        }));
      await Promise.all(Array.from({ length: 40 }, (_, at) => bump(at % 2 ? store : other)));
      expect(await store.runs.update(run.id, () => null)).toBeNull();
      expect(await store.runs.update(999_999, () => ({}))).toBeNull();
      await expect(
        store.runs.update(run.id, () => {
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      expect(await other.runs.get(run.id)).toMatchObject({ tokensUsed: 40, version: 41, eventCount: 41 });
      const events = await other.runs.events(run.id, { limit: 100 });
      expect(events.map((event) => event.seq)).toEqual(Array.from({ length: 41 }, (_, at) => at + 1));
    });

    test('a decision is made on the newest state, not on what was known', async () => {
      const run = await add();
      await other.runs.update(run.id, () => ({ set: { status: 'Paused' } }));
      const seen: string[] = [];
      await store.runs.update(run.id, (now) => {
        seen.push(now.status);
        return now.status === 'Paused' ? { set: { goal: 'new' } } : null;
      });
      expect(seen.at(-1)).toBe('Paused');
      expect(await store.runs.get(run.id)).toMatchObject({ goal: 'new', status: 'Paused' });
    });

    test('the engine finds what is claimable, orphaned, overdue and unfinished', async () => {
      const queued = await add({ status: 'Queued', runnable: true, runnableSince: 2, unfinished: false });
      const earlier = await add({ status: 'Queued', runnable: true, runnableSince: 1, unfinished: false });
      const owned = await add({ status: 'Running', owner: 'dead', deadlineAt: 50, unfinished: true });
      const mine = await add({ status: 'Running', owner: 'alive', deadlineAt: 500, unfinished: false });
      const over = await add({ status: 'Completed', deadlineAt: 10, unfinished: true, updatedAt: 7 });
      const ids = (runs: RunRecord[]) => runs.map((run) => run.id);
      const own = new Set([queued, earlier, owned, mine, over].map((run) => run.id));
      const only = (runs: RunRecord[]) => ids(runs).filter((id) => own.has(id));
      expect(only(await store.runs.runnable(100))).toEqual([earlier.id, queued.id]);
      expect(only(await store.runs.orphans(['alive'], 100))).toEqual([owned.id]);
      expect(only(await store.runs.overdue(100, 100))).toEqual([owned.id]);
      expect(only(await store.runs.unfinished(100, 100))).toEqual([over.id]);
      expect(only(await store.runs.unfinished(5, 100))).toEqual([]);
    });

    test('runs are listed by filter, order and page', async () => {
      for (let at = 0; at < 5; at++) {
        await add({
          tenantId: 7,
          createdAt: 100 + at,
          goal: at === 3 ? 'Find The (needle)' : 'hay',
          ...{ costUsd: 5 - at, projectId: at % 2 },
          ...(at === 2 && { mcpOwner: 'u1' }),
        });
      }
      const list = (more: object) => listed(store, { tenantId: 7, limit: 50, ...more });
      const all = await list({});
      expect(all.total).toBe(5);
      expect(all.items.map((run) => run.createdAt)).toEqual([104, 103, 102, 101, 100]);
      expect((await list({ q: 'the (NEEDLE' })).items.map((run) => run.createdAt)).toEqual([103]);
      expect((await list({ sort: 'costUsd' })).items.map((run) => run.costUsd)).toEqual([1, 2, 3, 4, 5]);
      expect((await list({ minCostUsd: 4 })).items.map((run) => run.costUsd)).toEqual([4, 5]);
      expect((await list({ minCostUsd: 4.5, sort: 'costUsd' })).total).toBe(1);
      expect((await list({ projectId: 1, from: 102, to: 104 })).items.map((run) => run.createdAt)).toEqual([103]);
      const page = await list({ skip: 1, limit: 2 });
      expect([page.total, ...page.items.map((run) => run.createdAt)]).toEqual([5, 103, 102]);
      expect((await list({ mcpOwner: 'u1' })).items.map((run) => run.createdAt)).toEqual([102]);
      expect((await list({ status: ['Failed'] })).total).toBe(0);
      expect((await list({ sort: 'id', descending: true, limit: 1 })).items[0]!.createdAt).toBe(104);
    });

    test('lists of a run that grow long are whole for every process, and begin anew', async () => {
      const { id } = await add();
      const mark = (where: RunStore, at: number) =>
        where.runs.update(id, (now) => ({
          set: {
            seen: [...now.seen, `mark ${at}`],
            inbox: [...now.inbox, { key: `k${at}`, kind: 'message', text: `${at}`, from: null, at }],
            arrived: [...now.arrived, { runId: at, status: 'Completed', summary: `${at}` }],
          },
        }));
      const all = Array.from({ length: 100 }, (_, at) => at);
      for (const at of all) await mark(at % 7 === 0 ? other : store, at);
      for (const where of [store, other]) {
        const run = await where.runs.get(id);
        expect(run?.seen).toEqual(all.map((at) => `mark ${at}`));
        expect(run?.inbox.map(({ key }) => key)).toEqual(all.map((at) => `k${at}`));
        expect(run?.arrived.map(({ runId }) => runId)).toEqual(all);
      }
      await other.runs.update(id, (now) => ({ set: { inbox: now.inbox.slice(99), arrived: now.arrived.slice(1) } }));
      for (const at of all.slice(0, 40)) await mark(at % 3 ? store : other, 1000 + at);
      const later = all.slice(0, 40).map((at) => 1000 + at);
      const [many] = await store.runs.many([id]);
      expect(many?.inbox.map(({ at }) => at)).toEqual([99, ...later]);
      expect(many?.arrived.map(({ runId }) => runId)).toEqual([...all.slice(1), ...later]);
      expect(many?.seen).toHaveLength(140);
      const { items } = await other.runs.list({ tenantId: many!.tenantId, limit: 200 });
      expect(items.find((run) => run.id === id)).toEqual(await other.runs.get(id));
    });

    test('escalations are found when due and until they are delivered', async () => {
      const escalation = {
        id: 1,
        version: 1,
        runId: 77,
        status: 'AwaitingHuman',
        timeoutAt: 100,
        delivered: false,
      } as EscalationRecord;
      await store.escalations.insert(escalation);
      expect(await other.escalations.due(99, 10)).toEqual([]);
      expect((await other.escalations.due(100, 10)).map((one) => one.id)).toEqual([1]);
      expect(await store.escalations.undelivered(10)).toEqual([]);
      await store.escalations.update(1, () => ({ status: 'RevisionRequested' }));
      expect((await other.escalations.undelivered(10)).map((one) => one.id)).toEqual([1]);
      await store.escalations.update(1, () => ({ status: 'Resolved' }));
      expect(await other.escalations.due(100, 10)).toEqual([]);
      expect((await other.escalations.undelivered(10)).map((one) => one.status)).toEqual(['Resolved']);
      await store.escalations.update(1, () => ({ delivered: true }));
      expect(await other.escalations.undelivered(10)).toEqual([]);
      expect((await store.escalations.ofRun(77)).map((one) => one.id)).toEqual([1]);
    });

    test('of the decisions to be remembered the newest of the same tree and question is found', async () => {
      const base = { version: 1, runId: 79, rootRunId: 79, status: 'Resolved', delivered: true, rememberAsRule: true };
      const records = [
        { id: 200, resolvedAt: 10, questionKey: 'a' },
        { id: 201, resolvedAt: 30, questionKey: 'a' },
        { id: 202, resolvedAt: 20, questionKey: 'a' },
        { id: 203, resolvedAt: 40, questionKey: 'a', rememberAsRule: false },
        { id: 204, resolvedAt: null, questionKey: 'a', status: 'AwaitingHuman' },
        { id: 205, resolvedAt: 50, questionKey: 'a', rootRunId: 80 },
        { id: 206, resolvedAt: 60, questionKey: 'b' },
      ];
      for (const one of records) await store.escalations.insert({ ...base, ...one } as EscalationRecord);
      expect((await other.escalations.remembered(79, 'a'))?.id).toBe(201);
      expect((await other.escalations.remembered(80, 'a'))?.id).toBe(205);
      expect(await other.escalations.remembered(79, 'c')).toBeNull();
    });

    test('escalations are listed by filter, order and page', async () => {
      const base = { version: 1, runId: 78, tenantId: 9, status: 'AwaitingHuman', urgency: 'Normal', delivered: true };
      for (let at = 0; at < 6; at++) {
        await store.escalations.insert({
          ...base,
          id: 100 + at,
          createdAt: 1000 + at,
          timeoutAt: at % 2 ? 50 - at : null,
          kind: at === 2 ? 'toolApproval' : null,
          projectId: at < 3 ? 1 : 2,
          identityId: at < 1 ? 1 : 2,
        } as EscalationRecord);
      }
      await store.escalations.insert({ ...base, id: 110, tenantId: 10, createdAt: 1 } as EscalationRecord);
      await store.escalations.update(101, () => ({ status: 'Resolved', urgency: 'High' }));
      const list = async (more: object) => {
        const { items, total } = await other.escalations.list({ tenantId: 9, limit: 50, ...more });
        expect(total).toBeGreaterThanOrEqual(items.length);
        return items.map((one) => one.id);
      };
      expect(await list({})).toEqual([105, 104, 103, 102, 101, 100]);
      expect(await list({ openOnly: true })).toEqual([105, 104, 103, 102, 100]);
      expect(await list({ status: 'Resolved' })).toEqual([101]);
      expect(await list({ urgency: 'High' })).toEqual([101]);
      expect(await list({ kind: 'toolApproval' })).toEqual([102]);
      expect(await list({ projectId: 2, identityId: 2 })).toEqual([105, 104, 103]);
      expect(await list({ identityId: 1, runId: 78 })).toEqual([100]);
      expect(await list({ runId: 77 })).toEqual([]);
      expect(await list({ from: 1002, to: 1004 })).toEqual([103, 102]);
      expect(await list({ sort: 'timeoutAt' })).toEqual([100, 102, 104, 105, 103, 101]);
      expect(await list({ sort: 'id', skip: 1, limit: 2 })).toEqual([101, 102]);
      expect((await store.escalations.list({ tenantId: 9, limit: 1 })).total).toBe(6);
    });

    test('checkpoints come newest first and go with their run', async () => {
      const run = await add({ status: 'Completed' });
      for (let at = 0; at < 3; at++) {
        await store.checkpoints.save({
          id: `${run.id}-0-${at}`,
          runId: run.id,
          iteration: at,
          status: 'Running',
          tokensUsed: 0,
          costUsd: 0,
          summary: null,
          commitSha: null,
          sizeBytes: 1,
          createdAt: at,
          messageCount: at,
          context: { summary: null, from: 0 },
          planJson: null,
          progressSummary: null,
        });
      }
      expect((await other.checkpoints.list(run.id, 2)).map((one) => one.iteration)).toEqual([2, 1]);
      expect((await store.checkpoints.get(run.id, `${run.id}-0-1`))?.iteration).toBe(1);
      await store.runs.remove(run.id);
      expect(await other.runs.get(run.id)).toBeNull();
      expect(await other.runs.events(run.id, { limit: 10 })).toEqual([]);
    });

    treesContract(test, () => ({ store, other, add }));
    packsContract(test, () => ({ store, other, add }));

    test('a node lives by its heartbeat and stays dead once buried', async () => {
      const at = Date.now();
      expect(await store.nodes.beat('a', at + 100)).toBe(true);
      expect(await store.nodes.beat('b', at + 200)).toBe(true);
      const beats = async () => (await other.nodes.beats()).map(({ node, beat }) => `${node} ${beat - at}`).sort();
      expect(await beats()).toEqual(['a 100', 'b 200']);
      await other.nodes.bury([
        { node: 'a', beat: at + 100 },
        { node: 'b', beat: at + 150 },
      ]);
      // One that has beaten since was not meant.
      expect(await beats()).toEqual(['b 200']);
      expect(await store.nodes.beat('a', at + 300)).toBe(false);
      expect(await store.nodes.beat('b', at + 300)).toBe(true);
      await store.nodes.beat('c', at + 300);
      await store.nodes.bury({ allBut: 'c' });
      expect(await beats()).toEqual(['c 300']);
    });
  });
}
