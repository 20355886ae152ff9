// Says, while only the scripted provider answers, how to plug in a real model, and runs the demo again.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { go } from '../../base/router.ts';
import { client, may, server } from '../../state/app.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Chip } from '../../ui/status.tsx';
import { sayError } from '../../ui/toast.tsx';

const hiddenKey = 'rivulet.demo-hidden';

async function runDemo() {
  try {
    const run = await client.agentRuns.create({
      body: { goal: t('Show what a run looks like'), modelId: 'scripted:demo', autoStart: true },
    });
    go(`/runs/${run.id}`);
  } catch (error) {
    sayError(error);
  }
}

export function DemoHint() {
  const [hidden, setHidden] = useState(() => localStorage.getItem(hiddenKey) === '1');
  const scripted = server.get()?.info.features.includes('scripted-only') ?? false;
  if (hidden || !scripted || !may('RunsWrite')) return null;
  const hide = () => {
    localStorage.setItem(hiddenKey, '1');
    setHidden(true);
  };
  return (
    <div className="banner">
      <Chip shape="flow" tone="violet">
        {t('Scripted')}
      </Chip>
      <span className="grow">
        {t(
          'No model is configured, so replies come from a script. Set OPENAI_API_KEY, ANTHROPIC_API_KEY, or OPENAI_BASE_URL for Ollama or vLLM, and restart.',
        )}
      </span>
      <Button size="small" icon="play" onClick={() => void runDemo()}>
        {t('Run the demo')}
      </Button>
      <IconButton icon="close" label={t('Hide')} onClick={hide} />
    </div>
  );
}
