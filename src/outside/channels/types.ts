// What a service of channels is: how a message is sent to it, what it answers, and how its callbacks are verified and read.
import type { ChannelKind, MessagePriority } from '../../contract/enums.ts';

/** How a channel is set up, with its secrets open; held no longer than a call takes. */
export interface Setup {
  kind: ChannelKind;
  /** The address that messages go to, or the root of the service's API. */
  url: string | null;
  /** By name, e.g. `botToken`. */
  secrets: Readonly<Record<string, string>>;
  /** The room, chat, topic or mail address. */
  target: string | null;
  settings: Settings;
  /** Where this server takes callbacks of the channel; null where it has no address that services reach. */
  inboundUrl: string | null;
}

/** What a channel is told besides, as JSON. */
export interface Settings {
  /** Ids of people of the service who may decide what runs ask; `*` for everybody there. */
  deciders?: string[] | undefined;
  /** Whether what comes in begins chats with the channel's identity, or goes into its inbox. */
  inbound?: 'chat' | 'message' | undefined;
}

/** A message on its way out. */
export interface OutMessage {
  /** The same at each attempt. */
  id: string;
  title: string | null;
  /** Markdown. */
  text: string;
  priority: MessagePriority;
  linkUrl: string | null;
  /** The thread it belongs to, as the service names it. */
  threadKey: string | null;
  buttons: readonly Button[];
}

export interface Button {
  label: string;
  /** Comes back when it is pressed. */
  token: string;
  tone: 'plain' | 'good' | 'bad';
}

/** One HTTP request; always a POST of JSON. */
export interface Call {
  url: string;
  headers: Record<string, string>;
  body: object;
}

/** What a service said to a message. */
export interface Said {
  /** The service's id of the message, by which replies and buttons name it. */
  externalId: string | null;
  /** Why it was refused all the same; null where it was taken. */
  error: string | null;
}

/** A callback as it arrived. */
export interface Callback {
  header(name: string): string | undefined;
  bytes: Buffer;
  /** ms since 1970. */
  now: number;
}

export interface Person {
  id: string;
  name: string;
}

/** A verified callback. */
export type Received =
  /** A handshake, answered as the service wants it. */
  | { kind: 'handshake'; answer: object; challenge: string | null }
  /** Nothing that a person said. */
  | { kind: 'ignored'; why: string }
  | (Event & { kind: 'said'; text: string })
  | (Event & { kind: 'pressed'; token: string });

interface Event {
  /** Unique in the channel: the same callback again bears the same. */
  id: string;
  from: Person;
  /** Where an answer belongs; null where the service has no threads. */
  threadKey: string | null;
  /** The message that it answers, or whose button it is, by the service's id. */
  about: string | null;
}

export interface Service {
  /** Names of its secrets; a secret that is plain text is the first one. */
  secrets: readonly string[];
  /** Why nothing can be sent with this; null where it can. */
  cannotSend(setup: Setup): string | null;
  /** Why no callback can be verified with this; null where it can. */
  cannotReceive(setup: Setup): string | null;
  /** Whether buttons of a message come back to this server. */
  hasButtons(setup: Setup): boolean;
  /** An answer belongs in the thread that its message begins, rather than where the message stands. */
  threadsBegin: boolean;
  /** The request that sends a message. */
  call(setup: Setup, message: OutMessage, now: number): Call;
  /** What a 2xx says. */
  said(text: string): Said;
  /** @throws Fault SIGNATURE_INVALID, BAD_REQUEST */
  receive(setup: Setup, callback: Callback): Received;
  /** The body that a service wants for a callback that was taken; the envelope unless given. */
  answer?(received: Received, text: string): object | null;
}
