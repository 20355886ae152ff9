// Which tools a run may use: blocked beats opt-in, opt-in beats safe.
import { namedBy } from '../../../src/kernel/patterns.ts';
import type { ToolPolicy, ToolSpec } from '../../ports.ts';

/** Fields of a tool that a policy judges. */
type Judged = Pick<ToolSpec, 'name' | 'sandboxed' | 'requiresApproval' | 'enabled'>;

export type Standing = 'safe' | 'opt-in' | 'blocked';

const listed = (patterns: readonly string[], name: string) => patterns.some((pattern) => namedBy(pattern, name));

const ranks: Record<Standing, number> = { safe: 0, 'opt-in': 1, blocked: 2 };

/**
 * Standing of a tool under a policy and those that limit it: the strictest counts. Without a policy only tools that
 * require approval are opt-in.
 */
export function standingOf(tool: Judged, policy: ToolPolicy | undefined): Standing {
  let strictest = ownStanding(tool, policy);
  for (const ceiling of policy?.within ?? []) {
    const standing = ownStanding(tool, ceiling);
    if (ranks[standing] > ranks[strictest]) strictest = standing;
  }
  return strictest;
}

function ownStanding(tool: Judged, policy: ToolPolicy | undefined): Standing {
  if (tool.enabled === false) return 'blocked';
  if (!policy) return tool.requiresApproval ? 'opt-in' : 'safe';
  if (listed(policy.blocked, tool.name)) return 'blocked';
  if (!tool.sandboxed && listed(policy.sandboxed ?? [], tool.name)) return 'blocked';
  if (listed(policy.optIn, tool.name)) return 'opt-in';
  if (tool.requiresApproval && !policy.safe.includes(tool.name)) return 'opt-in';
  // The run's own tools are always allowed: without them it could not end.
  if (tool.name.startsWith('run_')) return 'safe';
  if (policy.safe.length === 0 || listed(policy.safe, tool.name)) return 'safe';
  return 'blocked';
}
