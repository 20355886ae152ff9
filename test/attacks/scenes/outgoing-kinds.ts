// Every kind of connector that leads to a host: what makes one, and has it go there.

/** Calls the API; answers the body. */
// biome-ignore lint/suspicious/noExplicitAny: attacks look into whatever was answered
export type Call = (method: string, path: string, body?: unknown) => Promise<any>;

export const bare = (host: string) => host.replace(/^\[|\]$/g, '');
const token = { authMethod: 'BearerToken', credentials: 'planted-token-0123456789' };

type Kind = [make: (host: string) => object, go: (id: number) => Promise<unknown>];

export function outgoingKinds(call: Call, portOf: () => number): Record<string, Kind> {
  const endpoint = (fields: object) => async (id: number) => {
    const { data } = await call('POST', `/connectors/${id}/endpoints`, {
      name: `one ${crypto.randomUUID()}`,
      ...fields,
    });
    return data ? call('POST', `/connectors/endpoints/${data.id}/call`, { input: {} }) : null;
  };
  const discover = (id: number) => call('POST', `/connectors/${id}/mcp/discover`, { timeoutMs: 5000 });
  const get = { method: 'Get', path: '/x' };

  return {
    RestApi: [(host) => ({ ...token, baseUrl: `http://${host}:${portOf()}` }), endpoint(get)],
    GraphQl: [
      (host) => ({ ...token, baseUrl: `http://${host}:${portOf()}` }),
      endpoint({ methodSignature: '{ __typename }' }),
    ],
    ObjectStorage: [
      (host) => ({
        ...{ baseUrl: `http://${host}:${portOf()}/bucket`, authMethod: 'ApiKey' },
        credentials: '{"accessKeyId":"planted-access-01","secretAccessKey":"planted-secret-01","region":"eu-1"}',
      }),
      endpoint(get),
    ],
    PostgreSQL: [
      (host) => ({ type: 'Database', connectionString: `postgres://amy:planted-password-01@${host}:${portOf()}/db` }),
      endpoint({ method: 'Query', methodSignature: 'SELECT 1' }),
    ],
    MySQL: [
      (host) => ({ type: 'Database', connectionString: `mysql://amy:planted-password-02@${host}:${portOf()}/db` }),
      endpoint({ method: 'Query', methodSignature: 'SELECT 1' }),
    ],
    'a token endpoint': [
      (host) => ({
        ...{ type: 'RestApi', baseUrl: 'https://api.invalid', authMethod: 'OAuth2ClientCredentials' },
        credentials: `{"tokenUrl":"http://${host}:${portOf()}/token","clientId":"planted-client","clientSecret":"planted-secret-02"}`,
      }),
      endpoint(get),
    ],
    Mcp: [
      (host) => ({ ...token, mcpTransportType: 'StreamableHttp', baseUrl: `http://${host}:${portOf()}/mcp` }),
      discover,
    ],
    'Mcp by SSE': [
      (host) => ({ ...token, type: 'Mcp', mcpTransportType: 'Sse', baseUrl: `http://${host}:${portOf()}/sse` }),
      discover,
    ],
    'an agent of A2A': [
      (host) => ({ ...token, type: 'Custom', subType: 'A2A', baseUrl: `http://${host}:${portOf()}` }),
      discover,
    ],
    Email: [
      (host) => ({
        authMethod: 'Basic',
        credentials: JSON.stringify({
          ...{ imapHost: bare(host), imapPort: String(portOf()), imapSecurity: 'none', smtpHost: bare(host) },
          ...{ smtpPort: String(portOf()), smtpSecurity: 'none', username: 'amy', password: 'planted-password-03' },
        }),
      }),
      (id) => call('POST', `/email/${id}/test`, { sendTo: 'amy@example.com' }),
    ],
  };
}
