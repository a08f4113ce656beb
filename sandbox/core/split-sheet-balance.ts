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

// Percentages are added as whole ten-thousandths: 33.33 three times is exactly 99.99.
const unit = 10_000
const tolerance = unit / 100
const sumOf = (shares: readonly { readonly percentage: number }[]) =>
  shares.reduce((sum, { percentage }) => sum + Math.round(percentage * unit), 0)

const wholeIssues = (
  side: 'master' | 'writers' | 'publishers',
  shares: readonly { readonly percentage: number }[],
): StructuralIssue[] => {
  const sum = sumOf(shares)
  if (Math.abs(sum - 100 * unit) <= tolerance) return []
  const message = `the ${side} shares must add up to 100`
  return [{ path: side, code: `${side}_total_mismatch`, message, expected: 100, actual: sum / unit }]
}

/** The places of whatever stands there a second time. */
const repeats = (keys: readonly string[]) =>
  keys.flatMap((key, place) => (keys.indexOf(key) < place ? [place] : []))

const repeatedCollaborators = (side: string, keys: readonly string[]): StructuralIssue[] =>
  repeats(keys).map((place) => ({
    path: `${side}.${place}.collaboratorId`,
    code: 'duplicate_collaborator',
    message: 'is named already',
  }))

const repeatedSplits = (path: string, splits: readonly Split[]): StructuralIssue[] =>
  repeats(splits.map(({ right, territory }) => `${right} ${territory}`)).map((place) => ({
    path: `${path}.collectionSplits.${place}`,
    code: 'duplicate_collection_split',
    message: 'this right is split in this territory already',
  }))

const writerIssues = ({ writers, publishers }: SplitSheet): StructuralIssue[] => {
  const issues: StructuralIssue[] = []
  const seen = new Set<string>()
  for (const [place, { writerCollaboratorId }] of publishers.entries()) {
    if (writerCollaboratorId === null) continue
    const path = `publishers.${place}.writerCollaboratorId`
    const own = writers.filter((writer) => writer.collaboratorId === writerCollaboratorId)
    if (own.length === 0)
      issues.push({ path, code: 'publisher_writer_unknown', message: 'is none of the writers' })
    else if (!seen.has(writerCollaboratorId)) {
      seen.add(writerCollaboratorId)
      const given = publishers.filter((publisher) => publisher.writerCollaboratorId === writerCollaboratorId)
      if (sumOf(given) > sumOf(own) + tolerance)
        issues.push({
          path,
          code: 'publisher_writer_exceeds_share',
          message: 'the publishers of a writer must not have more than the writer',
          expected: sumOf(own) / unit,
          actual: sumOf(given) / unit,
        })
    }
  }
  return issues
}

const subPublisherIssues = ({ subPublishers }: Publisher, path: string): StructuralIssue[] => {
  const territories = new Set(subPublishers.flatMap((sub) => sub.territories))
  return [...territories].flatMap((territory) => {
    const sum = sumOf(subPublishers.filter((sub) => sub.territories.includes(territory)))
    if (sum <= 100 * unit + tolerance) return []
    const message = `the sub-publishers in ${territory} must not have more than 100 of what is collected`
    return [{ path, code: 'sub_publishers_exceed_parent', message, expected: 100, actual: sum / unit }]
  })
}

const publisherIssues = (publisher: Publisher, place: number): StructuralIssue[] => {
  const path = `publishers.${place}`
  return [
    ...repeatedSplits(path, publisher.collectionSplits),
    ...subPublisherIssues(publisher, `${path}.subPublishers`),
    ...publisher.subPublishers.flatMap((sub, subPlace) =>
      repeatedSplits(`${path}.subPublishers.${subPlace}`, sub.collectionSplits),
    ),
  ]
}

/** Everything in a well-formed sheet that does not add up; empty when it balances. */
export const findImbalances = (sheet: SplitSheet): StructuralIssue[] => {
  const { master, writers, publishers } = sheet
  return [
    ...wholeIssues('master', master),
    ...repeatedCollaborators(
      'master',
      master.map((entry) => entry.collaboratorId),
    ),
    ...wholeIssues('writers', writers),
    ...repeatedCollaborators(
      'writers',
      writers.map((entry) => entry.collaboratorId),
    ),
    ...(publishers.length > 0 ? wholeIssues('publishers', publishers) : []),
    ...repeatedCollaborators(
      'publishers',
      publishers.map((entry) =>
        JSON.stringify([entry.collaboratorId, entry.writerCollaboratorId, entry.territory]),
      ),
    ),
    ...writerIssues(sheet),
    ...publishers.flatMap(publisherIssues),
  ]
}
