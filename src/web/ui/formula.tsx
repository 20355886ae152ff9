// A formula, set by KaTeX as MathML, which browsers draw themselves; a chunk of its own, since most pages show none.
import katex from 'katex';

export function Formula({ tex, display }: { tex: string; display: boolean }) {
  // KaTeX escapes what it is given, and trusts none of its commands that make links or load things.
  const html = katex.renderToString(tex, {
    displayMode: display,
    output: 'mathml',
    throwOnError: false,
    trust: false,
    // What strangers write is no matter for the console.
    strict: 'ignore',
  });
  // biome-ignore lint/security/noDangerouslySetInnerHtml: KaTeX's own elements; the text in them is escaped
  return <span className={display ? 'formula display' : 'formula'} dangerouslySetInnerHTML={{ __html: html }} />;
}
