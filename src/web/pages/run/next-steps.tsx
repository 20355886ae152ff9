// What a newcomer can do after the demo run: three steps, shown until they are closed.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { go, patchQuery, useLocation } from '../../base/router.ts';
import { may } from '../../state/app.ts';
import { Button, IconButton, LinkButton } from '../../ui/button.tsx';
import { ConnectModel } from '../models/connect-model.tsx';

export function NextSteps() {
  const { query } = useLocation();
  const [connecting, setConnecting] = useState(false);
  if (query.get('welcome') === null) return null;
  return (
    <section className="next-steps" aria-label={t('Next steps')}>
      <p className="grow">
        <strong>{t('Welcome. This demo run is live.')}</strong>{' '}
        <span className="muted">{t('The model is scripted; tools and decisions are real. Next:')}</span>
      </p>
      {may('RunsWrite') && (
        <Button size="small" icon="plus" onClick={() => go('/runs', { new: 1 })}>
          {t('Start a run of your own')}
        </Button>
      )}
      {may('ChatWrite') && (
        <LinkButton size="small" href="#/chat/new" icon="chat">
          {t('Chat')}
        </LinkButton>
      )}
      {may('AiRouterWrite') && (
        <Button size="small" kind="primary" icon="models" onClick={() => setConnecting(true)}>
          {t('Connect a model')}
        </Button>
      )}
      <IconButton icon="close" label={t('Hide')} onClick={() => patchQuery({ welcome: null })} />
      {connecting && <ConnectModel onClose={() => setConnecting(false)} onDone={() => undefined} />}
    </section>
  );
}
