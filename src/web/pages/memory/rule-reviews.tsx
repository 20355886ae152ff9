// Rules that should be looked at again, and why.
import type { StaleStandingRuleDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, t } from '../../base/i18n.ts';
import { patchQuery } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import type { Resource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { RuleMarks } from './rule-row.tsx';
import { staleWords } from './rule-words.ts';

interface Props {
  list: Resource<StaleStandingRuleDto[]>;
  onChange: () => void;
}

export function RuleReviews({ list, onChange }: Props) {
  const now = useNow();
  const { busy, act } = useAction();
  const confirm = (id: number) =>
    act(() => client.standingRules.confirm({ params: { id }, body: { reviewByUtc: null } })).then((done) => {
      if (!done) return;
      say(t('Confirmed: it holds'));
      onChange();
    });
  return (
    <Loaded resource={list}>
      {(stale) =>
        stale.length === 0 ? (
          <Empty title={t('Nothing to look at')}>
            {t(
              'Rules come here when their date of review has come, when what they stand on is gone or contradicted, or when they never come up.',
            )}
          </Empty>
        ) : (
          <ul className="memory-list" aria-label={t('Rules to look at')}>
            {stale.map(({ rule, reason, detail, staleSinceUtc, suggestedAction }) => (
              <li key={`${rule.id} ${reason}`} className="memory-hit stack">
                <p className="memory-title">{rule.assertion}</p>
                <RuleMarks rule={rule} />
                <p>
                  <strong>{t(staleWords[reason])}</strong>{' '}
                  <span className="muted">{[detail, formatAgo(staleSinceUtc, now)].filter(Boolean).join(' · ')}</span>
                </p>
                <p className="small muted">{suggestedAction}</p>
                <div className="row wrap">
                  {may('RulesWrite') && (
                    <Button size="small" icon="check" disabled={busy} onClick={() => void confirm(rule.id)}>
                      {t('It still holds')}
                    </Button>
                  )}
                  <Button size="small" onClick={() => patchQuery({ tab: null, rule: rule.id })}>
                    {t('Look at it')}
                  </Button>
                </div>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
