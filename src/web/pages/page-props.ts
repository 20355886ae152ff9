// What a page is given, and what the list of pages says of it.
import type { ComponentType, LazyExoticComponent } from 'react';
import type { Permission } from '../../client/index.ts';
import type { IconName } from '../ui/icon.tsx';

/** Props of a page: the parameters of its path, such as an id. */
export interface PageProps {
  params: Record<string, string>;
}

export interface PageEntry {
  path: string;
  title: string;
  view: ComponentType<PageProps> | LazyExoticComponent<ComponentType<PageProps>>;
  /** In the rail, with its `g` key. */
  nav?: { icon: IconName; key: string };
  needs?: Permission;
}
