// Ending of a topic, derived from its own events: the stream of one run ends with the run.
import { reopening } from './events.ts';

/** Fields of a run event's payload that decide the ending. */
interface RunState {
  id: number;
  status: string;
}

const atWork = new Set(['Queued', 'Running', 'WaitingForChildren', 'WaitingForDecision']);

/** A tree has ended when its root has ended and no member is at work; a run with its last event. */
export class Ending {
  /** Id of the tree's root; null for the topic of one run. */
  readonly #root: number | null;
  #isKnown = false;
  #hasEnded = false;
  #isQuiet = true;

  constructor(root: number | null) {
    this.#root = root;
    if (root !== null) this.#isQuiet = false;
  }

  /** False until an event has decided it, for a topic whose past is not in memory. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  get isOver(): boolean {
    return this.#hasEnded && this.#isQuiet;
  }

  /** Handles the next event; `read` returns its payload. */
  take(type: string, read: () => RunState): void {
    if (type === 'tree.quiesced') this.#isQuiet = true;
    else if (type === 'run.deleted') this.#end(true);
    else if (type === 'run.ended') this.#end(this.#root === null || read().id === this.#root);
    else if (!reopening.has(type)) return;
    else if (this.#root === null) this.#open();
    else {
      const { id, status } = read();
      if (atWork.has(status)) this.#isQuiet = false;
      if (id === this.#root) this.#open();
    }
  }

  #end(ended: boolean): void {
    if (!ended) return;
    this.#hasEnded = true;
    this.#isKnown = true;
  }

  #open(): void {
    this.#hasEnded = false;
    this.#isKnown = true;
  }
}

/** Ending of a topic, by its public name; null for topics that never end. */
export function endingOf(topic: string): Ending | null {
  const [, kind, id] = /^(run|run-tree):(\d+)$/.exec(topic) ?? [];
  if (kind === undefined) return null;
  return new Ending(kind === 'run' ? null : Number(id));
}
