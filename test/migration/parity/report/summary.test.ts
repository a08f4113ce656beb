import { describe, expect, it } from 'vitest'
import { runExitCodeNotes, runExitCodes, summarise } from '#migration/parity/report/summary.ts'
import { created, createRun, detail, emptyReviewLinks, invalidNameComparison } from './run.ts'

const summariseOutcome = (...run: Parameters<typeof createRun>) => summarise(createRun(...run)).outcome

describe('the outcome of summarise', () => {
  it('is pass if both sides returned a success for every route and no difference between them counts', () => {
    const comparisons = [detail.same, detail.absent, created, invalidNameComparison]
    expect(summariseOutcome(['libraries.detail', 'libraries.create'], comparisons)).toBe('pass')
  })

  it('is regression if any comparison is a regression or critical', () => {
    expect(summariseOutcome(['libraries.detail', 'libraries.create'], [detail.silent, detail.counted])).toBe(
      'regression',
    )
    expect(summariseOutcome(['libraries.detail'], [detail.leaking])).toBe('regression')
  })

  it('is could_not_compare if a comparison failed or was not possible', () => {
    expect(summariseOutcome(['libraries.detail'], [detail.same, detail.silent])).toBe('could_not_compare')
    expect(summariseOutcome(['libraries.detail'], [detail.same, detail.drifting])).toBe('could_not_compare')
  })

  it('is inconclusive if a route was not compared, or if the run has no routes', () => {
    expect(summariseOutcome(['libraries.detail', 'libraries.create'], [detail.same])).toBe('inconclusive')
    expect(summariseOutcome([], [])).toBe('inconclusive')
  })

  it('is inconclusive if no success was compared for a route', () => {
    expect(summariseOutcome(['libraries.create'], [invalidNameComparison])).toBe('inconclusive')
    expect(summariseOutcome(['libraries.detail'], [detail.absent])).toBe('inconclusive')
    expect(summariseOutcome(['libraries.detail'], [detail.absent, detail.silent])).toBe('could_not_compare')
  })

  it('has a different exit code for each value, explained in the usage text', () => {
    expect(runExitCodes).toMatchObject({ pass: 0, regression: 1, could_not_compare: 2, inconclusive: 3 })
    expect(Object.values(runExitCodes).sort()).toEqual(
      runExitCodeNotes.slice(1).map((note) => Number(note.trim().split(' ')[0])),
    )
  })
})

describe('summarise', () => {
  const summary = summarise(
    createRun(
      ['libraries.detail', 'libraries.create', 'tracks.split-sheet.share-links.list'],
      [detail.same, detail.absent, detail.counted, detail.recounted, detail.odd, emptyReviewLinks],
    ),
  )
  const [found, uncompared, links] = summary.rows

  it('counts each comparison under the class of its most severe difference', () => {
    expect(summary.comparisons).toBe(6)
    expect(summary.counts).toMatchObject({
      equal: 2,
      regression: 2,
      not_comparable: 1,
      accepted: 1,
      critical: 0,
    })
    expect(found).toMatchObject({ comparisons: 5, class: 'regression', counts: { equal: 2, regression: 2 } })
    expect(uncompared).toMatchObject({ comparisons: 0, class: null, isClean: false })
  })

  it('counts how often each side returned each status, documented or not', () => {
    expect(found?.coverage).toEqual([
      { status: 200, documented: true, native: 4, core: 3 },
      { status: 401, documented: true, native: 0, core: 0 },
      { status: 404, documented: true, native: 1, core: 1 },
      { status: 418, documented: false, native: 0, core: 1 },
    ])
    expect(summary.coverage).toEqual({ documented: 8, seen: 3 })
  })

  it('groups differences by signature, most severe first, then most frequent', () => {
    expect(summary.signatures).toMatchObject([
      {
        class: 'regression',
        kind: 'value',
        path: 'body.trackCount',
        comparisons: 2,
        places: 2,
        scenarios: ['counts <script>', 'counts again'],
        example: { native: '2', core: '1' },
      },
      { class: 'not_comparable', kind: 'status', blame: 'core' },
      { class: 'accepted', kind: 'length', forbidsPromotion: true },
    ])
  })

  it('does not allow promotion of a route if one of its accepted differences forbids it', () => {
    expect(links).toMatchObject({ class: 'accepted', isClean: false })
    expect(
      summarise(createRun(['libraries.create'], [created, invalidNameComparison])).rows[0],
    ).toMatchObject({
      class: 'accepted',
      isClean: true,
    })
  })

  it('does not allow promotion of a route that returned only errors', () => {
    expect(summarise(createRun(['libraries.create'], [invalidNameComparison])).rows[0]).toMatchObject({
      problems: 1,
      isClean: false,
    })
  })

  it("counts each route's problems and the differences that forbid its promotion", () => {
    expect(found).toMatchObject({ problems: 3, forbiddingDifferences: 0 })
    expect(uncompared).toMatchObject({ problems: 1, forbiddingDifferences: 0 })
    expect(links).toMatchObject({ problems: 0, forbiddingDifferences: 1 })
    const leaking = summarise(createRun(['libraries.detail'], [detail.same, detail.leaking, detail.silent]))
    expect(leaking.rows[0]).toMatchObject({ problems: 2, isClean: false })
  })
})
