// Councils of a run, each as its debate, at the moment of a replay or live.
import type { AgentCouncilDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { href } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useDebate } from '../../state/councils.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Empty, Failure, Loaded, Skeleton } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { Debate } from '../council/debate.tsx';

interface Props {
  runId: number;
  /** How many councils it is known to have convened. */
  count: number;
  /** The moment of a replay, ms since 1970; the present unless given. */
  until?: number | undefined;
}

export function CouncilsTab({ runId, count, until }: Props) {
  const councils = useResource(`councils ${runId}`, () => client.agentCouncils.list({ params: { runId } }));
  useReloadOn(count, councils.reload);
  return (
    <Loaded resource={councils}>
      {({ items }) => {
        const held = items.filter((one) => until === undefined || Date.parse(one.createdAtUtc) <= until);
        return held.length === 0 ? (
          <Empty title={t('No councils yet')}>
            {t('When a run convenes a council, its statements and votes appear here as they stream.')}
          </Empty>
        ) : (
          <div className="stack" style={{ paddingTop: 14 }}>
            {held.map((one) => (
              <Council key={one.id} council={one} until={until} />
            ))}
          </div>
        );
      }}
    </Loaded>
  );
}

function Council({ council: { id, question }, until }: { council: AgentCouncilDto; until: number | undefined }) {
  const { debate, words } = useDebate(id, until);
  const { data, error, reload } = debate;
  return (
    <section className="card" aria-label={question}>
      <div className="card-head">
        <h2>{question}</h2>
        {data && <State name={data.council.status} />}
        <LinkButton size="small" icon="council" href={href(`/councils/${id}`)}>
          {t('Open the debate')}
        </LinkButton>
      </div>
      <div className="card-body">
        {data ? (
          <Debate debate={data} words={words} />
        ) : error ? (
          <Failure error={error} retry={reload} />
        ) : (
          <Skeleton rows={4} />
        )}
      </div>
    </section>
  );
}
