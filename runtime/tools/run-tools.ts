// The tools a run uses on itself: plan, report, take notes, end.
import { z } from 'zod';
import type { Desk, ToolContext, ToolDefinition } from '../ports.ts';
import { builtIn } from './built-in.ts';

const noteTypes = [
  'Observation',
  'Finding',
  'Decision',
  'Progress',
  'Blocker',
  'Question',
  'Summary',
  'ToolDebrief',
] as const;

const plan = builtIn({
  name: 'run_plan',
  local: true,
  displayName: 'Plan',
  description: 'Write down or replace the plan: steps in order, each with its state.',
  input: z.strictObject({
    steps: z
      .array(
        z.union([
          z.string().min(1).max(500),
          z.strictObject({
            title: z.string().min(1).max(500),
            status: z.enum(['todo', 'doing', 'done', 'dropped']).default('todo'),
          }),
        ]),
      )
      .min(1)
      .max(100),
  }),
  async handler({ steps }) {
    const planned = steps.map((step) => (typeof step === 'string' ? { title: step, status: 'todo' } : step));
    return {
      content: 'Plan noted.',
      set: { planJson: JSON.stringify(planned) },
      events: [
        {
          type: 'PlanUpdated',
          title: `Plan of ${planned.length} ${planned.length === 1 ? 'step' : 'steps'}`,
          payload: { steps: planned },
        },
      ],
    };
  },
});

const progress = builtIn({
  name: 'run_progress',
  local: true,
  displayName: 'Progress',
  description: 'Say in a sentence or two where you are, for the people who watch.',
  input: z.strictObject({ summary: z.string().min(1).max(4000) }),
  async handler({ summary }) {
    return {
      content: 'Noted.',
      set: { progressSummary: summary },
      events: [{ type: 'ProgressUpdated', title: 'Progress', message: summary }],
    };
  },
});

const note = (desk: Desk | undefined) =>
  builtIn({
    name: 'run_note',
    displayName: 'Note',
    description: 'Keep a note with the run: a finding, a decision, a blocker, a question.',
    input: z.strictObject({ type: z.enum(noteTypes).default('Observation'), content: z.string().min(1).max(16_000) }),
    async handler(written, context: ToolContext) {
      await desk?.addNote(context.run, written, context.idempotencyKey);
      return {
        content: 'Note kept.',
        events: [{ type: 'NoteAdded', title: written.type, message: written.content }],
      };
    },
  });

const complete = builtIn({
  name: 'run_complete',
  local: true,
  displayName: 'Complete',
  description:
    'End the run: the goal is reached. Give its result as a summary, and the deliverable if one was asked for.',
  input: z.strictObject({
    summary: z.string().min(1).max(32_000),
    deliverable: z.string().max(100_000).optional(),
  }),
  async handler({ summary, deliverable }) {
    return {
      content: 'The run is complete.',
      end: { status: 'Completed', summary, deliverable: deliverable ?? null },
    };
  },
});

const fail = builtIn({
  name: 'run_fail',
  local: true,
  displayName: 'Fail',
  description: 'End the run: the goal cannot be reached. Say why, so that somebody can help.',
  input: z.strictObject({ reason: z.string().min(1).max(8000) }),
  async handler({ reason }) {
    return { content: 'The run has failed.', end: { status: 'Failed', reason } };
  },
});

/** run_plan, run_progress, run_note, run_complete, run_fail. */
export const runTools = (desk: Desk | undefined): ToolDefinition[] => [plan, progress, note(desk), complete, fail];
