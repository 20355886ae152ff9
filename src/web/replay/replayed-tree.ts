// A tree of runs as it stood at a moment, built from the events of the live tree.
import type { AgentEventDto } from '../../client/index.ts';
import { createVersion } from '../base/store.ts';
import { createTrack, pushEvent } from '../river/track.ts';
import type { RunView, Tree } from '../state/tree.ts';
import { createTimeline } from '../timeline/timeline.ts';
import { createRunFold, type RunFold, type Used } from './run-fold.ts';

/** A run of the replay, and how many of its events are in it. */
interface Replayed {
  view: RunView;
  fold: RunFold;
  count: number;
}

const timeOf = (event: AgentEventDto) => Date.parse(event.createdAtUtc);

/**
 * Shows the same runs as a live tree, each with its events up to a moment. A step forward applies the events between; a
 * step back builds the runs that it changes from their first event.
 */
export class ReplayedTree implements Tree {
  readonly #live: Tree;
  readonly #changes = createVersion();
  readonly #all = new Map<number, Replayed>();
  readonly runs = new Map<number, RunView>();
  readonly error = null;
  readonly gaps = 0;
  #at = Number.NEGATIVE_INFINITY;

  constructor(live: Tree) {
    this.#live = live;
  }

  get rootId() {
    return this.#live.rootId;
  }

  get version() {
    return this.#changes.version;
  }

  subscribe(listener: () => void) {
    return this.#changes.subscribe(listener);
  }

  close() {}

  /** The moment that is shown, ms since 1970. */
  get at() {
    return this.#at;
  }

  /** Shows another moment. */
  moveTo(at: number): void {
    this.#at = at;
    for (const live of this.#live.runs.values()) {
      const first = live.log[0];
      if (!first || timeOf(first) > at) this.#drop(live.id);
      else this.#bring(live, at);
    }
    this.#records(at);
    this.#changes.touch();
  }

  #drop(id: number) {
    this.#all.delete(id);
    this.runs.delete(id);
  }

  #bring(live: RunView, at: number) {
    const last = this.#all.get(live.id)?.count ?? 0;
    const isLater = last > 0 && timeOf(live.log[last - 1] as AgentEventDto) > at;
    const one = (isLater ? undefined : this.#all.get(live.id)) ?? this.#begin(live);
    for (let next = live.log[one.count]; next && timeOf(next) <= at; next = live.log[one.count]) {
      pushEvent(one.view.track, next);
      one.view.timeline.push(next);
      one.fold.push(next);
      one.count++;
    }
  }

  #begin({ id, track, log }: RunView): Replayed {
    const from = timeOf(log[0] as AgentEventDto);
    const view: RunView = {
      id,
      run: null,
      budget: null,
      track: createTrack(id, track.parentRunId, from),
      timeline: createTimeline(),
      log,
    };
    const one = { view, fold: createRunFold(), count: 0 };
    this.#all.set(id, one);
    this.runs.set(id, view);
    return one;
  }

  /** Renews the records of the runs, whose totals include the runs below them. */
  #records(at: number) {
    const totals = new Map<number, Used>();
    for (const { view, fold } of this.#all.values()) {
      const { iterations, tokens, costUsd } = fold.used();
      for (let id: number | null = view.id; id !== null; id = this.#live.runs.get(id)?.track.parentRunId ?? null) {
        const sum = totals.get(id) ?? { iterations: 0, tokens: 0, costUsd: 0 };
        totals.set(id, {
          iterations: sum.iterations + iterations,
          tokens: sum.tokens + tokens,
          costUsd: sum.costUsd + costUsd,
        });
      }
    }
    for (const { view, fold } of this.#all.values()) {
      const known = this.#live.runs.get(view.id)?.run;
      if (known) view.run = fold.record(known, at, totals.get(view.id) ?? fold.used());
    }
  }
}

/** Times of all events of a tree, in order: what a replay goes through. */
export function timesOf(tree: Pick<Tree, 'runs'>): number[] {
  const times = [...tree.runs.values()].flatMap(({ log }) => log.map(timeOf));
  return times.sort((a, b) => a - b);
}
