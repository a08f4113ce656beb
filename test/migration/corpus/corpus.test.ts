import { describe, expect, it } from 'vitest'
import { differenceClasses, selectMostSevere } from '#migration/diff/verdict.ts'
import { compare, formatDifferences } from '../responses.ts'
import { errorResponsePairs } from './error-responses.ts'
import { libraryPairs } from './libraries.ts'
import { libraryWritePairs } from './library-writes.ts'
import { linkAndBillingPairs } from './links-and-billing.ts'
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
  ...publicTrackLinkPairs,
]

const classesIn = (lines: readonly string[]) =>
  differenceClasses.filter((name) => lines.some((line) => line.split(' ').at(-2) === name))

describe('compareResponses with the corpus', () => {
  it.each(corpus)('$what', ({ label, native, core, noise, expected }) => {
    const verdict = compare(label, native, core, noise && { noise })
    expect(formatDifferences(verdict).toSorted()).toEqual(expected.toSorted())
    expect(verdict.class).toBe(selectMostSevere(classesIn(expected)))
  })

  it('has at least 200 pairs with unique names', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(200)
    expect(new Set(corpus.map(({ label, title, core }) => `${label} ${core.status} ${title}`)).size).toBe(
      corpus.length,
    )
  })
})
