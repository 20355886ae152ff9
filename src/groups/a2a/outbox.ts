// Push notifications: each change of a task's state enters an outbox once for each receiver, and leaves it through the door.
import { StreamResponse } from '@a2a-js/sdk';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/logger.ts';
import { createCourier } from '../../outside/deliveries/courier.ts';
import { createListener, newlyWaiting } from '../../outside/deliveries/outbox.ts';
import { defaultAttempts, retryAfter } from '../../outside/deliveries/retries.ts';
import type { Door } from '../../outside/door.ts';
import { ignoreDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { mayReadIn } from '../../ports/in-project.ts';
import type { Gate } from '../../ports/queues.ts';
import type { Heard } from '../hearing.ts';
import type { A2aBook, Ready } from './book.ts';
import { type A2aDeliveryDoc, type A2aReceiverDoc, a2aDeliverySpec } from './record.ts';
import { hasEnded, stateOf } from './tasks.ts';

interface Deps {
  book: A2aBook;
  ids: Ids;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  door: Door;
  /** Who named a receiver, with today's rights; null when they are gone. */
  makerOf(receiver: A2aReceiverDoc): Promise<Caller | null>;
  nodeId: string;
  alone: boolean;
  gate: Gate;
}

const timeoutMs = 15_000;
const mostRead = 2048;

export function createA2aOutbox(deps: Deps) {
  const { book, ids, clock, log } = deps;
  const mayHear = async (receiver: A2aReceiverDoc, projectId: number | null): Promise<boolean> => {
    const maker = await deps.makerOf(receiver);
    return maker?.permissions.has('RunsRead') === true && mayReadIn(maker, projectId);
  };

  const put = async ({ receiver }: Ready, event: Heard): Promise<void> => {
    const { tenantId, taskId, runId, _id: receiverId } = receiver;
    if (event.isAgain && receiver.createdAt.getTime() > event.at) return;
    const task = await book.tasks(tenantId).findOne({ _id: taskId });
    const standing = task && (await book.standingOf(task));
    if (!standing || !(await mayHear(receiver, standing.run.projectId))) return;
    const whole = await book.shown(standing, 0, 'named');
    const payload: StreamResponse['payload'] = hasEnded(stateOf(standing.run))
      ? { $case: 'task', value: whole }
      : {
          $case: 'statusUpdate',
          value: { taskId, contextId: whole.contextId, status: whole.status, metadata: undefined },
        };
    const now = new Date(clock.now());
    const doc: A2aDeliveryDoc = {
      _id: await ids.next(a2aDeliverySpec.name),
      ...newlyWaiting(now),
      ...{ tenantId, receiverId, taskId, runId, key: event.key, maxAttempts: defaultAttempts, createdAt: now },
      body: JSON.stringify(StreamResponse.toJSON({ payload })),
    };
    await book.deliveries.insertOne(doc).catch(ignoreDuplicate);
  };

  const courier = createCourier<A2aReceiverDoc, A2aDeliveryDoc>({
    ...deps,
    deliveries: book.deliveries,
    senderField: 'receiverId',
    senderOf: async ({ receiverId, tenantId }) =>
      (await book.receivers.findOne({ _id: receiverId, tenantId })) ?? 'The receiver was removed.',
    timeoutMs: () => timeoutMs,
    attempt: (receiver, delivery, stop) => send(deps, receiver, delivery, stop),
    // A client reads its task; that it was not told so is for who runs the server.
    tell: async ({ _id, tenantId, taskId, runId, status, error }) => {
      if (status !== 'Failed' && status !== 'Dropped') return;
      log.warn(
        { delivery: _id, tenantId, taskId, runId, error },
        `a notification of an A2A task was not delivered: ${status}`,
      );
    },
  });
  return {
    courier,
    ear: createListener<Ready, Heard>({
      takers: { ready: book.ready.known, read: book.ready.read },
      put,
      poke: courier.poke,
    }),
  };
}

async function send(
  { book, door, clock }: Deps,
  receiver: A2aReceiverDoc,
  { _id, body }: A2aDeliveryDoc,
  stop: AbortSignal,
) {
  const start = clock.steady();
  const ended = () => Math.max(0, Math.round(clock.steady() - start));
  const { tenantId, url } = receiver;
  const headers = { 'content-type': 'application/a2a+json', 'user-agent': 'Rivulet', 'a2a-version': '1.0' };
  const going = { tenantId, url: new URL(url), method: 'POST', body, timeoutMs, maxBytes: mostRead, redirects: 0 };
  const shared = { responseExcerpt: null, askedWait: null };
  try {
    const secret = secretsOf(book, receiver);
    // The same at each attempt: who counts notifications knows a repeat by it.
    const name = { 'x-a2a-notification-id': String(_id) };
    const came = await door.request({ ...going, headers: { ...headers, ...name, ...secret }, signal: stop });
    const { status: responseStatus } = came;
    const isTaken = responseStatus >= 200 && responseStatus < 300;
    const error = isTaken ? null : `The receiver answered ${responseStatus}.`;
    const kind = isTaken ? ('delivered' as const) : responseStatus === 410 ? ('gone' as const) : ('failed' as const);
    const askedWait = retryAfter(came.headers['retry-after'], clock.now());
    return { ...shared, kind, responseStatus, error, askedWait, durationMs: ended() };
  } catch (thrown) {
    const kind = stop.aborted ? ('stopped' as const) : ('failed' as const);
    const error = thrown instanceof Fault ? thrown.message : 'The receiver could not be reached.';
    return { ...shared, kind, responseStatus: null, error: stop.aborted ? null : error, durationMs: ended() };
  }
}

function secretsOf({ vault }: A2aBook, { tenantId, sealedToken, scheme, sealedCredentials }: A2aReceiverDoc) {
  const token = sealedToken === null ? null : vault.open(tenantId, sealedToken);
  const credentials = sealedCredentials === null ? null : vault.open(tenantId, sealedCredentials);
  return {
    ...(token !== null && { 'x-a2a-notification-token': token }),
    ...(scheme !== null && { authorization: credentials === null ? scheme : `${scheme} ${credentials}` }),
  };
}
