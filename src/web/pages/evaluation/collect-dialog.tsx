// Collects inputs from past work: completed runs, and chats of the reader.
import { useState } from 'react';
import { lineWords } from '../../../markdown/tree.ts';
import { plural, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';

interface Props {
  id: number;
  onClose: () => void;
  onDone: () => void;
}

export function CollectDialog({ id, onClose, onDone }: Props) {
  const runs = useResource('runs to collect', () =>
    client.agentRuns.list({ query: { status: ['Completed'], pageSize: 50, rootsOnly: true } }),
  );
  const chats = useResource(may('ChatRead') ? 'chats to collect' : null, () =>
    client.chat.list({ query: { pageSize: 50 } }),
  );
  const [runIds, setRuns] = useState<number[]>([]);
  const [chatSessionIds, setChats] = useState<number[]>([]);
  const save = async () => {
    const { itemCount } = await client.evaluationDatasets.collect({ params: { id }, body: { runIds, chatSessionIds } });
    say(plural(itemCount, 'The dataset has {n} input now', 'The dataset has {n} inputs now'));
    onDone();
  };
  return (
    <FormDialog
      wide
      title={t('Collect inputs')}
      action={t('Add')}
      ready={runIds.length + chatSessionIds.length > 0}
      onSubmit={save}
      onClose={onClose}
    >
      <p className="muted">{t('Everybody who sees the dataset will see the words that you choose here.')}</p>
      <Loaded resource={runs} rows={3}>
        {({ items }) => (
          <Choices
            legend={t('Runs: the goal, and the result as the expected answer')}
            all={items.map((run) => [run.id, run.goal] as const)}
            chosen={runIds}
            onChange={setRuns}
          />
        )}
      </Loaded>
      {chats.data && (
        <Choices
          legend={t('Chats: each question with its answer')}
          all={chats.data.items.map((one) => [one.id, lineWords(one.title) || t('New chat')] as const)}
          chosen={chatSessionIds}
          onChange={setChats}
        />
      )}
    </FormDialog>
  );
}

interface ChoicesProps {
  legend: string;
  all: readonly (readonly [number, string])[];
  chosen: readonly number[];
  onChange: (chosen: number[]) => void;
}

function Choices({ legend, all, chosen, onChange }: ChoicesProps) {
  const toggle = (id: number) => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <fieldset className="choice-list">
      <legend>{legend}</legend>
      {all.length === 0 && <p className="muted small">{t('There are none yet.')}</p>}
      {all.map(([id, text]) => (
        <label key={id} className="check">
          <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
          <span className="faint num">{id}</span>
          <span className="truncate">{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
