import { describe, expect, it, vi } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { createSignature, type Difference, type DifferenceClass } from '#migration/diff/verdict.ts'
import { createRepeatRule } from '#migration/live/compared-routes.ts'
import { createComparisonFilter } from '#migration/live/comparison-filter.ts'
import { createConclude } from '#migration/live/conclude.ts'
import { type Confirmations, createConfirmations } from '#migration/live/confirmations.ts'
import type { Sample } from '#migration/live/sample.ts'
import type { ComparisonResult } from '#migration/shadow/comparison-tasks.ts'
import { received } from './received.ts'

type Confirm = Parameters<typeof createConclude>[0]['confirm']
type Decision = 'confirm' | 'count' | 'transient' | 'undecided'

const difference = (path: string, differenceClass: DifferenceClass = 'regression'): Difference => ({
  kind: 'value',
  path,
  class: differenceClass,
  blame: 'native',
  signature: createSignature('tracks.detail', path, 'value'),
  count: 1,
  example: { path, native: 'string #1', core: 'string #2' },
})

const compared = (...differences: Difference[]): ComparisonResult => ({
  kind: 'compared',
  class: differences[0]?.class ?? 'equal',
  differences,
  shapes: [],
})

const sampleOf = (
  label: Label,
  judged = label,
  { query = '', subject = 'subject' }: { query?: string; subject?: string | null } = {},
): Sample => ({
  label,
  judged: { label: judged, evidenceKey: 'key' },
  request: { method: 'GET', path: '/v1/tracks/1', query, headers: {}, actor: null },
  received,
  subject,
  requestId: 'request-1',
})

const between = (sample: Sample, coreStatus = 200) => ({ sample, coreStatus, coreBefore: null })

interface State {
  readonly decision?: Decision
  readonly persisting?: readonly Difference[] | null
  readonly hasBudget?: boolean
  readonly mayAsk?: boolean
  readonly coreHonoursShadow?: boolean
  readonly confirmations?: Confirmations
}

const open = (state: State = {}) => {
  const { decision = 'confirm', persisting = [], mayAsk = true, coreHonoursShadow = false } = state
  const outcomes: string[] = []
  const votes: string[] = []
  const mismatches: string[] = []
  const tried: string[] = []
  const confirmed: string[] = []
  const confirm = vi.fn(async (..._: Parameters<Confirm>) => persisting)
  const conclude = createConclude({
    recorder: {
      countDrop: (label) => outcomes.push(`${label} dropped`),
      record: ({ label, outcome, isIndependent }) => {
        outcomes.push(`${label} ${outcome}`)
        if (isIndependent) votes.push(outcome)
      },
      recordMismatch: ({ label, difference: { path, class: differenceClass } }) =>
        mismatches.push(`${label} ${path} ${differenceClass}`),
    },
    confirmations: state.confirmations ?? {
      decide: () => {
        tried.push('confirmations')
        return decision
      },
      begin: () => tried.push('begun'),
      record: (_, __, persisted) => {
        confirmed.push(...persisted)
      },
    },
    decideByRecurrence: () => {
      tried.push('recurrences')
      return 'undecided'
    },
    budget: { take: () => state.hasBudget ?? true },
    confirm,
    mayRepeat: createRepeatRule({ CORE_HONOURS_SHADOW: coreHonoursShadow ? '1' : '0' }),
    mayAsk: () => mayAsk,
    votes: createComparisonFilter({ secret: 'secret', now: () => 1_800_000_000_000 }),
  })
  return { conclude, confirm, outcomes, votes, mismatches, tried, confirmed }
}

const name = difference('body.name')
const title = difference('body.title')

