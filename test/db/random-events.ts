const types = [
  'pack.viewed',
  'track.viewed',
  'track.played',
  'pack.played',
  'track.progress',
  'track.downloaded',
  'pack.shared',
  'track.shared',
]

/** Creates random numbers from a seed, so a failure can be reproduced. */
export const randomFrom = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

export const dayMs = 86_400_000
export const start = Date.parse('2026-01-01T12:00:00Z')

export type RollupEvent = Readonly<Record<string, string | null>>

export const eventsFrom = (seed: number, count: number): RollupEvent[] => {
  const below = randomFrom(seed)
  const oneOf = <T>(...choices: T[]) => choices[below(choices.length)]!
  return Array.from({ length: count }, () => ({
    id: crypto.randomUUID(),
    owner_id: 'acct_owner',
    type: oneOf(...types),
    occurred_at: new Date(start + below(500) * dayMs).toISOString(),
    pack_id: oneOf('pack', 'pack', 'other', null),
    track_id: oneOf('one', 'two', null),
    link_kind: 'pack',
    link_id: oneOf('red', 'blue', null),
    source: oneOf('mail', 'press', 'radio', null),
    session_id: oneOf(...Array.from({ length: 12 }, (_, n) => `session-${n}`), null),
    visitor_id: oneOf('visitor-1', 'visitor-2', null),
  }))
}
