import type { UsualVotes } from './votes.ts'

/** How one side usually serves a route. */
export interface UsualBehaviour {
  readonly requests: number
  readonly errors: number
  /** The number of requests that did not fail. */
  readonly timed: number
  /** In milliseconds; 0 if `timed` is 0. */
  readonly p95Ms: number
  /** Older versions of the code do not store this. */
  readonly votes?: UsualVotes | undefined
}

/** How both sides usually serve a route; null for a side that is unknown. */
export interface UsualBehaviours {
  readonly core: UsualBehaviour | null
  readonly native: UsualBehaviour | null
}

export const noUsualBehaviours: UsualBehaviours = { core: null, native: null }
