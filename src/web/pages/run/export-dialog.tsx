// Saves the run as a file, and has the code that starts one like it.
import { useState } from 'react';
import type { AgentRunDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { saveAs } from '../../base/save.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Code, copyText } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useAction } from '../../ui/use-action.ts';
import { type StartCode, startCode } from './start-code.ts';

const files = [
  { format: 'Json', label: 'JSON', ending: 'json' },
  { format: 'Markdown', label: 'Markdown', ending: 'md' },
  { format: 'Otlp', label: 'OTLP', ending: 'otlp.json' },
] as const;
const languages: readonly (readonly [keyof StartCode, string])[] = [
  ['curl', 'curl'],
  ['javaScript', 'JavaScript'],
  ['python', 'Python'],
];

export function ExportDialog({ run, onClose }: { run: AgentRunDto; onClose: () => void }) {
  const { busy, act } = useAction();
  const [language, setLanguage] = useState<keyof StartCode>('curl');
  const code = startCode(run, window.location.origin);
  const save = async ({ format, ending }: (typeof files)[number]) =>
    saveAs(await client.agentRuns.export({ params: { id: run.id }, query: { format } }), `run-${run.id}.${ending}`);
  return (
    <Dialog title={t('Export run #{id}', { id: run.id })} onClose={onClose}>
      <p className="muted">
        {t('The run with its events: as data, as a report to read, or as a trace for tools that read OpenTelemetry.')}
      </p>
      <div className="row wrap">
        {files.map((file) => (
          <Button key={file.format} icon="down" disabled={busy} onClick={() => void act(() => save(file))}>
            {file.label}
          </Button>
        ))}
      </div>
      <h3>{t('Start a run like this')}</h3>
      <div className="row wrap">
        {languages.map(([name, label]) => (
          <Button
            key={name}
            icon="copy"
            onClick={() => {
              setLanguage(name);
              copyText(code[name]);
            }}
          >
            {t('Copy as {language}', { language: label })}
          </Button>
        ))}
      </div>
      <Code text={code[language]} />
    </Dialog>
  );
}
