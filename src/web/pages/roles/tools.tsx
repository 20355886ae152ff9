// The tools that there are, with their arguments and risk.
import { useState } from 'react';
import { t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Json } from '../../ui/code.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Chip } from '../../ui/status.tsx';

export function Tools() {
  const list = useResource('tools', () => client.agentTools.list());
  const [query, setQuery] = useState('');
  return (
    <Loaded resource={list}>
      {(items) => (
        <div className="stack">
          <input
            className="input"
            type="search"
            style={{ maxWidth: 280 }}
            aria-label={t('Search tools')}
            placeholder={t('Search tools…')}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          <div className="card tool-list">
            {items
              .filter((tool) =>
                `${tool.name} ${tool.description} ${tool.category}`.toLowerCase().includes(query.toLowerCase()),
              )
              .map((tool) => (
                <details key={tool.name} className="card-body">
                  <summary>
                    <span className="row wrap" style={{ display: 'inline-flex', width: 'calc(100% - 20px)' }}>
                      <strong className="mono" style={{ color: 'var(--text)' }}>
                        {tool.name}
                      </strong>
                      <span className="grow truncate">{tool.description}</span>
                      <Chip
                        shape={tool.risk === 'Dangerous' ? 'cross' : tool.risk === 'Moderate' ? 'gauge' : 'tick'}
                        tone={tool.risk === 'Dangerous' ? 'bad' : tool.risk === 'Moderate' ? 'warn' : 'good'}
                      >
                        {words(tool.risk)}
                      </Chip>
                      {tool.requiresApproval && (
                        <Chip shape="gate" tone="warn">
                          {t('Approval required')}
                        </Chip>
                      )}
                      {tool.sandboxed && (
                        <Chip shape="dam" tone="violet">
                          {t('Sandboxed')}
                        </Chip>
                      )}
                    </span>
                  </summary>
                  <p className="muted">{tool.description}</p>
                  <Json value={tool.inputSchemaJson} />
                </details>
              ))}
          </div>
        </div>
      )}
    </Loaded>
  );
}
