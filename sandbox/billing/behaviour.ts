/** How the provider misbehaves. */
export interface Behaviour {
  /** How long each answer of the API takes. */
  readonly delayMs: number
  /** Whether the API hangs up on everybody. */
  readonly down: boolean
  /** How many times too often each event is delivered. */
  readonly repeat: number
  /** Whether events that happen close together are delivered in any order. */
  readonly reorder: boolean
}

export const defaultBehaviour: Behaviour = { delayMs: 0, down: false, repeat: 0, reorder: false }
