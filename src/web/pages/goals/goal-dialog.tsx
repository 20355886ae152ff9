// States a knowledge goal, changes one, moves it to another status, or deletes it.
import { useState } from 'react';
import type { KnowledgeDomain, KnowledgeGoalDto, KnowledgeGoalStatus } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';

const domains: KnowledgeDomain[] = [
  'General',
  'Technology',
  'Science',
  'Mathematics',
  'Business',
  'Finance',
  'Legal',
  'Health',
  'Security',
  'Product',
  'Operations',
  'Design',
  'Language',
  'Culture',
  'People',
  'Project',
];
/** What a person may move a goal to; the server says the same. */
const moves: Record<KnowledgeGoalStatus, KnowledgeGoalStatus[]> = {
  Active: ['Researching', 'Paused', 'Learned', 'Abandoned'],
  Researching: ['Paused'],
  Paused: ['Active', 'Abandoned'],
  Learned: ['Active'],
  Abandoned: ['Active'],
};

/** One a line; empty lines do not count. */
const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

interface Props {
  goal?: KnowledgeGoalDto;
  onClose: () => void;
  onDone: () => void;
}

const writtenOf = (goal: KnowledgeGoalDto | undefined) => ({
  topic: goal?.topic ?? '',
  description: goal?.description ?? '',
  domain: goal?.domain ?? ('General' as KnowledgeDomain),
  status: goal?.status ?? ('Active' as KnowledgeGoalStatus),
  priority: String(goal?.priority ?? 50),
  queries: (goal?.searchQueries ?? []).join('\n'),
  tags: (goal?.tags ?? []).join('\n'),
});
type Written = ReturnType<typeof writtenOf>;

export function GoalDialog({ goal, onClose, onDone }: Props) {
  const { written, write, clear } = useDraftRecord(`goal.${goal?.id ?? 'new'}`, writtenOf(goal));
  const [deleting, setDeleting] = useState(false);
  const save = async () => {
    const { queries, tags, priority, ...rest } = written;
    const body = { ...rest, priority: Number(priority), searchQueries: linesOf(queries), tags: linesOf(tags) };
    if (goal) await client.knowledgeGoals.patch({ params: { id: goal.id }, body });
    else await client.knowledgeGoals.create({ body });
    clear();
    onDone();
  };
  if (goal && deleting)
    return <Deletion goal={goal} onDone={onDone} onEnd={onClose} onKeep={() => setDeleting(false)} />;
  return (
    <FormDialog
      title={goal ? t('Change the goal') : t('New goal')}
      action={t('Save')}
      ready={written.topic.trim() !== '' && written.priority !== ''}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <GoalFields written={written} from={goal?.status ?? null} onWrite={write} />
      {goal && (
        <div>
          <Button kind="danger" size="small" onClick={() => setDeleting(true)}>
            {t('Delete')}
          </Button>
        </div>
      )}
    </FormDialog>
  );
}

interface FieldsProps {
  written: Written;
  /** The status that it has; null of a new goal, which is active. */
  from: KnowledgeGoalStatus | null;
  onWrite: (change: Partial<Written>) => void;
}

function GoalFields({ written, from, onWrite }: FieldsProps) {
  return (
    <>
      <TextField label={t('Topic')} value={written.topic} onChange={(topic) => onWrite({ topic })} required />
      <TextField
        label={t('Description')}
        value={written.description}
        onChange={(description) => onWrite({ description })}
        rows={3}
      />
      <div className="form-grid">
        <SelectField
          label={t('Domain')}
          value={written.domain}
          onChange={(domain) => onWrite({ domain })}
          options={namesOf(domains)}
        />
        {from && (
          <SelectField
            label={t('Status')}
            value={written.status}
            onChange={(status) => onWrite({ status })}
            options={namesOf([from, ...moves[from]])}
          />
        )}
        <TextField
          label={t('Priority, 0 to 100')}
          type="number"
          value={written.priority}
          onChange={(priority) => onWrite({ priority })}
        />
      </div>
      <TextField
        name="searchQueries"
        label={t('Search queries, one a line')}
        value={written.queries}
        onChange={(queries) => onWrite({ queries })}
        rows={2}
      />
      <TextField label={t('Tags, one a line')} value={written.tags} onChange={(tags) => onWrite({ tags })} rows={2} />
    </>
  );
}

interface DeletionProps {
  goal: KnowledgeGoalDto;
  onDone: () => void;
  onEnd: () => void;
  onKeep: () => void;
}

function Deletion({ goal, onDone, onEnd, onKeep }: DeletionProps) {
  const remove = async () => {
    await client.knowledgeGoals.remove({ params: { id: goal.id } });
    say(t('Deleted'));
    onDone();
    onEnd();
  };
  return (
    <Confirm
      title={t('Delete the goal {topic}?', { topic: goal.topic })}
      action={t('Delete')}
      onConfirm={remove}
      onClose={onKeep}
    >
      <p>{t('Runs no longer receive it. Memories found for it are kept.')}</p>
    </Confirm>
  );
}
