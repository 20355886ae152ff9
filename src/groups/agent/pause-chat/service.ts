// Pauses a run and opens the chat in which it is talked about.
import type { Engine } from '../../../../runtime/engine.ts';
import type { ModelMessage } from '../../../../runtime/model.ts';
import type { RunStore } from '../../../../runtime/ports.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import { nextStatus } from '../../../../runtime/state/run.ts';
import type { Acting } from '../../../auth/acting.ts';
import { implement } from '../../../contract/operation.ts';
import type { RunChats } from '../../chat/run-chats.ts';
import type { FindRun } from '../runs/find-run.ts';
import { agentPauseChat } from './contract.ts';

interface Deps {
  engine: Pick<Engine, 'pause' | 'get'>;
  messages: RunStore['runs']['messages'];
  findRun: FindRun;
  acting: Acting;
  chats: RunChats;
}

/** Newest messages of a run that its chat is told, and characters of each and of all. */
const toldMessages = 40;
const messageLimit = 2000;
const transcriptLimit = 24_000;

export const agentPauseChatService = implement(
  agentPauseChat,
  ({ engine, messages, findRun, acting, chats }: Deps) => ({
    open: async ({ caller, params, body }) => {
      const found = await findRun(caller, params.runId);
      await acting.allow(caller, found.identityId);
      if (nextStatus(found.status, 'pause') !== null)
        await engine.pause(found.id, { reason: 'Paused to talk about it.', by: caller.name });
      const run = await engine.get(found.id);
      const from = Math.max(run.context.from, run.messageCount - toldMessages);
      const log = (await messages(run.id, from)).map(({ message }) => message);
      return chats.open(caller, run, {
        about: aboutRun(run, log),
        message: body?.message ?? null,
        modelId: body?.modelId ?? run.modelId,
      });
    },
  }),
);

/** What the agent is told of its run. */
export function aboutRun(run: RunRecord, log: readonly ModelMessage[]): string {
  const parts = [
    `You work on run ${run.id} in the role ${run.role}. It is ${run.status}, and a person wants to talk with you about it. Answer from what stands below; you can do nothing here but talk. What the person wants changed takes effect when they resume the run with a message.`,
    `Goal: ${run.goal}`,
    run.progressSummary && `Progress: ${run.progressSummary}`,
    run.planJson && `Plan: ${run.planJson}`,
    run.failureReason && `It failed: ${run.failureReason}`,
    run.result && `Result: ${run.result.summary}`,
    run.context.summary && `Earlier: ${run.context.summary}`,
    log.length > 0 && `The newest of its work:\n${log.map(asText).join('\n').slice(-transcriptLimit)}`,
  ];
  return parts.filter(Boolean).join('\n\n');
}

function asText(message: ModelMessage): string {
  const content = typeof message.content === 'string' ? message.content : '[attachment]';
  const calls =
    message.role === 'assistant'
      ? (message.toolCalls ?? []).map(({ name, argumentsJson }) => ` → ${name} ${argumentsJson}`).join('')
      : '';
  return `${message.role}: ${content}${calls}`.slice(0, messageLimit);
}
