import type { RoutingView } from '#migration/routing/routing-view.ts'

/** The routing state that this instance has adopted. */
export interface RoutingPort {
  /** The newest epoch. Each decision is made from one view, so that nothing about it is decided from two epochs. */
  current(): RoutingView
  /** Calls the listener with each view that replaces another one; returns what ends that. */
  onChange(listener: (view: RoutingView) => void): () => void
}
