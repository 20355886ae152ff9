// Councils of a run: what each participant says, side by side, the votes and what came of it.
import type { AgentCouncilDto, CouncilStatementDto } from '../../../client/index.ts';
import { words as inWords, t } from '../../base/i18n.ts';
import {
  type CouncilMember,
  type CouncilOutcome,
  membersOf,
  outcomeOf,
  speakerKey,
  statementKey,
  useCouncils,
} from '../../state/councils.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';

/** @param until - the moment of a replay, ms since 1970; the present unless given */
export function CouncilsTab({ runId, until }: { runId: number; until?: number | undefined }) {
  const { councils, statements, words } = useCouncils(runId, until);
  return (
    <Loaded resource={councils}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title={t('No councils yet')}>
            {t('When a run convenes a council, its statements and votes appear here as they stream.')}
          </Empty>
        ) : (
          <div className="stack" style={{ paddingTop: 14 }}>
            {items.map((one) => (
              <Council
                key={one.id}
                council={one}
                statements={statements.filter(({ councilId }) => councilId === one.id)}
                words={words}
              />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

interface CouncilProps {
  council: AgentCouncilDto;
  statements: CouncilStatementDto[];
  words: Readonly<Record<string, string>>;
}

function Council({ council, statements, words }: CouncilProps) {
  const outcome = outcomeOf(council);
  const votes = statements.flatMap(({ kind, vote, participantName }) =>
    kind === 'Vote' && vote !== null ? [{ participant: participantName, vote }] : [],
  );
  const members = membersOf(council);
  return (
    <section className="card" aria-label={council.question}>
      <div className="card-head">
        <h2>{council.question}</h2>
        <State name={council.status} />
      </div>
      <div className="card-body stack">
        {outcome && <Outcome outcome={outcome} />}
        <Votes votes={outcome?.votes.length ? outcome.votes : votes} members={members} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys */}
        <section className="council-grid" tabIndex={0} aria-label={t('Statements')}>
          {members.map((member) => (
            <Voice
              key={member.name}
              member={member}
              statements={statements.filter((one) => one.participantName === member.name)}
              saying={council.completedAtUtc === null ? words[speakerKey(council.id, member.name)] : undefined}
            />
          ))}
        </section>
      </div>
    </section>
  );
}

function Outcome({ outcome: { decision, reason, dissent } }: { outcome: CouncilOutcome }) {
  return (
    <div className="council-outcome">
      <span className="label small muted">{t('Outcome')}</span>
      <strong>{decision ?? reason ?? t('No consensus.')}</strong>
      {dissent.map((one) => (
        <div key={one.participant} className="muted small">
          <strong>
            {one.vote
              ? t('{name} votes for {vote}', { name: one.participant, vote: one.vote })
              : t('{name} disagrees', { name: one.participant })}
          </strong>
          <Markdown text={one.reason} />
        </div>
      ))}
    </div>
  );
}

function Votes({ votes, members }: { votes: CouncilOutcome['votes']; members: CouncilMember[] }) {
  if (votes.length === 0) return null;
  const place = ({ participant }: { participant: string }) => members.findIndex(({ name }) => name === participant);
  const inOrder = votes.toSorted((a, b) => place(a) - place(b));
  return (
    <ul className="votes" aria-label={t('Votes')}>
      {Array.from(
        Map.groupBy(inOrder, (one) => one.vote),
        ([vote, who]) => (
          <li key={vote}>
            <span className="row spread">
              <strong>{vote}</strong>
              <span className="muted num">
                {who.length} · {who.map((one) => one.participant).join(', ')}
              </span>
            </span>
            <div className="meter-bar">
              <div className="meter-fill" style={{ width: `${(who.length / Math.max(1, members.length)) * 100}%` }} />
            </div>
          </li>
        ),
      )}
    </ul>
  );
}

interface VoiceProps {
  member: CouncilMember;
  statements: CouncilStatementDto[];
  /** What is being said just now. */
  saying: string | undefined;
}

function Voice({ member: { name, role }, statements, saying }: VoiceProps) {
  return (
    <div className="stack">
      <h2>
        {name} {role && <span className="muted small">{role}</span>}
      </h2>
      {statements.map((one) => (
        <div key={statementKey(one)} className="statement">
          <div className="small faint">
            {t('Round {n}', { n: one.round })} · {inWords(one.kind)}
          </div>
          <Markdown text={one.content} />
        </div>
      ))}
      {saying && (
        <div className="statement">
          <Markdown text={saying} streaming />
        </div>
      )}
      {statements.length === 0 && !saying && <p className="muted small">{t('No statement yet.')}</p>}
    </div>
  );
}
