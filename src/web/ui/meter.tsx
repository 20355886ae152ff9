// A meter of a budget: what is used, reserved and left, with warning marks at 75 and 90 %.
import { formatShort, t } from '../base/i18n.ts';
import { Tooltip } from './tooltip.tsx';

interface MeterProps {
  label: string;
  used: number;
  limit: number;
  format?: (value: number) => string;
  /** What the number means. */
  tip?: string;
  /** Only the bar. */
  bare?: boolean;
}

export function Meter({ label, used, limit, format = formatShort, tip, bare = false }: MeterProps) {
  const share = limit > 0 ? used / limit : 0;
  const level = share >= 0.9 ? 'full' : share >= 0.75 ? 'warn' : 'fine';
  const text = limit > 0 ? t('{used} of {limit}', { used: format(used), limit: format(limit) }) : format(used);
  const left = limit > 0 ? t('{left} left', { left: format(Math.max(0, limit - used)) }) : '';
  return (
    <Tooltip text={[tip ?? label, text, left].filter(Boolean).join('\n')}>
      {/* biome-ignore lint/a11y/useSemanticElements: the native meter cannot show marks or be styled alike everywhere */}
      <div
        className="meter"
        data-level={level}
        data-bare={bare}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit || used}
        aria-valuenow={Math.min(used, limit || used)}
        aria-valuetext={text}
      >
        <div className="meter-head">
          <span className="label">{label}</span>
          <span className="num">{text}</span>
        </div>
        {limit > 0 && (
          <div className="meter-bar">
            <div className="meter-fill" style={{ width: `${Math.min(100, share * 100)}%` }} />
            <span className="meter-mark" style={{ left: '75%' }} />
            <span className="meter-mark" style={{ left: '90%' }} />
          </div>
        )}
      </div>
    </Tooltip>
  );
}
