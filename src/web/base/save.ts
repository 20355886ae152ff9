// Saves what the server answered as a file of the reader.
const keptMs = 10_000;

export async function saveAs(response: Response, name: string): Promise<void> {
  const url = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), keptMs);
}
