// Marks of webhooks and channels: whether one sends, and what became of a delivery.
import type { DeliveryStatus } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { Chip, type Shape, type Tone } from '../../ui/status.tsx';

const looks: Record<DeliveryStatus, readonly [Shape, Tone]> = {
  Pending: ['hollow', 'plain'],
  Delivering: ['flow', 'accent'],
  Delivered: ['tick', 'good'],
  Retrying: ['clock', 'warn'],
  Failed: ['cross', 'bad'],
  Dropped: ['dam', 'plain'],
  Received: ['tick', 'plain'],
};

export function Delivery({ status }: { status: DeliveryStatus }) {
  const [shape, tone] = looks[status];
  return (
    <Chip shape={shape} tone={tone}>
      {words(status)}
    </Chip>
  );
}

/** `hasGivenUp`: the server has switched it off itself, since its deliveries failed. */
export function Standing({ enabled, hasGivenUp = false }: { enabled: boolean; hasGivenUp?: boolean }) {
  if (!enabled && hasGivenUp)
    return (
      <Chip shape="cross" tone="bad">
        {t('Switched off')}
      </Chip>
    );
  return enabled ? (
    <Chip shape="flow" tone="accent">
      {t('Enabled')}
    </Chip>
  ) : (
    <Chip shape="bars" tone="warn">
      {t('Disabled')}
    </Chip>
  );
}
