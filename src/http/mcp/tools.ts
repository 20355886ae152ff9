// The tools of the MCP server, in the order in which clients are shown them: operations under names for models.

import type { Group } from '../../contract/operation.ts';
import { agentEscalations } from '../../groups/agent/escalations/contract.ts';
import { agentRunFiles } from '../../groups/agent/files/contract.ts';
import { agentMessages } from '../../groups/agent/messages/contract.ts';
import { agentRuns } from '../../groups/agent/runs/contract.ts';
import { chat } from '../../groups/chat/contract.ts';
import { docs } from '../../groups/docs/contract.ts';
import { facts } from '../../groups/facts/contract.ts';
import { globalSearch } from '../../groups/global-search/contract.ts';
import { identities } from '../../groups/identities/contract.ts';
import { memories } from '../../groups/memories/contract.ts';
import { messages } from '../../groups/messages/contract.ts';
import { projects } from '../../groups/projects/contract.ts';
import { tasks } from '../../groups/tasks/contract.ts';
import { type OperationTool, type ToolDraft, toolOf } from './tool.ts';

/** Seconds that a call waits for a run unless it says otherwise: less than the minute that most clients give a call. */
export const defaultWaitSeconds = 50;
export const maxWaitSeconds = 3600;

const waitSeconds = {
  waitSeconds: {
    type: 'integer',
    minimum: 0,
    maximum: maxWaitSeconds,
    description: `Seconds to wait for the run to end or to ask something; ${defaultWaitSeconds} unless given. Its progress is told meanwhile. It goes on afterwards: call run_wait again.`,
  },
};

/** Fields of a new run that are for programs; its role says what they are. */
const rareOfRuns = [
  ...[
    'roleDefinitionId',
    'reasoningEffort',
    'contextBudgetTokens',
    'treeDeadlineUtc',
    'environmentJson',
    'workspaceId',
  ],
  ...['poolIterationBudget', 'poolTokenBudget', 'requestToolDebrief', 'outputPath', 'contractDestination', 'mcpTask'],
];

const of =
  <const G extends Group>(group: G) =>
  (name: string, verb: keyof G['operations'] & string, more: Omit<ToolDraft, 'name' | 'group' | 'verb'> = {}) =>
    toolOf({ name, group, verb, ...more });

const run = of(agentRuns);
const escalation = of(agentEscalations);
const file = of(agentRunFiles);
const session = of(chat);
const memory = of(memories);
const fact = of(facts);
const task = of(tasks);
const document = of(docs);
const message = of(messages);

export const operationTools: readonly OperationTool[] = [
  toolOf({ name: 'search', group: globalSearch, verb: 'search' }),
  toolOf({ name: 'project_list', group: projects, verb: 'list' }),
  toolOf({ name: 'identity_list', group: identities, verb: 'list' }),
  run('run_start', 'create', {
    doc: 'Start an agent on a goal and wait for it. Answers the run as it stands when it has ended, asks for a decision, or the time is over.',
    always: { autoStart: true },
    without: rareOfRuns,
    more: waitSeconds,
    follow: 'run',
    task: true,
  }),
  run('run_wait', 'get', {
    doc: 'Wait for a run that was started before, and tell its progress meanwhile.',
    without: ['mcpTask'],
    more: waitSeconds,
    follow: 'run',
  }),
  run('run_list', 'list', { without: ['mcpTask'] }),
  run('run_get', 'get', { without: ['mcpTask'] }),
  run('run_events', 'events', { without: ['format', 'follow'], doc: 'What a run did, event by event.' }),
  run('run_cancel', 'cancel'),
  run('run_pause', 'pause'),
  run('run_resume', 'resume'),
  of(agentMessages)('run_message', 'create'),
  file('run_files', 'list'),
  file('run_file_read', 'read'),
  escalation('escalation_list', 'list'),
  escalation('escalation_resolve', 'resolve'),
  session('chat_list', 'list'),
  session('chat_create', 'create'),
  session('chat_get', 'get'),
  session('chat_ask', 'stream', {
    doc: 'Send a message to a chat session and wait for the whole reply, which is told as it is made.',
    without: ['lastEventId', 'regenerateMessageId', 'reasoningEffort', 'temperature', 'maxOutputTokens'],
    follow: 'reply',
  }),
  session('chat_stop', 'stop'),
  memory('memory_search', 'search'),
  memory('memory_list', 'list'),
  memory('memory_get', 'get'),
  memory('memory_create', 'create'),
  memory('memory_update', 'patch'),
  memory('memory_delete', 'remove'),
  fact('fact_search', 'search'),
  fact('fact_list', 'list'),
  fact('fact_get', 'byKey'),
  fact('fact_set', 'create'),
  task('task_list', 'list'),
  task('task_get', 'get'),
  task('task_create', 'create'),
  task('task_update', 'patch'),
  task('task_status', 'status'),
  task('task_comment', 'comment'),
  document('document_search', 'search'),
  document('document_list', 'list'),
  document('document_get', 'get'),
  document('document_create', 'create'),
  document('document_update', 'patch'),
  message('message_inbox', 'inbox'),
  message('message_get', 'get'),
  message('message_send', 'send'),
  message('message_reply', 'reply'),
  message('message_mark_read', 'mark'),
];

/** What a tool is about: `run` of `run_start`. */
export const aboutOf = (name: string) => name.split('_')[0] as string;

/** Tools by name. */
export const toolsByName: ReadonlyMap<string, OperationTool> = new Map(operationTools.map((tool) => [tool.name, tool]));
