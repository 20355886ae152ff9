// Published bots as agents of A2A: a message begins a run of the bot's identity, or goes on with one.
import { randomUUID } from 'node:crypto';
import {
  type AgentCard,
  Message,
  type SendMessageRequest,
  type SendMessageResult,
  type StreamResponse,
  type TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  ExtendedAgentCardNotConfiguredError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { RunRecord } from '../../../runtime/records.ts';
import { permit } from '../../auth/permit.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { agentRuns } from '../agent/runs/contract.ts';
import { botModel } from '../bot-profiles/effects.ts';
import type { BotProfileDoc } from '../bot-profiles/record.ts';
import type { A2aBook } from './book.ts';
import { cardOf } from './card.ts';
import type { createFollowing } from './following.ts';
import { type ListingDeps, listTasks } from './listing.ts';
import { plainAnswerOf, wantsPlainAnswer } from './plain-answers.ts';
import type { Receivers } from './receivers.ts';
import type { A2aRunDraft, A2aTaskDoc } from './record.ts';
import { hasEnded, isResting, questionOf, type Standing, stateOf, taskOf } from './tasks.ts';
import { requireMessage, textOf } from './words.ts';

/** Carries out an operation for the caller of a request, with all checks. @throws Fault */
export type Ask = (method: string, path: string, body: object, key?: string) => Promise<unknown>;

/** One request to an agent. */
export interface Visit {
  caller: Caller;
  ask: Ask;
  /** Names the request, where its client repeats it after a failure; null where it does not. */
  key: string | null;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
}

export interface Agent {
  tenantId: number;
  /** When it was changed last. */
  updatedAt: Date;
  card(at: string): AgentCard;
  answer(visit: Visit): A2ARequestHandler;
}

export interface AgentDeps extends ListingDeps {
  book: A2aBook;
  bots: { byName(guid: string): Promise<BotProfileDoc | null> };
  following: ReturnType<typeof createFollowing>;
  receivers: Receivers;
  clock: Pick<Clock, 'now'>;
  version: string;
}

export function createAgents(deps: AgentDeps) {
  return {
    /** The agent of a published bot; null for any other name. */
    async byName(guid: string): Promise<Agent | null> {
      const bot = await deps.bots.byName(guid);
      return (
        bot && {
          tenantId: bot.tenantId,
          updatedAt: bot.updatedAt,
          card: (at) => cardOf(bot, { at, version: deps.version }),
          answer: (visit) => answering(deps, bot, visit),
        }
      );
    },
  };
}
export type Agents = ReturnType<typeof createAgents>;

/** Read before anything is said of a task. */
const reading = { needs: agentRuns.operations.get.needs } as const;

function answering(deps: AgentDeps, bot: BotProfileDoc, visit: Visit): A2ARequestHandler {
  const { book, following, receivers } = deps;
  const { caller, ask, signal } = visit;

  /** @throws A2AError for a task that is not there for the caller; Fault FORBIDDEN */
  const find = async (id: string): Promise<Standing> => {
    permit(reading, caller);
    const standing = await book.find(caller, bot._id, id);
    if (standing) return standing;
    throw new TaskNotFoundError(`There is no task ${id.slice(0, 100)}.`);
  };
  const told = createTalk(deps, bot, visit, find);

  return {
    getAgentCard: () => Promise.reject(noExtendedCard()),
    getAuthenticatedExtendedAgentCard: () => Promise.reject(noExtendedCard()),
    sendMessage: async (request) => {
      const { historyLength, returnImmediately } = request.configuration ?? {};
      const since = deps.clock.now();
      const begun = await told(request);
      const now = returnImmediately ? begun : await following.rest(begun, since - overlapMs, signal);
      const task = await book.shown(now, historyLength);
      return wantsPlainAnswer(request.message) ? plainAnswerOf(task) : task;
    },
    async *sendMessageStream(request) {
      const { historyLength } = request.configuration ?? {};
      const since = deps.clock.now();
      const standing = await told(request);
      if (wantsPlainAnswer(request.message)) {
        const now = await following.rest(standing, since - overlapMs, signal);
        yield inStream(plainAnswerOf(await book.shown(now, historyLength)));
        return;
      }
      yield* following.follow({ standing, historyLength, since, isLast: isResting, signal });
    },
    getTask: async ({ id, historyLength }) => book.shown(await find(id), historyLength),
    listTasks: async (request) => {
      permit(reading, caller);
      return listTasks(deps, caller, bot._id, request);
    },
    cancelTask: async ({ id }) => {
      const since = deps.clock.now();
      const standing = await cancel(await find(id), ask, find);
      // A run amid a turn stops a moment later, and the answer is how the task stands then.
      const now = await following.rest(standing, since - overlapMs, signal);
      return taskOf(now, undefined, []);
    },
    async *resubscribe({ id }) {
      const since = deps.clock.now() - overlapMs;
      const standing = await find(id);
      if (hasEnded(stateOf(standing.run))) throw new UnsupportedOperationError('The task has ended: read it.');
      yield* following.follow({ standing, since, isLast: hasEnded, signal });
    },
    createTaskPushNotificationConfig: async (config) => receivers.add(caller, await find(config.taskId), config),
    getTaskPushNotificationConfig: async ({ taskId, id }) => receivers.get(await find(taskId), id),
    listTaskPushNotificationConfigs: async (request) => receivers.list(await find(request.taskId), request),
    deleteTaskPushNotificationConfig: async ({ taskId, id }) => receivers.remove(caller, await find(taskId), id),
  };
}

const inStream = (value: SendMessageResult): StreamResponse => ({
  payload: 'status' in value ? { $case: 'task', value } : { $case: 'message', value },
});

/** Clocks of nodes differ by less: events are followed from so long before, in ms. What is told twice is passed over. */
const overlapMs = 5000;

const noExtendedCard = () =>
  new ExtendedAgentCardNotConfiguredError('There is no other card than /.well-known/agent-card.json.');

/** Begins a task by a message, or goes on with the one that it names. */
function createTalk(deps: AgentDeps, bot: BotProfileDoc, { caller, ask, key }: Visit, find: Find) {
  const { book, receivers, clock } = deps;

  const createRun = async ({ _id }: Pick<A2aTaskDoc, '_id'>, goal: string, draft: A2aRunDraft): Promise<number> => {
    const body = { goal, identityId: bot.identityId, ...draft, idempotencyKey: `a2a:${_id}` };
    const run = (await ask('POST', '/api/agent/runs', body)) as Pick<RunRecord, 'id'>;
    return run.id;
  };

  /** A receiver hears of the task from its beginning: it is there before the run starts. */
  const begin = async (message: Message, receiver: Receiver): Promise<Standing> => {
    const taskId = randomUUID();
    const contextId = message.contextId || randomUUID();
    const { reasoningEffort } = bot;
    const runDraft = { modelId: botModel(bot) ?? null, reasoningEffort, autoStart: !receiver };
    const task = await book.begin({
      _id: taskId,
      ...{ tenantId: caller.tenantId, botId: bot._id, identityId: bot.identityId, contextId, runId: null },
      runDraft,
      key: key === null ? taskId : `${caller.identityId ?? caller.userId}:${bot._id}:${key}`,
      messages: [textIn(message, { _id: taskId, contextId })],
      createdAt: new Date(clock.now()),
    });
    requireSame(task, message);
    const runId = task.runId ?? (await createRun(task, textOf(message), task.runDraft ?? runDraft));
    if (task.runId === null) await book.began(task, runId);
    const standing = await find(task._id);
    if (receiver) await receivers.add(caller, standing, receiver);
    if (standing.run.status === 'Pending') await ask('POST', `/api/agent/runs/${runId}/start`, {});
    return find(task._id);
  };

  const goOn = async (message: Message, receiver: Receiver): Promise<Standing> => {
    const standing = await find(message.taskId);
    const { task, run, question } = standing;
    if (message.contextId !== '' && message.contextId !== task.contextId)
      throw new RequestMalformedError(`contextId: the task belongs to ${task.contextId}.`);
    if (hasEnded(stateOf(run)))
      throw new UnsupportedOperationError('The task has ended. Send the message without taskId, for a new one.');
    const heard = [textIn(message, task)];
    if (isResting(stateOf(run))) heard.unshift(JSON.stringify(Message.toJSON(questionOf(standing, question))));
    if (receiver) await receivers.add(caller, standing, receiver);
    await ask(...wayOf(standing, textOf(message)), key === null ? undefined : `a2a:${task._id}:${key}`);
    await book.say(task, heard);
    return find(task._id);
  };

  return async ({ message: sent, configuration }: SendMessageRequest): Promise<Standing> => {
    const message = requireMessage(sent);
    textOf(message);
    const receiver = configuration?.taskPushNotificationConfig;
    if (receiver) receivers.check(receiver);
    return message.taskId === '' ? begin(message, receiver) : goOn(message, receiver);
  };
}
type Find = (id: string) => Promise<Standing>;
type Receiver = TaskPushNotificationConfig | undefined;

/** How words reach a run: as the decision that it waits for, as guidance, or as a message that it reads at its next turn. */
function wayOf({ run, question }: Standing, text: string): [string, string, object] {
  if (run.status === 'Paused') return ['POST', `/api/agent/runs/${run.id}/resume`, { guidance: text }];
  if (run.status === 'BudgetExhausted')
    throw new UnsupportedOperationError(`The budget of run ${run.id} is used up: top it up first.`);
  if (question) return ['POST', `/api/agent/escalations/${question.id}/resolve`, { decision: text.trim() }];
  return ['POST', `/api/agent/runs/${run.id}/messages`, { content: text }];
}

async function cancel({ task, run }: Standing, ask: Ask, find: Find): Promise<Standing> {
  if (hasEnded(stateOf(run))) throw new TaskNotCancelableError('The task has ended.');
  await ask('POST', `/api/agent/runs/${run.id}/cancel`, { reason: 'Cancelled by an A2A client.' }).catch(
    (error: unknown) => {
      if (error instanceof Fault && error.code === 'CONFLICT') throw new TaskNotCancelableError(error.message);
      throw error;
    },
  );
  return find(task._id);
}

/** @throws Fault IDEMPOTENCY_MISMATCH where the key of a request named another message before */
function requireSame({ _id, contextId, messages: [first = '{}'] }: A2aTaskDoc, message: Message): void {
  const isSame = textOf(Message.fromJSON(JSON.parse(first))) === textOf(message);
  if (isSame && (message.contextId === '' || message.contextId === contextId)) return;
  throw new Fault('IDEMPOTENCY_MISMATCH', `Another message with this Idempotency-Key began the task ${_id}.`, {
    hint: 'Use a new key for a new message, and the same one only to repeat the very same message.',
  });
}

const textIn = (message: Message, { _id: taskId, contextId }: Pick<A2aTaskDoc, '_id' | 'contextId'>): string =>
  JSON.stringify(Message.toJSON({ ...message, taskId, contextId }));
