// The script and the style of the chat pages of bots: no framework, HTML from the server alone, and nothing kept but the conversation's name.

import { ownDirections } from '../../markdown/render.ts';

/** Sent as a file of its own: the page's policy allows no script within it. */
export const botScript = `'use strict';
const said = document.getElementById('said');
const form = document.getElementById('form');
const box = document.getElementById('text');
const note = document.getElementById('note');
const prompts = document.getElementById('prompts');
const send = form.querySelector('button');
const base = '/api/public/bots/' + said.dataset.bot;
const slot = 'bot ' + said.dataset.bot;
let conversation = kept();

/** Where a page in a frame may keep nothing, a conversation ends with the page. */
function kept(value) {
  try {
    if (value === undefined) return sessionStorage.getItem(slot);
    if (value === null) sessionStorage.removeItem(slot);
    else sessionStorage.setItem(slot, value);
  } catch {}
  return value ?? null;
}

/** All but the greeting. */
const lines = () => [...said.querySelectorAll(':scope > :not([data-greeting])')];

/** HTML that the server has made of Markdown; its links leave the page open. */
function show(line, html) {
  line.innerHTML = html;
  line.classList.add('formatted');
  for (const link of line.querySelectorAll('a')) link.target = '_blank';
}

function add(role, text, html) {
  const line = document.createElement('div');
  line.className = role;
  line.textContent = text;
  if (html) show(line, html);
  said.append(line);
  said.scrollTop = said.scrollHeight;
  prompts.hidden = true;
  return line;
}

const post = (path, body) =>
  fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'omit',
  });

async function* eventsOf(response) {
  let rest = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split('\\n\\n');
    rest = blocks.pop();
    for (const block of blocks)
      for (const line of block.split('\\n')) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6));
  }
}

async function ask(message) {
  send.disabled = true;
  note.textContent = 'Writing …';
  const own = add('user', message);
  let line = null;
  let begun = false;
  let ended = false;
  try {
    const response = await post('/messages', { message, conversation }).catch(() => {
      throw new Error('The message could not be sent: the server cannot be reached.');
    });
    if (!response.ok) {
      const failure = await response.json().catch(() => ({}));
      const said = [failure.error, failure.hint].filter(Boolean).join(' ');
      throw new Error(said || 'The server does not answer at present. Try again in a moment.');
    }
    for await (const event of eventsOf(response)) {
      if (event.type === 'Started') {
        begun = true;
        conversation = kept(event.conversation);
      }
      if (event.type === 'Text') {
        line ??= add('assistant', '');
        line.textContent += event.text;
        said.scrollTop = said.scrollHeight;
      }
      if (event.type === 'Failed') throw new Error(event.error);
      if (event.type === 'Ended') {
        ended = true;
        if (line && event.html) show(line, event.html);
        said.scrollTop = said.scrollHeight;
      }
    }
    if (!ended) throw new Error('The connection was lost. Load the page again to read the answer.');
    note.textContent = '';
  } catch (error) {
    // What failed on the way, fetch says in the browser's words.
    note.textContent = error instanceof TypeError ? 'The connection was lost. Load the page again to read the answer.' : error.message;
    if (!begun) {
      // The message was not accepted: it stays in the box, and only there.
      own.remove();
      prompts.hidden = lines().length > 0;
      if (box.value === '') box.value = message;
    }
  }
  send.disabled = false;
  box.focus();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const message = box.value.trim();
  if (message === '' || send.disabled) return;
  box.value = '';
  ask(message);
});
box.addEventListener('keydown', (event) => {
  // An input method's Enter, which Safari tells by its code alone.
  if (event.isComposing || event.keyCode === 229) return;
  if (event.key !== 'Enter' || event.shiftKey) return;
  event.preventDefault();
  form.requestSubmit();
});
prompts.addEventListener('click', (event) => {
  if (event.target.tagName === 'BUTTON' && !send.disabled) ask(event.target.textContent);
});
document.getElementById('again').addEventListener('click', () => {
  conversation = kept(null);
  for (const line of lines()) line.remove();
  prompts.hidden = false;
  note.textContent = '';
  box.focus();
});

(async () => {
  if (conversation === null) return;
  const response = await post('/conversation', { conversation }).catch(() => null);
  if (response === null) return void (note.textContent = 'The conversation could not be loaded: load the page again.');
  // The conversation is over where the server no longer knows it; otherwise it goes on once the server answers again.
  if (!response.ok) {
    if (response.status === 404 || response.status === 400) kept((conversation = null));
    return;
  }
  for (const { role, text, html } of (await response.json()).data) add(role, text, html);
})();
`;

