// What the palette offers, in groups, one of them chosen by the arrow keys.
import type { ReactNode } from 'react';
import { t } from '../base/i18n.ts';
import { Icon, type IconName } from '../ui/icon.tsx';

export interface Choice {
  key: string;
  group: string;
  label: string;
  icon: IconName;
  run: () => void;
  /** What is known of a thing that was found. */
  detail?: ReactNode;
}

/** Groups in the order of their best hits, each together. */
export function grouped(choices: readonly Choice[]): Choice[] {
  const groups = [...new Set(choices.map(({ group }) => group))];
  return groups.flatMap((group) => choices.filter((one) => one.group === group));
}

interface ChoicesProps {
  all: readonly Choice[];
  active: number;
  isSearching: boolean;
  onActive: (index: number) => void;
  onChoose: (choice: Choice) => void;
}

export function Choices({ all, active, isSearching, onActive, onChoose }: ChoicesProps) {
  const groups = [...new Set(all.map(({ group }) => group))];
  return (
    <div className="choices" id="found" role="listbox" aria-label={t('Found')} aria-busy={isSearching}>
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is no child of a listbox
        <div key={group} role="group" aria-label={group}>
          <div className="choices-head" aria-hidden="true">
            {group}
          </div>
          {all.map((choice, index) =>
            choice.group !== group ? null : (
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the input
              <div
                key={choice.key}
                id={`choice-${index}`}
                className="choice"
                role="option"
                tabIndex={-1}
                aria-selected={index === active}
                onPointerMove={() => onActive(index)}
                onClick={() => onChoose(choice)}
              >
                <Icon name={choice.icon} />
                <span className="truncate grow">{choice.label}</span>
                {choice.detail}
              </div>
            ),
          )}
        </div>
      ))}
      {all.length === 0 && <div className="choice muted">{isSearching ? t('Searching…') : t('Nothing found')}</div>}
    </div>
  );
}
