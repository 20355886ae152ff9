// The lines of a unified diff with their numbers before and after.
import { t } from '../base/i18n.ts';
import type { Hunk } from './patch.ts';

export function DiffLines({ hunks, label }: { hunks: readonly Hunk[]; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys
    <section className="diff-lines mono" tabIndex={0} aria-label={label}>
      {hunks.length === 0 && <p className="card-body muted">{t('No text changes.')}</p>}
      {hunks.map((hunk) => (
        <div key={hunk.head}>
          <div className="diff-hunk">{hunk.head}</div>
          {hunk.lines.map((line) => (
            <div key={`${line.before} ${line.after}`} className="diff-line" data-kind={line.kind}>
              <span className="diff-no num">{line.before}</span>
              <span className="diff-no num">{line.after}</span>
              <span className="diff-sign" aria-hidden="true">
                {{ added: '+', removed: '−', same: ' ' }[line.kind]}
              </span>
              <span className="diff-text">{line.text || ' '}</span>
            </div>
          ))}
        </div>
      ))}
    </section>
  );
}
