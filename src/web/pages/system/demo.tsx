// The demo: fill the server with something to look at, play a scene, and take all of it away.
import { useState } from 'react';
import type { DemoScenario, DemoSize, DemoStatusDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { madeOf, waysOf } from './demo-state.ts';

const sizes = (): [DemoSize, string][] => [
  ['Small', t('Small: 3 agents')],
  ['Medium', t('Medium: 6 agents')],
  ['Large', t('Large: 15 agents')],
];

const scenes = (): [DemoScenario, string][] => [
  ['SingleRun', t('One run: a plan, a note, an answer')],
  ['SpawnTree', t('A tree: children that have children')],
  ['Escalation', t('A question to a person')],
  ['Council', t('A council that votes')],
  ['BudgetExhaustion', t('A budget that is used up')],
  ['ProviderFallback', t('A provider that is down')],
  ['RoutineWake', t('A routine that wakes up')],
  ['Chat', t('A run that is talked with')],
];

const speeds = (): [string, string][] => [
  ['0.5', t('Half as fast')],
  ['1', t('As written')],
  ['4', t('Four times as fast')],
  ['50', t('At once')],
];

export function Demo() {
  const status = useResource('demo', () => client.demo.status());
  useEvery(status.reload);
  const [told, setTold] = useState<DemoStatusDto | null>(null);
  return (
    <Loaded resource={status}>
      {(demo) => (
        <div className="stack">
          <Seeded
            demo={demo}
            told={told}
            onTold={(one) => {
              setTold(one);
              status.reload();
            }}
          />
          {may('SystemWrite') && <Scenes onDone={status.reload} />}
        </div>
      )}
    </Loaded>
  );
}

function Seeded(props: {
  demo: DemoStatusDto;
  told: DemoStatusDto | null;
  onTold: (told: DemoStatusDto | null) => void;
}) {
  const { demo, told, onTold } = props;
  const [filling, setFilling] = useState(false);
  const made = madeOf(demo);
  const ways = waysOf(demo);
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Demo')}</h2>
      </div>
      <div className="card-body stack">
        <p className="muted">
          {t(
            'Agents, a project, runs and chats that follow scripts: no model is asked. Removing it takes away all that it made, and nothing else.',
          )}
        </p>
        {made && (
          <p>
            {t('It has made:')} {made}
          </p>
        )}
        {ways.remove && !demo.seeded && !ways.fill && !filling && (
          <p>{t('It was cut short, or is being made. Remove what there is of it to fill it anew.')}</p>
        )}
        {told?.demoPassword && (
          <p>
            {t('Somebody who may look at it signs in as')} <code>{told.demoUsername}</code> {t('with the password')}{' '}
            <code>{told.demoPassword}</code>. {t('It is not shown again.')}
          </p>
        )}
        {may('SystemWrite') && (
          <div className="row wrap end">
            {(ways.fill || filling) && <Fill onBusy={setFilling} onTold={onTold} />}
            {ways.remove && !filling && <Reset onDone={() => onTold(null)} />}
          </div>
        )}
      </div>
    </section>
  );
}

function Fill(props: { onBusy: (busy: boolean) => void; onTold: (told: DemoStatusDto) => void }) {
  const { onBusy, onTold } = props;
  const [size, setSize] = useState<DemoSize>('Small');
  const { busy, act } = useAction();
  const seed = async () => {
    onBusy(true);
    await client.demo
      .seed({ body: { size } })
      .then(onTold)
      .finally(() => onBusy(false));
  };
  return (
    <>
      <SelectField label={t('Size')} value={size} onChange={setSize} options={sizes()} />
      <Button kind="primary" disabled={busy} onClick={() => void act(seed)}>
        {busy ? t('At work…') : t('Fill with a demo')}
      </Button>
    </>
  );
}

function Reset({ onDone }: { onDone: () => void }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {t('Remove the demo')}
      </Button>
      {asking && (
        <Confirm
          title={t('Remove the demo?')}
          action={t('Remove')}
          onConfirm={() => client.demo.reset({ body: { confirm: true } }).then(onDone)}
          onClose={() => setAsking(false)}
        >
          <p>{t('Its runs are stopped and deleted, its project goes with all that was put into it.')}</p>
        </Confirm>
      )}
    </>
  );
}

function Scenes({ onDone }: { onDone: () => void }) {
  const [scenario, setScenario] = useState<DemoScenario>('SingleRun');
  const [speed, setSpeed] = useState('1');
  const { busy, act } = useAction();
  const play = async () => {
    const goOn = goFromHere();
    const run = await client.demo.run({ body: { scenario, speed: Number(speed) } });
    onDone();
    goOn(`/runs/${run.id}`);
  };
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Play a scene')}</h2>
      </div>
      <div className="card-body row wrap end">
        <SelectField label={t('Scene')} value={scenario} onChange={setScenario} options={scenes()} />
        <SelectField label={t('Speed')} value={speed} onChange={setSpeed} options={speeds()} />
        <Button kind="primary" icon="play" disabled={busy} onClick={() => void act(play)}>
          {busy ? t('At work…') : t('Play it')}
        </Button>
      </div>
    </section>
  );
}
