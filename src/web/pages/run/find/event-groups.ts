// Types of events by what they are about, for who looks for one.
import type { AgentEventType } from '../../../../client/index.ts';

const groups = {
  'Model and tools':
    'ModelCallStarted ModelCallCompleted ModelCallFailed ModelFallback ToolCallStarted ToolCallCompleted ToolCallFailed ToolCallBlocked ToolApprovalRequested SandboxStarted SandboxOutput SandboxStopped',
  'Life of the run':
    'RunCreated RunQueued RunStarted RunPaused RunResumed RunRestarted RunRecovered RunCompleted RunFailed RunTimedOut RunCancelled StatusChanged ProgressUpdated IterationStarted IterationCompleted PlanUpdated CheckpointSaved ContextCompressed',
  'Budgets and deadlines': 'BudgetWarning BudgetExhausted PoolChanged DeadlineWarning StaleWarning',
  Runs: 'ChildSpawned ChildCompleted ChildFailed SpawnRefused',
  'People and councils':
    'EscalationRaised EscalationReviewed EscalationResolved EscalationTimedOut CouncilConvened CouncilStatement CouncilVote CouncilConcluded MessageReceived MessageSent GuidanceReceived FeedbackAdded NoteAdded TaskCreated TaskUpdated',
  'Files, memory and the rest':
    'FileChanged DeliverableChecked ReviewReady MemoryRecalled MemoryWritten RuleSurfaced Log',
} as const;

type Names<Text> = Text extends `${infer First} ${infer Rest}` ? First | Names<Rest> : Text;
/** Types that stand in no group, and words that are no type: none, or this does not compile. */
type Odd =
  | Exclude<AgentEventType, Names<(typeof groups)[keyof typeof groups]>>
  | Exclude<Names<(typeof groups)[keyof typeof groups]>, AgentEventType>;

export const eventGroups: [Odd] extends [never] ? readonly [string, readonly string[]][] : never = Object.entries(
  groups,
).map(([title, names]) => [title, names.split(' ')]);
