// Prompts to choose one of, as the options of a box that keeps the focus.
import '../../styles/prompts.css';
import type { PromptListDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import type { OptionKeys } from '../../ui/option-keys.ts';

interface Props extends Pick<OptionKeys, 'active' | 'setActive'> {
  id: string;
  found: readonly PromptListDto[];
  onChoose: (prompt: PromptListDto) => void;
}

export function PromptOptions({ id, found, active, setActive, onChoose }: Props) {
  return (
    <div className="prompt-options" id={id} role="listbox" aria-label={t('Prompts')} tabIndex={-1}>
      {found.map((prompt, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the box that has the focus
        <div
          key={prompt.id}
          id={`${id}-${index}`}
          className="prompt-option"
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onPointerMove={() => setActive(index)}
          // The box keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(prompt)}
        >
          <span className="mono accent">/{prompt.command}</span>
          <span>{prompt.name}</span>
          <span className="small muted">
            {[prompt.description, prompt.isOwn ? null : t('shared by {name}', { name: prompt.createdByName })]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </div>
      ))}
    </div>
  );
}
