// States a standing rule, changes one, or proposes one from an escalation that was decided.
import { useEffect } from 'react';
import type {
  AgentEscalationDto,
  RuleKind,
  RuleTrigger,
  RuleWatchKind,
  StandingRuleDto,
} from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { nameOf, projectOptions, useIdentities, useProjects } from './chosen.tsx';
import { ruleKinds, ruleTriggers, watchKinds } from './rule-words.ts';

interface Props {
  rule?: StandingRuleDto;
  escalationId?: number | null;
  onClose: () => void;
  onDone: (id: number) => void;
}

const dayOf = (at: string | null | undefined) => at?.slice(0, 10) ?? '';

const writtenOf = (rule?: StandingRuleDto) => ({
  assertion: rule?.assertion ?? '',
  rationale: rule?.rationale ?? '',
  trigger: rule?.trigger ?? ('BeforeToolCall' as RuleTrigger),
  kind: rule?.kind ?? ('Should' as RuleKind),
  identity: String(rule?.identityId ?? ''),
  project: String(rule?.projectId ?? ''),
  watch: rule?.watchKindId ?? ('None' as RuleWatchKind),
  reviewBy: dayOf(rule?.reviewByUtc),
  expiresAt: dayOf(rule?.expiresAtUtc),
});
type Written = ReturnType<typeof writtenOf>;

const idIn = (text: string) => (text ? Number(text) : null);
const dateIn = (day: string) => (day ? new Date(`${day}T00:00`).toISOString() : null);

export function RuleDialog({ rule, escalationId = null, onClose, onDone }: Props) {
  const name = rule ? `rule.${rule.id}` : `rule.new.${escalationId ?? ''}`;
  const { written, write, clear } = useDraftRecord(name, writtenOf(rule));
  const escalation = useEscalation(escalationId);
  const isUntouched = written.assertion === '' && written.rationale === '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: it fills the form once, when it has come
  useEffect(() => {
    if (escalation && isUntouched) write(proposed(escalation));
  }, [escalation]);
  const save = async () => {
    const { identity, project, watch, reviewBy, expiresAt, ...rest } = written;
    const body = {
      ...rest,
      identityId: idIn(identity),
      projectId: idIn(project),
      watchKindId: watch,
      reviewByUtc: dateIn(reviewBy),
      expiresAtUtc: dateIn(expiresAt),
    };
    const saved = rule
      ? await client.standingRules.patch({ params: { id: rule.id }, body })
      : await client.standingRules.create({
          body: { ...body, ...(escalationId === null ? {} : { status: 'Proposed' }) },
        });
    clear();
    onDone(saved.id);
  };
  return (
    <FormDialog
      wide
      title={rule ? t('Change the rule') : escalationId === null ? t('New rule') : t('Propose a rule')}
      action={t('Save')}
      ready={written.assertion.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <RuleFields written={written} onWrite={write} />
    </FormDialog>
  );
}

function useEscalation(id: number | null): AgentEscalationDto | null {
  const found = useResource(id === null ? null : `escalation of a rule ${id}`, () =>
    client.agentEscalations.list({ query: { pageSize: 200 } }),
  );
  return found.data?.items.find((one) => one.id === id) ?? null;
}

/** What the decision would say to the next one who asks. */
const proposed = ({ situation, decision, decisionNotes, projectId }: AgentEscalationDto): Partial<Written> => ({
  assertion: t('Where this comes up: {situation} Do: {decision}', {
    situation: situation.split('\n')[0]?.slice(0, 800) ?? '',
    decision: decision ?? '',
  }),
  rationale: decisionNotes ?? t('It was decided so.'),
  trigger: 'BeforeEscalation',
  project: projectId === null ? '' : String(projectId),
});

function RuleFields({ written, onWrite }: { written: Written; onWrite: (change: Partial<Written>) => void }) {
  const projects = useProjects();
  const identities = useIdentities();
  return (
    <>
      <TextField
        name="assertion"
        label={t('Rule')}
        value={written.assertion}
        onChange={(assertion) => onWrite({ assertion })}
        rows={3}
        hint={t(
          'Tools and paths in backticks are matched by the server: Never call `shell_exec` on `/etc`. To ask for an approval makes a person decide.',
        )}
        required
      />
      <TextField
        name="rationale"
        label={t('Why')}
        value={written.rationale}
        onChange={(rationale) => onWrite({ rationale })}
        rows={2}
      />
      <div className="form-grid">
        <SelectField
          label={t('Kind')}
          value={written.kind}
          onChange={(kind) => onWrite({ kind })}
          options={namesOf(ruleKinds)}
        />
        <SelectField
          label={t('When')}
          value={written.trigger}
          onChange={(trigger) => onWrite({ trigger })}
          options={namesOf(ruleTriggers)}
        />
        <SelectField
          label={t('Whose')}
          value={written.identity}
          onChange={(identity) => onWrite({ identity })}
          options={[
            ['', t('Everybody')],
            ...(identities.data?.items ?? []).map((one) => [String(one.id), nameOf(one)] as const),
          ]}
        />
        <SelectField
          label={t('Project')}
          value={written.project}
          onChange={(project) => onWrite({ project })}
          options={projectOptions(projects.data?.items ?? [], t('All'))}
        />
        <SelectField
          label={t('Watch')}
          value={written.watch}
          onChange={(watch) => onWrite({ watch })}
          options={namesOf(watchKinds)}
          hint={t('What puts it under review by itself.')}
        />
        <TextField
          label={t('Review by')}
          type="date"
          value={written.reviewBy}
          onChange={(reviewBy) => onWrite({ reviewBy })}
        />
        <TextField
          label={t('Expires')}
          type="date"
          value={written.expiresAt}
          onChange={(expiresAt) => onWrite({ expiresAt })}
        />
      </div>
    </>
  );
}
