import { describe, expect, it } from 'vitest'
import { createConfirmations, createRecurrences } from '#migration/live/confirmations.ts'
import { createRandom } from '#test/support/random.ts'

const label = 'tracks.list'
const [minute, hour] = [60_000, 3_600_000]

const start = () => {
  const clock = { now: 0 }
  const confirmations = createConfirmations(() => clock.now)
  const decide = (...signatures: string[]) => {
    const decision = confirmations.decide(label, signatures)
    if (decision === 'confirm') confirmations.begin(label, signatures)
    return decision
  }
  const record = (tried: string[], persisted: string[] = tried) =>
    confirmations.record(label, tried, persisted)
  /** One comparison with a difference. `persists` says whether the confirmation finds it again. */
  const compare = (signature: string, persists: boolean) => {
    const decision = decide(signature)
    if (decision === 'confirm') record([signature], persists ? [signature] : [])
    return decision
  }
  return { clock, decide, record, compare }
}

describe('createConfirmations', () => {
  it('confirms a signature once and then counts its repeats', () => {
    const { compare, clock } = start()
    const decisions = Array.from({ length: 20 }, () => {
      clock.now += 1000
      return compare('a', true)
    })
    expect(decisions).toEqual(['confirm', ...Array(19).fill('count')])
  })

  it('treats a signature that does not persist as transient after three confirmations, for an hour', () => {
    const { compare, clock } = start()
    const decisions = Array.from({ length: 5 }, () => compare('a', false))
    expect(decisions).toEqual(['confirm', 'confirm', 'confirm', 'transient', 'transient'])
    clock.now = hour - 1
    expect(compare('a', false)).toBe('transient')
    clock.now = hour
    expect(compare('a', true)).toBe('confirm')
    expect(compare('a', true)).toBe('count')
  })

  it('confirms a known signature again at growing intervals, up to an hour', () => {
    const { compare, clock } = start()
    const confirmedAt: number[] = []
    for (; clock.now < 6 * hour; clock.now += minute)
      if (compare('a', true) === 'confirm') confirmedAt.push(clock.now / minute)
    expect(confirmedAt).toEqual([0, 5, 15, 60, 100, 160, 220, 280, 340])
  })

  it('starts confirming again once a known signature does not persist', () => {
    const { compare, clock } = start()
    compare('a', true)
    clock.now = 5 * minute
    expect([compare('a', false), compare('a', false), compare('a', true)]).toEqual([
      'confirm',
      'confirm',
      'transient',
    ])
  })

  it('confirms known signatures again together with an unknown one', () => {
    const { decide, record } = start()
    decide('a')
    record(['a'])
    expect(decide('a', 'b')).toBe('confirm')
    record(['a', 'b'], ['b'])
    expect(decide('b')).toBe('count')
    expect(decide('a')).toBe('confirm')
  })

  it('counts a comparison with one known signature even if its other signature is transient', () => {
    const { decide, compare } = start()
    compare('a', true)
    for (let confirmation = 0; confirmation < 3; confirmation += 1) compare('b', false)
    expect([decide('b'), decide('a', 'b')]).toEqual(['transient', 'count'])
  })

  it('permits three unfinished confirmations at a time, and more once those have expired', () => {
    const { decide, clock } = start()
    expect([decide('a'), decide('a'), decide('a'), decide('a')]).toEqual([
      'confirm',
      'confirm',
      'confirm',
      'undecided',
    ])
    clock.now = 30_000
    expect(decide('a')).toBe('confirm')
  })

  it('permits any number of confirmations until one has begun', () => {
    const confirmations = createConfirmations(() => 0)
    const decisions = Array.from({ length: 5 }, () => confirmations.decide(label, ['a']))
    expect(new Set(decisions)).toEqual(new Set(['confirm']))
  })

  it('never confirms one signature more than three times within an hour', () => {
    const random = createRandom(5)
    const { compare, clock } = start()
    const confirmedAt = new Map<string, number[]>()
    for (let comparison = 0; comparison < 20_000; comparison += 1) {
      clock.now += 30_000 * random()
      const signature = `s${Math.floor(random() * 10)}`
      if (compare(signature, random() < 0.5) === 'confirm')
        confirmedAt.set(signature, [...(confirmedAt.get(signature) ?? []), clock.now])
    }
    expect(confirmedAt.size).toBe(10)
    for (const times of confirmedAt.values())
      for (const at of times)
        expect(times.filter((other) => other >= at && other - at < hour).length).toBeLessThanOrEqual(3)
  })

  it('remembers the thousand most recent signatures', () => {
    const { compare } = start()
    const signatures = Array.from({ length: 1000 }, (_, index) => `s${index}`)
    for (const signature of signatures) compare(signature, true)
    expect(compare('s0', true)).toBe('count')
    compare('another', true)
    expect([compare('s0', true), compare('s1', true)]).toEqual(['count', 'confirm'])
  })

  it('distinguishes equal signatures of two routes', () => {
    const confirmations = createConfirmations(() => 0)
    confirmations.decide('tracks.list', ['a'])
    confirmations.record('tracks.list', ['a'], ['a'])
    expect(confirmations.decide('packs.list', ['a'])).toBe('confirm')
  })
})

describe('differences in requests that must not be repeated', () => {
  it('count from their second occurrence within an hour', () => {
    const clock = { now: 0 }
    const decide = createRecurrences(() => clock.now)
    expect([decide(label, ['a']), decide(label, ['a']), decide(label, ['b'])]).toEqual([
      'undecided',
      'count',
      'undecided',
    ])
    expect(decide(label, ['c', 'b'])).toBe('count')
    clock.now = hour
    expect(decide(label, ['a', 'b'])).toBe('undecided')
    clock.now = hour + minute
    expect(decide(label, ['a'])).toBe('count')
  })

  it('are remembered for up to a thousand signatures', () => {
    const decide = createRecurrences(() => 0)
    for (let index = 0; index <= 1000; index += 1) decide(label, [`s${index}`])
    expect([decide(label, ['s1000']), decide(label, ['s0'])]).toEqual(['count', 'undecided'])
  })
})
