// Breakpoints that a new run begins with.
import { t } from '../../base/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { type BreakpointDraft, BreakpointFields, noBreakpoint } from '../run/breakpoint-fields.tsx';

export type FirstBreakpoint = BreakpointDraft & { key: number };

/** What a new run is sent. */
export const breakpointsOf = (all: readonly FirstBreakpoint[]) =>
  all.length === 0 ? {} : { breakpoints: all.map(({ key: _, name, ...rest }) => ({ ...rest, name: name.trim() })) };

interface Props {
  all: readonly FirstBreakpoint[];
  onChange: (all: FirstBreakpoint[]) => void;
}

export function FirstBreakpoints({ all, onChange }: Props) {
  const add = () => onChange([...all, { ...noBreakpoint, key: (all.at(-1)?.key ?? 0) + 1 }]);
  return (
    <div className="stack">
      <p className="muted small">{t('A call that comes to a breakpoint waits for your decision.')}</p>
      {all.map(({ key, ...draft }, index) => (
        <fieldset key={key} className="choices stack tight">
          <legend>{t('Breakpoint {n}', { n: index + 1 })}</legend>
          <BreakpointFields
            draft={draft}
            onChange={(next) => onChange(all.map((one) => (one.key === key ? { ...next, key } : one)))}
          />
          <div>
            <Button size="small" icon="close" onClick={() => onChange(all.filter((one) => one.key !== key))}>
              {t('Remove breakpoint {n}', { n: index + 1 })}
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button size="small" icon="plus" onClick={add}>
          {t('Add a breakpoint')}
        </Button>
      </div>
    </div>
  );
}
