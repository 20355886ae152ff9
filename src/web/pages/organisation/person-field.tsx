// Chooses a user or an agent by name: all of a small tenant at once, found by a search where there are many.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { SelectField } from '../../ui/field.tsx';
import { SearchField } from '../../ui/search-field.tsx';

/** How many are offered at once; a search finds the others. */
const most = 100;

interface Props {
  label: string;
  /** Its name in the interface. */
  name?: string;
  users?: boolean;
  agents?: boolean;
  /** `user 3`, `identity 4`, or empty. */
  value: string;
  onChange: (value: string) => void;
  /** Who is chosen now, which the lists need not show. */
  chosen?: readonly [value: string, name: string] | null;
  /** What it says where nobody is chosen. */
  none: string;
}

type Option = readonly [value: string, name: string];

/** Users and agents by name. Who may not read users knows people by their identities, which name their users. */
function useFound({ users = false, agents = false }: Pick<Props, 'users' | 'agents'>, q: string) {
  const query = { pageSize: most, ...(q && { q }) };
  const readsUsers = users && may('UsersRead');
  const readsIdentities = may('IdentitiesRead') && (agents || !readsUsers);
  const people = useKept(useResource(readsUsers ? `people named ${q}` : null, () => client.users.list({ query })));
  const others = useKept(
    useResource(readsIdentities ? `identities named ${q}` : null, () => client.identities.list({ query })),
  );
  const byName = (people.data?.items ?? []).map((one): Option => [`user ${one.id}`, one.displayName || one.username]);
  const byIdentity = (others.data?.items ?? []).flatMap(({ id, type, userId, displayName }): Option[] => {
    if (!users) return [[`identity ${id}`, displayName]];
    if (type !== 'Human') return agents ? [[`identity ${id}`, t('{name}, an agent', { name: displayName })]] : [];
    // People are members as users.
    return readsUsers || userId === null ? [] : [[`user ${userId}`, displayName]];
  });
  const hasMore = people.data?.hasNextPage || others.data?.hasNextPage || false;
  return { found: [...byName, ...byIdentity], hasMore };
}

export function PersonField({ label, name, users, agents, value, onChange, chosen = null, none }: Props) {
  const [q, setQ] = useState('');
  const { found, hasMore } = useFound({ ...(users && { users }), ...(agents && { agents }) }, q);
  // A search may leave out who is chosen.
  const [kept, setKept] = useState<Option | null>(chosen);
  const isMissing = kept !== null && kept[0] === value && !found.some(([key]) => key === value);
  const choose = (key: string) => {
    setKept(found.find(([one]) => one === key) ?? kept);
    onChange(key);
  };
  return (
    <div className="stack tight">
      {(q !== '' || hasMore) && <SearchField label={t('Find by name')} q={q} onSearch={setQ} />}
      <SelectField
        label={label}
        {...(name && { name })}
        value={value}
        onChange={choose}
        options={[['', none] as const, ...(isMissing ? [kept] : []), ...found]}
      />
    </div>
  );
}

/** The id of a chosen user; null for another choice. */
export const userIdOf = (value: string) => (value.startsWith('user ') ? Number(value.slice(5)) : null);
export const identityIdOf = (value: string) => (value.startsWith('identity ') ? Number(value.slice(9)) : null);
