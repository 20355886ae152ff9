// A `fetch` that says how much of its body has been sent, which only XMLHttpRequest can tell.

/** A `fetch` for one upload; `onSent` hears bytes of the body, its framing included. */
export function progressFetch(onSent: (bytes: number, total: number) => void): typeof fetch {
  return (input, init = {}) =>
    new Promise<Response>((resolve, reject) => {
      const { signal } = init;
      const xhr = new XMLHttpRequest();
      xhr.open(init.method ?? 'GET', String(input));
      for (const [name, value] of new Headers(init.headers)) xhr.setRequestHeader(name, value);
      xhr.upload.onprogress = ({ loaded, total }) => onSent(loaded, total);
      xhr.onload = () => resolve(answerOf(xhr));
      xhr.onerror = () => reject(new TypeError('The upload was cut off.'));
      xhr.onabort = () => reject(new DOMException('The upload was stopped.', 'AbortError'));
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', () => xhr.abort(), { once: true });
      xhr.send(init.body as XMLHttpRequestBodyInit);
    });
}

function answerOf(xhr: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const name of ['content-type', 'retry-after']) {
    const value = xhr.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(xhr.responseText, { status: xhr.status, statusText: xhr.statusText, headers });
}
