// States a knowledge goal, changes one, moves it to another status, or deletes it.
import { useState } from 'react';
import type { KnowledgeDomain, KnowledgeGoalDto, KnowledgeGoalStatus } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';

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

export function GoalDialog({ goal, onClose, onDone }: Props) {
  const [written, setWritten] = useState(() => ({
    topic: goal?.topic ?? '',
    description: goal?.description ?? '',
    domain: goal?.domain ?? ('General' as KnowledgeDomain),
    status: goal?.status ?? ('Active' as KnowledgeGoalStatus),
    priority: String(goal?.priority ?? 50),
    queries: (goal?.searchQueries ?? []).join('\n'),
    tags: (goal?.tags ?? []).join('\n'),
  }));
  const [deleting, setDeleting] = useState(false);
  const write = (change: Partial<typeof written>) => setWritten({ ...written, ...change });
  const save = async () => {
    const { queries, tags, priority, ...rest } = written;
    const body = { ...rest, priority: Number(priority), searchQueries: linesOf(queries), tags: linesOf(tags) };
    if (goal) await client.knowledgeGoals.patch({ params: { id: goal.id }, body });
    else await client.knowledgeGoals.create({ body });
    onDone();
  };
  const remove = async () => {
    if (goal) await client.knowledgeGoals.remove({ params: { id: goal.id } });
    say(t('Deleted'));
    onDone();
    onClose();
  };
  if (goal && deleting)
    return (
      <Confirm
        title={t('Delete the goal {topic}?', { topic: goal.topic })}
        action={t('Delete')}
        onConfirm={remove}
        onClose={() => setDeleting(false)}
      >
        <p>{t('Runs are no longer told of it. What was found out stays.')}</p>
      </Confirm>
    );
  return (
    <FormDialog
      title={goal ? t('Change the goal') : t('New goal')}
      action={t('Save')}
      ready={written.topic.trim() !== '' && written.priority !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={t('Topic')} value={written.topic} onChange={(topic) => write({ topic })} required />
      <TextField
        label={t('Description')}
        value={written.description}
        onChange={(description) => write({ description })}
        rows={3}
      />
      <div className="form-grid">
        <SelectField
          label={t('Domain')}
          value={written.domain}
          onChange={(domain) => write({ domain })}
          options={domains.map((one) => [one, words(one)] as const)}
        />
        {goal && (
          <SelectField
            label={t('Status')}
            value={written.status}
            onChange={(status) => write({ status })}
            options={[goal.status, ...moves[goal.status]].map((one) => [one, words(one)] as const)}
          />
        )}
        <TextField
          label={t('Priority, 0 to 100')}
          type="number"
          value={written.priority}
          onChange={(priority) => write({ priority })}
        />
      </div>
      <TextField
        label={t('Search queries, one a line')}
        value={written.queries}
        onChange={(queries) => write({ queries })}
        rows={2}
      />
      <TextField label={t('Tags, one a line')} value={written.tags} onChange={(tags) => write({ tags })} rows={2} />
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
