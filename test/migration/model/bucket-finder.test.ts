import { describe, expect, it } from 'vitest'
import { bucketOf, createBucketFinder } from '#migration/model/bucket.ts'

describe('a bucket finder', () => {
  it("finds each subject's bucket, whether or not it remembers the subject", () => {
    const findBucket = createBucketFinder('salt', 'libraries')
    const subjects = Array.from({ length: 10_000 }, (_, index) => `acct_${index}${'x'.repeat(index % 200)}`)
    const expected = subjects.map((subject) => bucketOf('salt', 'libraries', subject))
    expect(subjects.map(findBucket)).toEqual(expected)
    expect(subjects.slice(-100).map(findBucket)).toEqual(expected.slice(-100))
  })
})
