// What the period has used: a bar for each meter that the plan names, and the others as figures.
import type { BillingUsageDto, UsageMeterDto } from '../../../client/index.ts';
import { formatCost, formatShort, t, words } from '../../base/i18n.ts';
import { FactGrid } from '../../ui/fact-grid.tsx';
import { Meter } from '../../ui/meter.tsx';

const format = ({ unit }: UsageMeterDto) => (unit === 'USD' ? formatCost : formatShort);
const boundOf = ({ limit, included }: UsageMeterDto) => limit ?? included;

export function Usage({ usage }: { usage: BillingUsageDto }) {
  const bound = usage.meters.filter((meter) => boundOf(meter) > 0 || meter.state !== 'Unlimited');
  const free = usage.meters.filter((meter) => !bound.includes(meter));
  return (
    <section className="card" aria-labelledby="billing-usage">
      <div className="card-head">
        <h2 id="billing-usage">{t('Used in this period')}</h2>
      </div>
      <div className="card-body stack">
        <FactGrid
          facts={[
            [t('Costs so far'), formatCost(usage.totalCostUsd)],
            [t('At the end of the period, as it goes'), formatCost(usage.projectedTotalUsd)],
            [t('Above what is included'), formatCost(usage.overageCostUsd)],
            [t('Paid to providers of models'), formatCost(usage.modelCostUsd)],
          ]}
        />
        {bound.length > 0 && (
          <ul className="plain-list billing-meters">
            {bound.map((meter) => (
              <li key={meter.meter}>
                <Meter
                  label={words(meter.meter)}
                  used={meter.used}
                  limit={boundOf(meter)}
                  format={format(meter)}
                  tip={t('{n} when the period ends, as it goes', { n: format(meter)(meter.projectedUsed) })}
                />
                {meter.overage > 0 && (
                  <p className="small muted">
                    {t('{n} above what is included: {cost}', {
                      n: format(meter)(meter.overage),
                      cost: formatCost(meter.overageCostUsd),
                    })}
                  </p>
                )}
              </li>
            ))}
          </ul>
        )}
        <h3>{t('Without a limit')}</h3>
        <FactGrid facts={free.map((meter) => [words(meter.meter), format(meter)(meter.used)])} />
      </div>
    </section>
  );
}
