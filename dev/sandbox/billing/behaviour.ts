import type { DeliveryFaults } from '../deliveries.ts'

/** Faults that the provider simulates. */
export interface Behaviour extends DeliveryFaults {
  /** The delay of each API response. */
  readonly delayMs: number
  /** Whether the API closes every connection without a response. */
  readonly down: boolean
}

export const defaultBehaviour: Behaviour = { delayMs: 0, down: false, repeat: 0, reorder: false }
