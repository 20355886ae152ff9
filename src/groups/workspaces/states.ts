// The life of a workspace: which move leads from which states to which.
import type { WorkspaceState } from '../../contract/enums.ts';

export const moves = {
  cloned: { from: ['Preparing'], to: 'Ready' },
  cloneFailed: { from: ['Preparing'], to: 'Failed' },
  restore: { from: ['Ready', 'Failed'], to: 'Restoring' },
  restored: { from: ['Restoring'], to: 'Ready' },
  restoreFailed: { from: ['Restoring'], to: 'Failed' },
  expire: { from: ['Ready'], to: 'Expired' },
  renew: { from: ['Expired'], to: 'Ready' },
} as const satisfies Record<string, { from: readonly WorkspaceState[]; to: WorkspaceState }>;
export type Move = keyof typeof moves;
