// Style and script of the reference page.

export const style = `:root {
  color-scheme: light dark;
  --line: light-dark(#d9dde3, #343a43);
  --soft: light-dark(#5a6472, #9aa5b4);
  --back: light-dark(#fff, #15181d);
  --side: light-dark(#f6f7f9, #1b1f26);
  --link: light-dark(#0b57d0, #8ab4f8);
}
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; background: var(--back); display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
nav { background: var(--side); border-right: 1px solid var(--line); padding: 1rem; position: sticky; top: 0; height: 100vh; overflow: auto; }
nav ul { list-style: none; margin: 1rem 0 0; padding: 0; }
nav input { width: 100%; font: inherit; padding: 0.3rem 0.5rem; border: 1px solid var(--soft); border-radius: 4px; background: var(--back); color: inherit; }
main { padding: 1rem 2rem 4rem; max-width: 70rem; }
a { color: var(--link); }
small, i, summary span { color: var(--soft); }
i { margin-left: 0.5rem; font-size: 0.85em; }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 0.95rem; margin: 1rem 0 0.25rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: 0.4rem 0; padding: 0 0.75rem; }
details[open] { padding-bottom: 0.75rem; }
summary { cursor: pointer; padding: 0.5rem 0; }
summary b { display: inline-block; min-width: 4.5rem; font: 600 0.85em ui-monospace, monospace; }
.get { color: light-dark(#0a6b2d, #7ee2a0); } .post { color: light-dark(#0b57d0, #8ab4f8); }
.put, .patch { color: light-dark(#8a5300, #ffc46b); } .delete { color: light-dark(#b3261e, #ff9c94); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-top: 1px solid var(--line); font-weight: 400; }
th { width: 16rem; } td:last-child { color: var(--soft); }
:target { outline: 2px solid var(--link); }
[hidden] { display: none; }
@media (max-width: 45rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 40vh; border: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
  table, tbody, tr, th, td { display: block; width: auto; border: 0; padding: 0; }
  tr { border-top: 1px solid var(--line); padding: 0.3rem 0; }
}
`;

export const script = `// Opens what a link points to, and narrows the page to what is looked for.
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
  target?.scrollIntoView();
};
addEventListener('hashchange', open);
open();

const find = document.getElementById('find');
const blocks = [...document.querySelectorAll('.operation, .schema')].map((block) => ({
  block,
  text: block.querySelector('summary').textContent.toLowerCase() + ' ' + block.id.toLowerCase(),
}));
find.addEventListener('input', () => {
  const words = find.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const { block, text } of blocks) block.hidden = !words.every((word) => text.includes(word));
  for (const section of document.querySelectorAll('main > section'))
    section.hidden = !section.querySelector('details:not([hidden])');
});
`;
