// Says, while only scripts answer, how to connect a real model, and runs the demo again.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { mayRunDemo, startDemo } from '../../state/demo.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Chip } from '../../ui/status.tsx';
import { sayError } from '../../ui/toast.tsx';

const hiddenKey = 'rivulet.demo-hidden';

export const runDemo = () => {
  const goOn = goFromHere();
  void startDemo().then((run) => goOn(`/runs/${run.id}`), sayError);
};

export function DemoHint() {
  const [hidden, setHidden] = useState(() => localStorage.getItem(hiddenKey) === '1');
  if (hidden || !mayRunDemo()) return null;
  const hide = () => {
    localStorage.setItem(hiddenKey, '1');
    setHidden(true);
  };
  return (
    <aside className="banner" aria-label={t('Scripted')}>
      <Chip shape="flow" tone="violet">
        {t('Scripted')}
      </Chip>
      <span className="grow">
        {t('No model is configured, so runs use the scripted demo model.')}{' '}
        <a href="#/models">{t('Connect a model')}</a>
      </span>
      <Button size="small" icon="play" onClick={runDemo}>
        {t('Run the demo')}
      </Button>
      <IconButton icon="close" label={t('Hide')} onClick={hide} />
    </aside>
  );
}
