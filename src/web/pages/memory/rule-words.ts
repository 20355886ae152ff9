// The words of standing rules, as choices of forms and as looks.
import type { RuleKind, RuleStatus, RuleTrigger, RuleWatchKind, StaleRuleReason } from '../../../client/index.ts';
import type { Shape, Tone } from '../../ui/status.tsx';

export const ruleKinds: readonly RuleKind[] = ['Must', 'MustNot', 'Should', 'ShouldNot', 'Prefer', 'Inform'];
export const ruleTriggers: readonly RuleTrigger[] = [
  'Always',
  'SessionStart',
  'BeforePlan',
  'BeforeToolCall',
  'BeforeSpawn',
  'BeforeMessage',
  'BeforeCommit',
  'BeforeDeploy',
  'BeforeEscalation',
  'OnError',
  'OnCompletion',
];
export const watchKinds: readonly RuleWatchKind[] = [
  'None',
  'ReviewDate',
  'MemoryChanged',
  'FactChanged',
  'EvidenceContradicts',
  'Unused',
];

export const statusLooks: Readonly<Record<RuleStatus, readonly [Shape, Tone]>> = {
  Proposed: ['hollow', 'warn'],
  Active: ['tick', 'good'],
  UnderReview: ['gauge', 'warn'],
  Superseded: ['dam', 'plain'],
  Withdrawn: ['dam', 'plain'],
  Expired: ['clock', 'plain'],
};

export const staleWords: Readonly<Record<StaleRuleReason, string>> = {
  ReviewDue: 'Its date of review has come',
  Expired: 'It has expired',
  GroundingArchived: 'A memory that it stands on was archived',
  EvidenceContradicts: 'A memory speaks against it',
  WatchTriggered: 'What it watches has changed',
  NeverSurfaced: 'It never came up',
};
