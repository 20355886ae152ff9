// Origins, as browsers send them.

/** Whether a browser sends this as an origin: of pages in programs too, and `null` of pages without one. */
export const isOrigin = (text: string): boolean =>
  text === 'null' ||
  (/^https?:/i.test(text)
    ? URL.canParse(text) && new URL(text).origin === text
    : /^[a-z][a-z0-9+.-]*:\/\/[^/\s?#@A-Z]+$/.test(text));
