// Makes a plan, or changes one: its price, and what each meter includes, costs and allows.
import type { BillingPlanDto, PlanQuotaDto, UsageMeter } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';

/** Meters that the server counts. */
const meters: UsageMeter[] = [
  'Runs',
  'RunMinutes',
  'ModelCalls',
  'PromptTokens',
  'CompletionTokens',
  'EmbeddingTokens',
  'ModelCostUsd',
  'ActiveUsers',
  'ActiveIdentities',
  'Memories',
];

interface WrittenQuota {
  meter: UsageMeter;
  included: string;
  limit: string;
  overagePriceUsd: string;
  hardLimit: boolean;
}

const writtenQuota = ({ meter, included, limit, overagePriceUsd, hardLimit }: PlanQuotaDto): WrittenQuota => ({
  meter,
  included: String(included),
  limit: limit === null ? '' : String(limit),
  overagePriceUsd: overagePriceUsd === null ? '' : String(overagePriceUsd),
  hardLimit,
});

const writtenOf = (plan: BillingPlanDto | undefined) => ({
  key: plan?.key ?? '',
  name: plan?.name ?? '',
  description: plan?.description ?? '',
  monthlyPriceUsd: String(plan?.monthlyPriceUsd ?? 0),
  externalPriceId: plan?.externalPriceId ?? '',
  isActive: plan?.isActive ?? true,
  isDefault: plan?.isDefault ?? false,
  quotas: (plan?.quotas ?? []).map(writtenQuota),
});
type Written = ReturnType<typeof writtenOf>;

const numberOr = (text: string) => (text.trim() === '' ? null : Number(text));
const bodyOf = ({ quotas, monthlyPriceUsd, description, externalPriceId, ...rest }: Written) => ({
  ...rest,
  description: description.trim() || null,
  externalPriceId: externalPriceId.trim() || null,
  monthlyPriceUsd: Number(monthlyPriceUsd),
  quotas: quotas.map(({ meter, included, limit, overagePriceUsd, hardLimit }) => ({
    ...{ meter, hardLimit, included: Number(included) },
    ...{ limit: numberOr(limit), overagePriceUsd: numberOr(overagePriceUsd) },
  })),
});

interface Props {
  plan?: BillingPlanDto;
  onClose: () => void;
  onDone: () => void;
}

export function PlanDialog({ plan, onClose, onDone }: Props) {
  const { written, write, clear } = useDraftRecord(`plan.${plan?.id ?? 'new'}`, writtenOf(plan));
  const save = async () => {
    const body = bodyOf(written);
    if (plan) await client.billing.replacePlan({ params: { id: plan.id }, body });
    else await client.billing.createPlan({ body });
    clear();
    onDone();
  };
  return (
    <FormDialog
      wide
      title={plan ? t('Change the plan') : t('New plan')}
      action={t('Save')}
      ready={written.key !== '' && written.name.trim() !== '' && written.monthlyPriceUsd !== ''}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <div className="form-grid">
        <TextField label={t('Name')} value={written.name} onChange={(name) => write({ name })} required />
        <TextField
          label={t('Key')}
          value={written.key}
          onChange={(key) => write({ key })}
          hint={t('Small letters, digits, dots, - and _')}
          required
        />
        <TextField
          name="monthlyPriceUsd"
          label={t('Price a month, US dollars')}
          type="number"
          value={written.monthlyPriceUsd}
          onChange={(monthlyPriceUsd) => write({ monthlyPriceUsd })}
        />
        <TextField
          name="externalPriceId"
          label={t('Price of the payment service')}
          value={written.externalPriceId}
          onChange={(externalPriceId) => write({ externalPriceId })}
        />
      </div>
      <TextField
        label={t('Description')}
        value={written.description}
        onChange={(description) => write({ description })}
        rows={2}
      />
      <Quotas quotas={written.quotas} onWrite={(quotas) => write({ quotas })} />
      <CheckField
        name="isDefault"
        label={t('The plan of every tenant that has chosen none')}
        checked={written.isDefault}
        onChange={(isDefault) => write({ isDefault })}
      />
      <CheckField
        name="isActive"
        label={t('Can be chosen')}
        checked={written.isActive}
        onChange={(isActive) => write({ isActive })}
      />
    </FormDialog>
  );
}

function Quotas({ quotas, onWrite }: { quotas: WrittenQuota[]; onWrite: (quotas: WrittenQuota[]) => void }) {
  const free = meters.filter((meter) => !quotas.some((one) => one.meter === meter));
  const [next] = free;
  const add = (meter: UsageMeter) =>
    onWrite([...quotas, { meter, included: '0', limit: '', overagePriceUsd: '', hardLimit: false }]);
  const change = (meter: UsageMeter, fields: Partial<WrittenQuota>) =>
    onWrite(quotas.map((one) => (one.meter === meter ? { ...one, ...fields } : one)));
  return (
    <>
      {quotas.map((quota) => (
        <fieldset key={quota.meter} className="stack">
          <legend>{namesOf([quota.meter])[0]?.[1]}</legend>
          <QuotaFields
            quota={quota}
            free={free}
            onWrite={(fields) => change(quota.meter, fields)}
            onRemove={() => onWrite(quotas.filter(({ meter }) => meter !== quota.meter))}
          />
        </fieldset>
      ))}
      {next && (
        <div>
          <Button size="small" icon="plus" onClick={() => add(next)}>
            {t('Add a quota')}
          </Button>
        </div>
      )}
    </>
  );
}

interface QuotaProps {
  quota: WrittenQuota;
  free: UsageMeter[];
  onWrite: (fields: Partial<WrittenQuota>) => void;
  onRemove: () => void;
}

function QuotaFields({ quota, free, onWrite, onRemove }: QuotaProps) {
  return (
    <>
      <div className="form-grid">
        <SelectField
          label={t('Meter')}
          value={quota.meter}
          onChange={(meter) => onWrite({ meter })}
          options={namesOf([quota.meter, ...free])}
        />
        <TextField
          label={t('Included')}
          type="number"
          value={quota.included}
          onChange={(included) => onWrite({ included })}
        />
        <TextField
          label={t('Price of each above, US dollars')}
          type="number"
          required={false}
          value={quota.overagePriceUsd}
          onChange={(overagePriceUsd) => onWrite({ overagePriceUsd })}
        />
        <TextField
          label={t('Limit')}
          type="number"
          required={false}
          value={quota.limit}
          onChange={(limit) => onWrite({ limit })}
        />
      </div>
      <div className="row wrap">
        <CheckField
          label={t('Refuse what goes past the limit')}
          checked={quota.hardLimit}
          onChange={(hardLimit) => onWrite({ hardLimit })}
        />
        <span className="grow" />
        <Button size="small" onClick={onRemove}>
          {t('Remove the quota')}
        </Button>
      </div>
    </>
  );
}
