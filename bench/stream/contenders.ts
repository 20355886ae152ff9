// Who takes part: Rivulet and its peers.
import type { Contender } from './contender.ts';
import { rivulet } from './ours.ts';
import { centrifuge } from './peers/centrifuge.ts';
import { centrifugo } from './peers/centrifugo.ts';
import { nodePeers } from './peers/in-node.ts';
import { mosquitto } from './peers/mosquitto.ts';
import { nchan } from './peers/nchan.ts';
import { soketi } from './peers/soketi.ts';

export const contenders: readonly Contender[] = [
  ...rivulet,
  ...nodePeers,
  ...nchan,
  mosquitto,
  soketi,
  ...centrifuge,
  ...centrifugo,
];

/** Two contenders may have one name, over WebSocket and over server-sent events. */
export const idOf = ({ name, kind }: Contender): string => `${name} (${kind})`;
