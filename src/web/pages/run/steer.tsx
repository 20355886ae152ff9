// A word to the running run: it reads it at its next turn.
import { type FormEvent, type KeyboardEvent, useRef } from 'react';
import type { AgentRunDto } from '../../../client/index.ts';
import { useDraft } from '../../base/draft.ts';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useGrowing } from '../../ui/use-growing.ts';

export function Steer({ run }: { run: AgentRunDto }) {
  const { text, write, clear } = useDraft(`steer.${run.id}`);
  const { busy, act } = useAction();
  const box = useRef<HTMLTextAreaElement>(null);
  useGrowing(box, text);
  const paused = run.status === 'Paused';
  if (!may('RunsWrite')) return null;
  const send = async () => {
    const content = text.trim();
    if (paused) await client.agentRuns.resume({ params: { id: run.id }, body: { guidance: content } });
    else await client.agentMessages.create({ params: { runId: run.id }, body: { content } });
    clear();
    say(paused ? t('Resumed') : t('Sent'), t('The run reads it at its next turn.'));
  };
  const submit = () => void (text.trim() && act(send));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    submit();
  };
  return (
    <form
      className="steer"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={box}
        className="input"
        rows={1}
        value={text}
        aria-label={t('Message to the run')}
        placeholder={paused ? t('Resume with guidance…') : t('Message to the run; read at its next turn…')}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Button kind="primary" icon="send" type="submit" disabled={busy || !text.trim()}>
        {paused ? t('Resume') : t('Send')}
      </Button>
    </form>
  );
}
