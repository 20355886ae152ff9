// Tools of a run for people and boards: escalations, tasks, messages.
import { z } from 'zod';
import type { Desk, ToolDefinition, ToolOutcome } from '../ports.ts';
import { raise, raisedEvent, revise } from '../systems/escalations/escalations.ts';
import type { Core } from '../systems/records/core.ts';
import { builtIn } from './built-in.ts';

const urgency = z.enum(['Low', 'Normal', 'High', 'Critical']).default('Normal');
const taskStatus = z.enum(['Backlog', 'Todo', 'InProgress', 'Blocked', 'InReview', 'Done', 'Cancelled']);

const timeoutActions = {
  recommendation: 'UseRecommendation',
  proceed: 'Proceed',
  fail: 'Fail',
  cancel: 'Cancel',
  wait: 'KeepWaiting',
} as const;

/** run_escalate. */
export function escalationTools(core: Core): ToolDefinition[] {
  return [
    builtIn({
      name: 'run_escalate',
      displayName: 'Escalate',
      description:
        'Ask a person to decide. The run stops until the answer is there. Give options and what you recommend where you can; onTimeout says what happens when nobody has answered after timeoutSeconds.',
      input: z.strictObject({
        situation: z.string().min(1).max(16_000),
        options: z.array(z.string().min(1).max(1000)).max(20).optional(),
        kind: z.string().max(100).optional(),
        urgency,
        recommendation: z.string().max(4000).optional(),
        confidence: z.number().min(0).max(1).optional(),
        timeoutSeconds: z
          .int()
          .min(1)
          .max(30 * 86_400)
          .optional(),
        onTimeout: z.enum(['recommendation', 'proceed', 'fail', 'cancel', 'wait']).optional(),
      }),
      async handler(input, { run, idempotencyKey }): Promise<ToolOutcome> {
        const optionsJson = input.options ? JSON.stringify(input.options) : null;
        const open = (await core.store.escalations.ofRun(run.id)).find(
          (one) => one.status === 'RevisionRequested' && one.toolName === null,
        );
        const question = {
          situation: input.situation,
          optionsJson,
          confidence: input.confidence ?? 0,
          supervisorRecommendation: input.recommendation ?? null,
          timeoutAction: timeoutActions[input.onTimeout ?? (input.recommendation ? 'recommendation' : 'proceed')],
        };
        const escalation =
          (open && (await revise(core, open.id, question))) ??
          (await raise(core, run, {
            ...question,
            kind: input.kind ?? null,
            urgency: input.urgency,
            timeoutAt: input.timeoutSeconds ? core.clock.now() + input.timeoutSeconds * 1000 : null,
            toolCallKey: idempotencyKey,
          }));
        return {
          content: '',
          set: { escalated: true },
          events: [raisedEvent(escalation)],
          wait: { for: 'decision', escalationId: escalation.id },
        };
      },
    }),
  ];
}

/** Tools task_create, task_update and message_send, where the server has a desk. */
export function deskTools(desk: Desk): ToolDefinition[] {
  return [
    builtIn({
      name: 'task_create',
      toolSet: 'tasks',
      displayName: 'Create task',
      description: "Put a task on the run's board.",
      input: z.strictObject({
        title: z.string().min(1).max(500),
        description: z.string().max(16_000).optional(),
        status: taskStatus.default('Todo'),
      }),
      async handler(task, { run, idempotencyKey }) {
        const draft = { ...task, description: task.description ?? null };
        const { id } = await desk.createTask(run, draft, idempotencyKey);
        return {
          content: JSON.stringify({ taskId: id }),
          events: [{ type: 'TaskCreated', title: task.title, payload: { taskId: id } }],
        };
      },
    }),
    builtIn({
      name: 'task_update',
      toolSet: 'tasks',
      displayName: 'Update task',
      description: 'Change a task of this run: its title, its text or its status.',
      input: z.strictObject({
        taskId: z.int(),
        title: z.string().min(1).max(500).optional(),
        description: z.string().max(16_000).optional(),
        status: taskStatus.optional(),
      }),
      async handler({ taskId, ...change }, { run, idempotencyKey }) {
        const given = Object.fromEntries(Object.entries(change).filter(([, one]) => one !== undefined));
        await desk.updateTask(run, taskId, given, idempotencyKey);
        return {
          content: 'Task updated.',
          events: [{ type: 'TaskUpdated', title: change.title ?? `Task ${taskId}`, payload: { taskId, ...given } }],
        };
      },
    }),
    builtIn({
      name: 'message_send',
      toolSet: 'messages',
      displayName: 'Send message',
      description: 'Send a message to another identity, by its name or id.',
      input: z.strictObject({
        to: z.string().min(1).max(200),
        content: z.string().min(1).max(32_000),
        priority: z.enum(['Low', 'Normal', 'High', 'Urgent']).default('Normal'),
      }),
      async handler(message, { run, idempotencyKey }) {
        const { id } = await desk.sendMessage(run, message, idempotencyKey);
        return {
          content: JSON.stringify({ messageId: id }),
          events: [
            { type: 'MessageSent', title: `To ${message.to}`, message: message.content, payload: { messageId: id } },
          ],
        };
      },
    }),
  ];
}
