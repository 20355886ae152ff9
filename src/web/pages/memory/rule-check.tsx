// A call that is only tried: which rules apply to it, why, and what would become of it.
import { type FormEvent, useState } from 'react';
import type { RuleCheckResult, RuleTrigger } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Chip, type Shape, type Tone } from '../../ui/status.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { nameOf, projectOptions, useIdentities, useProjects } from './chosen.tsx';
import { RuleMarks } from './rule-row.tsx';
import { ruleTriggers } from './rule-words.ts';

const empty = {
  trigger: 'BeforeToolCall' as RuleTrigger,
  tool: 'shell_exec',
  text: '{"command": "cat /etc/hosts"}',
  identity: '',
  project: '',
};

export function RuleCheck() {
  const identities = useIdentities();
  const projects = useProjects();
  const { written, write } = useDraftRecord('rules.check', empty);
  const [result, setResult] = useState<RuleCheckResult | null>(null);
  const { busy, act } = useAction();
  const check = (event: FormEvent) => {
    event.preventDefault();
    const { trigger, tool, text, identity, project } = written;
    const query = {
      trigger,
      ...(tool.trim() ? { toolName: tool.trim() } : {}),
      ...(text.trim() ? { context: text } : {}),
      ...(identity ? { identityId: Number(identity) } : {}),
      ...(project ? { projectId: Number(project) } : {}),
      // A try-out does not count as a use of a rule.
      markSurfaced: false,
    };
    void act(async () => setResult(await client.standingRules.check({ query })));
  };
  return (
    <div className="rule-check">
      <form className="card" onSubmit={check}>
        <div className="card-body stack">
          <p className="muted">{t('Try a call without making it. Nothing is counted.')}</p>
          <SelectField
            label={t('When')}
            value={written.trigger}
            onChange={(trigger) => write({ trigger })}
            options={namesOf(ruleTriggers)}
          />
          <TextField label={t('Tool')} value={written.tool} onChange={(tool) => write({ tool })} mono />
          <TextField
            label={t('Text or arguments')}
            value={written.text}
            onChange={(text) => write({ text })}
            rows={4}
            mono
          />
          <div className="form-grid">
            <SelectField
              label={t('Whose')}
              value={written.identity}
              onChange={(identity) => write({ identity })}
              options={[
                ['', t('Mine')],
                ...(identities.data?.items ?? []).map((one) => [String(one.id), nameOf(one)] as const),
              ]}
            />
            <SelectField
              label={t('Project')}
              value={written.project}
              onChange={(project) => write({ project })}
              options={projectOptions(projects.data?.items ?? [], t('None'))}
            />
          </div>
          <div>
            <Button type="submit" kind="primary" disabled={busy}>
              {t('Check')}
            </Button>
          </div>
        </div>
      </form>
      <section className="stack" aria-label={t('What the rules say')} aria-live="polite">
        {result ? (
          <Result result={result} />
        ) : (
          <p className="muted">{t('The rules that apply stand here, each with why.')}</p>
        )}
      </section>
    </div>
  );
}

const verdicts: Record<RuleCheckResult['verdicts'][number]['verdict'], [Shape, Tone, string]> = {
  block: ['dam', 'bad', 'The call is blocked'],
  ask: ['gate', 'warn', 'A person is asked first'],
  hold: ['bars', 'accent', 'The model judges first'],
};
const order = ['block', 'ask', 'hold'] as const;

function Result({ result: { rules, verdicts: found } }: { result: RuleCheckResult }) {
  const hardest = order.find((one) => found.some(({ verdict }) => verdict === one));
  const [shape, tone, text] = hardest ? verdicts[hardest] : (['tick', 'good', 'The call goes through'] as const);
  return (
    <>
      <h2 className="row">
        <Chip shape={shape} tone={tone}>
          {t(text)}
        </Chip>
      </h2>
      {rules.length === 0 ? (
        <p className="muted">{t('No rule applies at this moment.')}</p>
      ) : (
        <ul className="memory-list">
          {rules.map((rule) => {
            const own = found.find(({ ruleId }) => ruleId === rule.id);
            return (
              <li key={rule.id} className="memory-hit">
                <p>
                  <a href={`#/memory/rules?rule=${rule.id}`} className="memory-title">
                    {rule.assertion}
                  </a>
                </p>
                <RuleMarks rule={rule} />
                <p className="small">
                  {own
                    ? `${t(verdicts[own.verdict][2])}. ${own.why}`
                    : t('It is put before the model; it stops nothing here.')}
                </p>
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}
