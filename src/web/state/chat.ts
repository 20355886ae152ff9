// One chat session, live: messages as a tree of branches, and the reply that streams, resumed after a cut or a reload.
import { type ApiError, readSse, type SseMessage } from '../../client/index.ts';
import { type Changing, createVersion } from '../base/store.ts';
import { client } from './app.ts';
import { chat } from './operations.ts';
import { toApiError } from './resource.ts';
import { followTopic } from './topic.ts';
import type { ChatMessageDto, ChatSessionDetailDto, ChatStreamEventDto, ChatToolCallDto } from './wire/chat.ts';

export interface Reply {
  text: string;
  reasoning: string;
  tools: ChatToolCallDto[];
  /** Index of the last frame taken; earlier ones are repeats. */
  index: number;
}

export interface ChatInput {
  message?: string;
  regenerateMessageId?: number;
  parentMessageId?: number;
  modelId?: string;
  attachments?: unknown[];
}

export interface Conversation extends Changing {
  readonly session: ChatSessionDetailDto | null;
  readonly error: ApiError | null;
  /** The reply that streams; null when none does. */
  readonly reply: Reply | null;
  /** What the person said that the server has not confirmed yet. */
  readonly said: string | null;
  say(input: ChatInput): Promise<void>;
  stop(): Promise<void>;
  reload(): void;
  close(): void;
}

const retryMs = 1000;

class LiveConversation implements Conversation {
  readonly #id: number;
  readonly #changes = createVersion();
  readonly #abort = new AbortController();
  session: ChatSessionDetailDto | null = null;
  error: ApiError | null = null;
  reply: Reply | null = null;
  said: string | null = null;
  #stopFollowing = () => {};
  #reading = false;
  #lastEventId: string | null = null;

  constructor(id: number) {
    this.#id = id;
    this.reload();
    this.#stopFollowing = followTopic(`chat:${id}`, {
      onSnapshot: () => this.reload(),
      onEvent: (event) => {
        const type = event.type as string;
        if (type === 'chat.message' || type === 'chat.session.updated') this.#reloadSoon();
        // Another tab or device began a reply: watch it too.
        if (type === 'chat.stream' && !this.#reading) void this.#resume();
      },
    });
    void this.#resume();
  }

  get version() {
    return this.#changes.version;
  }

  subscribe(listener: () => void) {
    return this.#changes.subscribe(listener);
  }

  close() {
    this.#abort.abort();
    this.#stopFollowing();
  }

  #reloadTimer: ReturnType<typeof setTimeout> | undefined;
  #reloadSoon() {
    clearTimeout(this.#reloadTimer);
    this.#reloadTimer = setTimeout(() => this.reload(), 50);
  }

  reload() {
    chat.get({ params: { id: this.#id }, query: { messageLimit: 500 }, signal: this.#abort.signal }).then(
      (session) => {
        this.session = session;
        this.error = null;
        this.#changes.touch();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #fail(error: unknown) {
    if (this.#abort.signal.aborted) return;
    this.error = toApiError(error);
    this.#changes.touch();
  }

  async say(input: ChatInput) {
    this.said = input.message ?? null;
    this.#begin();
    const body = { ...input, idempotencyKey: crypto.randomUUID() };
    await this.#read(() =>
      client.fetch({
        method: 'POST',
        path: `/api/chat/sessions/${this.#id}/chat/stream`,
        body,
        headers: { accept: 'text/event-stream' },
        signal: this.#abort.signal,
      }),
    );
  }

  async stop() {
    await chat.stop({ params: { sessionId: this.#id } });
  }

  #begin() {
    this.reply = { text: '', reasoning: '', tools: [], index: -1 };
    this.#lastEventId = null;
    this.#changes.touch();
  }

  /** Joins a reply that streams already, from its beginning; nothing happens when there is none. */
  async #resume() {
    if (this.#reading || !chat.resume.served) return;
    await this.#read(() => this.#rejoin(), true);
  }

  #rejoin() {
    return client.fetch({
      method: 'GET',
      path: `/api/chat/sessions/${this.#id}/stream`,
      query: this.#lastEventId ? { lastEventId: this.#lastEventId } : {},
      headers: { accept: 'text/event-stream' },
      signal: this.#abort.signal,
    });
  }

  async #read(open: () => Promise<Response>, quiet = false) {
    this.#reading = true;
    let finished = false;
    try {
      for (let attempt = 0; !finished; attempt++) {
        try {
          const response = attempt === 0 ? await open() : await this.#rejoin();
          for await (const message of readSse(response)) finished = this.#take(message) || finished;
          // An end without a last word is a cut only while a reply is open.
          finished ||= this.reply === null || quiet;
        } catch (error) {
          const known = toApiError(error);
          if (this.#abort.signal.aborted || known.status >= 400) throw known;
          if (quiet && this.reply === null) return;
          await new Promise((resolve) => setTimeout(resolve, retryMs));
        }
      }
    } catch (error) {
      if (!quiet && !this.#abort.signal.aborted) {
        this.reply = null;
        this.said = null;
        throw error;
      }
    } finally {
      this.#reading = false;
      this.#changes.touch();
    }
  }

  /** Takes one frame; true when it was the last. */
  #take({ id, data }: SseMessage): boolean {
    const event = JSON.parse(data) as ChatStreamEventDto;
    if (id) this.#lastEventId = id;
    if (event.type === 'Ping') return false;
    const reply = this.reply ?? { text: '', reasoning: '', tools: [], index: -1 };
    if (event.type !== 'Completed' && event.type !== 'Error') {
      if (event.index <= reply.index && event.type !== 'Started') return false;
      this.reply = advance(reply, event);
      this.#changes.touch();
      return false;
    }
    if (event.message && this.session)
      this.session = { ...this.session, messages: withMessage(this.session.messages, event.message) };
    if (event.type === 'Error') this.#fail(new Error(event.error ?? 'The model did not answer.'));
    this.reply = null;
    this.said = null;
    this.reload();
    return true;
  }
}

const withMessage = (messages: ChatMessageDto[], message: ChatMessageDto) => {
  const index = messages.findIndex((one) => one.id === message.id);
  return index < 0 ? [...messages, message] : messages.with(index, message);
};

/** The reply with one frame taken in. */
export function advance(reply: Reply, event: ChatStreamEventDto): Reply {
  const next = { ...reply, index: Math.max(reply.index, event.index) };
  switch (event.type) {
    case 'ContentDelta':
      return { ...next, text: reply.text + (event.delta ?? '') };
    case 'ReasoningDelta':
      return { ...next, reasoning: reply.reasoning + (event.delta ?? '') };
    case 'ToolCall':
    case 'ToolResult': {
      const call = event.toolCall;
      if (!call) return next;
      const index = reply.tools.findIndex((one) => one.id === call.id);
      return {
        ...next,
        tools: index < 0 ? [...reply.tools, call] : reply.tools.with(index, { ...reply.tools[index], ...call }),
      };
    }
    default:
      return next;
  }
}

export function openConversation(id: number): Conversation {
  return new LiveConversation(id);
}
