// Texts made short, for lists and for what models are told.

/** The beginning of a text, of at most `most` characters; an ellipsis says where it was cut. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).toWellFormed()} …` : text;

/** A text as one line. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
