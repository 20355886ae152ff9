// Routines: agents that work by the clock, or when something happens.
import { z } from 'zod';
import { crud } from '../../../contract/crud.ts';
import {
  RoutineMissedRunPolicy,
  RoutineReportPolicy,
  RoutineRunOutcome,
  RoutineRunTriggerSource,
  RoutineScheduleKind,
} from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, dateTime, fields, int32, int64, jsonText, nothing, string } from '../../../contract/types.ts';
import {
  AgentRoutineDetailDto,
  AgentRoutineDto,
  AgentRoutineRunDto,
  AgentRoutineTriggerDto,
  CronPreviewDto,
  EnableRoutineResult,
  RoutineBriefDto,
  RoutineNextDueDto,
  RoutineSimulationDto,
} from './dto.ts';

const name = string.trim().min(1).max(200);
const markdown = string.trim().min(1).max(24_000);
const limit = int32.min(0).max(100_000);
const cronExpression = string.trim().min(1).max(200);
const timezoneId = string.trim().min(1).max(100);
const count = int32.min(1).max(200);

const settings = {
  description: string.max(4000).nullish(),
  thresholdMarkdown: string.trim().max(8000).nullish(),
  roleDefinitionId: int64.nullish(),
  toolProfileName: string.max(200).nullish(),
  projectId: int64.nullish(),
  taskId: int64.nullish(),
  cronExpression: cronExpression.nullish(),
  intervalMinutes: int32.min(1).max(527_040).nullish(),
  runOnceAtUtc: dateTime.nullish(),
  quietHoursJson: jsonText.max(4000).nullish(),
  poolTokenBudgetOverride: int32.min(1).nullish(),
  watchExpiryUtc: dateTime.nullish(),
};
const choices = {
  identityId: int64,
  scheduleKindId: RoutineScheduleKind,
  timezoneId,
  maxRunsPerDay: limit,
  maxConcurrentRuns: limit,
  missedRunPolicyId: RoutineMissedRunPolicy,
  pauseOnRepeatedAuthFailure: boolean,
  isEnabled: boolean,
  reportPolicyId: RoutineReportPolicy,
};
type Each<Shape extends z.ZodRawShape, How extends 'nullish' | 'optional'> = {
  [Key in keyof Shape]: How extends 'nullish' ? z.ZodOptional<z.ZodNullable<Shape[Key]>> : z.ZodOptional<Shape[Key]>;
};
const each = <Shape extends z.ZodRawShape, How extends 'nullish' | 'optional'>(shape: Shape, how: How) =>
  Object.fromEntries(
    Object.entries(shape).map(([key, schema]) => [key, (schema as z.ZodType)[how]()]),
  ) as unknown as Each<Shape, How>;

