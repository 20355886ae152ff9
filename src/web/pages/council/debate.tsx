// A debate: what came of it and who disagrees, the votes, each position over the rounds, and everybody's words side by side.
import type { RefObject } from 'react';
import type { CouncilDebateDto } from '../../../client/index.ts';
import { words as inWords, plural, t } from '../../base/i18n.ts';
import { roundsOf, speakerKey, votesOf, type Words } from '../../state/debate.ts';
import { Icon } from '../../ui/icon.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Chip } from '../../ui/status.tsx';

interface Props {
  debate: CouncilDebateDto;
  /** What is being said just now. */
  words: Words;
  /** The columns of those who take part, for who moves among them. */
  streams?: RefObject<HTMLElement | null>;
}

export function Debate({ debate, words, streams }: Props) {
  const { outcome, participants } = debate;
  return (
    <div className="stack debate">
      {outcome && <Outcome outcome={outcome} />}
      <Votes debate={debate} />
      <Positions debate={debate} words={words} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys */}
      <section className="council-grid" tabIndex={0} aria-label={t('Statements')} ref={streams ?? null}>
        {participants.map((one) => (
          <Voice key={one.name} member={one} debate={debate} words={words} />
        ))}
      </section>
    </div>
  );
}

function Outcome({ outcome: { decision, reason, dissent } }: { outcome: NonNullable<CouncilDebateDto['outcome']> }) {
  return (
    <div className="council-outcome">
      <span className="label small muted">{t('Outcome')}</span>
      <strong>{decision ?? reason ?? t('No consensus.')}</strong>
      {dissent.length > 0 && (
        <section className="dissent" aria-label={t('Dissent')}>
          {dissent.map((one) => (
            <div key={one.participant}>
              <strong>
                {one.vote
                  ? t('{name} votes for {vote}', { name: one.participant, vote: one.vote })
                  : t('{name} names no position', { name: one.participant })}
              </strong>
              <Markdown text={one.reason} />
            </div>
          ))}
        </section>
      )}
    </div>
  );
}

function Votes({ debate }: { debate: CouncilDebateDto }) {
  const { participants, votesNeeded } = debate;
  const tally = votesOf(debate);
  if (tally.length === 0) return null;
  const all = Math.max(1, participants.length);
  const place = (name: string) => participants.findIndex((one) => one.name === name);
  return (
    <div className="stack tight">
      <ul className="votes" aria-label={t('Votes')}>
        {tally.map(({ key, position, participants: who }) => (
          <li key={key}>
            <span className="row spread">
              <strong>{position}</strong>
              <span className="muted num">
                {who.length} · {who.toSorted((a, b) => place(a) - place(b)).join(', ')}
              </span>
            </span>
            <div className="meter-bar">
              <div className="meter-fill" style={{ width: `${(who.length / all) * 100}%` }} />
            </div>
          </li>
        ))}
      </ul>
      <span className="small muted">
        {t('{needed} of {all} votes make a consensus.', { needed: votesNeeded, all: participants.length })}
      </span>
    </div>
  );
}

const roundName = (debate: CouncilDebateDto, round: number) =>
  round > debate.council.rounds ? t('Vote') : t('Round {n}', { n: round });

function Positions({ debate, words }: Omit<Props, 'streams'>) {
  const rounds = roundsOf(debate);
  const changes = debate.statements.filter((one) => one.changedFrom !== null).length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys
    <section className="positions" tabIndex={0} aria-label={t('Positions over the rounds')}>
      <table>
        <caption className="small muted">
          {t('Positions over the rounds')} · {plural(changes, '{n} change of mind', '{n} changes of mind')}
        </caption>
        <thead>
          <tr>
            <th scope="col">{t('Participant')}</th>
            {rounds.map((round) => (
              <th key={round} scope="col">
                {roundName(debate, round)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {debate.participants.map(({ name }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {rounds.map((round) => (
                <Position key={round} debate={debate} words={words} name={name} round={round} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Position({ debate, words, name, round }: Omit<Props, 'streams'> & { name: string; round: number }) {
  const isHere = (one: { participantName: string; round: number }) =>
    one.participantName === name && one.round === round;
  const said = debate.statements.find(isHere);
  const silence = debate.silences.find(isHere);
  if (silence)
    return (
      <td className="muted">
        {t('Said nothing')} <span className="small">({silence.reason})</span>
      </td>
    );
  if (!said) {
    const speaks = round === roundsOf(debate).at(-1) && words[speakerKey(debate.council.id, name)];
    return <td className="faint">{speaks ? t('Speaking…') : '–'}</td>;
  }
  return (
    <td data-changed={said.changedFrom !== null}>
      {said.vote ?? <span className="muted">{t('No position')}</span>}
      {said.changedFrom !== null && (
        <span className="changed small">
          <Icon name="refresh" /> {t('was {position}', { position: said.changedFrom })}
        </span>
      )}
    </td>
  );
}

function Voice({
  member,
  debate,
  words,
}: Omit<Props, 'streams'> & { member: CouncilDebateDto['participants'][number] }) {
  const { name, role, modelId } = member;
  const statements = debate.statements.filter((one) => one.participantName === name);
  const saying = words[speakerKey(debate.council.id, name)];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is said is moved to by keys
    <article className="stack voice" aria-label={name} tabIndex={0}>
      <header>
        <h2 className="row">
          {name}
          {saying !== undefined && (
            <Chip shape="flow" tone="accent">
              {t('Speaking')}
            </Chip>
          )}
        </h2>
        {role && role !== name && <p className="muted small">{role}</p>}
        {modelId && <p className="faint small mono truncate">{modelId}</p>}
      </header>
      {statements.map((one) => (
        <div key={one.round} className="statement">
          <div className="small faint">
            {one.round > debate.council.rounds ? t('Vote') : `${roundName(debate, one.round)} · ${inWords(one.kind)}`}
          </div>
          <Markdown text={one.content} />
        </div>
      ))}
      {saying !== undefined && (
        <div className="statement" aria-busy="true">
          <Markdown text={saying} streaming />
        </div>
      )}
      {statements.length === 0 && saying === undefined && <p className="muted small">{t('No statement yet.')}</p>}
    </article>
  );
}
