// One chat session, live: its messages, and the reply that streams, followed through cuts, reloads and other tabs.
import {
  type ApiError,
  type ChatAttachmentInput,
  type ChatMessageDto,
  type ChatSessionDetailDto,
  type ChatStreamEventDto,
  isAway,
  readReply,
} from '../../client/index.ts';
import { newId } from '../base/platform.ts';
import { type Changing, createVersion } from '../base/store.ts';
import { client, may } from './app.ts';
import { askAgain, askAgainMs } from './ask-again.ts';
import { advance, noWords, type Reply } from './reply.ts';
import { toApiError } from './resource.ts';
import { followTopic } from './topic.ts';

export interface ChatInput {
  /** None continues the reply that `parentMessageId` names. */
  message?: string;
  attachments?: ChatAttachmentInput[];
  /** What it follows; 0 begins a branch of its own. */
  parentMessageId?: number;
  /** Answers again what this reply answered, beside it. */
  regenerateMessageId?: number;
}

export interface Conversation extends Changing {
  readonly session: ChatSessionDetailDto | null;
  readonly error: ApiError | null;
  /** The reply that streams; null when none does. */
  readonly reply: Reply | null;
  /** What was sent and is not among the messages yet. */
  readonly sent: ChatInput | null;
  /** The message whose branch is shown; null for the session's own. */
  readonly end: number | null;
  /** Resolves when the reply has ended. @throws ApiError when it could not begin */
  say(input: ChatInput): Promise<void>;
  stop(): Promise<void>;
  /** Shows the branch that ends in a message, here and wherever the session is opened next. */
  show(end: number): void;
  reload(): void;
  close(): void;
}

const pageSize = 200;
/** Older messages of a very long chat are not loaded. */
const mostPages = 10;
const settleMs = 50;

/** The messages of all branches, oldest first. */
async function loadMessages(sessionId: number, signal: AbortSignal): Promise<ChatMessageDto[]> {
  const newest: ChatMessageDto[] = [];
  for (let page = 1, more = true; more && page <= mostPages; page++) {
    const query = { page, pageSize, sort: '-id' as const };
    const { items, hasNextPage } = await client.chat.messages({ params: { sessionId }, query, signal });
    newest.push(...items);
    more = hasNextPage;
  }
  return newest.reverse();
}

class LiveConversation implements Conversation {
  readonly #id: number;
  readonly #changes = createVersion();
  readonly #abort = new AbortController();
  session: ChatSessionDetailDto | null = null;
  error: ApiError | null = null;
  reply: Reply | null = null;
  sent: ChatInput | null = null;
  end: number | null = null;
  readonly #unfollow: () => void;
  #reading = false;
  #reloadTimer: ReturnType<typeof setTimeout> | undefined;
  #stopWaiting = () => {};
  /** Loads are answered in any order: one that was begun before the newest answered is dropped. */
  #begun = 0;
  #answered = 0;

