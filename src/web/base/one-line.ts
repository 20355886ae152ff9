// Text of Markdown in one line, for where its parser is not loaded.

/** Marks of emphasis, code, headings and quotes; not the underscores within a name. */
const marks = /[*`]+(?=\S)|(?<=\S)[*`]+|(?<![\p{L}\p{N}_])_+(?=\S)|(?<=\S)_+(?![\p{L}\p{N}_])|^(?:#+|>) /gmu;

export const oneLine = (text: string): string => text.replace(marks, '').replace(/\s+/g, ' ').trim();
