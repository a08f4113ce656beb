/** Faults that the provider simulates. */
export interface Behaviour {
  /** The delay of each API response. */
  readonly delayMs: number
  /** Whether the API closes every connection without a response. */
  readonly down: boolean
  /** How many more times each event is delivered. */
  readonly repeat: number
  /** Whether events that occur close together are delivered in random order. */
  readonly reorder: boolean
}

export const defaultBehaviour: Behaviour = { delayMs: 0, down: false, repeat: 0, reorder: false }
