// The policy of a unit: what it says itself, beside what holds there with all that is above it.
import type { OrgUnitPolicyDto } from '../../../client/index.ts';
import { formatCost, formatDate, formatNumber, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { FactGrid } from '../../ui/fact-grid.tsx';
import type { FieldSpec } from '../../ui/record.ts';
import { RecordForm, type Section } from '../../ui/record-form.tsx';
import { Loaded } from '../../ui/states.tsx';
import type { UnitProps } from './unit-props.ts';

/** A policy as a form has it: of channels a text, since a tick could not say that nothing is said. */
type Written = Omit<OrgUnitPolicyDto, 'allowExternalChannels'> & { allowExternalChannels: string | null };

const toWritten = (policy: OrgUnitPolicyDto): Written => ({
  ...policy,
  allowExternalChannels: policy.allowExternalChannels === null ? null : String(policy.allowExternalChannels),
});

/** Nothing on a list is nothing said. */
const listed = (names: readonly string[] | null) => (names && names.length > 0 ? [...names] : null);

const bodyOf = (written: Written) => ({
  allowedModelIds: listed(written.allowedModelIds),
  blockedTools: listed(written.blockedTools),
  humanApprovalTools: listed(written.humanApprovalTools),
  maxConcurrentRuns: written.maxConcurrentRuns,
  maxSpawnDepth: written.maxSpawnDepth,
  swarmChildCeiling: written.swarmChildCeiling,
  maxRunCostUsd: written.maxRunCostUsd,
  allowExternalChannels: written.allowExternalChannels === null ? null : written.allowExternalChannels === 'true',
});

/** Each field of a unit's policy, with what holds there as words. */
function sections({ effective: holds }: OrgUnitPolicyDto): Section<keyof Written>[] {
  const most = (key: keyof Written, label: string, value: string): FieldSpec<keyof Written> => ({
    ...{ key, label, kind: 'number', orNone: true },
    hint: t('{value} holds here. Empty inherits.', { value }),
  });
  const patterns = t('One per line; a trailing * matches the rest of a name. Empty inherits.');
  return [
    {
      title: t('What this unit says'),
      hint: t('A unit tightens what is above it, and never widens it.'),
      fields: [
        { key: 'allowedModelIds', label: 'Allowed models', kind: 'lines', hint: patterns },
        { key: 'blockedTools', label: 'Blocked tools', kind: 'lines', hint: patterns },
        { key: 'humanApprovalTools', label: 'Tools that need approval', kind: 'lines', hint: patterns },
        most('maxConcurrentRuns', 'Maximum concurrent runs', formatNumber(holds.maxConcurrentRuns)),
        most('maxSpawnDepth', 'Maximum spawn depth', formatNumber(holds.maxSpawnDepth)),
        most('swarmChildCeiling', 'Maximum child identities', formatNumber(holds.swarmChildCeiling)),
        most(
          'maxRunCostUsd',
          'Maximum cost of a run, USD',
          holds.maxRunCostUsd === null ? t('No limit') : formatCost(holds.maxRunCostUsd),
        ),
        {
          key: 'allowExternalChannels',
          label: 'External channels',
          kind: 'choice',
          orNone: 'Inherited',
          options: [
            ['false', t('Not allowed')],
            ['true', t('Allowed')],
          ],
        },
      ],
    },
  ];
}

export function UnitPolicy({ unit }: UnitProps) {
  const params = { id: unit.id };
  const policy = useResource(`policy of unit ${unit.id}`, () => client.orgUnits.policy({ params }));
  const save = async (written: Written) => {
    const saved = await client.orgUnits.setPolicy({ params, body: bodyOf(written) });
    policy.put(() => saved);
  };
  return (
    <Loaded resource={policy}>
      {(known) => (
        <div className="unit-policy">
          <div className="stack">
            <RecordForm
              draft={`unit-policy.${unit.id}`}
              value={toWritten(known)}
              sections={sections(known)}
              mayChange={may('PolicyWrite')}
              onSave={save}
            />
            {known.updatedAtUtc && (
              <p className="muted small">{t('Last changed {date}.', { date: formatDate(known.updatedAtUtc) })}</p>
            )}
          </div>
          <Holds effective={known.effective} />
        </div>
      )}
    </Loaded>
  );
}

/** A layer is `tenant`, or `unit:` and a name. */
const layerName = (layer: string) => (layer === 'tenant' ? t('the tenant') : layer.replace(/^unit:/, ''));

function Holds({ effective }: Pick<OrgUnitPolicyDto, 'effective'>) {
  const names = (all: readonly string[], none: string) => (all.length === 0 ? none : all.join(', '));
  return (
    <section className="card" aria-label={t('What holds here')}>
      <div className="card-head">
        <h2>{t('What holds here')}</h2>
      </div>
      <div className="card-body stack">
        <p className="small muted">
          {t('Said by {layers}.', { layers: effective.appliedLayers.map(layerName).join(', ') })}
        </p>
        <FactGrid
          facts={[
            [t('Allowed models'), names(effective.allowedModelIds, t('all'))],
            [t('Blocked tools'), names(effective.blockedTools, t('none'))],
            [t('Tools that need approval'), names(effective.humanApprovalTools, t('none'))],
            [t('Maximum concurrent runs'), formatNumber(effective.maxConcurrentRuns)],
            [t('Maximum spawn depth'), formatNumber(effective.maxSpawnDepth)],
            [t('Maximum child identities'), formatNumber(effective.swarmChildCeiling)],
            [
              t('Maximum cost of a run'),
              effective.maxRunCostUsd === null ? t('no limit') : formatCost(effective.maxRunCostUsd),
            ],
            [t('External channels'), effective.allowExternalChannels ? t('allowed') : t('not allowed')],
          ]}
        />
      </div>
    </section>
  );
}
