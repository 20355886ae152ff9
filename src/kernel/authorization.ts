// Where the credential of a request stands.

/** The `Authorization` header, or what stands for it: `x-api-key`, as Anthropic's clients and many others send keys. */
export function authorizationOf(header: (name: string) => string | undefined): string | undefined {
  const key = header('x-api-key');
  return header('authorization') ?? (key ? `Bearer ${key}` : undefined);
}
