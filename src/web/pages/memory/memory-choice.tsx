// One memory of several, searched for by words or meaning.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { SearchField } from '../../ui/search-field.tsx';

interface Props {
  identityId: number;
  /** What is looked for until something else is asked. */
  question: string;
  /** What cannot be chosen. */
  exceptId?: number;
  chosen: number | null;
  onChoose: (id: number) => void;
}

/** A question may have so many characters. */
const longest = 1500;
const mostHits = 8;

export function MemoryChoice({ identityId, question, exceptId, chosen, onChoose }: Props) {
  const [q, setQ] = useState('');
  const asked = (q || question).slice(0, longest);
  const found = useKept(
    useResource(`memory choice ${identityId} ${asked}`, () =>
      client.memories.search({ params: { identityId }, query: { q: asked, limit: mostHits } }),
    ),
  );
  const hits = (found.data?.results ?? []).filter(({ memory }) => memory.id !== exceptId);
  return (
    <>
      <SearchField label={t('Search memories')} q={q} onSearch={setQ} />
      <fieldset className="choices">
        <legend>{t('Memory')}</legend>
        {hits.map(({ memory, snippet }) => (
          <label key={memory.id} className="check">
            <input type="radio" name="memory" checked={chosen === memory.id} onChange={() => onChoose(memory.id)} />
            <span className="grow">
              {memory.title} <span className="muted small">{snippet}</span>
            </span>
          </label>
        ))}
        {found.data && hits.length === 0 && <p className="muted">{t('Nothing found. Search for other words.')}</p>}
      </fieldset>
    </>
  );
}
