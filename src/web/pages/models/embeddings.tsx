// Tries texts on an embedding model: how long its vectors are, and how near each pair of texts is.
import { type FormEvent, useState } from 'react';
import type { AIEmbeddingTestDto } from '../../../client/index.ts';
import { formatNumber, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { costOf } from '../../state/run-figures.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Figures } from '../../ui/figures.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';

interface Trial {
  inputs: readonly string[];
  result: AIEmbeddingTestDto;
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

export function Embeddings() {
  const models = useResource('embedding models', () =>
    client.aiModels.list({ query: { enabled: true, kind: 'Embedding', pageSize: 200 } }),
  );
  return (
    <section className="stack" aria-label={t('Embeddings')}>
      <h2>{t('Embeddings')}</h2>
      <Loaded resource={models} rows={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="muted">{t('No embedding model yet: connect a provider that offers one.')}</p>
          ) : (
            <Trials modelIds={items.map((one) => one.modelId)} />
          )
        }
      </Loaded>
    </section>
  );
}

function Trials({ modelIds }: { modelIds: readonly string[] }) {
  const [modelId, setModelId] = useState(modelIds[0] ?? '');
  const [text, setText] = useState('');
  const [trial, setTrial] = useState<Trial | null>(null);
  const { busy, act } = useAction();
  const inputs = linesOf(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void act(async () =>
      setTrial({ inputs, result: await client.aiPlayground.embeddings({ body: { modelId, inputs } }) }),
    );
  };
  return (
    <div className="two">
      <form className="stack" onSubmit={submit}>
        <SelectField
          label={t('Model')}
          value={modelId}
          onChange={setModelId}
          options={modelIds.map((id) => [id, id] as const)}
        />
        <TextField label={t('Texts, one per line')} value={text} onChange={setText} rows={6} required />
        <div>
          <Button type="submit" kind="primary" icon="send" disabled={busy || inputs.length === 0}>
            {t('Embed')}
          </Button>
        </div>
      </form>
      <div className="stack" aria-live="polite">
        {trial ? (
          <Result {...trial} />
        ) : (
          <p className="muted">{t('The similarity of each pair of texts appears here.')}</p>
        )}
      </div>
    </div>
  );
}

function Result({ inputs, result }: Trial) {
  return (
    <section className="card" aria-label={result.modelId}>
      <div className="card-head">
        <h2 className="mono">{result.modelId}</h2>
      </div>
      <div className="card-body stack">
        <Figures
          items={[
            [t('Dimensions'), formatNumber(result.dimensions)],
            [t('Tokens'), formatNumber(result.promptTokens)],
            [t('Duration'), `${formatNumber(result.latencyMs)} ms`],
            [t('Cost'), costOf(result.costUsd, result.promptTokens, result.modelId)],
          ]}
        />
      </div>
      {result.similarity.length > 0 && (
        <Table
          rows={[...result.similarity].sort((a, b) => b.cosine - a.cosine)}
          keyOf={({ indexA, indexB }) => `${indexA} ${indexB}`}
          columns={[
            { head: t('Text'), cell: ({ indexA }) => inputs[indexA] },
            { head: t('and'), cell: ({ indexB }) => inputs[indexB] },
            { head: t('Cosine'), num: true, cell: ({ cosine }) => cosine.toFixed(3) },
          ]}
        />
      )}
    </section>
  );
}
