// Escalations: questions that runs put to a decider, and the decisions.
import { EscalationStatus, EscalationUrgency, ResolutionMode } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, dateTime, double, fields, int32, int64, string } from '../../../contract/types.ts';
import { AgentEscalationDto } from '../dto.ts';

const text = string.max(16_000);
const json = string.max(256_000);

export const agentEscalations = group(
  'Agent',
  { id: 'AgentEscalations', base: '/api/agent', doc: 'Questions of runs that wait for a decision.' },
  {
    list: op.get('/escalations', {
      doc: 'List escalations, newest first.',
      needs: 'RunsRead',
      query: listQuery(['createdAtUtc', 'resolvedAtUtc', 'timeoutAtUtc', 'status', 'runId', 'id'], {
        fromUtc: dateTime.optional(),
        toUtc: dateTime.optional(),
        status: EscalationStatus.optional(),
        urgencyId: EscalationUrgency.optional(),
        runId: int64.optional(),
        projectId: int64.optional(),
        identityId: int64.optional(),
        kind: string.max(100).optional(),
        openOnly: boolean.optional(),
      }),
      data: page(AgentEscalationDto),
    }),
    resolve: op.post('/escalations/{id}/resolve', {
      doc: 'Decide an escalation, once; with requestRevision the run is asked to put its question better, and with resolutionMode Council a council of the run decides, which is told the decision you lean to. With rememberAsRule the same question, asked again by the same identity in the same tree of runs, is given the same answer at once (resolutionMode Policy); other trees ask again. A tool call is approved by the decision approve alone: anything else refuses it and is told to the agent as the reason.',
      needs: 'EscalationsResolve',
      body: fields({
        decision: string.trim().min(1).max(8000),
        decisionNotes: text.nullish(),
        resolutionMode: ResolutionMode.nullish(),
        requestRevision: boolean.nullish(),
        rememberAsRule: boolean.nullish(),
        argumentsJson: json.nullish(),
      }),
      data: AgentEscalationDto,
    }),
    create: op.post('/runs/{runId}/escalate', {
      doc: 'Have a run wait for a decision as soon as its present step is over.',
      needs: 'RunsWrite',
      body: fields({
        situation: string.trim().min(1).max(16_000),
        optionsJson: json.nullish(),
        taskId: int64.nullish(),
        kind: string.trim().min(1).max(100).nullish(),
        urgencyId: EscalationUrgency.nullish(),
        confidence: double.min(0).max(1).nullish(),
        supervisorRecommendation: text.nullish(),
        maxRevisionRounds: int32.min(0).max(20).nullish(),
        timeoutAtUtc: dateTime.nullish(),
      }),
      data: AgentEscalationDto,
    }),
  },
);
