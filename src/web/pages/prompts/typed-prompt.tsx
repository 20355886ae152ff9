// The list of prompts that opens where `/` is typed at the beginning of a line.
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import type { PromptListDto } from '../../../client/index.ts';
import { client } from '../../state/app.ts';
import { allPrompts, commandAt, fitting } from '../../state/prompts.ts';
import { useResource } from '../../state/resource.ts';
import { useOptionKeys } from '../../ui/option-keys.ts';
import { sayError } from '../../ui/toast.tsx';
import { FillDialog, filledText } from './fill-dialog.tsx';
import { PromptOptions } from './prompt-options.tsx';

interface Writing {
  text: string;
  caret: number;
  /** Writes another text, and puts the caret there. */
  put: (text: string, caret: number) => void;
}

interface TypedPrompt {
  /** Whether the key was for the list. */
  onKey: (event: KeyboardEvent) => boolean;
  /** What says to readers of the screen that there is a list. */
  aria: Readonly<Record<string, string | undefined>>;
  list: ReactNode;
  /** The form that asks for variables. */
  form: ReactNode;
}

export function useTypedPrompt({ text, caret, put }: Writing): TypedPrompt {
  const id = useId();
  const typed = commandAt(text, caret);
  // Escape closes the list of the command that is typed there, until another one is.
  const [closed, setClosed] = useState<number | null>(null);
  if (closed !== null && closed !== typed?.at) setClosed(null);
  const isOpen = typed !== null && closed !== typed.at;
  // Loaded anew each time that it opens, and then it stands still: what Enter chooses is what was seen.
  const [opening, setOpening] = useState({ isOpen, count: 0 });
  if (opening.isOpen !== isOpen) setOpening({ isOpen, count: opening.count + 1 });
  const key = isOpen ? `prompts to type ${opening.count}` : null;
  const all = useResource(key, (signal) => allPrompts(client, signal));
  const found = isOpen ? fitting(all.data ?? [], typed.q) : [];
  const [asked, setAsked] = useState<PromptListDto | null>(null);

  /** Puts the prompt where its command was typed. */
  const insert = (filled: string) => {
    const at = typed?.at ?? 0;
    put(text.slice(0, at) + filled + text.slice(caret), at + filled.length);
  };
  const choose = (prompt: PromptListDto) => {
    if (prompt.variables.length > 0) setAsked(prompt);
    else filledText(prompt, {}).then(insert, sayError);
  };
  const { active, setActive, onKey } = useOptionKeys(id, found, choose);
  const isShown = isOpen && found.length > 0 && !asked;
  return {
    onKey: (event) => {
      if (!isOpen) return false;
      if (event.key === 'Escape') {
        event.preventDefault();
        setClosed(typed.at);
        return true;
      }
      // What is typed quickly waits for the list, and is not sent.
      const waits = event.key === 'Enter' && !event.shiftKey && all.data === null && all.error === null;
      if (waits) event.preventDefault();
      return waits || (!event.shiftKey && onKey(event));
    },
    aria: {
      'aria-autocomplete': 'list',
      'aria-controls': isShown ? id : undefined,
      'aria-activedescendant': isShown ? `${id}-${active}` : undefined,
    },
    list: isShown && <PromptOptions id={id} found={found} active={active} setActive={setActive} onChoose={choose} />,
    form: asked && <FillDialog prompt={asked} onText={insert} onClose={() => setAsked(null)} />,
  };
}
