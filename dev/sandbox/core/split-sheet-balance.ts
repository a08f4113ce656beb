// A copy of native's rules, because the core must not share code with the side that it is compared with.
import type { SplitSheet } from './split-sheet-input.ts'

interface StructuralIssue {
  readonly path: string
  readonly code: string
  readonly message: string
  readonly expected?: number
  readonly actual?: number
}

type Publisher = SplitSheet['publishers'][number]
type Split = Publisher['collectionSplits'][number]

// Percentages are added as integer ten-thousandths, because sums of fractions are inexact. A total may be off by 0.01
// percent, so three shares of 33.33 are accepted.
const unitsPerPercent = 10_000
const tolerance = unitsPerPercent / 100
const sumShares = (shares: readonly { readonly percentage: number }[]) =>
  shares.reduce((sum, { percentage }) => sum + Math.round(percentage * unitsPerPercent), 0)

const findTotalMismatch = (
  group: 'master' | 'writers' | 'publishers',
  shares: readonly { readonly percentage: number }[],
): StructuralIssue[] => {
  const sum = sumShares(shares)
  if (Math.abs(sum - 100 * unitsPerPercent) <= tolerance) return []
  const message = `the ${group} shares must add up to 100`
  return [
    { path: group, code: `${group}_total_mismatch`, message, expected: 100, actual: sum / unitsPerPercent },
  ]
}

const findDuplicates = (keys: readonly string[]) =>
  keys.flatMap((key, index) => (keys.indexOf(key) < index ? [index] : []))

const findDuplicateCollaborators = (group: string, keys: readonly string[]): StructuralIssue[] =>
  findDuplicates(keys).map((index) => ({
    path: `${group}.${index}.collaboratorId`,
    code: 'duplicate_collaborator',
    message: 'this collaborator already has a share here',
  }))

const findDuplicateSplits = (path: string, splits: readonly Split[]): StructuralIssue[] =>
  findDuplicates(splits.map(({ right, territory }) => `${right} ${territory}`)).map((index) => ({
    path: `${path}.collectionSplits.${index}`,
    code: 'duplicate_collection_split',
    message: 'this right is split in this territory already',
  }))

// Checks, once per writer, that the shares of a writer's publishers do not exceed the writer's own share. Reports an
// excess at the first publisher.
const findWriterIssues = ({ writers, publishers }: SplitSheet): StructuralIssue[] => {
  const issues: StructuralIssue[] = []
  const seen = new Set<string>()
  for (const [index, { writerCollaboratorId }] of publishers.entries()) {
    if (writerCollaboratorId === null) continue
    const path = `publishers.${index}.writerCollaboratorId`
    const writerShares = writers.filter((writer) => writer.collaboratorId === writerCollaboratorId)
    if (writerShares.length === 0)
      issues.push({ path, code: 'publisher_writer_unknown', message: 'is not one of the writers' })
    else if (!seen.has(writerCollaboratorId)) {
      seen.add(writerCollaboratorId)
      const publisherShares = publishers.filter(
        (publisher) => publisher.writerCollaboratorId === writerCollaboratorId,
      )
      if (sumShares(publisherShares) > sumShares(writerShares) + tolerance)
        issues.push({
          path,
          code: 'publisher_writer_exceeds_share',
          message: "the shares of a writer's publishers must not exceed the share of the writer",
          expected: sumShares(writerShares) / unitsPerPercent,
          actual: sumShares(publisherShares) / unitsPerPercent,
        })
    }
  }
  return issues
}

const findSubPublisherIssues = ({ subPublishers }: Publisher, path: string): StructuralIssue[] => {
  const territories = new Set(subPublishers.flatMap((sub) => sub.territories))
  return [...territories].flatMap((territory) => {
    const sum = sumShares(subPublishers.filter((sub) => sub.territories.includes(territory)))
    if (sum <= 100 * unitsPerPercent + tolerance) return []
    const message = `the shares of the sub-publishers in ${territory} must not add up to more than 100 percent`
    return [
      { path, code: 'sub_publishers_exceed_parent', message, expected: 100, actual: sum / unitsPerPercent },
    ]
  })
}

const findPublisherIssues = (publisher: Publisher, index: number): StructuralIssue[] => {
  const path = `publishers.${index}`
  return [
    ...findDuplicateSplits(path, publisher.collectionSplits),
    ...findSubPublisherIssues(publisher, `${path}.subPublishers`),
    ...publisher.subPublishers.flatMap((sub, subIndex) =>
      findDuplicateSplits(`${path}.subPublishers.${subIndex}`, sub.collectionSplits),
    ),
  ]
}

export const findStructuralIssues = (sheet: SplitSheet): StructuralIssue[] => {
  const { master, writers, publishers } = sheet
  return [
    ...findTotalMismatch('master', master),
    ...findDuplicateCollaborators(
      'master',
      master.map((entry) => entry.collaboratorId),
    ),
    ...findTotalMismatch('writers', writers),
    ...findDuplicateCollaborators(
      'writers',
      writers.map((entry) => entry.collaboratorId),
    ),
    ...(publishers.length > 0 ? findTotalMismatch('publishers', publishers) : []),
    ...findDuplicateCollaborators(
      'publishers',
      publishers.map((entry) =>
        JSON.stringify([entry.collaboratorId, entry.writerCollaboratorId, entry.territory]),
      ),
    ),
    ...findWriterIssues(sheet),
    ...publishers.flatMap(findPublisherIssues),
  ]
}
