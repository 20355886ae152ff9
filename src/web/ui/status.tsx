// A state as shape and word, never by colour alone.
import type { ReactNode } from 'react';
import type { AgentRunStatus } from '../../client/index.ts';
import { flowBy } from '../base/flow.ts';
import { words } from '../base/i18n.ts';

export type Tone = 'plain' | 'accent' | 'good' | 'bad' | 'warn' | 'violet';

const shape = {
  hollow: <circle cx="7" cy="7" r="4.5" fill="none" stroke="currentColor" strokeWidth="1.6" />,
  flow: (
    <path
      ref={flowBy(2, 500)}
      className="flow"
      d="M1.5 7c2 0 2-3 4-3s2 6 4 6 2-3 3.5-3"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
    />
  ),
  gate: (
    <path
      d="M4 2v10M10 2v10M4 5.500l3 1.5 3-1.500M4 8.5 7 7l3 1.5"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
    />
  ),
  children: <path d="M3 2v3c0 3 8 1 8 5v2M3 5v7" fill="none" stroke="currentColor" strokeWidth="1.6" />,
  bars: <path d="M4.5 3v8M9.5 3v8" stroke="currentColor" strokeWidth="2.2" />,
  tick: <path d="M2.5 7.5 5.5 10.5 11.5 3.5" fill="none" stroke="currentColor" strokeWidth="1.9" />,
  cross: <path d="M3 3l8 8M11 3l-8 8" stroke="currentColor" strokeWidth="1.9" />,
  dam: <rect x="5" y="1.5" width="4" height="11" fill="currentColor" />,
  gauge: <path d="M2 10a5 5 0 0 1 10 0M7 10 4 7" fill="none" stroke="currentColor" strokeWidth="1.6" />,
  dot: <circle cx="7" cy="7" r="3.5" fill="currentColor" />,
  clock: (
    <path
      d="M7 12.500a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM7 4v3l2 1.5"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
    />
  ),
} as const;
export type Shape = keyof typeof shape;

export function Chip({ shape: name, tone = 'plain', children }: { shape: Shape; tone?: Tone; children: ReactNode }) {
  return (
    <span className="chip" data-tone={tone}>
      <svg viewBox="0 0 14 14" aria-hidden="true">
        {shape[name]}
      </svg>
      {children}
    </span>
  );
}

const runLooks: Record<AgentRunStatus, [Shape, Tone]> = {
  Pending: ['hollow', 'plain'],
  Queued: ['hollow', 'plain'],
  Running: ['flow', 'accent'],
  WaitingForChildren: ['children', 'accent'],
  WaitingForDecision: ['gate', 'warn'],
  Paused: ['bars', 'plain'],
  BudgetExhausted: ['gauge', 'warn'],
  Completed: ['tick', 'good'],
  Failed: ['cross', 'bad'],
  TimedOut: ['clock', 'bad'],
  Cancelled: ['dam', 'plain'],
};

export function RunStatus({ status }: { status: AgentRunStatus }) {
  const [name, tone] = runLooks[status];
  return (
    <Chip shape={name} tone={tone}>
      {words(status)}
    </Chip>
  );
}

const others: Record<string, [Shape, Tone]> = {
  Healthy: ['tick', 'good'],
  Degraded: ['gauge', 'warn'],
  Unhealthy: ['cross', 'bad'],
  RateLimited: ['clock', 'warn'],
  Closed: ['tick', 'good'],
  HalfOpen: ['gauge', 'warn'],
  Succeeded: ['tick', 'good'],
  Ok: ['tick', 'good'],
  Warning: ['gauge', 'warn'],
  Exhausted: ['gauge', 'bad'],
  Blocked: ['dam', 'bad'],
  AwaitingApproval: ['gate', 'warn'],
  AwaitingAnswer: ['gate', 'warn'],
  Resolved: ['tick', 'good'],
  Withdrawn: ['dam', 'plain'],
  Done: ['tick', 'good'],
  InProgress: ['flow', 'accent'],
  Consensus: ['tick', 'good'],
  NoConsensus: ['cross', 'warn'],
  Deliberating: ['flow', 'violet'],
  Convening: ['hollow', 'violet'],
  Voting: ['gate', 'violet'],
  AwaitingHuman: ['gate', 'warn'],
  Open: ['gate', 'warn'],
  Draft: ['hollow', 'plain'],
  Paid: ['tick', 'good'],
  Void: ['dam', 'plain'],
  Uncollectible: ['cross', 'bad'],
  Trialing: ['hollow', 'accent'],
  PastDue: ['gate', 'warn'],
  Suspended: ['bars', 'bad'],
  RevisionRequested: ['gauge', 'accent'],
  SupervisorReview: ['flow', 'violet'],
};

/** Any other state; unknown ones are a dot and their name. */
export function State({ name }: { name: string }) {
  const look = runLooks[name as AgentRunStatus] ?? others[name] ?? (['dot', 'plain'] as const);
  return (
    <Chip shape={look[0]} tone={look[1]}>
      {words(name)}
    </Chip>
  );
}
