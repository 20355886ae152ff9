// Requests to the sample group, as its writer unless told otherwise.

/** Sends a request; a text is sent as it is, all else as JSON. */
export const asking =
  (url: () => string) =>
  async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(url() + path, {
      method,
      body: text,
      headers: {
        authorization: 'Bearer writer',
        ...(text === null ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    const answer = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text: answer,
      body: answer ? JSON.parse(answer) : null,
    };
  };

/** Resolves when the condition holds. */
export const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};
