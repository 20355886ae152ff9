// Councils of a run: what each participant says, side by side, the votes and what came of it.
import { useState } from 'react';
import type { AgentCouncilDto, CouncilStatementDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { payloadOf } from '../../river/track.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { useTopic } from '../../state/topic.ts';
import { Json } from '../../ui/code.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';

const eventTypes = ['CouncilStatement', 'CouncilVote'] as const;

/** Statements that were made before the page looked, from the run's events. */
async function pastStatements(runId: number): Promise<CouncilStatementDto[]> {
  const events = await client.agentRuns.events({ params: { runId }, query: { types: [...eventTypes], limit: 1000 } });
  return events.flatMap((event) => {
    const payload = payloadOf(event) as Partial<CouncilStatementDto>;
    if (payload.councilId === undefined) return [];
    const {
      councilId,
      round = 1,
      kind = 'Argument',
      participantName = '',
      identityId = null,
      modelId = event.modelId,
      content = event.message ?? '',
      vote = null,
    } = payload;
    return [
      { councilId, runId, round, kind, participantName, identityId, modelId, content, vote, atUtc: event.createdAtUtc },
    ];
  });
}

const keyOf = (one: CouncilStatementDto) => `${one.councilId} ${one.round} ${one.kind} ${one.participantName}`;

export function CouncilsTab({ runId }: { runId: number }) {
  const list = useResource(`councils ${runId}`, () => client.agentCouncils.list({ params: { runId } }));
  const past = useResource(`statements ${runId}`, () => pastStatements(runId));
  const [fresh, setFresh] = useState<CouncilStatementDto[]>([]);
  useTopic(`run:${runId}`, {
    onEvent(event) {
      if (event.type === 'council.updated') list.reload();
      if (event.type === 'council.statement') setFresh((all) => [...all, event.data]);
    },
  });
  const statements = [...new Map([...(past.data ?? []), ...fresh].map((one) => [keyOf(one), one])).values()];
  return (
    <Loaded resource={list}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title={t('No councils yet')} />
        ) : (
          <div className="stack" style={{ paddingTop: 14 }}>
            {items.map((one) => (
              <Council key={one.id} council={one} statements={statements.filter((s) => s.councilId === one.id)} />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

function Council({ council, statements }: { council: AgentCouncilDto; statements: CouncilStatementDto[] }) {
  const names = [...new Set(statements.map((one) => one.participantName))];
  const votes = Object.entries(
    Object.groupBy(
      statements.filter((one) => one.vote !== null),
      (one) => one.vote ?? '',
    ),
  );
  return (
    <section className="card">
      <div className="card-head">
        <h3>{council.question}</h3>
        <State name={council.status} />
      </div>
      <div className="card-body stack">
        {votes.length > 0 && (
          <ul className="votes">
            {votes.map(([vote, who]) => (
              <li key={vote}>
                <span className="row spread">
                  <strong>{vote}</strong>
                  <span className="muted num">
                    {who?.length} · {who?.map((one) => one.participantName).join(', ')}
                  </span>
                </span>
                <div className="meter-bar">
                  <div
                    className="meter-fill"
                    style={{ width: `${((who?.length ?? 0) / Math.max(1, names.length)) * 100}%` }}
                  />
                </div>
              </li>
            ))}
          </ul>
        )}
        {council.consensusJson && (
          <div>
            <span className="label small muted">{t('Outcome')}</span>
            <Json value={council.consensusJson} />
          </div>
        )}
        <div className="council-grid">
          {names.map((name) => (
            <div key={name} className="stack">
              <h3>{name}</h3>
              {statements
                .filter((one) => one.participantName === name)
                .map((one) => (
                  <div key={keyOf(one)} className="statement">
                    <div className="small faint">
                      {t('Round {n}', { n: one.round })} · {words(one.kind)}
                    </div>
                    <Markdown text={one.content} />
                  </div>
                ))}
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}