  constructor(id: number) {
    this.#id = id;
    this.#unfollow = followTopic(`chat:${id}`, {
      onSnapshot: () => this.reload(),
      onEvent: (event) => {
        const type = event.type as string;
        if (type === 'chat.message' || type === 'chat.session.updated') this.#reloadSoon();
        // Another tab or device began a reply.
        if (type === 'chat.stream' && !this.#reading) void this.#join();
      },
    });
    this.reload();
  }

  get version() {
    return this.#changes.version;
  }

  subscribe(listener: () => void) {
    return this.#changes.subscribe(listener);
  }

  close() {
    this.#abort.abort();
    clearTimeout(this.#reloadTimer);
    this.#stopWaiting();
    this.#unfollow();
  }

  show(end: number) {
    this.end = end;
    this.#changes.touch();
    if (!may('ChatWrite') || this.reply) return;
    // What cannot be kept is still shown here.
    client.chat.patch({ params: { id: this.#id }, body: { activeMessageId: end } }).catch(() => {});
  }

  #reloadSoon() {
    clearTimeout(this.#reloadTimer);
    this.#reloadTimer = setTimeout(() => this.reload(), settleMs);
  }

  readonly reload = () => void this.#load();

  async #load() {
    const turn = ++this.#begun;
    this.#stopWaiting();
    try {
      const { signal } = this.#abort;
      const [session, messages] = await Promise.all([
        client.chat.get({ params: { id: this.#id }, query: { messageLimit: 0 }, signal }),
        loadMessages(this.#id, signal),
      ]);
      if (turn < this.#answered) return;
      this.#answered = turn;
      this.session = { ...session, messages };
      this.error = null;
      if (this.session.generatingMessageId !== null && !this.#reading) void this.#join();
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.error = toApiError(error);
      this.#stopWaiting();
      this.#stopWaiting = askAgain(this.error, this.reload);
    }
    this.#changes.touch();
  }

  async say(input: ChatInput) {
    this.#begin(input);
    // One key for all tries: however often the network fails, the server answers once.
    const idempotencyKey = newId();
    try {
      await this.#read(() => client.chat.stream({ ...this.#call(), body: { ...input, idempotencyKey } }));
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  async stop() {
    await client.chat.stop({ params: { sessionId: this.#id } });
  }

  /** Joins a reply that streams already, from its beginning. */
  async #join() {
    this.#begin(null);
    await this.#read(() => this.#rejoin(null)).catch(() => this.#end());
  }

  #begin(sent: ChatInput | null) {
    this.sent = sent;
    this.reply = noWords;
    this.error = null;
    this.#changes.touch();
  }

  #end() {
    this.reply = null;
    this.sent = null;
    this.#changes.touch();
  }

  #call() {
    const headers = { accept: 'text/event-stream' };
    return { params: { sessionId: this.#id }, headers, signal: this.#abort.signal };
  }

  #rejoin(cursor: string | null) {
    return client.chat.resume({ ...this.#call(), query: cursor === null ? {} : { lastEventId: cursor } });
  }

  /** Reads to the reply's last event; what the network cuts is opened again. */
  async #read(open: () => Promise<Response>) {
    this.#reading = true;
    try {
      await readReply({
        open,
        rejoin: (cursor) => this.#rejoin(cursor),
        take: (event) => this.#take(event),
        again: async (_, error) => {
          if (this.#abort.signal.aborted) return false;
          if (isAway(error)) this.#waitFor(error);
          await new Promise((resolve) => setTimeout(resolve, askAgainMs / 2));
          return true;
        },
      });
      if (this.#abort.signal.aborted) return;
      await this.#load();
      this.#end();
    } finally {
      this.#reading = false;
    }
  }

  /** Says why nothing comes for now; the next event takes that back. */
  #waitFor(error: ApiError) {
    this.error = toApiError(error);
    this.#changes.touch();
  }

  async #take(event: ChatStreamEventDto): Promise<void> {
    this.error = null;
    this.reply = advance(this.reply ?? noWords, event);
    if (event.type === 'Started') {
      // The question and the beginning of its answer are stored now; the newest branch is theirs.
      this.end = null;
      await this.#load();
      this.sent = null;
    }
    const last = event.type === 'Completed' || event.type === 'Error';
    if (last && event.message && this.session)
      this.session = { ...this.session, messages: withMessage(this.session.messages, event.message) };
    this.#changes.touch();
  }
}

const withMessage = (messages: ChatMessageDto[], message: ChatMessageDto) => {
  const index = messages.findIndex((one) => one.id === message.id);
  return index < 0 ? [...messages, message] : messages.with(index, message);
};

export function openConversation(id: number): Conversation {
  return new LiveConversation(id);
}

/** Words for sessions that were made to say them: said when the conversation opens. */
const firstWords = new Map<number, ChatInput>();

export const sayLater = (id: number, input: ChatInput) => void firstWords.set(id, input);

/** Answers the words that a new session shall begin with, once. */
export function takeFirstWords(id: number): ChatInput | null {
  const input = firstWords.get(id) ?? null;
  firstWords.delete(id);
  return input;
}
