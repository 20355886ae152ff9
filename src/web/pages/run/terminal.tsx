// The sandbox's terminal: what was printed, then what is printed, with its colours.
import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { type ITheme, Terminal } from '@xterm/xterm';
import { useEffect, useRef, useState } from 'react';
import { type ApiError, isAway, readSse, type SandboxChunkDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { prefs } from '../../base/prefs.ts';
import { payloadOf } from '../../river/track.ts';
import { client } from '../../state/app.ts';
import { toApiError } from '../../state/resource.ts';
import type { RunView } from '../../state/tree.ts';
import { Failure } from '../../ui/states.tsx';

const retryMs = 1500;

function themeOf(element: Element): ITheme {
  const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const style = getComputedStyle(element);
  // xterm reads no OKLCH, so a canvas turns tokens into what it reads.
  const color = (name: string) => {
    if (!probe) return '#888888';
    probe.fillStyle = style.getPropertyValue(`--${name}`).trim();
    probe.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0] = probe.getImageData(0, 0, 1, 1).data;
    return `#${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  };
  return {
    background: color('surface-1'),
    foreground: color('text'),
    cursor: color('surface-1'),
    selectionBackground: color('accent-soft'),
    black: color('surface-3'),
    red: color('bad'),
    green: color('good'),
    yellow: color('warn'),
    blue: color('accent'),
    magenta: color('violet'),
    cyan: color('accent'),
    white: color('text'),
    brightBlack: color('faint'),
  };
}

const dim = (text: string) => `\x1b[2m${text}\x1b[0m`;

function print(terminal: Terminal, chunk: SandboxChunkDto) {
  const text = chunk.text.replace(/\r?\n/g, '\r\n');
  terminal.write(chunk.stream === 'System' ? dim(text.endsWith('\n') ? text : `${text}\r\n`) : text);
  if (chunk.exitCode !== null && chunk.exitCode !== 0)
    terminal.write(`\x1b[31m${t('exit {code}', { code: chunk.exitCode })}\x1b[0m\r\n`);
}

/** The command that a tool call ran, from what is known of the run; null for other calls. */
function commandOf({ timeline }: RunView, callId: string | null): string | null {
  const call = timeline.entries.findLast((entry) => entry.kind === 'tool' && entry.callId === callId);
  if (call?.kind !== 'tool') return null;
  const { command } = payloadOf({ payloadJson: call.args });
  return typeof command === 'string' ? command : null;
}

/** Reads until the stream ends, going on from the last id after a cut. */
async function follow(view: RunView, terminal: Terminal, signal: AbortSignal, onFirst: () => void) {
  let lastEventId: string | null = null;
  let callId: string | null = null;
  for (;;) {
    try {
      const response = await client.fetch({
        method: 'GET',
        path: `/api/agent/runs/${view.id}/sandbox/stream`,
        query: lastEventId === null ? {} : { lastEventId },
        headers: { accept: 'text/event-stream' },
        signal,
      });
      for await (const message of readSse(response)) {
        lastEventId = message.id ?? lastEventId;
        if (message.event !== 'chunk') continue;
        const chunk = JSON.parse(message.data) as SandboxChunkDto;
        if (callId === null) onFirst();
        if (chunk.toolCallId !== callId) {
          callId = chunk.toolCallId;
          const command = commandOf(view, callId);
          if (command) terminal.write(`${dim(`$ ${command.replace(/\r?\n/g, '\r\n> ')}`)}\r\n`);
        }
        print(terminal, chunk);
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      const known = toApiError(error);
      if (known.status >= 400 && !isAway(known)) throw known;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

export function TerminalTab({ view }: { view: RunView }) {
  const box = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [printed, setPrinted] = useState(false);
  useEffect(() => {
    if (!box.current) return;
    const abort = new AbortController();
    const style = getComputedStyle(box.current);
    const terminal = new Terminal({
      disableStdin: true,
      convertEol: false,
      scrollback: 20_000,
      fontSize: 12.5,
      fontFamily: style.getPropertyValue('--font-mono'),
      theme: themeOf(box.current),
      screenReaderMode: true,
    });
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    terminal.open(box.current);
    fit.fit();
    const resized = new ResizeObserver(() => fit.fit());
    resized.observe(box.current);
    const unsubscribe = prefs.subscribe(() => {
      if (box.current) terminal.options.theme = themeOf(box.current);
    });
    follow(view, terminal, abort.signal, () => setPrinted(true)).catch((cause: unknown) => setError(toApiError(cause)));
    return () => {
      abort.abort();
      resized.disconnect();
      unsubscribe();
      terminal.dispose();
    };
  }, [view]);
  if (error) return <Failure error={error} />;
  return (
    <>
      {!printed && (
        <p className="muted small terminal-note">
          {t('Nothing was printed yet. What commands in the sandbox print appears here, live and later.')}
        </p>
      )}
      <section className="output" ref={box} aria-label={t('Terminal output')} data-testid="terminal" />
    </>
  );
}
