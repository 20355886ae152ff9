// How an import stands, what it is of, and what was flagged in it.
import type { ImportDto, ImportStatus } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { Chip, type Shape, type Tone } from '../../ui/status.tsx';

const looks: Record<ImportStatus, readonly [Shape, Tone]> = {
  Parsing: ['flow', 'accent'],
  Scrubbing: ['flow', 'accent'],
  ReadyForReview: ['gate', 'warn'],
  Committing: ['flow', 'accent'],
  Committed: ['tick', 'good'],
  Failed: ['cross', 'bad'],
};

export function Standing({ status }: { status: ImportStatus }) {
  const [shape, tone] = looks[status];
  return (
    <Chip shape={shape} tone={tone}>
      {words(status)}
    </Chip>
  );
}

export const isUnderWay = ({ statusId }: Pick<ImportDto, 'statusId'>) =>
  statusId === 'Parsing' || statusId === 'Scrubbing' || statusId === 'Committing';

/** The provider, or the format where it has no name of its own. */
export function providerOf({ sourceProviderId, detectedFormat }: ImportDto): string {
  if (sourceProviderId === 'ChatGpt') return 'ChatGPT';
  if (sourceProviderId !== 'Unknown') return words(sourceProviderId);
  return detectedFormat ?? t('not known yet');
}

export const Flags = ({ flags }: { flags: readonly string[] }) =>
  flags.map((flag) => (
    <span key={flag} className="tag" data-tone="bad">
      {flag}
    </span>
  ));

/** Without a value, how far it is cannot be told. */
export function Progress({ label, value, max }: { label: string; value: number; max: number }) {
  return <progress className="import-progress" aria-label={label} value={value > 0 ? value : undefined} max={max} />;
}
