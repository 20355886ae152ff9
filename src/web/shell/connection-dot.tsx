// One quiet dot that says how the page hears of news.
import type { ConnectionState } from '../../client/index.ts';
import { useNow } from '../base/clock.ts';
import { formatClock, formatDuration, plural, t } from '../base/i18n.ts';
import { useStore } from '../base/store.ts';
import { connection, liveConnection } from '../state/app.ts';
import { Tooltip } from '../ui/tooltip.tsx';

function wordsFor(state: ConnectionState, now: number): { label: string; detail: string } {
  const by = state.transport === 'ws' ? 'WebSocket' : t('server-sent events');
  switch (state.phase) {
    case 'live':
      return {
        label: t('Live'),
        detail: state.latencyMs === null ? by : t('{ms} ms round trip, {by}', { ms: Math.round(state.latencyMs), by }),
      };
    case 'connecting':
      return { label: t('Connecting'), detail: by };
    case 'resuming':
      return {
        label: t('Resuming'),
        detail: state.behind
          ? plural(state.behind, '{n} event behind', '{n} events behind')
          : t('Catching up on what was missed'),
      };
    case 'offline':
      return {
        label: t('Offline'),
        detail: t('Since {time} ({for}). {why}. It comes back by itself.', {
          time: formatClock(state.since),
          for: formatDuration(now - state.since),
          why: state.reason?.replace(/\.$/, '') ?? '',
        }),
      };
    case 'closed':
      return { label: t('Not connected'), detail: state.reason ?? '' };
  }
}

export function ConnectionDot() {
  const state = useStore(connection);
  const now = useNow();
  const { label, detail } = wordsFor(state, now);
  const calm = state.phase === 'live';
  return (
    <Tooltip text={`${label}\n${detail}`}>
      <button
        type="button"
        className="dot-btn"
        data-testid="connection"
        data-phase={state.phase}
        aria-label={t('Connection: {label}', { label })}
        onClick={() => liveConnection().retryNow()}
      >
        <span className="dot" data-phase={state.phase} />
        {!calm && <span role="status">{label}</span>}
      </button>
    </Tooltip>
  );
}