export const agentRoutines = group(
  'Agent',
  {
    id: 'AgentRoutines',
    base: '/api/agent/routines',
    doc: 'Routines: agents that work by the clock or when something happens, with a ledger of every moment they were due.',
  },
  {
    ...crud({
      noun: 'routine',
      dto: AgentRoutineDetailDto,
      item: AgentRoutineDto,
      read: 'RoutinesRead',
      write: 'RoutinesWrite',
      sorts: ['name', 'nextDueAtUtc', 'lastRunAtUtc', 'createdAtUtc', 'updatedAtUtc', 'id'],
      filters: {
        q: string.max(200).optional(),
        identityId: int64.optional(),
        projectId: int64.optional(),
        roleDefinitionId: int64.optional(),
        scheduleKindId: RoutineScheduleKind.optional(),
        isEnabled: boolean.optional(),
        dueBeforeUtc: dateTime.optional(),
      },
      create: { name, briefMarkdown: markdown, ...settings, ...each(choices, 'nullish') },
      patch: { name: name.optional(), briefMarkdown: markdown.optional(), ...settings, ...each(choices, 'optional') },
      docs: {
        list: 'List routines by name.',
        patch:
          'Change a routine. A new schedule counts from now: what was due before it is in the ledger as the old one said.',
        remove: 'Delete a routine with its ledger; runs that it started stay, and end by themselves.',
      },
    }),
    create: op.post('', {
      doc: 'Create a routine. cronExpression has five fields, or six with seconds first, read in timezoneId: a time that a change of the clocks leaves out is due once at the first moment after it, one that comes twice is due the first time. quietHoursJson is {"from":"22:00","to":"07:00","days":["Sat"]} or a list of those. maxRunsPerDay and maxConcurrentRuns 0 are no limit. What a run says of its outcome is read from its last line: NO_CHANGE or THRESHOLD_MET.',
      needs: 'RoutinesWrite',
      body: fields({ name, briefMarkdown: markdown, ...settings, ...each(choices, 'nullish') }),
      data: AgentRoutineDto,
    }),
    preview: op.get('/cron-preview', {
      doc: 'When a cron expression is due next, by the calendar that routines go by; valid is false, with the error, for one that cannot be used.',
      needs: 'RoutinesRead',
      query: fields({ cronExpression: string.max(500), timezoneId: timezoneId.optional(), count: count.default(10) }),
      data: CronPreviewDto,
    }),
    enable: op.post('/{id}/enable', {
      doc: 'Let a routine be due again, from now on; with runMissed what was due meanwhile is treated as missed, by its policy.',
      needs: 'RoutinesWrite',
      body: fields({ runMissed: boolean.nullish() }).optional(),
      data: EnableRoutineResult,
    }),
    disable: op.post('/{id}/disable', {
      doc: 'Stop a routine: it is due no more. Runs under way go on unless cancelActiveRuns.',
      needs: 'RoutinesWrite',
      body: fields({ reason: string.max(1000).nullish(), cancelActiveRuns: boolean.nullish() }).optional(),
      data: AgentRoutineDto,
    }),
    nextDue: op.get('/{id}/next-due', {
      doc: 'When a routine is due next, and what would keep it from running now.',
      needs: 'RoutinesRead',
      query: fields({ count: count.default(5) }),
      data: RoutineNextDueDto,
    }),
    run: op.post('/{id}/run', {
      doc: 'Run a routine now, also in quiet hours and while it is disabled. ROUTINE_THROTTLED says which limit is reached; ignoreThrottles passes them.',
      needs: 'RoutinesWrite',
      body: fields({
        triggerDetailJson: jsonText.max(16_000).nullish(),
        ignoreThrottles: boolean.nullish(),
      }).optional(),
      data: AgentRoutineRunDto,
    }),
    runs: op.get('/{id}/runs', {
      doc: 'The ledger of a routine, the newest moment first: one row for each moment at which it was due, whatever came of it.',
      needs: 'RoutinesRead',
      query: listQuery(['dueAtUtc', 'createdAtUtc', 'id'], {
        fromUtc: dateTime.optional(),
        toUtc: dateTime.optional(),
        outcomeId: RoutineRunOutcome.optional(),
        triggerSourceId: RoutineRunTriggerSource.optional(),
      }),
      data: page(AgentRoutineRunDto),
    }),
    latest: op.get('/{id}/runs/latest', {
      doc: 'The newest row of the ledger, or the newest of an outcome; NOT_FOUND when there is none.',
      needs: 'RoutinesRead',
      query: fields({ outcomeId: RoutineRunOutcome.optional() }),
      data: AgentRoutineRunDto,
    }),
    listTriggers: op.get('/{id}/triggers', {
      doc: 'The events that wake a routine.',
      needs: 'RoutinesRead',
      data: z.array(AgentRoutineTriggerDto),
    }),
    createTrigger: op.post('/{id}/triggers', {
      doc: 'Wake a routine when something happens. eventPattern is a type of events with * for any characters, such as task.*, or a topic before it: project:7/run.failed. filterJson is an object of fields of the event, by dots, each with a value or with eq, ne, gt, gte, lt, lte, in, contains or exists; all must hold. What the routine or its own runs caused does not wake it, nor what its maker may not follow.',
      needs: 'RoutinesWrite',
      body: fields({
        eventPattern: string.trim().min(1).max(400),
        filterJson: jsonText.max(8000).nullish(),
        minSecondsBetweenWakes: int32.min(0).max(2_678_400).nullish(),
      }),
      data: AgentRoutineTriggerDto,
    }),
    removeTrigger: op.delete('/{id}/triggers/{triggerId}', {
      doc: 'Take a trigger away.',
      needs: 'RoutinesWrite',
      data: nothing,
    }),
    simulate: op.get('/{id}/simulation', {
      doc: 'Ours: what a stretch of time, a year unless said otherwise, would bring with runs that take runMinutes each. Nothing is started. It plays `moments` at most (175,000: four months of one a minute) and says how far it came.',
      needs: 'RoutinesRead',
      query: fields({
        fromUtc: dateTime.optional(),
        days: int32.min(1).max(400).default(365),
        runMinutes: int32.min(0).max(10_080).default(5),
        slots: int32.min(0).max(2000).default(200),
        moments: int32.min(1).max(175_000).default(175_000),
      }),
      data: RoutineSimulationDto,
    }),
    briefs: op.get('/{id}/briefs', {
      doc: 'Ours: the last versions of the brief, newest first; rows of the ledger name theirs.',
      needs: 'RoutinesRead',
      data: z.array(RoutineBriefDto),
    }),
  },
);
