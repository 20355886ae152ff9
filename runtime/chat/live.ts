// A reply while this process makes it: its events in order, and its message stored as it grows.
import type { ReplyEvent } from './events.ts';
import type { ChatPorts } from './ports.ts';
import type { ChatStep, MessageRecord, MessageState, SessionRecord } from './records.ts';

/** Milliseconds between two writes of what was said: as much is lost at most when the process dies. */
const saveEveryMs = 1000;

/** Why a generation ends before the model does. */
export class StopReply extends Error {
  override readonly name = 'StopReply';
  /** Null when somebody else has taken it: nothing more may be written. */
  readonly state: Extract<MessageState, 'Stopped' | 'Interrupted'> | null;
  constructor(state: StopReply['state']) {
    super(state === null ? 'The reply was taken over.' : `The reply was ${state.toLowerCase()}.`);
    this.state = state;
  }
}

export class LiveReply {
  session: SessionRecord;
  readonly message: MessageRecord;
  readonly abort = new AbortController();
  /** When the first words came, ms. */
  firstTokenAt: number | null = null;
  readonly #ports: ChatPorts;
  readonly #fence: number;
  #dirty = false;
  #saving: Promise<void> = Promise.resolve();
  #cancelTimer: (() => void) | null = null;

  constructor(ports: ChatPorts, session: SessionRecord, message: MessageRecord) {
    this.#ports = ports;
    this.session = session;
    this.message = message;
    this.#fence = session.fence;
  }

  get step(): ChatStep {
    const last = this.message.steps.at(-1);
    if (last) return last;
    throw new Error('a reply without a step');
  }

  begin(): void {
    this.emit({ type: 'Started', message: this.message });
    this.#cancelTimer = this.#ports.clock.every(saveEveryMs, () => void this.save());
  }

  addStep(): void {
    this.message.steps.push({ text: '', reasoning: '', toolCalls: [], providerState: null });
  }

  say(text: string): void {
    if (text === '') return;
    this.firstTokenAt ??= this.#ports.clock.now();
    const { steps, content } = this.message;
    // Words after tool calls are a paragraph of their own; those after a cut go on where it was.
    const apart = this.step.text === '' && content !== '' && (steps.at(-2)?.toolCalls.length ?? 0) > 0;
    const delta = apart ? `\n\n${text}` : text;
    this.step.text += text;
    this.message.content += delta;
    this.emit({ type: 'ContentDelta', delta });
  }

  think(delta: string): void {
    if (delta === '') return;
    this.firstTokenAt ??= this.#ports.clock.now();
    this.step.reasoning += delta;
    this.message.reasoning = (this.message.reasoning ?? '') + delta;
    this.emit({ type: 'ReasoningDelta', delta });
  }

  emit(event: ReplyEvent): void {
    this.#dirty = true;
    this.message.index++;
    const { id: messageId, index } = this.message;
    this.#ports.sink.stream(this.session, { messageId, index, fence: this.#fence }, event);
  }

  /** Writes what has changed, and polls for a stop that another node asked for. One write at a time. */
  save(): Promise<void> {
    return this.#inTurn().catch((error: unknown) => {
      // What is in memory is written the next time; the reply itself does not depend on it.
      this.#ports.log.warn({ err: error, messageId: this.message.id }, 'a reply could not be saved');
    });
  }

  /** Writes what is about to be done outside. Throws when it is not on disk, or is not this reply's to do any more. */
  async record(): Promise<void> {
    this.#dirty = true;
    await this.#inTurn();
    this.abort.signal.throwIfAborted();
  }

  /** No more writes by the clock; resolves when those under way have ended. */
  async settle(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    await this.#saving;
  }

  #inTurn(): Promise<void> {
    const write = this.#saving.then(() => this.#write());
    this.#saving = write.catch(() => {});
    return write;
  }

  async #write(): Promise<void> {
    if (this.abort.signal.aborted) return;
    const { store } = this.#ports;
    const { tenantId, id } = this.message;
    const changed = this.#dirty;
    this.#dirty = false;
    try {
      const stored = changed ? await store.write(this.message, grown(this.message)) : await store.message(tenantId, id);
      if (stored?.state !== 'Streaming') this.abort.abort(new StopReply(null));
      else if (stored.stopRequested) this.abort.abort(new StopReply('Stopped'));
    } catch (error) {
      this.#dirty = true;
      throw error;
    }
  }
}

/** The fields of a message that grow with a reply. */
export function grown(message: MessageRecord): Partial<MessageRecord> {
  const { content, reasoning, steps, usage, modelId, responseTimeMs, index } = message;
  return structuredClone({ content, reasoning, steps, usage, modelId, responseTimeMs, index });
}
