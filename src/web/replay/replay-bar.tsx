// The bar of a replay: play, steps, the scrubber over the run's life, speed, and a link to the moment.
import type { KeyboardEvent } from 'react';
import { formatDate, formatDuration, formatNumber, t } from '../base/i18n.ts';
import { useShortcuts } from '../base/keys.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { copyText } from '../ui/code.tsx';
import { nextAfter, type Speed, speeds } from './playhead.ts';
import type { Replay } from './use-replay.ts';
import '../styles/replay.css';

/** How far an arrow key goes on the scrubber, of the run's life. */
const keyStep = 0.01;
const directions: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

export function ReplayBar({ replay }: { replay: Replay }) {
  const { times, at, playing, toggle, seek, step, leave } = replay;
  const [first = at, last = at] = [times[0], times.at(-1)];
  const count = nextAfter(times, at);
  useShortcuts([
    { keys: 'p', label: t('Play or pause the replay'), run: toggle },
    { keys: ',', label: t('Back to the event before'), run: () => step(-1) },
    { keys: '.', label: t('On to the next event'), run: () => step(1) },
  ]);
  // Where any value will do, an arrow key is a millisecond to Firefox and a hundredth to others.
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = directions[event.key];
    if (!direction) return;
    event.preventDefault();
    seek(Math.max(first, Math.min(last, at + direction * keyStep * (last - first))));
  };
  const place = t('{at} of {length}, event {n} of {all}', {
    at: formatDuration(at - first),
    length: formatDuration(last - first),
    n: formatNumber(count),
    all: formatNumber(times.length),
  });
  return (
    <section className="replay-bar" aria-label={t('Replay')} data-testid="replay">
      <IconButton icon={playing ? 'pause' : 'play'} label={playing ? t('Pause') : t('Play')} onClick={toggle} />
      <IconButton
        icon="chevron"
        className="replay-back"
        label={t('Back to the event before')}
        disabled={count <= 1}
        onClick={() => step(-1)}
      />
      <IconButton
        icon="chevron"
        label={t('On to the next event')}
        disabled={count >= times.length}
        onClick={() => step(1)}
      />
      <input
        type="range"
        className="replay-range"
        aria-label={t('Moment of the run')}
        aria-valuetext={place}
        min={first}
        max={last}
        step="any"
        disabled={times.length === 0}
        value={at}
        onChange={(event) => seek(Number(event.target.value))}
        onKeyDown={onKeyDown}
      />
      <span className="small muted num replay-place" title={formatDate(new Date(at).toISOString())}>
        {place}
      </span>
      <SpeedChoice replay={replay} />
      <Button size="small" icon="copy" onClick={() => copyText(window.location.href)}>
        {t('Copy link')}
      </Button>
      <Button size="small" icon="close" onClick={leave}>
        {t('Leave replay')}
      </Button>
    </section>
  );
}

function SpeedChoice({ replay: { speed, setSpeed } }: { replay: Replay }) {
  return (
    <select
      className="input replay-speed"
      aria-label={t('Speed')}
      value={speed}
      onChange={(event) => setSpeed(Number(event.target.value) as Speed)}
    >
      {speeds.map((one) => (
        <option key={one} value={one}>
          {one}×
        </option>
      ))}
    </select>
  );
}
