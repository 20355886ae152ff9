// Operations on agent runs: create, watch, steer and end them.
import { z } from 'zod';
import { AgentEventType, AgentRunStatus, SortDirection, SystemLogLevel } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, dateTime, double, fields, int32, int64, nothing, string } from '../../../contract/types.ts';
import { AgentCheckpointDto, AgentEventDto, AgentRunDetailDto, AgentRunDto, RunActionResultDto } from '../dto.ts';

const goal = string.trim().min(1).max(32_000);
const budget = int32.min(1);
/** US dollars. */
const cost = double.min(0).max(1_000_000);
const name = string.max(200);
const json = string.max(256_000);
const sorts = [
  'createdAtUtc',
  'startedAtUtc',
  'completedAtUtc',
  'id',
  'status',
  'role',
  'modelId',
  'costUsd',
  'tokensUsed',
] as const;

const NewRun = fields({
  goal,
  projectId: int64.nullish(),
  taskId: int64.nullish(),
  identityId: int64.nullish(),
  role: name.nullish(),
  roleDefinitionId: int64.nullish(),
  toolProfileName: name.nullish(),
  modelId: name.nullish(),
  reasoningEffort: name.nullish(),
  maxIterations: budget.nullish(),
  maxTokens: budget.nullish(),
  maxWallClockMs: budget.nullish(),
  contextBudgetTokens: budget.nullish(),
  poolIterationBudget: budget.nullish(),
  poolTokenBudget: budget.nullish(),
  poolCostBudgetUsd: cost.nullish(),
  treeDeadlineUtc: dateTime.nullish(),
  contractDeliverable: string.max(2000).nullish(),
  contractDestination: string.max(2000).nullish(),
  outputPath: string.max(2000).nullish(),
  environmentJson: json.nullish(),
  requestToolDebrief: boolean.nullish(),
  workspaceId: int64.nullish(),
  autoStart: boolean.nullish(),
  idempotencyKey: string.max(200).nullish(),
});

const RunChanges = fields({
  goal: goal.optional(),
  projectId: int64.nullish(),
  taskId: int64.nullish(),
  identityId: int64.optional(),
  role: name.optional(),
  roleDefinitionId: int64.nullish(),
  modelId: name.nullish(),
  reasoningEffort: name.nullish(),
  toolProfileName: name.nullish(),
  maxIterations: budget.optional(),
  maxTokens: budget.optional(),
  maxWallClockMs: budget.optional(),
  contextBudgetTokens: budget.optional(),
  poolIterationBudget: budget.optional(),
  poolTokenBudget: budget.optional(),
  treeDeadlineUtc: dateTime.nullish(),
  environmentJson: json.nullish(),
  progressSummary: string.max(8000).nullish(),
  contractDeliverable: string.max(2000).nullish(),
  contractDestination: string.max(2000).nullish(),
  outputPath: string.max(2000).nullish(),
  requestToolDebrief: boolean.optional(),
});

const action = { reason: string.max(2000).nullish(), cascade: boolean.nullish() };

