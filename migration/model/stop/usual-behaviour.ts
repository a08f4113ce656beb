import type { UsualVotes } from './votes.ts'

/** How one side usually serves a route. */
export interface UsualBehaviour {
  readonly requests: number
  readonly errors: number
  /** Requests that did not fail. */
  readonly timed: number
  /** In milliseconds; 0 if none are timed. */
  readonly p95Ms: number
  /** Older versions of the code do not store it. */
  readonly votes?: UsualVotes | undefined
}

/** How both sides usually serve a route, as far as known. */
export interface UsualBehaviours {
  readonly core: UsualBehaviour | null
  readonly native: UsualBehaviour | null
}

export const noUsualBehaviours: UsualBehaviours = { core: null, native: null }
