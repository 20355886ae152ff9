// Hints of an identity: what its runs and chats are reminded of, once or again and again.
import { useState } from 'react';
import type { IdentityHintDto } from '../../../client/index.ts';
import { formatDate, formatNumber, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';

export function Hints({ identityId }: { identityId: number }) {
  const params = { identityId };
  const list = useResource(`hints ${identityId}`, () =>
    client.identityHints.list({ params, query: { pageSize: 200, sort: 'triggerAtUtc' } }),
  );
  const [open, setOpen] = useState<IdentityHintDto | 'new' | null>(null);
  const { busy, act } = useAction();
  const end = (how: 'complete' | 'dismiss') => (hint: IdentityHintDto) =>
    void act(() => client.identityHints[how]({ params: { identityId, hintId: hint.id }, body: {} })).then(list.reload);
  const actions = { busy, onOpen: setOpen, onComplete: end('complete'), onDismiss: end('dismiss') };
  return (
    <div className="stack">
      {may('MemoriesWrite') && (
        <div>
          <Button icon="plus" onClick={() => setOpen('new')}>
            {t('New hint')}
          </Button>
        </div>
      )}
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No open hints')}>
              {t('A hint is a reminder that runs and chats get when it is due.')}
            </Empty>
          ) : (
            <Table rows={items} keyOf={({ id }) => id} columns={columns(actions)} />
          )
        }
      </Loaded>
      {open && (
        <HintDialog
          identityId={identityId}
          {...(open === 'new' ? {} : { hint: open })}
          onClose={() => setOpen(null)}
          onDone={list.reload}
        />
      )}
    </div>
  );
}

interface Actions {
  busy: boolean;
  onOpen: (hint: IdentityHintDto) => void;
  onComplete: (hint: IdentityHintDto) => void;
  onDismiss: (hint: IdentityHintDto) => void;
}

const columns = ({ busy, onOpen, onComplete, onDismiss }: Actions): Column<IdentityHintDto>[] => [
  {
    head: t('Hint'),
    className: 'wide',
    cell: (one) => (
      <>
        {one.content} {one.category && <span className="tag">{one.category}</span>}
      </>
    ),
  },
  {
    head: t('Due'),
    className: 'small nowrap',
    cell: (one) => (one.triggerAtUtc ? formatDate(one.triggerAtUtc) : t('now')),
  },
  { head: t('Recurrence'), className: 'mono small', cell: (one) => one.recurrencePattern ?? t('once') },
  { head: t('Priority'), num: true, cell: (one) => formatNumber(one.priority) },
  {
    head: '',
    num: true,
    cell: (one) =>
      may('MemoriesWrite') && (
        <span className="row wrap">
          <Button size="small" icon="edit" onClick={() => onOpen(one)}>
            {t('Change')}
          </Button>
          <Button size="small" icon="check" disabled={busy} onClick={() => onComplete(one)}>
            {t('Complete')}
          </Button>
          <Button size="small" kind="danger" disabled={busy} onClick={() => onDismiss(one)}>
            {t('Dismiss')}
          </Button>
        </span>
      ),
  },
];

interface DialogProps {
  identityId: number;
  hint?: IdentityHintDto;
  onClose: () => void;
  onDone: () => void;
}

/** A time as the field for it wants it: local, to the minute. */
function localOf(at: string | null | undefined): string {
  if (!at) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function HintDialog({ identityId, hint, onClose, onDone }: DialogProps) {
  const [content, setContent] = useState(hint?.content ?? '');
  const [category, setCategory] = useState(hint?.category ?? '');
  const [priority, setPriority] = useState(String(hint?.priority ?? 50));
  const [at, setAt] = useState(localOf(hint?.triggerAtUtc));
  const [rule, setRule] = useState(hint?.recurrencePattern ?? '');
  const save = async () => {
    const body = {
      content: content.trim(),
      category: category.trim() || null,
      priority: Number(priority),
      triggerAtUtc: at ? new Date(at).toISOString() : null,
      recurrencePattern: rule.trim() || null,
      isRecurring: rule.trim() !== '',
    };
    if (hint) await client.identityHints.replace({ params: { identityId, hintId: hint.id }, body });
    else await client.identityHints.create({ params: { identityId }, body });
    onDone();
  };
  return (
    <FormDialog
      title={hint ? t('Change the hint') : t('New hint')}
      action={t('Save')}
      ready={content.trim() !== '' && priority !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField name="content" label={t('Hint')} value={content} onChange={setContent} rows={3} required />
      <div className="form-grid">
        <TextField
          name="triggerAtUtc"
          label={t('Due')}
          type="datetime-local"
          value={at}
          onChange={setAt}
          hint={t('Empty is at once.')}
        />
        <TextField label={t('Priority, 0 to 100')} type="number" value={priority} onChange={setPriority} />
        <TextField label={t('Category')} value={category} onChange={setCategory} />
      </div>
      <TextField
        label={t('Recurrence')}
        value={rule}
        onChange={setRule}
        mono
        placeholder="FREQ=WEEKLY;BYDAY=MO"
        hint={t('A rule of RFC 5545, in UTC; empty is once.')}
      />
    </FormDialog>
  );
}
