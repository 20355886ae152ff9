// The resources that tokens are for (RFC 8707): the API of this server, and its MCP endpoint.
import { OAuthFault } from '../../contract/oauth-failure.ts';

export type Resource = 'api' | 'mcp';

/** Path of the MCP endpoint. */
export const mcpPath = '/mcp';

/** The resource that a request of this path is made to. */
export const resourceAt = (path: string): Resource =>
  path === mcpPath || path.startsWith(`${mcpPath}/`) ? 'mcp' : 'api';

/** What a token's `aud` says: the URL of the resource. */
export const audienceOf = (issuer: string, resource: Resource): string =>
  resource === 'mcp' ? issuer + mcpPath : issuer;

/** @throws OAuthFault invalid_target for a URL that is neither */
export function resourceOf(issuer: string, url: string): Resource {
  const normal = URL.canParse(url) ? new URL(url).href.replace(/\/$/, '') : null;
  const own = new URL(issuer).href.replace(/\/$/, '');
  if (normal === own || normal === `${own}/api`) return 'api';
  if (normal === own + mcpPath) return 'mcp';
  throw new OAuthFault('invalid_target', 'This server gives no tokens for that resource.', {
    hint: `Name ${issuer} or ${issuer}${mcpPath}.`,
  });
}
