// Which memories are listed or searched: by type, origin, project, tag, time and sharing. The URL holds it.
import { useState } from 'react';
import type { MemoryType, Provenance } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { projectOptions, useProjects } from './chosen.tsx';
import { anyOr, memoryTypes, provenances } from './vocabulary.ts';

export interface Asked {
  type: MemoryType | null;
  provenance: Provenance | null;
  projectId: number | null;
  tag: string | null;
  isShared: boolean | null;
  fromUtc: string | null;
  toUtc: string | null;
  includeArchived: boolean | null;
}

/** The beginning of a day as the reader has it; null where it is none. */
function dayStart(day: string | null, plusDays = 0): string | null {
  const at = new Date(`${day}T00:00`);
  if (!day || Number.isNaN(at.getTime())) return null;
  at.setDate(at.getDate() + plusDays);
  return at.toISOString();
}

const sharing: Record<string, boolean> = { shared: true, private: false };

export const askedIn = (query: URLSearchParams): Asked => ({
  type: memoryTypes.find((one) => one === query.get('type')) ?? null,
  provenance: provenances.find((one) => one === query.get('provenance')) ?? null,
  projectId: Number(query.get('project')) || null,
  tag: query.get('tag') || null,
  isShared: sharing[query.get('sharing') ?? ''] ?? null,
  fromUtc: dayStart(query.get('from')),
  // The last day is included.
  toUtc: dayStart(query.get('to'), 1),
  includeArchived: query.get('archived') ? true : null,
});

export const countOf = (asked: Asked): number => Object.values(asked).filter((one) => one !== null).length;

const none = { type: null, provenance: null, project: null, tag: null, sharing: null };
const noTime = { from: null, to: null, archived: null, page: null };

export function Filters({ asked, searching }: { asked: Asked; searching: boolean }) {
  const count = countOf(asked);
  const [open, setOpen] = useState(count > 0);
  return (
    <>
      <Button size="small" pressed={open} onClick={() => setOpen(!open)}>
        {count > 0 ? plural(count, '{n} filter', '{n} filters') : t('Filters')}
      </Button>
      {count > 0 && (
        <Button size="small" kind="plain" onClick={() => patchQuery({ ...none, ...noTime })}>
          {t('Clear filters')}
        </Button>
      )}
      {searching && <span className="small muted">{t('Say a time, and what is from then comes first.')}</span>}
      {open && <Fields asked={asked} />}
    </>
  );
}

function Fields({ asked }: { asked: Asked }) {
  const { query } = useLocation();
  const projects = useProjects();
  const set = (name: string) => (value: string) => patchQuery({ [name]: value, page: null });
  return (
    <div className="more-filters">
      <SelectField label={t('Type')} value={asked.type ?? ''} onChange={set('type')} options={anyOr(memoryTypes)} />
      <SelectField
        label={t('Origin')}
        value={asked.provenance ?? ''}
        onChange={set('provenance')}
        options={anyOr(provenances)}
      />
      {(projects.data?.items.length ?? 0) > 0 && (
        <SelectField
          label={t('Project')}
          value={String(asked.projectId ?? '')}
          onChange={set('project')}
          options={projectOptions(projects.data?.items ?? [], t('Any'))}
        />
      )}
      <TextField label={t('Tag')} value={asked.tag ?? ''} onChange={set('tag')} />
      <SelectField
        label={t('Sharing')}
        value={asked.isShared === null ? '' : asked.isShared ? 'shared' : 'private'}
        onChange={set('sharing')}
        options={[
          ['', t('Any')],
          ['shared', t('Shared with all')],
          ['private', t('Of the identity alone')],
        ]}
      />
      <TextField label={t('Written from')} type="date" value={query.get('from') ?? ''} onChange={set('from')} />
      <TextField label={t('Written until')} type="date" value={query.get('to') ?? ''} onChange={set('to')} />
      <CheckField
        label={t('With archived ones')}
        checked={asked.includeArchived === true}
        onChange={(has) => patchQuery({ archived: has ? 1 : null, page: null })}
      />
    </div>
  );
}
