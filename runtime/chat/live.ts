// A reply while this process generates it: its events in order, and its message stored as it grows.
import type { Logger } from '../../src/kernel/logger.ts';
import type { ReplyEvent } from './events.ts';
import type { ChatPorts } from './ports.ts';
import type { ChatStep, MessageRecord, MessageState, SessionRecord } from './records.ts';

/** Milliseconds between two saves of a growing reply: a crash loses at most this much text. */
const saveEveryMs = 1000;

/** Reason of an abort that ends a generation before the model does. */
export class StopReply extends Error {
  override readonly name = 'StopReply';
  /** State to store; null when another process has taken the reply over, so that nothing more may be written. */
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
  /** Time of the first token, ms since 1970. */
  firstTokenAt: number | null = null;
  /** Its lines say whose they are, and in which session. */
  readonly log: Logger;
  readonly #ports: ChatPorts;
  #fence: number;
  #dirty = false;
  #saving: Promise<void> = Promise.resolve();
  #cancelTimer: (() => void) | null = null;

  constructor(ports: ChatPorts, session: SessionRecord, message: MessageRecord) {
    this.#ports = ports;
    this.session = session;
    this.message = message;
    this.#fence = session.fence;
    this.log = ports.log.child({ tenant: session.tenantId, chatSessionId: session.id, messageId: message.id });
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
    this.firstTokenAt ??= this.#ports.clock.steady();
    const { steps, content } = this.message;
    // Text after tool calls starts a new paragraph; text after a cut continues in place.
    const apart = this.step.text === '' && content !== '' && (steps.at(-2)?.toolCalls.length ?? 0) > 0;
    const delta = apart ? `\n\n${text}` : text;
    this.step.text += text;
    this.message.content += delta;
    this.emit({ type: 'ContentDelta', delta });
  }

  think(delta: string): void {
    if (delta === '') return;
    this.firstTokenAt ??= this.#ports.clock.steady();
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
      // The next save writes what is in memory; the reply itself does not depend on this one.
      this.log.warn({ err: error }, 'a reply could not be saved');
    });
  }

  /**
   * Saves the intent before an effect outside. Throws when the write failed or this process no longer owns the
   * reply.
   */
  async record(): Promise<void> {
    this.#dirty = true;
    await this.#inTurn();
    this.abort.signal.throwIfAborted();
  }

  /** Ends the periodic saves; resolves when those under way have ended. */
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
      if (!(await this.#keep())) return;
      const stored = changed ? await store.write(this.message, grown(this.message)) : await store.message(tenantId, id);
      if (stored?.state !== 'Streaming') this.abort.abort(new StopReply(null));
      else if (stored.stopRequested) this.abort.abort(new StopReply('Stopped'));
    } catch (error) {
      this.#dirty = true;
      throw error;
    }
  }

  /** Others took this node for dead, and it has another name: it keeps the reply unless somebody has ended that. */
  async #keep(): Promise<boolean> {
    const { nodes, store } = this.#ports;
    if (this.session.generation?.owner === nodes.own()) return true;
    const kept = await store.transfer(this.session, await nodes.hold());
    if (kept) {
      this.session = kept;
      this.#fence = kept.fence;
    } else this.abort.abort(new StopReply(null));
    return kept !== null;
  }
}

/** Fields of a message that grow with its reply. */
export function grown(message: MessageRecord): Partial<MessageRecord> {
  const { content, reasoning, steps, usage, modelId, responseTimeMs, index } = message;
  return structuredClone({ content, reasoning, steps, usage, modelId, responseTimeMs, index });
}
