// When a routine is due, as fields, with the next moments of a cron expression shown while it is written.
import { useEffect, useState } from 'react';
import type { RoutineScheduleKind } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import type { FieldsProps } from './draft.ts';
import { timeIn } from './words.ts';

const kinds = (): [RoutineScheduleKind, string][] => [
  ['Cron', t('At times (cron)')],
  ['Interval', t('At intervals')],
  ['Once', t('Once')],
  ['Event', t('When something happens')],
  ['Manual', t('By hand alone')],
];

const zones = (): string[] => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

/** How long typing must pause before the next moments are asked for, ms. */
const typingMs = 250;

export function ScheduleFields({ written, onWrite }: FieldsProps) {
  const { kind, cron, zone } = written;
  const known = zones();
  return (
    <>
      <div className="form-grid">
        <SelectField label={t('Schedule')} value={kind} onChange={(one) => onWrite({ kind: one })} options={kinds()} />
        {kind === 'Cron' && (
          <TextField
            mono
            name="cronExpression"
            label={t('Cron expression')}
            value={cron}
            onChange={(text) => onWrite({ cron: text })}
            hint={t('Minute, hour, day, month, weekday; seconds may come first.')}
          />
        )}
        {kind === 'Interval' && (
          <TextField
            name="intervalMinutes"
            label={t('Minutes between two')}
            type="number"
            value={written.interval}
            onChange={(interval) => onWrite({ interval })}
          />
        )}
        {kind === 'Once' && (
          <TextField
            name="runOnceAtUtc"
            label={t('At')}
            type="datetime-local"
            value={written.once}
            onChange={(once) => onWrite({ once })}
          />
        )}
        <SelectField
          label={t('Time zone')}
          value={zone}
          onChange={(one) => onWrite({ zone: one })}
          options={(known.includes(zone) ? known : [zone, ...known]).map((one) => [one, one] as const)}
        />
      </div>
      {kind === 'Cron' && <Preview cron={cron} zone={zone} />}
      {kind === 'Event' && (
        <p className="small muted">{t('Say which events wake it on its page, once it is saved.')}</p>
      )}
    </>
  );
}

function Preview({ cron, zone }: { cron: string; zone: string }) {
  const [asked, setAsked] = useState({ cron, zone });
  useEffect(() => {
    const timer = setTimeout(() => setAsked({ cron, zone }), typingMs);
    return () => clearTimeout(timer);
  }, [cron, zone]);
  const query = { cronExpression: asked.cron, timezoneId: asked.zone, count: 5 };
  const preview = useKept(
    useResource(asked.cron.trim() === '' ? null : `cron ${asked.cron} ${asked.zone}`, () =>
      client.agentRoutines.preview({ query }),
    ),
  ).data;
  if (!preview) return null;
  return (
    <div role="status" aria-label={t('Next moments')} className="stack tight">
      {preview.error && (
        <p>
          <span className="tag" data-tone="bad">
            {t('invalid')}
          </span>{' '}
          {preview.error}
        </p>
      )}
      {preview.warning && <p className="small">{preview.warning}</p>}
      {preview.nextUtc.length > 0 && (
        <p className="small muted num">
          {t('Next:')} {preview.nextUtc.map((at) => timeIn(preview.timezoneId, at)).join(' · ')}
        </p>
      )}
    </div>
  );
}
