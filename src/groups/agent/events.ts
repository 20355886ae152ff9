// What runs, escalations and councils tell.
import { type EventTable, event } from '../../contract/event.ts';
import { MessageDto } from '../messages/dto.ts';
import { DeletedDto } from '../realtime/dto.ts';
import {
  AgentCouncilDto,
  AgentEscalationDto,
  AgentEventDto,
  AgentFeedbackDto,
  AgentRunDto,
  AgentRunNoteDto,
  AgentTaskDto,
  CouncilStatementDto,
  RunBudgetDto,
  RunDeltaDto,
  RunTreeQuiescedDto,
} from './dto.ts';
import { SandboxChunkDto } from './files/dto.ts';

/** Where what concerns a whole run is told. */
const everywhere = ['runs', 'run:*', 'run-tree:*', 'project:*'];
const asked = ['escalations', 'run:*', 'project:*'];

export const agentEvents = {
  'run.created': event.kept(AgentRunDto, everywhere, 'A run was created.'),
  'run.updated': event.kept(AgentRunDto, everywhere, 'Fields of a run have changed.'),
  'run.status': event.kept(AgentRunDto, everywhere, 'A run has another status.'),
  'run.completed': event.kept(AgentRunDto, everywhere, 'A run has reached its goal.'),
  'run.failed': event.kept(AgentRunDto, everywhere, 'A run has failed.'),
  'run.ended': event.kept(AgentRunDto, everywhere, 'A run has ended, in whatever way.', {
    terminal: true,
    ends: 'run:',
  }),
  'tree.quiesced': event.kept(RunTreeQuiescedDto, ['runs', 'run-tree:*'], 'Every run of a tree has ended.', {
    terminal: true,
    ends: 'run-tree:',
  }),
  'run.deleted': event.kept(DeletedDto, ['runs', 'run:*', 'project:*'], 'A run was deleted.', { ends: 'run:' }),
  'run.event': event.kept(AgentEventDto, ['run:*', 'run-tree:*'], 'A step of a run, as its timeline shows it.'),
  'run.delta': event.passing(RunDeltaDto, ['run:*', 'run-tree:*'], 'A piece of what a run’s model is saying.', {
    merge: { text: 'delta', same: ['runId', 'iteration', 'kind', 'toolCallId'] },
  }),
  'run.budget': event.passing(RunBudgetDto, ['runs', 'run:*', 'run-tree:*'], 'What a run has used of its budgets.'),
  'run.sandbox.output': event.passing(SandboxChunkDto, ['run:*'], 'Output of a run’s command.', {
    merge: { text: 'text', same: ['runId', 'stream', 'toolCallId'], only: { field: 'exitCode', values: [null] } },
  }),
  'run.note': event.kept(AgentRunNoteDto, ['run:*'], 'A run has a new note.'),
  'run.feedback': event.kept(AgentFeedbackDto, ['run:*'], 'Somebody has rated a run.'),
  'run.task': event.kept(AgentTaskDto, ['run:*'], 'A task of a run was created or changed.'),
  'run.message': event.kept(MessageDto, ['run:*'], 'A message was sent to a run, or by it.'),
  'escalation.raised': event.kept(AgentEscalationDto, asked, 'A run asks for a decision.'),
  'escalation.updated': event.kept(AgentEscalationDto, asked, 'An open escalation has changed.'),
  'escalation.resolved': event.kept(AgentEscalationDto, asked, 'An escalation was decided, or is void.'),
  'council.updated': event.kept(AgentCouncilDto, ['escalations', 'run:*'], 'A council has gone on.', {
    also: ['chat:*'],
  }),
  'council.statement': event.kept(
    CouncilStatementDto,
    ['escalations', 'run:*'],
    'A participant of a council has spoken.',
    { also: ['chat:*'] },
  ),
} satisfies EventTable;