describe('a comparison', () => {
  it.each([
    ['without differences', compared(), 'equal'],
    ['with an accepted difference', compared(difference('body.name', 'accepted')), 'equal'],
    ['with a leak', compared(difference('body.ownerId', 'critical')), 'critical'],
    ['that is not comparable', { kind: 'not_comparable', reason: 'provider' }, 'not_comparable'],
    [
      'whose core response cannot serve as a reference',
      compared(difference('body.name', 'not_comparable')),
      'not_comparable',
    ],
    ['that the child process has dropped', { kind: 'dropped', reason: 'queue_full' }, 'dropped'],
  ] as const)('%s is recorded as $2, without asking the core', async (_, result, outcome) => {
    const { conclude, outcomes, tried } = open()
    await conclude(between(sampleOf('tracks.detail')), result)
    expect(outcomes).toEqual([`tracks.detail ${outcome}`])
    expect(tried).toEqual([])
  })

  it('is a regression if a difference persists, and records only that difference', async () => {
    const { conclude, outcomes, mismatches, confirmed } = open({ persisting: [name] })
    await conclude(between(sampleOf('tracks.detail')), compared(name, title))
    expect(outcomes).toEqual(['tracks.detail regression'])
    expect(mismatches).toEqual(['tracks.detail body.name regression'])
    expect(confirmed).toEqual([name.signature])
  })

  it('is a regression at the place where its repetition differs', async () => {
    const { conclude, outcomes, mismatches } = open({ persisting: [title] })
    await conclude(between(sampleOf('tracks.detail')), compared(name))
    expect(outcomes).toEqual(['tracks.detail regression'])
    expect(mismatches).toEqual(['tracks.detail body.title regression'])
  })

  it("passes the core's earlier response, if there is one, to the confirmation", async () => {
    const { conclude, confirm } = open()
    const coreBefore = { status: 200, headers: [], body: Buffer.from('{}') }
    const sample = sampleOf('tracks.detail')
    await conclude({ sample, coreStatus: 200, coreBefore }, compared(name))
    expect(confirm).toHaveBeenLastCalledWith(sample, { core: coreBefore, differences: [name] })
    await conclude({ sample, coreStatus: 200, coreBefore: null }, compared(title))
    expect(confirm).toHaveBeenLastCalledWith(sample, null)
  })

  it('is critical if its repetition finds a leak, whatever the first comparison found', async () => {
    const leak = difference('body.ownerId', 'critical')
    const { conclude, outcomes, mismatches } = open({ persisting: [name, leak] })
    await conclude(between(sampleOf('tracks.detail')), compared(name))
    expect(outcomes).toEqual(['tracks.detail critical'])
    expect(mismatches).toEqual(['tracks.detail body.ownerId critical'])
  })

  it('is confirmed even while another comparison is being confirmed', async () => {
    const { conclude, outcomes, tried } = open({ persisting: [name] })
    const sample = sampleOf('tracks.detail')
    await Promise.all([conclude(between(sample), compared(name)), conclude(between(sample), compared(name))])
    expect(tried.filter((each) => each === 'confirmations')).toHaveLength(2)
    expect(outcomes).toEqual(['tracks.detail regression', 'tracks.detail regression'])
  })

  it('is recorded as transient, like its mismatch, if the difference does not persist', async () => {
    const { conclude, outcomes, mismatches } = open({ persisting: [] })
    await conclude(between(sampleOf('tracks.detail')), compared(name))
    expect(outcomes).toEqual(['tracks.detail transient'])
    expect(mismatches).toEqual(['tracks.detail body.name transient'])
  })

  it.each([
    ['the budget is used up', { hasBudget: false }],
    ['the core is slow', { mayAsk: false }],
    ['other confirmations have no result yet', { decision: 'undecided' as const }],
    ['one of its three requests gets no response', { persisting: null }],
  ])('is dropped if it cannot be confirmed because %s', async (_, state) => {
    const { conclude, outcomes, mismatches } = open(state)
    await conclude(between(sampleOf('tracks.detail')), compared(name))
    expect(outcomes).toEqual(['tracks.detail dropped'])
    expect(mismatches).toEqual([])
  })

  it('does not become transient when the budget refuses its confirmation', async () => {
    const state = { hasBudget: false, confirmations: createConfirmations(() => 0), persisting: [name] }
    const { conclude, outcomes } = open(state)
    for (let comparison = 0; comparison < 20; comparison += 1)
      await conclude(between(sampleOf('tracks.detail')), compared(name))
    expect(new Set(outcomes)).toEqual(new Set(['tracks.detail dropped']))
    state.hasBudget = true
    await conclude(between(sampleOf('tracks.detail')), compared(name))
    expect(outcomes.at(-1)).toBe('tracks.detail regression')
  })

  it.each([
    ['count', 'regression'],
    ['transient', 'transient'],
  ] as const)(
    'with the decision "%s" from known differences has the outcome %s, without asking the core',
    async (decision, outcome) => {
      const { conclude, outcomes } = open({ decision, hasBudget: false })
      await conclude(between(sampleOf('tracks.detail')), compared(name))
      expect(outcomes).toEqual([`tracks.detail ${outcome}`])
    },
  )

  it('is not repeated on a route with events, unless the core honours the shadow header', async () => {
    const sample = sampleOf('public.pack-links.detail')
    const withEvents = open()
    await withEvents.conclude(between(sample), compared(name))
    expect(withEvents.tried).toEqual(['recurrences'])
    expect(withEvents.outcomes).toEqual(['public.pack-links.detail dropped'])
    const honoured = open({ coreHonoursShadow: true })
    await honoured.conclude(between(sample), compared(name))
    expect(honoured.tried).toEqual(['confirmations', 'begun'])
  })

  it('of a read after a write counts for the write, and ignores the headers', async () => {
    const sample = sampleOf('tracks.detail', 'tracks.create')
    const { conclude, outcomes, mismatches } = open({ decision: 'count' })
    await conclude(between(sample), compared(difference('headers.cache-control')))
    await conclude(between(sample), compared(name))
    expect(outcomes).toEqual(['tracks.create equal', 'tracks.create regression'])
    expect(mismatches).toEqual(['tracks.create tracks.detail body.name regression'])
  })
})

