// A download that says how much of it has come.

/** The same answer, whose bytes are counted as they arrive. */
export function measured(response: Response, onBytes: (bytes: number) => void): Response {
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, next) {
      bytes += chunk.byteLength;
      onBytes(bytes);
      next.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(counted) ?? null, { headers: response.headers });
}
