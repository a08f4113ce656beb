import type { StructuralIssue } from '#contracts/errors.ts'
import type { SplitSheetRow } from '#db/queries/tracks/split-sheets.ts'

interface Share {
  readonly collaboratorId: string
  readonly percentage: number
}

type Shares = Pick<SplitSheetRow, 'master' | 'writers' | 'publishers'>

type Publisher = Shares['publishers'][number]
type SubPublisher = Publisher['subPublishers'][number]
type CollectionSplit = Publisher['collectionSplits'][number]
type TotalMismatch = 'master_total_mismatch' | 'writers_total_mismatch' | 'publishers_total_mismatch'

// Percentages have up to four decimals. Sums use integers (ten-thousandths of a percent): with binary fractions,
// rounding would put 50 + 50.01 beyond the tolerance.
const unitsPerPercent = 10_000
const whole = 100 * unitsPerPercent
const tolerance = unitsPerPercent / 100

const unitsOf = ({ percentage }: Pick<Share, 'percentage'>) => Math.round(percentage * unitsPerPercent)
const sumOf = (shares: readonly Share[]) => shares.reduce((sum, share) => sum + unitsOf(share), 0)
const percentOf = (units: number) => units / unitsPerPercent

const createKey = (...parts: readonly (string | null)[]) => JSON.stringify(parts)

const findTotalMismatch = (
  code: TotalMismatch,
  path: string,
  shares: readonly Share[],
): StructuralIssue[] => {
  const sum = sumOf(shares)
  if (Math.abs(sum - whole) <= tolerance) return []
  const message = `the shares add up to ${percentOf(sum)} percent instead of 100`
  return [{ path, code, message, expected: 100, actual: percentOf(sum) }]
}

const findRepeats = <T>(items: readonly T[], key: (item: T) => string) => {
  const seen = new Set<string>()
  return items.flatMap((item, index) => {
    const isRepeat = seen.has(key(item))
    seen.add(key(item))
    return isRepeat ? [index] : []
  })
}

const findDuplicateCollaborators = <T extends Share>(
  path: string,
  shares: readonly T[],
  key: (share: T) => string,
): StructuralIssue[] =>
  findRepeats(shares, key).map((index) => ({
    path: `${path}.${index}.collaboratorId`,
    code: 'duplicate_collaborator',
    message: 'this collaborator already has a share here',
  }))

const findDuplicateSplits = (path: string, splits: readonly CollectionSplit[]): StructuralIssue[] =>
  findRepeats(splits, ({ right, territory }) => createKey(right, territory)).map((index) => ({
    path: `${path}.collectionSplits.${index}`,
    code: 'duplicate_collection_split',
    message: 'this right is split in this territory already',
  }))

const findExceededWriter = (path: string, owned: number, taken: number): StructuralIssue[] => {
  if (taken <= owned + tolerance) return []
  const message = `the publishers of this writer take ${percentOf(taken)} percent of ${percentOf(owned)}`
  const code = 'publisher_writer_exceeds_share'
  return [{ path, code, message, expected: percentOf(owned), actual: percentOf(taken) }]
}

/** A writer's publishers together may take no more than the writer's share. */
const findWriterIssues = ({ writers, publishers }: Shares): StructuralIssue[] => {
  const sharesOf = Map.groupBy(writers, ({ collaboratorId }) => collaboratorId)
  const publishersOf = Map.groupBy(publishers, ({ writerCollaboratorId }) => writerCollaboratorId)
  return publishers.flatMap((publisher, index) => {
    const writer = publisher.writerCollaboratorId
    if (writer === null) return []
    const path = `publishers.${index}.writerCollaboratorId`
    const shares = sharesOf.get(writer)
    if (!shares) {
      const message = 'this writer is not among the writers'
      return [{ path, code: 'publisher_writer_unknown' as const, message }]
    }
    const siblings = publishersOf.get(writer) ?? []
    return siblings[0] === publisher ? findExceededWriter(path, sumOf(shares), sumOf(siblings)) : []
  })
}

/** Sub-publishers' percentages are relative to the parent's share, so per territory they may add up to at most 100. */
const findExceededParent = (path: string, subs: readonly SubPublisher[]): StructuralIssue[] => {
  const collectors = subs.flatMap((sub) =>
    [...new Set(sub.territories)].map((territory) => ({ territory, sub })),
  )
  const byTerritory = Map.groupBy(collectors, ({ territory }) => territory)
  return [...byTerritory].flatMap(([territory, taken]) => {
    const sum = sumOf(taken.map(({ sub }) => sub))
    if (sum <= whole + tolerance) return []
    return [
      {
        path: `${path}.subPublishers`,
        code: 'sub_publishers_exceed_parent',
        message: `the sub-publishers for ${territory} take ${percentOf(sum)} percent`,
        expected: 100,
        actual: percentOf(sum),
      },
    ]
  })
}

const findPublisherIssues = (publisher: Publisher, index: number): StructuralIssue[] => {
  const path = `publishers.${index}`
  return [
    ...findDuplicateSplits(path, publisher.collectionSplits),
    ...findExceededParent(path, publisher.subPublishers),
    ...publisher.subPublishers.flatMap(({ collectionSplits }, position) =>
      findDuplicateSplits(`${path}.subPublishers.${position}`, collectionSplits),
    ),
  ]
}

export const findImbalances = (sheet: Shares): StructuralIssue[] => {
  const { master, writers, publishers } = sheet
  return [
    ...findTotalMismatch('master_total_mismatch', 'master', master),
    ...findDuplicateCollaborators('master', master, ({ collaboratorId }) => collaboratorId),
    ...findTotalMismatch('writers_total_mismatch', 'writers', writers),
    ...findDuplicateCollaborators('writers', writers, ({ collaboratorId }) => collaboratorId),
    ...(publishers.length > 0
      ? findTotalMismatch('publishers_total_mismatch', 'publishers', publishers)
      : []),
    ...findDuplicateCollaborators(
      'publishers',
      publishers,
      ({ collaboratorId, writerCollaboratorId, territory }) =>
        createKey(collaboratorId, writerCollaboratorId, territory),
    ),
    ...findWriterIssues(sheet),
    ...publishers.flatMap(findPublisherIssues),
  ]
}
