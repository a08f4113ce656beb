import { hash } from 'node:crypto'

/**
 * Returns a subject's bucket within an area: 0 to 9,999. A subject keeps its bucket, so a growing weight only adds
 * subjects. All routes of an area share the buckets. A subject has different buckets in other areas and installations,
 * because otherwise the same accounts would always go first.
 */
export const bucketOf = (installationSalt: string, area: string, subject: string): number =>
  Number.parseInt(hash('sha256', `${installationSalt}\n${area}\n${subject}`, 'hex').slice(0, 8), 16) % 10_000

export type FindBucket = (subject: string) => number

const maxRemembered = 4096
// Longer subjects are not remembered. Clients choose the subjects of links, which can be longer; account ids never are.
const maxRememberedLength = 128

/** Remembers the buckets of recent subjects, because looking one up takes a tenth as long as computing it. */
export const createBucketFinder = (installationSalt: string, area: string): FindBucket => {
  const remembered = new Map<string, number>()
  return (subject) => {
    const known = remembered.get(subject)
    if (known !== undefined) return known
    const bucket = bucketOf(installationSalt, area, subject)
    if (subject.length > maxRememberedLength) return bucket
    if (remembered.size === maxRemembered) remembered.clear()
    remembered.set(subject, bucket)
    return bucket
  }
}
