// The script of the reference page: finds operations and schemas by words, and opens what a link leads to.

/** Sent as a file of its own: the page's policy allows no script within it. */
export const searchScript = `'use strict';
const box = document.getElementById('search');
const count = document.getElementById('count');
const main = document.querySelector('main');
const entries = [...main.querySelectorAll('.entry')].map((element) => ({ element, text: null }));
const sections = [...main.querySelectorAll('.task')];
const total = entries.length;

/** Words of an entry with its name, so that what is called like the words can come into sight first. */
const textOf = (entry) => (entry.text ??= (entry.element.dataset.words + ' ' + entry.element.textContent).toLowerCase());

function find() {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let found = 0;
  for (const entry of entries) {
    const fits = words.every((word) => textOf(entry).includes(word));
    entry.element.hidden = !fits;
    if (fits) found++;
  }
  for (const section of sections) {
    section.hidden = !section.querySelector('.entry:not([hidden])');
    if (section.id === 'schemas') section.open = words.length > 0 && found <= 40;
  }
  main.classList.toggle('searching', words.length > 0);
  count.textContent = words.length === 0 ? '' : found === 0 ? 'Nothing is found.' : found + ' of ' + total;
  const url = new URL(location.href);
  if (box.value) url.searchParams.set('q', box.value);
  else url.searchParams.delete('q');
  history.replaceState(null, '', url);
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  target.hidden = false;
  for (let one = target; one; one = one.parentElement) if (one.tagName === 'DETAILS') one.open = true;
  target.scrollIntoView();
}

box.value = new URL(location.href).searchParams.get('q') ?? '';
if (box.value) find();
box.addEventListener('input', find);
addEventListener('hashchange', openTarget);
addEventListener('keydown', (event) => {
  if (event.target === box && event.key === 'Escape') {
    box.value = '';
    find();
  } else if (event.key === '/' && event.target !== box && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    box.focus();
  }
});
document.body.classList.add('scripted');
openTarget();
`;
