// The scenarios that every server has, as data, so that a bundled server has them, too.

import type { ScenarioInput } from './scenario.ts';
import { demo } from './scenarios/demo.ts';
import { demoChildNumbers, demoChildReading } from './scenarios/demo-children.ts';
import { demoScenes } from './scenarios/demo-scenes.ts';
import { echo } from './scenarios/echo.ts';
import { hello } from './scenarios/hello.ts';

export const builtInScenarios: Record<string, ScenarioInput> = {
  demo,
  'demo-child-reading': demoChildReading,
  'demo-child-numbers': demoChildNumbers,
  ...demoScenes,
  echo,
  hello,
};
