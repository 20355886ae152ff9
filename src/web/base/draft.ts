// What is being written and was not sent: kept by this tab, so that no key, menu or reload loses it.
import { useState } from 'react';

const prefix = 'rivulet.draft.';

export interface Draft {
  text: string;
  write: (text: string) => void;
  /** `text` was sent, or thrown away on purpose; what was written after it stays. */
  clear: () => void;
}

/** The draft under a name; `initial` is there until something was written. */
export function useDraft(name: string, initial = ''): Draft {
  const key = prefix + name;
  const load = () => ({ key, text: sessionStorage.getItem(key) ?? initial });
  const [state, setState] = useState(load);
  // Another thing is being written about now.
  const current = state.key === key ? state : load();
  if (current !== state) setState(current);
  const write = (text: string) => {
    setState({ key, text });
    if (text === initial) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  };
  const clear = () => {
    const kept = sessionStorage.getItem(key);
    if (kept !== null && kept !== current.text) return;
    sessionStorage.removeItem(key);
    setState({ key, text: initial });
  };
  return { text: current.text, write, clear };
}

const ownerKey = 'rivulet.writer';

/** Drafts belong to the user who wrote them; those of another user are deleted. */
export function keepDraftsOf(owner: string) {
  const before = sessionStorage.getItem(ownerKey);
  if (before !== null && before !== owner) clearDrafts();
  sessionStorage.setItem(ownerKey, owner);
}

export function clearDrafts() {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
}
