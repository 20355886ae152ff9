// Personal memories as rows: what is remembered, who sees it, who used it last.
import { useState } from 'react';
import type { PersonalMemoryDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, plural, t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { say } from '../../ui/toast.tsx';
import { visibilityText } from './personal-words.ts';

interface Props {
  memories: readonly PersonalMemoryDto[];
  onOpen: (memory: PersonalMemoryDto) => void;
  onChange: () => void;
}

export function PersonalTable({ memories, onOpen, onChange }: Props) {
  const now = useNow();
  const [leaving, setLeaving] = useState<PersonalMemoryDto | null>(null);
  const forget = async () => {
    if (leaving) await client.personalMemories.remove({ params: { id: leaving.id } });
    say(t('Forgotten'));
    onChange();
  };
  return (
    <>
      <Table rows={memories} keyOf={({ id }) => id} columns={columns(now, onOpen, setLeaving)} />
      {leaving && (
        <Confirm title={t('Forget this?')} action={t('Forget')} onConfirm={forget} onClose={() => setLeaving(null)}>
          <p className="memory-content">{leaving.content}</p>
          <p>{t('Its text is gone from everywhere it was kept to be found, and cannot be brought back.')}</p>
        </Confirm>
      )}
    </>
  );
}

const columns = (
  now: number,
  onOpen: (memory: PersonalMemoryDto) => void,
  onForget: (memory: PersonalMemoryDto) => void,
): Column<PersonalMemoryDto>[] => [
  {
    head: t('Remembered'),
    className: 'wide',
    cell: ({ title, content, tags }) => (
      <>
        {title && <strong>{title}</strong>}
        <div>{content}</div>
        {tags.map((tag) => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
      </>
    ),
  },
  { head: t('Category'), cell: ({ category }) => words(category) },
  {
    head: t('Who sees it'),
    cell: ({ visibility, identityIds }) =>
      visibility === 'SelectedIdentities'
        ? plural(identityIds.length, '{n} identity', '{n} identities')
        : visibilityText(visibility),
  },
  {
    head: t('Used'),
    className: 'small',
    cell: ({ usedCount, lastUsedAtUtc, lastUsedByName }) =>
      lastUsedAtUtc
        ? t('{times}, last by {name} {ago}', {
            times: plural(usedCount, '{n} time', '{n} times'),
            name: lastUsedByName ?? t('somebody'),
            ago: formatAgo(lastUsedAtUtc, now),
          })
        : t('never'),
  },
  {
    head: '',
    num: true,
    cell: (memory) => (
      <span className="row">
        <Button size="small" icon="edit" onClick={() => onOpen(memory)}>
          {t('Change')}
        </Button>
        <Button size="small" kind="danger" onClick={() => onForget(memory)}>
          {t('Forget')}
        </Button>
      </span>
    ),
  },
];
