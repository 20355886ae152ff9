// Opens routines: their ledger, what wakes them, and the alarm clock, which begins with the first routine.
import { findPeopleFor } from '../groups/agent/desk/people.ts';
import type { Alarm } from '../groups/agent/routines/alarm.ts';
import { createRoutineBook, type RoutineBook } from '../groups/agent/routines/book.ts';
import { type Cover, createCover } from '../groups/agent/routines/cover.ts';
import { createRowLife, type RowLife } from '../groups/agent/routines/life.ts';
import { createBlockedIn, createMakers } from '../groups/agent/routines/makers.ts';
import { ledgerRecord, routineRecord, triggerRecord } from '../groups/agent/routines/record.ts';
import { createReports } from '../groups/agent/routines/reports.ts';
import { createWakes } from '../groups/agent/routines/wakes.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { createRounds } from '../kernel/rounds.ts';
import { createKeeper } from '../ports/keeper.ts';
import type { Gate } from '../ports/queues.ts';
import type { Publication, Publisher } from '../ports/stream.ts';
import { createProjectAccess } from '../projects/access.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';

interface Deps {
  storage: Storage;
  streams: OpenStreams;
  runtime: OpenRuntime;
  gate: Gate;
  clock: Clock;
  log: Logger;
}

/** Milliseconds between two looks whether there is a routine at all, e.g. of another node. */
const askEveryMs = 10_000;

export type OpenRoutines = ReturnType<typeof openRoutines>;

export const openRoutines = (deps: Deps) => opened({ ...deps, log: deps.log.child({ domain: 'Routine' }) });

function opened({ storage, streams, runtime, gate, clock, log }: Deps) {
  const { db, ids, auth } = storage;
  const { publisher } = streams;
  const { engine, acting, identities, users } = runtime;
  const access = createProjectAccess({ db, clock });
  let closing = false;
  const isClosing = () => closing;
  const findRun = (id: number) => storage.runs.runs.get(id);
  const people = findPeopleFor({ identities, users });
  const makers = createMakers({ auth, access, acting, roleDefaults: runtime.roleDefaults, workRole: runtime.workRole });
  const book = createRoutineBook({ db, ids, clock, publisher, blockedIn: createBlockedIn(access) });
  const reports = createReports({
    ...{ inbox: runtime.inbox, publisher, clock },
    people: ({ tenantId, identityId, createdByUserId }) =>
      people({ tenantId, identityId, startedByUserId: createdByUserId }),
  });
  const life = createRowLife({
    ...{ book, clock, log, reports, gate, findRun, createRun: engine.create, staff: makers.staff },
  });
  const cover = createCover({ book, clock, isClosing, start: life.startLater });
  const wakes = createWakes({
    ...{ db, book, clock, log, findRun, makerOf: makers.makerOf },
    ...{ start: life.startLater, signals: streams.readySignals('routine triggers') },
    mayFollow: (caller, topic) =>
      streams.authorise(caller, topic).then(
        () => true,
        () => false,
      ),
  });
  const alarm = lazyAlarm({ db, clock, log, book, cover, life, isClosing });
  const rounds = createRounds({ clock, log });

  const quietly = (work: Promise<unknown>, what: string) =>
    void work.catch((error: unknown) => {
      if (!closing) log.warn({ err: error }, what);
    });

  gate.onOpen(() => quietly(life.look(), 'what waited for the queue to open waits for the next look'));
  return {
    wakes,
    /** Sees each event that is kept, for the ends of its runs. */
    see(event: Publication): void {
      if (closing || event.type !== 'run.ended') return;
      const { id, parentRunId } = event.data as { id?: number; parentRunId?: number | null };
      if (parentRunId === null)
        quietly(life.runEnded(Number(id)), 'the end of a run of a routine waits for the next look');
    },
    service: {
      ...keepersOf(storage, book, publisher, clock),
      ...{ book, cover, life, acting, clock },
      roleName: makers.roleName,
      cancelRun: (runId: number, reason: string) => engine.cancel(runId, { reason }),
      changed: () => quietly(alarm.set(), 'the alarm of a routine could not be set; the next look finds it'),
      triggersChanged: wakes.changed,
    },
    /** Starts a row that is Pending. */
    async startRow(id: number): Promise<void> {
      const row = await book.rows.findOne({ _id: id, outcomeId: 'Pending' });
      if (row) await life.start(row);
    },
    /** Begins; call it when the engine works. */
    async run(): Promise<void> {
      await alarm.ask();
      rounds.start({ name: 'whether there are routines', everyMs: askEveryMs, work: () => alarm.ask() });
    },
    async close(): Promise<void> {
      closing = true;
      await rounds.close();
      await alarm.close();
    },
  };
}

interface AlarmDeps {
  db: Storage['db'];
  clock: Clock;
  log: Logger;
  book: RoutineBook;
  cover: Cover;
  life: RowLife;
  isClosing(): boolean;
}

/** The scheduler's library is loaded, and polls the store, once there is a routine. */
function lazyAlarm({ db, clock, log, book, cover, life, isClosing }: AlarmDeps) {
  let opening: Promise<Alarm> | null = null;
  const open = async () => {
    const { openAlarm } = await import('../groups/agent/routines/alarm.ts');
    return openAlarm({
      ...{ db, clock, log, nextWake: cover.nextWake },
      wake: () => cover.all(),
      look: async () => {
        await life.look();
        await cover.all();
      },
    });
  };
  return {
    async ask(): Promise<void> {
      if (isClosing()) return;
      if (opening) return (await opening).mend();
      if (!(await book.routines.findOne({}, { projection: { _id: 1 } }))) return;
      opening ??= open();
      await opening.catch((error: unknown) => {
        opening = null;
        throw error;
      });
    },
    async set(): Promise<void> {
      await this.ask();
      await (await opening)?.set();
    },
    close: async () => (await opening)?.close(),
  };
}

const keepersOf = ({ db, ids }: Storage, book: RoutineBook, publisher: Publisher, clock: Clock) => ({
  routines: createKeeper(routineRecord, {
    ...{ db, ids, clock },
    told: async ({ how, doc }) => {
      if (how !== 'removed') return book.tellRoutine(doc);
      const data = { kind: 'Routine', id: doc._id, atUtc: new Date(clock.now()).toISOString() };
      await publisher.publish({ tenantId: doc.tenantId, topics: ['routines'], type: 'routine.deleted', data });
    },
  }),
  ledger: createKeeper(ledgerRecord, { db, ids, clock }),
  triggers: createKeeper(triggerRecord, { db, ids, clock }),
});
