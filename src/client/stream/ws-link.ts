// A link over the native WebSocket: a single-use ticket opens it, so that no key is in a URL.
import { type ErrorCode, errorStatus } from '../../kernel/error-codes.ts';
import { ApiError } from '../api-error.ts';
import type { Transport } from '../transport.ts';
import type { RawEvent } from './events.ts';
import type { Beginning, Link, LinkEvents, OpenLink, WebSocketConstructor, WebSocketLike } from './link.ts';

const pingEveryMs = 20_000;
const pongWithinMs = 10_000;
const openWithinMs = 10_000;

/** Close codes after which the stream resumes at once: slow consumer, reset, token expired, going away, restart. */
const resumable = new Set([1001, 1012, 4008, 4009, 4010]);

interface Reply {
  op: string;
  id?: string | null;
  ok: boolean;
  error?: string | null;
  errorCode?: string | null;
  seq?: number | null;
  topics?: string[] | null;
}

type Pending = (reply: Reply) => void;

const decoder = new TextDecoder();

/** Frames are text; a proxy or server may hand the same text on as bytes. */
const textOf = (data: unknown): string => (typeof data === 'string' ? data : decoder.decode(data as ArrayBuffer));

/** A refusal has the status that its code has over HTTP. */
const refusal = ({ error, errorCode }: Reply) => {
  const code = errorCode ?? 'FORBIDDEN';
  return new ApiError(error ?? 'The topic is not served.', { code, status: errorStatus[code as ErrorCode] ?? 403 });
};

/** Commands and frames over one open socket. */
function converse(socket: WebSocketLike, events: LinkEvents, goesOn: boolean) {
  const pending = new Map<string, Pending>();
  let next = 1;
  const command = (frame: Record<string, unknown>, onReply?: Pending) => {
    const id = String(next++);
    if (onReply) pending.set(id, onReply);
    socket.send(JSON.stringify({ id, ...frame }));
  };
  const receive = (text: string) => {
    const frame = JSON.parse(text) as Reply | RawEvent;
    if (!('op' in frame)) return events.event(frame);
    if (frame.op === 'Unsubscribe' && !frame.id)
      for (const topic of frame.topics ?? []) {
        if (frame.ok) events.ended(topic);
        else events.refused(topic, refusal(frame));
      }
    const onReply = frame.id ? pending.get(frame.id) : undefined;
    if (!frame.id || !onReply) return;
    pending.delete(frame.id);
    onReply(frame);
  };
  const always = { lean: true, ...(goesOn ? { follow: true } : {}) };
  const follow = (topic: string, { cursor, replaySeconds }: Beginning) => {
    const data = { ...always, ...(replaySeconds > 0 ? { replaySeconds } : {}) };
    const from = cursor === null ? {} : { lastEventId: cursor };
    command({ op: 'Subscribe', data, topics: [topic], ...from }, (reply) => {
      if (reply.ok) return events.followed(topic, reply.seq ?? null);
      events.refused(topic, refusal(reply));
    });
  };
  return { command, receive, follow };
}

/** Pings on a beat; a pong that does not come in time closes the socket. */
function keepAlive(ping: (onPong: () => void) => void, events: LinkEvents, onDead: () => void) {
  let overdue: ReturnType<typeof setTimeout> | undefined;
  const beat = () => {
    const sent = performance.now();
    overdue = setTimeout(onDead, pongWithinMs);
    ping(() => {
      clearTimeout(overdue);
      events.latency(performance.now() - sent);
    });
  };
  beat();
  const timer = setInterval(beat, pingEveryMs);
  return () => {
    clearInterval(timer);
    clearTimeout(overdue);
  };
}

interface Opening {
  transport: Transport;
  Socket: WebSocketConstructor;
  events: LinkEvents;
  follow: boolean;
}

function begin({ transport, Socket, events, follow }: Opening, topics: Map<string, Beginning>): Link {
  let closed = false;
  let socket: WebSocketLike | null = null;
  let talk: ReturnType<typeof converse> | null = null;
  let stopBeat = () => {};

  const end = (reason: string, again: 'now' | 'backoff' | 'never', error?: ApiError) => {
    if (closed) return;
    closed = true;
    stopBeat();
    socket?.close();
    events.closed(reason, again, error);
  };

  const open = (ticket: string) => {
    const opened = new Socket(
      `${transport.baseUrl.replace(/^http/, 'ws')}/api/ws?ticket=${encodeURIComponent(ticket)}`,
    );
    opened.binaryType = 'arraybuffer';
    socket = opened;
    const late = setTimeout(() => end('the WebSocket did not open in time', 'backoff'), openWithinMs);
    const conversation = converse(opened, events, follow);
    opened.onopen = () => {
      clearTimeout(late);
      if (closed) return opened.close();
      talk = conversation;
      events.opened();
      for (const [topic, from] of topics) conversation.follow(topic, from);
      const ping = (onPong: () => void) => conversation.command({ op: 'Ping' }, onPong);
      stopBeat = keepAlive(ping, events, () => end('no answer to a ping', 'backoff'));
    };
    opened.onmessage = (message: { data: unknown }) => {
      if (!closed) conversation.receive(textOf(message.data));
    };
    opened.onerror = () => {};
    opened.onclose = (close: { code: number; reason: string }) => {
      clearTimeout(late);
      const reason = close.reason || `closed with ${close.code}`;
      end(reason, close.code === 4003 ? 'never' : resumable.has(close.code) ? 'now' : 'backoff');
    };
    if (closed) opened.close();
  };

  transport.json({ method: 'POST', path: '/api/ws/tickets', body: {} }).then(
    (data) => closed || open((data as { ticket: string }).ticket),
    (error: unknown) => {
      const known = error instanceof ApiError ? error : null;
      const denied = known !== null && known.status >= 400 && known.status < 500 && known.status !== 429;
      end(known?.message ?? 'no ticket', denied ? 'never' : 'backoff', known ?? undefined);
    },
  );

  return {
    add(topic, from) {
      topics.set(topic, from);
      talk?.follow(topic, from);
    },
    remove(topic) {
      topics.delete(topic);
      talk?.command({ op: 'Unsubscribe', topics: [topic] });
    },
    close() {
      closed = true;
      stopBeat();
      socket?.close();
    },
  };
}

/** Makes links over `GET /api/ws`. */
export function webSocketLinks(transport: Transport, Socket: WebSocketConstructor): OpenLink {
  return (events, topics, follow) => begin({ transport, Socket, events, follow }, new Map(topics));
}
