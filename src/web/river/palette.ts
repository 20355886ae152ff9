// The river's colours, taken from the page's tokens so that both themes have one source.

export interface Palette {
  text: string;
  muted: string;
  faint: string;
  surface: string;
  grid: string;
  faintLine: string;
  /** Over a wait that is folded. */
  fold: string;
  accent: string;
  stream: string;
  streamQuiet: string;
  model: string;
  modelEmpty: string;
  ripple: string;
  tool: string;
  toolEdge: string;
  /** A tool call where there is no room for its edge. */
  toolQuiet: string;
  toolFailed: string;
  gateSoft: string;
  warn: string;
  warnText: string;
  good: string;
  bad: string;
  violet: string;
  smallFont: string;
}

/** Reads the tokens as they are now; call again when the theme has changed. */
export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: token('text'),
    muted: token('muted'),
    faint: token('faint'),
    surface: token('surface-1'),
    grid: token('line-soft'),
    faintLine: token('line-strong'),
    fold: token('river-fold'),
    accent: token('accent'),
    stream: token('river-stream'),
    streamQuiet: token('river-quiet'),
    model: token('river-model'),
    modelEmpty: token('river-model-empty'),
    ripple: token('river-ripple'),
    tool: token('river-tool'),
    toolEdge: token('river-tool-edge'),
    toolQuiet: token('river-tool-quiet'),
    toolFailed: token('bad-soft'),
    gateSoft: token('warn-soft'),
    warn: token('warn'),
    warnText: token('warn-text'),
    good: token('good'),
    bad: token('bad'),
    violet: token('violet'),
    smallFont: `500 11px ${token('font-sans')}`,
  };
}
