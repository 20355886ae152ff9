// The entries of a review as tables: included or left out by a tick, and opened by their titles.
import type { ImportConversationDto, ImportItemDto } from '../../../client/index.ts';
import { formatDay, formatNumber, plural, t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Flags } from './marks.tsx';

export interface Deciding {
  importId: number;
  canDecide: boolean;
  onDone: () => void;
}

interface Props<Row> extends Deciding {
  rows: readonly Row[];
  /** Ids of those that are remembered already. */
  known: ReadonlySet<number>;
  onOpen: (id: number) => void;
}

export const titleOf = ({ title }: { title: string | null }) => title || t('Without a title');

export function Conversations({ rows, known, onOpen, ...deciding }: Props<ImportConversationDto>) {
  const columns: Column<ImportConversationDto>[] = [
    {
      head: t('Included'),
      cell: (one) => <Tick {...deciding} kind="conversations" id={one.id} approved={one.approved} of={titleOf(one)} />,
    },
    {
      head: t('Conversation'),
      className: 'wide',
      cell: (one) => (
        <>
          <button type="button" className="link import-name" onClick={() => onOpen(one.id)}>
            {titleOf(one)}
          </button>
          {one.summary && <div className="small muted import-summary">{one.summary}</div>}
        </>
      ),
    },
    { head: t('Messages'), num: true, cell: ({ messageCount }) => formatNumber(messageCount) },
    { head: t('Begun'), cell: ({ startedAtUtc }) => (startedAtUtc ? formatDay(startedAtUtc) : '–') },
    {
      head: t('Marks'),
      cell: ({ id, scrubFlagCount }) => (
        <Marks
          flags={scrubFlagCount > 0 ? [plural(scrubFlagCount, '{n} flag', '{n} flags')] : []}
          isKnown={known.has(id)}
        />
      ),
    },
  ];
  return <Table rows={rows} keyOf={({ id }) => id} columns={columns} />;
}

/** A fact by its key, a memory by its title. */
export const nameOfItem = ({ key, title, content }: ImportItemDto) => key || title || content.slice(0, 60);

export function Items({ rows, known, onOpen, ...deciding }: Props<ImportItemDto>) {
  const columns: Column<ImportItemDto>[] = [
    {
      head: t('Included'),
      cell: (one) => <Tick {...deciding} kind="items" id={one.id} approved={one.approved} of={nameOfItem(one)} />,
    },
    {
      head: t('Memory or fact'),
      className: 'wide',
      cell: (one) => (
        <>
          <button type="button" className="link import-name" onClick={() => onOpen(one.id)}>
            {nameOfItem(one)}
          </button>
          <div className="small muted import-summary">{one.content}</div>
        </>
      ),
    },
    { head: t('Kind'), cell: ({ kind, restoresAs }) => words(restoresAs ?? kind) },
    { head: t('Importance'), num: true, cell: ({ importance }) => formatNumber(importance) },
    {
      head: t('Marks'),
      cell: (one) => <Marks flags={one.scrubFlags} isKnown={known.has(one.id)} isRestoreOnly={one.restoreOnly} />,
    },
  ];
  return <Table rows={rows} keyOf={({ id }) => id} columns={columns} />;
}

interface TickProps extends Deciding {
  kind: 'conversations' | 'items';
  id: number;
  approved: boolean;
  /** What it is called. */
  of: string;
}

function Tick({ importId, canDecide, onDone, kind, id, approved, of }: TickProps) {
  const { busy, act } = useAction();
  const turn = () =>
    act(async () => {
      await client.imports.decide({ params: { id: importId }, body: { [kind]: [{ id, approved: !approved }] } });
      onDone();
    });
  return (
    <input
      type="checkbox"
      className="import-tick"
      aria-label={t('Include {name}', { name: of })}
      checked={approved}
      disabled={!canDecide || busy}
      onChange={() => void turn()}
    />
  );
}

interface MarksProps {
  flags: readonly string[];
  isKnown: boolean;
  isRestoreOnly?: boolean;
}

function Marks({ flags, isKnown, isRestoreOnly = false }: MarksProps) {
  return (
    <span className="row wrap">
      <Flags flags={flags} />
      {isKnown && <span className="tag">{t('known already')}</span>}
      {isRestoreOnly && <span className="tag">{t('by restoring only')}</span>}
    </span>
  );
}
