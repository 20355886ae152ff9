// How a route chose: what it would take, and why not the others.
import type { AIRouteDecisionDto } from '../../../client/index.ts';
import { formatCost, formatNumber, formatPercent, t } from '../../base/i18n.ts';
import { State } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';

function outcomeOf({ chosen, matchedBy }: AIRouteDecisionDto): string {
  if (chosen) return t('It would use {model}.', { model: chosen.modelId });
  return matchedBy === 'environment'
    ? t('No route matches: the default model answers.')
    : t('No model is available now.');
}

export function DecisionView({ decision }: { decision: AIRouteDecisionDto }) {
  return (
    <div className="stack tight">
      <p>
        {outcomeOf(decision)} <span className="muted">{decision.matchedBy}</span>
      </p>
      {decision.warnings.map((warning) => (
        <p key={warning} className="failure small">
          {warning}
        </p>
      ))}
      {decision.candidates.length > 0 && (
        <Table
          rows={decision.candidates}
          keyOf={(one) => one.aiModelId}
          columns={[
            { head: '#', num: true, cell: (one) => one.rank },
            { head: t('Model'), className: 'mono', cell: (one) => one.modelId },
            { head: t('Status'), cell: (one) => <State name={one.healthState} /> },
            { head: t('Score'), num: true, cell: (one) => one.score.toFixed(2) },
            { head: t('Errors'), num: true, cell: (one) => formatPercent(one.errorRate) },
            {
              head: t('Median'),
              num: true,
              cell: (one) => (one.latencyP50Ms === null ? '–' : `${formatNumber(one.latencyP50Ms)} ms`),
            },
            {
              head: t('Cost'),
              num: true,
              cell: (one) => (one.estimatedCostUsd === null ? '–' : formatCost(one.estimatedCostUsd)),
            },
            { head: t('Reason'), className: 'muted small', cell: (one) => one.rejectedReason },
          ]}
        />
      )}
    </div>
  );
}
