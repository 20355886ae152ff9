// Shows log lines as they are answered.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { LogEntry } from '../../logs/entry.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { namesOf } from '../identity-names.ts';
import type { SystemLogDto } from './dto.ts';

export function toSystemLogDto(entry: LogEntry, identityName: string | null = null): SystemLogDto {
  const { id, at, host, route: _, ofDigest: __, ...same } = entry;
  return { id, ...same, sourceHost: host, identityName, createdAtUtc: new Date(at).toISOString() };
}

/** Lines with the names of their identities, which are those of the tenant. */
export async function toSystemLogDtos(
  identities: PerTenant<IdentityDoc>,
  tenantId: number,
  entries: readonly LogEntry[],
): Promise<SystemLogDto[]> {
  const ids = entries.map(({ identityId }) => identityId).filter((id) => id !== null);
  const names = await namesOf(identities, tenantId, ids);
  return entries.map((entry) => toSystemLogDto(entry, names.get(entry.identityId ?? 0) ?? null));
}
