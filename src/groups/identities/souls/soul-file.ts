// A soul as a file to show or to download.
export const soulFile = (text: string, name: string, download: boolean | undefined) => ({
  kind: 'file' as const,
  mediaType: 'text/markdown; charset=utf-8',
  body: text,
  ...(download ? { fileName: `${name.replaceAll(' ', '-')}.soul.md` } : {}),
});
