// Command protocol of sockets: commands and their replies, the same on every socket transport.
import { z } from 'zod';
import type { Caller } from '../../contract/caller.ts';
import { RealtimeOp } from '../../contract/enums.ts';
import { problemsOf } from '../../contract/problems.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import { gravityOf } from '../../kernel/gravity.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Connection } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';

const text = z.string().max(200).nullish();

/** A RealtimeCommand of a client: absent fields count as null. */
export const Command = z.strictObject({
  op: RealtimeOp,
  id: text,
  topics: z.array(z.string().max(200)).max(500).nullish(),
  topic: text,
  lastEventId: z.string().max(40_000).nullish(),
  type: text,
  data: z.record(z.string(), z.unknown()).nullish(),
});
export type Command = z.output<typeof Command>;

const ReplaySeconds = z.int().min(0).max(86_400).nullish();

/** A RealtimeReply. */
export interface Reply {
  op: z.output<typeof RealtimeOp>;
  id: string | null;
  ok: boolean;
  error: string | null;
  errorCode: string | null;
  topics: string[] | null;
  seq: number | null;
}

export interface SocketHooks {
  /** A client's `Publish`: progress of a run that it owns, a typing sign. @throws Fault */
  publish?: (caller: Caller, event: { topic: string; type: string; data: Record<string, unknown> }) => Promise<void>;
  /** A client's `Call`, e.g. to register tools. @throws Fault */
  call?: (connection: Connection, type: string, data: Record<string, unknown>) => Promise<void>;
  /** A client's `Ack` to a call that the server made. */
  ack?: (connection: Connection, id: string, data: Record<string, unknown>) => void;
}

export interface CommandDeps {
  connections: Connections;
  hooks: SocketHooks;
  log: Logger;
}

/** A successful reply. */
export const reply = (op: Reply['op'], id: string | null, rest: Partial<Reply> = {}): Reply => ({
  op,
  id,
  ok: true,
  error: null,
  errorCode: null,
  topics: null,
  seq: null,
  ...rest,
});

/** The reply to a failed command. */
export function failure(fault: Fault, id: string | null, rest: Partial<Reply> = {}): Reply {
  return reply('Error', id, { ok: false, error: fault.text, errorCode: fault.code, ...rest });
}

/** Parses a frame, undefined for one that is no JSON; the Fault names the problem. */
export function readCommand(frame: unknown): Command | Fault {
  const parsed = Command.safeParse(frame);
  if (parsed.success) return parsed.data;
  const said = frame === undefined ? 'it is not valid JSON' : problemsOf(parsed.error, frame, 'frame').said;
  return new Fault('VALIDATION_FAILED', `This is not a command: ${said}.`, {
    hint: 'Send {"op":"Subscribe","id":"1","topics":["runs"]}.',
  });
}

/** Carries out one command; null when no reply is due. */
export async function runCommand(deps: CommandDeps, connection: Connection, command: Command): Promise<Reply | null> {
  const id = command.id ?? null;
  try {
    return await dispatch(deps, connection, command, id);
  } catch (error) {
    const fault = toFault(error);
    const gravity = gravityOf(fault);
    if (gravity) deps.log[gravity]({ err: error, op: command.op }, 'a socket command failed');
    return failure(fault, id);
  }
}

async function dispatch(deps: CommandDeps, connection: Connection, command: Command, id: string | null) {
  switch (command.op) {
    case 'Subscribe':
      return subscribe(deps, connection, command);
    case 'Unsubscribe': {
      const topics = named(command);
      for (const topic of topics) connection.unfollow(topic);
      return reply('Ack', id, { topics });
    }
    case 'Publish':
      return publish(deps, connection, command);
    case 'Call':
      if (!deps.hooks.call) throw notOffered('Call');
      await deps.hooks.call(connection, command.type ?? '', command.data ?? {});
      return reply('Ack', id);
    case 'Ack':
      deps.hooks.ack?.(connection, id ?? '', command.data ?? {});
      return null;
    case 'Ping':
      return reply('Pong', id);
    case 'Pong':
      return null;
    case 'Hello':
      return reply('Hello', id, { topics: connection.topics });
    case 'Event':
    case 'Error':
      throw new Fault('BAD_REQUEST', `${command.op} is for the server to send.`, {
        hint: 'Send Subscribe, Unsubscribe, Publish, Call, Ack or Ping.',
      });
    default:
      return command.op satisfies never;
  }
}

async function subscribe({ connections }: CommandDeps, connection: Connection, command: Command) {
  const lastEventId = command.lastEventId ?? null;
  const subscriptions = await connections.follow(connection, {
    topics: named(command),
    lastEventId,
    replaySeconds: replaySecondsOf(command),
    follow: command.data?.follow === true,
    lean: command.data?.lean === true,
  });
  const [first] = subscriptions;
  const seq = subscriptions.length === 1 && first ? first.channel.window.head : null;
  return reply('Ack', command.id ?? null, { topics: subscriptions.map(({ topic }) => topic), seq });
}

function replaySecondsOf({ data }: Command): number {
  const parsed = ReplaySeconds.safeParse(data?.replaySeconds);
  if (parsed.success) return parsed.data ?? 0;
  const { said } = problemsOf(parsed.error, data?.replaySeconds, 'data.replaySeconds');
  throw new Fault('VALIDATION_FAILED', `This is not a subscription: ${said}.`, {
    hint: 'Ask for the events of 0 to 86400 last seconds, or leave it out.',
  });
}

async function publish({ hooks, connections }: CommandDeps, connection: Connection, command: Command) {
  const { topic, type, data } = command;
  if (!hooks.publish) throw notOffered('Publish');
  if (!topic || !type) {
    throw new Fault('VALIDATION_FAILED', 'Publish needs a topic and a type.', {
      hint: 'Send {"op":"Publish","id":"1","topic":"run:42","type":"run.event","data":{…}}.',
    });
  }
  await connections.authorise(connection, topic);
  await hooks.publish(connection.caller, { topic, type, data: data ?? {} });
  return reply('Ack', command.id ?? null, { topics: [topic] });
}

/** Topics of a command, from either field. */
function named({ topics, topic, op }: Command): string[] {
  const all = [...(topics ?? []), ...(topic ? [topic] : [])];
  if (all.length > 0) return all;
  throw new Fault('VALIDATION_FAILED', `${op} needs topics.`, { hint: 'Name them in "topics", e.g. ["runs"].' });
}

const notOffered = (op: string) =>
  new Fault('NOT_CONFIGURED', `This server takes no ${op} over sockets.`, { hint: 'Use the REST operations.' });
