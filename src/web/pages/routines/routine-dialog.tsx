// Makes a routine or changes one: its brief, when it is due, when it is quiet, its limits and its policies.
import '../../styles/routines.css';
import type { AgentRoutineDetailDto, RoutineMissedRunPolicy, RoutineReportPolicy } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { nameOf, projectOptions, useIdentities, useProjects } from '../memory/chosen.tsx';
import { type FieldsProps, isWhole, settingsOf, weekdays, writtenOf } from './draft.ts';
import { ScheduleFields } from './schedule-fields.tsx';

const missed: RoutineMissedRunPolicy[] = ['Skip', 'RunOnce', 'RunAll'];
const reports: RoutineReportPolicy[] = ['Never', 'OnFailure', 'OnChange', 'OnThreshold', 'Always'];

interface Props {
  routine?: AgentRoutineDetailDto;
  onClose: () => void;
  onDone: (id: number) => void;
}

export function RoutineDialog({ routine, onClose, onDone }: Props) {
  const { written, write, clear } = useDraftRecord(`routine.${routine?.id ?? 'new'}`, writtenOf(routine));
  const save = async () => {
    const body = settingsOf(written);
    const saved = routine
      ? await client.agentRoutines.patch({ params: { id: routine.id }, body })
      : await client.agentRoutines.create({ body });
    clear();
    onDone(saved.id);
  };
  return (
    <FormDialog
      wide
      title={routine ? t('Change the routine') : t('New routine')}
      action={t('Save')}
      ready={isWhole(written)}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <WorkFields written={written} onWrite={write} />
      <h3>{t('When it is due')}</h3>
      <ScheduleFields written={written} onWrite={write} />
      <h3>{t('When it is quiet')}</h3>
      <QuietFields written={written} onWrite={write} />
      <h3>{t('Limits and policies')}</h3>
      <PolicyFields written={written} onWrite={write} />
    </FormDialog>
  );
}

function WorkFields({ written, onWrite }: FieldsProps) {
  const identities = useIdentities();
  const projects = useProjects();
  return (
    <>
      <TextField label={t('Name')} value={written.name} onChange={(name) => onWrite({ name })} required />
      <TextField
        label={t('Description')}
        value={written.description}
        onChange={(description) => onWrite({ description })}
      />
      <TextField
        name="briefMarkdown"
        label={t('Brief')}
        value={written.brief}
        onChange={(brief) => onWrite({ brief })}
        rows={5}
        hint={t('What each run is given to do, in Markdown. Each change is a new version.')}
        required
      />
      <TextField
        name="thresholdMarkdown"
        label={t('Threshold')}
        value={written.threshold}
        onChange={(threshold) => onWrite({ threshold })}
        rows={2}
        hint={t('What must hold for a run to say that its threshold is met.')}
      />
      <div className="form-grid">
        <SelectField
          label={t('Acts as')}
          value={written.identity}
          onChange={(identity) => onWrite({ identity })}
          options={[
            ['', t('My own identity')],
            ...(identities.data?.items ?? []).map((one) => [String(one.id), nameOf(one)] as const),
          ]}
        />
        <SelectField
          label={t('Project')}
          value={written.project}
          onChange={(project) => onWrite({ project })}
          options={projectOptions(projects.data?.items ?? [], t('None'))}
        />
      </div>
    </>
  );
}

function QuietFields({ written, onWrite }: FieldsProps) {
  const { quietText, quietDays } = written;
  if (quietText)
    return (
      <TextField
        mono
        label={t('Quiet hours')}
        value={quietText}
        onChange={(text) => onWrite({ quietText: text, ...(text === '' ? { quietFrom: '', quietTo: '' } : {}) })}
        rows={3}
      />
    );
  const turn = (day: string) =>
    onWrite({ quietDays: quietDays.includes(day) ? quietDays.filter((one) => one !== day) : [...quietDays, day] });
  return (
    <>
      <div className="form-grid">
        <TextField
          label={t('Quiet from')}
          value={written.quietFrom}
          onChange={(quietFrom) => onWrite({ quietFrom })}
          placeholder="22:00"
        />
        <TextField
          label={t('Quiet to')}
          value={written.quietTo}
          onChange={(quietTo) => onWrite({ quietTo })}
          placeholder="07:00"
        />
      </div>
      <fieldset className="routine-days" aria-label={t('Days on which quiet begins; none is every day')}>
        {weekdays.map((day) => (
          <CheckField key={day} label={t(day)} checked={quietDays.includes(day)} onChange={() => turn(day)} />
        ))}
      </fieldset>
    </>
  );
}

function PolicyFields({ written, onWrite }: FieldsProps) {
  return (
    <>
      <div className="form-grid">
        <TextField
          name="maxRunsPerDay"
          label={t('Runs a day at most')}
          type="number"
          value={written.maxRunsPerDay}
          onChange={(maxRunsPerDay) => onWrite({ maxRunsPerDay })}
          hint={t('0 is no limit.')}
        />
        <TextField
          name="maxConcurrentRuns"
          label={t('Runs at a time at most')}
          type="number"
          value={written.maxConcurrentRuns}
          onChange={(maxConcurrentRuns) => onWrite({ maxConcurrentRuns })}
          hint={t('0 is no limit.')}
        />
        <TextField
          name="poolTokenBudgetOverride"
          label={t('Tokens of a run')}
          type="number"
          required={false}
          value={written.budget}
          onChange={(budget) => onWrite({ budget })}
          hint={t('Empty: as its role says.')}
        />
        <SelectField
          label={t('What was missed')}
          value={written.missed}
          onChange={(one) => onWrite({ missed: one })}
          options={namesOf(missed)}
        />
        <SelectField
          label={t('Reports')}
          value={written.report}
          onChange={(report) => onWrite({ report })}
          options={namesOf(reports)}
        />
        <TextField
          name="watchExpiryUtc"
          label={t('Ends at')}
          type="datetime-local"
          value={written.expiry}
          onChange={(expiry) => onWrite({ expiry })}
        />
      </div>
      <CheckField
        label={t('Pause after three failures in a row')}
        checked={written.pauses}
        onChange={(pauses) => onWrite({ pauses })}
      />
    </>
  );
}
