// What the shapes of a river mean; it explains itself once and stays out of the way.
import { t } from '../base/i18n.ts';

const shapes = [
  ['model', 'model'],
  ['tool', 'tool'],
  ['sandbox', 'sandboxed'],
  ['gate', 'decision'],
] as const;

export function Legend() {
  return (
    <div className="river-legend" aria-hidden="true">
      {shapes.map(([kind, word]) => (
        <span key={kind}>
          <i data-kind={kind} />
          {t(word)}
        </span>
      ))}
    </div>
  );
}
