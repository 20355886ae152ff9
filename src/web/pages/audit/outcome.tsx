// How an audited action ended, as shape and word.
import type { AuditOutcome } from '../../../client/index.ts';
import { words } from '../../base/i18n.ts';
import { Chip, type Shape, type Tone } from '../../ui/status.tsx';

const looks: Record<AuditOutcome, [Shape, Tone]> = {
  Success: ['tick', 'good'],
  Denied: ['dam', 'warn'],
  Failed: ['cross', 'bad'],
};

export function Outcome({ outcome }: { outcome: AuditOutcome }) {
  const [shape, tone] = looks[outcome];
  return (
    <Chip shape={shape} tone={tone}>
      {words(outcome)}
    </Chip>
  );
}
