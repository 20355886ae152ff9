// A list of runs, whose texts are held to say what its records say.
import { expect } from 'vitest';
import type { RunQuery, RunStore } from '../../../runtime/ports.ts';
import { runView } from '../../../runtime/views/run.ts';
import { runViewText } from '../../../runtime/views/run-text.ts';

export async function listed(store: RunStore, query: RunQuery) {
  const found = await store.runs.list(query);
  const views = found.items.map((run) => JSON.stringify(runView(run, null)));
  // Three times, since a store may keep what is read again.
  for (let times = 0; times < 3; times++) {
    const { items, total } = await store.runs.listTexts(query);
    expect({ total, views: items.map((one) => runViewText(one, null)) }).toEqual({ total: found.total, views });
  }
  return found;
}
