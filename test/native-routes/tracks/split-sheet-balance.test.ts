import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SplitSheetInput } from '#contracts/shared/split-sheet-input.ts'
import { findImbalances } from '#native-routes/tracks/split-sheet-balance.ts'

type PublisherInput = SplitSheetInput['publishers'][number]

/** Percentages that add up to `total` ten-thousandths of a percent. */
const arbitraryShares = (total: number, maxLength = 12) =>
  fc
    .array(fc.integer({ min: 0, max: total }), { maxLength: maxLength - 1 })
    .map((cuts) => [0, ...cuts.sort((a, b) => a - b), total])
    .map((cuts) => cuts.slice(1).map((cut, index) => (cut - cuts[index]!) / 10_000))

const whole = 1_000_000
const entries = (percentages: readonly number[], prefix: string) =>
  percentages.map((percentage, index) => ({ collaboratorId: `${prefix}-${index}`, percentage }))

const createPublishers = (percentages: readonly number[]): PublisherInput[] =>
  entries(percentages, 'publisher').map((entry) => ({
    ...entry,
    writerCollaboratorId: null,
    role: 'original_publisher',
    territory: 'WORLD',
    subPublishers: [],
    collectionSplits: [],
  }))

/** One publisher per writer, with exactly the writer's share. Its sub-publishers' percentages add up to 100. */
const fullSheet = fc
  .record({
    master: arbitraryShares(whole),
    writers: arbitraryShares(whole),
    subs: arbitraryShares(whole, 4),
  })
  .map(({ master, writers, subs }) => ({
    ...SplitSheetInput.parse({
      master: entries(master, 'master'),
      writers: entries(writers, 'writer'),
    }),
    publishers: createPublishers(writers).map((publisher, index) => ({
      ...publisher,
      writerCollaboratorId: `writer-${index}`,
      subPublishers: entries(subs, 'sub').map((sub) => ({
        ...sub,
        territories: ['WORLD', 'DE'],
        collectionSplits: [],
      })),
      collectionSplits: [
        { right: 'sync' as const, percentage: 50, territory: 'DE' },
        { right: 'sync' as const, percentage: 50, territory: 'AT' },
        { right: 'print' as const, percentage: 50, territory: 'DE' },
      ],
    })),
  }))

const findCodes = (sheet: SplitSheetInput) => findImbalances(sheet).map(({ code }) => code)

const shuffled = <T>(items: T[]) =>
  fc.shuffledSubarray(items, { minLength: items.length, maxLength: items.length })

const balancedSheets = fullSheet.chain((sheet) =>
  fc
    .record({
      master: shuffled(sheet.master),
      writers: shuffled(sheet.writers),
      publishers: shuffled(sheet.publishers),
    })
    .map((order) => ({ ...sheet, ...order })),
)

/** Changes one share by `units` ten-thousandths of a percent. */
const adjustShare = <T extends { percentage: number }>(shares: readonly T[], at: number, units: number) =>
  shares.map((share, index) =>
    index === at ? { ...share, percentage: Math.round(share.percentage * 10_000 + units) / 10_000 } : share,
  )

