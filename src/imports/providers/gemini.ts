// Gemini: the activity that Takeout exports, a list of what was asked with its answers, the newest first. Where activities
// do not name their conversation, those that follow each other soon are one.

import { type Dict, dictOf, firstText, isDict, listOf, textOf, timeOf } from '../fields.ts';
import { htmlText } from '../html-text.ts';
import { limits } from '../limits.ts';
import type { Format, Parsed } from '../shapes.ts';
import {
  type Activity,
  activityOf,
  conversationOf,
  createSittings,
  inOrder,
  lengthOf,
  noActivity,
} from '../sittings.ts';

const isOwn = (value: unknown): value is Dict =>
  isDict(value) && 'header' in value && 'title' in value && 'time' in value;
const isGemini = (value: Dict) => /gemini|bard/i.test([value.header, ...listOf(value.products)].join(' '));
const ofConversation = /\/(?:c|app|chat)\/([\w-]{4,100})/;

export const gemini: Format = {
  provider: 'Gemini',
  name: 'gemini-takeout-json',
  takes: ({ key, value }) => key === null && isOwn(value) && isGemini(value),
  open: () => {
    const sittings = createSittings();
    const named = createNamed();
    return {
      *read({ value }) {
        if (!isOwn(value)) return;
        const found = activitiesOf(value);
        if (found.length === 0) yield noActivity(textOf(value.title) ?? 'an activity that says nothing');
        const id = ofConversation.exec(textOf(value.titleUrl) ?? '')?.[1];
        for (const one of found) yield* id ? named.add(id, one) : sittings.add(one);
      },
      *end() {
        yield* sittings.end();
        yield* named.end();
      },
    };
  },
};

/** Activities that name their conversation. */
function createNamed() {
  let chats = new Map<string, Activity[]>();
  let length = 0;
  function* end(): Generator<Parsed> {
    const all = chats;
    [chats, length] = [new Map(), 0];
    for (const [id, activities] of all) yield* conversationOf(id, inOrder(activities));
  }
  return {
    *add(id: string, activity: Activity): Generator<Parsed> {
      const activities = chats.get(id) ?? [];
      chats.set(id, activities);
      activities.push(activity);
      length += lengthOf(activity) + 300;
      if (length > limits.conversationLength) yield* end();
    },
    end,
  };
}

function activitiesOf(value: Dict): Activity[] {
  const at = timeOf(value.time);
  const told = [...detailsOf(value), ...interactionsOf(value)];
  const files = filesOf(value);
  if (told.length > 0)
    return told.map((one, index) => ({ ...one, prompt: index === 0 ? one.prompt + files : one.prompt, at }));
  const [answer = '', ...others] = listOf(value.safeHtmlItem)
    .map((one) => htmlText(textOf(dictOf(one).html) ?? ''))
    .filter(Boolean);
  const activity = activityOf(textOf(value.title) ?? '', answer);
  return activity ? [{ ...activity, prompt: activity.prompt + files, others, at }] : [];
}

/** Requests and responses, one after the other. */
function detailsOf(value: Dict): Pick<Activity, 'prompt' | 'answer'>[] {
  const found: { prompt: string; answer: string }[] = [];
  for (const detail of listOf(value.details).filter(isDict)) {
    const text = textOf(detail.value);
    if (!text) continue;
    const last = found.at(-1);
    if (/^request$/i.test(String(detail.name))) found.push({ prompt: text, answer: '' });
    else if (last) last.answer = [last.answer, text].filter(Boolean).join('\n');
    else found.push({ prompt: '', answer: text });
  }
  return found;
}

const interactionsOf = (value: Dict): Pick<Activity, 'prompt' | 'answer'>[] =>
  listOf(value.userInteractions).flatMap((one) => {
    const { request, response } = dictOf(dictOf(one).userInteraction);
    const [prompt, answer] = [textOf(request) ?? '', textOf(response) ?? ''];
    return prompt || answer ? [{ prompt, answer }] : [];
  });

/** The names of files, a line each. */
function filesOf(value: Dict): string {
  const named = listOf(value.subtitles)
    .filter(isDict)
    .flatMap(({ name, url }) => (textOf(url) && /^-\s/.test(String(name)) ? [String(name).replace(/^-\s+/, '')] : []));
  const others = [value.imageFile, value.attachedFiles]
    .flat()
    .flatMap((one) => textOf(one) ?? (isDict(one) ? (firstText(one, 'name', 'fileName', 'url') ?? []) : []));
  const files = named.length > 0 ? named : [...new Set(others)];
  return files.map((name) => `\n[file ${name.slice(0, 200)}]`).join('');
}
