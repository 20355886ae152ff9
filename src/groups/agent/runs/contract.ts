// Operations on agent runs: create, watch, steer and end them.
import { z } from 'zod';
import { AgentEventType, AgentRunStatus, SortDirection, SystemLogLevel } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, dateTime, double, fields, int32, int64, nothing, string } from '../../../contract/types.ts';
import { NewBreakpoint } from '../breakpoints/contract.ts';
import {
  AgentCheckpointDto,
  AgentEventDto,
  AgentRunDetailDto,
  AgentRunDto,
  RunActionResultDto,
  RunStateDto,
} from '../dto.ts';
import { AgentEventHitsDto } from './search/dto.ts';

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

/** Ours: breakpoints that are set before the first step. */
const breakpoints = z.array(NewBreakpoint).max(50).nullish();

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
  breakpoints,
  mcpTask: boolean.nullish(),
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

/** Ours: what is edited of the state before a fork goes on. */
const StateEdits = fields({
  summary: string.trim().min(1).max(64_000).nullish(),
  messages: z
    .array(fields({ index: int64.min(0), text: string.max(128_000) }))
    .max(50)
    .nullish(),
  calls: z
    .array(fields({ index: int64.min(0), callId: string.max(500), argumentsJson: string.max(128_000) }))
    .max(50)
    .nullish(),
  dropFrom: int64.min(0).nullish(),
});

const action = { reason: string.max(2000).nullish(), cascade: boolean.nullish() };

export const agentRuns = group(
  'Agent',
  { id: 'AgentRuns', base: '/api/agent/runs', doc: 'Runs of agents: their life, budgets, events and checkpoints.' },
  {
    list: op.get('', {
      doc: 'List runs, newest first. minCostUsd (ours) is of what each run itself has cost, without its children; mcpTask (ours) leaves those that the caller began as tasks of MCP.',
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
        mcpTask: boolean.optional(),
      }),
      data: page(AgentRunDto),
      keepsText: true,
    }),
    create: op.post('', {
      doc: 'Create a run; it waits as Pending unless autoStart is true. environmentJson holds environment variables of its commands as a JSON object; its model sees their names only. poolCostBudgetUsd (ours) limits what the whole tree may cost. maxWallClockMs counts the time at work and waiting that passed, whatever becomes of the clock of the machine; treeDeadlineUtc is a time of the wall clock. taskId names a task of a project, whose title the run shows; with POST /api/tasks/{id}/run the task follows the run as well. breakpoints (ours, here and at start and fork) are set before its first step; see POST /api/agent/runs/{runId}/breakpoints. mcpTask (ours) begins it as a task of MCP, which its caller alone finds as such.',
      needs: 'RunsWrite',
      body: NewRun,
      data: AgentRunDto,
    }),
    get: op.get('/{id}', {
      doc: 'One run with its children, recent events, escalations, feedback and notes. With mcpTask (ours) a run that the caller did not begin as a task of MCP is not found.',
      needs: 'RunsRead',
      query: fields({ mcpTask: boolean.optional() }),
      data: AgentRunDetailDto,
      keepsText: true,
    }),
    export: op.get('/{id}/export', {
      doc: 'Ours: download a run with its events: as JSON, as a report in Markdown, or as a trace in OTLP/JSON whose spans are the run, its model calls and its calls of tools. A file has the first 20,000 events and says how many it leaves out; results of tools are as the log keeps them, cut at 4000 characters.',
      needs: 'RunsRead',
      query: fields({ format: z.enum(['Json', 'Markdown', 'Otlp']).default('Json') }),
      data: string,
      reply: 'file',
      mediaType: ['application/json', 'text/markdown'],
      timeoutMs: 120_000,
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
        breakpoints,
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
    state: op.get('/{id}/state', {
      doc: 'Ours: the state of a run that its model sees, at a checkpoint, after a turn (0 is before the first), or now: its goal, the summary of older turns, and the messages with their index. It is what a fork from there begins with, and may edit.',
      needs: 'RunsRead',
      query: fields({ checkpointId: name.optional(), turn: int32.min(0).optional() }),
      data: RunStateDto,
    }),
    fork: op.post('/{id}/fork', {
      doc: 'Start a new run from a checkpoint of this one. Ours: turn forks from after that turn instead (0 is before the first); role changes the role; edits change the state before the fork goes on: summary and messages (by their index in GET …/state) get new texts, calls (by index and callId) get new arguments, dropFrom leaves out that message and all after it. Calls keep their results. The run that is forked stays as it is; the first events of the fork say what was edited, by whom.',
      needs: 'RunsWrite',
      body: fields({
        checkpointId: name.nullish(),
        goal: goal.nullish(),
        modelId: name.nullish(),
        message: string.max(32_000).nullish(),
        maxIterations: budget.nullish(),
        maxTokens: budget.nullish(),
        autoStart: boolean.nullish(),
        turn: int32.min(0).nullish(),
        role: name.nullish(),
        edits: StateEdits.nullish(),
        breakpoints,
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
    searchEvents: op.get('/{runId}/events/search', {
      doc: 'Ours: search in the events of a run, with includeChildren in those of the runs below it too. Every word of q must be in an event: its title, message, tool, model or a value of its payload; words between quotation marks stand together. Hits are in order of runs, then of events. One answer looks at 20,000 events at most: go on with its cursor while hasMore.',
      needs: 'RunsRead',
      query: fields({
        q: string.trim().min(1).max(200).optional(),
        types: z.array(AgentEventType).optional(),
        minLevel: SystemLogLevel.optional(),
        includeChildren: boolean.optional(),
        fromUtc: dateTime.optional(),
        toUtc: dateTime.optional(),
        cursor: string.max(40).optional(),
        limit: int32.min(1).max(100).default(50),
      }),
      data: AgentEventHitsDto,
      timeoutMs: 60_000,
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