export const botStyle = `:root { color-scheme: light dark; --line: light-dark(#d8d6cf, #3a4144); --teal: light-dark(#0f766e, #5eead4); --muted: light-dark(#566064, #a3adb0) }
* { box-sizing: border-box }
${ownDirections}body { margin: 0 auto; max-width: 46rem; height: 100dvh; display: flex; flex-direction: column; gap: .6rem; padding: .8rem; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#fbfaf7, #16191b); color: light-dark(#1f2426, #e6e8e8) }
header { display: flex; gap: .7rem; align-items: center; border-bottom: 1px solid var(--line); padding-bottom: .6rem }
header div { flex: 1; min-width: 0 } header img { border-radius: 50%; object-fit: cover }
h1 { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere } header p { margin: 0; color: var(--muted); font-size: .9rem; overflow-wrap: anywhere }
main { flex: 1; min-height: 0; display: flex; flex-direction: column; gap: .6rem }
#said { flex: 1; overflow: auto; display: flex; flex-direction: column; gap: .5rem }
#said > * { padding: .5rem .8rem; border-radius: 10px; max-width: 88%; white-space: pre-wrap; overflow-wrap: anywhere }
#said > .formatted { white-space: normal } .formatted > * { margin: .5rem 0 } .formatted > :first-child { margin-top: 0 } .formatted > :last-child { margin-bottom: 0 }
.formatted :is(h1, h2, h3, h4, h5, h6) { font-size: 1rem } .formatted :is(ul, ol) { padding-inline-start: 1.4rem } .formatted a { color: var(--teal) }
code { font: .9em ui-monospace, monospace } pre { overflow: auto; padding: .5rem; border: 1px solid var(--line); border-radius: 6px }
blockquote { padding-inline-start: .8rem; border-inline-start: 3px solid var(--line) } table { display: block; overflow: auto; border-collapse: collapse } th, td { border: 1px solid var(--line); padding: .2rem .5rem }
.user { align-self: flex-end; background: light-dark(#d9efec, #143f3b) } .assistant { align-self: flex-start; background: light-dark(#efede6, #23282b) }
#prompts { display: flex; flex-wrap: wrap; gap: .4rem } #prompts[hidden] { display: none }
button { font: inherit; padding: .4rem .8rem; border: 1px solid light-dark(#7d868a, #6f7a7e); border-radius: 8px; background: light-dark(#fff, #1d2124); color: inherit; cursor: pointer }
button[type=submit] { background: light-dark(#0f766e, #5eead4); color: light-dark(#fff, #0b2b28); border-color: transparent } button:disabled { opacity: .6; cursor: default }
header button, #prompts button { font-size: .9rem }
form { display: grid; grid-template-columns: 1fr auto; gap: .3rem .5rem; align-items: end } label { grid-column: 1 / -1; font-size: .85rem; color: var(--muted) }
textarea { font: inherit; width: 100%; resize: none; padding: .5rem .7rem; border: 1px solid light-dark(#7d868a, #6f7a7e); border-radius: 8px; background: light-dark(#fff, #1d2124); color: inherit }
:focus-visible { outline: 2px solid var(--teal); outline-offset: 1px }
#note { margin: 0; min-height: 1.5em; color: var(--muted); font-size: .9rem } footer { color: var(--muted); font-size: .8rem; text-align: center }
`;
