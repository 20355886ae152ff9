// A standing rule in a list: what it says, of whom and when, and how it stands.
import type { StandingRuleDto } from '../../../client/index.ts';
import { plural, t, words } from '../../base/i18n.ts';
import { Chip } from '../../ui/status.tsx';
import { statusLooks } from './rule-words.ts';

interface Props {
  rule: StandingRuleDto;
  isOpen: boolean;
  onOpen: () => void;
}

export function RuleRow({ rule, isOpen, onOpen }: Props) {
  return (
    <button type="button" className="memory-row" aria-current={isOpen ? 'true' : undefined} onClick={onOpen}>
      <span className="memory-title">{rule.assertion}</span>
      <RuleMarks rule={rule} />
    </button>
  );
}

export function RuleMarks({ rule }: { rule: StandingRuleDto }) {
  const [shape, tone] = statusLooks[rule.status];
  const about = [
    words(rule.trigger),
    rule.identityName ?? (rule.identityId === null ? t('everybody') : null),
    rule.projectId !== null && t('one project'),
    plural(rule.surfacedCount, 'came up {n} time', 'came up {n} times'),
  ];
  return (
    <span className="memory-marks small">
      <Chip shape={shape} tone={tone}>
        {words(rule.status)}
      </Chip>
      <span className="tag" data-tone={rule.kind === 'Must' || rule.kind === 'MustNot' ? 'bad' : undefined}>
        {words(rule.kind)}
      </span>
      <span className="muted">{about.filter(Boolean).join(' · ')}</span>
    </span>
  );
}
