// One run's whole tree, live: events, words and budgets of every run in it, filled where something is missing.
import {
  type AgentEventDto,
  type AgentRunDto,
  type ApiError,
  isAway,
  type KnownEvent,
  type RunBudgetDto,
} from '../../client/index.ts';
import { nextTask } from '../base/next-task.ts';
import { type Changing, createVersion } from '../base/store.ts';
import { createTrack, pushDelta, pushEvent, type Track } from '../river/track.ts';
import { createTimeline, type Timeline } from '../timeline/timeline.ts';
import { client } from './app.ts';
import { askAgain } from './ask-again.ts';
import { createInOrder, type InOrder } from './in-order.ts';
import { toApiError } from './resource.ts';
import { followTopic } from './topic.ts';

export interface RunView {
  id: number;
  run: AgentRunDto | null;
  budget: RunBudgetDto | null;
  track: Track;
  timeline: Timeline;
  /** Its events so far, in order, for replays. */
  readonly log: readonly AgentEventDto[];
}

interface LiveView extends RunView {
  readonly log: AgentEventDto[];
  /** Its events on their way into track and timeline. */
  events: InOrder<AgentEventDto>;
  filling: boolean;
  fillTimer?: ReturnType<typeof setTimeout> | undefined;
}

export interface Tree extends Changing {
  /** Null until the run's place in its tree is known. */
  readonly rootId: number | null;
  readonly error: ApiError | null;
  readonly runs: ReadonlyMap<number, RunView>;
  /** Where the stream had gaps: after which seq of the topic. */
  readonly gaps: number;
  close(): void;
}

const pageSize = 500;
/** Events that one task applies: some milliseconds of work on a slow machine. */
const eventsATask = 250;
/** Quiet time after which a run whose events are incomplete is filled from the store, ms. */
const settleMs = 800;
const holeMs = 60;
/** A replay that never pauses is not waited for any longer. */
const longestWaitMs = 8000;

class LiveTree implements Tree {
  readonly #changes = createVersion();
  readonly runs = new Map<number, LiveView>();
  rootId: number | null = null;
  error: ApiError | null = null;
  gaps = 0;
  #stop = () => {};
  #closed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopWaiting = () => {};
  #lastEvent = 0;

  constructor(runId: number) {
    this.#begin(runId);
  }

