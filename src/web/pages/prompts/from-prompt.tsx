// Chooses a saved prompt from a list, asks for its variables, and hands the text on.
import { useId, useState } from 'react';
import type { PromptListDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { allPrompts, fitting } from '../../state/prompts.ts';
import { useResource } from '../../state/resource.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useOptionKeys } from '../../ui/option-keys.ts';
import { OptionSearch } from '../../ui/option-search.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { FillDialog, filledText } from './fill-dialog.tsx';
import { PromptOptions } from './prompt-options.tsx';

interface Props {
  onText: (text: string) => void;
  onClose: () => void;
}

export function FromPrompt({ onText, onClose }: Props) {
  const all = useResource('all prompts', (signal) => allPrompts(client, signal));
  const [q, setQ] = useState('');
  const [asked, setAsked] = useState<PromptListDto | null>(null);
  const { act } = useAction();
  const id = useId();
  const found = fitting(all.data ?? [], q);
  const choose = (prompt: PromptListDto) => {
    if (prompt.variables.length > 0) return setAsked(prompt);
    void act(async () => onText(await filledText(prompt, {}))).then((done) => done && onClose());
  };
  const keys = useOptionKeys(id, found, choose);
  if (asked) return <FillDialog prompt={asked} onText={onText} onClose={onClose} />;
  return (
    <Dialog title={t('From a prompt')} onClose={onClose}>
      <OptionSearch {...keys} id={id} label={t('Search prompts')} q={q} count={found.length} onSearch={setQ} />
      <Loaded resource={all} rows={4}>
        {() => (
          <>
            <PromptOptions id={id} found={found} active={keys.active} setActive={keys.setActive} onChoose={choose} />
            {found.length === 0 && (
              <p className="muted small">
                {q ? t('Nothing matches.') : t('No prompts yet.')} <a href="#/chat/prompts">{t('All prompts')}</a>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
