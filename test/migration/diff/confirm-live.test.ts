import { describe, expect, it } from 'vitest'
import { confirmAgainstCore, selectPersistent } from '#migration/diff/compare-live.ts'
import { compareResponses } from '#migration/diff/compare-responses.ts'
import type { RecordedResponse } from '#migration/diff/recorded-response.ts'
import {
  createSignature,
  type Difference,
  type DifferenceClass,
  differenceKinds,
  type Verdict,
} from '#migration/diff/verdict.ts'
import { countCases } from '#test/support/count-cases.ts'
import { createRandom } from '#test/support/random.ts'
import { recordedResponse, rules } from '../responses.ts'

const moment = '2026-11-20T10:00:00.000Z'

const library = (fields: object = {}, headers: Record<string, string> = {}) =>
  recordedResponse(
    200,
    {
      id: 'l1',
      name: 'Demos',
      description: null,
      createdAt: moment,
      updatedAt: moment,
      trackCount: 1,
      shareCount: 0,
      tracks: [],
      ...fields,
    },
    headers,
  )
const missing = recordedResponse(404, { error: 'library_not_found' })

const sameState = { ...rules, isSameState: true }

const describeDifference = ({ kind, path, class: differenceClass }: Difference) =>
  `${kind} ${path} ${differenceClass}`

const confirmed = (native: RecordedResponse, before: RecordedResponse, after: RecordedResponse) =>
  confirmAgainstCore('libraries.detail', native, { before, after, first: null }, sameState).map(
    describeDifference,
  )

describe('confirmAgainstCore', () => {
  const wrong = library({ trackCount: 2 })
  const cached = { 'cache-control': 'max-age=60' }

  it.each<[string, RecordedResponse, RecordedResponse, RecordedResponse, readonly string[]]>([
    ['persists', wrong, library(), library(), ['value body.trackCount regression']],
    ["was also in the core's earlier response", wrong, wrong, library(), []],
    ["is also in the core's later response", wrong, library(), wrong, []],
    ['is at a location that changes', wrong, library({ trackCount: 3 }), library({ trackCount: 4 }), []],
    [
      'is beside a location that changes',
      wrong,
      library({ name: 'A' }),
      library({ name: 'B' }),
      ['value body.trackCount regression'],
    ],
    ['is a different status', missing, library(), library(), ['status status regression']],
    [
      'is a different status while the body changes',
      missing,
      library({ trackCount: 3 }),
      library(),
      ['status status regression'],
    ],
    ['is in a body whose status changes', wrong, missing, library(), []],
    [
      "is that the response may be cached, even if the core's own may be cached too",
      library({}, cached),
      library({}, cached),
      library({}, cached),
      ['header headers.cache-control regression'],
    ],
    ['is the id of another record', library({ id: 'x' }), library(), library(), ['value body.id regression']],
  ])('returns what persists if the difference %s', (_, native, before, after, expected) => {
    expect(confirmed(native, before, after)).toEqual(expected)
  })

  it('returns a leak, whatever the core returns', () => {
    const leaking = library({ ownerId: 'acct_a' })
    for (const core of [library(), leaking, library({ ownerId: 'acct_b' })])
      expect(confirmed(leaking, library(), core)).toContainEqual(expect.stringMatching(/critical$/))
  })
})

describe("a difference in native's first response", () => {
  const wrong = library({ trackCount: 2 })

  /** Confirms a difference in native's first response. By default, native's second response is right. */
  const confirmFirst = (
    core: RecordedResponse,
    before: RecordedResponse,
    after: RecordedResponse,
    native: RecordedResponse = after,
  ) => {
    const { differences } = compareResponses('libraries.detail', wrong, core, sameState)
    const first = { core, differences: differences.filter((each) => each.class === 'regression') }
    return confirmAgainstCore('libraries.detail', native, { before, after, first }, sameState).map(
      describeDifference,
    )
  }
  const counted = ['value body.trackCount regression']

  it('counts if the core agrees with itself, even if native does not repeat it', () => {
    expect(confirmFirst(library(), library(), library())).toEqual(counted)
  })

  it('counts only once if native repeats it', () => {
    expect(confirmFirst(library(), library(), library(), wrong)).toEqual(counted)
  })

  it("counts even if another field changes in the core's responses", () => {
    const [a, b, c] = ['A', 'B', 'C'].map((name) => library({ name }))
    expect(confirmFirst(library({ name: 'A' }), b!, c!)).toContain(counted[0])
    expect(confirmFirst(a!, b!, c!)).not.toContain('value body.name regression')
  })

  it.each([
    ['before it is asked again', library({ trackCount: 3 }), library(), library()],
    ['to what native returned', library(), wrong, wrong],
    ['and then changes back', library(), wrong, library()],
    ['after the repetition', library(), library(), wrong],
    ['in its status', library(), missing, missing],
  ])("is transient if the core's response at that place changes %s", (_, core, before, after) => {
    expect(confirmFirst(core, before, after)).toEqual([])
  })
})

const paths = ['status', 'headers.allow', 'body', 'body.a', 'body.a.b', 'body.records', 'body.records.*']
const classes: readonly DifferenceClass[] = ['regression', 'regression', 'critical', 'accepted', 'noise']

describe('selectPersistent', () => {
  it('selects every leak, and each regression that both comparisons found in a place where the core did not change', () => {
    for (let seed = 1; seed <= countCases(2000); seed++) {
      const random = createRandom(seed)
      const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)]!
      const difference = (): Difference => {
        const [kind, path] = [pick(differenceKinds.slice(0, 3)), pick(paths)]
        const signature = createSignature('libraries.detail', path, kind)
        const example = { path, native: null, core: null }
        return { kind, path, class: pick(classes), blame: 'unknown', signature, count: 1, example }
      }
      const verdict = (): Verdict => ({
        label: 'libraries.detail',
        class: 'regression',
        native: 200,
        core: 200,
        differences: Array.from({ length: Math.floor(random() * 6) }, difference),
      })
      const [before, after] = [verdict(), verdict()]
      const changed = paths.filter(() => random() < 0.3)
      const selected = selectPersistent(before, after, changed)
      const unchanged = selectPersistent(before, after, [])
      for (const each of selected) {
        expect(after.differences).toContain(each)
        expect(unchanged).toContain(each)
        if (each.class === 'critical') continue
        expect(each.class).toBe('regression')
        expect(changed).not.toContain(each.path)
        expect(before.differences.filter(({ signature }) => signature === each.signature)).not.toEqual([])
      }
      const leaks = after.differences.filter((each) => each.class === 'critical')
      expect(selected).toEqual(expect.arrayContaining(leaks))
      expect(selectPersistent(before, after, ['status'])).toEqual(leaks)
      const persisting = verdict()
      expect(selectPersistent(persisting, persisting, [])).toEqual(
        persisting.differences.filter((each) => ['regression', 'critical'].includes(each.class)),
      )
    }
  })
})
