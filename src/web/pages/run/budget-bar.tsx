// A run that stopped for want of budget: which limit, what is missing, and the top-up that lets it go on.
import { useState } from 'react';
import type { AgentRunDto } from '../../../client/index.ts';
import { formatCost, formatNumber, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Chip } from '../../ui/status.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

type Shortage = NonNullable<AgentRunDto['exhaustedBy']>;

const names: Record<Shortage['limit'], string> = {
  maxIterations: 'This run has used its turns',
  maxTokens: 'This run has used its tokens',
  poolIterationBudget: 'The tree has used its pool of turns',
  poolTokenBudget: 'The tree has used its pool of tokens',
  poolCostBudgetUsd: 'The tree has used its cost budget',
};

const isTokens = ({ limit }: Shortage) => limit === 'maxTokens' || limit === 'poolTokenBudget';
const isCost = ({ limit }: Shortage) => limit === 'poolCostBudgetUsd';

/** A proposal that lasts for more than the next call: half of the limit again, but what is missing at least. */
function proposal(shortage: Shortage): number {
  const wanted = Math.max(shortage.missing * 2, shortage.max / 2);
  if (isCost(shortage)) return Math.ceil(wanted * 100) / 100;
  const step = isTokens(shortage) ? 1000 : 1;
  return Math.ceil(Math.max(wanted, 1) / step) * step;
}

/** What is added, by the name of the request, and in words. */
function offerOf(shortage: Shortage) {
  if (isCost(shortage)) return { field: 'addCostUsd', label: t('US dollars to add') } as const;
  return isTokens(shortage)
    ? ({ field: 'addTokens', label: t('Tokens to add') } as const)
    : ({ field: 'addIterations', label: t('Turns to add') } as const);
}

function textOf(shortage: Shortage): string {
  const format = isCost(shortage) ? formatCost : formatNumber;
  return t('{used} of {max} used, and the next call needs about {needed}.', {
    used: format(shortage.used),
    max: format(shortage.max),
    needed: format(shortage.needed),
  });
}

export function BudgetBar({ run }: { run: AgentRunDto }) {
  if (run.status !== 'BudgetExhausted' || !run.exhaustedBy) return null;
  return <Bar key={`${run.exhaustedBy.limit} ${run.exhaustedBy.max}`} run={run} shortage={run.exhaustedBy} />;
}

function Bar({ run, shortage }: { run: AgentRunDto; shortage: Shortage }) {
  const [amount, setAmount] = useState(() => String(proposal(shortage)));
  const { busy, act } = useAction();
  const { field, label } = offerOf(shortage);
  const add = async () => {
    await client.agentRuns.pool({ params: { id: run.id }, body: { [field]: Number(amount), resume: true } });
    say(t('Resumed'));
  };
  const enough = Number(amount) > 0 && Number(amount) >= shortage.missing;
  return (
    <section className="gate-bar budget-bar" aria-label={t('Budget exhausted')}>
      <div className="gate-row">
        <Chip shape="gauge" tone="warn">
          {t(names[shortage.limit])}
        </Chip>
        <span className="grow">{textOf(shortage)}</span>
        {may('RunsWrite') && (
          <form
            className="row end"
            onSubmit={(event) => {
              event.preventDefault();
              void act(add);
            }}
          >
            <TextField label={label} type="number" value={amount} onChange={setAmount} />
            <Button kind="primary" icon="play" type="submit" disabled={busy || !enough}>
              {t('Add and resume')}
            </Button>
          </form>
        )}
      </div>
    </section>
  );
}
