// Open escalations, the only thing in the dashboard that calls for attention.

import type { AgentEscalationDto } from '../../client/index.ts';
import { t } from '../base/i18n.ts';
import { prefs } from '../base/prefs.ts';
import { createStore } from '../base/store.ts';
import { client } from './app.ts';
import { askAgain } from './ask-again.ts';
import { createMeanwhile } from './meanwhile.ts';
import { followTopic } from './topic.ts';

const closed: ReadonlySet<string> = new Set(['Resolved', 'TimedOut', 'Withdrawn']);
export const isOpen = (escalation: AgentEscalationDto) => !closed.has(escalation.status);

type Escalations = ReadonlyMap<number, AgentEscalationDto>;

/** By id; open ones, and those that closed while the page was open. */
export const escalationStore = createStore<Escalations>(new Map());

const meanwhile = createMeanwhile<Escalations>();

export function putEscalation(escalation: AgentEscalationDto) {
  const put = (all: Escalations) => new Map(all).set(escalation.id, escalation);
  meanwhile.note(put);
  escalationStore.set(put);
}

async function loadOpen(): Promise<Escalations> {
  const { items } = await client.agentEscalations.list({ query: { openOnly: true, pageSize: 200 } });
  return new Map(items.map((item) => [item.id, item]));
}

async function load() {
  const open = await meanwhile.during(loadOpen());
  if (open === undefined) return;
  escalationStore.set((all) => new Map([...[...all].filter(([, escalation]) => !isOpen(escalation)), ...open]));
}

function alert(escalation: AgentEscalationDto) {
  const { alerts, sound } = prefs.get();
  if (alerts && 'Notification' in window && Notification.permission === 'granted') {
    new Notification(t('A run is waiting for a decision'), {
      body: escalation.situation,
      tag: `escalation-${escalation.id}`,
    });
  }
  if (sound) beep();
}

/** Two soft notes. */
function beep() {
  const audio = new AudioContext();
  for (const [index, pitch] of [523, 784].entries()) {
    const note = audio.createOscillator();
    const volume = audio.createGain();
    const from = audio.currentTime + index * 0.14;
    note.frequency.value = pitch;
    volume.gain.setValueAtTime(0.05, from);
    volume.gain.exponentialRampToValueAtTime(0.0001, from + 0.3);
    note.connect(volume).connect(audio.destination);
    note.start(from);
    note.stop(from + 0.3);
  }
}

/** Starts following, where the server has escalations. Answers how to stop. */
export function followEscalations(): () => void {
  let stopWaiting = () => {};
  let turn = 0;
  /** The newest load alone is made again. */
  const begin = () => {
    const mine = ++turn;
    stopWaiting();
    load().catch((error: unknown) => {
      if (mine === turn) stopWaiting = askAgain(error, begin);
    });
  };
  const stop = followTopic('escalations', {
    onSnapshot: begin,
    onEvent(event) {
      if (event.type === 'escalation.raised') alert(event.data);
      if (event.type.startsWith('escalation.')) putEscalation(event.data as AgentEscalationDto);
    },
  });
  return () => {
    turn++;
    stopWaiting();
    stop();
  };
}
