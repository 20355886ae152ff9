// Knowledge goals as rows: what each is about, how it stands and how much is known of it.
import type { KnowledgeGoalDto, KnowledgeGoalStatus } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatNumber, formatPercent, plural, t, words } from '../../base/i18n.ts';
import { may } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Chip, type Shape, type Tone } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';

const looks: Record<KnowledgeGoalStatus, [Shape, Tone]> = {
  Active: ['hollow', 'accent'],
  Researching: ['flow', 'accent'],
  Paused: ['bars', 'plain'],
  Learned: ['tick', 'good'],
  Abandoned: ['dam', 'plain'],
};

interface Props {
  goals: readonly KnowledgeGoalDto[];
  /** The one that is researched next. */
  nextId: number | null;
  onOpen: (goal: KnowledgeGoalDto) => void;
  /** Shows how what is known has grown. */
  onSteps: (goal: KnowledgeGoalDto) => void;
}

export function GoalTable({ goals, nextId, onOpen, onSteps }: Props) {
  const now = useNow();
  return <Table rows={goals} keyOf={(goal) => goal.id} columns={columns(now, { nextId, onOpen, onSteps })} />;
}

const columns = (now: number, { nextId, onOpen, onSteps }: Omit<Props, 'goals'>): Column<KnowledgeGoalDto>[] => [
  {
    head: t('Goal'),
    className: 'wide',
    cell: (goal) => (
      <>
        <div className="row wrap">
          <strong>{goal.topic}</strong>
          {goal.id === nextId && (
            <span className="tag" data-tone="accent">
              {t('next')}
            </span>
          )}
          {goal.tags?.map((tag) => (
            <span key={tag} className="tag">
              {tag}
            </span>
          ))}
        </div>
        {goal.description && <div className="small muted clamp">{goal.description}</div>}
      </>
    ),
  },
  { head: t('Domain'), cell: (goal) => words(goal.domain) },
  {
    head: t('Status'),
    cell: ({ status }) => {
      const [shape, tone] = looks[status];
      return (
        <Chip shape={shape} tone={tone}>
          {words(status)}
        </Chip>
      );
    },
  },
  { head: t('Priority'), num: true, cell: (goal) => formatNumber(goal.priority) },
  {
    head: t('Known'),
    className: 'known',
    cell: (goal) => (
      <span className="row num">
        <progress value={goal.knowledgeLevel} max={1} aria-label={t('Known')} />
        <button type="button" className="link" onClick={() => onSteps(goal)}>
          {t('{share}, how', { share: formatPercent(goal.knowledgeLevel) })}
        </button>
      </span>
    ),
  },
  {
    head: t('Last researched'),
    className: 'small nowrap',
    cell: ({ researchRunCount, lastResearchedAtUtc }) =>
      lastResearchedAtUtc
        ? `${plural(researchRunCount, '{n} run', '{n} runs')} · ${formatAgo(lastResearchedAtUtc, now)}`
        : t('never'),
  },
  {
    head: '',
    num: true,
    cell: (goal) =>
      may('KnowledgeWrite') && (
        <Button size="small" icon="edit" onClick={() => onOpen(goal)}>
          {t('Change')}
        </Button>
      ),
  },
];
