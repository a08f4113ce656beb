import { describe, expect, it } from 'vitest'
import { compare, formatDifferences } from '../responses.ts'
import { errorResponsePairs } from './error-responses.ts'
import { invalidRequestPairs } from './invalid-requests.ts'
import { libraryPairs } from './libraries.ts'
import { libraryWritePairs } from './library-writes.ts'
import { linkAndBillingPairs } from './links-and-billing.ts'
import { selectExpectedClass } from './pairs.ts'
import { processingPairs } from './processing.ts'
import { publicTrackLinkPairs } from './public-track-links.ts'
import { trackMediaPairs } from './track-media.ts'
import { trackPairs } from './tracks.ts'

const corpus = [
  ...libraryPairs,
  ...libraryWritePairs,
  ...trackPairs,
  ...trackMediaPairs,
  ...processingPairs,
  ...linkAndBillingPairs,
  ...errorResponsePairs,
  ...invalidRequestPairs,
  ...publicTrackLinkPairs,
]

describe('compareResponses', () => {
  // Uses `%s`, because Vitest shortens the values of `$title`.
  it.each(corpus.map((pair) => [pair.title, pair] as const))('%s', (_, pair) => {
    const { label, native, core, noise, expected } = pair
    const verdict = compare(label, native, core, noise && { noise })
    expect(formatDifferences(verdict).toSorted()).toEqual(expected.toSorted())
    expect(verdict.class).toBe(selectExpectedClass(expected))
  })

  it('is tested with at least 200 pairs that have unique titles', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(200)
    expect(new Set(corpus.map(({ title }) => title)).size).toBe(corpus.length)
  })
})