describe('findImbalances', () => {
  it('accepts a balanced sheet with its entries in any order', () => {
    fc.assert(
      fc.property(balancedSheets, (sheet) => {
        expect(findImbalances(sheet)).toEqual([])
      }),
    )
  })

  it.each([
    ['master', 'master_total_mismatch'],
    ['writers', 'writers_total_mismatch'],
    ['publishers', 'publishers_total_mismatch'],
  ] as const)('tolerates a difference of 0.01 percent in %s', (side, code) => {
    const perturbed = balancedSheets.chain((sheet) =>
      fc.record({
        sheet: fc.constant(sheet),
        at: fc.nat({ max: sheet[side].length - 1 }),
        units: fc.oneof(
          fc.integer({ min: -300, max: 300 }),
          fc.constantFrom(-101, -100, 100, 101),
          fc.integer({ min: -whole, max: whole }),
        ),
      }),
    )
    fc.assert(
      fc.property(perturbed, ({ sheet, at, units }) => {
        const change = { ...sheet, [side]: adjustShare(sheet[side], at, units) }
        expect(findCodes(change).includes(code)).toBe(Math.abs(units) > 100)
        const issue = findImbalances(change).find((found) => found.code === code)
        if (issue) {
          expect(issue).toMatchObject({ path: side, expected: 100, actual: (whole + units) / 10_000 })
        }
      }),
      { numRuns: 200 },
    )
  })

  it("reports a publisher that exceeds its writer's share", () => {
    fc.assert(
      fc.property(balancedSheets, fc.nat(), fc.integer({ min: 101, max: whole }), (sheet, seed, units) => {
        const at = seed % sheet.publishers.length
        const issues = findImbalances({ ...sheet, publishers: adjustShare(sheet.publishers, at, units) })
        expect(issues).toContainEqual(
          expect.objectContaining({
            path: `publishers.${at}.writerCollaboratorId`,
            code: 'publisher_writer_exceeds_share',
          }),
        )
      }),
    )
  })

  it("adds up the shares of a writer's publishers", () => {
    const sheet = SplitSheetInput.parse({
      master: [{ collaboratorId: 'a', percentage: 100 }],
      writers: entries([60, 40], 'writer'),
      publishers: [
        { collaboratorId: 'p', percentage: 30.01, writerCollaboratorId: 'writer-0' },
        { collaboratorId: 'q', percentage: 40, writerCollaboratorId: 'writer-1' },
        { collaboratorId: 'r', percentage: 30, writerCollaboratorId: 'writer-0' },
      ],
    })
    expect(findCodes(sheet)).toEqual([])
    expect(findImbalances({ ...sheet, publishers: adjustShare(sheet.publishers, 2, 1) })).toEqual([
      expect.objectContaining({ code: 'publishers_total_mismatch' }),
      {
        path: 'publishers.0.writerCollaboratorId',
        code: 'publisher_writer_exceeds_share',
        message: expect.any(String),
        expected: 60,
        actual: 60.0101,
      },
    ])
  })

  it("adds up sub-publishers' shares by territory, and counts a repeated territory once", () => {
    const withSubs = (...subs: { percentage: number; territories: string[] }[]) =>
      SplitSheetInput.parse({
        master: [{ collaboratorId: 'a', percentage: 100 }],
        writers: [{ collaboratorId: 'a', percentage: 100 }],
        publishers: [
          {
            collaboratorId: 'p',
            percentage: 100,
            subPublishers: subs.map((sub, index) => ({ collaboratorId: `s${index}`, ...sub })),
          },
        ],
      })
    const [german, french] = [
      { percentage: 60, territories: ['DE', 'DE'] },
      { percentage: 60, territories: ['FR'] },
    ]
    expect(findCodes(withSubs(german, french))).toEqual([])
    expect(findCodes(withSubs(german, { percentage: 40.01, territories: ['DE'] }))).toEqual([])
    expect(
      findImbalances(withSubs(german, french, { percentage: 40.02, territories: ['FR', 'DE'] })),
    ).toEqual(
      ['DE', 'FR'].map((territory) => ({
        path: 'publishers.0.subPublishers',
        code: 'sub_publishers_exceed_parent',
        message: expect.stringContaining(territory),
        expected: 100,
        actual: 100.02,
      })),
    )
  })

  it('reports every repeated collaborator', () => {
    fc.assert(
      fc.property(balancedSheets, fc.constantFrom('master', 'writers', 'publishers'), (sheet, side) => {
        const shares: { collaboratorId: string; percentage: number }[] = sheet[side]
        const again = {
          ...sheet,
          [side]: [...shares, ...shares.map((share) => ({ ...share, percentage: 0 }))],
        }
        const repetitions = findImbalances(again).filter(({ code }) => code === 'duplicate_collaborator')
        expect(repetitions.map(({ path }) => path)).toEqual(
          shares.map((_, index) => `${side}.${index + shares.length}.collaboratorId`),
        )
      }),
    )
  })

  it('accepts a publisher with several writers and territories', () => {
    const publisher = { collaboratorId: 'p', percentage: 25 }
    const sheet = SplitSheetInput.parse({
      master: [{ collaboratorId: 'a', percentage: 100 }],
      writers: entries([50, 50], 'writer'),
      publishers: [
        { ...publisher, writerCollaboratorId: 'writer-0' },
        { ...publisher, writerCollaboratorId: 'writer-1' },
        { ...publisher, writerCollaboratorId: 'writer-0', territory: 'DE' },
        publisher,
      ],
    })
    expect(findCodes(sheet)).toEqual([])
  })
})
