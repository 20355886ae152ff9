// Reads the server's own event streams, from text in pieces.

/** Calls back with the data of each whole event; comments and other fields are passed over. */
export function sseReader(onData: (data: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).replace(/^ /, ''))
        .join('\n');
      if (data) onData(data);
    }
  };
}
