// How the state of a fork was edited before it went on: who did it, and each text before and after.
import { plural, t } from '../base/i18n.ts';
import type { Edits } from './source.ts';

const roleName = (role: string, toolName: string | null) => {
  if (role === 'tool') return t('Result of {tool}', { tool: toolName ?? t('a tool') });
  if (toolName) return t('Arguments of {tool}', { tool: toolName });
  return role === 'assistant' ? t('Answer of the agent') : t('Message to the agent');
};

export function EditsMade({ edits }: { edits: Edits }) {
  const fields = [
    [t('Goal'), edits.goal],
    [t('Summary of older turns'), edits.summary],
    [t('Role'), edits.role],
    [t('Model'), edits.modelId],
  ] as const;
  const changes = [
    ...fields.flatMap(([label, change]) => (change ? [{ key: label, label, ...change }] : [])),
    ...edits.messages.map((one, at) => ({
      ...one,
      key: `${one.index} ${at}`,
      label: roleName(one.role, one.toolName),
    })),
  ];
  return (
    <details className="edits-made">
      <summary>
        {edits.by ? t('State edited by {name}', { name: edits.by }) : t('State edited')}
        {': '}
        {[
          ...(changes.length > 0 ? [plural(changes.length, '{n} change', '{n} changes')] : []),
          ...(edits.dropped > 0 ? [plural(edits.dropped, '{n} message left out', '{n} messages left out')] : []),
        ].join(', ')}
      </summary>
      <dl className="stack tight">
        {changes.map(({ key, label, before, after }) => (
          <div key={key}>
            <dt className="small muted">{label}</dt>
            {before && (
              <dd>
                <del>{before}</del>
              </dd>
            )}
            <dd>
              <ins>{after}</ins>
            </dd>
          </div>
        ))}
        {edits.instruction && (
          <div>
            <dt className="small muted">{t('Instruction')}</dt>
            <dd>{edits.instruction}</dd>
          </div>
        )}
      </dl>
    </details>
  );
}
