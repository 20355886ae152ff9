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

export function PersonField({ label, name, users = false, agents = false, value, onChange, chosen, none }: Props) {
  const [q, setQ] = useState('');
  const query = { pageSize: most, ...(q && { q }) };
  const people = useKept(
    useResource(users && may('UsersRead') ? `people named ${q}` : null, () => client.users.list({ query })),
  );
  const others = useKept(
    useResource(agents && may('IdentitiesRead') ? `agents named ${q}` : null, () => client.identities.list({ query })),
  );
  const found = [
    ...(people.data?.items ?? []).map((one) => [`user ${one.id}`, one.displayName || one.username] as const),
    ...(others.data?.items ?? [])
      // People are members as users.
      .filter(({ type }) => type !== 'Human' || !users)
      .map(
        (one) =>
          [`identity ${one.id}`, users ? t('{name}, an agent', { name: one.displayName }) : one.displayName] as const,
      ),
  ];
  const [kept, setKept] = useState<readonly [string, string] | null>(chosen ?? null);
  const isMissing = kept !== null && kept[0] === value && !found.some(([key]) => key === value);
  const isLong = q !== '' || people.data?.hasNextPage || others.data?.hasNextPage;
  const choose = (key: string) => {
    setKept(found.find(([one]) => one === key) ?? kept);
    onChange(key);
  };
  return (
    <div className="stack tight">
      {isLong && <SearchField label={t('Find by name')} q={q} onSearch={setQ} />}
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
