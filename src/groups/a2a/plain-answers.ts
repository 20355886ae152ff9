// Answers as a bare message: an extension for clients that only show what an agent says, and keep no tasks.
import { type Message, Role, type SendMessageResult, type Task, TaskState } from '@a2a-js/sdk';

export const plainAnswerExtension = {
  uri: 'urn:rivulet:a2a:plain-answer:v1',
  description:
    'A message that names this among its extensions is answered by a Message where its task completes by itself, in place of the Task.',
  required: false,
  params: undefined,
};

export const wantsPlainAnswer = (message: Message | undefined): boolean =>
  message?.extensions.includes(plainAnswerExtension.uri) ?? false;

/** What a completed task has made, as one message; any other task is itself. */
export function plainAnswerOf(task: Task): SendMessageResult {
  const { id, contextId, status, artifacts, metadata } = task;
  const parts = artifacts.flatMap((artifact) => artifact.parts);
  if (status?.state !== TaskState.TASK_STATE_COMPLETED || parts.length === 0) return task;
  return {
    messageId: `${id}-answer`,
    contextId,
    // A plain answer belongs to no task.
    taskId: '',
    role: Role.ROLE_AGENT,
    parts,
    metadata: { ...metadata, taskId: id },
    extensions: [plainAnswerExtension.uri],
    referenceTaskIds: [],
  };
}