  #begin(runId: number) {
    this.#open(runId).catch((cause: unknown) => this.#failed(cause, () => this.#begin(runId)));
  }

  /** Tells an error; a server that is away is asked again. */
  #failed(cause: unknown, again: () => void) {
    if (this.#closed) return;
    const error = toApiError(cause);
    this.#fail(error);
    this.#stopWaiting();
    this.#stopWaiting = askAgain(error, again);
  }

  get version() {
    return this.#changes.version;
  }

  subscribe(listener: () => void) {
    return this.#changes.subscribe(listener);
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stopWaiting();
    this.#stop();
  }

  #fail(error: ApiError) {
    this.error = error;
    this.#changes.touch();
  }

  /** Finds the root by walking up, then follows its topic from the oldest event kept. */
  async #open(runId: number) {
    let run: AgentRunDto = await client.agentRuns.get({ params: { id: runId } });
    this.#put(run);
    while (run.parentRunId !== null) {
      run = await client.agentRuns.get({ params: { id: run.parentRunId } });
      this.#put(run);
    }
    if (this.#closed) return;
    this.rootId = run.id;
    this.error = null;
    const handlers = {
      onEvent: (event: KnownEvent) => this.#take(event),
      onSnapshot: (why: 'followed' | 'gap') => void this.#snapshot(why),
      onRefused: (error: ApiError) => this.#fail(error),
    };
    this.#stop = followTopic(`run-tree:${run.id}`, handlers, '0');
    this.#changes.touch();
  }

  async #snapshot(why: 'followed' | 'gap') {
    const root = this.rootId;
    if (root === null) return;
    if (why === 'gap') this.gaps += 1;
    this.#stopWaiting();
    try {
      this.#put(await client.agentRuns.get({ params: { id: root } }));
      for (let page = 1, more = true; more && !this.#closed; page++) {
        const children = await client.agentRuns.children({
          params: { id: root },
          query: { recursive: true, pageSize: 200, page },
        });
        for (const child of children.items) this.#put(child);
        more = children.hasNextPage;
      }
      this.error = null;
    } catch (cause) {
      this.#failed(cause, () => void this.#snapshot('followed'));
      if (isAway(cause)) return;
    }
    this.#settleLater();
  }

  /** Once the replay has gone quiet, loads what the stream no longer kept. */
  #settleLater(waited = 0) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const quiet = performance.now() - this.#lastEvent > settleMs / 2;
      if (!quiet && waited < longestWaitMs) return this.#settleLater(waited + settleMs);
      this.#timer = undefined;
      for (const view of this.runs.values()) {
        if (view.events.hasHole || (view.run && view.run.eventCount > view.events.last + view.events.waiting))
          void this.#fill(view);
      }
    }, settleMs);
  }

  #view(id: number, parentRunId: number | null, at: number): LiveView {
    const found = this.runs.get(id);
    if (found) return found;
    const track = createTrack(id, parentRunId, at);
    const view: LiveView = {
      id,
      run: null,
      budget: null,
      track,
      timeline: createTimeline(),
      log: [],
      events: createInOrder({ apply: (event) => this.#apply(view, event), pause: nextTask, atOnce: eventsATask }),
      filling: false,
    };
    this.runs.set(id, view);
    return view;
  }

  #put(run: AgentRunDto) {
    const view = this.#view(run.id, run.parentRunId, Date.parse(run.createdAtUtc));
    // Replayed events hold earlier states; only a later state replaces the known one.
    if (view.run && view.run.eventCount > run.eventCount) return;
    view.run = run;
    this.#changes.touch();
  }

  #take(event: KnownEvent) {
    switch (event.type) {
      case 'run.created':
      case 'run.updated':
      case 'run.status':
      case 'run.completed':
      case 'run.failed':
      case 'run.ended':
        return this.#put(event.data);
      case 'run.event':
        return this.#ingest(event.data);
      case 'run.delta': {
        const view = this.#view(event.data.runId, null, Date.parse(event.atUtc));
        view.timeline.delta(event.data);
        pushDelta(view.track, event.data);
        return this.#changes.touch();
      }
      case 'run.budget':
        this.#view(event.data.runId, null, Date.parse(event.atUtc)).budget = event.data;
        return this.#changes.touch();
    }
  }

  #ingest(event: AgentEventDto) {
    this.#lastEvent = performance.now();
    const view = this.#view(event.runId, event.parentRunId, Date.parse(event.createdAtUtc));
    view.track.parentRunId ??= event.parentRunId;
    view.events.add(event);
    if (view.events.hasHole) this.#fillSoon(view);
  }

  #apply(view: LiveView, event: AgentEventDto) {
    view.log.push(event);
    pushEvent(view.track, event);
    view.timeline.push(event);
    // Progress has no other event.
    if (event.type === 'ProgressUpdated' && view.run && view.run.eventCount < event.seq)
      view.run = { ...view.run, progressSummary: event.message, eventCount: event.seq };
    this.#changes.touch();
  }

  /** An event came before an earlier one: what lies between is loaded, unless it is just about to come. */
  #fillSoon(view: LiveView) {
    if (view.filling || view.fillTimer) return;
    view.fillTimer = setTimeout(() => {
      view.fillTimer = undefined;
      if (view.events.hasHole && !this.#closed) void this.#fill(view);
    }, holeMs);
  }

  #page(runId: number, afterSeq: number): Promise<AgentEventDto[]> {
    return client.agentRuns.events({ params: { runId }, query: { afterSeq, limit: pageSize } });
  }

  async #fill(view: LiveView) {
    if (view.filling) return;
    view.filling = true;
    try {
      let page = await this.#page(view.id, view.events.last);
      while (!this.#closed) {
        view.events.add(...page);
        // The next page is on its way while this one is applied.
        const more = page.length === pageSize;
        const next = more ? this.#page(view.id, page.at(-1)?.seq ?? 0) : null;
        // A page that fails meanwhile is noticed where it is waited for.
        next?.catch(() => undefined);
        await view.events.settled();
        if (!next) break;
        page = await next;
      }
    } catch (error) {
      if (this.#closed) return;
      if (isAway(error)) this.#settleLater();
      else if (view.id === this.rootId) this.#fail(toApiError(error));
    } finally {
      view.filling = false;
    }
  }
}

/** Opens the tree that a run belongs to; its page closes it. */
export function openTree(runId: number): Tree {
  return new LiveTree(runId);
}
