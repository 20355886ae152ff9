// Fills a tenant with a demo, plays its scenes, and takes all of it away again.
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Book, Held } from './book.ts';
import { demo } from './contract.ts';
import type { DemoStatusDto } from './dto.ts';
import { fill, playScene } from './making.ts';
import { type DemoDoc, noted, type Series } from './record.ts';
import { empty, type Removed, type RemovingDeps } from './removing.ts';

export interface DemoDeps extends RemovingDeps {
  book: Book;
  clock: Clock;
  /** Ids, of those given, of runs that have not ended. */
  activeOf(tenantId: number, runIds: readonly number[]): Promise<number[]>;
}

export const demoService = implement(demo, (deps: DemoDeps) => {
  const { book, clock, perform } = deps;
  const show = async (doc: DemoDoc | null, more: Partial<DemoStatusDto> = {}): Promise<DemoStatusDto> => ({
    // While it is removed it is still there: nothing can be made in its place.
    seeded: doc?.state === 'Seeded' || doc?.state === 'Resetting',
    size: doc?.size ?? null,
    createdCounts: doc ? countsOf(doc) : {},
    removedCounts: {},
    demoUsername: doc?.username ?? null,
    demoPassword: null,
    projectId: doc?.ids.projects?.[0] ?? null,
    activeDemoRunIds: doc ? await deps.activeOf(doc.tenantId, doc.ids.agent_runs ?? []) : [],
    seededAtUtc: doc?.seededAt?.toISOString() ?? null,
    ...more,
  });
  const removeAll = async (caller: Caller, held: Held): Promise<Removed> => {
    await held.change({ state: 'Resetting' });
    const removed = await empty({ ...deps, caller, demo: held });
    await held.forget();
    return removed;
  };

  return {
    status: async ({ caller }) => show(await book.find(caller.tenantId)),
    seed: ({ caller, body }) =>
      book.hold(caller.tenantId, async (held) => {
        requireUnseeded(held.doc);
        const size = body?.size ?? 'Small';
        await held.change({ state: 'Seeding', size });
        const wanted = { size, includeHistory: body?.includeHistory ?? true, seed: body?.seed ?? 1 };
        try {
          const demoPassword = await fill({ perform, caller, demo: held }, wanted);
          await held.change({ state: 'Seeded', seededAt: new Date(clock.now()) });
          return await show(held.doc, { demoPassword });
        } catch (error) {
          await removeAll(caller, held);
          throw error;
        }
      }),
    run: ({ caller, body }) =>
      book.hold(caller.tenantId, async (held) => {
        if (held.doc.state === 'Resetting') throw cutShort('removed');
        const [agent] = held.doc.state === 'Seeded' ? (held.doc.ids.identities ?? []).slice(1) : [];
        const place = { identityId: agent ?? null, projectId: body?.projectId ?? null };
        return playScene({ perform, caller, demo: held }, body?.scenario ?? 'SingleRun', place, body?.speed ?? 1);
      }),
    reset: async ({ caller, body }) => {
      if (!body.confirm)
        throw new Fault('VALIDATION_FAILED', 'confirm is not true.', {
          hint: 'Send {"confirm": true} to remove what the demo has made.',
        });
      if (!(await book.find(caller.tenantId))) return show(null);
      const removedCounts = await book.hold(caller.tenantId, (held) => removeAll(caller, held));
      return show(null, { removedCounts });
    },
  };
});

function requireUnseeded({ state }: DemoDoc): void {
  if (state === 'Started') return;
  if (state !== 'Seeded') throw cutShort(state === 'Seeding' ? 'made' : 'removed');
  throw new Fault('CONFLICT', 'The demo is there already.', {
    hint: 'Remove it with POST /api/demo/reset first.',
  });
}

const cutShort = (verb: string) =>
  new Fault('CONFLICT', `The demo was being ${verb} when its server ended.`, {
    hint: 'Remove what there is of it with POST /api/demo/reset.',
  });

function countsOf({ ids }: DemoDoc): Record<string, number> {
  const counted = Object.entries(ids).filter(([, all]) => all.length > 0);
  return Object.fromEntries(counted.map(([series, all]) => [noted[series as Series], all.length]));
}
