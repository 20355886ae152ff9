// Catches errors of a page while it renders; the rest of the dashboard stays.
import { Component, type ReactNode } from 'react';
import type { ApiError } from '../../client/index.ts';
import { toApiError } from '../state/resource.ts';
import { Failure } from '../ui/states.tsx';

export class Boundary extends Component<{ children: ReactNode }, { error: ApiError | null }> {
  override state: { error: ApiError | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: toApiError(error) };
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return <Failure isPage error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}
