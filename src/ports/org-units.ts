// Which organisation unit work belongs to, and how the units above tighten what the tenant's policy allows: pure over
// what the store has of them.
import { namedBy } from '../kernel/patterns.ts';
import type { Filter } from './db.ts';
import type { InProjects } from './in-project.ts';

/** What a unit tightens; null fields are those of the unit above, or of the tenant. */
export interface UnitPolicy {
  allowedModelIds: string[] | null;
  blockedTools: string[] | null;
  humanApprovalTools: string[] | null;
  maxConcurrentRuns: number | null;
  maxSpawnDepth: number | null;
  swarmChildCeiling: number | null;
  maxRunCostUsd: number | null;
  allowExternalChannels: boolean | null;
}

export const plainUnitPolicy: UnitPolicy = {
  allowedModelIds: null,
  blockedTools: null,
  humanApprovalTools: null,
  maxConcurrentRuns: null,
  maxSpawnDepth: null,
  swarmChildCeiling: null,
  maxRunCostUsd: null,
  allowExternalChannels: null,
};

/**
 * What says which unit work belongs to: that of its project, where the project has one; else that of the identity that
 * does it.
 */
export interface UnitWork {
  tenantId: number;
  projectId?: number | null | undefined;
  identityId?: number | null | undefined;
}

/** A unit as work meets it. */
export interface UnitAbove {
  id: number;
  name: string;
  isActive: boolean;
  policy: UnitPolicy | null;
}

/** The unit that work belongs to and those above it, the nearest first; empty where it belongs to none. */
export type UnitPath = readonly UnitAbove[];

export interface OrgUnits {
  pathOf(work: UnitWork): Promise<UnitPath>;
  /** The path as it was last read, without waiting; null where it was not. */
  lastPathOf(work: UnitWork): UnitPath | null;
}

/** For servers and tests without units. */
export const noUnits: OrgUnits = { pathOf: async () => [], lastPathOf: () => [] };

/** The fields of a tenant's policy that units tighten. */
export interface Tightened {
  allowedModelIds: string[];
  blockedTools: string[];
  humanApprovalTools: string[];
  maxConcurrentRuns: number;
  maxSpawnDepth: number;
  swarmChildCeiling: number;
  maxRunCostUsd: number | null;
  allowExternalChannels: boolean;
}

/** No model has this name: what is left of two lists of models that have nothing in common. */
export const noModel = '(none)';

/** Names and patterns of models that both lists allow; an empty list allows all. */
export function commonModels(one: readonly string[], other: readonly string[]): string[] {
  if (one.length === 0) return [...other];
  if (other.length === 0) return [...one];
  const within = (names: readonly string[], patterns: readonly string[]) =>
    names.filter((name) => patterns.some((pattern) => covers(pattern, name)));
  const common = [...new Set([...within(one, other), ...within(other, one)])];
  return common.length > 0 ? common : [noModel];
}

/** Whether a pattern names all that the other one does. */
export const covers = (pattern: string, other: string): boolean =>
  other.endsWith('*') ? pattern.endsWith('*') && other.startsWith(pattern.slice(0, -1)) : namedBy(pattern, other);

/**
 * Whether what belongs to a unit is there for the caller: for those who are in it, or in one above, and for
 * administrators. Null is no unit: open to the tenant.
 */
export const mayReadInUnit = ({ projects }: InProjects, orgUnitId: number | null | undefined): boolean =>
  orgUnitId == null || projects == null || projects.units?.roles.has(orgUnitId) === true;

/** A filter for documents that have an `orgUnitId`: those that the caller may know of. */
export const visibleInUnits = <Doc extends { orgUnitId: number | null }>({ projects }: InProjects): Filter<Doc> =>
  (projects == null ? {} : { orgUnitId: { $in: [null, ...(projects.units?.roles.keys() ?? [])] } }) as Filter<Doc>;

const least = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other);

/** A policy as a unit below it tightens it. */
export function tighten<Policy extends Tightened>(policy: Policy, unit: UnitPolicy | null): Policy {
  if (!unit) return policy;
  return {
    ...policy,
    allowedModelIds: commonModels(policy.allowedModelIds, unit.allowedModelIds ?? []),
    blockedTools: [...new Set([...policy.blockedTools, ...(unit.blockedTools ?? [])])],
    humanApprovalTools: [...new Set([...policy.humanApprovalTools, ...(unit.humanApprovalTools ?? [])])],
    maxConcurrentRuns: Math.min(policy.maxConcurrentRuns, unit.maxConcurrentRuns ?? policy.maxConcurrentRuns),
    maxSpawnDepth: Math.min(policy.maxSpawnDepth, unit.maxSpawnDepth ?? policy.maxSpawnDepth),
    swarmChildCeiling: Math.min(policy.swarmChildCeiling, unit.swarmChildCeiling ?? policy.swarmChildCeiling),
    maxRunCostUsd: least(policy.maxRunCostUsd, unit.maxRunCostUsd),
    allowExternalChannels: policy.allowExternalChannels && unit.allowExternalChannels !== false,
  };
}

/** A tenant's policy as the units of a path tighten it. */
export const tightenedBy = <Policy extends Tightened>(
  policy: Policy,
  path: readonly Pick<UnitAbove, 'policy'>[],
): Policy => path.reduceRight((above, { policy: own }) => tighten(above, own), policy);
