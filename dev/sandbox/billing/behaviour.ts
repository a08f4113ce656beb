import type { DeliveryFaults } from '../deliveries.ts'

export interface Behaviour extends DeliveryFaults {
  readonly delayMs: number
  /** Whether the API closes every connection without a response. */
  readonly down: boolean
}

export const defaultBehaviour: Behaviour = { delayMs: 0, down: false, repeat: 0, reorder: false }
