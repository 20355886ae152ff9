// The steps of both runs, aligned: equal ones folded, those that differ side by side.
import { useMemo, useState } from 'react';
import { plural, t, words } from '../../base/i18n.ts';
import type { History } from '../../compare/history.ts';
import { align, partingOf, type Row, type Step } from '../../compare/steps.ts';
import { Button } from '../../ui/button.tsx';

/** Rows that are shown at first, and added by each press. */
const atOnce = 100;

export function StepRows({ left, right }: { left: History; right: History }) {
  const rows = useMemo(() => align(left.steps, right.steps), [left, right]);
  const parting = partingOf(rows);
  const blocks = useMemo(() => blocksOf(rows), [rows]);
  const [shown, setShown] = useState(atOnce);
  return (
    <section className="stack" aria-label={t('Steps')} data-testid="compare-steps">
      <h2>{t('Where they part')}</h2>
      <p data-testid="parting">
        {parting < 0
          ? plural(rows.length, 'They do not: {n} step, the same.', 'They do not: all {n} steps are the same.')
          : t('At step {n}: {why}.', { n: parting + 1, why: whyOf(rows[parting]) })}
      </p>
      {blocks
        .slice(0, shown)
        .map((block) =>
          block.kind === 'same' ? (
            <Same key={block.at} rows={block.rows} at={block.at} />
          ) : (
            <Pair key={block.at} row={block.row} places={block.places} ids={[left.run.id, right.run.id]} />
          ),
        )}
      {blocks.length > shown && (
        <Button onClick={() => setShown(shown + atOnce)}>
          {t('Show more ({n} left)', { n: blocks.length - shown })}
        </Button>
      )}
    </section>
  );
}

type Block = { kind: 'same'; at: number; rows: Row[] } | { kind: 'different'; at: number; row: Row; places: Places };
/** Numbers of the step in the first and in the second run. */
type Places = readonly [number, number];

function blocksOf(rows: readonly Row[]): Block[] {
  const blocks: Block[] = [];
  let [left, right] = [0, 0];
  for (const [at, row] of rows.entries()) {
    if (row.left) left += 1;
    if (row.right) right += 1;
    const last = blocks.at(-1);
    if (row.kind === 'different') blocks.push({ kind: 'different', at, row, places: [left, right] });
    else if (last?.kind === 'same') last.rows.push(row);
    else blocks.push({ kind: 'same', at, rows: [row] });
  }
  return blocks;
}

function whyOf(row: Row | undefined): string {
  const [left, right] = [row?.left, row?.right];
  if (!left || !right) return left ? t('only the first run has it') : t('only the second run has it');
  if (left.kind === 'turn' && right.kind === 'turn') return t('the models say different things');
  if (left.kind === 'turn' || right.kind === 'turn') return t('one says something where the other calls a tool');
  if (left.name !== right.name) return t('they call different tools');
  return left.args === right.args ? t('the same call has another outcome') : t('the same tool is called otherwise');
}

const nameOf = (step: Step) => (step.kind === 'turn' ? t('Turn {n}', { n: step.iteration }) : step.name);

function Same({ rows, at }: { rows: readonly Row[]; at: number }) {
  const [open, setOpen] = useState(false);
  return (
    <div>
      <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
        {plural(rows.length, '{n} step is the same', '{n} steps are the same')}
      </button>
      {open && (
        <ol className="compare-same" start={at + 1}>
          {rows.slice(0, 500).map(({ left }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step has its place
            <li key={index}>{left && <StepText step={left} />}</li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Pair({ row, places, ids }: { row: Row; places: Places; ids: readonly [number, number] }) {
  return (
    <div className="compare-pair" data-testid="compare-pair">
      {[row.left, row.right].map((step, side) => (
        <div key={side === 0 ? 'left' : 'right'} className="card card-body">
          <div className="small muted">
            {step
              ? t('Run #{id}, step {n}', { id: ids[side] ?? 0, n: places[side] ?? 0 })
              : t('Run #{id}', { id: ids[side] ?? 0 })}
          </div>
          {step ? <StepText step={step} /> : <p className="muted">{t('No such step.')}</p>}
        </div>
      ))}
    </div>
  );
}

/** Longer texts are shown by the run's own page. */
const longest = 2000;

function StepText({ step }: { step: Step }) {
  const parts =
    step.kind === 'turn' ? [step.text || step.failure || ''] : [step.args, step.result ?? ''].filter(Boolean);
  return (
    <div className="stack tight">
      <div className="row wrap small">
        <strong>{nameOf(step)}</strong>
        {step.state !== 'done' && <span className="tag">{words(step.state)}</span>}
      </div>
      {parts.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: arguments come before the result
        <div key={index} className={`compare-text ${step.kind === 'tool' ? 'mono small' : ''}`}>
          {text.length > longest ? `${text.slice(0, longest)}…` : text}
        </div>
      ))}
    </div>
  );
}
