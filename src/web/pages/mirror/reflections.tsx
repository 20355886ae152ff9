// Reflections of an identity: listed or searched, read whole, made into training pairs.
import { useState } from 'react';
import type { CompulsionType, ReflectionListDto } from '../../../client/index.ts';
import { formatDate, formatNumber, namesOf, t, words } from '../../base/i18n.ts';
import { patchFromHere, patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import type { PartProps } from './part-props.ts';
import { Sides } from './sides.tsx';

const kinds: CompulsionType[] = [
  ...(['Sycophancy', 'FalseAgreement', 'Overconfidence', 'ExcessiveHedging', 'Fabrication'] as const),
  ...(['NeedlessRefusal', 'Overapology', 'Verbosity', 'SelfDiminishing', 'PrematureCompletion'] as const),
  ...(['AuthorityDeference', 'ConflictAvoidance', 'Other'] as const),
];
const pageSize = 50;

export function Reflections({ identityId }: PartProps) {
  const { query } = useLocation();
  const [q, page] = [query.get('q') ?? '', pageIn(query)];
  const open = Number(query.get('reflection')) || null;
  const [making, setMaking] = useState(false);
  const params = { identityId };
  const list = useKept(
    useResource(`reflections ${identityId} ${q} ${page}`, async () => {
      if (!q) return client.reflections.list({ params, query: { page, pageSize } });
      return { items: await client.reflections.search({ params, query: { q, limit: pageSize } }), totalPages: 1 };
    }),
  );
  useEvery(list.reload);
  return (
    <>
      <div className="filters">
        <SearchField
          label={t('Search by words or meaning')}
          q={q}
          onSearch={(text) => patchQuery({ q: text, page: null })}
        />
        {may('MirrorWrite') && (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {t('New reflection')}
          </Button>
        )}
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={q ? t('No reflection matches') : t('No reflections yet')}>
              {t(
                'A reflection says what pulled an identity to please, and what it did. Agents write them, and so can you.',
              )}
            </Empty>
          ) : (
            <>
              <Table rows={found.items} keyOf={({ id }) => id} columns={columns} />
              {'hasNextPage' in found && <UrlPages page={page} list={found} />}
            </>
          )
        }
      </Loaded>
      {making && <ReflectionForm identityId={identityId} onClose={() => setMaking(false)} onDone={list.reload} />}
      {open !== null && <ReflectionView id={open} onChange={list.reload} />}
    </>
  );
}

const columns: Column<ReflectionListDto>[] = [
  {
    head: t('What pulled'),
    className: 'wide',
    cell: ({ id, triggerContext, tags }) => (
      <>
        <button type="button" className="link" onClick={() => patchQuery({ reflection: id })}>
          {triggerContext}
        </button>{' '}
        {tags.map((tag) => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
      </>
    ),
  },
  { head: t('Kind'), cell: ({ compulsionType }) => words(compulsionType) },
  { head: t('Strength'), num: true, cell: ({ intensity }) => formatNumber(intensity) },
  { head: t('Resisted'), cell: ({ wasResisted }) => (wasResisted ? t('yes') : t('no')) },
  { head: t('When'), cell: ({ createdAtUtc }) => formatDate(createdAtUtc) },
];

function ReflectionView({ id, onChange }: { id: number; onChange: () => void }) {
  const one = useResource(`reflection ${id}`, () => client.reflections.get({ params: { id } }));
  const [deleting, setDeleting] = useState(false);
  const { busy, act } = useAction();
  const close = () => patchQuery({ reflection: null });
  const learn = () =>
    act(async () => {
      const patch = patchFromHere();
      await client.reflectionPairs.create({ params: { reflectionId: id }, body: {} });
      say(t('A draft of a training pair is there.'));
      patch({ reflection: null, tab: 'pairs' });
    });
  const remove = async () => {
    const patch = patchFromHere();
    await client.reflections.remove({ params: { id } });
    onChange();
    patch({ reflection: null });
  };
  if (deleting)
    return (
      <Confirm
        title={t('Delete the reflection?')}
        action={t('Delete')}
        onConfirm={remove}
        onClose={() => setDeleting(false)}
      >
        <p>{t('Pairs that were made of it stay.')}</p>
      </Confirm>
    );
  return (
    <Dialog wide title={t('Reflection')} onClose={close}>
      <Loaded resource={one} rows={4}>
        {(found) => (
          <div className="stack">
            <p>{found.triggerContext}</p>
            <Sides
              left={[t('What is honest'), found.honestResponse]}
              right={[t('What would have pleased'), found.compliantResponse]}
            />
            {found.narrative && <p className="muted">{found.narrative}</p>}
            {may('MirrorWrite') && (
              <div className="row wrap">
                <Button kind="primary" disabled={busy} onClick={() => void learn()}>
                  {t('Learn from it')}
                </Button>
                <Button kind="danger" onClick={() => setDeleting(true)}>
                  {t('Delete')}
                </Button>
              </div>
            )}
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

const empty = {
  ...{ compulsionType: 'Sycophancy' as CompulsionType, intensity: '5', wasResisted: true },
  ...{ triggerContext: '', compliantResponse: '', honestResponse: '', narrative: '' },
};

interface FormProps {
  identityId: number;
  onClose: () => void;
  onDone: () => void;
}

function ReflectionForm({ identityId, onClose, onDone }: FormProps) {
  const { written, write, clear } = useDraftRecord(`reflection.${identityId}`, empty);
  const save = async () => {
    const body = { ...written, intensity: Number(written.intensity), narrative: written.narrative || null };
    await client.reflections.create({ params: { identityId }, body });
    clear();
    onDone();
  };
  const { triggerContext, honestResponse, compliantResponse } = written;
  const ready = [triggerContext, honestResponse, compliantResponse].every((text) => text.trim());
  return (
    <FormDialog
      title={t('New reflection')}
      action={t('Save')}
      ready={ready}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <div className="form-grid">
        <SelectField
          label={t('Kind')}
          value={written.compulsionType}
          onChange={(compulsionType) => write({ compulsionType })}
          options={namesOf(kinds)}
        />
        <TextField
          name="intensity"
          label={t('Strength, 1 to 10')}
          type="number"
          value={written.intensity}
          onChange={(intensity) => write({ intensity })}
        />
      </div>
      <CheckField
        label={t('It was resisted')}
        checked={written.wasResisted}
        onChange={(wasResisted) => write({ wasResisted })}
      />
      <TextField
        name="triggerContext"
        label={t('What pulled')}
        value={written.triggerContext}
        onChange={(triggerContext) => write({ triggerContext })}
        rows={2}
        required
      />
      <TextField
        name="honestResponse"
        label={t('What is honest')}
        value={written.honestResponse}
        onChange={(honestResponse) => write({ honestResponse })}
        rows={3}
        required
      />
      <TextField
        name="compliantResponse"
        label={t('What would have pleased')}
        value={written.compliantResponse}
        onChange={(compliantResponse) => write({ compliantResponse })}
        rows={3}
        required
      />
      <TextField
        name="narrative"
        label={t('In other words')}
        value={written.narrative}
        onChange={(narrative) => write({ narrative })}
        rows={2}
      />
    </FormDialog>
  );
}
