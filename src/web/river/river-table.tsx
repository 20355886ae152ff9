// The river in words: the same runs and what they did, for keyboards and screen readers.
import { formatDuration, formatNumber, t, words } from '../base/i18n.ts';
import { layoutRiver } from './layout.ts';
import type { Track } from './track.ts';

interface Props {
  tracks: Track[];
  rootId: number;
  labelOf: (runId: number) => string;
  onSelect: (selection: { runId: number; seq: number | null }) => void;
  now: () => number;
}

export function RiverTable({ tracks, rootId, labelOf, onSelect, now: clock }: Props) {
  const now = clock();
  const { lanes, from } = layoutRiver(tracks, rootId, now);
  return (
    <div className="table-scroll">
      <table className="table">
        <thead>
          <tr>
            <th>{t('Run')}</th>
            <th>{t('Status')}</th>
            <th className="num">{t('Start')}</th>
            <th className="num">{t('Duration')}</th>
            <th className="num">{t('Model calls')}</th>
            <th className="num">{t('Tool calls')}</th>
            <th className="num">{t('Decisions')}</th>
            <th className="num">{t('Checkpoints')}</th>
          </tr>
        </thead>
        <tbody>
          {lanes.map((lane) => {
            const { track } = lane;
            const count = (kind: string) => formatNumber(track.blocks.filter((block) => block.kind === kind).length);
            return (
              <tr key={track.runId}>
                <td>
                  <button type="button" className="link" onClick={() => onSelect({ runId: track.runId, seq: null })}>
                    {labelOf(track.runId)}
                  </button>
                </td>
                <td>{track.end ? words(track.end.kind) : t('Running')}</td>
                <td className="num">+{formatDuration(lane.from - from)}</td>
                <td className="num">{formatDuration(lane.to - lane.from)}</td>
                <td className="num">{count('model')}</td>
                <td className="num">{count('tool')}</td>
                <td className="num">{track.gates.length}</td>
                <td className="num">{track.marks.filter((mark) => mark.kind === 'checkpoint').length}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