describe('the votes in a minute', () => {
  const listVotes = async (samples: readonly Sample[], statuses: readonly number[] = []) => {
    const { conclude, votes } = open()
    for (const [index, sample] of samples.entries())
      await conclude(between(sample, statuses[index] ?? 200), compared())
    return votes
  }
  const list = 'libraries.list'

  it('are limited to one per account, however often the account polls', async () => {
    const [a, b] = ['a', 'b'].map((subject) => sampleOf(list, list, { subject }))
    expect(await listVotes([a!, a!, b!, a!, b!])).toHaveLength(2)
  })

  it('are limited to one per request shape, which differs for a later page but not for a different value', async () => {
    const queries = ['', 'limit=1', 'limit=2', 'limit=2&cursor=a', 'limit=2&cursor=b', 'unknown=1', 'other=2']
    expect(await listVotes(queries.map((query) => sampleOf(list, list, { query })))).toHaveLength(4)
  })

  it('are limited to one in total for requests without an account', async () => {
    const anonymous = sampleOf(list, list, { subject: null })
    expect(await listVotes([anonymous, anonymous])).toHaveLength(1)
  })

  it('are limited to one in total for links that do not open, because clients can make up any number of them', async () => {
    const [a, b] = ['a', 'b'].map((subject) =>
      sampleOf('public.pack-links.detail', 'public.pack-links.detail', { subject }),
    )
    expect(await listVotes([a!, b!], [404, 404])).toHaveLength(1)
    expect(await listVotes([a!, b!], [200, 200])).toHaveLength(2)
  })

  it('are not used up by responses that could not be compared', async () => {
    const { conclude, votes } = open()
    await conclude(between(sampleOf(list)), { kind: 'not_comparable', reason: 'provider' })
    await conclude(between(sampleOf(list)), { kind: 'dropped', reason: 'queue_full' })
    expect(votes).toEqual([])
    await conclude(between(sampleOf(list)), compared())
    expect(votes).toEqual(['equal'])
  })

  it('include the first regression, even if an earlier comparison found none', async () => {
    const { conclude, votes } = open({ decision: 'count' })
    await conclude(between(sampleOf('tracks.detail')), compared())
    for (let comparison = 0; comparison < 3; comparison += 1)
      await conclude(between(sampleOf('tracks.detail')), compared(name))
    expect(votes).toEqual(['equal', 'regression'])
  })

  it('count a repeated regression once, even if the first comparison found it', async () => {
    const { conclude, votes } = open({ decision: 'count' })
    for (let comparison = 0; comparison < 3; comparison += 1)
      await conclude(between(sampleOf('tracks.detail')), compared(name))
    expect(votes).toEqual(['regression'])
  })
})
