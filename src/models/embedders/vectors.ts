// What embedders share: vectors of length 1, and texts that are not too long.

/** The same direction with length 1; a vector of zeros stays. */
export function unit(vector: ArrayLike<number>): Float32Array {
  let squares = 0;
  for (let at = 0; at < vector.length; at++) squares += (vector[at] as number) ** 2;
  const length = Math.sqrt(squares) || 1;
  return Float32Array.from(vector, (one) => one / length);
}

/** The beginning of a text, up to the end of a word. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most);
  const end = cut.lastIndexOf(' ');
  return (end > most / 2 ? cut.slice(0, end) : cut).toWellFormed();
}