export const agentRuns = group(
  'Agent',
  { id: 'AgentRuns', base: '/api/agent/runs', doc: 'Runs of agents: their life, budgets, events and checkpoints.' },
  {
    list: op.get('', {
      doc: 'List runs, newest first. minCostUsd (ours) is of what each run itself has cost, without its children.',
      needs: 'RunsRead',
      query: listQuery(sorts, {
        fromUtc: dateTime.optional(),
        toUtc: dateTime.optional(),
        q: string.max(200).optional(),
        status: z.array(AgentRunStatus).optional(),
        projectId: int64.optional(),
        taskId: int64.optional(),
        identityId: int64.optional(),
        role: name.optional(),
        modelId: name.optional(),
        parentRunId: int64.optional(),
        rootsOnly: boolean.optional(),
        activeOnly: boolean.optional(),
        minCostUsd: cost.optional(),
      }),
      data: page(AgentRunDto),
    }),
    create: op.post('', {
      doc: 'Create a run; it waits as Pending unless autoStart is true. environmentJson holds environment variables of its commands as a JSON object; its model sees their names only. poolCostBudgetUsd (ours) limits what the whole tree may cost. maxWallClockMs counts the time at work and waiting that passed, whatever becomes of the clock of the machine; treeDeadlineUtc is a time of the wall clock. taskId names a task of a project, whose title the run shows; with POST /api/tasks/{id}/run the task follows the run as well.',
      needs: 'RunsWrite',
      body: NewRun,
      data: AgentRunDto,
    }),
    get: op.get('/{id}', {
      doc: 'One run with its children, recent events, escalations, feedback and notes.',
      needs: 'RunsRead',
      data: AgentRunDetailDto,
      keepsText: true,
    }),
    patch: op.patch('/{id}', {
      doc: 'Change a run; model, budgets and goal of a running one take effect at its next turn, environmentJson with its next command.',
      needs: 'RunsWrite',
      body: RunChanges,
      data: AgentRunDto,
    }),
    remove: op.delete('/{id}', { doc: 'Delete a run that has ended.', needs: 'RunsWrite', data: nothing }),
    start: op.post('/{id}/start', {
      doc: 'Queue a pending run.',
      needs: 'RunsWrite',
      body: fields({
        modelId: name.nullish(),
        maxIterations: budget.nullish(),
        maxTokens: budget.nullish(),
        maxWallClockMs: budget.nullish(),
      }).optional(),
      data: AgentRunDto,
    }),
    restart: op.post('/{id}/restart', {
      doc: 'Run again, from the start or from the last checkpoint.',
      needs: 'RunsWrite',
      body: fields({
        fromCheckpoint: boolean.nullish(),
        goal: goal.nullish(),
        modelId: name.nullish(),
        maxIterations: budget.nullish(),
        maxTokens: budget.nullish(),
        keepBudgetsUsed: boolean.nullish(),
      }).optional(),
      data: AgentRunDto,
    }),
    cancel: op.post('/{id}/cancel', {
      doc: 'Cancel a run and, unless cascade is false, every descendant; the answer names each one reached.',
      needs: 'RunsWrite',
      body: fields(action).optional(),
      data: RunActionResultDto,
    }),
    pause: op.post('/{id}/pause', {
      doc: 'Pause a run at its next safe point; cascade reaches its descendants.',
      needs: 'RunsWrite',
      body: fields(action).optional(),
      data: RunActionResultDto,
    }),
    resume: op.post('/{id}/resume', {
      doc: 'Resume a paused run, with guidance for its next turn if given.',
      needs: 'RunsWrite',
      body: fields({ guidance: string.max(32_000).nullish(), cascade: boolean.nullish() }).optional(),
      data: RunActionResultDto,
    }),
    pool: op.post('/{id}/pool', {
      doc: "Top up or set the pool that a run's whole tree draws on; resume lets runs go on that waited for it. Where the run came up against maxTokens or maxIterations of its own (see exhaustedBy, a field of ours), what is added raises that limit too; with resume it must be enough for the run's next call. addCostUsd and poolCostBudgetUsd (ours) do the same for what the tree may cost; a tree without such a limit has nothing to add to.",
      needs: 'RunsWrite',
      body: fields({
        addIterations: budget.nullish(),
        addTokens: budget.nullish(),
        addCostUsd: cost.nullish(),
        poolIterationBudget: budget.nullish(),
        poolTokenBudget: budget.nullish(),
        poolCostBudgetUsd: cost.nullish(),
        treeDeadlineUtc: dateTime.nullish(),
        resume: boolean.nullish(),
      }),
      data: AgentRunDto,
    }),
    checkpoint: op.post('/{id}/checkpoint', {
      doc: 'Take a checkpoint that a restart or fork can begin from.',
      needs: 'RunsWrite',
      body: fields({ label: name.nullish(), note: string.max(2000).nullish() }).optional(),
      data: RunActionResultDto,
    }),
    checkpoints: op.get('/{id}/checkpoints', {
      doc: 'Checkpoints of a run, newest first.',
      needs: 'RunsRead',
      query: fields({ limit: int32.min(1).max(200).default(50) }),
      data: z.array(AgentCheckpointDto),
    }),
    fork: op.post('/{id}/fork', {
      doc: 'Start a new run from a checkpoint of this one.',
      needs: 'RunsWrite',
      body: fields({
        checkpointId: name.nullish(),
        goal: goal.nullish(),
        modelId: name.nullish(),
        message: string.max(32_000).nullish(),
        maxIterations: budget.nullish(),
        maxTokens: budget.nullish(),
        autoStart: boolean.nullish(),
      }).optional(),
      data: AgentRunDto,
    }),
    wait: op.get('/{id}/wait', {
      doc: 'Answer when the run has ended or the time is over, whichever comes first.',
      needs: 'RunsRead',
      query: fields({ timeoutMs: int32.min(0).max(120_000).default(30_000) }),
      timeoutMs: 130_000,
      data: AgentRunDto,
    }),
    children: op.get('/{id}/children', {
      doc: 'Runs spawned by this one; recursive includes their descendants.',
      needs: 'RunsRead',
      query: listQuery(sorts, { status: AgentRunStatus.optional(), recursive: boolean.optional() }),
      data: page(AgentRunDto),
    }),
    spawn: op.post('/{id}/children', {
      doc: 'Give a run a child; what it does not name it has from its parent. It is queued unless autoStart is false.',
      needs: 'RunsWrite',
      body: fields({
        goal,
        role: name.nullish(),
        roleDefinitionId: int64.nullish(),
        identityId: int64.nullish(),
        taskId: int64.nullish(),
        toolProfileName: name.nullish(),
        modelId: name.nullish(),
        reasoningEffort: name.nullish(),
        maxIterations: budget.nullish(),
        maxTokens: budget.nullish(),
        maxWallClockMs: budget.nullish(),
        contractDeliverable: string.max(2000).nullish(),
        contractDestination: string.max(2000).nullish(),
        environmentJson: json.nullish(),
        tags: z.array(string.trim().min(1).max(100)).max(50).nullish(),
        autoStart: boolean.nullish(),
      }),
      data: AgentRunDto,
    }),
    events: op.get('/{runId}/events', {
      doc: 'Events of a run by sequence number; with Accept: text/event-stream the live stream, resumable by Last-Event-ID, to the end of the run or past it with follow (ours), without null fields with lean (ours), with format as AI SDK UI message stream or AG-UI.',
      needs: 'RunsRead',
      query: fields({
        afterSeq: int64.min(0).optional(),
        beforeSeq: int64.min(0).optional(),
        limit: int32.min(1).max(1000).default(200),
        types: z.array(AgentEventType).optional(),
        minLevel: SystemLogLevel.optional(),
        includeChildren: boolean.optional(),
        follow: boolean.optional(),
        lean: boolean.optional(),
        order: SortDirection.default('Ascending'),
        format: z.enum(['ui-message-stream', 'ag-ui']).optional(),
      }),
      data: z.array(AgentEventDto),
      streams: true,
      topic: 'run:{runId}',
    }),
  },
);
