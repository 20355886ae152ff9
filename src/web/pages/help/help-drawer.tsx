// The help beside the page that it is wanted for: the reader stays where they are.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { href, useLocation } from '../../base/router.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { HelpContents } from './contents.tsx';
import { Topic } from './topic.tsx';
import { OpenTopic } from './topic-link.tsx';

export function HelpDrawer({ onClose }: { onClose: () => void }) {
  const { path } = useLocation();
  const [slug, setSlug] = useState<string | null>(null);
  const [q, setQ] = useState('');
  return (
    <Dialog
      title={t('Help')}
      side
      onClose={onClose}
      foot={
        <a href={slug ? href(`/help/${slug}`) : href('/help', { from: path })} onClick={onClose}>
          {t('Open as a page')}
        </a>
      }
    >
      <OpenTopic value={setSlug}>
        {slug ? (
          <Topic key={slug} slug={slug} />
        ) : (
          <HelpContents q={q} route={path} hereTitle={t('About this page')} onSearch={setQ} />
        )}
      </OpenTopic>
    </Dialog>
  );
}
