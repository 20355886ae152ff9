// Which tools a run may use: what its role, its identity and the run itself say, laid over each other.
import type { ToolPolicy } from '../../../../runtime/ports.ts';
import { namedBy } from '../../../kernel/patterns.ts';
import type { OwnTools } from '../../identities/settings.ts';
import type { ToolLists } from '../tool-profiles/profiles.ts';

export interface PolicyLayer extends ToolLists {
  /** For people, e.g. `role:coder`. */
  name: string;
  /** Tools that no list names may be used too. */
  discoveryEnabled: boolean;
}

/** The tools that steer the run itself; the engine never withholds them. */
const own = ['run_*'];

/**
 * Lays layers over each other, the most general first. What any layer blocks is blocked, what any wants approved is
 * approved, and what any wants sandboxed is used in the sandbox only; of the safe lists the most specific one counts.
 * Undefined without layers: every tool may be used.
 */
export function mergeLayers(layers: readonly PolicyLayer[]): ToolPolicy | undefined {
  if (layers.length === 0) return undefined;
  const decisive = layers.findLast((layer) => layer.safeTools.length > 0 || !layer.discoveryEnabled);
  return {
    safe: decisive ? safeOf(decisive) : [],
    optIn: distinct(layers.flatMap((layer) => layer.optInTools)),
    blocked: distinct(layers.flatMap((layer) => layer.blockedTools)),
    sandboxed: distinct(layers.flatMap((layer) => layer.sandboxedTools)),
    layers: layers.map((layer) => layer.name),
  };
}

/** An empty list would let everything through. */
function safeOf({ safeTools, discoveryEnabled }: PolicyLayer): string[] {
  if (discoveryEnabled) return [...safeTools, '*'];
  return safeTools.length > 0 ? safeTools : own;
}

const everything: ToolPolicy = { safe: [], optIn: [], blocked: [], layers: [] };

/** A policy that exceeds none of the `ceilings`, nor what those may not exceed; those without one allow everything. */
export function confine(policy: ToolPolicy | undefined, ceilings: readonly (ToolPolicy | undefined)[]) {
  const within = ceilings.filter((one) => one !== undefined).flatMap((one) => [one, ...(one.within ?? [])]);
  if (within.length === 0) return policy;
  return { ...(policy ?? everything), within: [...(policy?.within ?? []), ...within] };
}

/**
 * A policy as the identity's own tools narrow it. They never widen it, since whoever may write on an identity need not
 * be who may configure agents; and a tool whose approval was waived by name stays so unless they ask for one.
 */
export function narrowed(policy: ToolPolicy | undefined, own: OwnTools): ToolPolicy | undefined {
  const { safeTools, optInTools, blockedTools } = own;
  if (safeTools.length + optInTools.length + blockedTools.length === 0) return policy;
  const waived = (policy?.safe ?? []).filter(
    (name) => !name.endsWith('*') && (safeTools.length === 0 || safeTools.some((pattern) => namedBy(pattern, name))),
  );
  const name = `identity:${own.name}`;
  const safe = [...new Set([...waived, ...(safeTools.length === 0 ? ['*'] : safeTools)])];
  const ceiling = { safe, optIn: optInTools, blocked: blockedTools, layers: [name] };
  const base = policy ?? everything;
  return {
    ...base,
    blocked: distinct([...base.blocked, ...blockedTools]),
    layers: [...base.layers, name],
    within: [...(base.within ?? []), ceiling],
  };
}

const distinct = (names: readonly string[]) => [...new Set(names)];

/** Whether a policy lets a tool be used, with or without an approval. */
export function permits(policy: ToolPolicy | undefined, tool: string): boolean {
  if (!policy) return true;
  if (policy.within?.some((ceiling) => !permits(ceiling, tool))) return false;
  const listed = (patterns: readonly string[]) => patterns.some((pattern) => namedBy(pattern, tool));
  if (listed(policy.blocked)) return false;
  if (policy.safe.length === 0 || tool.startsWith('run_')) return true;
  return listed(policy.safe) || listed(policy.optIn);
}
