// Escalations before and after a rule was stated: whether it spares people a question.
import type { AgentEscalationDto, StandingRuleDto } from '../../../client/index.ts';
import { formatDay, formatNumber, plural, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { SelectField } from '../../ui/field.tsx';
import { Figures } from '../../ui/figures.tsx';
import { Plot } from '../../ui/plot.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { dayMs, effectOf } from './effect.ts';

const spanDays = 30;
const most = 200;

export function RuleEffect() {
  const { query } = useLocation();
  const rules = useResource('rules of effect', () =>
    client.standingRules.list({ query: { pageSize: most, status: 'Active' } }),
  );
  return (
    <Loaded resource={rules}>
      {({ items }) => {
        const wanted = Number(query.get('rule'));
        const rule = items.find(({ id }) => id === wanted) ?? items[0];
        if (!rule)
          return (
            <Empty title={t('No rule holds yet')}>
              {t('Once one does, the questions that runs ask are drawn here, before it and after it.')}
            </Empty>
          );
        return (
          <div className="stack">
            <div className="memory-bar">
              <SelectField
                label={t('Rule')}
                value={String(rule.id)}
                onChange={(id) => patchQuery({ rule: id })}
                options={items.map((one) => [String(one.id), one.assertion] as const)}
              />
            </div>
            <Effect key={rule.id} rule={rule} />
          </div>
        );
      }}
    </Loaded>
  );
}

function Effect({ rule }: { rule: StandingRuleDto }) {
  const since = Date.parse(rule.statusChangedAtUtc);
  const fromUtc = new Date(since - spanDays * dayMs).toISOString();
  const where = {
    ...(rule.identityId === null ? {} : { identityId: rule.identityId }),
    ...(rule.projectId === null ? {} : { projectId: rule.projectId }),
  };
  const found = useResource(`escalations of rule ${rule.id} ${since}`, () => everyPage(fromUtc, where));
  return (
    <Loaded resource={found}>
      {(escalations) => {
        const effect = effectOf(escalations, since, Date.now(), spanDays);
        return (
          <section className="card" aria-label={t('Escalations before and after the rule')}>
            <div className="card-head">
              <h2>{t('Escalations before and after the rule')}</h2>
            </div>
            <div className="card-body stack">
              <Figures
                items={[
                  [t('A week before'), rate(effect.beforeAWeek)],
                  [t('A week since'), rate(effect.afterAWeek)],
                  [t('It came up'), formatNumber(rule.surfacedCount)],
                ]}
              />
              <Plot
                label={t('Escalations a day, before and after the rule')}
                kind="bar"
                format={formatNumber}
                axis={effect.days}
                series={[
                  { name: t('before'), points: effect.before },
                  { name: t('since {date}', { date: formatDay(since) }), points: effect.after },
                ]}
              />
              <p className="small muted">
                {t('All questions of the runs that the rule is for: {n} in these days.', {
                  n: plural(escalations.length, '{n} escalation', '{n} escalations'),
                })}
              </p>
            </div>
          </section>
        );
      }}
    </Loaded>
  );
}

const rate = (aWeek: number | null) => (aWeek === null ? '–' : aWeek.toFixed(1));

async function everyPage(fromUtc: string, where: object): Promise<AgentEscalationDto[]> {
  const all: AgentEscalationDto[] = [];
  for (let page = 1; page <= 10; page++) {
    const { items, hasNextPage } = await client.agentEscalations.list({
      query: { fromUtc, pageSize: most, page, ...where },
    });
    all.push(...items);
    if (!hasNextPage) break;
  }
  return all;
}
