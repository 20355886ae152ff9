// A secret that is shown once.
import { t } from '../../base/i18n.ts';
import { IconButton } from '../../ui/button.tsx';
import { Copyable } from '../../ui/code.tsx';

export function Secret({ text, onHide }: { text: string; onHide: () => void }) {
  return (
    <div className="secret">
      <div className="grow">
        <div className="small muted">{t('Shown once. Copy it now.')}</div>
        <Copyable text={text} />
      </div>
      <IconButton icon="close" label={t('Hide')} onClick={onHide} />
    </div>
  );
}
