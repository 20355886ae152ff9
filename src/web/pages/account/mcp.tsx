// How a program of one's own uses this server by MCP: what to paste into its settings.
import { t } from '../../base/i18n.ts';
import { href } from '../../base/router.ts';
import { Code, Copyable, Json } from '../../ui/code.tsx';

/** Stands where the key goes. */
const key = 'rvt_YOUR_KEY';

export function McpClients() {
  const url = `${window.location.origin}/mcp`;
  const authorization = `Bearer ${key}`;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Use Rivulet from another program')}</h2>
      </div>
      <div className="card-body stack">
        <p>
          {t(
            'Assistants and editors that speak MCP can start runs, chat, and read memories, facts, tasks, documents and messages here.',
          )}
        </p>
        <p>
          {t('Address:')} <Copyable text={url} />
        </p>
        <p>
          {t('They may do what their key may. Make one under')}{' '}
          <a href={href('/account', { tab: 'keys' })}>{t('API keys')}</a>
          {t(', and put it in place of {key}.', { key })}
        </p>
        <h3>{t('Programs that take an address')}</h3>
        <Json value={{ mcpServers: { rivulet: { type: 'http', url, headers: { Authorization: authorization } } } }} />
        <h3>{t('Programs that start a command')}</h3>
        <Json value={{ mcpServers: { rivulet: commandOf(url, authorization) } }} />
        <h3>{t('On a command line')}</h3>
        <Code text={`claude mcp add --transport http rivulet ${url} --header "Authorization: ${authorization}"`} />
        <p className="muted">
          {t('For a model that should see few tools, name what they are about: {url}', {
            url: `${url}?tools=run,chat`,
          })}
        </p>
      </div>
    </section>
  );
}

/** A bridge from npm: headers with a space do not survive the arguments of every program, so it stands in a variable. */
const commandOf = (url: string, authorization: string) => ({
  command: 'npx',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the bridge fills it in
  args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTHORIZATION}'],
  env: { AUTHORIZATION: authorization },
});
