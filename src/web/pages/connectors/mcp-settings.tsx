// What an MCP server may do beside answering: ask models and people in the middle of a call.
import type { ConnectorDto, McpSettingsDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';

type Sampling = McpSettingsDto['sampling'];
const choices = [
  ['Off', t('No')],
  ['Ask', t('After a person has seen the prompt')],
  ['Allow', t('Yes, at the expense of the run')],
] as const satisfies readonly (readonly [Sampling, string])[];

const minute = 60_000;
/** How long people are waited for. */
const times = [
  [5 * minute, t('5 minutes')],
  [30 * minute, t('30 minutes')],
  [120 * minute, t('2 hours')],
  [1440 * minute, t('1 day')],
] as const;

const timesWith = (now: number): [string, string][] => {
  const known = times.some(([ms]) => ms === now);
  const own = [now, t('{count} seconds', { count: Math.round(now / 1000) })] as const;
  return (known ? times : [own, ...times]).map(([ms, label]) => [String(ms), label]);
};

export function McpSettings({ connector: { id } }: { connector: ConnectorDto }) {
  const params = { id };
  const settings = useKept(useResource(`mcp settings ${id}`, () => client.connectorMcp.settings({ params })));
  const { act } = useAction();
  const set = (body: { sampling: Sampling; questionTimeoutMs?: number }) =>
    void act(() => client.connectorMcp.setSettings({ params, body }).then(settings.reload));
  const offered = <Value extends string>(all: readonly (readonly [Value, string])[], now: string) =>
    may('ConnectorsWrite') ? all : all.filter(([value]) => value === now);
  return (
    <Loaded resource={settings}>
      {({ sampling, questionTimeoutMs }) => (
        <div className="row wrap start">
          <SelectField
            label={t('It may ask models')}
            value={sampling}
            onChange={(to) => set({ sampling: to })}
            options={offered(choices, sampling)}
          />
          <SelectField
            label={t('Its questions wait for people')}
            hint={t('On an open connection; servers of 2026 wait for as long as the run does.')}
            value={String(questionTimeoutMs)}
            onChange={(to) => set({ sampling, questionTimeoutMs: Number(to) })}
            options={offered(timesWith(questionTimeoutMs), String(questionTimeoutMs))}
          />
        </div>
      )}
    </Loaded>
  );
}
