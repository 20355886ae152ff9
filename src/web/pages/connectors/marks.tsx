// Marks of connectors: how the last verification ended.
import { t } from '../../base/i18n.ts';
import { Chip, type Shape, type Tone } from '../../ui/status.tsx';

const looks: Readonly<Record<string, readonly [Shape, Tone, string]>> = {
  Ok: ['tick', 'good', t('Works')],
  AuthFailed: ['cross', 'bad', t('Credentials refused')],
  Unreachable: ['cross', 'bad', t('Not reached')],
  Timeout: ['clock', 'warn', t('Too slow')],
  Misconfigured: ['cross', 'warn', t('Not set up')],
};

export function Verification({ status, enabled }: { status: string | null; enabled: boolean }) {
  const [shape, tone, text] = looks[status ?? ''] ?? (['hollow', 'plain', t('Not verified')] as const);
  return enabled ? (
    <Chip shape={shape} tone={tone}>
      {text}
    </Chip>
  ) : (
    <Chip shape="bars" tone="warn">
      {t('Disabled')}
    </Chip>
  );
}
