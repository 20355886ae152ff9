// Whose memories, and which project's facts, a page is about: the URL says so, else the reader's own or the first.
import type { IdentityDto, ProjectDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may, server } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { SelectField } from '../../ui/field.tsx';

export function useIdentities() {
  return useResource(may('IdentitiesRead') ? 'identities of memory' : null, () =>
    client.identities.list({ query: { pageSize: 200, sort: 'name' } }),
  );
}

export function useProjects() {
  return useResource(may('ProjectsRead') ? 'projects of memory' : null, () =>
    client.projects.list({ query: { pageSize: 200 } }),
  );
}

/** Null while it is not known whose. */
export function useChosenIdentity(identities: readonly IdentityDto[] | undefined): number | null {
  const { query } = useLocation();
  const own = server.get()?.principal.identity?.id ?? null;
  return Number(query.get('identity')) || own || identities?.[0]?.id || null;
}

export const nameOf = ({ name, displayName }: Pick<IdentityDto, 'name' | 'displayName'>) => displayName || name;

interface IdentityFieldProps {
  identities: readonly IdentityDto[];
  chosen: number | null;
}

export function IdentityField({ identities, chosen }: IdentityFieldProps) {
  if (identities.length < 2) return null;
  return (
    <SelectField
      label={t('Identity')}
      value={String(chosen ?? '')}
      onChange={(identity) => patchQuery({ identity, memory: null, page: null })}
      options={identities.map((one) => [String(one.id), nameOf(one)] as const)}
    />
  );
}

/** Projects as options of a form; the empty one is called `none`. */
export const projectOptions = (projects: readonly ProjectDto[], none: string) =>
  [['', none] as const, ...projects.map((one) => [String(one.id), `${one.name} (${one.key})`] as const)] as const;
