// The files that every site has: its style, its search, its icon. Small enough to read here.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { ownDirections } from '../markdown/render.ts';

const style = `:root{color-scheme:light dark;--bg:light-dark(#fff,#14171c);--fg:light-dark(#1c2330,#e3e7ee);--dim:light-dark(#5a6474,#9aa5b5);--line:light-dark(#dfe3ea,#2c323c);--soft:light-dark(#f4f6f9,#1c2027);--link:light-dark(#0b57c2,#7db4ff)}
*{box-sizing:border-box}
${ownDirections}body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.65 system-ui,sans-serif}
a{color:var(--link);text-underline-offset:2px}
.skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;background:var(--bg);padding:8px}
.top{display:flex;flex-wrap:wrap;gap:8px 20px;align-items:center;padding:12px 24px;border-bottom:1px solid var(--line)}
.top .name{font-weight:650;color:var(--fg);text-decoration:none}
.top nav{display:flex;gap:16px;margin-right:auto}
input[type=search]{font:inherit;padding:6px 10px;min-height:36px;border:1px solid var(--line);border-radius:8px;background:var(--soft);color:var(--fg);width:14rem;max-width:100%}
.columns{display:grid;grid-template-columns:minmax(180px,260px) minmax(0,1fr);max-width:1200px;margin:0 auto}
.tree{padding:20px 16px;font-size:15px;border-right:1px solid var(--line)}
.tree ul,.below ul,.posts{list-style:none;margin:0;padding:0}.tree ul ul{padding-left:14px}
.tree a{display:block;padding:4px 8px;border-radius:6px;text-decoration:none;color:var(--fg);overflow-wrap:anywhere}
.tree a:hover,.tree a[aria-current]{background:var(--soft)}.tree a[aria-current]{font-weight:600}
main{padding:24px 32px 80px;max-width:800px;min-width:0;overflow-wrap:anywhere}
h1,h2,h3{line-height:1.25}h1{font-size:1.9rem}
pre{background:var(--soft);border:1px solid var(--line);border-radius:8px;padding:12px 14px;overflow:auto;font-size:14px;line-height:1.5}
code{font-family:ui-monospace,monospace;font-size:.92em}:not(pre)>code{background:var(--soft);padding:1px 5px;border-radius:5px}
table{border-collapse:collapse;display:block;overflow:auto}th,td{border:1px solid var(--line);padding:6px 10px}th:not([align]){text-align:start}
blockquote{margin:0;padding-inline-start:16px;border-inline-start:3px solid var(--line);color:var(--dim)}
.meta{color:var(--dim);font-size:14px}.posts h2{margin-bottom:0;font-size:1.3rem}.below{border-top:1px solid var(--line);margin-top:32px;padding-top:16px}
.hljs-comment,.hljs-quote{color:light-dark(#5f6b7a,#8b97a8)}.hljs-keyword,.hljs-selector-tag,.hljs-type,.hljs-literal{color:light-dark(#a0246b,#ff8ac4)}
.hljs-string,.hljs-attr,.hljs-addition,.hljs-regexp{color:light-dark(#1a6b3c,#86d9a0)}.hljs-number,.hljs-symbol,.hljs-bullet{color:light-dark(#8a4b00,#f5b971)}
.hljs-title,.hljs-name,.hljs-section,.hljs-built_in,.hljs-variable{color:light-dark(#0b57c2,#7db4ff)}.hljs-deletion{color:light-dark(#b3261e,#ff8f86)}
@media(max-width:720px){.columns{grid-template-columns:minmax(0,1fr)}.tree{border-right:0;border-bottom:1px solid var(--line);padding:8px 16px;max-height:40vh;overflow:auto}main{padding:16px 16px 64px}.top{padding:12px 16px}}
`;

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M2 5c4-4 8 4 12 0M2 11c4-4 8 4 12 0" fill="none" stroke="#2f7fe0" stroke-width="2" stroke-linecap="round"/></svg>\n`;

/** Loads the index with the first search, as a script: pages that are opened from a disk may fetch nothing. */
const search = `(function () {
  var results = document.getElementById('results');
  var input = document.querySelector('input[type=search]');
  var asked = new URLSearchParams(location.search).get('q') || '';
  // The reader may have typed before this script came.
  if (input && !input.value) input.value = asked;
  if (!results || !asked.trim()) return;
  function load(file, then) {
    var script = document.createElement('script');
    script.src = file;
    script.onload = then;
    document.head.appendChild(script);
  }
  function element(name, text) {
    var made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    return made;
  }
  function show() {
    var index = MiniSearch.loadJS(window.siteIndex, { fields: ['title', 'headings', 'text'], storeFields: ['title', 'file', 'excerpt'] });
    var found = index.search(asked, { boost: { title: 3, headings: 2 }, prefix: true, fuzzy: 0.2 }).slice(0, 50);
    results.textContent = '';
    results.appendChild(element('p', found.length === 0 ? 'Nothing found for \\u201c' + asked + '\\u201d.' : found.length + (found.length === 1 ? ' page' : ' pages')));
    var list = element('ul');
    list.className = 'posts';
    found.forEach(function (hit) {
      var item = element('li');
      var heading = element('h2');
      var link = element('a', hit.title);
      link.href = encodeURIComponent(hit.file);
      heading.appendChild(link);
      item.appendChild(heading);
      if (hit.excerpt) item.appendChild(element('p', hit.excerpt));
      list.appendChild(item);
    });
    results.appendChild(list);
  }
  load('assets/minisearch.js', function () { load('assets/search-index.js', show); });
})();
`;

/** Files by their paths in the site. */
export async function siteAssets(): Promise<Map<string, string>> {
  const minisearch = createRequire(import.meta.url)
    .resolve('minisearch')
    .replace(/dist[\\/].*$/, 'dist/umd/index.js');
  const text = await readFile(minisearch, 'utf8');
  return new Map([
    ['assets/site.css', style],
    ['assets/icon.svg', icon],
    ['assets/search.js', search],
    // A map that the site does not have.
    ['assets/minisearch.js', text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')],
  ]);
}
