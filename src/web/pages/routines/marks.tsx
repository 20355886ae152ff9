// Marks of routines: whether one is at work, and what became of a moment.
import type { AgentRoutineDto, RoutineRunOutcome } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { Chip } from '../../ui/status.tsx';
import { outcomeLooks } from './words.ts';

export function Outcome({ outcome, children }: { outcome: RoutineRunOutcome; children?: string }) {
  const [shape, tone] = outcomeLooks[outcome];
  return (
    <Chip shape={shape} tone={tone}>
      {children ?? words(outcome)}
    </Chip>
  );
}

export function Standing({ routine }: { routine: AgentRoutineDto }) {
  const { isEnabled, pausedReason } = routine;
  if (isEnabled)
    return (
      <Chip shape="flow" tone="accent">
        {t('Enabled')}
      </Chip>
    );
  return (
    <Chip shape="bars" tone={pausedReason ? 'warn' : 'plain'}>
      {pausedReason ? t('Paused') : t('Disabled')}
    </Chip>
  );
}
